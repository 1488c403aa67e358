"""What knowing the past costs a person who writes: the server with drift on and off, turn by turn in one run."""

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench import workspace
from tests.bench.client import Arrived, Client, insertion, is_publish
from tests.bench.corpus import commit
from tests.bench.figures import Figure, spread
from tests.bench.processes import child_of, resident_megabytes
from tests.bench.server import DOCUMENT, Bench, environment

OF_ONE = "docs/one.md"
STATES = ("on", "off")
_SETTINGS: Mapping[str, Mapping[str, Any]] = {"on": {}, "off": {"drift": {"enabled": False}}}
_TOP = "// A line that moves all others.\n"
_SEARCHED = 0.6
"""Seconds after an edit of a cited file in which the search of it begins and ends."""


@dataclass(frozen=True)
class Pair:
    """A server that knows the past and one that does not look for it, on the same committed files."""

    clients: Mapping[str, Client]
    spent: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """Seconds by what was done, and by state."""

    def take(self, name: str, action: Callable[[Client], float]) -> None:
        """Do the same with both, and keep what it took."""
        for state in STATES:
            times = self.spent.setdefault(name, {each: [] for each in STATES})
            times[state].append(action(self.clients[state]))

    def figures(self, name: str, budget: tuple[float, float] | None) -> Iterator[Figure]:
        """Give both spreads; the budget is that of the one which knows the past."""
        for state in STATES:
            yield spread(f"{name}, drift {state}", self.spent[name][state], budget if state == "on" else None)


def drifting(bench: Bench) -> Iterator[Figure]:
    """Drift on and off, with committed documents."""
    with tempfile.TemporaryDirectory(prefix="cite-lsp-bench-") as name:
        folder = Path(name) / "committed"
        folder.mkdir()
        cited = workspace.write_cited(folder, bench.size.cited, bench.size.lines)
        text = workspace.document(bench.size.lines, bench.size.anchors, cited)
        texts = {DOCUMENT: text, OF_ONE: workspace.document_of_one(workspace.LONG_FILE, bench.size.lines)}
        (folder / "docs").mkdir()
        for path, content in texts.items():
            (folder / path).write_text(content)
        commit(folder, "cite")
        for take in (_opening, _typing, _cited, _searching):
            yield from take(bench, folder, texts)


@contextmanager
def _pair(bench: Bench, folder: Path) -> Iterator[Pair]:
    with ExitStack() as stack:
        own = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cite-lsp-bench-")))
        fresh = Bench(bench.size, folder, folder, bench.cited, environment(own))
        clients = {
            state: stack.enter_context(fresh.ready(folder, _SETTINGS[state])) for state in STATES
        }  # an empty store
        yield Pair(clients)


def _opening(bench: Bench, folder: Path, texts: Mapping[str, str]) -> Iterator[Figure]:
    text = texts[DOCUMENT]
    with _pair(bench, folder) as pair:
        client = pair.clients["on"]
        client.open(workspace.LONG_FILE, _TOP + (folder / workspace.LONG_FILE).read_text(), "typescript")
        at = client.open(OF_ONE, texts[OF_ONE])
        first = client.wait(_moved(client, 199)).at - at
        client.close(OF_ONE)
        later = []
        for _ in range(bench.size.opens):
            at = client.open(OF_ONE, texts[OF_ONE])
            later.append(client.wait(_moved(client, 199)).at - at)
            client.close(OF_ONE)
        client.close(workspace.LONG_FILE)

        def opened(client: Client) -> float:
            at = client.open(DOCUMENT, text)
            spent = client.findings(DOCUMENT).at - at
            client.ask("textDocument/hover", _first_citation(client, text))
            time.sleep(0.3)  # what was asked about the past is answered
            client.close(DOCUMENT)
            return spent

        for _ in range(bench.size.opens):
            pair.take("open → findings", opened)
        for client in pair.clients.values():
            client.open(DOCUMENT, text)
            client.findings(DOCUMENT)
        time.sleep(1.0)
        sizes = [(state, *_sizes(client)) for state, client in pair.clients.items()]
    yield from pair.figures("open → findings", (25, 75))
    yield spread("open → 199 citations told moved, nothing stored", [first])
    yield spread("  the same, their past stored", later)
    for state, server, worker in sizes:
        yield Figure(f"resident memory of the server, {bench.size.anchors:,} citations, drift {state}", "MB", server)
        yield Figure(f"resident memory of the worker, {bench.size.anchors:,} citations, drift {state}", "MB", worker)


def _sizes(client: Client) -> tuple[float | None, float | None]:
    worker = child_of(client.pid)
    return resident_megabytes(client.pid), resident_megabytes(worker) if worker is not None else None


