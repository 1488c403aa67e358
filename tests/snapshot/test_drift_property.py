"""Random edits of files whose lines have identities: where the cited lines went is known, not judged."""

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.snapshot.baseline import CONTEXT, MOST_TWINS, Baseline, Twin
from cite_lsp.snapshot.drift import Drift, drift_of, edit_between, shifted

if TYPE_CHECKING:
    from collections.abc import Callable

SCRIPTS = 10_000
SEED = 20260731
BOILERPLATE = ("}", "", "    return None", "else:", "    })", "    break", "    pass", "return err", "# ----")


class Line(NamedTuple):
    identity: int
    text: str
    origin: int = 0
    """The identity of the line it was copied from since the citation was written; 0 of one that was not."""


class Edits:
    """A file under random edits; each line keeps its identity while it is moved, and gets a new one when written."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.next = 0
        self.cited = False
        """The citation is written: copies from now on are known as such."""
        self.lines = [self.line() for _ in range(random.randrange(8, 60))]
        if random.random() < 0.4:
            self.duplicate()

    def line(self) -> Line:
        self.next += 1
        if self.random.random() < 0.3:
            return Line(self.next, self.random.choice(BOILERPLATE))
        indent = "    " * self.random.randrange(3)
        form = self.random.choice(("value_{0} = compute({0})", "self.step_{0}(item)", "if ready_{0}:", "call(x{0}, y)"))
        return Line(self.next, indent + form.format(self.next))

    def again(self, line: Line, text: str | None = None) -> Line:
        self.next += 1
        return Line(self.next, line.text if text is None else text, (line.origin or line.identity) * self.cited)

    def stretch(self, most: int = 8) -> tuple[int, int]:
        start = self.random.randrange(len(self.lines) + 1)
        return start, min(len(self.lines), start + self.random.randrange(1, most))

    def insert(self) -> None:
        at = self.random.randrange(len(self.lines) + 1)
        self.lines[at:at] = [self.line() for _ in range(self.random.randrange(1, 6))]

    def boilerplate(self) -> None:
        at = self.random.randrange(len(self.lines) + 1)
        self.next += 1
        self.lines.insert(at, Line(self.next, self.random.choice(BOILERPLATE)))

    def delete(self) -> None:
        start, end = self.stretch()
        del self.lines[start:end]

    def replace(self) -> None:
        start, end = self.stretch(3)
        self.lines[start:end] = [self.line() for _ in range(self.random.randrange(1, 4))]

    def edit(self) -> None:
        start, end = self.stretch(3)
        self.lines[start:end] = [self.again(one, one.text.replace("(", "(new_", 1)) for one in self.lines[start:end]]

    def move(self) -> None:
        start, end = self.stretch(12)
        taken, self.lines[start:end] = self.lines[start:end], []
        at = self.random.randrange(len(self.lines) + 1)
        self.lines[at:at] = taken

    def duplicate(self) -> None:
        start, end = self.stretch(12)
        at = self.random.randrange(len(self.lines) + 1)
        self.lines[at:at] = [self.again(line) for line in self.lines[start:end]]

    def indent(self) -> None:
        start, end = self.stretch(12)
        self.lines[start:end] = [one._replace(text=one.text and "  " + one.text) for one in self.lines[start:end]]

    def swap(self) -> None:
        (one, two), (three, four) = sorted((self.stretch(), self.stretch()))
        if two <= three:
            lines = self.lines
            self.lines = lines[:one] + lines[three:four] + lines[two:three] + lines[one:two] + lines[four:]

    def any(self, cited: list[Line]) -> None:
        if self.random.random() < 0.08:  # the cited block goes, or one of its copies
            gone = {line.identity for line in cited}
            self.lines = [line for line in self.lines if line.identity not in gone]
            return
        kinds: list[Callable[[], None]] = [
            self.insert, self.insert, self.boilerplate, self.delete, self.replace, self.edit, self.move,
            self.duplicate, self.indent, self.swap,
        ]  # fmt: skip
        self.random.choice(kinds)()


def texts(lines: list[Line]) -> tuple[str, ...]:
    return tuple([line.text for line in lines])


def places_of(block: tuple[str, ...], lines: tuple[str, ...]) -> list[int]:
    return [at for at in range(len(lines) - len(block) + 1) if lines[at : at + len(block)] == block]


def baseline_of(lines: tuple[str, ...], first: int, size: int) -> Baseline:
    """Give the baseline of the `size` lines from `first` (0-based) on."""

    def around(at: int) -> Twin:
        return Twin(lines[max(0, at - CONTEXT) : at], lines[at + size : at + size + CONTEXT])

    block = lines[first : first + size]
    twins = [around(at) for at in places_of(block, lines) if at != first]
    before, after = around(first)
    return Baseline(
        "text", "c0ffee", 7, "a.py", "a.py", first + 1, first + size, block, before, after, tuple(twins[:MOST_TWINS])
    )


class Case(NamedTuple):
    old: list[Line]
    new: list[Line]
    first: int
    size: int

    @property
    def cited(self) -> list[Line]:
        return self.old[self.first : self.first + self.size]

    @property
    def drift(self) -> Drift:
        now = texts(self.new)
        baseline = baseline_of(texts(self.old), self.first, self.size)
        return drift_of(baseline, "a.py", (self.first + 1, self.first + self.size), {"a.py": now}.get)

    @property
    def truth(self) -> int | None:
        """Where the cited lines stand together now, in order and whole (0-based)."""
        identities = [line.identity for line in self.cited]
        now = [line.identity for line in self.new]
        at = now.index(identities[0]) if identities[0] in now else -1
        return at if at >= 0 and now[at : at + self.size] == identities else None

    def descends(self, at: int) -> bool:
        """Whether the lines there are the cited ones, or a copy made of them since; boilerplate in it may be new."""
        pairs = list(zip(self.cited, self.new[at : at + self.size], strict=True))
        telling = [pair for pair in pairs if pair[0].text not in BOILERPLATE] or pairs
        return all(line.identity == (now.origin or now.identity) for line, now in telling)

    def same_lines(self, at: int) -> bool:
        """Whether what stands there cannot be told from the cited lines: their text, next to the same neighbours."""
        old, new = texts(self.old), texts(self.new)
        above = old[max(0, self.first - 2) : self.first]
        below = old[self.first + self.size : self.first + self.size + 2]
        return (bool(above) and new[max(0, at - 2) : at] == above) or (
            bool(below) and new[at + self.size : at + self.size + 2] == below
        )


def case(seed: int) -> Case:
    random = Random(seed)
    edits = Edits(random)
    old = [Line(line.identity, line.text) for line in edits.lines]
    edits.lines, edits.cited = list(old), True
    size = min(random.choice((1, 1, 1, 2, 3, 5, 10)), len(old))
    first = random.randrange(len(old) - size + 1)
    for _ in range(random.randrange(1, 7)):
        edits.any(old[first : first + size])
    return Case(old, edits.lines, first, size)


def test_no_preferred_fix_is_wrong_and_most_moves_are_found() -> None:
    moved = placed = 0
    wrong = []
    for seed in range(SEED, SEED + SCRIPTS):
        one = case(seed)
        drift = one.drift
        block, now = texts(one.cited), texts(one.new)
        truth = one.truth
        unique = len(places_of(block, now)) == 1
        if drift.status == "moved" and len(drift.places) == 1 and (unique or drift.reformatted):
            at = drift.places[0].first - 1
            if not one.descends(at) and not one.same_lines(at):
                wrong.append((seed, truth, drift))
        if unique and truth is not None and truth != one.first and texts(one.new[truth : truth + one.size]) == block:
            moved += 1
            placed += drift.status == "moved" and [place.first - 1 for place in drift.places] == [truth]
    assert wrong == []
    assert moved > SCRIPTS / 5
    assert placed >= 0.97 * moved


def test_what_moves_with_an_edit_is_where_a_search_finds_it() -> None:
    answered = unsure = 0
    for seed in range(SEED, SEED + SCRIPTS // 2):
        one = case(seed)
        old, now = texts(one.old), texts(one.new)
        random = Random(seed)
        edits = Edits(random)
        edits.lines, edits.next, edits.cited = list(one.new), 10_000, True
        edits.any(one.cited)
        later = texts(edits.lines)
        baseline = baseline_of(old, one.first, one.size)
        span = (one.first + 1, one.first + one.size)
        live = shifted(one.drift, baseline, "a.py", span, now, later)
        if live is not None and len(places_of(baseline.lines, later)) == 1:
            answered += 1
            search = drift_of(baseline, "a.py", span, {"a.py": later}.get)
            if live != search:  # the neighbours tell a search less than the edit tells
                assert search.status == "edited", seed
                assert live.status == "moved", seed
                assert Case(one.old, edits.lines, one.first, one.size).descends(live.places[0].first - 1), seed
                unsure += 1
    assert answered > SCRIPTS / 20
    assert unsure < answered / 50


some_lines = st.lists(
    st.sampled_from(["", "}", "a", "foo(bar)", "  foo(bar)", "else:", "\u2028", "\t", "\ud800 x_y_z"]) | st.text()
)


@given(some_lines, some_lines)
def test_an_edit_is_what_differs(old: list[str], new: list[str]) -> None:
    first, gone, came = edit_between(old, new)
    assert old[: first - 1] + new[first - 1 : first - 1 + came] + old[first - 1 + gone :] == new
    assert (
        gone == 0 or came == 0 or (old[first - 1] != new[first - 1] and old[first + gone - 2] != new[first + came - 2])
    )


@settings(max_examples=300)
@given(st.data(), some_lines.map(tuple), some_lines.map(tuple), st.text())
def test_nothing_raises(data: st.DataObject, old: tuple[str, ...], now: tuple[str, ...], sentence: str) -> None:
    old = old or ("x",)
    first = data.draw(st.integers(0, len(old) - 1))
    size = data.draw(st.integers(1, len(old) - first))
    baseline = baseline_of(old, first, size)._replace(now=data.draw(st.sampled_from(["", "a.py", "b.py"])))
    span = data.draw(st.tuples(st.integers(0, 99), st.integers(0, 99)))
    files = data.draw(st.sampled_from([{"a.py": now}, {"b.py": now}, {"a.py": old, "b.py": now}, {}]))
    path = data.draw(st.sampled_from(["a.py", "b.py", ""]))
    drift = drift_of(baseline, path, span, files.get, sentence)
    for place in drift.places:
        assert 1 <= place.first <= place.last <= len(files[place.path])
    if drift.status == "moved" and not drift.reformatted:
        for place in drift.places:
            there = files[place.path][place.first - 1 : place.last]
            assert [line.rstrip() for line in there] == [line.rstrip() for line in baseline.lines]
    shifted(drift, baseline, path, span, files.get(path, ()), old)
