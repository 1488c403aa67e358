"""The same document at other servers, in the run that our figures are from: what a person waits for, and the memory.

rumdl lints Markdown, and docs-drift looks for statements about code that are wrong: both take the same document as we
do. ruff's server looks at no Markdown; it gets a Python file of as many lines, in which one line in ten has a finding.
"""

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench import workspace
from tests.bench.client import Arrived, Client, Gone, insertion, is_publish
from tests.bench.figures import Figure, spread
from tests.bench.processes import resident_megabytes

OURS = (sys.executable, "-m", "cite_lsp", "serve")


@dataclass(frozen=True)
class Peer:
    """A server, and what it is given."""

    name: str
    command: tuple[str, ...]
    package: str
    path: str = "docs/long.md"
    language: str = "markdown"
    whole: bool = True
    """Whether it is sent the whole text for an edit."""
    slow: bool = False
    """Whether it is asked less often, so that the bench ends."""


US = Peer("cite-lsp", OURS, "", whole=False)
OTHERS = (
    Peer("rumdl", ("rumdl", "server"), "rumdl"),
    Peer("ruff", ("ruff", "server"), "ruff", "long.py", "python", whole=False),
    Peer("docs-drift", ("docs-drift", "lsp"), "docs-drift", slow=True),
)


def found(command: Sequence[str]) -> tuple[str, ...] | None:
    """Give a command with its program's path; None where it is not installed."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    program = shutil.which(command[0], path=path)
    return (program, *command[1:]) if program is not None else None


@dataclass(frozen=True)
class Taken:
    """What was measured of one server, in seconds; `resident` in MB."""

    start: Sequence[float]
    opened: Sequence[float]
    typed: Sequence[float]
    hovered: Sequence[float]
    resident: float | None


def side_by_side(folder: Path, environment: Mapping[str, str], text: str, rounds: int, keys: int) -> Iterator[Figure]:
    """Give our figures on one document, then each peer's with how many times ours it is."""
    subprocess.run(["git", "init", "-q"], cwd=folder, check=False, capture_output=True)
    ours = _taken(US, US.command, folder, environment, text, rounds, keys)
    yield from _rows(US, ours, None)
    for peer in OTHERS:
        command = found(peer.command)
        if command is None:
            yield Figure(f"beside: {peer.name}", "", None, note=f"{peer.name} absent; pip install {peer.package}")
            continue
        content = _python(text.count("\n")) if peer.language == "python" else text
        few, some = (1, max(2, keys // 50)) if peer.slow else (rounds, keys)
        try:
            theirs = _taken(peer, command, folder, environment, content, few, some)
        except Gone as error:
            yield Figure(f"beside: {peer.name}", "", None, note=str(error))
        else:
            yield from _rows(peer, theirs, ours)


def _rows(peer: Peer, taken: Taken, ours: Taken | None) -> Iterator[Figure]:
    names = ("start → initialize answered", "open → findings", "one character typed → findings", "hover")
    mine = (ours.start, ours.opened, ours.typed, ours.hovered) if ours is not None else None
    for number, times in enumerate((taken.start, taken.opened, taken.typed, taken.hovered)):
        if times:
            note = _times(times, mine[number]) if mine is not None else ""
            yield spread(f"{peer.name}: {names[number]}", times, note=note)
    note = f"{taken.resident / ours.resident:.2f} × ours" if ours and ours.resident and taken.resident else ""
    yield Figure(f"{peer.name}: resident memory of the server", "MB", taken.resident, note=note)


def _times(theirs: Sequence[float], ours: Sequence[float]) -> str:
    return f"{statistics.median(theirs) / statistics.median(ours):.2f} × ours" if theirs and ours else ""


def _taken(
    peer: Peer,
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    text: str,
    rounds: int,
    keys: int,
) -> Taken:
    start: list[float] = []
    opened: list[float] = []
    typed: list[float] = []
    hovered: list[float] = []
    resident = None
    for number in range(rounds):
        with Client(command, folder, environment) as client:
            start.append(client.initialize())
            client.initialized()
            at = client.open(peer.path, text, peer.language)
            opened.append(client.wait(_of(client, peer.path), 120).at - at)
            if number == rounds - 1:
                typed += _typing(client, peer, text, keys)
                hovered += _hovering(client, peer, text, keys) if peer.language == "markdown" else []
                resident = resident_megabytes(client.pid)
    return Taken(start, opened, typed, hovered, resident)


def _typing(client: Client, peer: Peer, text: str, keys: int) -> Iterator[float]:
    for number in range(keys):
        line = number % text.count("\n")
        text = f"x{text}"
        change = {"text": text} if peer.whole else insertion(line, "x", 0)
        at = client.change(peer.path, [change])
        yield client.wait(_of(client, peer.path), 60).at - at


def _hovering(client: Client, peer: Peer, text: str, asks: int) -> Iterator[float]:
    line = workspace.lines_with(text, "src/")[3]
    column = text.split("\n", line + 1)[line].index("src/") + 2
    where = {"line": line, "character": column}
    for _ in range(asks):
        params = {"textDocument": {"uri": client.uri_of(peer.path)}, "position": where}
        seconds, result = client.ask("textDocument/hover", params)
        if result is None:
            return
        yield seconds


def _of(client: Client, path: str) -> Callable[[Arrived], bool]:
    uri, version = client.uri_of(path), client.version

    def wanted(arrived: Arrived) -> bool:
        return is_publish(arrived, uri) and arrived.params.get("version") in (version, None)

    return wanted


def _python(lines: int) -> str:
    return "".join(f"import m{number}\n" if number % 10 == 0 else f"v{number} = {number}\n" for number in range(lines))
