"""Versions of a document are compared where they differ, and that changes no answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.document.document import Document
from cite_lsp.snapshot.versions import Sought, Version, sought_in

LINES = (
    "See `a.py:3` for the limit.",
    "  See `a.py:3` for the limit.",
    "- `a.py:3`",
    "- `a.py:4`",
    "\ufeff- `a.py:4`",
    "Between lines 3-5 of it.",
    "",
    "nothing",
    "  ",
)
texts = st.tuples(st.lists(st.sampled_from(LINES), max_size=12), st.sampled_from(["", "\n"])).map(
    lambda pair: "\n".join(pair[0]) + pair[1]
)


def sought(text: str) -> list[Sought]:
    return [each for each in sought_in(Document.parse(text, "a.md"), lambda _: True) if each is not None]


@settings(max_examples=500)
@given(texts, texts)
def test_what_is_left_alone_is_there(text, other):
    version, older = Version(text), Version(other)
    for each in sought(text):
        if version.keeps(each, older):
            assert older.has(each)


@settings(max_examples=500)
@given(texts, texts, texts)
def test_what_was_replaced_does_not_depend_on_what_was_asked_before(text, other, before):
    version, older = Version(text), Version(other)
    version.replaced(Version(before))
    gone = {line.strip() for line in older.lines} - {line.strip() for line in version.lines}
    named = {line for line in gone if "`" in line or "lines" in line}
    if "\ufeff" not in text + other:
        assert bool(version.replaced(older)) == bool(named)


@pytest.mark.parametrize(
    ("text", "other", "kept"),
    [
        ("x\n- `a.py:3`\ny\n", "z\n- `a.py:3`\nw\n", False),  # between two changes: looked up
        ("x\n- `a.py:3`\n", "y\n- `a.py:3`\n", True),
        ("- `a.py:3`", "- `a.py:3`\nx", False),  # at the very end or beginning too
        ("- `a.py:3`", "- `a.py:33`", False),
        ("- `a.py:3`\n", "x\n- `a.py:3`\n", False),
        ("\n- `a.py:3`\n", "x\n- `a.py:3`\n", True),
        ("- `a.py:3`\n", "-- `a.py:3`\n", False),
    ],
)
def test_the_line_of_a_citation_between_two_versions(text, other, kept):
    (one,) = sought(text)
    assert Version(text).keeps(one, Version(other)) is kept
