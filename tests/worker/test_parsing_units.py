"""The logical unit of a line by the parser, and the excerpts that come of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cite_lsp.document.document import Document
from cite_lsp.snapshot.code_facts import UnitOf, unit_of, units_by
from cite_lsp.snapshot.excerpt import unit_excerpt
from cite_lsp.snapshot.languages import language_of
from cite_lsp.snapshot.snapshot import Snapshot
from cite_lsp.snapshot.units import stands_alone
from cite_lsp.worker.parser import Parser

SAMPLES = Path(__file__).parents[1] / "samples" / "parsing"
KINDS = {"definition", "statement", "key", "comment-declaration", "paragraph"}

PYTHON = '''"""Module."""

import os

LIMITS = {
    "depth": 3,
    "nested": {
        "size": 4,
    },
}


# Retries.
@cached(
    size=3,
)
def fetch(
    path,
    tries=3,
):  # noqa: X
    """Fetches.

    More.
    """
    if tries > 3:
        one(path)
    elif path:
        two(
            path,
        )
    else:
        three()
    first = 1
    second = """
def inner():
# no comment
"""
    return first


class Kept:
    size = 1
    """How large."""
'''
SCRIPT = """// Sends.
app.post('/a',
  async (request) => {
    one();
    two({
      a: 1,
    });
  });