def _typing(bench: Bench, folder: Path, texts: Mapping[str, str]) -> Iterator[Figure]:
    text = texts[DOCUMENT]
    lines = workspace.lines_with(text, "src/")
    rng = random.Random(2)
    with _pair(bench, folder) as pair:
        for client in pair.clients.values():
            client.open(DOCUMENT, text)
            client.findings(DOCUMENT)
        time.sleep(2.0)  # the past is known by then
        for _ in range(bench.size.asks):
            line = rng.choice(lines)
            pair.take("hover", lambda client, line=line: client.ask("textDocument/hover", _at(client, text, line))[0])
        for _ in range(bench.size.keys):
            change = insertion(rng.randrange(text.count("\n")), "x")
            pair.take("one character typed → findings", lambda client, change=change: _typed(client, change))
    yield from pair.figures("hover", (3, 20))
    yield from pair.figures("one character typed → findings", (3, 20))


def _typed(client: Client, change: dict[str, object]) -> float:
    at = client.change(DOCUMENT, [change])
    return client.findings(DOCUMENT).at - at


def _cited(bench: Bench, folder: Path, texts: Mapping[str, str]) -> Iterator[Figure]:
    count = bench.size.lines
    end, top = "one character typed at the end of a cited file → findings", "one line typed at its top → findings"
    with _pair(bench, folder) as pair:
        for client in pair.clients.values():
            client.open(OF_ONE, texts[OF_ONE])
            client.wait(_in_range(client, inside=False))
            client.open(workspace.LONG_FILE, (folder / workspace.LONG_FILE).read_text(), "typescript")
        moves = {pair.clients["on"]: 199, pair.clients["off"]: 0}
        time.sleep(2.0)
        for turn in range(max(2, bench.size.keys // 15)):
            pair.take(end, lambda client: _edit(client, insertion(count - 1, "x", 0), inside=True))
            pair.take(end, lambda client: _edit(client, insertion(count - 1, "", 0, remove=1), inside=False))
            time.sleep(_SEARCHED if turn % 4 == 0 else 0)
        for turn in range(max(2, bench.size.keys // 15)):
            pair.take(top, lambda client: _edit(client, insertion(0, _TOP, 0), inside=True, moved=moves[client]))
            time.sleep(_SEARCHED if turn % 4 == 0 else 0)
            pair.take(top, lambda client: _edit(client, _without_top(), inside=False))
    yield from pair.figures(end, (3, 20))
    yield from pair.figures(top, (3, 20))


def _edit(client: Client, change: dict[str, object], *, inside: bool, moved: int = 0) -> float:
    """Edit the cited file, and wait until the citation of its last line leads somewhere, or nowhere again."""
    at = client.change(workspace.LONG_FILE, [change])
    arrived = client.wait(_in_range(client, inside=inside))
    found = sum(each.get("code") == "moved" for each in arrived.params["diagnostics"])
    if found != moved:
        raise AssertionError(f"{found} citations were told as moved, not {moved}")
    return arrived.at - at


def _without_top() -> dict[str, object]:
    return {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}, "text": ""}


def _searching(bench: Bench, folder: Path, texts: Mapping[str, str]) -> Iterator[Figure]:
    """Hover while the cited file is searched for what an edit carried off."""
    name = "hover while a cited file is searched for 199 citations"
    spent: dict[str, list[float]] = {state: [] for state in STATES}
    with _pair(bench, folder) as pair:
        for state, client in pair.clients.items():
            text = texts[OF_ONE]
            client.open(OF_ONE, text)
            client.open(workspace.LONG_FILE, (folder / workspace.LONG_FILE).read_text(), "typescript")
            time.sleep(2.0)
            for change in [insertion(0, _TOP, 0), _without_top()] * bench.size.rounds:
                client.change(workspace.LONG_FILE, [change])
                end = time.perf_counter() + _SEARCHED
                while time.perf_counter() < end:
                    spent[state].append(client.ask("textDocument/hover", _first_citation(client, text, OF_ONE))[0])
                    time.sleep(0.002)
    yield from Pair({}, {name: spent}).figures(name, (5, 50))


def _at(client: Client, text: str, line: int, path: str = DOCUMENT) -> dict[str, Any]:
    column = text.split("\n", line + 1)[line].index("src/") + 2
    return {"textDocument": {"uri": client.uri_of(path)}, "position": {"line": line, "character": column}}


def _first_citation(client: Client, text: str, path: str = DOCUMENT) -> dict[str, Any]:
    return _at(client, text, workspace.lines_with(text, "src/")[0], path)


def _moved(client: Client, count: int) -> Callable[[Arrived], bool]:
    """Tell whether that many citations of the document of one file are told as moved."""

    def wanted(arrived: Arrived) -> bool:
        return is_publish(arrived, client.uri_of(OF_ONE)) and (
            sum(each.get("code") == "moved" for each in arrived.params["diagnostics"]) >= count
        )

    return wanted


def _in_range(client: Client, *, inside: bool) -> Callable[[Arrived], bool]:
    def wanted(arrived: Arrived) -> bool:
        if not is_publish(arrived, client.uri_of(OF_ONE)):
            return False
        return inside != any(each.get("code") == "line-out-of-range" for each in arrived.params["diagnostics"])

    return wanted
