"""Each wire against each thing a server may do wrong."""

import asyncio
import gzip
import logging
import threading
import time
import traceback
from collections.abc import Callable
from email.utils import formatdate

import pytest

from cite_lsp.clients.address import Address
from cite_lsp.clients.client import ChatClient, ClientError
from cite_lsp.clients.reply import Reply, asked_wait, unpacker
from tests.clients.conftest import GOOD, ask, happens
from tests.clients.scripted import (
    WIRES,
    ScriptedServer,
    Step,
    Wire,
    cut_off,
    drip,
    error_for,
    flood,
    hang,
    hang_up,
    redirect,
    reply,
    reply_for,
    reset,
    until,
)

Make = Callable[..., ChatClient]
KEY = "sk-proj-q8Zt3Lw0Vx5Nb7Rk2Yd9Pc4Hj6"

every_wire = pytest.mark.parametrize("wire", WIRES)
pytestmark = pytest.mark.usefixtures("quick")


async def failing(client: ChatClient) -> ClientError:
    with pytest.raises(ClientError) as caught:
        await ask(client)
    return caught.value


@every_wire
async def test_a_good_reply(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply_for(wire, GOOD, (120, 8))) as server:
        client = make(wire, server)
        completion = await ask(client)
        assert (completion.text.replace(" ", ""), completion.tokens_in, completion.tokens_out) == ('{"a":1}', 120, 8)
        assert (completion.cut_off, completion.requests) == (False, 1)
        assert (server.requests[0].method, server.requests[0].path) == ("POST", server.path(wire))
        assert client.address == server.base(wire)
        assert client.model == "m"


@every_wire
async def test_connections_are_kept_and_opened_again_after_closing(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply_for(wire, GOOD)) as server:
        client = make(wire, server)
        for _ in range(3):
            await ask(client)
        assert server.connections == 1
        await client.close()
        await ask(client)
        assert server.connections == 2


@every_wire
@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (b"{", "not-json"),
        (b"", "not-json"),
        (b"<html>Welcome</html>", "not-json"),
        (b'{"text": "\xff\xfe"}', "not-json"),
        (b"[" * 100_000, "not-json"),
        (b"[]", "not-json"),
        (b"null", "not-json"),
        (b'{"choices": [], "message": 3, "content": {}}', "not-json"),
        (b'{"choices": [{"message": null}], "message": {"content": null}, "content": null}', "not-json"),
    ],
)
async def test_a_reply_that_is_none(wire: Wire, body: bytes, cause: str, make: Make) -> None:
    with ScriptedServer(reply(200, body)) as server:
        error = await failing(make(wire, server))
        assert (error.cause, error.requests, len(server.requests)) == (cause, 1, 1)
        assert server.base(wire) in error.message


@every_wire
@pytest.mark.parametrize("text", ['{"a": 1', "I cannot say.", '{"b": 2}', ""])
async def test_a_text_that_is_no_answer_is_handed_on_as_it_is(wire: Wire, text: str, make: Make) -> None:
    with ScriptedServer(reply_for(wire, text)) as server:
        completion = await ask(make(wire, server))
        assert completion.text.replace(" ", "") == text.replace(" ", "")
        assert completion.requests == 1


@every_wire
async def test_an_answer_that_breaks_off_is_left_to_who_books_the_next_one(wire: Wire, make: Make) -> None:
    with ScriptedServer(cut_off({"choices": []}), reply_for(wire, GOOD)) as server:
        client = make(wire, server)
        error = await failing(client)
        assert (error.cause, error.requests, len(server.requests)) == ("cut-off", 1, 1)
        assert (await ask(client)).requests == 1


@every_wire
@pytest.mark.parametrize(
    ("status", "cause"),
    [(401, "unauthorised"), (403, "unauthorised"), (404, "not-found"), (402, "refused"), (413, "refused")],
)
async def test_a_refusal_is_said_once_with_the_servers_words(wire: Wire, status: int, cause: str, make: Make) -> None:
    with ScriptedServer(error_for(wire, status, "No \x1b[31msuch\x00\u202e thing.\n" + "x " * 300)) as server:
        error = await failing(make(wire, server))
        assert (error.cause, error.requests, len(server.requests)) == (cause, 1, 1)
        assert f"({status}): No [31msuch thing. x x" in error.message
        assert error.message.isprintable()
        assert len(error.message) < 500
        assert not error.message.endswith(".")


@every_wire
async def test_a_key_that_is_refused_is_looked_for_again(wire: Wire, make: Make) -> None:
    environment = {"MY_KEY": "first-key-of-them-all"}
    with ScriptedServer(reply(401), reply_for(wire, GOOD)) as server:
        client = make(wire, server, environment=environment, api_key_env="MY_KEY")
        assert "refused the key (401); check the environment variable MY_KEY" in (await failing(client)).message
        environment["MY_KEY"] = "second-key-of-them-all"
        await ask(client)
        assert "second-key-of-them-all" in str(server.requests[1].headers)


