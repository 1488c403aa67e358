"""`python -m tests.bench`: the figures behind every claim of speed, as ratios taken in one run."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.bench import budgets, history
from tests.bench.completing import completing
from tests.bench.corpus import build
from tests.bench.drifting import drifting
from tests.bench.edits import compare
from tests.bench.figures import Figure, as_json, load, table
from tests.bench.judging import judging_elsewhere
from tests.bench.server import FULL, TAKES, TINY, Size, Take, environment, measure

DOCUMENTS, ANCHORS = 3_000, 25_000
NAMES = ("edits", "check", "history", "server", "drift", "judging", "completion")
BUDGETS = "budgets"
"""What takes all that has a budget once more, so that it is done only where it is named."""


def _timed(command: list[str], folder: Path, own: Path) -> tuple[float, str]:
    started = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(own),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return time.perf_counter() - started, done.stdout


def _edits() -> None:
    long, short = compare()
    print(f"Document.edit, one character: {long * 1e6:.0f} µs at 10,000 lines, {short * 1e6:.0f} µs at 100 lines")
    print(f"  ratio {long / short:.2f} (at most 2)")


def _check(folder: Path, own: Path) -> tuple[float, float]:
    """Give the seconds a citation: with nothing stored, and with the past stored."""
    command = [sys.executable, "-m", "cite_lsp", "check"]
    first, out = _timed([*command, "--format", "json"], folder, own)
    anchors: int = json.loads(out)["summary"]["anchors"]
    spent = min(_timed(command, folder, own)[0] for _ in range(3))
    as_json = min(_timed([*command, "--format", "json"], folder, own)[0] for _ in range(3))
    print(f"cite-lsp check, process start included: {spent:.2f} s for {DOCUMENTS:,} documents, {anchors:,} citations")
    print(f"  {DOCUMENTS / spent:.0f} documents a second, {spent / anchors * 1e6:.0f} µs a citation; past stored")
    print(f"  as JSON, with every claim: {as_json:.2f} s; the same with nothing stored: {first:.2f} s")
    return first / anchors, spent / anchors


def _linecite(folder: Path, own: Path, first: float, again: float) -> None:
    program = shutil.which(
        "linecite", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    )
    if program is None:
        print("linecite audit: not run (pip install linecite)")
        return
    documents = sorted(str(path.relative_to(folder)) for path in folder.glob("docs/**/*.md"))
    command = [program, "audit", *documents]
    spent, out = min((_timed(command, folder, own) for _ in range(2)), key=lambda run: run[0])
    line = next(row for row in out.splitlines() if row.startswith("number-only citations"))
    count = int(line.split()[2])
    each = spent / count
    print(f"linecite audit, process start included: {spent:.2f} s, {count:,} citations, {each * 1e6:.0f} µs each")
    print(f"  cite-lsp check takes 1/{each / again:.1f} of that for a citation (at most 1/10)")
    print(f"  and 1/{each / first:.1f} with nothing stored, as JSON (at most 1/3)")


def _print_check() -> None:
    with tempfile.TemporaryDirectory(prefix="cite-lsp-bench-") as name:
        folder, own = Path(name) / "work", Path(name) / "own"
        for each in (folder, own):
            each.mkdir()
        build(folder, DOCUMENTS, ANCHORS)
        _linecite(folder, own, *_check(folder, own))


def _print_history(roots: Sequence[Path], *, tiny: bool) -> list[Figure]:
    before = load()
    figures = list(history.measure(roots, history.TINY if tiny else None))
    print(f"cite-lsp check with its history; load {before} before, {load()} after, {os.cpu_count()} cores")
    print(table(figures))
    return figures


def _print_server(size: Size, takes: Sequence[Take]) -> list[Figure]:
    before = load()
    figures = list(measure(size, takes, _say))
    print(f"cite-lsp serve; load {before} before, {load()} after, {os.cpu_count()} cores")
    print(table(figures))
    return figures


def _print_budgets(size: Size, file: Path | None) -> None:
    before = load()
    lines = budgets.take(size, _say)
    print(f"the budgets of cite-lsp serve; load {before} before, {load()} after, {os.cpu_count()} cores")
    print(budgets.table(lines))
    if file is not None:
        data = {**as_json((), before), "budgets": budgets.as_data(lines)}
        file.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


def _say(doing: str) -> None:
    print(f"  … {doing}", file=sys.stderr)


def main() -> None:
    """Print the figures that are asked for, or all."""
    judge = "What the embedded judge says of labelled rows is measured by: python -m tests.bench.judge [SET…]"
    parser = argparse.ArgumentParser("python -m tests.bench", description=__doc__, epilog=judge)
    what = (
        f"{', '.join(NAMES)}; all where none is named; behind `history` the repositories to take it in;"
        f" or {BUDGETS}: every budget of the server in one table, beside its peers"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=what)
    parser.add_argument("--json", type=Path, metavar="FILE", help="the figures as data, but for edits and check")
    parser.add_argument("--tiny", action="store_true", help="those figures in small: to see that it still runs")
    parser.add_argument("--short", action="store_true", help=f"{BUDGETS} on the same documents, looked at less often")
    options = parser.parse_args()
    if options.names == [BUDGETS]:
        _print_budgets(TINY if options.tiny else budgets.SHORT if options.short else FULL, options.json)
        return
    roots = [Path(name) for name in options.names[1:]] if options.names[:1] == ["history"] else []
    roots = [root for root in roots if root.is_dir()]
    options.names = [name for name in options.names if Path(name) not in roots]
    wrong = [name for name in options.names if name not in NAMES]
    if wrong:
        parser.error(f"there is no bench {wrong[0]!r}; the names are {', '.join(NAMES)}")
    names = options.names or NAMES
    if "edits" in names:
        _edits()
    if "check" in names:
        _print_check()
    takes = [*(TAKES if "server" in names else ())]
    takes += [
        take
        for name, take in (("drift", drifting), ("judging", judging_elsewhere), ("completion", completing))
        if name in names
    ]
    before = load()
    figures = _print_history(roots, tiny=options.tiny) if "history" in names else []
    if takes:
        figures += _print_server(TINY if options.tiny else FULL, takes)
    if options.json is not None:
        options.json.write_text(json.dumps(as_json(figures, before), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
