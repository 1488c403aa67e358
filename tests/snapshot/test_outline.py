"""What a file defines by text rules, and what of it somebody means who has typed a part."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.snapshot.line_search import LIMIT, LINE, citable_places, in_file
from cite_lsp.snapshot.outline import MOST_SYMBOLS, Symbol, text_outline

PYTHON = """\
import os

LIMIT = 3


class Retry:
    def wait(self):
        return LIMIT

    async def stop(self):
        return None


def run_loop():
    return Retry()
"""


def outline(text: str, language: str) -> list[tuple[str, str, str, int, int]]:
    return [tuple(each) for each in text_outline(text.split("\n"), language)]


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        (
            "python",
            PYTHON,
            [
                ("Retry", "class", "", 6, 11),
                ("wait", "function", "Retry", 7, 8),
                ("stop", "function", "Retry", 10, 11),
                ("run_loop", "function", "", 14, 15),
            ],
        ),
        (
            "kotlin",
            "class Store {\n    fun read(key: String): Int {\n        return 1\n    }\n}\n\nfun main() = run()\n",
            [("Store", "class", "", 1, 5), ("read", "function", "Store", 2, 4), ("main", "function", "", 7, 7)],
        ),
        ("sql", "create table if not exists users (\n  id int\n);\n", [("users", "table", "", 1, 3)]),
        (
            "markdown",
            "# One\n\ntext\n\n## Two\nmore\n\n```\n# no heading\n```\n\n# Three\n",
            [("One", "heading", "", 1, 10), ("Two", "heading", "", 5, 10), ("Three", "heading", "", 12, 12)],
        ),
        ("rst", "One\n===\n\ntext\n\nTwo\n===\n", [("One", "heading", "", 1, 4), ("Two", "heading", "", 6, 7)]),
        ("yaml", "on:\n  push: 1\njobs:\n  a: 2\n", [("on", "key", "", 1, 2), ("jobs", "key", "", 3, 4)]),
        ("toml", "[a.b]\nc = 1\n\n[d]\n", [("a.b", "key", "", 1, 2), ("c", "key", "", 2, 2), ("d", "key", "", 4, 4)]),
        (
            "json",
            '{\n  "a": {\n    "b": 1\n  },\n  "c": 2\n}\n',
            [("a", "key", "", 2, 4), ("c", "key", "", 5, 5)],
        ),
        (
            "hash-comments",
            ".PHONY: all\nall: one\n\techo\n\techo\n\nX := 3\nbuild/%.o: a.c\n\tcc\n",
            [("all", "target", "", 2, 4), ("build/%.o", "target", "", 7, 8)],
        ),
        ("data", "a: 1\n", []),
        ("nonsense", "def f():\n", []),
    ],
)
def test_what_a_file_defines(language: str, text: str, wanted: list[tuple[str, str, str, int, int]]) -> None:
    assert outline(text, language) == wanted


@pytest.mark.parametrize(
    "language",
    ["python", "typescript", "markdown", "rst", "asciidoc", "yaml", "toml", "json", "ini", "lua", "lisp", "php"],
)
@given(text=st.text(alphabet="abc (){}[]:=#\"'\n\t-.;/*\\<>fdeclass ", max_size=200))
def test_it_never_raises_and_names_lines_of_the_file(language: str, text: str) -> None:
    lines = text.split("\n")
    for each in text_outline(lines, language):
        assert each.name
        assert 1 <= each.first <= each.last <= len(lines)


def test_of_generated_files_there_is_an_end() -> None:
    assert len(text_outline([f"def f{number}(): pass" for number in range(5_000)], "python")) == MOST_SYMBOLS


def places(typed: str, after: int = 0) -> list[tuple[str, int, int]]:
    lines = PYTHON.split("\n")[:-1]
    found = citable_places(lines, text_outline(lines, "python"), typed, after)
    return [(each.name or each.kind, each.first, each.last) for each in found]


def test_with_nothing_typed_the_names_come_first_then_the_lines_that_are_not_blank() -> None:
    found = places("")
    assert found[:4] == [("Retry", 6, 11), ("wait", 7, 8), ("stop", 10, 11), ("run_loop", 14, 15)]
    assert found[4:7] == [(LINE, 1, 1), (LINE, 3, 3), (LINE, 6, 6)]


def test_a_number_gives_the_line_then_what_begins_there_then_longer_numbers() -> None:
    assert places("1") == [
        (LINE, 1, 1),
        ("stop", 10, 11),
        ("run_loop", 14, 15),
        *((LINE, number, number) for number in (10, 11, 14, 15)),
    ]
    assert places("6")[:2] == [(LINE, 6, 6), ("Retry", 6, 11)]
    assert places("0") == places("99") == places("1" * 40) == []


def test_letters_give_names_then_lines_that_hold_them() -> None:
    assert places("retry") == [("Retry", 6, 11), ("wait", 7, 8), ("stop", 10, 11), (LINE, 6, 6), (LINE, 15, 15)]
    assert places("rl")[0] == ("run_loop", 14, 15)
    assert places("Retry.st")[0] == ("stop", 10, 11)
    assert places("limit") == [(LINE, 3, 3), (LINE, 8, 8)]


def test_behind_a_dash_come_the_ends_of_what_begins_there_then_the_lines_below() -> None:
    assert places("", 7)[:4] == [("wait", 8, 8), ("Retry", 11, 11), (LINE, 10, 10), (LINE, 14, 14)]
    assert places("1", 7) == [("Retry", 11, 11), (LINE, 10, 10), (LINE, 14, 14), (LINE, 15, 15)]


def test_there_are_never_too_many() -> None:
    lines = ["x = 1"] * 3_000
    symbols = in_file([Symbol(f"n{number}", "key", "", number, number) for number in range(4_000)], 3_000)
    assert (symbols[0].first, symbols[-1].last) == (1, 3_000)
    for typed in ("", "1", "n", "x"):
        assert len(citable_places(lines, symbols, typed)) == LIMIT