@every_wire
@pytest.mark.parametrize("status", [500, 502, 503, 529])
async def test_a_server_that_fails_is_asked_again(wire: Wire, status: int, make: Make) -> None:
    with ScriptedServer(reply(status), reply(status), reply_for(wire, GOOD)) as server:
        assert (await ask(make(wire, server))).requests == 3
    with ScriptedServer(reply(status)) as server:
        error = await failing(make(wire, server))
        assert (error.cause, error.requests, len(server.requests)) == ("server-error", 3, 3)


@every_wire
async def test_a_server_that_takes_no_more_is_given_the_time_it_asks_for(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply(429, "", {"Retry-After": "1"}), reply_for(wire, GOOD)) as server:
        client = make(wire, server)
        paused: list[float] = []

        async def pause(seconds: float) -> None:
            paused.append(seconds)
            await asyncio.sleep(seconds)

        client._wire._pause = pause  # type: ignore[attr-defined]
        assert (await ask(client)).requests == 2
        assert len(server.requests) == 2
        assert len(paused) == 1
        assert 0.5 < paused[0] <= 1.0


@every_wire
async def test_all_requests_wait_together(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply(429, "", {"Retry-After": "1"}), reply_for(wire, GOOD)) as server:
        client = make(wire, server, concurrency=4)
        first = asyncio.ensure_future(ask(client))
        assert await happens(server, lambda s: len(s.requests) == 1 and s.running == 0)
        await asyncio.sleep(0.1)
        others = [asyncio.ensure_future(ask(client)) for _ in range(3)]
        await asyncio.sleep(0.1)
        assert len(server.requests) == 1
        assert [each.requests for each in await asyncio.gather(first, *others)] == [2, 1, 1, 1]


@every_wire
@pytest.mark.parametrize("when", ["61", "86400", "date"])
async def test_a_server_that_asks_for_too_long_is_left_alone(wire: Wire, when: str, make: Make) -> None:
    text = formatdate(time.time() + 3_700, usegmt=True) if when == "date" else when
    with ScriptedServer(reply(429, "", {"Retry-After": text})) as server:
        error = await failing(make(wire, server))
        assert (error.cause, error.requests, len(server.requests)) == ("rate-limited", 1, 1)
        assert "asks to wait" in error.message


@every_wire
async def test_a_server_that_never_takes_more(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply(429, "", {"Retry-After": "0"})) as server:
        error = await failing(make(wire, server))
        assert (error.cause, error.requests, len(server.requests)) == ("rate-limited", 3, 3)


async def test_an_empty_account_is_not_asked_again(make: Make) -> None:
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    with ScriptedServer(reply(429, body)) as server:
        error = await failing(make("openai", server))
        assert (error.cause, len(server.requests)) == ("rate-limited", 1)
        assert "You exceeded your quota" in error.message


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("7", 7, 7),
        ("0.5", 0.5, 0.5),
        (" 3 ", 3, 3),
        pytest.param(formatdate(time.time() - 1_000, usegmt=True), 0, 0, id="a date just past"),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
    ],
)
def test_what_retry_after_says(text: str, least: float, most: float) -> None:
    wait = asked_wait(Reply(429, {"retry-after": text}, b""))
    assert wait is not None
    assert least <= wait <= most


def test_a_date_to_come_that_retry_after_says() -> None:
    wait = asked_wait(Reply(429, {"retry-after": formatdate(time.time() + 1_000, usegmt=True)}, b""))
    assert wait is not None
    assert 900 <= wait <= 1_000


@pytest.mark.parametrize("text", ["", "soon", "-5", "1e9", "nan", "inf", "9" * 40, "Wed, 99 Oct 2015", "١"])
def test_what_retry_after_does_not_say(text: str) -> None:
    assert asked_wait(Reply(429, {"retry-after": text}, b"")) is None


@every_wire
@pytest.mark.parametrize("fault", [reset(), hang_up()], ids=["reset", "hang-up"])
async def test_a_connection_that_fails_is_tried_again(wire: Wire, fault: Step, make: Make) -> None:
    with ScriptedServer(fault, reply_for(wire, GOOD)) as server:
        assert (await ask(make(wire, server))).requests == 2
    with ScriptedServer(fault) as server:
        error = await failing(make(wire, server))
        assert (error.cause, error.requests, len(server.requests)) == ("unreachable", 3, 3)


@every_wire
async def test_nobody_there(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply()) as server:
        client = make(wire, server)
    error = await failing(client)
    assert (error.cause, error.requests) == ("unreachable", 3)
    assert "Connection refused" in error.message
    assert server.base(wire) in error.message


