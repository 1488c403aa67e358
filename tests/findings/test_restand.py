"""A citation that is made to cite other lines keeps its author's form, and nothing beside it changes."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.document.ranges import Span
from cite_lsp.findings.finding import Edit
from cite_lsp.snapshot.rewrite import restand


def applied(text: str, edits: Sequence[Edit]) -> str:
    assert all(one.end <= other.start for one, other in pairwise(edits)), "edits overlap, or are out of order"
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def restood(text: str, spans: Sequence[Span], path: str | None = None, number: int = -1) -> str:
    document = Document.parse(text, "docs/d.md", frozenset({"Makefile"}))
    return applied(text, restand(document.anchors[number], document, spans, path))


@pytest.mark.parametrize(
    ("before", "spans", "after"),
    [
        ("`a.py:24-26`", [(31, 33)], "`a.py:31-33`"),
        ("`a.py:24–26` 🎉", [(31, 33)], "`a.py:31–33` 🎉"),
        ("`a.py:L24-L26`", [(31, 33)], "`a.py:L31-L33`"),
        ("`a.py#L24-L26`", [(31, 33)], "`a.py#L31-L33`"),
        ("`a.py#L24-26`", [(31, 33)], "`a.py#L31-33`"),
        ("a.py, lines 24 to 26.", [(31, 33)], "a.py, lines 31 to 33."),
        ("lines 24 through 26 of `a.py`", [(31, 33)], "lines 31 through 33 of `a.py`"),
        ("`a.py` (L24) x", [(31, 31)], "`a.py` (L31) x"),
        ("`a.py` (lines 24, 30-32)", [(25, 25), (31, 33)], "`a.py` (lines 25, 31-33)"),
        ("`a.py:24, 30-32, 40`", [(24, 24), (31, 33), (41, 41)], "`a.py:24, 31-33, 41`"),
        ("`a.py:24:5`", [(31, 31)], "`a.py:31:5`"),
        ("`a.py:24:5-26:9`", [(31, 33)], "`a.py:31:5-33:9`"),
        ("`a.py#L24C3-L26C9`", [(31, 33)], "`a.py#L31C3-L33C9`"),
        ("a.py(24,5)", [(31, 31)], "a.py(31,5)"),
        ("a.py(24)", [(31, 31)], "a.py(31)"),
        ("`a.py:~24`", [(31, 31)], "`a.py:~31`"),
        ("`a.py:24+`", [(31, 31)], "`a.py:31+`"),
        # a single line that becomes several
        ("`a.py:24`", [(31, 33)], "`a.py:31-33`"),
        ("`a.py:24`", [(24, 26)], "`a.py:24-26`"),
        ("`a.py:L24`", [(31, 33)], "`a.py:L31-L33`"),
        ("`a.py#L24`", [(31, 33)], "`a.py#L31-L33`"),
        ("[x](a.py#L24)", [(31, 33)], "[x](a.py#L31-L33)"),
        ("[a.py:24](a.py#L24)", [(31, 33)], "[a.py:31-33](a.py#L31-L33)"),
        ("line 24 of `a.py`", [(31, 33)], "lines 31-33 of `a.py`"),
        ("`a.py:24, 30–32`", [(24, 26), (30, 32)], "`a.py:24–26, 30–32`"),
        # several lines that become one
        ("`a.py:24-26`", [(31, 31)], "`a.py:31`"),
        ("`a.py#L24-L26`", [(31, 31)], "`a.py#L31`"),
        ("`a.py:24:5-26:9`", [(31, 31)], "`a.py:31:5-31:9`"),
        # links
        ("[x](src/a.ts#L10-L20)", [(11, 21)], "[x](src/a.ts#L11-L21)"),
        ("[a.py:24](a.py#L24)", [(31, 31)], "[a.py:31](a.py#L31)"),
        ("[a.py:24-26](a.py#L24-L26)", [(31, 33)], "[a.py:31-33](a.py#L31-L33)"),
        ("[a.py:24-26](a.py#L24)", [(31, 33)], "[a.py:31-33](a.py#L31)"),
        ("[a.py:24](a.py:24)", [(31, 31)], "[a.py:31](a.py:31)"),
        ("[lines 24-26](a.py#L24-L26)", [(31, 33)], "[lines 31-33](a.py#L31-L33)"),
        ("[a.py:24](a.py#the-part)", [(31, 31)], "[a.py:31](a.py#the-part)"),
        ("[a.py:24](a.py#L99)", [(31, 31)], "[a.py:31](a.py#L99)"),
        ("[x]: a.py#L24-L26", [(31, 33)], "[x]: a.py#L31-L33"),
    ],
)
def test_lines(before: str, spans: list[Span], after: str) -> None:
    assert restood(before, spans) == after


@pytest.mark.parametrize(
    ("before", "spans"),
    [
        ("a.py(24)", [(31, 33)]),
        ("`a.py:24:5`", [(31, 33)]),
        ("`a.py#L24C5`", [(31, 33)]),
        ("`a.py#L24,5`", [(31, 33)]),
        ("`a.py:24+`", [(31, 33)]),
        ("[a.py:24](a.py#L24-L26)", [(31, 31)]),
        ("`a.py:9-5`", [(5, 9)]),
        ("https://github.com/o/r/blob/main/a.py#L24", [(31, 31)]),
        ("[x](https://github.com/o/r/blob/main/a.py#L24-L26)", [(31, 33)]),
        ("`a.py:24`", [(1, 2), (3, 4)]),
    ],
)
def test_what_cannot_be_written_is_not(before: str, spans: list[Span]) -> None:
    assert restood(before, spans) == before


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ("`old.py:24-26`", "lib/new.py", "`lib/new.py:31-33`"),
        ("`../src/old.py:24`", "lib/new.py", "`../lib/new.py:31-33`"),
        ("[old.py:24-26](../src/old.py#L24-L26)", "lib/new.py", "[new.py:31-33](../lib/new.py#L31-L33)"),
        ("[x](<../src/old.py#L24-L26>)", "lib/my new.py", "[x](<../lib/my new.py#L31-L33>)"),
        ("[x](../src/old.py#L24-L26)", "lib/my new.py", "[x](../lib/my%20new.py#L31-L33)"),
        ("lines 24 to 26 of `src/old.py`", "lib/new.py", "lines 31 to 33 of `lib/new.py`"),
        ("`src/old.py:3` and `:24-26`", "lib/new.py", "`lib/new.py:3` and `:31-33`"),
        ("`src/old.py` does it (:24-26)", "lib/new.py", "`lib/new.py` does it (:31-33)"),
        ("`src/old.py:3`, then `src/old.py`, `:24-26`", "lib/new.py", "`src/old.py:3`, then `lib/new.py`, `:31-33`"),
        ("[it](../src/old.py) does it (:24-26)", "lib/new.py", "[it](../lib/new.py) does it (:31-33)"),
        ("`a.py:1`, `src/old.py:3`, `:7` and `:24-26`", "new.py", "`a.py:1`, `new.py:3`, `:7` and `:31-33`"),
        ("`old.py:24-26`", "no-extension", "`old.py:24-26`"),
    ],
)
def test_lines_and_path(before: str, path: str, after: str) -> None:
    assert restood(before, [(31, 33)], path) == after


def test_continuations_share_the_edit_of_their_path() -> None:
    text = "x\n\n`src/old.py:3`, `:24-26` and `:40`."
    document = Document.parse(text, "docs/d.md")
    spans = [[(5, 5)], [(31, 33)], [(50, 50)]]
    found = {
        edit
        for anchor, new in zip(document.anchors, spans, strict=True)
        for edit in restand(anchor, document, new, "lib/new.py")
    }
    edits = sorted(found, key=lambda edit: edit.start)
    assert applied(text, edits) == "x\n\n`lib/new.py:5`, `:31-33` and `:50`."
    (block,) = [block for block in document.blocks if block.anchors]
    inner = restand(block.anchors[1], document, [(31, 33)], "lib/new.py", block)
    assert [edit.start + 3 for edit in inner] == [
        edit.start for edit in restand(document.anchors[1], document, [(31, 33)], "lib/new.py")
    ]


# --- every form


def check(text: str, number: int, spans: Sequence[Span], path: str | None) -> bool:
    """Rewrite one anchor, and check that it cites what it should and that all else is as it was; say whether it did."""
    document = Document.parse(text, "docs/d.md")
    anchor = document.anchors[number]
    edits = restand(anchor, document, spans, path)
    if not edits:
        return False
    after = applied(text, edits)
    found = Document.parse(after, "docs/d.md").anchors
    assert len(found) == len(document.anchors), (text, after)
    for index, (old, new) in enumerate(zip(document.anchors, found, strict=True)):
        assert new.spans == (tuple(spans) if index == number else old.spans), (text, after)
        if index == number and path is not None:
            assert new.path.rpartition("/")[2] == path.rpartition("/")[2], (text, after)
        elif old.path != anchor.path:
            assert new.path == old.path, (text, after)
        if path is None:
            assert (new.path, new.target and new.target.disagrees) == (old.path, old.target and old.target.disagrees)
    low = anchor.start if anchor.form != "continuation" or path is None else 0
    assert all(low <= edit.start <= edit.end <= anchor.end for edit in edits)
    return True


def shifts(anchor: Anchor) -> list[tuple[Span, ...]]:
    """Give other spans: some lines on, far on, widened, and each narrowed to one line."""
    return [
        tuple((first + 7, last + 7) for first, last in anchor.spans),
        tuple((first + 9876, last + 9876) for first, last in anchor.spans),
        tuple((first + 1, last + 3) for first, last in anchor.spans),
        tuple((first, first) for first, _ in anchor.spans),
    ]


def test_every_form_of_the_corpus(shared: Path) -> None:
    rows = json.loads((shared / "corpora" / "anchors.json").read_text(encoding="utf-8"))["anchors"]
    written = asked = 0
    for row in rows:
        document = Document.parse(row["text"], "docs/d.md")
        for number, anchor in enumerate(document.anchors):
            assert restand(anchor, document, anchor.spans, None) == ()
            if anchor.defect or anchor.repository:
                assert restand(anchor, document, shifts(anchor)[0], None) == ()
                continue
            done = [check(row["text"], number, spans, None) for spans in shifts(anchor)]
            assert done[0], row["text"]
            check(row["text"], number, shifts(anchor)[0], "lib/renamed.py")
            asked += 1
            written += done[1]
    assert asked > 80
    assert written == asked


_number = st.integers(1, 3000)
_range = st.tuples(_number, st.integers(0, 40)).map(lambda pair: (pair[0], pair[0] + pair[1]))
_form = st.sampled_from(
    [
        "`{p}:{a}`", "`{p}:{a}-{b}`", "`{p}:{a}–{b}`", "{p}:{a}-{b}", "`{p}#L{a}-L{b}`", "{p}#L{a}", "`{p}:{a}:3`",
        "`{p}:{a}, {c}-{d}`", "{p} lines {a} to {b}", "`{p}` (L{a})", "lines {a}-{b} of `{p}`", "`{p}:~{a}`",
        "[{p}:{a}-{b}]({p}#L{a}-L{b})", "[it]({p}#L{a}-L{b})", "[`{p}` L{a}]({p})", "`{p}:{a}/{c}`", "`:{a}`",
        "`:{a}-{b}`, `:{c}`", "{p}({a})", "`{p}:{a}+`", "`{p}:{a},{c},{e}`", "`{p}:L{a}-L{b}`", "`{p}` x (:{a})",
        "[`{p}:{a}`]({p}:{a})", "{p}: line {a} and {c}", "`{p}:{a}..{b}`",
    ]
)  # fmt: skip


@given(
    st.lists(
        st.tuples(_form, st.sampled_from(["a.py", "src/b.rs", "./c.ts", "../d.go"]), _range, _range),
        min_size=1,
        max_size=4,
    ),
    st.data(),
)
def test_generated_forms(parts: list[tuple[str, str, Span, Span]], data: st.DataObject) -> None:
    text = ", and ".join(
        form.format(p=path, a=one[0], b=one[1], c=two[0], d=two[1], e=one[0] + 5000) for form, path, one, two in parts
    )
    document = Document.parse(text, "docs/d.md")
    for number, anchor in enumerate(document.anchors):
        assert restand(anchor, document, anchor.spans, None) == ()
        spans = data.draw(st.tuples(*[_range for _ in anchor.spans]))
        path = data.draw(st.sampled_from([None, None, "lib/new.py", "docs/n.md"]))
        check(text, number, spans, path)
