"""A model judge over a scripted server, for tests."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from cite_lsp.audit.judgement import Judged, Judgement
from cite_lsp.audit.verdicts import Row
from cite_lsp.clients.making import ClientOptions, make_client
from cite_lsp.judges.model import Ledger, ModelJudge, ModelOptions
from tests.clients.scripted import Request, ScriptedServer, Step, asked, by_request, reply_for
from tests.judges.put_rows import Answer, PutRow, answer_rows, put_rows


@asynccontextmanager
async def judge_over(server: ScriptedServer, ledger: Ledger | None = None, **options: Any) -> AsyncIterator[ModelJudge]:
    """A judge that asks the server; one request at a time unless told otherwise."""
    concurrency, timeout = options.pop("concurrency", 1), options.pop("timeout", None)
    told = ClientOptions(model="some-70b", base_url=server.base("openai"), concurrency=concurrency, timeout=timeout)
    client = make_client("openai", told, environment={})
    chosen = ModelOptions("openai", "some-70b", concurrency=concurrency, **options)
    judge = ModelJudge(client, chosen, ledger)
    try:
        yield judge
    finally:
        await judge.close()


async def ask(
    server: ScriptedServer, rows: list[Row], ledger: Ledger | None = None, **options: Any
) -> tuple[Judgement, list[tuple[int, Judged]]]:
    """What a run came to, and what was heard on the way."""
    heard: list[tuple[int, Judged]] = []
    async with judge_over(server, ledger, **options) as judge:
        judgement = await judge.ask(rows, lambda index, judged: heard.append((index, judged)))
    return judgement, heard


def model(answers: Mapping[str, Answer] | Callable[[PutRow], Answer]) -> Step:
    """A model that answers by claim, or by row."""
    return speaking(lambda request: answer_rows(user_of(request), answers))


def speaking(text: Callable[[Request], str], **how: Any) -> Step:
    """A model that says what a function makes of the request."""
    return by_request(lambda request: reply_for("openai", text(request), **how))


def user_of(request: Request) -> str:
    """The user part of a request."""
    return asked("openai", request).user


def rows_of(request: Request) -> list[PutRow]:
    """The rows of a request but the canary."""
    return [row for row in put_rows(user_of(request)) if not row.canary]


def labels(judgement: Judgement) -> list[str]:
    """The label of each row; "-" where nobody answered."""
    return ["-" if each is None else each.verdict.label for each in judgement.answers]


def row(number: int, claim: str = "", path: str = "a.py") -> Row:
    """A row that has lines of its own."""
    text = f"LIMIT_{number} = {number * 10}"
    return Row.of(claim=claim or f"Limit number {number} is documented.", lines=[(number, text)], path=path)
