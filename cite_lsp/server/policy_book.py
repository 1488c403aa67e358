"""What policies found in one open file, carried from one version of its text to the next.

A finding stays with its passage: an edit elsewhere moves it, an edit of the passage drops it until the policy is asked
again. What is carried are lines and columns, so that it works in any file, be it a document of ours or not, and a key
stroke costs what the findings do, not what the text does. Where an edit touches a passage or comes close, a few lines
around it are split anew: the finding stays if the same passage stands there.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from cite_lsp.document.buffer import lines_with_ends, without_end
from cite_lsp.document.changes import Changes, LineChange
from cite_lsp.document.columns import Encoding, to_units
from cite_lsp.findings.places import Places
from cite_lsp.findings.told import Told
from cite_lsp.server.convert import Range, range_of

if TYPE_CHECKING:
    from cite_lsp.policy.splitting import Kind

_BELOW = 2
"""Lines below a passage in which an edit may make it longer."""
_GO_ON: "frozenset[Kind]" = frozenset({"turns", "list-items", "sections", "log-lines"})
"""Kinds of passages that may go on behind blank lines: how far below an edit counts hangs on these."""
_MOST_BLANK = 50
"""Blank lines that are looked at."""
_STAMPED = "2026-01-02 10:00:00 INFO behind\n"
_UNSTAMPED = "behind\n"
"""Lines of logs in which every entry begins with a time, and of others: which it is hangs on the whole text."""
_CONTEXT = 12
"""Lines above a passage that are split with it at most: up to the nearest blank one."""
_LONGEST = 300
"""Lines of a passage that is split anew; what touches a longer one drops it."""
_MOST_PLACES = 8
"""Places of a passage's text that are looked at after an edit."""


@dataclass(slots=True, eq=False)
class Spot:
    """A passage in the text as it is now: 0-based lines, columns in code points, `end_column` exclusive."""

    text: str
    kind: "Kind"
    first: int
    column: int
    last: int
    end_column: int
    units: tuple[int, int] = (0, 0)
    """The two columns in the client's units."""
    behind: int = 0
    """How many characters stand behind it on its last line."""
    alive: bool = True
    """Whether the passage is as it was when it was asked about."""
    _range: "tuple[object, Range] | None" = None
    """Where it was as its range was given last, and that."""

    def offsets(self, places: Places) -> tuple[int, int]:
        """Give where it begins and ends, as code-point offsets into the text of `places`."""
        return places.start(self.first) + self.column, places.start(self.last) + self.end_column

    def range(self) -> Range:
        """Give its range in the protocol's form."""
        where = self.first, self.last, self.units
        if self._range is None or self._range[0] != where:
            self._range = where, range_of((self.first, self.units[0]), (self.last, self.units[1]))
        return self._range[1]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A finding of a policy at one passage.

    Attributes:
        told: What is told of it; its offsets say nothing, the place is the spot's.
        concern: What was found.
        spot: Where.
        built: Whether it rests on all of its passages together.
        related: Other passages that it rests on, each with what is said of it.
    """

    told: Told
    concern: str
    spot: Spot
    built: bool = False
    related: tuple[tuple[Spot, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What the last run of a policy over the file came to.

    Attributes:
        hash: Of the policy as it was asked.
        codes: The codes of its concerns.
        passages: How many the file has.
        unchecked: How many of them were not checked, or not by every concern.
        why: The first reason, a sentence without a full stop; "" where all were checked.
    """

    hash: str
    codes: frozenset[str]
    passages: int
    unchecked: int = 0
    why: str = ""


class Since:
    """What was edited since a moment: places of then are places of now."""

    def __init__(self) -> None:
        """Begin now."""
        self._changes = Changes()

    def add(self, changes: Sequence[LineChange]) -> None:
        """Take what an edit changed."""
        for change in reversed(changes):  # from below, so that lines above are still counted as before the edit
            self._changes.add(change.old_first, change.old_last, change.new_last - change.new_first)

    def all(self) -> tuple[LineChange, ...]:
        """Give all that changed, as one edit."""
        return self._changes.all()


