"""`cite-lsp judge --judge decision`: code and prose, what is estimated, printed and kept, and how it ends."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Ran
from tests.clients import systemone_server as faults
from tests.clients.systemone_server import SystemOne, rule, serving

FILES = {
    "src/retry.py": "MAX_ATTEMPTS = 3\n\n\nBACKOFF_SECONDS = 0.5\n",
    "notes/oven.md": "# Oven\n\nThe oven runs at 220 degrees.\nIt is cleaned on Mondays.\n",
    "cite-lsp.toml": '[files]\ninclude = ["docs/*.md"]\n',
    "docs/a.md": "The code gives up after five attempts (`src/retry.py:1`).\n\n"
    "Between attempts it waits half a second (`src/retry.py:4`).\n\n"
    "The oven runs at 220 degrees, for the bread (`notes/oven.md:3-4`).\n",
}
RULES = [
    rule(0.95, key="makes_a_claim"),
    rule(0.9, key="conflict", state="five attempts"),
    rule(0.9, key="says_otherwise", text="MAX_ATTEMPTS"),
    rule(0.9, key="baseless", state="for the bread"),
    rule(0.9, key="supports", text="BACKOFF|220"),
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemOne]:
    monkeypatch.delenv("TYPESAFE_API_KEY", raising=False)
    with serving(*RULES) as server:
        yield server


def report(ran: Ran) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran.raw)
    return found


def verdicts(ran: Ran) -> list[dict[str, Any]]:
    (document,) = report(ran)["documents"]
    return [anchor["verdict"] for anchor in document["anchors"]]


def test_code_and_prose(cli: Callable[..., Ran], workspace: Callable[..., Path], server: SystemOne) -> None:
    folder = workspace(FILES)
    chosen = ("judge", "--judge", "decision", "--base-url", server.url, "--format", "json")
    told = report(cli(folder, *chosen, "--estimate"))["estimate"]
    assert server.counts()["requests"] == 0
    in_words = cli(folder, *chosen[:-2], "--estimate").out
    assert "halves of rows that are too large for one request come on top" in in_words
    assert "asked again" not in in_words
    ran = cli(folder, *chosen)
    assert ran.code == 0, ran
    assert server.counts()["requests"] == told["requests"] == 6
    assert [(each["label"], each["kind"]) for each in verdicts(ran)] == [
        ("unsupported", "contradicted"),
        ("supported", None),
        ("partial", None),
    ]
    assert [each["evidence"] for each in verdicts(ran)] == [
        [{"line": 1, "text": "MAX_ATTEMPTS = 3"}],
        [{"line": 4, "text": "BACKOFF_SECONDS = 0.5"}],
        [{"line": 3, "text": "The oven runs at 220 degrees."}],
    ]
    assert {each["confidence"] for each in verdicts(ran)} == {None}
    again = cli(folder, *chosen)
    assert server.counts()["requests"] == 6
    assert [each["cached"] for each in verdicts(again)] == [True] * 3


def test_a_failed_request_is_not_checked_and_never_no(
    cli: Callable[..., Ran], workspace: Callable[..., Path], server: SystemOne
) -> None:
    server.script(faults=[faults.malformed("conflict|supports", holds="220", times=None)])
    folder = workspace(FILES)
    chosen = ("judge", "--judge", "decision", "--base-url", server.url)
    ran = cli(folder, *chosen, "--format", "json")
    assert ran.code == 3
    assert [each["label"] for each in verdicts(ran)] == ["unsupported", "supported", "unchecked"]
    text = cli(folder, *chosen)
    assert text.code == 3
    assert "1 citation not judged" in text.err
    assert f"the judge at {server.url} gave answers of another form" in text.err


def test_a_day_that_is_used_up(
    cli: Callable[..., Ran], workspace: Callable[..., Path], server: SystemOne, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_JUDGE_LIMITS_MAX_ROWS_PER_DAY", "2")
    ran = cli(workspace(FILES), "judge", "--judge", "decision", "--base-url", server.url, "--format", "json")
    assert ran.code == 3
    assert server.counts()["requests"] == 4
    assert "max_rows_per_day" in ran.err
