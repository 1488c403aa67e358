"""What the language server makes a person wait for: the real process on pipes, beside two others of its kind."""

import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench import workspace
from tests.bench.client import Arrived, Client, Gone, insertion, is_publish
from tests.bench.figures import Figure, spread
from tests.bench.peers import found, side_by_side
from tests.bench.processes import child_of, processor_seconds, resident_megabytes

OURS = (sys.executable, "-m", "cite_lsp", "serve")
PEERS = {"rumdl": ("rumdl", "server"), "ruff": ("ruff", "server")}
PEER_TYPING = "  the same at rumdl server, whole text sent"
DOCUMENT = "docs/long.md"
SHORT = "docs/short.md"
_CITATION = re.compile(r"`(src/[^:`]+):(\d+)")
_VERDICTS = frozenset({"unsupported", "partial", "review"})
_RULES = dict.fromkeys(sorted(_VERDICTS), "information")
_EDITOR = Path(__file__).resolve().parents[1] / "server/capabilities/vscode.json"
"""What an editor says that it can, as it was captured: reading it is a part of the start."""


@dataclass(frozen=True)
class Size:
    """How much of everything."""

    lines: int = 10_000
    anchors: int = 1_000
    cited: int = 100
    paths: int = 100_000
    documents: int = 50
    """Open at once, for the memory; each has `anchors` citations."""
    starts: int = 10
    opens: int = 10
    keys: int = 300
    asks: int = 200
    bursts: int = 8
    burst: int = 1_000
    saves: int = 20
    rounds: int = 3
    idle: float = 20.0
    """Seconds."""


FULL = Size()
TINY = Size(200, 20, 5, 300, 2, 2, 2, 4, 4, 2, 20, 2, 1, 0.5)


