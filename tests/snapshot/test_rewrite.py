"""Rewriting a citation: it cites what it should afterwards, in its author's form, and no other byte has changed."""

from itertools import pairwise

import pytest

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.findings.finding import Edit
from cite_lsp.snapshot.rewrite import end_only, renumber, repath, respell, retarget


def parsed(text: str, path: str = "docs/d.md") -> tuple[Document, Anchor]:
    document = Document.parse(text, path)
    (anchor,) = document.anchors
    return document, anchor


def applied(text: str, edits: tuple[Edit, ...]) -> str:
    ordered = sorted(edits, key=lambda edit: edit.start)
    assert all(one.end <= other.start for one, other in pairwise(ordered)), "edits overlap"
    for edit in reversed(ordered):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@pytest.mark.parametrize(
    ("before", "index", "span", "after"),
    [
        ("`a.py:9`", 0, (12, 12), "`a.py:12`"),
        ("`a.py:5-3`", 0, (3, 5), "`a.py:3-5`"),
        ("`a.py:5–3`", 0, (3, 5), "`a.py:3–5`"),
        ("`a.py#L5-L3` 🎉", 0, (3, 5), "`a.py#L3-L5` 🎉"),
        ("🎉 `a.py:1,7-5, 9`", 1, (5, 7), "🎉 `a.py:1,5-7, 9`"),
        ("a.py, lines 9 to 5 x", 0, (5, 9), "a.py, lines 5 to 9 x"),
        ("[x](a.py#L9-L5)", 0, (5, 9), "[x](a.py#L5-L9)"),
        ("[a.py:9-5](a.py#L9-L5)", 0, (5, 9), "[a.py:5-9](a.py#L5-L9)"),
        ("[a.py:9-5](a.py#L9)", 0, (5, 9), "[a.py:5-9](a.py#L9)"),
        ("[a.py:9-5](a.py:9-5)", 0, (5, 9), "[a.py:5-9](a.py:5-9)"),
        ("[a.py:9-5](a.py)", 0, (5, 9), "[a.py:5-9](a.py)"),
        ("[a.py:9-5](a.py#the-part)", 0, (5, 9), "[a.py:5-9](a.py#the-part)"),
    ],
)
def test_renumber(before, index, span, after):
    _, anchor = parsed(before)
    assert applied(before, renumber(anchor, index, span)) == after


@pytest.mark.parametrize(
    ("before", "last", "after"),
    [
        ("`a.py:3-90`", 50, "`a.py:3-50`"),
        ("`a.py:90`", 50, "`a.py:90`"),
        ("[a.py:3-90](a.py#L3-L90)", 50, "[a.py:3-50](a.py#L3-L50)"),
        ("[a.py:3-90](a.py#L3)", 50, "[a.py:3-50](a.py#L3)"),
        ("[a](a.py#L3-L90)", 50, "[a](a.py#L3-L50)"),
        ("[a.py:3-90](a.py#the-part)", 50, "[a.py:3-50](a.py#the-part)"),
    ],
)
def test_end_only(before, last, after):
    _, anchor = parsed(before)
    assert applied(before, end_only(anchor, 0, last)) == after


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ("see `src/old.py:3`.", "lib/new.py", "see `lib/new.py:3`."),
        ("see `old.py:3`.", "lib/new.py", "see `lib/new.py:3`."),
        ("see `../src/old.py:3`.", "lib/new.py", "see `../lib/new.py:3`."),
        ("see `./old.py:3`.", "docs/new.py", "see `./new.py:3`."),
        ("see `./old.py:3`.", "lib/new.py", "see `../lib/new.py:3`."),
        ("see `/src/old.py:3`.", "lib/new.py", "see `/lib/new.py:3`."),
        ("see `src\\old.py:3`.", "lib/new.py", "see `lib\\new.py:3`."),
        ("[it](../src/old.py#L3)", "lib/new.py", "[it](../lib/new.py#L3)"),
        ("[it](../src/old.py#L3)", "lib/my new.py", "[it](../lib/my%20new.py#L3)"),
        ("[it](<../src/old.py#L3>)", "lib/my new.py", "[it](<../lib/my new.py#L3>)"),
        ("[old.py:3](../src/old.py#L3)", "lib/new.py", "[new.py:3](../lib/new.py#L3)"),
        ("[src/old.py:3](../src/old.py#L3)", "lib/new.py", "[lib/new.py:3](../lib/new.py#L3)"),
        ("[`old.py` L3](../src/old.py)", "lib/new.py", "[`new.py` L3](../lib/new.py)"),
        ("[threshold.py in old.py:3](../src/old.py)", "lib/new.py", "[threshold.py in new.py:3](../lib/new.py)"),
        ("[x]: ../src/old.py#L3", "lib/new.py", "[x]: ../lib/new.py#L3"),
        ("[it](../src/old.py?plain=1#L3)", "lib/new.py", "[it](../lib/new.py?plain=1#L3)"),
        ("[old.py:3](../src/old.py#the-part)", "lib/new.py", "[new.py:3](../lib/new.py#the-part)"),
        ("line 3 of `src/old.py`", "lib/new.py", "line 3 of `lib/new.py`"),
    ],
)
def test_repath(before, path, after):
    document, anchor = parsed(before)
    assert applied(before, repath(anchor, document, path)) == after


