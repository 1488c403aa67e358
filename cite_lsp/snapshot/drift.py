"""Has the cited text moved since the citation was written? A baseline against the file as it is now (drift.md).

A wrong preferred fix is the worst that could come of it. So a text that stands at one place is only called moved there
when it is the cited copy that stands there: its neighbours tell, where the file had other copies, where the text is
so short that it may have been written again, and where what stands between its old neighbours looks like it, edited.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from cite_lsp.document.ranges import Span
from cite_lsp.snapshot.alignment import REACH, Around, align, gap_of, ratio
from cite_lsp.snapshot.baseline import MOST_TWINS, Baseline
from cite_lsp.snapshot.by_hand import put_right
from cite_lsp.snapshot.file_lines import ENOUGH, FileLines, Level, indexed, loosened, weight
from cite_lsp.snapshot.renaming import renamed

DriftStatus = Literal["same", "moved", "edited", "gone", "born-wrong", "unknown"]

_MOST_OFFERED = 5
_TELLING = 8
"""Non-trivial characters of a text that is not expected to be written twice by chance."""
_LONG_BLOCK = 40
"""Those of a text that nobody indents again by chance."""
_MARGIN = 3
"""By how much the cited copy's neighbours must agree better than another copy's, beyond twice: the nearest line."""
_ALIKE = 60.0
_HARDLY_ALIKE = 40.0


class Standing(NamedTuple):
    """A place where a text stands: POSIX path relative to the root, 1-based lines, inclusive."""

    path: str
    first: int
    last: int


class Drift(NamedTuple):
    """How the text that a span cites differs from what stood there when the citation was written."""

    status: DriftStatus
    places: tuple[Standing, ...] = ()
    """Of `moved`: where the text stands, the likeliest first; of `edited`: the lines it is aligned with, one place."""
    baseline: str = ""
    """The commit that wrote the citation; "" where it is not from git."""
    time: int = 0
    """When that commit was made: seconds since the epoch."""
    reformatted: bool = False
    """The text was re-indented, or a name in it was changed throughout."""
    as_of: str = ""
    """The commit that the citation is read as of (records, permalinks); "" where the present counts."""
    reason: str = ""
    """Of `unknown` and `born-wrong`: why, the rest of a sentence that begins with "the citation's history"."""


LinesOf = Callable[[str], Sequence[str] | None]
"""The lines of a root-relative path as they are now; None where there is no such text."""


Sentence = str | Callable[[], str]
"""The sentence of a citation, or what reads it: of most citations it is not asked for."""


def drift_of(baseline: Baseline, path: str, span: Span, lines_of: LinesOf, sentence: Sentence = "") -> Drift:
    """Compare a baseline with the present.

    Args:
        baseline: What the span showed when its citation was written.
        path: The root-relative file that the citation means now; "" when it resolves to nothing.
        span: First and last line as cited now, 1-based.
        lines_of: Gives today's lines of a path. Tuples that stay the same objects are indexed once.
        sentence: The sentence of the citation: what it names decides whether the author put the lines right by hand.
    """
    if baseline.state != "text":
        return _dated(Drift(baseline.state, reason=baseline.reason), baseline)
    if not baseline.lines:
        return _dated(Drift("unknown", reason="holds no lines to compare with"), baseline)
    present = lines_of(path) if path else None
    at = span[0] - 1
    size = len(baseline.lines)
    narrow = weight(baseline.lines, ENOUGH) < ENOUGH
    if not narrow and present is not None and _stands(baseline.lines, present, at):
        return _dated(Drift("same"), baseline)
    old = lines_of(baseline.now) if baseline.now not in ("", path) else None
    files = [_File(name, indexed(lines)) for name, lines in ((path, present), (baseline.now, old)) if lines is not None]
    if not files:
        return _dated(_unread(baseline), baseline)
    if not all(file.lines.exact.complete for file in files):
        return _dated(Drift("unknown", reason="leads to a file of too many distinct lines"), baseline)
    found = _Search(baseline, files, _Place(files[0], at) if present is not None else None, narrow).drift()
    if found.status == "gone" and baseline.now and old is None and baseline.now != path:
        found = _unread(baseline)  # it may stand in the file that cannot be read
    if found.status in ("moved", "edited", "gone") and present is not None:
        there = lines_of(found.places[0].path) if found.places else None
        standing = there[found.places[0].first - 1 : found.places[0].last] if there is not None else ()
        cited = present[at : at + max(size, span[1] - at)]
        said = sentence if isinstance(sentence, str) else sentence()
        name = put_right(said, cited, baseline.lines, (*standing, path, baseline.path))
        if name:
            reason = f"does not know `{name}`, which the sentence names and the cited lines hold: put right by hand"
            found = Drift("unknown", reason=reason)
    return _dated(found, baseline)


def _dated(drift: Drift, baseline: Baseline) -> Drift:
    return drift._replace(baseline=baseline.commit, time=baseline.time)


def _unread(baseline: Baseline) -> Drift:
    return Drift("unknown", reason="leads to a file that cannot be read") if baseline.now else Drift("gone")


def _stands(block: Sequence[str], lines: Sequence[str], at: int) -> bool:
    """Say whether a block stands at line `at` (0-based), trailing white space apart."""
    there = lines[at : at + len(block)] if at >= 0 else ()
    if len(there) != len(block):
        return False
    return tuple(there) == block or all(
        one == other or one.rstrip() == other.rstrip() for one, other in zip(there, block, strict=True)
    )


class _File(NamedTuple):
    path: str
    lines: FileLines


class _Place(NamedTuple):
    """A file and a 0-based line of it."""

    file: _File
    at: int


class _Search:
    """One baseline against the files that may hold its text."""

    def __init__(self, baseline: Baseline, files: list[_File], here: _Place | None, narrow: bool) -> None:
        self.baseline = baseline
        self.files = files
        self.here = here
        """The cited lines."""
        self.narrow = narrow
        self.size = len(baseline.lines)
        self.near = baseline.first - 1
        self.twin: list[_Place] = []
        """Places that another copy explains better."""

    def drift(self) -> Drift:
        """Classify."""
        here = self.here
        if here is not None and _stands(self.baseline.lines, here.file.lines.lines, here.at):
            return self.narrow_here(here)  # others were told before
        found = self.places(loose=False)
        if here is not None and self.loosely_here(here):
            better = len(found) == 1 and self.agrees(found[0]) > self.agrees(here)
            return self.placed(found, reformatted=False) if better else Drift("same", reformatted=True)
        if found:
            return self.placed(found, reformatted=False)
        loose = self.places(loose=True)
        return self.placed(loose, reformatted=True) if loose else self.changed()

    # --- the whole text

    def narrow_here(self, here: _Place) -> Drift:
        """Decide of a text like `}` that stands where it did: another one may have come there."""
        around = Around.of(here.file.lines.exact, self.baseline.before, self.baseline.after)
        if any(around.touches(here.file.lines.exact, here.at, self.size)):
            return Drift("same")
        found = [place for place in self.places(loose=False) if place != here]
        if len(found) == 1 and self.agrees(found[0]) > self.agrees(here):
            drift = self.placed(found, reformatted=False)
            return drift if drift.status == "moved" else Drift("same")
        return Drift("same")

    def loosely_here(self, here: _Place) -> bool:
        there = here.file.lines.lines[here.at : here.at + self.size] if here.at >= 0 else ()
        return len(there) == self.size and all(
            loosened(one) == loosened(other) for one, other in zip(there, self.baseline.lines, strict=True)
        )

    def places(self, *, loose: bool) -> list[_Place]:
        """Find where the text stands, widened by its neighbours where it is too common; the likeliest first."""
        shapes = self.widened() if self.narrow else [(0, 0)]
        for up, down in shapes:
            before, after = self.baseline.before, self.baseline.after
            block = (*before[len(before) - up :], *self.baseline.lines, *after[:down])
            found = []
            for file in self.files:
                level = self.level(file, loose=loose)
                found += [_Place(file, at + up) for at in level.places(level.encode(block), self.near - up)]
            if found:
                return found
        return []

    def widened(self) -> list[tuple[int, int]]:
        """Give how many neighbours above and below a narrow text needs: on both sides, else on one of them."""
        above, below = self.baseline.before[::-1], self.baseline.after
        up, down = _until(above), _until(below)
        one_sided = [(up, 0)] if weight(above[:up], _TELLING) >= _TELLING else []
        if weight(below[:down], _TELLING) >= _TELLING:
            one_sided.append((0, down))
        return [(up, down), *one_sided]

    def level(self, file: _File, *, loose: bool) -> Level:
        return file.lines.loose if loose else file.lines.exact

    def agrees(self, place: _Place, *, loose: bool = True) -> int:
        level = self.level(place.file, loose=loose)
        return Around.of(level, self.baseline.before, self.baseline.after).likeness(level, place.at, self.size)

    def placed(self, found: list[_Place], *, reformatted: bool) -> Drift:
        """Say what a text that stands at `found` did."""
        if len(found) > 1:
            return self.moved(self.likeliest(found, loose=reformatted), reformatted=reformatted)
        (place,) = found
        verdict = self.judged(place, loose=reformatted)
        if verdict == "cited":
            return self.moved(found, reformatted=reformatted)
        if verdict == "twin":
            self.twin.append(place)
            return self.changed()
        return _edited(place.file, place.at, place.at + self.size)

    def likeliest(self, found: list[_Place], *, loose: bool) -> list[_Place]:
        arounds = {}
        for file in self.files:
            level = self.level(file, loose=loose)
            arounds[file.path] = (level, Around.of(level, self.baseline.before, self.baseline.after))

        def order(place: _Place) -> tuple[int, int]:
            level, around = arounds[place.file.path]
            return -around.likeness(level, place.at, self.size), abs(place.at - self.near)

        return sorted(found, key=order)[:_MOST_OFFERED]

    def judged(self, place: _Place, *, loose: bool) -> Literal["cited", "twin", "unclear"]:
        """Say whether it is the cited copy that stands at the only place, by its neighbours."""
        baseline, size = self.baseline, self.size
        level = self.level(place.file, loose=loose)
        around = Around.of(level, baseline.before, baseline.after)
        twins = [Around.of(level, twin.before, twin.after) for twin in baseline.twins]
        if around.touches_both(level, place.at, size) and not any(
            twin.touches_both(level, place.at, size) for twin in twins
        ):
            return "cited"
        if len(twins) >= MOST_TWINS:
            return "unclear"  # there were more copies than are known
        mine = around.likeness(level, place.at, size)
        if twins:
            theirs = max(twin.likeness(level, place.at, size) for twin in twins)
            if mine < 2 * theirs + _MARGIN:  # copies in a row have most of their neighbours in common
                return "twin" if theirs >= 2 * mine + _MARGIN else "unclear"
        if twins or not _weighs(baseline.lines, _TELLING):
            if (loose and twins) or not around.touches_one(level, place.at, size):
                return "unclear"
        elif loose and not mine and not _weighs(baseline.lines, _LONG_BLOCK):
            return "unclear"
        return self.beside_its_old_place(place, mine)

    def beside_its_old_place(self, place: _Place, mine: int) -> Literal["cited", "twin", "unclear"]:
        """Say what the old place tells: the text may have been copied, with neighbours, and then edited or removed."""
        for file in self.files:
            level, lines = file.lines.loose, file.lines.lines
            gap = gap_of(level, self.baseline.before, self.baseline.after, self.size, self.near)
            if gap is None or not gap.both:
                continue
            far = file is not place.file or place.at >= gap.end + REACH or place.at + self.size + REACH <= gap.start
            apart = far or place.at >= gap.end or place.at + self.size <= gap.start
            if apart and gap.start < gap.end and ratio(self.baseline.lines, lines[gap.start : gap.end]) >= _ALIKE:
                around = Around.of(level, self.baseline.before, self.baseline.after)
                if far or around.likeness(level, gap.start, gap.end - gap.start) > mine:
                    return "twin"
            if far and gap.firm and mine >= _MARGIN:
                return "unclear"  # neighbours stand there and here, so they were copied
        return "cited"

    def moved(self, found: list[_Place], *, reformatted: bool) -> Drift:
        if len(found) == 1 and found[0] == self.here:
            return Drift("same", reformatted=reformatted)
        places = tuple([Standing(place.file.path, place.at + 1, place.at + self.size) for place in found])
        return Drift("moved", places, reformatted=reformatted)

    # --- what became of it

    def changed(self) -> Drift:
        """Find what a text that stands nowhere whole has become."""
        baseline = self.baseline
        aligned = [
            (one.share, file, one.start, one.end)
            for file in self.files
            for one in align(file.lines, baseline.lines, baseline.before, baseline.after, self.near)
            if not self.is_twin(file, one.start, one.end)
        ]
        if aligned:
            _, file, start, end = max(aligned, key=lambda one: one[0])
            return self.edited(file, start, end)
        for file in self.files:
            between = self.between(file)
            if between is not None and not self.is_twin(file, *between):
                return self.edited(file, *between)
        return Drift("gone")

    def is_twin(self, file: _File, start: int, end: int) -> bool:
        return any(place.file is file and place.at < end and start < place.at + self.size for place in self.twin)

    def edited(self, file: _File, start: int, end: int) -> Drift:
        """Say that the text became the lines from `start` to `end` (0-based, exclusive): unless only names changed."""
        lines = file.lines.lines
        place = _Place(file, start)
        if end - start == self.size and renamed(self.baseline.lines, lines[start:end]) and self.held(file, start):
            return self.moved([place], reformatted=True)
        return _edited(file, start, end)

    def held(self, file: _File, at: int) -> bool:
        """Say whether the nearest neighbours on both sides are still the nearest: no sibling of the text has them."""
        level = file.lines.loose
        return all(Around.of(level, self.baseline.before, self.baseline.after).touches(level, at, self.size))

    def between(self, file: _File) -> tuple[int, int] | None:
        """Find by the neighbours what the text has become: lines alike, or the only ones between the nearest."""
        baseline, size, lines = self.baseline, self.size, file.lines.lines
        gap = gap_of(file.lines.loose, baseline.before, baseline.after, size, self.near)
        if gap is None or gap.start >= gap.end:
            return None
        if not gap.both:
            return self.most_alike(file, gap.start - 2, gap.end + 2, _ALIKE + 10)
        if gap.end - gap.start == size and gap.firm and size <= 2:
            return gap.start, gap.end
        if size == 1 or gap.end - gap.start > size:
            alike = self.most_alike(file, gap.start, gap.end, _HARDLY_ALIKE if gap.firm else _ALIKE)
            if alike is not None or size == 1:
                return alike
        whole = ratio(baseline.lines, lines[gap.start : gap.end])
        return (gap.start, gap.end) if whole >= (_HARDLY_ALIKE if gap.firm else _ALIKE) else None

    def most_alike(self, file: _File, low: int, high: int, least: float) -> tuple[int, int] | None:
        """Find, of the stretches of the text's size between `low` and `high`, the one most like it."""
        size, lines = self.size, file.lines.lines
        low, high = max(0, low), min(high, len(lines))
        found = max(
            ((ratio(self.baseline.lines, lines[at : at + size]), -at) for at in range(low, high - size + 1)),
            default=(0.0, 0),
        )
        return (-found[1], size - found[1]) if found[0] >= least else None


