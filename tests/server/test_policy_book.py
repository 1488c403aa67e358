"""Findings of policies that are carried along: where they stand after edits, which of them go, and what that costs."""

from collections.abc import Sequence
from typing import Any, SupportsIndex, overload

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.document.buffer import Buffer
from cite_lsp.document.changes import LineChange
from cite_lsp.findings.places import Places
from cite_lsp.findings.told import Told
from cite_lsp.policy.splitting import KINDS, Kind, Piece, split
from cite_lsp.server.policy_book import Asked, Found, PolicyBook, Spot, spot_of

CODE = "policy:style/riddle"
PATHS: dict[Kind, str] = {"log-lines": "run.log", "turns": "talk.txt", "lines": "notes.txt"}


def path_of(kind: Kind) -> str:
    return PATHS.get(kind, "a.md")


def spots_in(text: str, kind: Kind) -> list[Spot]:
    places = Places(text)
    found = []
    for piece in split(text, kind, path=path_of(kind)):
        line = places.line(piece.start)
        found.append(spot_of(piece.text, kind, line, piece.start - places.start(line)))
    return found


def found_at(spot: Spot, *related: Spot, built: bool = False) -> Found:
    beside = tuple([(each, "beside") for each in related])
    return Found(Told(CODE, f"riddle: {spot.text}", 0, 0, None), "riddle", spot, built, beside)


class File:
    """A file that is open: its text, and what was found in all of its passages."""

    def __init__(self, text: str, kind: Kind) -> None:
        self.kind = kind
        self.buffer = Buffer(text)
        self.book = PolicyBook("utf-16")
        self.spots = spots_in(text, kind)
        since = self.book.begin()
        self.book.place(self.spots, since, self.buffer.lines, path_of(kind))
        self.book.end(since)
        asked = Asked("hash", frozenset([CODE]), len(self.spots))
        self.book.take("style", asked, [found_at(spot) for spot in self.spots], {})
        self.since = self.book.begin()

    def edit(self, start: tuple[int, int], end: tuple[int, int], text: str) -> tuple[LineChange, ...]:
        self.buffer.edit(start, end, text, "utf-32")
        changes = self.buffer.take_changes()
        self.book.follow(changes, self.buffer.lines, path_of(self.kind))
        return changes

    def type_after(self, mark: str, text: str) -> None:
        """Type behind the first place of a text."""
        whole = self.buffer.text
        at = whole.index(mark) + len(mark)
        line = Places(whole).line(at)
        column = at - Places(whole).start(line)
        self.edit((line, column), (line, column), text)

    @property
    def standing(self) -> list[str]:
        return [each.spot.text for each in self.book.found]


def stands(spot: Spot, text: str) -> bool:
    """Whether a spot is where its text stands, with its end where that ends."""
    places = Places(text)
    start, end = spot.offsets(places)
    return text[start:end] == spot.text


def is_piece(spot: Spot, text: str, pieces: Sequence[Piece]) -> bool:
    start = spot.offsets(Places(text))[0]
    return any(piece.start == start and piece.text == spot.text for piece in pieces)


WORDS = st.sampled_from(["One thing is so", "It holds", "Why is that?", "No", "The end of it", "It was 3 or 4"])
SENTENCE = st.builds(lambda words, end: words + end, WORDS, st.sampled_from([".", "!", "?"]))
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=4).map(" ".join)
BLOCKS: dict[Kind, Any] = {
    "lines": st.lists(WORDS, min_size=1, max_size=4).map("\n".join),
    "log-lines": st.builds(
        lambda second, words: f"2026-01-02 10:00:{second:02} INFO " + "\n  ".join(words),
        st.integers(0, 59), st.lists(WORDS, min_size=1, max_size=3),
    ),
    "turns": st.builds(lambda who, words: f"{who}: {words}", st.sampled_from(["Ann", "Bob"]), PARAGRAPH),
    "list-items": PARAGRAPH.map(lambda text: f"- {text}"),
    "sections": st.builds(lambda title, text: f"# {title}\n\n{text}", WORDS, PARAGRAPH),
}  # fmt: skip
TYPED = st.text(alphabet="ab .?\n", max_size=6)


