"""The whole way to a real llama.cpp and back. Its model has random weights: what is tested is the wire, and that
nothing such a model says is believed."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cite_lsp.audit.verdicts import Row
from cite_lsp.clients.client import ChatClient, Completion
from cite_lsp.clients.making import ClientOptions, make_client
from cite_lsp.judges.model import ModelJudge, ModelOptions
from cite_lsp.judges.prompt import REPLY_NAME, SCHEMA, SYSTEM, Question, user_text
from tests.judges.asked_model import row
from tests.judges.llama_server import NOT_RUN

MOST_TOKENS = 8000


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("llama")
    script = Path(__file__).with_name("llama_server.py")
    with (folder / "log").open("w+b") as log:
        process = subprocess.Popen(
            [sys.executable, str(script), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            said = process.stdout.readline().decode().strip()
            if not said:
                status = process.wait(60)
                log.seek(0)
                complaint = log.read().decode(errors="replace").strip().splitlines()[-1:]
                if status == NOT_RUN:
                    pytest.skip(f"not run: llama.cpp cannot be loaded here: {''.join(complaint)}")
                pytest.fail(f"the server ended with status {status}: {complaint}")
            yield f"{said}/v1"
        finally:
            process.stdin.close()
            process.stdout.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def client_at(address: str) -> ChatClient:
    # with an effort no temperature is sent, so that the model does draw its words
    return make_client("openai", ClientOptions(base_url=address, effort="low", timeout=50), environment={})


class Listening:
    """A client, and what was said through it."""

    def __init__(self, client: ChatClient) -> None:
        self._client = client
        self.address, self.model = client.address, client.model
        self.completions: list[Completion] = []

    async def complete(
        self, system: str, user: str, schema: Mapping[str, Any], *, name: str, max_tokens: int | None = None
    ) -> Completion:
        completion = await self._client.complete(system, user, schema, name=name, max_tokens=max_tokens)
        self.completions.append(completion)
        return completion

    async def close(self) -> None:
        await self._client.close()


async def test_every_reply_keeps_to_the_schema(address: str) -> None:
    client = client_at(address)
    try:
        for number in range(5):
            questions = [Question.of(1, row(number)), Question.of(2, row(number + 1))]
            completion = await client.complete(
                SYSTEM, user_text(questions), SCHEMA, name=REPLY_NAME, max_tokens=MOST_TOKENS
            )
            assert completion.requests == 1
            assert completion.tokens_in > len(SYSTEM) / 4
            assert completion.tokens_out > 0
            if not completion.cut_off:
                jsonschema.validate(json.loads(completion.text), SCHEMA)
    finally:
        await client.close()


async def test_whatever_it_says_nothing_is_believed_without_a_true_quote(address: str) -> None:
    rows = [*(row(number) for number in range(5)), Row.of(claim="`CAP` is five.", lines=[(3, "CAP = 3")], path="a.py")]
    client = Listening(client_at(address))
    judge = ModelJudge(client, ModelOptions("openai", max_rows_per_request=2, max_output_tokens_per_turn=MOST_TOKENS))
    heard: dict[int, Any] = {}
    try:
        judgement = await asyncio.wait_for(judge.ask(rows, heard.__setitem__), 55)
    finally:
        await judge.close()
    assert judgement.usage.requests == len(client.completions) > 0
    assert judgement.usage.tokens_out == sum(each.tokens_out for each in client.completions)
    for completion in client.completions:
        if not completion.cut_off:
            jsonschema.validate(json.loads(completion.text), SCHEMA)
    assert {trouble.cause for trouble in judgement.troubles} <= {"missing-rows", "canary", "cut-off"}
    assert heard == {index: each for index, each in enumerate(judgement.answers) if each is not None}
    for each, verdict in zip(rows, judgement.verdicts, strict=True):
        assert verdict.label in ("unchecked", "unsupported", "partial", "review")
        assert verdict.reason
        lines = [text for _, text in each.excerpts[0].lines]
        assert all(lines[evidence.offset] == evidence.text for evidence in verdict.evidence)