@every_wire
@pytest.mark.parametrize(
    "fault",
    [hang(), hang(after_head=True), drip({"choices": []}, 0.05), drip(b" " * 10_000, 0.001)],
    ids=["silent", "no body", "drips", "drips faster"],
)
async def test_a_server_that_hangs_is_left_after_the_time_and_not_asked_again(
    wire: Wire, fault: Step, make: Make
) -> None:
    with ScriptedServer(fault) as server:
        error = await failing(make(wire, server, timeout=0.4))
        assert (error.cause, error.requests, len(server.requests)) == ("timeout", 1, 1)
        assert "within 0.4 seconds" in error.message
        assert await happens(server, lambda s: s.gone == 1)


@every_wire
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(wire: Wire, status: int, make: Make) -> None:
    with (
        ScriptedServer(reply_for(wire, GOOD)) as other,
        ScriptedServer(redirect(other.url + "/x?key=1", status)) as server,
    ):
        error = await failing(make(wire, server, environment={"K": KEY}, api_key_env="K"))
        assert (error.cause, error.requests, len(server.requests)) == ("redirect", 1, 1)
        assert f"127.0.0.1:{other.port};" in error.message
        assert "key=1" not in error.message
        assert other.connections == 0


@pytest.mark.parametrize(
    "to", ["", "//[bad", "http://a:99999999/", "/elsewhere", "http://\x1b[31m\x07evil/", "x" * 5_000]
)
async def test_a_redirect_to_nowhere(to: str, make: Make) -> None:
    with ScriptedServer(redirect(to)) as server:
        error = await failing(make("openai", server))
        assert error.cause == "redirect" or (error.cause == "unreachable" and "\x1b" in to)
        assert error.message.isprintable()
        assert len(error.message) < 600


@every_wire
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunked"])
async def test_a_reply_without_end_is_left(wire: Wire, declared: bool, make: Make) -> None:
    with ScriptedServer(flood(200_000_000, declared=declared)) as server:
        error = await failing(make(wire, server))
        assert (error.cause, error.requests, len(server.requests)) == ("reply-too-large", 1, 1)
        assert await happens(server, lambda s: s.gone == 1)
        assert server.sent < 40_000_000  # what the system holds between the two comes on top of our 8 MB


@every_wire
async def test_an_error_without_end_is_read_at_its_beginning(wire: Wire, make: Make) -> None:
    with ScriptedServer(flood(200_000_000, status=400)) as server:
        error = await failing(make(wire, server))
        assert error.cause == "refused"
        assert server.sent < 200_000_000


@every_wire
async def test_a_reply_that_is_packed_small_and_is_large(wire: Wire, make: Make) -> None:
    packed = gzip.compress(b" " * 200_000_000, 9)
    with ScriptedServer(reply(200, packed, {"Content-Encoding": "gzip"})) as server:
        assert (await failing(make(wire, server))).cause == "reply-too-large"
        server.script(reply(200, b"no gzip", {"Content-Encoding": "gzip"}))
        assert (await failing(make(wire, server))).cause == "not-json"
        server.script(reply(200, b"x", {"Content-Encoding": "br"}))
        assert "packed" in (await failing(make(wire, server))).message


def test_no_more_is_unpacked_than_is_wanted() -> None:
    packed = gzip.compress(b" " * 50_000_000, 9)
    unpack = unpacker("gzip", Address.parse("http://127.0.0.1"))
    assert len(unpack(packed, 1_000)) == 1_000


@every_wire
async def test_a_reply_that_is_packed_though_nobody_asked(wire: Wire, make: Make) -> None:
    body = gzip.compress(b'{"choices": [{"message": {"content": "{}"}}], "message": {"content": "{}"}, "content": []}')
    with ScriptedServer(reply(200, body, {"Content-Encoding": "gzip"})) as server:
        await ask(make(wire, server))
        assert server.requests[0].headers["accept-encoding"] == "identity"