def texts(kind: Kind) -> st.SearchStrategy[str]:
    joined = "\n" if kind in ("log-lines", "turns", "lines", "list-items") else "\n\n"
    return st.lists(BLOCKS.get(kind, PARAGRAPH), min_size=1, max_size=10).map(joined.join)


@st.composite
def edited(draw: st.DrawFn, kind: Kind) -> tuple[str, list[tuple[float, float, str]]]:
    edits = st.tuples(st.floats(0, 1), st.floats(0, 0.05), TYPED)
    return draw(texts(kind)), draw(st.lists(edits, min_size=1, max_size=4))


def apply(file: File, where: float, size: float, typed: str) -> tuple[LineChange, ...]:
    text = file.buffer.text
    start = int(where * len(text))
    end = min(len(text), start + int(size * len(text)))
    places = Places(text)
    first, last = places.line(start), places.line(end)
    return file.edit((first, start - places.start(first)), (last, end - places.start(last)), typed)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(data=st.data())
def test_what_stands_is_what_was_asked_about(kind: Kind, data: st.DataObject) -> None:
    text, edits = data.draw(edited(kind))
    file = File(text, kind)
    for where, size, typed in edits:
        apply(file, where, size, typed)
    now = file.buffer.text
    pieces = split(now, kind, path=path_of(kind))
    for each in file.book.found:
        assert stands(each.spot, now)
        assert is_piece(each.spot, now, pieces), (each.spot, now)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(data=st.data())
def test_edits_far_away_leave_it_and_move_it(kind: Kind, data: st.DataObject) -> None:
    text, ((where, size, typed), *_) = data.draw(edited(kind))
    file = File(text, kind)
    before = [(spot, spot.first, spot.last) for spot in file.spots]
    changes = apply(file, where, size, typed)
    for spot, first, last in before:
        if all(each.old_first > last + 2 or each.old_last < first for each in changes):
            grown = sum(
                each.new_last - each.new_first - each.old_last + each.old_first
                for each in changes
                if each.old_last < first
            )
            assert spot.alive
            assert (spot.first, spot.last) == (first + grown, last + grown)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(data=st.data())
def test_all_edits_at_once_come_to_the_same_places(kind: Kind, data: st.DataObject) -> None:
    """What a run finds is brought over all that was typed since it began."""
    text, edits = data.draw(edited(kind))
    file = File(text, kind)
    late = spots_in(text, kind)
    for where, size, typed in edits:
        apply(file, where, size, typed)
    file.book.place(late, file.since, file.buffer.lines, path_of(kind))
    now = file.buffer.text
    for one, other in zip(file.spots, late, strict=True):
        if other.alive:
            assert stands(other, now)
        if one.alive and other.alive and now.count(one.text) == 1:
            assert (one.first, one.column, one.units) == (other.first, other.column, other.units)