/** Of it. */
export const send = (a) => {
  if (a) {
    return 1;
  } else {
    return 2;
  }
};
"""


@pytest.fixture(scope="module")
def units() -> Iterator[UnitOf]:
    with Parser() as parser:
        yield units_by(parser)


@pytest.mark.parametrize(
    ("line", "unit"),
    [
        (1, ("comment-declaration", 1, 1)),
        (3, ("paragraph", 3, 3)),
        (5, ("statement", 5, 10)),
        (6, ("statement", 5, 10)),
        (7, ("key", 7, 9)),
        (13, None),  # a comment: the text rules hold
        (14, ("definition", 13, 38)),
        (15, ("definition", 13, 38)),
        (17, ("definition", 13, 38)),
        (19, ("definition", 13, 38)),
        (20, ("definition", 13, 38)),
        (21, ("comment-declaration", 14, 24)),
        (23, ("comment-declaration", 14, 24)),
        (24, ("comment-declaration", 14, 24)),
        (25, ("statement", 25, 32)),
        (26, ("paragraph", 26, 26)),
        (27, ("statement", 27, 30)),
        (28, ("statement", 28, 30)),
        (29, ("statement", 28, 30)),
        (31, ("statement", 31, 32)),
        (33, ("paragraph", 33, 33)),
        (35, ("statement", 34, 37)),
        (36, ("statement", 34, 37)),
        (41, ("definition", 41, 43)),
        (43, None),  # of the line above
    ],
)
def test_units_of_python(units: UnitOf, line: int, unit: tuple[str, int, int] | None) -> None:
    lines = tuple(PYTHON.split("\n"))
    assert units("python", lines, line) == unit


@pytest.mark.parametrize(
    ("line", "unit"),
    [
        (1, None),
        (2, ("statement", 2, 8)),
        (3, ("statement", 2, 8)),
        (4, ("paragraph", 4, 4)),
        (5, ("statement", 5, 7)),
        (6, ("statement", 5, 7)),
        (11, ("definition", 10, 17)),
        (12, ("statement", 12, 16)),
        (14, ("statement", 12, 16)),
        (15, ("paragraph", 15, 15)),
    ],
)
def test_units_of_javascript(units: UnitOf, line: int, unit: tuple[str, int, int] | None) -> None:
    assert units("javascript", tuple(SCRIPT.split("\n")), line) == unit


@pytest.mark.parametrize(
    ("language", "text", "line", "unit"),
    [
        ("rust", "/// Doc.\n#[inline]\nfn f(\n  a: u8,\n) {\n  b()\n}", 4, ("definition", 1, 7)),
        ("rust", "/// Doc.\n#[inline]\nfn f() {}", 2, ("definition", 1, 3)),
        ("rust", "fn f() { match a {\n 1 => {\n  b()\n }\n _ => c(),\n} }", 2, ("statement", 2, 4)),
        ("go", "package p\n// S is.\ntype S struct {\n\tA int\n}", 3, ("definition", 2, 5)),
        ("go", "package p\nvar x = T{\n\tA: U{\n\t\tB: 1,\n\t},\n}", 3, ("key", 3, 5)),
        ("java", "class A {\n  @B\n  int c() {\n    return 1;\n  }\n}", 2, ("definition", 2, 5)),
        ("c", "/* F. */\nstatic int\nf(int a)\n{\n  return a;\n}", 3, ("definition", 1, 6)),
        ("cpp", "template <typename T>\nclass A {\n  T a;\n};", 1, ("definition", 1, 4)),
        ("csharp", "class A {\n  [B]\n  int C() => 1;\n}", 2, ("definition", 2, 3)),
        ("ruby", "# F.\ndef f(a)\n  b(1,\n    2)\nend", 2, ("definition", 1, 5)),
        ("ruby", "# F.\ndef f(a)\n  b(1,\n    2)\nend", 4, ("statement", 3, 4)),
        ("shell", "# F.\nf() {\n  if a; then\n    b\n  fi\n}", 2, ("definition", 1, 6)),
        ("shell", "# F.\nf() {\n  if a; then\n    b\n  fi\n}", 3, ("statement", 3, 5)),
        ("typescript", "@B()\nclass A {\n  c = 1;\n}", 1, ("definition", 1, 4)),
    ],
)
def test_units_of_others(units: UnitOf, language: str, text: str, line: int, unit: tuple[str, int, int]) -> None:
    assert units(language, tuple(text.split("\n")), line) == unit


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("sample.*[!s]")), ids=lambda path: path.name)
def test_every_unit_holds_its_line_and_makes_an_excerpt(units: UnitOf, path: Path) -> None:
    lines = tuple(path.read_text(encoding="utf-8").split("\n"))
    language = language_of(path.name)
    assert language is not None
    for number, line in enumerate(lines, 1):
        found = units(language, lines, number)
        if found is not None:
            assert found[0] in KINDS
            assert 1 <= found[1] <= number <= found[2] <= len(lines)
        excerpt = unit_excerpt(lines, number, None, language=language, units=units)
        assert excerpt is not None
        assert number in [each for each, _ in excerpt.lines]
        if found is None or stands_alone(line):
            assert excerpt == unit_excerpt(lines, number, None, language=language)
        elif found[0] == "paragraph":
            assert excerpt.unit == "paragraph"
        else:
            assert excerpt.unit == found[0]
            assert (excerpt.start_line, excerpt.truncated) == (max(found[1], number - 19), found[2] > excerpt.end_line)


def test_a_snapshot_hands_the_units_on(units: UnitOf) -> None:
    snapshot = Snapshot.of({"a.py": PYTHON})
    document = Document.parse("Depth is 3 (`a.py:6`), see `a.py:6-7`.")
    texts = snapshot.excerpts(snapshot.resolve(document.anchors[0], document), document.anchors[0], units=units)
    assert [(each.unit, each.start_line, each.end_line) for each in texts if each] == [("statement", 5, 10)]
    ranged = snapshot.excerpts(snapshot.resolve(document.anchors[1], document), document.anchors[1], units=units)
    assert [(each.start_line, each.end_line) for each in ranged if each] == [(6, 7)]
    (plain,) = snapshot.excerpts(snapshot.resolve(document.anchors[0], document), document.anchors[0])
    assert plain is not None
    assert plain.unit == "paragraph"


def test_a_parser_that_knows_nothing_leaves_the_text_rules() -> None:
    lines = tuple(PYTHON.split("\n"))
    for number in range(1, len(lines) + 1):
        plain = unit_excerpt(lines, number, None, language="python")
        assert unit_excerpt(lines, number, None, language="python", units=lambda *_: None) == plain
    assert unit_of(lines, 1, None) is None


def test_units_are_asked_for_in_code_alone() -> None:
    def never(*_: object) -> None:
        raise AssertionError("asked")

    for language in ("markdown", "text", None, "unheard"):
        unit_excerpt(["# A", "", "b"], 1, None, language=language, units=never)
    unit_excerpt(["}", "a = 1"], 1, None, language="python", units=never)
    unit_excerpt(["a = 1", "b = 2"], 1, 2, language="python", units=never)
