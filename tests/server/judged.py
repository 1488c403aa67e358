"""A judge over HTTP for tests of the server: it says supported where a line holds the claim's number."""

import re
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from tests.clients.scripted import Request, ScriptedServer, Step, asked, by_request, reply_for

MODEL = "gpt-test"
"""A name that is known for taking eight rows at once."""
_ROW = re.compile(r'<row_\w+ id="(\d+)">\n(.*?)\n</row_', re.DOTALL)
_NUMBER = re.compile(r"\d+")


def rows_in(request: Request) -> dict[int, list[str]]:
    """The rows of a request by their numbers, each as its lines; not the one that is put among them as a test."""
    found = {int(number): text.split("\n") for number, text in _ROW.findall(asked("openai", request).user)}
    return {number: lines for number, lines in found.items() if not any("answer supported" in line for line in lines)}


def claims_in(requests: list[Request]) -> list[str]:
    """The claims that were asked, in the order they came."""
    return [
        line.removeprefix("claim| ")
        for request in requests
        for lines in rows_in(request).values()
        for line in lines
        if line.startswith("claim| ")
    ]


def answer_to(request: Request) -> str:
    """What the judge says of each row of a request."""
    rows = rows_in(request)
    numbers = [int(number) for number, _ in _ROW.findall(asked("openai", request).user)]
    entries = [_entry(number, rows[number]) if number in rows else _off_topic(number) for number in numbers]
    return orjson.dumps({"results": entries}).decode()


def _entry(number: int, lines: list[str]) -> dict[str, object]:
    claim = next(line for line in lines if line.startswith("claim| ")).removeprefix("claim| ")
    cited = [text for line in lines if re.match(r"L\d+\| ", line) for text in [line.partition("| ")[2]]]
    wanted = (_NUMBER.findall(claim) or [""])[-1]
    quote = next((text for text in cited if wanted in _NUMBER.findall(text)), "")
    if quote:
        return {"id": number, "reason": f"{wanted} stands there", "quote": quote, "missing": "", "label": "supported"}
    return _off_topic(number)


def _off_topic(number: int) -> dict[str, object]:
    label = "unsupported_off_topic"
    return {"id": number, "reason": "no line says it", "quote": "", "missing": "", "label": label}


def answering(then: Callable[[Step], Step] = lambda step: step) -> Step:
    """The step that answers each request truly; `then` may put something before it."""
    return by_request(lambda request: then(reply_for("openai", answer_to(request), (100, 20))))


def choose(monkeypatch: pytest.MonkeyPatch, server: ScriptedServer, cache: Path, **more: str) -> None:
    """Be a user whose environment names the scripted server as the judge; `more`: other rows, as the variables end."""
    chosen = {"NAME": "openai", "MODEL": MODEL, "BASE_URL": server.base("openai"), **more}
    for name, value in chosen.items():
        monkeypatch.setenv(f"CITE_LSP_JUDGE_{name}", value)
    monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(cache))
