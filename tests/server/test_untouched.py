"""Citations of lines that an edit of their file leaves alone are not looked at again, and nothing else comes of it."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.server.checks import Checks, PieceChecked
from cite_lsp.server.comparing import Reaches
from cite_lsp.server.written_book import WrittenBook
from cite_lsp.snapshot.baseline import Baseline, Written
from cite_lsp.snapshot.snapshot import Snapshot

LINES = 12
NAMES = ("a.py", "b.py")


class Always(Reaches):
    """Looks at everything again, as if there were no reaches."""

    def leave_alone(self, *_: Any) -> bool:
        return False


class Desk:
    """A document that cites two open files, checked with reaches and without."""

    def __init__(self, document: str, files: dict[str, list[str]], *, past: bool, elsewhere: bool = False) -> None:
        """`past`: what is cited now is what was, `elsewhere`: in the other file, where git renamed it to."""
        self.document = Document.parse(document, "a.md", NAMES)
        self.files = {name: list(lines) for name, lines in files.items()}
        texts = {name: "\n".join(lines) for name, lines in self.files.items()}
        self.snapshot = Snapshot.of(texts)
        self.checks = [Checks("utf-16"), Checks("utf-16")]
        self.checks[1]._reaches = Always()
        for checks in self.checks:
            checks.past = WrittenBook()
            checks.update(self.document, self.snapshot)
            if past:
                blocks = [block for block in self.document.blocks if block.anchors]
                places = checks.past.asked(blocks)
                if elsewhere:
                    anchors = [anchor for block in blocks for anchor in block.anchors]
                    checks.past.take(places, [self.written(anchor) for anchor in anchors])
                else:
                    checks.past.nothing_known(places, unread=False)
                self.rest(checks)

    def written(self, anchor: Anchor) -> Written:
        """What git would say of a citation that was written when the other file had the name that it cites."""
        (other,) = {*NAMES} - {anchor.path}
        text, (first, last) = self.files[other], anchor.spans[0]
        if last > len(text):
            return Written((Baseline("unknown", reason="begins past the end of the file"),))
        around = tuple(text[max(0, first - 4) : first - 1]), tuple(text[last : last + 3])
        lines = tuple(text[first - 1 : last])
        return Written((Baseline("text", "c" * 40, 1, anchor.path, other, first, last, lines, *around),))

    def rest(self, checks: Checks) -> None:
        """Have everything compared and searched."""
        while True:
            checks.update(self.document, self.snapshot)
            if not checks.advance(self.document, self.snapshot, 60.0):
                return

    def edit(self, name: str, at: int, gone: int, came: list[str], seconds: float = 60.0) -> None:
        """Replace lines of a file, and check for so long."""
        self.files[name][at : at + gone] = came
        self.snapshot = self.snapshot.with_texts({name: "\n".join(self.files[name])})
        for checks in self.checks:
            checks.forget_files(frozenset([name]))
            checks.update(self.document, self.snapshot, seconds)

    def type(self, at: int, gone: int, came: str, seconds: float) -> None:
        """Edit the document, and check for so long."""
        self.document = self.document.edit(at, at + gone, came)
        for checks in self.checks:
            checks.update(self.document, self.snapshot, seconds)

    @property
    def fresh(self) -> Checks:
        """What somebody knows at rest who comes now, with the same past."""
        checks = Checks("utf-16")
        checks.past = self.checks[0].past
        self.rest(checks)
        return checks


def seen(checks: Checks) -> list[Any]:
    """What is known of a document: all but how many lines the files have, which is nothing that is told."""
    return [of_piece(checked) for checked in checks.pieces.values()]


def of_piece(checked: PieceChecked) -> list[Any]:
    blocks = [
        (
            block.known.told,
            block.known.drifts,
            [each._replace(line_count=0) for each in block.known.resolutions if each.line_count is not None],
            [each._replace(line_count=0) for each in block.present if each.line_count is not None],
            not block.due and [text and text.lines for text in block.texts],  # else it is searched for anyhow
            block.files,
            block.due,
        )
        for block in checked.blocks.values()
    ]
    return [checked.placed, checked.undecided, blocks]


line = st.sampled_from(
    ["", "}", "alpha = compute(1)", "beta = compute(2)", "gamma = compute(3)", "delta", "  beta = compute(2)"]
)
TYPED = ("", "x", " ", "\n\n", "`a.py:2` ", "`b.py:1-2`", "# Head\n\n")
span = st.tuples(st.integers(1, LINES + 3), st.integers(0, 3))
citation = st.tuples(st.sampled_from(NAMES), span).map(lambda each: f"`{each[0]}:{each[1][0]}-{sum(each[1])}`")
paragraph = st.lists(citation, min_size=1, max_size=3).map(lambda each: f"It says so in {' and '.join(each)}.")
edit = st.tuples(st.sampled_from(NAMES), st.integers(0, LINES), st.integers(0, 3), st.lists(line, max_size=3))


@settings(max_examples=150, deadline=None)
@given(
    document=st.lists(paragraph, min_size=1, max_size=6).map("\n\n".join),
    files=st.fixed_dictionaries({name: st.lists(line, min_size=3, max_size=LINES) for name in NAMES}),
    edits=st.lists(st.tuples(edit, st.booleans()), min_size=1, max_size=6),
    past=st.sampled_from(["", "here", "elsewhere"]),
)
def test_what_is_not_looked_at_again_would_have_been_the_same(
    document: str, files: dict[str, list[str]], edits: list[tuple[Any, bool]], past: str
) -> None:
    desk = Desk(document, files, past=bool(past), elsewhere=past == "elsewhere")
    for (name, at, gone, came), rests in edits:
        desk.edit(name, at, gone, came)
        assert seen(desk.checks[0]) == seen(desk.checks[1])
        if rests:
            for checks in desk.checks:
                desk.rest(checks)
            assert seen(desk.checks[0]) == seen(desk.checks[1])


@settings(max_examples=150, deadline=None)
@given(
    document=st.lists(paragraph, min_size=1, max_size=8).map("\n\n".join),
    files=st.fixed_dictionaries({name: st.lists(line, min_size=3, max_size=LINES) for name in NAMES}),
    edits=st.lists(
        st.tuples(
            st.one_of(edit, st.tuples(st.none(), st.integers(0, 300), st.integers(0, 5), st.sampled_from(TYPED))),
            st.sampled_from([0.0, 60.0]),
            st.integers(0, 3).map(lambda each: not each),
        ),
        min_size=1,
        max_size=8,
    ),
    past=st.sampled_from(["", "here", "elsewhere"]),
)
def test_at_rest_nothing_is_left_of_what_was_known_before(
    document: str, files: dict[str, list[str]], edits: list[tuple[Any, float, bool]], past: str
) -> None:
    desk = Desk(document, files, past=bool(past), elsewhere=past == "elsewhere")
    for (name, at, gone, came), seconds, rests in edits:
        if name is None:
            desk.type(at, gone, came, seconds)
        else:
            desk.edit(name, at, gone, came, seconds)
        if rests:
            for checks in desk.checks:
                desk.rest(checks)
    for checks in desk.checks:
        desk.rest(checks)
    assert told(desk.checks[0]) == told(desk.checks[1])
    if not past:
        assert told(desk.checks[0]) == told(desk.fresh)


def told(checks: Checks) -> list[Any]:
    return [checked.placed for checked in checks.pieces.values()]


def test_of_blocks_cut_anew_what_was_known_before_an_edit_of_their_file_is_not_taken() -> None:
    code = [f"value_{number} = compute({number})" for number in range(10)]
    text = "\n\n".join(f"Item {number} (`a.py:9`)." for number in range(8))
    desk = Desk(text, {"a.py": code, "b.py": code}, past=False)
    desk.edit("a.py", 3, 7, [], 0.0)
    assert desk.checks[0].behind
    desk.type(text.index("Item 6"), 4, "Part", 60.0)
    desk.rest(desk.checks[0])
    assert [each.told.code for each in told(desk.checks[0])[0]] == ["line-out-of-range"] * 8
    assert told(desk.checks[0]) == told(desk.fresh)


def test_a_text_that_stands_in_a_file_that_is_not_cited_is_looked_for_there_when_that_is_edited() -> None:
    code = [f"value_{number} = compute({number})" for number in range(10)]
    other = [f"other_{number} = work({number})" for number in range(10)]
    desk = Desk("One (`a.py:2`).\n", {"a.py": other, "b.py": code}, past=True, elsewhere=True)
    for lines, at in (([], 2), (["import os", "import sys"], 4)):
        desk.edit("b.py", 0, 0, lines)
        for checks in desk.checks:
            desk.rest(checks)
            assert [each.told.message for known in checks.pieces.values() for each in known.placed] == [
                f"the cited text moved to line {at} of `b.py`"
            ]


def test_an_edit_behind_all_citations_leaves_them_as_they_are_and_one_above_does_not() -> None:
    code = [f"value_{number} = compute({number})" for number in range(10)]
    desk = Desk("One (`a.py:2`).\n\nTwo (`a.py:4-5`).\n", {"a.py": code, "b.py": code}, past=True)
    checks = desk.checks[0]
    before = dict(checks.pieces)
    desk.edit("a.py", 7, 1, ["changed = 1", "more = 2"])
    assert dict(checks.pieces) == before
    assert all(checks.pieces[piece] is known for piece, known in before.items())
    desk.edit("a.py", 0, 0, ["import os"])
    assert [each.told.code for known in checks.pieces.values() for each in known.placed] == ["moved", "moved"]
    desk.edit("a.py", 0, 1, [])
    assert not [each.told.code for known in checks.pieces.values() for each in known.placed]
