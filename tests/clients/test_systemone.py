"""The wire of decision models: what the reference does with a server's replies, and each thing one may do wrong."""

import asyncio
import errno
import http.client
import json
import logging
import socket
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import pytest

import cite_lsp
from cite_lsp.clients.address import Address
from cite_lsp.clients.client import ClientError, DecisionClient
from cite_lsp.clients.failures import system_name
from cite_lsp.clients.keys import Keys
from cite_lsp.clients.making import ClientOptions, decision_client, default_base, key_name, make_decision_client
from cite_lsp.clients.reasons import cost_nothing
from cite_lsp.clients.systemone import AGAIN, MODEL, PATH, with_defaults
from cite_lsp.policy import Choice, Concern, Policy, Report, Score, YesNo, judge, source
from tests.clients.scripted import ScriptedServer, hang, reply
from tests.clients.systemone_server import (
    SystemOne,
    cut_off,
    failing,
    fault,
    hang_up,
    late,
    malformed,
    missing,
    not_json,
    other_json,
    overloaded,
    rate_limited,
    redirect,
    reset,
    rule,
    serving,
    slow,
    too_large,
)
from tests.clients.systemone_server import hang as hanging
from tests.conftest import shared_folder

KEY = "sk-proj-q8Zt3Lw0Vx5Nb7Rk2Yd9Pc4Hj6"
RIDDLES = Policy(concerns=[Concern("riddle", detect=YesNo("Does {passage} pose a riddle?", yes="It does.", no="No."))])


