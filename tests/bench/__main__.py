"""`python -m tests.bench`: the figures behind every claim of speed, as ratios taken in one run."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.corpus import build
from tests.bench.edits import compare

DOCUMENTS, ANCHORS = 3_000, 25_000


def _timed(command: list[str], folder: Path) -> tuple[float, str]:
    started = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    return time.perf_counter() - started, done.stdout


def _edits() -> None:
    long, short = compare()
    print(f"Document.edit, one character: {long * 1e6:.0f} µs at 10,000 lines, {short * 1e6:.0f} µs at 100 lines")
    print(f"  ratio {long / short:.2f} (at most 2)")


def _check(folder: Path) -> float:
    command = [sys.executable, "-m", "cite_lsp", "check"]
    anchors = json.loads(_timed([*command, "--format", "json"], folder)[1])["summary"]["anchors"]
    spent = min(_timed(command, folder)[0] for _ in range(3))
    as_json = min(_timed([*command, "--format", "json"], folder)[0] for _ in range(3))
    print(f"cite-lsp check, process start included: {spent:.2f} s for {DOCUMENTS:,} documents, {anchors:,} citations")
    print(f"  {DOCUMENTS / spent:.0f} documents a second, {spent / anchors * 1e6:.0f} µs a citation")
    print(f"  as JSON, with every claim: {as_json:.2f} s")
    return spent / anchors


def _linecite(folder: Path, ours: float) -> None:
    program = shutil.which(
        "linecite", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    )
    if program is None:
        print("linecite audit: not run (pip install linecite)")
        return
    documents = sorted(str(path.relative_to(folder)) for path in folder.glob("docs/**/*.md"))
    spent, out = min((_timed([program, "audit", *documents], folder) for _ in range(2)), key=lambda run: run[0])
    line = next(row for row in out.splitlines() if row.startswith("number-only citations"))
    count = int(line.split()[2])
    each = spent / count
    print(f"linecite audit, process start included: {spent:.2f} s, {count:,} citations, {each * 1e6:.0f} µs each")
    print(f"  cite-lsp check takes 1/{each / ours:.1f} of that for a citation (at most 1/5); it looks at no history")


def main() -> None:
    """Print all figures."""
    _edits()
    with tempfile.TemporaryDirectory(prefix="cite-lsp-bench-") as name:
        folder = Path(name)
        build(folder, DOCUMENTS, ANCHORS)
        ours = _check(folder)
        _linecite(folder, ours)


if __name__ == "__main__":
    main()