@dataclass(frozen=True)
class Bench:
    """The workspaces of one run, and how to start servers in them."""

    size: Size
    small: Path
    """Cited files only."""
    large: Path
    """The same, and a great many paths."""
    cited: Sequence[str]
    environment: Mapping[str, str]

    def client(self, folder: Path, command: Sequence[str] = OURS) -> Client:
        """Start a server."""
        return Client(command, folder, self.environment)

    @contextmanager
    def ready(self, folder: Path, settings: Mapping[str, object] | None = None) -> Iterator[Client]:
        """Start our server and wait until it has listed the files."""
        with self.client(folder) as client:
            client.initialize({"rules": _RULES, **(settings or {})})
            client.initialized()
            client.open("docs/first.md", "Nothing is cited.\n")
            client.wait(_is_listed)
            client.close("docs/first.md")
            yield client

    def text(self, lines: int | None = None, anchors: int | None = None, seed: int = 1) -> str:
        """Give a document's text."""
        return workspace.document(lines or self.size.lines, anchors or self.size.anchors, self.cited, seed)

    @property
    def short_text(self) -> str:
        """A document of 100 lines, as dense as the long one."""
        return self.text(min(100, self.size.lines), max(1, 100 * self.size.anchors // self.size.lines))


Take = Callable[[Bench], Iterator[Figure]]


def measure(size: Size, takes: Sequence[Take], say: Callable[[str], None]) -> Iterator[Figure]:
    """Take figures, one after the other; `say` is told what is being done."""
    with tempfile.TemporaryDirectory(prefix="cite-lsp-bench-") as name:
        top = Path(os.path.realpath(name))
        say("writing the workspaces")
        small, large, own = top / "small", top / "large", top / "own"
        for folder in (small, large, own):
            folder.mkdir()
        cited = workspace.write_cited(small, size.cited, size.lines)
        workspace.write_cited(large, size.cited, size.lines)
        workspace.write_many(large, size.paths)
        bench = Bench(size, small, large, cited, environment(own))
        for take in takes:
            what = (take.__doc__ or "").rstrip(".")
            say(what)
            try:
                yield from take(bench)
            except (Gone, AssertionError) as error:  # the other figures are wanted all the same
                yield Figure(what, "", None, note=str(error))


def environment(own: Path) -> dict[str, str]:
    """Give an environment in which nobody's settings and caches count."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CITE_LSP_", "XDG_", "GIT_"))}
    names = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "APPDATA", "LOCALAPPDATA")
    return {**kept, **dict.fromkeys(names, str(own)), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def _peers() -> dict[str, tuple[str, ...]]:
    """Give the commands of the peers that are here."""
    commands = {name: found(command) for name, command in PEERS.items()}
    return {name: command for name, command in commands.items() if command is not None}


def _is_listed(arrived: Arrived) -> bool:
    return arrived.message.get("method") == "cite-lsp/status" and not arrived.params["indexing"]


def is_command_done(arrived: Arrived) -> bool:
    """Say whether a message answers `judgeDocument`."""
    result = arrived.message.get("result")
    return isinstance(result, dict) and "rows" in result


def _after(seconds: float) -> Callable[[], bool]:
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() > end


# --- the figures


def starts(bench: Bench) -> Iterator[Figure]:
    """Starts: ours and the peers' in turn."""
    commands = {"cite-lsp": OURS, **_peers()}
    capabilities = json.loads(_EDITOR.read_text(encoding="utf-8"))
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(bench.size.starts):
        for name, command in commands.items():
            with bench.client(bench.small, command) as client:
                spent[name].append(client.initialize(capabilities=capabilities))
    yield spread("start → initialize answered", spent["cite-lsp"], (400, 600))
    for name in PEERS:
        yield spread(f"  the same, {name} server", spent.get(name, ()), note="" if name in spent else _absent(name))


def _absent(name: str) -> str:
    return f"{name} absent; pip install {name}"


def opening(bench: Bench) -> Iterator[Figure]:
    """Opening the long document."""
    first = []
    for number in range(bench.size.rounds):
        with bench.client(bench.small) as client:
            client.initialize()
            client.initialized()
            client.open(DOCUMENT, bench.text(seed=number))
            first.append(client.findings(DOCUMENT).at - client.started)
    yield spread("start → first findings", first)
    spent = []
    with bench.ready(bench.small) as client:
        for number in range(bench.size.opens):
            at = client.open(f"docs/open{number}.md", bench.text(seed=number))
            spent.append(client.findings(f"docs/open{number}.md").at - at)
            client.close(f"docs/open{number}.md")
    yield spread("open → findings", spent, (25, 75))


def typing(bench: Bench) -> Iterator[Figure]:
    """Typing in a long and in a short document, in turn, and at the peer."""
    long, short = bench.text(), bench.short_text
    with bench.ready(bench.small) as one, bench.ready(bench.small) as other:
        spent: tuple[list[float], list[float]] = ([], [])
        for client, text in ((one, long), (other, short)):
            client.open(DOCUMENT, text)
            client.findings(DOCUMENT)
        rng = random.Random(2)
        for _ in range(bench.size.keys):
            for client, text, times in ((one, long, spent[0]), (other, short, spent[1])):
                at = client.change(DOCUMENT, [insertion(rng.randrange(text.count("\n")), "x")])
                times.append(client.findings(DOCUMENT).at - at)
    yield spread("one character typed → findings", spent[0], (3, 20))
    yield spread("  the same in 100 lines", spent[1])
    ratio = statistics.median(spent[0]) / statistics.median(spent[1])
    yield Figure("  ratio of the medians", "", ratio, budget_p50=2)
    try:
        yield _peer_typing(bench, long)
    except Gone as error:
        yield Figure(PEER_TYPING, "ms", None, note=str(error))


def _peer_typing(bench: Bench, text: str) -> Figure:
    """Type at rumdl's server, which takes whole texts only."""
    command = _peers().get("rumdl")
    if command is None:
        return Figure(PEER_TYPING, "ms", None, note=_absent("rumdl"))
    spent = []
    with bench.client(bench.small, command) as client:
        client.initialize()
        client.initialized()
        client.open(DOCUMENT, text)
        client.findings(DOCUMENT)
        for number in range(max(2, bench.size.keys // 10)):
            text = text[: 100 * number] + "x" + text[100 * number :]
            at = client.change(DOCUMENT, [{"text": text}])
            spent.append(client.findings(DOCUMENT).at - at)
    return spread(PEER_TYPING, spent)


def bursts(bench: Bench) -> Iterator[Figure]:
    """Many edits in one event, all over the document and on neighbouring lines."""
    size = bench.size
    text = bench.text()
    count = text.count("\n")
    rng = random.Random(3)

    def scattered(_: int) -> int:
        return rng.randrange(count)

    for name, place in (
        (f"{size.burst:,} edits in one event", scattered),
        ("  the same on lines in a row", lambda n: n),
    ):
        with bench.ready(bench.small) as client:
            client.open(DOCUMENT, text)
            client.findings(DOCUMENT)
            spent = []
            for _ in range(size.bursts):
                at = client.change(DOCUMENT, [insertion(place(number) % count, "x") for number in range(size.burst)])
                spent.append(client.findings(DOCUMENT).at - at)
        yield spread(name, spent, (25, 80))


def looking(bench: Bench) -> Iterator[Figure]:
    """Hover, definition, links."""
    text = bench.text()
    lines = workspace.lines_with(text, "src/")
    rng = random.Random(4)
    with bench.ready(bench.small) as client:
        client.open(DOCUMENT, text)
        client.findings(DOCUMENT)
        for name in ("hover", "definition", "documentLink"):
            spent = []
            for _ in range(bench.size.asks):
                params = _at(client, text, rng.choice(lines)) if name != "documentLink" else in_document(client)
                seconds, result = client.ask(f"textDocument/{name}", params)
                if not result:
                    raise AssertionError(f"{name} of a citation answered nothing")
                spent.append(seconds)
            yield spread(name, spent, (3, 20))


def in_document(client: Client, path: str = DOCUMENT) -> dict[str, Any]:
    """Give params that name a document."""
    return {"textDocument": {"uri": client.uri_of(path)}}


def _at(client: Client, text: str, line: int, path: str = DOCUMENT) -> dict[str, Any]:
    """Give the position of the citation on a line."""
    column = text.split("\n", line + 1)[line].index("src/") + 2
    return {**in_document(client, path), "position": {"line": line, "character": column}}


def cited_file(bench: Bench) -> Iterator[Figure]:
    """Typing in a cited file."""
    cited, count = workspace.LONG_FILE, bench.size.lines
    text = workspace.document_of_one(cited, count)
    spent = []
    with bench.ready(bench.small) as client:
        client.open(DOCUMENT, text)
        client.wait(_told(client, DOCUMENT, "out-of-range"))
        client.open(cited, (bench.small / cited).read_text(), "typescript")
        for _ in range(max(2, bench.size.keys // 15)):
            at = client.change(cited, [insertion(count - 1, "x", 0)])
            spent.append(client.wait(_told_not(client, DOCUMENT, "out-of-range")).at - at)
            at = client.change(cited, [insertion(count - 1, "", 0, remove=1)])
            spent.append(client.wait(_told(client, DOCUMENT, "out-of-range")).at - at)
    yield spread("one character typed in a cited file → findings", spent, (3, 20))


def _codes(arrived: Arrived) -> list[str]:
    return [str(each.get("code")) for each in arrived.params["diagnostics"]]


def _told(client: Client, path: str, code: str) -> Callable[[Arrived], bool]:
    uri = client.uri_of(path)
    return lambda arrived: is_publish(arrived, uri) and any(code in each for each in _codes(arrived))


def _told_not(client: Client, path: str, code: str) -> Callable[[Arrived], bool]:
    uri = client.uri_of(path)
    return lambda arrived: is_publish(arrived, uri) and not any(code in each for each in _codes(arrived))


def begin_judging(client: Client, path: str = DOCUMENT) -> tuple[int, float]:
    """Have a document judged; give the number of the request and the time just before."""
    argument = {"uri": client.uri_of(path)}
    command = {"command": "cite-lsp.server.judgeDocument", "arguments": [argument]}
    return client.begin("workspace/executeCommand", command)


def saving(bench: Bench) -> Iterator[Figure]:
    """Saving when every verdict is known."""
    name, budget = "save, verdicts cached → published", (10, 50)
    text = bench.text()
    line = workspace.lines_with(text, "`retryLimit")[0]
    with bench.ready(bench.small) as client:
        client.open(DOCUMENT, text)
        client.findings(DOCUMENT)
        number, at = begin_judging(client)
        answered = client.ended(number)
        yield spread(f"first judgement of {answered.message['result']['rows']:,} rows", [answered.at - at])
        spent = []
        column = text.split("\n")[line].index("callers")
        for turn in range(bench.size.saves + 2):
            change = insertion(line, "our ", column) if turn % 2 == 0 else insertion(line, "", column, remove=4)
            client.change(DOCUMENT, [change])
            if any(judged_lines(client.findings(DOCUMENT), line)):
                raise AssertionError("a verdict outlived its sentence")
            at = client.notify("textDocument/didSave", in_document(client))
            published = client.wait(verdict_at(client, line))
            if turn >= 2:  # both sentences have been judged by then
                spent.append(published.at - at)
        yield spread(name, spent, budget)
        spent = []
        for _ in range(bench.size.saves):
            number, at = begin_judging(client)
            spent.append(client.ended(number).at - at)
        yield spread("  judgeDocument, nothing changed", spent, budget)


def judged_lines(arrived: Arrived, line: int) -> list[Any]:
    """Give what a publish tells of verdicts on a line."""
    return [
        each
        for each in arrived.params["diagnostics"]
        if each.get("code") in _VERDICTS and each["range"]["start"]["line"] == line
    ]


def verdict_at(client: Client, line: int) -> Callable[[Arrived], bool]:
    """Tell a publish with a verdict on a line."""
    uri = client.uri_of(DOCUMENT)
    return lambda arrived: is_publish(arrived, uri) and bool(judged_lines(arrived, line))


def hovers(client: Client, text: str, path: str, until: Callable[[], object]) -> list[float]:
    """Hover every few milliseconds until something has happened; give what each took."""
    lines = workspace.lines_with(text, "src/")
    rng = random.Random(5)
    spent = []
    while not until():
        seconds, _ = client.ask("textDocument/hover", _at(client, text, rng.choice(lines), path))
        spent.append(seconds)
        time.sleep(0.002)
    return spent


def judging(bench: Bench) -> Iterator[Figure]:
    """Asking while rows are judged."""
    spent: list[float] = []
    text, short = bench.text(), bench.short_text
    for _ in range(bench.size.rounds):
        with bench.ready(bench.small) as client:
            for path, content in ((DOCUMENT, text), (SHORT, short)):
                client.open(path, content)
                client.findings(path)
            done = collect(client, is_command_done)
            begin_judging(client)
            spent += hovers(client, short, SHORT, done.__len__)
    yield spread(f"hover while {text.count('`src/'):,} rows are judged", spent, (5, 50))


def collect(client: Client, wanted: Callable[[Arrived], bool]) -> list[Arrived]:
    """Give a list that fills with what arrives while something else is waited for."""
    found: list[Arrived] = []

    def take(arrived: Arrived) -> None:
        if wanted(arrived):
            found.append(arrived)

    client.on_other = take
    return found


def indexing(bench: Bench) -> Iterator[Figure]:
    """Asking while many files are listed, from the moment that the server is initialized."""
    spent: list[float] = []
    listed: list[float] = []
    short = bench.short_text
    for _ in range(bench.size.rounds):
        with bench.client(bench.large) as client:
            client.initialize()
            client.initialized()
            ends = collect(client, _is_listed)
            at = client.open(SHORT, short)
            client.findings(SHORT)
            spent += hovers(client, short, SHORT, ends.__len__)
            listed.append(ends[0].at - at)
            spent += hovers(client, short, SHORT, _after(min(1.0, bench.size.idle)))
    yield spread(f"hover while {bench.size.paths:,} files are indexed", spent, (5, 50))
    yield spread(f"initialized → {bench.size.paths:,} files indexed, warm", listed, (500, 5000))


def leaving(bench: Bench) -> Iterator[Figure]:
    """Shutdown and exit: idle, while files are listed, while rows are judged."""
    text = bench.text()
    spent: dict[str, list[float]] = {"idle": [], "indexing": [], "judging": []}
    for _ in range(max(bench.size.rounds, bench.size.starts // 2)):
        with bench.ready(bench.small) as client:
            spent["idle"].append(client.leave())
        with bench.client(bench.large) as client:
            client.initialize()
            client.initialized()
            client.open(SHORT, bench.short_text)
            client.findings(SHORT)
            spent["indexing"].append(client.leave())
        with bench.ready(bench.small) as client:
            client.open(DOCUMENT, text)
            client.findings(DOCUMENT)
            begin_judging(client)
            time.sleep(0.1)  # so that the worker has begun
            spent["judging"].append(client.leave())
    for state, times in spent.items():
        yield spread(f"shutdown and exit, {state}", times, (50, 250))


def memory(bench: Bench) -> Iterator[Figure]:
    """Memory, and the processor's time while nothing happens."""
    size = bench.size
    with bench.ready(bench.small) as client:
        client.open(SHORT, bench.short_text)
        client.findings(SHORT)
        time.sleep(min(2.0, size.idle))
        yield from _resident(client, "idle", 60)
        yield from _idle(client, size.idle)
    citations = f"{size.paths:,} paths, {size.documents * size.anchors:,} citations"
    for number in range(size.documents):
        path = bench.large / f"docs/kept{number:03}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(bench.text(seed=number), encoding="utf-8")
    with bench.ready(bench.large) as client:
        yield from _resident(client, f"{size.paths:,} paths", None)
        client.open(DOCUMENT, bench.text())
        client.findings(DOCUMENT)
        cited = _CITATION.search(bench.text(seed=0))
        assert cited is not None
        where = {"position": {"line": int(cited[2]) - 1, "character": 0}, "context": {"includeDeclaration": False}}
        _, citing = client.ask("textDocument/references", {**in_document(client, cited[1]), **where})
        if not citing:
            raise AssertionError("nothing is said to cite a cited file")
        time.sleep(min(2.0, size.idle))
        yield from _resident(client, f"{citations} in documents, one open", 100)
    with bench.ready(bench.large) as client:
        for number in range(size.documents):
            path = f"docs/many{number:03}.md"
            client.open(path, bench.text(seed=number))
            client.findings(path)
        time.sleep(min(2.0, size.idle))
        yield from _resident(client, f"{citations}, all documents open", None)


def _resident(client: Client, state: str, budget: float | None) -> Iterator[Figure]:
    worker = child_of(client.pid)
    for name, pid, limit in (("server", client.pid, budget), ("worker", worker, budget and 60)):
        figure = resident_megabytes(pid) if pid is not None else None
        note = "" if figure is not None else "no such process, or no /proc"
        yield Figure(f"resident memory of the {name}, {state}", "MB", figure, budget_p50=limit, note=note)


def _idle(client: Client, seconds: float) -> Iterator[Figure]:
    pids = {"server": client.pid, "worker": child_of(client.pid)}
    before = {name: processor_seconds(pid) for name, pid in pids.items() if pid is not None}
    at = time.perf_counter()
    time.sleep(seconds)
    passed = time.perf_counter() - at
    for name, pid in pids.items():
        first, last = before.get(name), processor_seconds(pid) if pid is not None else None
        share = (last - first) / passed * 100 if first is not None and last is not None else None
        note = "" if share is not None else "no such process, or no /proc"
        yield Figure(f"processor's time of the idle {name}", "%", share, budget_p50=0.3, note=note)


def peers(bench: Bench) -> Iterator[Figure]:
    """The same document at other servers."""
    rounds = max(1, min(5, bench.size.rounds))
    yield from side_by_side(bench.small, bench.environment, bench.text(), rounds, max(2, bench.size.keys // 3))


TAKES: Sequence[Take] = (
    starts, opening, typing, bursts, looking, cited_file, saving, judging, indexing, leaving, memory, peers,
)  # fmt: skip