def asked(*texts: str, meta: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A request about each text."""
    names = [f"P{number:03d}" for number in range(len(texts))]
    shown = {name: {**(meta or {}), "id": name, "text": text} for name, text in zip(names, texts, strict=True)}
    questions = {
        f"{name}:riddle": {
            "type": "noul",
            "instructions": {
                "question": f"Does `passages.{name}.text` pose a riddle?",
                "inspect": f"`passages.{name}.text`",
            },
            "criteria": {"true": {"what": "It does."}, "false": {"what": "It does not."}},
        }
        for name in names
    }
    return {"state": {"passages": shown}, "questions": questions}


async def ask(client: DecisionClient, request: dict[str, Any] | None = None) -> Mapping[str, Any]:
    async with asyncio.timeout(60):  # notices what hangs, measures nothing
        return await client(request or asked("Why is a raven like a desk?", "Tea."))


async def happens(server: SystemOne, true: Callable[[dict[str, int]], bool]) -> bool:
    return await asyncio.to_thread(server.wait_for, true)


@pytest.fixture(scope="module")
def process() -> Iterator[SystemOne]:
    with serving() as server:
        yield server


@pytest.fixture
def server(process: SystemOne) -> SystemOne:
    """The server with a fresh script: a passage that holds *raven* is a riddle."""
    process.script(rules=[rule(0.9, text="raven")], default=0.1, faults=[], delay=0.0, key=None, usage=True)
    assert process.wait_for(lambda counts: not counts["running"])  # what the test before left has ended
    process.forget()
    return process


Make = Callable[..., DecisionClient]


@pytest.fixture
async def make(server: SystemOne) -> AsyncIterator[Make]:
    """Makes clients of the server, and closes them; another try comes at once unless told otherwise."""
    made: list[DecisionClient] = []

    def one(*, environment: dict[str, str] | None = None, secrets: dict[str, str] | None = None, **told: Any) -> Any:
        options = ClientOptions(**{"base_url": server.url, "longest_wait": 0.0, **told})
        made.append(make_decision_client("decision", options, environment=environment or {}, secrets=secrets))
        return made[-1]

    yield one
    for client in made:
        await client.close()


def paused(client: Any) -> list[float]:
    """The pauses that a client makes from now on, none of which takes any time."""
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        client._wire._quiet_until = 0.0  # as if the time had passed

    client._wire._pause = pause
    return pauses


# --- the reference's rows --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows() -> dict[str, Any]:
    folder = shared_folder()
    if folder is None:
        pytest.skip("not run: the specification data (shared/) is not beside this checkout")
    found: dict[str, Any] = json.loads((folder / "vectors" / "cite.json").read_text(encoding="utf-8"))["http"]
    return found


def test_every_row_of_the_reference_is_looked_at(rows: dict[str, Any]) -> None:
    assert set(rows) == {
        "attempts_max",
        "timeout_ms",
        "delay_cap_ms",
        "backoff_ms",
        "retry_statuses",
        "no_retry",
        "retry_transport",
        "map",
        "retry_after",
        "usage",
    }


async def test_the_references_tries(rows: dict[str, Any], server: SystemOne, make: Make) -> None:
    client = make(longest_wait=None)
    pauses = paused(client)
    server.script(faults=[overloaded(times=None)])
    assert (await ask(client))["error"] == "server_error"
    assert server.counts()["requests"] == client.requests == rows["attempts_max"]
    assert [each * 1000 for each in pauses] == rows["backoff_ms"]


async def test_the_references_bounds(rows: dict[str, Any], server: SystemOne, make: Make) -> None:
    options, tries = with_defaults(ClientOptions())
    assert (options.timeout or 0) * 1000 == rows["timeout_ms"]
    assert tries.longest * 1000 == rows["delay_cap_ms"]
    client = make(longest_wait=None)
    pauses = paused(client)
    server.script(faults=[rate_limited(3600)])
    assert "answers" in await ask(client)
    assert len(pauses) == 1
    assert rows["delay_cap_ms"] / 1000 - 5 < pauses[0] <= rows["delay_cap_ms"] / 1000


async def test_the_references_statuses(rows: dict[str, Any], server: SystemOne, make: Make) -> None:
    assert set(rows["retry_statuses"]) == AGAIN
    client = make()
    for status in rows["retry_statuses"]:
        server.forget()
        server.script(faults=[failing(status)])
        assert "answers" in await ask(client)
        assert server.counts()["requests"] == 2
    for status in [each for each in rows["no_retry"] if each != "read timeout"]:
        server.forget()
        server.script(faults=[failing(status)])
        assert "error" in await ask(client)
        assert server.counts()["requests"] == 1
    server.forget()
    server.script(faults=[hanging()])
    assert (await ask(make(timeout=0.4)))["error"] == "timeout"
    assert server.counts()["requests"] == 1


async def test_the_references_reasons(rows: dict[str, Any], server: SystemOne, make: Make) -> None:
    client = make()
    for status, body, expected in [each for each in rows["map"] if each[0] != "transport"]:
        server.script(faults=[_fault_of(status, body)])
        told = await ask(client)
        if expected == "ok, usage none":
            assert told == {"answers": {}, "usage": None}
        elif expected == "malformed_reply":
            assert told["error"] == ["malformed_reply", json.dumps(body)]
        elif status == 418:
            assert told["error"] == ["api_error", 418, "x" * 2000]
        else:
            assert told["error"] == expected, (status, body)
        assert told.get("message", "x")


def _fault_of(status: int, body: Any) -> dict[str, Any]:
    if isinstance(body, str) and body.startswith("retry-after: "):
        return failing(status, "", {"Retry-After": body.removeprefix("retry-after: ")}, times=None)
    if body == "x*5000":
        body = "x" * 5000
    return other_json(body, times=None) if status == 200 else failing(status, body, times=None)


async def test_the_references_word_for_a_server_that_is_not_there(rows: dict[str, Any], make: Make) -> None:
    [expected] = [each[2] for each in rows["map"] if each[0] == "transport"]
    assert rows["retry_transport"] == "any connection failure except a timeout"
    with ScriptedServer(reply()) as closed:
        pass
    client = make(base_url=closed.url)
    told = await ask(client)
    assert (told["error"], client.requests) == (expected, 4)
    assert closed.url in told["message"]


async def test_the_references_reading_of_retry_after(rows: dict[str, Any], server: SystemOne, make: Make) -> None:
    client = make()
    for text, expected in rows["retry_after"]:
        server.script(faults=[rate_limited(text, times=None)])
        assert (await ask(client))["error"] == ["rate_limited", expected], text


async def test_the_references_usage(rows: dict[str, Any], server: SystemOne, make: Make) -> None:
    for usage, expected in rows["usage"]:
        server.script(faults=[other_json({"answers": {}, "usage": usage})])
        assert (await ask(make()))["usage"] == expected


# --- what is asked, and what is answered -----------------------------------------------------------------------------


async def test_a_question_and_its_answer(server: SystemOne, make: Make) -> None:
    client = make(model="jev-2", environment={"TYPESAFE_API_KEY": KEY})
    told = await ask(client)
    assert told["answers"] == {"P000:riddle": {"noul": 0.9}, "P001:riddle": {"noul": 0.1}}
    assert told["model"] == "systemone-by-rules"
    assert told["usage"]["input_tokens"] > 0
    [seen] = server.requests()
    assert seen["path"] == PATH
    assert seen["body"] == {"model": "jev-2", **asked("Why is a raven like a desk?", "Tea.")}
    assert "authorization" not in seen["headers"]


async def test_all_of_a_request_keeps_its_order(server: SystemOne, make: Make) -> None:
    request = asked(*(f"Text {number}" for number in reversed(range(60))), meta={"z": 1, "a": 2**80, "m": [{"y": 1}]})
    assert list((await ask(make(), request))["answers"]) == list(request["questions"])
    body = server.requests()[0]["body"]
    assert list(body) == ["model", "state", "questions"]
    assert list(body["state"]["passages"].items()) == list(request["state"]["passages"].items())
    assert [list(each) for each in body["state"]["passages"].values()] == [["z", "a", "m", "id", "text"]] * 60
    assert list(body["questions"]) == list(request["questions"])


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/", "/deep/v1"])
async def test_an_address_is_written_either_way(suffix: str, server: SystemOne, make: Make) -> None:
    await ask(make(base_url=server.url + suffix))
    assert server.requests()[0]["path"] == ("/deep" if "deep" in suffix else "") + PATH


async def test_who_is_asked(make: Make, server: SystemOne) -> None:
    client = make()
    assert (client.model, client.address, client.requests) == (MODEL, server.url, 0)
    assert client.identity == f"systemone {MODEL} at {server.url}"
    home = make(base_url=None)
    assert home.identity == "systemone jev-1.13.0 at https://api.typesafe.ai"
    assert make(base_url="http://me:secret-of-mine@h.example?key=secret-of-mine").identity.endswith(
        "at http://h.example"
    )
    assert make(base_url="nowhere").address == ""


@pytest.mark.parametrize(
    ("model", "kept"),
    [("jev-9", {"model": "jev-9"}), ("", {}), (" ", {}), ("\u200b\n", {}), (None, {}), (7, {}), (["jev"], {})],
)
async def test_the_model_that_answered(model: object, kept: dict[str, str], server: SystemOne, make: Make) -> None:
    server.script(faults=[other_json({"answers": {"a": {"noul": 0.5}}, "model": model, "more": 1})])
    assert await ask(make()) == {"answers": {"a": {"noul": 0.5}}, "usage": None, **kept}


@pytest.mark.parametrize(
    "usage",
    [
        [],
        "many",
        {"input_tokens": True, "output_tokens": 0},
        {"input_tokens": 1.0, "output_tokens": 0},
        {"input_tokens": 1},
        {"input_tokens": 2**63, "output_tokens": 2**63},
    ],
)
async def test_counts_that_are_none(usage: object, server: SystemOne, make: Make) -> None:
    server.script(faults=[other_json({"answers": {}, "usage": usage})])
    assert (await ask(make()))["usage"] is None


async def test_tokens_of_a_reply_that_is_none_are_told(server: SystemOne, make: Make) -> None:
    server.script(faults=[other_json({"usage": {"input_tokens": 9, "output_tokens": 2}})])
    told = await ask(make())
    assert (told["error"][0], told["usage"]) == ("malformed_reply", {"input_tokens": 9, "output_tokens": 2})


async def test_answers_are_given_as_they_came(server: SystemOne, make: Make) -> None:
    server.script(faults=[malformed("P000", {"noul": 7, "why": ["?"]}), missing("P001")])
    client = make()
    assert (await ask(client))["answers"]["P000:riddle"] == {"noul": 7, "why": ["?"]}
    assert list((await ask(client))["answers"]) == ["P000:riddle"]


# --- what a server may do wrong --------------------------------------------------------------------------------------


@pytest.mark.parametrize("date", [False, True], ids=["seconds", "date"])
async def test_a_server_that_takes_no_more_is_given_the_time_it_asks_for(
    date: bool, server: SystemOne, make: Make
) -> None:
    client = make(longest_wait=None)
    pauses = paused(client)
    server.script(faults=[rate_limited(20, date=date)])
    assert "answers" in await ask(client)
    assert server.counts()["requests"] == 2
    assert len(pauses) == 1
    assert 15 < pauses[0] <= 20


async def test_a_real_second_is_waited(server: SystemOne, make: Make) -> None:
    server.script(faults=[rate_limited(1)])
    loop = asyncio.get_running_loop()
    begun = loop.time()
    assert "answers" in await ask(make(longest_wait=None))
    assert loop.time() - begun >= 0.9


async def test_all_requests_wait_together(server: SystemOne, make: Make) -> None:
    client = make(longest_wait=None)
    server.script(faults=[rate_limited(1)])
    first = asyncio.ensure_future(ask(client))
    assert await happens(server, lambda counts: counts["requests"] == 1 and counts["running"] == 0)
    await asyncio.sleep(0.1)
    others = [asyncio.ensure_future(ask(client)) for _ in range(3)]
    await asyncio.sleep(0.1)
    assert server.counts()["requests"] == 1
    assert all("answers" in each for each in await asyncio.gather(first, *others))
    assert server.counts()["requests"] == 5


@pytest.mark.parametrize(
    ("broken", "names"),
    [
        (reset, {"econnreset", "closed", "epipe"}),
        (hang_up, {"closed", "econnreset", "epipe"}),
        (cut_off, {"closed", "econnreset"}),
    ],
)
async def test_a_connection_that_breaks_is_tried_again(
    broken: Callable[..., dict[str, Any]], names: set[str], server: SystemOne, make: Make
) -> None:
    server.script(faults=[broken(times=3)])
    assert "answers" in await ask(make())
    assert server.counts()["requests"] == 4
    server.script(faults=[broken(times=None)])
    server.forget()
    told = await ask(make())
    assert server.counts()["requests"] == 4
    kind, name = told["error"]
    assert kind == "request_error"
    assert name in names
    assert server.url in told["message"]


@pytest.mark.parametrize(
    ("failure", "name"),
    [
        (OSError(errno.EHOSTUNREACH, "no way"), "ehostunreach"),
        (socket.gaierror(socket.EAI_NONAME, "no such name"), "nxdomain"),
        (ssl.SSLError(1, "wrong version number"), "tls"),
        (ExceptionGroup("both", [OSError(errno.ECONNREFUSED, "no"), OSError(errno.ENETDOWN, "no")]), "econnrefused"),
        (RuntimeError("went away"), "closed"),
    ],
)
def test_what_a_failure_is_called(failure: Exception, name: str) -> None:
    outer = RuntimeError("of the library")
    outer.__cause__ = failure
    assert system_name(outer) == name


async def test_a_body_that_comes_slowly_is_waited_for(server: SystemOne, make: Make) -> None:
    server.script(faults=[slow(0.5), late(0.3)])
    client = make()
    assert [("answers" in await ask(client)) for _ in range(2)] == [True, True]
    assert server.counts()["requests"] == 2


async def test_a_body_that_comes_too_slowly_is_not_asked_for_again(server: SystemOne, make: Make) -> None:
    server.script(faults=[slow(600)])
    told = await ask(make(timeout=0.5))
    assert told["error"] == "timeout"
    assert "0.5 seconds" in told["message"]
    assert await happens(server, lambda counts: counts["gone"] == 1)
    assert server.counts()["requests"] == 1


@pytest.mark.parametrize(
    "body",
    ['{"answers": {"P000', "", "<html>Welcome</html>", "[" * 100_000, '{"answers": {"a": NaN}}', "null", "[]", "3"],
)
async def test_a_reply_that_is_none(body: str, server: SystemOne, make: Make) -> None:
    server.script(faults=[not_json(body)])
    told = await ask(make())
    assert told["error"] == ["malformed_reply", body[:2000]]
    assert (server.counts()["requests"], server.url in told["message"]) == (1, True)


GOOD = '"P000:riddle": {"noul": 0.9}, "P001:riddle": {"noul": 0.1}'


@pytest.mark.parametrize(
    "body",
    [
        f'{{"answers": {{{GOOD}, "P000:riddle": {{"noul": 0.2}}}}}}',
        f'{{"answers": {{{GOOD}}}, "answers": {{{GOOD}}}}}',
        '{"answers": {"P000:riddle": {"noul": 0.9, "noul": 0.1}, "P001:riddle": {"noul": 0.1}}}',
        f'{{"answers": {{{GOOD}, "x": {"[" * 300}{"]" * 300}}}}}',
        f'{{"answers": {{{GOOD}}}, "x": {"[" * 1000}{"]" * 1000}}}',
        f'{{"answers": {{{GOOD}, "x": {{"noul": 1e999}}}}}}',
    ],
)
async def test_a_reply_that_can_be_read_in_two_ways_or_never_written_is_none(
    body: str, server: SystemOne, make: Make
) -> None:
    server.script(faults=[not_json(body)])
    told = await ask(make())
    assert told["error"] == ["malformed_reply", body[:2000]]
    server.script(faults=[not_json(f'{{"answers": {{{GOOD}, "x": {"[" * 200}{"]" * 200}}}}}')])
    assert "x" in (await ask(make()))["answers"]


async def test_a_reply_without_end_is_left(server: SystemOne, make: Make) -> None:
    server.script(faults=[not_json(" " * 9_000_000)])
    told = await ask(make())
    assert told["error"][0] == "malformed_reply"
    assert "8 MB" in told["message"]


@pytest.mark.parametrize("status", [400, 422])
async def test_a_request_that_is_too_large(status: int, server: SystemOne, make: Make) -> None:
    server.script(faults=[too_large(status, over=1, times=None)])
    client = make()
    assert (await ask(client))["error"] == "request_too_large"
    assert "answers" in await ask(client, asked("One raven."))
    assert server.counts()["requests"] == 2


@pytest.mark.parametrize("status", [401, 403, 413, 500])
async def test_only_a_refused_request_is_too_large(status: int, server: SystemOne, make: Make) -> None:
    server.script(faults=[too_large(status, times=None)])
    assert (await ask(make()))["error"] != "request_too_large"


@pytest.mark.parametrize("detail", [None, [], "no", {"error_type": None}, {"error_type": 3}, {"error_type": ""}])
async def test_a_refusal_without_a_type(detail: object, server: SystemOne, make: Make) -> None:
    server.script(faults=[failing(400, {"detail": detail})])
    assert (await ask(make()))["error"] == ["bad_request", json.dumps({"detail": detail})]


async def test_the_type_of_a_refusal_is_said(server: SystemOne, make: Make) -> None:
    server.script(faults=[failing(422, {"detail": {"error_type": "model_not_found"}})])
    assert "refused the request (422): model_not_found" in (await ask(make()))["message"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status: int, server: SystemOne, make: Make) -> None:
    with serving() as other:
        server.script(faults=[redirect(f"{other.url}/x?key=1", status)])
        told = await ask(make(api_key=KEY))
        assert told["error"] == ["api_error", status, ""]
        assert other.url in told["message"]
        assert "key=1" not in told["message"]
        assert other.counts()["connections"] == other.counts()["requests"] == 0
    assert server.requests()[0]["headers"]["authorization"] == f"Bearer {KEY}"


async def test_a_key_that_is_refused(server: SystemOne, make: Make) -> None:
    server.script(key="another")
    told = await ask(make(api_key=KEY))
    assert told["error"] == "unauthorized"
    assert "refused the key (401)" in told["message"]
    assert "check the key that was given" in told["message"]
    assert (await ask(make()))["error"] == "unauthorized"
    assert "answers" in await ask(make(api_key="another"))


FAULTS: dict[str, dict[str, Any]] = {
    "401": failing(401, {"detail": f"Incorrect key {KEY}"}),
    "403": failing(403, f"the key {KEY[:12]}*****{KEY[-4:]} may not"),
    "400": failing(400, {"detail": {"error_type": f"bad_{KEY}"}}),
    "422": failing(422, {"detail": [{"msg": f"no {KEY}"}]}),
    "418": failing(418, f"Bearer {KEY}"),
    "429": failing(429, KEY, {"Retry-After": "0"}),
    "500": failing(500, KEY),
    "redirect": redirect(f"http://{KEY}.example/{KEY}"),
    "not json": not_json(KEY),
    "no answers": other_json({"key": KEY}),
    "reset": reset(),
    "cut off": cut_off(),
    "hang": hanging(),
}


@pytest.mark.parametrize("what", list(FAULTS))
@pytest.mark.parametrize("how", ["given", "variable", "address", "header", "query"])
async def test_no_key_in_replies_and_logs(
    what: str, how: str, server: SystemOne, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "httpcore.http11", "httpcore.connection", "asyncio"):
        caplog.set_level(logging.DEBUG, logger=name)
    server.script(faults=[{**FAULTS[what], "times": None}])
    with_key: dict[str, Any] = {
        "given": {"api_key": KEY},
        "variable": {"environment": {"K": KEY}, "api_key_env": "K"},
        "address": {"base_url": server.url.replace("://", f"://me:{KEY}@")},
        "header": {"headers": {"X-Token": f"Token {KEY}"}},
        "query": {"base_url": f"{server.url}?api_key={KEY}"},
    }[how]
    client = make(timeout=0.5 if what == "hang" else 50, **with_key)
    told = await ask(client)
    assert "error" in told
    sent = json.dumps(server.requests())
    assert KEY in sent or "Basic" in sent
    logged = " ".join(str(vars(record)) for record in caplog.records)
    known = json.dumps(told) + caplog.text + logged + client.address + client.identity + repr(client)
    for part in (KEY, KEY[8:20], KEY[-10:]):
        assert part.lower() not in known.lower()


ECHOED: list[Any] = [
    {"P000:riddle": {"noul": 0.9, "seen": f"Bearer {KEY}"}},
    {"P000:riddle": {"noul": 0.9, KEY: [{"x": KEY}]}},
    {"P000:riddle": {"noul": KEY}},
    {KEY: {"noul": 0.9}},
]


@pytest.mark.parametrize("answers", ECHOED)
@pytest.mark.parametrize("how", ["given", "header"])
async def test_no_key_in_answers_which_are_kept(answers: Any, how: str, server: SystemOne, make: Make) -> None:
    server.script(faults=[other_json({"answers": answers, "model": f"jev {KEY}"})])
    told = await ask(make(**({"api_key": KEY} if how == "given" else {"headers": {"X-Token": f"Token {KEY}"}})))
    assert "answers" in told
    for part in (KEY, KEY[8:20], KEY[-10:]):
        assert part not in json.dumps(told)


async def test_names_that_we_sent_stay_though_a_header_holds_them(server: SystemOne, make: Make) -> None:
    server.script(rules=[rule("baseless-claims", kind="choice")])
    request = asked("Tea.")
    [asks] = request["questions"].values()
    request["questions"] = {
        "grounded:baseless-claims": {**asks, "type": "choice", "criteria": {"baseless-claims": "x"}}
    }
    told = await ask(make(headers={"X-Purpose": "baseless-claims"}), request)
    assert told["answers"] == {"grounded:baseless-claims": {"choice": "baseless-claims", "confidence": 0.9}}


@pytest.mark.parametrize("fault_", [hanging(), slow(600), late(600)], ids=["silent", "slow", "late"])
async def test_a_question_that_is_dropped_ends_its_request(
    fault_: dict[str, Any], server: SystemOne, make: Make
) -> None:
    server.script(faults=[fault_])
    client = make()
    asking = asyncio.ensure_future(ask(client))
    assert await happens(server, lambda counts: counts["requests"] == 1)
    asking.cancel()
    async with asyncio.timeout(5):
        with pytest.raises(asyncio.CancelledError):
            await asking
    assert await happens(server, lambda counts: counts["gone"] == 1 and counts["running"] == 0)
    assert server.counts()["requests"] == 1
    assert "answers" in await ask(client)


async def test_a_question_that_waits_for_another_try_can_be_dropped(server: SystemOne, make: Make) -> None:
    server.script(faults=[rate_limited(25)])
    asking = asyncio.ensure_future(ask(make(longest_wait=None)))
    assert await happens(server, lambda counts: counts["requests"] == 1 and counts["running"] == 0)
    await asyncio.sleep(0.05)
    asking.cancel()
    async with asyncio.timeout(5):
        with pytest.raises(asyncio.CancelledError):
            await asking


@pytest.mark.parametrize("headers", [{"X-A": "a\r\nX-B: b"}, {"X A": "a"}, {"X-A": "ä"}])
async def test_settings_that_cannot_be_are_said_and_nothing_is_sent(
    headers: dict[str, str], server: SystemOne, make: Make
) -> None:
    told = await ask(make(headers=headers))
    assert told["error"][0] == "setting"
    for address in ("nowhere", "http://127.0.0.256:1", "http://127.0.0.1:9/\x7f", "http://[:::]/"):
        assert (await ask(make(base_url=address)))["error"][0] == "setting", address
    assert (await ask(make(api_key_env="NOT_SET")))["error"] == "unauthorized"
    assert server.counts()["requests"] == 0


@pytest.mark.parametrize(
    ("reason", "nothing"),
    [
        ("unauthorized", True),
        (["setting", "…"], True),
        (["request_error", "econnrefused"], True),
        (["request_error", "nxdomain"], True),
        (["request_error", "unreachable"], True),
        (["request_error", "econnreset"], False),  # what breaks off may have been answered
        (["request_error", "closed"], False),
        ("timeout", False),
        ("server_error", False),
        (["rate_limited", None], False),
        (["malformed_reply", "x"], False),
        ("request_too_large", False),
        (None, False),
    ],
)
def test_what_cost_nothing(reason: object, nothing: bool) -> None:
    assert cost_nothing(reason) is nothing


# --- keys ------------------------------------------------------------------------------------------------------------


async def test_the_providers_own_key_goes_home_only(server: SystemOne, make: Make) -> None:
    environment = {"TYPESAFE_API_KEY": "key-of-typesafe"}

    async def found(address: str) -> str:
        return (await Keys("decision", Address.parse(address), environment=environment).find()).value

    assert await found("https://api.typesafe.ai") == await found("https://API.typesafe.ai:443/") == "key-of-typesafe"
    for elsewhere in ("http://api.typesafe.ai", "https://api.typesafe.ai.evil.example", "http://127.0.0.1:1"):
        assert await found(elsewhere) == ""
    with pytest.raises(ClientError, match="TYPESAFE_API_KEY"):
        await Keys("decision", Address.parse("https://api.typesafe.ai"), environment={}).find()
    await ask(make(environment=environment))
    assert "key-of-typesafe" not in json.dumps(server.requests())
    assert (default_base("decision"), key_name("decision")) == ("https://api.typesafe.ai", "api.typesafe.ai")


async def test_a_key_that_is_given_is_the_one_that_is_sent(server: SystemOne, make: Make) -> None:
    secrets = {f"127.0.0.1:{server.port}": "key-of-editor"}
    environment = {"K": "key-of-variable"}
    await ask(make(api_key=" key-that-is-given\n", secrets=secrets))
    await ask(make(secrets=secrets))
    await ask(make(api_key_env="K", environment=environment, secrets=secrets))
    sent = [each["headers"]["authorization"] for each in server.requests()]
    assert sent == ["Bearer key-that-is-given", "Bearer key-of-editor", "Bearer key-of-variable"]


async def test_each_server_is_sent_its_own_key(server: SystemOne, make: Make) -> None:
    with serving() as other:
        await ask(make(api_key="key-of-one"))
        await ask(make(api_key="key-of-other", base_url=other.url))
        assert [each["headers"]["authorization"] for each in server.requests()] == ["Bearer key-of-one"]
        assert [each["headers"]["authorization"] for each in other.requests()] == ["Bearer key-of-other"]


@pytest.mark.parametrize("key", ["two words", "ключ", " "])
async def test_a_key_that_cannot_be_one(key: str, server: SystemOne, make: Make) -> None:
    told = await ask(make(api_key=key, environment={"TYPESAFE_API_KEY": KEY}))
    assert told["error"] == "unauthorized"
    assert key == " " or key not in told["message"]
    assert server.counts()["requests"] == 0


# --- the public function ---------------------------------------------------------------------------------------------


async def test_the_public_function(server: SystemOne) -> None:
    client = cite_lsp.decision_client(base_url=server.url, api_key=KEY, headers={"X-Team": "docs"}, model="jev-2")
    try:
        told = await ask(client)
        assert "answers" in told
        [seen] = server.requests()
        assert (seen["headers"]["authorization"], seen["headers"]["x-team"]) == (f"Bearer {KEY}", "docs")
        assert client.identity == f"systemone jev-2 at {server.url}"
        server.script(faults=[overloaded(times=None)])
        quick = decision_client(base_url=server.url, max_retry_delay=0)
        assert (await ask(quick))["error"] == "server_error"
        await quick.close()
    finally:
        await client.close()


def test_what_cannot_be_is_said_at_once() -> None:
    with pytest.raises(ValueError, match="wire is") as caught:
        decision_client(
            wire="anthropic",  # type: ignore[arg-type]
            base_url=f"http://me:{KEY}@",
            api_key=" ",
            api_key_env="K",
            timeout=0,
            max_retry_delay=-1,
            concurrency=0,
        )
    for each in ("wire", "base_url|address", "api_key is empty", "both", "timeout", "max_retry_delay", "concurrency"):
        assert any(part in str(caught.value) for part in each.split("|")), each
    assert KEY not in str(caught.value)
    assert KEY not in repr(ClientOptions(api_key=KEY))


def test_the_library_is_loaded_for_the_first_question_only() -> None:
    program = """
import sys
from cite_lsp import decision_client
assert decision_client().identity and decision_client(wire="openai").identity
print([name for name in ("httpx", "httpcore", "anyio", "keyring", "pydantic") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"


def test_a_client_in_one_event_loop_after_another(server: SystemOne) -> None:
    client = decision_client(base_url=server.url)

    async def once() -> bool:
        told = await ask(client)
        await client.close()
        return "answers" in told

    assert [asyncio.run(once()), asyncio.run(once())] == [True, True]


@pytest.mark.parametrize(("concurrency", "most"), [(None, 8), (1, 1), (3, 3)])
async def test_how_many_requests_run_at_a_time(
    concurrency: int | None, most: int, server: SystemOne, make: Make
) -> None:
    server.script(faults=[hanging(times=None)])
    client = make(concurrency=concurrency)
    asking = [asyncio.ensure_future(ask(client)) for _ in range(8)]
    assert await happens(server, lambda counts: counts["running"] == most)
    await asyncio.sleep(0.1)
    assert server.counts()["most"] == most
    for each in asking:
        each.cancel()
    await asyncio.gather(*asking, return_exceptions=True)


# --- under the engine ------------------------------------------------------------------------------------------------


async def run(client: DecisionClient, texts: list[str], policy: Policy = RIDDLES, **options: Any) -> Report:
    async with asyncio.timeout(120):
        return await judge(client, source(texts), policy, **options)


async def test_a_policy_is_asked(server: SystemOne, make: Make) -> None:
    server.script(rules=[rule(0.9, text="raven"), rule(2, kind="score"), rule("b", kind="choice")])
    descriptors = [
        Score("severity", "How hard is it?", levels=["easy", "hard", "mad"]),
        Choice("kind", "Which is it?", options={"a": "first", "b": "second"}),
    ]
    policy = Policy(concerns=RIDDLES.concerns, descriptors=descriptors)
    report = await run(make(), ["Why is a raven like a desk?", "Tea."], policy)
    [finding] = report.findings
    assert (finding.verdict, [each.passage.id for each in finding.evidence]) == ("holds", ["P000"])
    assert {name: dict(each) for name, each in finding.descriptors.items()} == {
        "severity": {"score": 2, "confidence": 0.9},
        "kind": {"choice": "b", "confidence": 0.9},
    }
    assert report.models == ("systemone-by-rules",)
    assert report.requests == server.counts()["requests"] == 2
    assert report.usage is not None


async def test_a_window_that_is_too_large_is_halved(server: SystemOne, make: Make) -> None:
    server.script(faults=[too_large(422, holds="bulky", times=None)])
    report = await run(make(), ["a raven", "bulky", "Tea.", "bulky too"], window=4)
    assert [(each.passage_ids, each.reason) for each in report.errors] == [
        (("P001",), "request_too_large"),
        (("P003",), "request_too_large"),
    ]
    assert set(report.screen) == {"P000", "P002"}
    shown = [list(each["body"]["state"]["passages"]) for each in server.requests()]
    assert shown == [
        ["P000", "P001", "P002", "P003"],
        ["P000", "P001"],
        ["P000"],
        ["P001"],
        ["P002", "P003"],
        ["P002"],
        ["P003"],
        ["P000"],
    ]


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        (missing("P001"), ["missing_answers", ["P001:riddle"]]),
        (malformed(), ["malformed_answers", ["P000:riddle", "P001:riddle"]]),
        (malformed("P000", {"noul": True}), ["malformed_answers", ["P000:riddle"]]),
        (not_json("x"), ["malformed_reply", "x"]),
        (failing(401), "unauthorized"),
        (failing(400, {"detail": {"error_type": "odd"}}), ["bad_request", "odd"]),
        (rate_limited(0, times=4), ["rate_limited", 0]),
        (overloaded(times=4), "server_error"),
        (fault("reset", times=4), None),
    ],
)
async def test_a_window_that_fails_is_not_checked(
    what: dict[str, Any], reason: object, server: SystemOne, make: Make
) -> None:
    server.script(faults=[what])
    report = await run(make(), ["a raven", "Tea."])
    [error] = report.errors
    assert (error.concern, error.passage_ids, report.findings, dict(report.screen)) == (None, ("P000", "P001"), (), {})
    if reason is not None:
        assert error.reason == reason
    json.dumps(report.as_data())


async def test_ten_thousand_passages_in_two_hundred_and_fifty_requests(server: SystemOne, make: Make) -> None:
    server.script(delay=0.02)
    texts = [f"Entry {number} is {'a raven' if number % 1000 == 7 else 'plain'}." for number in range(10_000)]
    report = await run(make(), texts, window=40, concurrency=8)
    assert len(report.screen) == 10_000
    assert [each.passage.id for each in report.findings[0].evidence] == [f"P{n:03d}" for n in range(7, 10_000, 1000)]
    counts = server.counts()
    assert counts["requests"] == 251
    assert 1 < counts["most"] <= 8


# --- the server of these tests ---------------------------------------------------------------------------------------


def test_the_server_is_a_process_that_ends() -> None:
    with serving(rule("drawn")) as server:
        assert server.process.poll() is None
        assert server.counts()["requests"] == 0
    assert server.process.returncode == 0
    with pytest.raises(OSError, match="refused"):
        server.counts()


def test_the_server_serves_by_a_script_of_a_file(tmp_path: Any) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"rules": [rule(0.7, key="riddle")], "faults": [failing(503)]}), encoding="utf-8")
    path = sys.modules[serving.__module__].__file__
    command = [sys.executable, str(path), "--script", str(script)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        port = int(process.stdout.readline().decode().strip().rpartition(":")[2])
        said = [_posted(port, asked("x")) for _ in range(2)]
        process.stdin.close()
        assert process.wait(20) == 0
    assert said[0][0] == 503
    assert said[1] == (200, {"P000:riddle": {"noul": 0.7}})


def _posted(port: int, request: dict[str, Any]) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", PATH, json.dumps({"model": "m", **request}))
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content)["answers"] if answer.status == 200 else content
    finally:
        connection.close()


async def test_what_is_drawn_hangs_on_the_texts_only(server: SystemOne, make: Make) -> None:
    server.script(rules=[rule("drawn")])
    client = make()
    first = (await ask(client, asked("a", "b", "c")))["answers"]
    assert len({each["noul"] for each in first.values()}) == 3
    assert (await ask(client, asked("a", "b", "c")))["answers"] == first


async def test_hanging_up_on_a_server_that_hangs(make: Make) -> None:
    with ScriptedServer(hang(after_head=True)) as scripted:
        assert (await ask(make(base_url=scripted.url, timeout=0.3)))["error"] == "timeout"