Unknown = Mapping[str, frozenset[str] | None]
"""Texts of passages that a run could not check, with the concerns that this is so of; None: all."""


class PolicyBook:
    """The findings of policies in one open file."""

    def __init__(self, encoding: Encoding) -> None:
        """Take the client's encoding."""
        self._encoding = encoding
        self._found: dict[str, tuple[Found, ...]] = {}
        """By policy."""
        self._running: list[Since] = []
        self.related_shown = False
        """Whether the client shows places beside a finding."""
        self.asked: dict[str, Asked] = {}
        """By policy, what its last run came to."""

    def __bool__(self) -> bool:
        """Whether anything was found."""
        return any(self._found.values())

    @property
    def found(self) -> Iterator[Found]:
        """What stands, by policy."""
        return (each for those in self._found.values() for each in those if each.spot.alive)

    @property
    def decided(self) -> frozenset[str]:
        """The codes of policies that have looked at all there is: what they do not find is not there to be ignored."""
        return frozenset(
            code
            for policy, asked in self.asked.items()
            if not asked.unchecked and all(each.spot.alive for each in self._found.get(policy, ()))
            for code in asked.codes
        )

    def related(self, found: Found, uri: str) -> list[dict[str, Any]]:
        """Give the passages beside a finding in the protocol's form; those that were edited are left out."""
        if not self.related_shown:
            return []
        return [
            {"location": {"uri": uri, "range": spot.range()}, "message": message}
            for spot, message in found.related
            if spot.alive
        ]

    # --- runs

    def begin(self) -> Since:
        """Begin to note what is edited, for a run over the text as it is now."""
        since = Since()
        self._running.append(since)
        return since

    def end(self, since: Since) -> None:
        """Stop noting."""
        self._running = [each for each in self._running if each is not since]

    def take(self, policy: str, asked: Asked, found: Sequence[Found], unknown: Unknown) -> None:
        """Take what a run of a policy came to, in place of the run before.

        `found`: with spots of the text as it is now (`place`). `unknown`: what the run could not check; what was found
        there before stays, for nobody has said that it is not so.
        """
        before = self.asked.get(policy)
        if before is None or before.hash != asked.hash:
            self._found.pop(policy, None)
        self.asked[policy] = asked
        places = {(each.told.code, each.spot.first, each.spot.column) for each in found if each.spot.alive}
        kept = [
            each
            for each in self._found.get(policy, ())
            if each.spot.alive
            and each.told.code in asked.codes
            and _is_unknown(each, unknown)
            and (each.told.code, each.spot.first, each.spot.column) not in places
        ]
        self._found[policy] = (*found, *kept)

    def keep_only(self, hashes: Mapping[str, str]) -> bool:
        """Drop what was found by policies that are not these, by name and hash; say whether anything was."""
        gone = [policy for policy, asked in self.asked.items() if hashes.get(policy) != asked.hash]
        dropped = any(self._found.get(policy) for policy in gone)
        for policy in gone:
            del self.asked[policy]
            self._found.pop(policy, None)
        return dropped

    def place(self, spots: Sequence[Spot], since: Since, lines: Sequence[str], path: str) -> None:
        """Bring spots of the text as a run began with it to the text as it is now."""
        changes = since.all()
        if changes:
            self._follow(spots, changes, lines, path)
        for spot in spots:
            if spot.alive:
                self._measure(spot, lines)

    # --- edits

    def follow(self, changes: Sequence[LineChange], lines: Sequence[str], path: str) -> None:
        """Take an edit. `lines`: of the text behind it, with their terminators, the last one without."""
        if not changes:
            return
        for since in self._running:
            since.add(changes)
        if self._found:
            self._follow([*self._spots()], changes, lines, path)

    def _spots(self) -> Iterator[Spot]:
        seen: set[int] = set()
        for each in self.found:
            for spot in (each.spot, *(other for other, _ in each.related)):
                if spot.alive and id(spot) not in seen:
                    seen.add(id(spot))
                    yield spot

    def _follow(self, spots: Sequence[Spot], changes: Sequence[LineChange], lines: Sequence[str], path: str) -> None:
        ends = [change.old_last for change in changes]
        grown = [0, *accumulate(_growth(change) for change in changes)]
        near: list[tuple[Spot, Sequence[LineChange], int]] = []
        for spot in spots:
            behind = bisect_left(ends, spot.first)
            delta = grown[behind]
            beside = _near(spot, changes, behind, lines, delta)
            if beside:
                near.append((spot, beside, delta))
            else:
                spot.first += delta
                spot.last += delta
        near.sort(key=lambda each: (each[0].first, each[0].column))
        taken: dict[tuple[int, int, str], tuple[int, int]] = {}
        splits = _Splits(lines, path)
        for spot, beside, delta in near:
            self._look(spot, _Beside(beside, delta), splits, taken)

    def _look(
        self,
        spot: Spot,
        beside: "_Beside",
        splits: "_Splits",
        taken: dict[tuple[int, int, str], tuple[int, int]],
    ) -> None:
        """Find a passage again that was edited, or beside which was edited.

        `taken`: where passages were found again, each with where it stood: of two that are the same each has its own.
        """
        lines = splits.lines
        was = spot.first, spot.column
        first = spot.first + beside.delta + beside.above(spot)
        inside = beside.inside(spot)
        if spot.last - spot.first >= _LONGEST:
            spot.alive = not inside and not beside.below(spot)
            spot.first, spot.last = first, spot.last + first - spot.first
            return
        places = _places(spot, beside, lines) if inside else [(first, spot.column)]
        places.sort(key=lambda place: _likely(spot, place, first, lines))
        for line, column in places[:_MOST_PLACES]:
            place = line, column, spot.kind
            if taken.get(place, was) == was and splits.has(spot, line, column):
                taken[place] = was
                spot.first, spot.column = line, column
                spot.last, spot.end_column = _end_of(spot.text, line, column)
                self._measure(spot, lines)
                return
        spot.alive = False

    def _measure(self, spot: Spot, lines: Sequence[str]) -> None:
        """Work out the columns in the client's units, and what stands behind."""
        last = without_end(lines[spot.last])
        spot.units = (
            to_units(without_end(lines[spot.first]), spot.column, self._encoding),
            to_units(last, spot.end_column, self._encoding),
        )
        spot.behind = len(last) - spot.end_column


