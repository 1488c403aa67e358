"""`python -m tests.bench budgets`: every budget of the server in one table, beside the peers, taken in one run.

The rows stand in the order of the page that sets the budgets. A peer's figure stands beside ours where it does the same
on the same document: start, open, type, hover, memory. How many times ours it is goes by our figure in the column
beside, which was taken as theirs were: a server that has only just started is asked, as soon as it answers.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tests.bench.completing import completing
from tests.bench.figures import Figure, aligned, number, verdict_of
from tests.bench.peers import OTHERS, US
from tests.bench.server import (
    FULL,
    Size,
    Take,
    bursts,
    cited_file,
    indexing,
    judging,
    leaving,
    looking,
    measure,
    memory,
    opening,
    peers,
    saving,
    starts,
    typing,
)

SHORT = replace(FULL, starts=3, opens=3, keys=80, asks=60, bursts=3, saves=5, rounds=1, idle=5.0)
"""The same documents and files, looked at less often."""

_TAKES: Sequence[Take] = (
    starts, opening, typing, cited_file, bursts, looking, indexing, judging, completing, saving, leaving, memory, peers,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Row:
    """A budget.

    Attributes:
        title: What it is of, where nothing was measured.
        name: A regular expression for the names of our figures of it, each a line.
        beside: What the peers' figures of the same are called; "" where no peer does it.
    """

    title: str
    name: str
    beside: str = ""


_ROWS = (
    _Row("process start to `initialize` answered", "start → initialize answered", "start → initialize answered"),
    _Row("open → findings", "open → findings", "open → findings"),
    _Row("one character typed", "one character typed → findings", "one character typed → findings"),
    _Row("… against 100 lines", "  ratio of the medians"),
    _Row("one character typed in a cited file", "one character typed in a cited file → findings"),
    _Row("many edits in one event", r"[\d,]+ edits in one event"),
    _Row("hover", "hover", "hover"),
    _Row("definition", "definition"),
    _Row("links", "documentLink"),
    _Row("hover while files are indexed", r"hover while [\d,]+ files are indexed"),
    _Row("hover while rows are judged", r"hover while [\d,]+ rows are judged"),
    _Row("completion of paths", r"completion over [\d,]+ paths"),
    _Row("completion of lines", r"  of lines and names of a file of [\d,]+ lines"),
    _Row("index", r"initialized → [\d,]+ files indexed, warm"),
    _Row("save with all verdicts cached", "save, verdicts cached → published"),
    _Row("shutdown and exit", "shutdown and exit, (?:idle|indexing|judging)"),
    _Row("resident memory", "resident memory of the (?:server|worker), .*"),
    _Row("memory beside the peers", f"{US.name}: resident memory of the server", "resident memory of the server"),
    _Row("idle processor's time", "processor's time of the idle (?:server|worker)"),
)


@dataclass(frozen=True, slots=True)
class Beside:
    """A peer's figure; `ratio`: how many times ours it is, None where one of the two was not taken."""

    figure: Figure
    ratio: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """One of our figures with its budget, and the peers' by their names."""

    figure: Figure
    beside: Mapping[str, Beside] = field(default_factory=dict)


def take(size: Size, say: Callable[[str], None]) -> list[Line]:
    """Take all figures; give them in the order of the budgets, and last what could not be taken.

    Args:
        size: How much of everything.
        say: Told what is being done.
    """
    return _lines(list(measure(size, _TAKES, say)))


def _lines(figures: Sequence[Figure]) -> list[Line]:
    by_name = {figure.name: figure for figure in figures}
    lines: list[Line] = []
    for row in _ROWS:
        ours = [figure for figure in figures if re.fullmatch(row.name, figure.name)]
        lines += [Line(figure, _beside(row, by_name)) for figure in ours]
        if not ours:
            lines.append(Line(Figure(row.title, "", None, note="its take was broken off: see the last lines")))
    broken = [figure for figure in figures if figure.p50 is None and not figure.unit and figure.note]
    return [*lines, *map(Line, broken)]


def _beside(row: _Row, by_name: Mapping[str, Figure]) -> dict[str, Beside]:
    if not row.beside:
        return {}
    ours = by_name.get(f"{US.name}: {row.beside}")
    found = {peer.name: by_name.get(f"{peer.name}: {row.beside}") for peer in (US, *OTHERS)}
    return {name: Beside(figure, _ratio(figure, ours)) for name, figure in found.items() if figure is not None}


def _ratio(theirs: Figure, ours: Figure | None) -> float | None:
    if ours is None or not ours.p50 or theirs.p50 is None:
        return None
    return theirs.p50 / ours.p50


def table(lines: Sequence[Line]) -> str:
    """Write the budgets as lines of text; a peer's cell is its median, and how many times ours."""
    names = [peer.name for peer in (US, *OTHERS)]
    rows = [("figure", "p50", "p99", "n", "budget", "beside: ours", *names[1:], "")]
    for line in lines:
        figure = line.figure
        budget = " / ".join(f"{each:g}" for each in (figure.budget_p50, figure.budget_p99) if each is not None)
        name = f"{figure.name} ({figure.unit})" if figure.unit else figure.name
        count = str(figure.count) if figure.p50 is not None else ""
        cells = [_cell(line.beside.get(name)) for name in names]
        rows.append((name, number(figure.p50), number(figure.p99), count, budget, *cells, verdict_of(figure)))
    return aligned(rows)


def _cell(beside: Beside | None) -> str:
    if beside is None or beside.figure.p50 is None:
        return "–"
    known = beside.ratio is not None and not beside.figure.name.startswith(US.name)
    return number(beside.figure.p50) + (f" ({beside.ratio:.2f} ×)" if known else "")


def as_data(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Give the budgets as plain data."""
    return [
        {
            **asdict(line.figure),
            "verdict": line.figure.verdict,
            "beside": {name: {**asdict(each.figure), "ratio": each.ratio} for name, each in line.beside.items()},
        }
        for line in lines
    ]
