"""A document tells which paths it looked for in vain: as long as none of them appears, it reads as it did."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.document.document import Document

NAMES = ("Makefile", "a.py", "src/a.py", "b c.py", "src/b c.py", "run.log", "LICENSE", "see a.py", "tool", "docs/tool")
PIECES = (
    *NAMES, *(f"`{name}:3`" for name in NAMES), *(f"[x]({name}#L2)" for name in NAMES),
    *(f"`{name}`" for name in NAMES),
    ":12", "`:7`", " line 4", "lines 3-4 of ", " (L2)", "(42)", "#L5", "`", " ", " ", "\n", "\n\n", "- ", "> ", "and ",
    "```\n", "[x]: Makefile#L4\n", "[the rule in Makefile:3](a.py)", "[see `tool` line 2](LICENSE#L1)",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
KNOWN = st.frozensets(st.sampled_from(NAMES))


def read(text: str, known: frozenset[str], *, in_fences: bool) -> Document:
    return Document.parse(text, "d.md", known=known, in_fences=in_fences)


@given(TEXTS, KNOWN, KNOWN, st.booleans())
def test_what_was_not_missed_changes_nothing_when_it_appears(
    text: str, known: frozenset[str], more: frozenset[str], in_fences: bool
) -> None:
    document = read(text, known, in_fences=in_fences)
    assert not document.refused & known
    after = read(text, known | (more - document.refused), in_fences=in_fences)
    assert (after.anchors, after.unattached) == (document.anchors, document.unattached)


@pytest.mark.parametrize(
    ("text", "missed", "cited"),
    [
        ("`src/modThe blank one is src/a.py:7`", "src/a.py", "src/a.py:7"),
        ("`see b c.py:3`", "see b c.py", "see b c.py:3"),
        ("Lines 3-4 of `Makefile` say it.", "Makefile", "Lines 3-4 of `Makefile"),
        ("`Makefile` line 4", "Makefile", "Makefile` line 4"),
        ("Look at `Makefile`, the rule at `:12`.", "Makefile", ":12"),
        ("[the rule](Makefile#L3)", "Makefile", "[the rule](Makefile#L3)"),
        ("[the rule]: Makefile#L3\n", "Makefile", "[the rule]: Makefile#L3"),
        ("It says so in `run.log` (L2).", "run.log", "run.log` (L2"),
        ("`run.log(42)`", "run.log", "run.log(42)"),
    ],
)
def test_with_a_path_that_was_missed_it_reads_otherwise(text: str, missed: str, cited: str) -> None:
    before, after = (read(text, frozenset(known), in_fences=False) for known in ((), (missed,)))
    assert cited not in [each.text for each in before.anchors]
    assert missed in before.refused
    assert cited in [each.text for each in after.anchors]