def spot_of(text: str, kind: "Kind", line: int, column: int) -> Spot:
    """Give the spot of a passage that begins at a 0-based line and a column in code points."""
    return Spot(text, kind, line, column, *_end_of(text, line, column))


def _is_unknown(found: Found, unknown: Unknown) -> bool:
    """Whether a run could not say if something found before is still so: it did not see all that it rests on."""
    for spot in (found.spot, *(other for other, _ in found.related if found.built)):
        if spot.text in unknown:
            concerns = unknown[spot.text]
            if concerns is None or found.concern in concerns:
                return True
    return False


def _near(
    spot: Spot, changes: Sequence[LineChange], first: int, lines: Sequence[str], delta: int
) -> Sequence[LineChange]:
    """Give the edits in a passage and beside it; `first`: the number of the first that is not above it.

    `delta`: by how many lines the text, whose `lines` are those behind the edits, grew above.
    """
    end, last = first, spot.last + _BELOW
    if first < len(changes) and last < changes[first].old_first <= last + _MOST_BLANK:
        last += _blank(lines, spot.last + 1 + delta, spot.kind)
    while end < len(changes) and changes[end].old_first <= last:
        end += 1
    return changes[first:end]


def _blank(lines: Sequence[str], line: int, kind: "Kind") -> int:
    """Give how many lines from one on are blank, for passages that may go on behind them."""
    end = line
    while kind in _GO_ON and end < min(len(lines), line + _MOST_BLANK) and not lines[end].strip():
        end += 1
    return end - line


def _growth(change: LineChange) -> int:
    return (change.new_last - change.new_first) - (change.old_last - change.old_first)