def _edited(file: _File, start: int, end: int) -> Drift:
    return Drift("edited", (Standing(file.path, start + 1, max(end, start + 1)),))


def _weighs(lines: Sequence[str], least: int) -> bool:
    return weight(lines, least) >= least


def _until(lines: Sequence[str]) -> int:
    """Count the neighbours, nearest first, that make a narrow text telling."""
    count = 0
    for taken, line in enumerate(lines, 1):
        count += weight((line,), _TELLING)
        if count >= _TELLING:
            return taken
    return len(lines)


def edit_between(old: Sequence[str], new: Sequence[str]) -> tuple[int, int, int]:
    """Give the one edit that makes `new` of `old`: its first line (1-based), how many lines went, how many came."""
    old, new = tuple(old), tuple(new)
    common = min(len(old), len(new))
    first = _shared(lambda low, high: old[low:high] == new[low:high], common)
    size, other = len(old), len(new)
    behind = _shared(lambda low, high: old[size - high : size - low] == new[other - high : other - low], common - first)
    return first + 1, size - first - behind, other - first - behind


def _shared(equal: Callable[[int, int], bool], most: int) -> int:
    """Count the items from 0 on that are equal, at most `most`; `equal` compares a stretch of them."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


_last_edit: list[tuple[Sequence[str], Sequence[str], tuple[int, int, int]]] = []


def last_edit(old: Sequence[str], new: Sequence[str]) -> tuple[int, int, int]:
    """Give `edit_between`, which is kept for the last two texts that were asked for."""
    for one, other, edit in _last_edit[-1:]:
        if one is old and other is new:
            return edit
    edit = edit_between(old, new)
    _last_edit[:] = [(old, new, edit)]
    return edit


def shifted(
    drift: Drift, baseline: Baseline, path: str, span: Span, old_lines: Sequence[str], new_lines: Sequence[str]
) -> Drift | None:
    """Give the drift after an edit of `path`, the cited file, from `drift` before it; None where a search is due.

    Looks only where the text stood, moved by the edit: that it stands nowhere else now is not asked again.
    """
    if baseline.state != "text" or drift.status in ("born-wrong", "edited", "gone", "unknown") or drift.reformatted:
        return drift if baseline.state != "text" else None
    if not is_telling(baseline):
        return None
    if _stands(baseline.lines, new_lines, span[0] - 1):
        return Drift("same", baseline=drift.baseline, time=drift.time, as_of=drift.as_of)
    size = len(baseline.lines)
    before = drift.places or (Standing(path, span[0], span[0] + size - 1),)
    if any(place.path != path for place in before):
        return None
    edit = last_edit(old_lines, new_lines)
    now = [_after(place, edit) for place in before]
    places = tuple(
        [place for place in now if place is not None and _stands(baseline.lines, new_lines, place.first - 1)]
    )
    return drift._replace(status="moved", places=places) if len(places) == len(before) else None


def is_telling(baseline: Baseline) -> bool:
    """Say whether a text that still stands where it did is taken for itself, whatever else the file holds now."""
    return not baseline.twins and weight(baseline.lines, _TELLING) >= _TELLING


def stands_at(baseline: Baseline, lines: Sequence[str], line: int) -> bool:
    """Say whether the text of a baseline stands at a 1-based line, trailing white space apart."""
    return _stands(baseline.lines, lines, line - 1)


def _after(place: Standing, edit: tuple[int, int, int]) -> Standing | None:
    first, gone, came = edit
    if place.last < first:
        return place
    if place.first >= first + gone:
        return Standing(place.path, place.first + came - gone, place.last + came - gone)
    return None
