"""Excerpts against the reference's: equal row for row, but for the departures that are named here.

A departure says which weakness of the reference (by its number in the list of them) it puts right, and what ours
gives instead. A row that is listed and yet agrees is an error too.
"""

import json
from pathlib import Path
from typing import Any

from cite_lsp.snapshot.excerpt import unit_excerpt, window_excerpt

TRUNCATED_ONLY_IF_LEFT_OUT = "21: a unit of exactly as many lines as the cap is not truncated"

DEPARTURES: dict[str, tuple[str, dict[str, Any]]] = {
    "paragraph of 20 L1": (
        TRUNCATED_ONLY_IF_LEFT_OUT,
        {"type": "paragraph", "lines": 20, "line_numbers": list(range(1, 21)), "length": 241},
    ),
    "explicit range at cap L1": (
        TRUNCATED_ONLY_IF_LEFT_OUT,
        {"type": "paragraph", "lines": 20, "line_numbers": list(range(1, 21)), "length": 241},
    ),
    "range extended caps L1": (
        TRUNCATED_ONLY_IF_LEFT_OUT,
        {"type": "paragraph", "lines": 40, "line_numbers": list(range(1, 41)), "length": 501},
    ),
    "table line L6": (
        "22: every body row stands under its header and delimiter",
        {"type": "table-row", "lines": 3, "line_numbers": [3, 4, 6], "length": 45},
    ),
    "blank anchor joins both paragraphs L3": (
        "23: a blank line stands for itself",
        {"type": "paragraph", "lines": 1, "line_numbers": [3], "length": 4},
    ),
    "parent heading stops at child heading L1": (
        "22: a section goes on to the next heading of the same or a higher level",
        {"type": "section", "lines": 4, "line_numbers": [1, 2, 3, 4], "length": 49},
    ),
    "section stops at # inside fence L1": (
        "22: a # line in a fence is no heading",
        {"type": "section", "lines": 7, "line_numbers": [1, 2, 3, 4, 5, 6, 7], "length": 80},
    ),
    "md list with nested item L1": (
        "22: a list item holds its nested items",
        {"type": "list-item", "lines": 4, "line_numbers": [1, 2, 3, 4], "length": 48},
    ),
    "md list, loose second paragraph L1": (
        "22: a list item holds its further paragraphs",
        {"type": "list-item", "lines": 3, "line_numbers": [1, 2, 3], "length": 32},
    ),
    "lazy continuation L1": (
        "22: a list item holds its lazily continued lines",
        {"type": "list-item", "lines": 2, "line_numbers": [1, 2], "length": 18},
    ),
}


def vectors(shared: Path, group: str) -> list[dict[str, Any]]:
    loaded = json.loads((shared / "vectors" / "rulvar.json").read_text(encoding="utf-8"))
    return loaded[group]


def ours(row: dict[str, Any]) -> dict[str, Any] | None:
    excerpt = unit_excerpt(row["file"], row["line"], row["end"], **row["caps"])
    if excerpt is None:
        return None
    told = {
        "type": excerpt.unit,
        "lines": len(excerpt.lines),
        "line_numbers": [number for number, _ in excerpt.lines],
        "length": len(excerpt.text),
    }
    return told | {"truncated": True} if excerpt.truncated else told


def test_window_excerpts(shared: Path) -> None:
    rows = vectors(shared, "v1_excerpt")
    assert len(rows) == 7
    for row in rows:
        excerpt = window_excerpt(row["file"], row["line"], row["end"], window=row["window"])
        if "expect" in row:
            assert (excerpt and excerpt.text) == row["expect"]
        else:
            assert excerpt is not None
            assert len(excerpt.text) == row["expect_length"]
            assert excerpt.text.startswith(row["expect_prefix"])
            assert excerpt.text.endswith(row["expect_suffix"])


def test_unit_excerpts_that_agree(shared: Path) -> None:
    rows = [row for row in vectors(shared, "unit_excerpt") if name(row) not in DEPARTURES]
    assert len(rows) == 24
    for row in rows:
        assert ours(row) == row["expect"], name(row)


def test_unit_excerpts_that_depart(shared: Path) -> None:
    rows = {name(row): row for row in vectors(shared, "unit_excerpt") if name(row) in DEPARTURES}
    assert set(rows) == set(DEPARTURES)
    for key, (rule, instead) in DEPARTURES.items():
        assert ours(rows[key]) != rows[key]["expect"], f"stale departure {key} ({rule})"
        assert ours(rows[key]) == instead, f"{key} ({rule})"


def name(row: dict[str, Any]) -> str:
    return f"{row['name']} L{row['line']}"
