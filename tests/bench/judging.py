"""What a judge over HTTP makes a person wait for: it listens on loopback, in a process of its own."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.bench import workspace
from tests.bench.client import insertion
from tests.bench.figures import Figure, spread
from tests.bench.processes import resident_megabytes
from tests.bench.server import (
    DOCUMENT,
    Bench,
    begin_judging,
    collect,
    hovers,
    in_document,
    is_command_done,
    judged_lines,
    verdict_at,
)

_ANSWERS_IN = 0.05
"""Seconds that the judge takes for a reply while others are to be answered."""
_ROWS = 64


@contextmanager
def _judge(seconds: float) -> Iterator[str]:
    """Start a judge; give its address."""
    command = [sys.executable, "-m", "tests.bench.answering", str(seconds)]
    top = Path(__file__).resolve().parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=top) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.kill()


@contextmanager
def _chosen(bench: Bench, seconds: float) -> Iterator[Bench]:
    """Give the bench of a person whose environment names a judge over HTTP, with a cache of its own."""
    with _judge(seconds) as address, tempfile.TemporaryDirectory(prefix="cite-lsp-bench-") as cache:
        rows = {"NAME": "openai", "MODEL": "gpt-bench", "BASE_URL": address, "LIMITS_CONCURRENCY": "4"}
        variables = {f"CITE_LSP_JUDGE_{name}": value for name, value in rows.items()}
        yield replace(bench, environment={**bench.environment, **variables, "CITE_LSP_CACHE_PATH": cache})


def judging_elsewhere(bench: Bench) -> Iterator[Figure]:
    """A judge over HTTP."""
    text = bench.text()
    with _chosen(bench, 0.0) as elsewhere:
        yield from _saving(elsewhere, text)
        yield from _again(elsewhere, text)
    with _chosen(bench, _ANSWERS_IN) as elsewhere:
        yield from _hovering(elsewhere)
        yield from _leaving(elsewhere)


def _saving(bench: Bench, text: str) -> Iterator[Figure]:
    line = workspace.lines_with(text, "`retryLimit")[0]
    column = text.split("\n")[line].index("callers")
    with bench.ready(bench.small) as client:
        client.open(DOCUMENT, text)
        client.findings(DOCUMENT)
        number, at = begin_judging(client)
        answered = client.ended(number, 300)
        counts = answered.message["result"]
        if counts["unchecked"]:
            raise AssertionError(f"{counts['unchecked']} rows were not judged")
        yield spread(f"first judgement of {counts['rows']:,} rows over HTTP", [answered.at - at])
        spent = []
        for turn in range(bench.size.saves + 2):
            change = insertion(line, "our ", column) if turn % 2 == 0 else insertion(line, "", column, remove=4)
            client.change(DOCUMENT, [change])
            if any(judged_lines(client.findings(DOCUMENT), line)):
                raise AssertionError("a verdict outlived its sentence")
            at = client.notify("textDocument/didSave", in_document(client))
            published = client.wait(verdict_at(client, line))
            if turn >= 2:  # both sentences have been judged by then
                spent.append(published.at - at)
        name = f"save, {counts['rows']:,} verdicts of a judge over HTTP cached → published"
        yield spread(name, spent, (10, 50))
        figure = resident_megabytes(client.pid)
        note = "" if figure is not None else "no /proc"
        yield Figure("resident memory of the server, judge over HTTP", "MB", figure, budget_p50=100, note=note)


def _again(bench: Bench, text: str) -> Iterator[Figure]:
    """Save first in another process, which finds the verdicts where the first one kept them."""
    line = workspace.lines_with(text, "`retryLimit")[0]
    spent = []
    for _ in range(bench.size.rounds):
        with bench.ready(bench.small) as client:
            client.open(DOCUMENT, text)
            client.findings(DOCUMENT)
            time.sleep(min(1.0, bench.size.idle))
            at = client.notify("textDocument/didSave", in_document(client))
            spent.append(client.wait(verdict_at(client, line)).at - at)
    yield spread("first save after a start, verdicts kept on disk → published", spent)


def _hovering(bench: Bench) -> Iterator[Figure]:
    """Hover while rows are being judged."""
    spent: list[float] = []
    lines = min(bench.size.lines, _ROWS * 10)
    for turn in range(bench.size.rounds):
        text = bench.text(lines, min(_ROWS, bench.size.anchors), seed=100 + turn)
        with bench.ready(bench.small) as client:
            client.open(DOCUMENT, text)
            client.findings(DOCUMENT)
            done = collect(client, is_command_done)
            begin_judging(client)
            spent += hovers(client, text, DOCUMENT, done.__len__)
    yield spread(f"hover while {min(_ROWS, bench.size.anchors)} rows are judged over HTTP", spent, (5, 50))


def _leaving(bench: Bench) -> Iterator[Figure]:
    """Shut down while a judge is asked."""
    spent = [_left(bench, turn) for turn in range(bench.size.rounds)]
    yield spread("shutdown and exit, judging over HTTP", spent, (50, 250))


def _left(bench: Bench, turn: int) -> float:
    with bench.ready(bench.small) as client:
        client.open(DOCUMENT, bench.text(seed=200 + turn))
        client.findings(DOCUMENT)
        client.notify("textDocument/didSave", in_document(client))
        client.wait(lambda arrived: arrived.message.get("method") == "cite-lsp/status" and arrived.params["queued"] > 0)
        time.sleep(0.1)
        return client.leave()