def _end_of(text: str, line: int, column: int) -> tuple[int, int]:
    """Give the line and column behind a text that begins at a place."""
    rows = lines_with_ends(text)
    last = without_end(rows[-1])
    return line + len(rows) - 1, len(last) + (column if len(rows) == 1 else 0)


@dataclass(frozen=True, slots=True)
class _Beside:
    """The edits in a passage and beside it, and by how many lines the text grew above them."""

    changes: Sequence[LineChange]
    delta: int

    def inside(self, spot: Spot) -> bool:
        """Whether lines of the passage were edited."""
        return any(change.old_first <= spot.last and change.old_last > spot.first for change in self.changes)

    def below(self, spot: Spot) -> bool:
        """Whether lines below were edited."""
        return any(change.old_first > spot.last for change in self.changes)

    def above(self, spot: Spot) -> int:
        """Give by how many lines the text grew directly above."""
        return sum(_growth(change) for change in self.changes if change.old_last <= spot.first)


def _likely(spot: Spot, place: tuple[int, int], first: int, lines: Sequence[str]) -> tuple[bool, bool, int, int]:
    """Give an order of places: as far from the beginning of its line as before, as far from the end, near."""
    line, column = place
    last, end = _end_of(spot.text, line, column)
    behind = len(without_end(lines[last])) - end if last < len(lines) else -1
    return column != spot.column, behind != spot.behind, abs(line - first), abs(column - spot.column)


def _places(spot: Spot, beside: _Beside, lines: Sequence[str]) -> list[tuple[int, int]]:
    """Give where a passage's text stands in the lines that were edited, and in those that it had beside them."""
    changes, delta = beside.changes, beside.delta
    low = min(spot.first, changes[0].old_first) + delta
    high = max(spot.last + 1, changes[-1].old_last) + delta + sum(map(_growth, changes))
    if high - low > 2 * _LONGEST:
        return []
    text = "".join(lines[low:high])
    found: list[tuple[int, int]] = []
    at = text.find(spot.text)
    while at >= 0 and len(found) < 4 * _MOST_PLACES:
        before = lines_with_ends(text[:at])
        inside = bool(before) and not before[-1].endswith(("\n", "\r"))
        found.append((low + len(before) - inside, len(before[-1]) if inside else 0))
        at = text.find(spot.text, at + 1)
    return found


class _Splits:
    """What the text around places is split into after an edit; each stretch of lines is split once.

    lines: of the text behind the edit.
    """

    def __init__(self, lines: Sequence[str], path: str) -> None:
        self.lines = lines
        self._path = path
        self._known: dict[tuple[int, int, Kind], frozenset[tuple[int, str]]] = {}

    def has(self, spot: Spot, line: int, column: int) -> bool:
        """Say whether the passage is one of those that the text around a place is split into, and stands there."""
        lines = self.lines
        last, _ = _end_of(spot.text, line, column)
        if not 0 <= line <= last < len(lines):
            return False
        low = line
        while low > 0 and line - low < _CONTEXT and lines[low - 1].strip():
            low -= 1
        start = sum(map(len, lines[low:line])) + column
        high = last + 2 + _BELOW + _blank(lines, last + 1, spot.kind)
        return (start, spot.text) in self._pieces(low, high, spot.kind)

    def _pieces(self, low: int, high: int, kind: "Kind") -> frozenset[tuple[int, str]]:
        """Give the passages in a stretch of lines: the offset into it and the text of each."""
        from cite_lsp.policy.splitting import split  # noqa: PLC0415 - loaded already where something was found

        if (low, high, kind) not in self._known:
            before = "" if low == 0 else "\n"  # what only the beginning of a text may hold is not looked for here
            text = f"{before}{''.join(self.lines[low:high])}"
            logs = (_STAMPED, _UNSTAMPED) if kind == "log-lines" else ()
            texts = [f"{text}\n{line * 4 * (high - low)}" for line in logs] or [text]
            found = [
                {(each.start - len(before), each.text) for each in split(text, kind, path=self._path)} for text in texts
            ]
            self._known[low, high, kind] = frozenset(found[0].intersection(*found[1:]))
        return self._known[low, high, kind]