@every_wire
@pytest.mark.parametrize(
    "fault", [hang(), hang(after_head=True), drip(b" " * 10_000, 0.05)], ids=["silent", "no body", "drips"]
)
async def test_a_question_that_is_dropped_ends_its_request(wire: Wire, fault: Step, make: Make) -> None:
    with ScriptedServer(fault) as server:
        asking = asyncio.ensure_future(ask(make(wire, server)))
        assert await happens(server, lambda s: len(s.requests) == 1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await happens(server, lambda s: s.gone == 1)
        assert len(server.requests) == 1


@every_wire
async def test_a_question_that_waits_for_another_try_can_be_dropped(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply(429, "", {"Retry-After": "50"})) as server:
        asking = asyncio.ensure_future(ask(make(wire, server)))
        assert await happens(server, lambda s: len(s.requests) == 1 and s.running == 0)
        await asyncio.sleep(0.05)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


@every_wire
async def test_closing_leaves_what_is_under_way_and_paid_for(wire: Wire, make: Make) -> None:
    go = threading.Event()
    with ScriptedServer(until(go, reply_for(wire, GOOD))) as server:
        client = make(wire, server, concurrency=2)
        asked = [asyncio.create_task(ask(client)) for _ in range(4)]
        assert await happens(server, lambda server: server.running == 2)
        await client.close()
        await client.close()
        go.set()
        assert [each.requests for each in await asyncio.gather(*asked)] == [1] * 4
        assert (len(server.requests), server.gone) == (4, 0)
        assert (await ask(client)).requests == 1


@every_wire
async def test_closing_between_two_tries(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply(500), reply_for(wire, GOOD)) as server:
        client = make(wire, server)
        asked = asyncio.create_task(ask(client))
        assert await happens(server, lambda server: len(server.requests) == 1 and not server.running)
        await client.close()
        assert (await asked).requests == 2


@every_wire
async def test_a_client_goes_on_after_a_question_was_dropped(wire: Wire, make: Make) -> None:
    with ScriptedServer(hang(), reply_for(wire, GOOD)) as server:
        client = make(wire, server, concurrency=1)
        asking = asyncio.ensure_future(ask(client))
        assert await happens(server, lambda s: len(s.requests) == 1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (await ask(client)).requests == 1


@every_wire
@pytest.mark.parametrize(("concurrency", "most"), [(None, 1), (1, 1), (3, 3)])
async def test_no_more_requests_at_a_time_than_are_allowed(
    wire: Wire, concurrency: int | None, most: int, make: Make
) -> None:
    with ScriptedServer(hang()) as server:
        client = make(wire, server, concurrency=concurrency)
        asking = [asyncio.ensure_future(ask(client)) for _ in range(6)]
        assert await happens(server, lambda s: s.running == most)
        await asyncio.sleep(0.1)
        assert server.most == most
        for each in asking:
            each.cancel()
        await asyncio.gather(*asking, return_exceptions=True)


FAULTS: dict[str, Step] = {
    "401": reply(401, {"error": {"message": f"Incorrect API key provided: {KEY}", "type": "x"}}),
    "403": reply(403, f"the key {KEY[:12]}*****{KEY[-4:]} may not"),
    "part": reply(401, {"error": {"message": f"Your key begins with {KEY[:14]} and ends with {KEY[-10:]}"}}),
    "404": reply(404, {"detail": [{"msg": f"no {KEY}"}]}),
    "429": reply(429, {"message": KEY}, {"Retry-After": "999"}),
    "500": reply(500, KEY),
    "redirect": redirect(f"http://{KEY}.example/{KEY}"),
    "redirect user": redirect(f"http://{KEY}@127.0.0.1:1/"),
    "header": reply(400, KEY, {"X-Echo": f"Bearer {KEY}"}),
    "not json": reply(200, KEY),
    "refusal": reply(
        200,
        {
            "choices": [{"message": {"refusal": KEY}}],
            "content": [{"type": "text", "text": KEY}],
            "stop_reason": "refusal",
        },
    ),
    "error in 200": reply(200, {"error": {"message": KEY}}),
    "reset": reset(),
    "cut off": cut_off({"a": KEY}),
    "hang": hang(),
}


@every_wire
@pytest.mark.parametrize("fault", list(FAULTS))
@pytest.mark.parametrize("how", ["variable", "address", "header", "query"])
async def test_no_key_in_messages_and_logs(
    wire: Wire, fault: str, how: str, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "httpcore.http11", "httpcore.connection", "asyncio"):
        caplog.set_level(logging.DEBUG, logger=name)
    with ScriptedServer(FAULTS[fault]) as server:
        base = server.base(wire)
        with_key = {
            "variable": {"environment": {"K": KEY}, "api_key_env": "K"},
            "address": {"base_url": base.replace("://", f"://me:{KEY}@")},
            "header": {"headers": {"X-Token": f"Token {KEY}"}},
            "query": {"base_url": f"{base}?api_key={KEY}"},
        }[how]
        client = make(wire, server, timeout=0.5, **with_key)
        error = await failing(client)
        assert any(KEY in str(each.headers) + each.path or "Basic" in str(each.headers) for each in server.requests)
        told = "".join(traceback.format_exception(error)) + repr(error) + error.message + client.address + caplog.text
        logged = " ".join(str(vars(record)) for record in caplog.records)
        for part in (KEY, KEY[8:20], KEY[-10:]):
            assert part not in told
            assert part.lower() not in told.lower()
            assert part not in logged