@pytest.mark.parametrize(
    ("kind", "text", "mark", "typed", "standing"),
    [
        ("sentences", "One is. Two is. Three is.\n", "Two", "x", ["One is.", "Three is."]),
        ("sentences", "One is. Two is. Three is.\n", "Two is.", " More.", ["One is.", "Two is.", "Three is."]),
        ("sentences", "One is. Two is. Three is.\n", "Two is", " more", ["One is.", "Three is."]),
        ("sentences", "One is. Two is.\n", "One is.", "\n\nNew. ", ["One is.", "Two is."]),
        ("paragraphs", "One is.\n\nTwo is.\n", "Two is.", " More.", ["One is."]),
        ("paragraphs", "One is.\n\nTwo is.\n", "Two is.", "\nMore.", ["One is."]),
        ("paragraphs", "One is.\n\nTwo is.\n", "Two is.\n", "\nMore.\n", ["One is.", "Two is."]),
        ("paragraphs", "One is.\n\nTwo is.\n", "One is.\n", "New", ["One is.", "Two is."][:0]),
        ("lines", "one\ntwo\nthree\n", "two", "x", ["one", "three"]),
        ("lines", "one\ntwo\nthree\n", "one\n", "new\n", ["one", "two", "three"]),
        ("log-lines", "10:00:01 INFO one\n10:00:02 INFO two\n", "one", "\n  and more", ["10:00:02 INFO two"]),
        ("list-items", "- one\n- two\n", "- one", "\n- new", ["one", "two"]),
        ("list-items", "- one\n- two\n", "- one", "\n  more", ["two"]),
        ("sections", "# A\n\none\n\n# B\n\ntwo\n", "one\n", "\nmore\n", ["# B\n\ntwo"]),
        ("sections", "# A\n\none\n\n# B\n\ntwo\n", "# B", "x", ["# A\n\none"]),
        ("turns", "Ann: one\nBob: two\n", "one", "\nAnn: more", ["Ann: one", "Bob: two"]),
        ("turns", "Ann: one\n\n\n\n\nBob: two\n", "\n\n\n\n\n", "?", []),
        ("turns", "Ann: one\n\n\n\n\n\nBob: two\n", "one\n\n\n\n", "more", ["Bob: two"]),
        ("sections", "# A\n\none\n\n\n\n\n\n# B\n\ntwo\n", "one\n\n\n\n", "more\n", ["# B\n\ntwo"]),
        ("turns", "Ann: one\n\n\n\n\n\nBob: two\n", "Bob: two", "x", ["Ann: one"]),
    ],
)
def test_typing_in_a_passage_or_on_from_it_drops_it(
    kind: Kind, text: str, mark: str, typed: str, standing: list[str]
) -> None:
    file = File(text, kind)
    file.type_after(mark, typed)
    assert file.standing == standing


def test_of_two_that_are_the_same_each_keeps_its_own_place() -> None:
    file = File("No. No. Yes.\n", "sentences")
    file.edit((0, 0), (0, 0), "But. ")
    assert [each.spot.column for each in file.book.found] == [5, 9, 13]
    file.edit((0, 9), (0, 10), "S")
    assert [(each.spot.text, each.spot.column) for each in file.book.found] == [("No.", 5), ("Yes.", 13)]


def test_what_two_policies_found_in_one_passage_moves_together() -> None:
    file = File("No. No. Yes.\n", "sentences")
    others = spots_in("No. No. Yes.\n", "sentences")
    file.book.place(others, file.book.begin(), file.buffer.lines, "a.md")
    file.book.take("other", Asked("hash", frozenset([CODE]), 3), [found_at(spot) for spot in others], {})
    file.edit((0, 0), (0, 0), "Yes! ")
    assert [each.spot.column for each in file.book.found] == [5, 9, 13, 5, 9, 13]


def test_front_matter_and_fences_above_do_no_harm() -> None:
    text = "---\ntitle: a\n---\nOne is. Two is.\n\n```\ncode\n```\nThree is. Four is.\n"
    file = File(text, "sentences")
    assert file.standing == ["One is.", "Two is.", "Three is.", "Four is."]
    file.type_after("Two is.", " More.")
    file.type_after("Three is.", " More.")
    assert file.standing == ["One is.", "Two is.", "Three is.", "Four is."]


# --- what is known and what is not


def taken(file: File, found: Sequence[Found], **unknown: frozenset[str] | None) -> list[str]:
    file.book.take("style", Asked("hash", frozenset([CODE]), 3, len(unknown)), found, unknown)
    return file.standing


def test_the_next_run_takes_the_place_of_the_one_before() -> None:
    file = File("One.\nTwo.\nThree.\n", "sentences")
    one, two, three = spots_in("One.\nTwo.\nThree.\n", "sentences")
    assert taken(file, [found_at(two)]) == ["Two."]
    assert taken(file, [found_at(one), found_at(three)]) == ["One.", "Three."]
    assert taken(file, []) == []


def test_what_a_run_could_not_check_stays_as_it_was_known() -> None:
    file = File("One.\nTwo.\nThree.\n", "sentences")
    assert taken(file, [], **{"Two.": None}) == ["Two."]
    assert taken(file, [], **{"Two.": frozenset(["riddle"])}) == ["Two."]
    assert taken(file, [], **{"Two.": frozenset(["other"])}) == []


