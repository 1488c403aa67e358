"""Figures, each with its budget, as a table and as JSON."""

import math
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cite_lsp import __version__


@dataclass(frozen=True)
class Figure:
    """One row of the table."""

    name: str
    unit: str
    p50: float | None
    p99: float | None = None
    """None, as `most`, for a figure that was taken once."""
    most: float | None = None
    count: int = 1
    budget_p50: float | None = None
    budget_p99: float | None = None
    note: str = ""
    """Of a figure that was not taken: why."""

    @property
    def verdict(self) -> str:
        """Give `met`, `NOT met`, `not measured`, or `` where there is no budget."""
        if self.p50 is None:
            return "not measured"
        pairs = ((self.p50, self.budget_p50), (self.p99, self.budget_p99))
        within = [value <= budget for value, budget in pairs if value is not None and budget is not None]
        if not within:
            return ""
        return "met" if all(within) else "NOT met"


def spread(name: str, seconds: Sequence[float], budget: tuple[float, float] | None = None, note: str = "") -> Figure:
    """Give the median and the 99th percentile of durations, in milliseconds; `budget` likewise.

    Of fewer than a hundred durations the 99th percentile is the longest.
    """
    if not seconds:
        return Figure(name, "ms", None, note=note or "nothing was measured")
    in_order = sorted(each * 1000 for each in seconds)
    p50, p99 = quantile(in_order, 0.5), quantile(in_order, 0.99)
    most, (budget_p50, budget_p99) = in_order[-1], budget or (None, None)
    return Figure(name, "ms", p50, p99, most, len(in_order), budget_p50, budget_p99, note)


def quantile(in_order: Sequence[float], share: float) -> float:
    """Give the value that a share of the values does not exceed."""
    return in_order[max(0, math.ceil(len(in_order) * share) - 1)]


def table(figures: Iterable[Figure]) -> str:
    """Write figures as lines of text."""
    rows = [("figure", "p50", "p99", "most", "n", "budget", "")]
    for figure in figures:
        budget = " / ".join(f"{each:g}" for each in (figure.budget_p50, figure.budget_p99) if each is not None)
        p50, p99, most = map(number, (figure.p50, figure.p99, figure.most))
        count = str(figure.count) if figure.p50 is not None else ""
        name = f"{figure.name} ({figure.unit})" if figure.unit else figure.name
        rows.append((name, p50, p99, most, count, budget, verdict_of(figure)))
    return aligned(rows)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Write cells as lines of text: the first to the left, the last as long as it is, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=False))
        )
        + (f"  {row[-1]}" if row[-1] else "")
        for row in rows
    )


def verdict_of(figure: Figure) -> str:
    """Give the verdict of a figure with its note."""
    return ": ".join(filter(None, (figure.verdict, figure.note)))


def number(value: float | None) -> str:
    """Write a number as short as it can be read; "" for None."""
    if value is None:
        return ""
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def as_json(figures: Iterable[Figure], before: Sequence[float] | None) -> dict[str, Any]:
    """Give figures as plain data, with the machine that they were taken on."""
    return {
        "machine": machine(),
        "load": {"before": before, "after": load()},
        "figures": [{**asdict(figure), "verdict": figure.verdict} for figure in figures],
    }


def machine() -> dict[str, Any]:
    """Say where the figures come from."""
    return {
        "cite-lsp": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "platform": sys.platform,
    }


def load() -> list[float] | None:
    """Give the load of the machine over 1, 5 and 15 minutes, where the system tells."""
    return [round(each, 2) for each in os.getloadavg()] if hasattr(os, "getloadavg") else None
