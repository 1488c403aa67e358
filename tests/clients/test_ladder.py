"""What is asked for, and what is left out once a server has turned it down."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from cite_lsp.clients.client import ChatClient, ClientError
from tests.clients.conftest import GOOD, SCHEMA, ask
from tests.clients.scripted import (
    WIRES,
    Request,
    ScriptedServer,
    Step,
    Wire,
    asked,
    by_request,
    error_for,
    reply,
    reply_for,
)

Make = Callable[..., ChatClient]
every_wire = pytest.mark.parametrize("wire", WIRES)
pytestmark = pytest.mark.usefixtures("quick")


def means(wire: Wire, server: ScriptedServer) -> list[str]:
    return [asked(wire, request).means for request in server.requests]


def refusing(wire: Wire, faults: Callable[[Request], str | None], status: int = 400) -> Step:
    """A server that complains of what it does not know, and answers the rest."""

    def choose(request: Request) -> Step:
        fault = faults(request)
        return reply_for(wire, GOOD) if fault is None else error_for(wire, status, fault)

    return by_request(choose)


@every_wire
async def test_what_is_asked(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply_for(wire, GOOD)) as server:
        await ask(make(wire, server), max_tokens=77)
        request = asked(wire, server.requests[0])
        assert (request.system, request.user, request.schema) == ("Be a judge.", "Is it so?", SCHEMA)
        assert request.max_tokens == 77
        assert server.requests[0].body["model"] == "m"


async def test_the_nested_form_of_the_schema(make: Make) -> None:
    with ScriptedServer(reply_for("openai", GOOD)) as server:
        await ask(make("openai", server))
        assert server.requests[0].body["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        }


async def test_the_fixed_part_is_marked_and_the_tool_is_forced(make: Make) -> None:
    with ScriptedServer(reply_for("anthropic", GOOD)) as server:
        await ask(make("anthropic", server), max_tokens=None)
        body = server.requests[0].body
        assert body["system"][-1]["cache_control"] == {"type": "ephemeral"}
        assert body["tools"][0]["strict"] is True
        assert body["tool_choice"]["name"] == body["tools"][0]["name"] == "answer"
        assert body["max_tokens"] > 0
        assert server.requests[0].headers["anthropic-version"] == "2023-06-01"


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
async def test_an_anthropic_address_is_written_either_way(suffix: str, make: Make) -> None:
    with ScriptedServer(reply_for("anthropic", GOOD)) as server:
        await ask(make("anthropic", server, base_url=server.url + suffix))
        assert server.requests[0].path == "/v1/messages"


@every_wire
async def test_a_server_with_one_model_is_asked_without_a_name(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply_for(wire, GOOD)) as server:
        client = make(wire, server, model=None)
        assert client.model == ""
        await ask(client)
        assert server.requests[0].body.get("model", "") == ""


@every_wire
async def test_headers_of_the_user_win(wire: Wire, make: Make) -> None:
    headers = {"AUTHORIZATION": "Bearer mine-and-no-other", "X-Team": "docs"}
    with ScriptedServer(reply_for(wire, GOOD)) as server:
        await ask(make(wire, server, headers=headers, environment={"K": "k-from-env"}, api_key_env="K"))
        sent = server.requests[0].headers
        assert (sent["authorization"], sent["x-team"]) == ("Bearer mine-and-no-other", "docs")


@every_wire
@pytest.mark.parametrize("headers", [{"X-A": "a\r\nX-B: b"}, {"X A": "a"}, {"": "a"}, {"X-A": "ä"}, {"X-A": "a\0"}])
async def test_headers_that_cannot_be_sent(wire: Wire, headers: dict[str, str], make: Make) -> None:
    with ScriptedServer(reply_for(wire, GOOD)) as server:
        with pytest.raises(ClientError) as caught:
            await ask(make(wire, server, headers=headers))
        assert (caught.value.cause, len(server.requests)) == ("setting", 0)


COMPLAINTS = {
    "openai": {
        "json_schema": "'response_format' of type 'json_schema' is not supported with this model",
        "tool": "this model does not support tools",
        "json_object": "'response_format.type' must be 'text'",
    },
    "ollama": {"json_schema": 'invalid format: expected "json"', "json_object": "format is not supported"},
    "anthropic": {
        "tool": "tool_choice forces tool use is not compatible with this model",
        "json_schema": "output_config.format: Extra inputs are not permitted",
    },
}


@every_wire
async def test_down_the_ladder_and_never_up_again(wire: Wire, make: Make) -> None:
    complaints = COMPLAINTS[wire]
    with ScriptedServer(refusing(wire, lambda request: complaints.get(asked(wire, request).means))) as server:
        client = make(wire, server)
        first = await ask(client)
        assert first.text.replace(" ", "") == '{"a":1}'
        assert first.requests == len(complaints) + 1
        assert means(wire, server) == [*complaints, "text"]
        assert "JSON schema" in asked(wire, server.requests[-1]).system
        assert (await ask(client)).requests == 1
        assert means(wire, server)[-1] == "text"


@every_wire
async def test_a_refusal_without_a_word_goes_down_too(wire: Wire, make: Make) -> None:
    def choose(request: Request) -> Step:
        return reply_for(wire, GOOD) if asked(wire, request).means == "text" else reply(400)

    with ScriptedServer(by_request(choose)) as server:
        assert (await ask(make(wire, server))).text.replace(" ", "") == '{"a":1}'


@every_wire
async def test_the_first_complaint_is_told_when_all_are_turned_down(wire: Wire, make: Make) -> None:
    first = next(iter(COMPLAINTS[wire].values()))
    complaints = {**COMPLAINTS[wire], "text": "no way"}
    with ScriptedServer(refusing(wire, lambda request: complaints[asked(wire, request).means])) as server:
        client = make(wire, server)
        with pytest.raises(ClientError) as caught:
            await ask(client)
        assert first[:40] in caught.value.message
        assert caught.value.requests == len(server.requests) == len(complaints)
        with pytest.raises(ClientError):
            await ask(client)
        # nothing was learned of a server that takes nothing
        assert means(wire, server)[len(complaints)] == means(wire, server)[0]


@every_wire
@pytest.mark.parametrize(
    "fault",
    [
        "This model's maximum context length is 8192 tokens, however you requested 9000 tokens (500 in the functions)",
        "max_tokens is too large: 99999",
        "the model `m` does not exist",
        "internal information about the platform",
    ],
)
async def test_complaints_about_something_else_are_told_at_once(wire: Wire, fault: str, make: Make) -> None:
    with ScriptedServer(error_for(wire, 400, fault)) as server:
        with pytest.raises(ClientError, match="refused the request") as caught:
            await ask(make(wire, server))
        assert (caught.value.cause, caught.value.requests, len(server.requests)) == ("refused", 1, 1)


async def test_a_server_that_fails_at_a_grammar(make: Make) -> None:
    def faults(request: Request) -> str | None:
        return "failed to parse grammar" if asked("openai", request).means == "json_schema" else None

    with ScriptedServer(refusing("openai", faults, status=500)) as server:
        client = make("openai", server)
        assert (await ask(client)).requests == 4
        assert (await ask(client)).requests == 1


@pytest.mark.parametrize(("sent", "wanted"), [("max_tokens", "max_completion_tokens")])
async def test_the_name_of_the_cap(sent: str, wanted: str, make: Make) -> None:
    def faults(request: Request) -> str | None:
        told = f"Unsupported parameter: '{sent}' is not supported with this model. Use '{wanted}' instead."
        return told if sent in request.body else None

    with ScriptedServer(refusing("openai", faults)) as server:
        client = make("openai", server)
        assert (await ask(client, 55)).requests == 2
        assert server.requests[1].body[wanted] == 55
        assert sent not in server.requests[1].body
        assert (await ask(client, 55)).requests == 1
        assert means("openai", server) == ["json_schema"] * 3


@every_wire
async def test_a_model_without_temperature(wire: Wire, make: Make) -> None:
    def faults(request: Request) -> str | None:
        return "temperature does not support 0 with this model" if '"temperature"' in request.raw.decode() else None

    with ScriptedServer(refusing(wire, faults)) as server:
        client = make(wire, server)
        assert ((await ask(client)).requests, (await ask(client)).requests) == (2, 1)


EFFORTS: dict[Wire, Callable[[dict[str, Any]], Any]] = {
    "openai": lambda body: body.get("reasoning_effort"),
    "ollama": lambda body: body.get("think"),
    "anthropic": lambda body: body.get("output_config", {}).get("effort"),
}


@every_wire
@pytest.mark.parametrize("effort", [None, "low", "medium", "high", "max"])
async def test_effort(wire: Wire, effort: str | None, make: Make) -> None:
    with ScriptedServer(reply_for(wire, GOOD)) as server:
        await ask(make(wire, server, effort=effort))
        most = {"openai": "xhigh", "ollama": "high", "anthropic": "max"}[wire]
        assert EFFORTS[wire](server.requests[0].body) == (most if effort == "max" else effort)


@every_wire
async def test_a_model_that_does_not_think(wire: Wire, make: Make) -> None:
    words = {
        "openai": "Unrecognized request argument supplied: reasoning_effort",
        "ollama": '"m" does not support thinking',
        "anthropic": "output_config: Extra inputs are not permitted",
    }

    def faults(request: Request) -> str | None:
        return words[wire] if EFFORTS[wire](request.body) is not None else None

    with ScriptedServer(refusing(wire, faults)) as server:
        client = make(wire, server, effort="max")
        await ask(client)
        assert EFFORTS[wire](server.requests[-1].body) is None
        assert len(set(means(wire, server))) == 1
        assert (await ask(client)).requests == 1


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_a_server_that_does_not_know_strict(wire: Wire, make: Make) -> None:
    def faults(request: Request) -> str | None:
        return "tools.0.custom.strict: Extra inputs are not permitted" if '"strict"' in request.raw.decode() else None

    with ScriptedServer(refusing(wire, faults)) as server:
        assert (await ask(make(wire, server))).requests == 2
        assert len(set(means(wire, server))) == 1


@every_wire
@pytest.mark.parametrize("text", ["Sure! The answer is yes.", '{"a": "one"}', '{"a": 1, "b": 2}', "{}"])
async def test_a_server_that_accepts_and_does_not_keep_to_it_is_found_out(wire: Wire, text: str, make: Make) -> None:
    with ScriptedServer(reply_for(wire, text)) as server:
        client = make(wire, server)
        for _ in range(6):
            assert (await ask(client)).requests == 1
        seen = means(wire, server)
        assert len(set(seen)) > 2
        assert seen[-1] == "text"


@every_wire
async def test_a_reply_that_was_cut_off_says_nothing_of_the_server(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply_for(wire, '{"a', cut_off=True)) as server:
        client = make(wire, server)
        for _ in range(2):
            completion = await ask(client)
            assert (completion.cut_off, completion.text) == (True, '{"a')
        assert len(set(means(wire, server))) == 1


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_a_model_that_refuses(wire: Wire, make: Make) -> None:
    with ScriptedServer(reply_for(wire, "", refusal="I will not\x07 do that.")) as server:
        with pytest.raises(ClientError) as caught:
            await ask(make(wire, server))
        assert (caught.value.cause, caught.value.requests) == ("refused", 1)
        assert "I will not do that" in caught.value.message
        assert server.base(wire) in caught.value.message


async def test_a_filter_that_refuses(make: Make) -> None:
    body = {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}
    with ScriptedServer(reply(200, body)) as server:
        with pytest.raises(ClientError) as caught:
            await ask(make("openai", server))
        assert caught.value.cause == "refused"


async def test_a_failure_with_the_status_of_a_success(make: Make) -> None:
    with ScriptedServer(reply(200, {"error": {"message": "upstream is\ngone", "code": 502}})) as server:
        with pytest.raises(ClientError) as caught:
            await ask(make("openai", server))
        assert (caught.value.cause, "upstream is gone" in caught.value.message) == ("server-error", True)


@pytest.mark.parametrize(
    "message",
    [
        {"content": [{"type": "text", "text": '{"a":'}, {"type": "text", "text": " 1}"}]},
        {"content": '<think>{"a": 7} perhaps</think>\n```json\n{"a": 1}\n```'},
        {"content": None, "tool_calls": [{"function": {"name": "answer", "arguments": {"a": 1}}}]},
        {"content": "Calling.", "tool_calls": [{"function": {"name": "answer", "arguments": '{"a": 1}'}}]},
    ],
)
async def test_the_ways_in_which_servers_write_a_reply(message: dict[str, Any], make: Make) -> None:
    with ScriptedServer(reply(200, {"choices": [{"message": message, "finish_reason": "stop"}]})) as server:
        completion = await ask(make("openai", server))
        assert json.loads(completion.text) == {"a": 1}
        assert (completion.tokens_in, completion.tokens_out) == (0, 0)


@every_wire
@pytest.mark.parametrize(
    "usage", [None, 3.5, [], {"prompt_tokens": "many", "input_tokens": None}, {"prompt_tokens": -4}]
)
async def test_counts_that_are_none(wire: Wire, usage: object, make: Make) -> None:
    body = {
        "choices": [{"message": {"content": GOOD}}],
        "message": {"content": GOOD},
        "content": [{"type": "text", "text": GOOD}, 3, {"type": "text"}],
        "usage": usage,
        "prompt_eval_count": usage,
    }
    with ScriptedServer(reply(200, body)) as server:
        assert (await ask(make(wire, server))).tokens_in == 0


async def test_tokens_that_the_server_kept_are_counted(make: Make) -> None:
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300, "output_tokens": 2}
    body = {"content": [{"type": "tool_use", "name": "answer", "input": {"a": 1}}], "usage": usage}
    with ScriptedServer(reply(200, body)) as server:
        completion = await ask(make("anthropic", server))
        assert (completion.tokens_in, completion.tokens_out) == (325, 2)


@every_wire
async def test_texts_of_any_kind_arrive(wire: Wire, make: Make) -> None:
    system, user = "Say \u201cso\u201d \U0001f600\u2028", 'L1| "\\u0000" \x00\x1b \ud83d and \ude00, then \ud83d\ude00'
    with ScriptedServer(reply_for(wire, GOOD)) as server:
        client = make(wire, server)
        await client.complete(system, user, SCHEMA, name="answer")
        sent = asked(wire, server.requests[0])
        assert sent.system == system
        assert sent.user == 'L1| "\\u0000" \x00\x1b \ufffd and \ufffd, then \U0001f600'


async def test_room_for_what_is_asked(make: Make) -> None:
    with ScriptedServer(reply_for("ollama", GOOD)) as server:
        client = make("ollama", server)
        for user in ("short", "word " * 8_000, "short"):
            await client.complete("Be a judge.", user, SCHEMA, name="answer", max_tokens=500)
        rooms = [request.body["options"]["num_ctx"] for request in server.requests]
        assert rooms[0] == 4096
        assert rooms[1] == rooms[2] >= 16_000


@every_wire
async def test_what_one_question_learned_is_not_forgotten_by_an_older_one(wire: Wire, make: Make) -> None:
    def faults(request: Request) -> str | None:
        return "temperature is not supported" if '"temperature"' in request.raw.decode() else None

    with ScriptedServer(refusing(wire, faults)) as server:
        client = make(wire, server, concurrency=8)
        done = await asyncio.gather(*(ask(client) for _ in range(8)))
        assert all(each.requests <= 2 for each in done)
        assert (await ask(client)).requests == 1


@pytest.mark.parametrize("depth", [200, 300, 900])
async def test_an_answer_that_is_nested_without_end_raises_nothing_else(depth: int, make: Make) -> None:
    deep: dict[str, Any] = {}
    for _ in range(depth):
        deep = {"a": deep}
    called = {"tool_calls": [{"function": {"arguments": deep}}]}
    bodies: dict[Wire, Any] = {
        "openai": {"choices": [{"message": called}]},
        "anthropic": {"content": [{"type": "tool_use", "input": deep}]},
    }
    for wire, body in bodies.items():
        with ScriptedServer(reply(200, body)) as server:
            assert "1" not in (await ask(make(wire, server))).text