def test_what_rests_on_a_passage_that_could_not_be_checked_stays() -> None:
    file = File("One.\nTwo.\nThree.\n", "sentences")
    one, two, three = file.spots
    taken(file, [found_at(one, two, built=True), found_at(three)])
    assert taken(file, [], **{"Two.": None}) == ["One."]
    taken(file, [found_at(one, two), found_at(two, one)])
    assert taken(file, [], **{"Two.": None}) == ["Two."]  # of the first it is known that it is none


def test_what_was_found_anew_is_told_once() -> None:
    file = File("One.\nTwo.\n", "sentences")
    (one, _) = spots_in("One.\nTwo.\n", "sentences")
    assert taken(file, [found_at(one)], **{"One.": frozenset(["riddle"]), "Two.": None}) == ["One.", "Two."]


def test_nothing_of_another_version_of_a_policy_stays() -> None:
    file = File("One.\nTwo.\n", "sentences")
    file.book.take("style", Asked("other", frozenset([CODE]), 2, 2), [], {"One.": None, "Two.": None})
    assert file.standing == []
    file = File("One.\nTwo.\n", "sentences")
    assert not file.book.keep_only({"style": "hash"})
    assert file.standing == ["One.", "Two."]
    assert file.book.keep_only({"style": "other"})
    assert (file.standing, file.book.asked) == ([], {})
    assert not file.book.keep_only({})


def test_comments_are_of_no_use_only_where_everything_was_checked_and_nothing_was_edited() -> None:
    file = File("One.\nTwo.\n", "sentences")
    assert file.book.decided == {CODE}
    file.type_after("On", "x")
    assert file.book.decided == frozenset()
    taken(file, [], **{"Two.": None})
    assert file.book.decided == frozenset()
    taken(file, [])
    assert file.book.decided == {CODE}


# --- what it costs


class Counting(list[str]):
    """Lines that count how many of them are looked at."""

    read = 0

    @overload
    def __getitem__(self, key: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, key: slice) -> list[str]: ...
    def __getitem__(self, key: SupportsIndex | slice) -> str | list[str]:
        found = super().__getitem__(key)
        self.read += len(found) if isinstance(key, slice) else 1
        return found


@pytest.mark.parametrize("near", [False, True])
def test_a_key_stroke_costs_no_more_in_a_long_text(near: bool) -> None:
    read = []
    for count in (100, 10_000):
        text = "".join(f"Line {number} says it.\n\n" for number in range(count))
        file = File(text, "paragraphs")
        kept = [file.spots[5], file.spots[50]]
        file.book.take("style", Asked("hash", frozenset([CODE]), count), [found_at(spot) for spot in kept], {})
        line = 101 if near else 30
        file.buffer.edit((line, 0), (line, 0), "x", "utf-32")
        lines = Counting(file.buffer.lines)
        file.book.follow(file.buffer.take_changes(), lines, "a.md")
        assert len(file.standing) == (1 if near else 2)
        read.append(lines.read)
    assert read[0] == read[1] <= 100


def test_a_key_stroke_in_a_line_of_many_passages_splits_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    split_once: list[int] = []

    def counting(text: str, kind: Kind, *, path: str) -> tuple[Piece, ...]:
        split_once.append(len(text))
        return split(text, kind, path=path)

    file = File(" ".join(f"Sentence {number} is so." for number in range(100)) + "\n", "sentences")
    monkeypatch.setattr("cite_lsp.policy.splitting.split", counting)
    file.type_after("Sentence 50", "x")
    assert len(file.standing) == 99
    assert len(split_once) <= 2


def test_a_thousand_edits_in_one_event_are_brought_to_each_finding_once() -> None:
    text = "".join(f"Line {number} says it.\n\n\n\n\n\n" for number in range(1000))
    file = File(text, "paragraphs")
    for number in range(999, -1, -1):
        file.buffer.edit((6 * number + 3, 0), (6 * number + 3, 0), "x\n", "utf-32")
    lines = Counting(file.buffer.lines)
    file.book.follow(file.buffer.take_changes(), lines, "a.md")
    assert len(file.standing) == 1000
    assert [spot.first for spot in file.spots] == [7 * number for number in range(1000)]
    assert lines.read == 0