def test_a_path_that_is_not_written_there_is_not_rewritten():
    document = Document.parse("`src/old.py:3` and `:9`", "docs/d.md")
    first, continuation = document.anchors
    assert repath(continuation, document, "lib/new.py") == ()
    assert repath(first, document, "src/old.py") == ()
    for text in (
        "[x](../my%20src/old.py#L3)",
        "[../my src/old.py:3](../my%20src/old.py#L3)",  # the text is not the target
        "[../my src/old.py:3](../my%20src/old.py)",
    ):
        document, encoded = parsed(text)
        assert encoded.path == "../my src/old.py"
        assert repath(encoded, document, "lib/new.py") == ()
        assert respell(encoded, "My src/old.py") == ()


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ("`throttle/Bucket.py:3`", "throttle/bucket.py", "`throttle/bucket.py:3`"),
        ("`Bucket.py:3`", "throttle/bucket.py", "`bucket.py:3`"),
        ("`../SRC/a.py:3`", "src/a.py", "`../src/a.py:3`"),
        ("`./A.py:3`", "docs/a.py", "`./a.py:3`"),
        ("`/SRC/a.py:3`", "src/a.py", "`/src/a.py:3`"),
        ("`SRC\\A.py:3`", "src/a.py", "`src\\a.py:3`"),
        ("`.github/Workflows/CI.yml:3`", ".github/workflows/ci.yml", "`.github/workflows/ci.yml:3`"),
        ("`/home/w/SRC/a.py:3`", "src/a.py", "`/home/w/src/a.py:3`"),
        ("[Bucket.py:3](../throttle/Bucket.py#L3)", "throttle/bucket.py", "[bucket.py:3](../throttle/bucket.py#L3)"),
    ],
)
def test_respell(before, path, after):
    _, anchor = parsed(before)
    assert applied(before, respell(anchor, path)) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a.py:3-9](a.py#L3-L8)", "[a.py:3-9](a.py#L3-L9)"),
        ("[a.py:3](a.py#L8)", "[a.py:3](a.py#L3)"),
        ("[a.py:3-9](a.py:4)", "[a.py:3-9](a.py:3-9)"),
        ("[a.py:3-9](a.py#L4C1-L9C2)", "[a.py:3-9](a.py#L3-L9)"),
        ("[a.py:3-9](a.py)", "[a.py:3-9](a.py)"),
        ("`a.py:3-9`", "`a.py:3-9`"),
    ],
)
def test_retarget(before, after):
    _, anchor = parsed(before)
    assert applied(before, retarget(anchor)) == after
