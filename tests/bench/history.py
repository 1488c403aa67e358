"""What a check with its history takes, beside linecite's audit: in one run, taking turns, process start included."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.corpus import build_history
from tests.bench.figures import Figure
from tests.bench.server import environment

DOCUMENTS, ANCHORS, COMMITS = 150, 3_000, 300
TINY = (4, 20, 6)
ROUNDS = 3
COLD, WARM = 3.0, 10.0
"""How many times less than linecite a citation is to take, with an empty cache and with a filled one."""

_OURS = (sys.executable, "-m", "cite_lsp", "check")
_ENDINGS = (".md", ".markdown", ".rst", ".txt")


class Taken(NamedTuple):
    """The best of some runs: seconds, and how many citations were read."""

    seconds: float
    citations: int

    @property
    def each(self) -> float:
        """Microseconds for a citation."""
        return self.seconds / self.citations * 1e6 if self.citations else 0.0


def measure(roots: Sequence[Path], size: tuple[int, int, int] | None = None) -> Iterator[Figure]:
    """Take the figures in copies of repositories; of a generated one where none is named."""
    with tempfile.TemporaryDirectory(prefix="cite-lsp-bench-") as name:
        top = Path(os.path.realpath(name))
        for number, root in enumerate(roots or [None]):
            folder = top / str(number)
            if root is None:
                folder.mkdir()
                build_history(folder, *(size or (DOCUMENTS, ANCHORS, COMMITS)))
            else:
                subprocess.run(["git", "clone", "-q", str(root), str(folder)], check=True)
            yield from _compared(folder, "generated" if root is None else root.resolve().name, top / "cache")


def _compared(folder: Path, name: str, cache: Path) -> Iterator[Figure]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=folder, capture_output=True, check=True).stdout
    documents = [path for path in os.fsdecode(listed).split("\0") if path.endswith(_ENDINGS)]
    program = shutil.which(
        "linecite", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    )
    own = environment(cache)
    counted = _run([*_OURS, "--format", "json", *documents], folder, own)[1]
    citations: int = json.loads(counted)["summary"]["anchors"]
    peer: list[float] = []
    cold: list[float] = []
    warm: list[float] = []
    read = 0
    for _ in range(ROUNDS):
        if program is not None:
            spent, out = _run([program, "audit", *documents], folder, own)
            peer.append(spent)
            read = _read_by_linecite(out)
        shutil.rmtree(cache, ignore_errors=True)
        cold.append(_run([*_OURS, *documents], folder, own)[0])
        warm.append(_run([*_OURS, *documents], folder, own)[0])
    theirs = Taken(min(peer), read) if peer else None
    if theirs is not None:
        yield _figure(f"{name}: linecite audit", theirs, None, 0.0)
    else:
        yield Figure(f"{name}: linecite audit", "µs a citation", None, note="not run: pip install linecite")
    yield _figure(f"{name}: check, empty cache", Taken(min(cold), citations), theirs, COLD)
    yield _figure(f"{name}: check, warm", Taken(min(warm), citations), theirs, WARM)


def _figure(name: str, taken: Taken, theirs: Taken | None, times: float) -> Figure:
    note = f"{taken.seconds:.2f} s for {taken.citations:,} citations"
    budget = None
    if theirs is not None and theirs.each:
        budget = theirs.each / times
        note += f", {theirs.each / taken.each:.1f} times faster for each (at least {times:g})"
    return Figure(name, "µs a citation", taken.each, count=ROUNDS, budget_p50=budget and round(budget, 1), note=note)


def _read_by_linecite(out: str) -> int:
    line = next((row for row in out.splitlines() if row.startswith("number-only citations")), "")
    return int(line.split()[2]) if line else 0


def _run(command: Sequence[str], folder: Path, own: dict[str, str]) -> tuple[float, str]:
    started = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=folder,
        env=own,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        check=False,
    )
    return time.perf_counter() - started, done.stdout
