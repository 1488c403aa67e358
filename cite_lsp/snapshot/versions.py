"""Does a citation stand in an older version of its document? Asked of texts, without parsing them.

It does when the lines that it stands on are there, or when its text stands in a block whose sentence is the same but
for white space, or alike. A sentence that was reworded around a citation is the same citation; another sentence that
happens to cite the same lines is not.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from typing import NamedTuple

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.snapshot.lines import split_lines

ALIKE = 60.0
"""From this likeness on (0 to 100) two sentences around one citation are versions of one sentence."""

_FEW_WORDS = 16
_MOST_PLACES = 40
_FEW = 8
_BLOCK_LINES = 60
_PATH_LINES = 12
_MOST_CHARACTERS = 2_000
_STARTS_BLOCK = re.compile(r"\s*(?:#|[-*+•]\s|[0-9a-zA-Z]{1,3}[.)]\s|\||>|\[[^\]]+\]:|```|~~~|\.\. |=)")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"'”’)\]*_`]*\s+(?=[\"'“‘(\[*_`]*[^\W\d_a-z])|(?<=[。！？])")
_CITES = re.compile(r"[:#(]L?[0-9]")
_NUMBERED = re.compile(r"\b[Ll]ines?\s+L?[0-9]+(?:\s*(?:[-–,]|to|and)\s*L?[0-9]+)*|(?<!\S)\S*[:#(]L?[0-9]\S*")
_NAMES_LINES = re.compile(r"[:#(]L?[0-9]|[Ll]ines?\s+L?[0-9]")
"""What a line has that `_NUMBERED` finds something in; it is looked for faster."""
_GOES_ON = re.compile(r"\w|[-–—:.,][0-9]")


class Sought(NamedTuple):
    """A citation as it stands in one version."""

    text: str
    lines: tuple[str, ...]
    """The lines that it stands on, white space around them removed; from that of its path on."""
    path: str
    """The path, as written, that stands before it in the block; "" where it is in the text."""
    raw: str
    """The last of the lines with its white space."""


class Version:
    """One version of a document."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
        self._asked = 0
        self._change: _Change | None = None

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their terminators."""
        return split_lines(self.text)

    @cached_property
    def stripped(self) -> list[str]:
        """The lines without white space around them, and without a byte-order mark."""
        stripped = [line.strip() for line in self.lines]
        if stripped:
            stripped[0] = stripped[0].removeprefix("\ufeff")
        return stripped

    @cached_property
    def _set(self) -> frozenset[str]:
        return frozenset(self.stripped)

    @cached_property
    def _joined(self) -> str:
        return "\n" + "\n".join(self.stripped) + "\n"

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [], 0
        for line in self.lines:
            starts.append(at)
            at += len(line) + 1
        return starts

    @cached_property
    def _raw_set(self) -> frozenset[str]:
        return frozenset(self.text.split("\n"))

    def has(self, sought: "Sought") -> bool:
        """Say whether the lines of a citation stand here, one below the other."""
        lines = sought.lines
        self._asked += 1
        if self._asked <= _FEW:  # to cut a large text into lines costs more than to search it some times
            if not all(map(self._has_line, lines)):
                return False
        elif len(lines) == 1 and sought.raw in self._raw_set:  # with its indent, as nearly always
            return True
        elif not self._set.issuperset(lines):
            return False
        return len(lines) == 1 or "\n" + "\n".join(lines) + "\n" in self._joined

    def _has_line(self, line: str) -> bool:
        text = self.text
        at = text.find(line)
        for _ in range(_MOST_PLACES):
            if at < 0:
                return False
            start, behind = text.rfind("\n", 0, at) + 1, at + len(line)
            end = text.find("\n", behind)
            around = text[start:at].removeprefix("\ufeff") + text[behind : end if end >= 0 else len(text)]
            if not around.strip():
                return True
            at = text.find(line, at + 1)
        return line in self._set

    def places(self, sought: Sought) -> list[int]:
        """Give where the text of a citation stands, not inside a longer word or number."""
        found: list[int] = []
        for match in _expression(sought.text).finditer(self.text):
            at, end = match.span()
            before = self.text[at - 1 : at]
            joined = sought.text[:1].isalnum() and (before.isalnum() or before in ("_", "/", "\\", "."))
            if not (before and joined) and not _GOES_ON.match(self.text, end):
                found.append(at)
                if len(found) == _MOST_PLACES:
                    break
        return found

    def place(self, sought: Sought) -> int | None:
        """Give where a citation stands whose lines are here."""
        try:
            line = self.stripped.index(sought.lines[0])
        except ValueError:
            return None
        found = _expression(sought.text).search(self.text, self._starts[line])
        return found.start() if found else None

    def lines_at(self, start: int, end: int) -> tuple[str, ...]:
        """Give the stripped lines between two offsets."""
        low, high = self._line(start), self._line(max(start, end - 1))
        return tuple(self.stripped[low : high + 1])

    def raw_at(self, offset: int) -> str:
        """Give the line of an offset."""
        return self.lines[self._line(offset)]

    def keeps(self, sought: "Sought", older: "Version") -> bool:
        """Say whether the line of a citation of this version was left alone since the older one; a cheap first look."""
        return len(sought.lines) == 1 and sought.lines[0] not in self._since(older).here

    def replaced(self, older: "Version") -> frozenset[str]:
        """Give the wording of the lines of an older version that name lines and are here no more."""
        change = self._since(older)
        if change.gone is None:
            lines = {line for line in change.there if line not in change.here and _NAMES_LINES.search(line)}
            gone = (_wording(line) for line in lines if not self._has_line(line))  # it may stand elsewhere
            change.gone = frozenset([wording for wording, numbers in gone if numbers])
        return change.gone

    def _since(self, older: "Version") -> "_Change":
        if self._change is None or self._change.older is not older:
            here, there = _differing(self.text, older.text)
            self._change = _Change(older, _stripped(here), _stripped(there))
        return self._change

    def numbers(self, wording: str) -> list[str]:
        """Give what names lines in all lines of a wording, in the order of the text."""
        return self._numbers.get(wording, [])

    @cached_property
    def _numbers(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for line in self.lines:
            if _NAMES_LINES.search(line):
                wording, numbers = _wording(line.strip())
                found.setdefault(wording, []).extend(numbers)
        return found

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def block(self, at: int) -> tuple[int, int]:
        """Give the offsets of the paragraph, list item, table row or heading around one."""
        line = low = self._line(at)
        while low > 0 and line - low < _BLOCK_LINES and not _STARTS_BLOCK.match(self.lines[low]):
            if not self.stripped[low - 1] or self.lines[low - 1].lstrip().startswith(("#", "|")):
                break
            low -= 1
        high = line + 1
        while high < len(self.lines) and high - line < _BLOCK_LINES and self.stripped[high]:
            if _STARTS_BLOCK.match(self.lines[high]):
                break
            high += 1
        return self._starts[low], self._starts[high - 1] + len(self.lines[high - 1])


@dataclass(slots=True)
class _Change:
    """What is between the first and the last line that two versions do not share, without white space around lines."""

    older: Version
    here: frozenset[str]
    there: frozenset[str]
    gone: frozenset[str] | None = None


def _stripped(text: str) -> frozenset[str]:
    lines = [line.strip() for line in text.split("\n")]
    if "\ufeff" in text:  # on the first line it is no part of it
        lines += [line.removeprefix("\ufeff") for line in lines]
    return frozenset(lines)


def _differing(text: str, other: str) -> tuple[str, str]:
    """Give what is left of two texts without the whole lines at their beginnings and ends that are the same."""
    most = min(len(text), len(other))
    start = text.rfind("\n", 0, _shared(most, lambda low, high: text[low:high] == other[low:high])) + 1
    most -= start

    def same_ends(low: int, high: int) -> bool:
        return text[len(text) - high : len(text) - low] == other[len(other) - high : len(other) - low]

    shared = _shared(most, same_ends)
    end = text.find("\n", len(text) - shared)
    behind = 0 if end < 0 else len(text) - end
    return text[start : len(text) - behind], other[start : len(other) - behind]


def _shared(most: int, is_same: Callable[[int, int], bool]) -> int:
    """Give how many characters two texts share from one end: their parts are compared, halving what is not known."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_same(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def sought_in(document: Document, is_asked: Callable[[Anchor], bool]) -> list[Sought | None]:
    """Give what is looked for, for each anchor of a document; None for those that are not asked about."""
    version = Version(document.text)
    text = document.text
    moved = _Offsets(text)
    return [
        _sought(anchor, version, moved.of(anchor.start), moved.of(anchor.end)) if is_asked(anchor) else None
        for anchor in document.anchors
    ]


class _Offsets:
    r"""From offsets of a text to those of the same text with "\n" for every terminator."""

    def __init__(self, text: str) -> None:
        self._pairs = [found.start() for found in re.finditer("\r\n", text)] if "\r" in text else []

    def of(self, offset: int) -> int:
        return offset - bisect_right(self._pairs, offset - 1) if self._pairs else offset


def _sought(anchor: Anchor, version: Version, start: int, end: int) -> Sought:
    text = version.text[start:end]
    raw = version.raw_at(max(start, end - 1))
    name = re.split(r"[/\\]", anchor.path)[-1]
    if name in text or not name:
        return Sought(text, version.lines_at(start, end), "", raw)
    low, _ = version.block(start)
    lines = version.lines_at(start, end)
    for path in (anchor.path, name):  # a path that is written with escapes is known by its name
        at = version.text.rfind(path, low, start)
        if at >= 0:
            whole = version.lines_at(at, end)
            return Sought(text, whole if len(whole) <= _PATH_LINES else lines, path, raw)
    return Sought(text, lines, "", raw)


def carried(sought: Sought, version: Version, older: Version) -> Sought | None:
    """Give a citation of one version as it stands in an older one; None when it does not."""
    if version.keeps(sought, older) or older.has(sought):
        wording, _ = _wording(sought.lines[-1])
        return None if len(wording) < _FEW_WORDS and renumbered(sought, version, older) else sought
    places = older.places(sought)
    if not places or renumbered(sought, version, older):
        return None
    here = version.place(sought)
    if here is None:
        return None
    best: tuple[float, int] = (0.0, 0)
    for at in places:
        if sought.path and sought.path not in older.text[older.block(at)[0] : at]:
            continue
        best = max(best, (likeness(version, here, older, at), -at))
    if best[0] < ALIKE:
        return None
    at = -best[1]
    found = _expression(sought.text).match(older.text, at)
    end = found.end() if found else at + len(sought.text)
    start = older.text.rfind(sought.path, 0, at) if sought.path else at
    lines = older.lines_at(start, end)
    lines = lines if len(lines) <= _PATH_LINES else older.lines_at(at, end)
    return Sought(sought.text, lines, sought.path, older.raw_at(max(at, end - 1)))


def renumbered(sought: Sought, version: Version, older: Version) -> bool:
    """Say whether a citation came to name its lines between two versions, though another named them in the older one.

    Whoever puts the numbers of a list right gives one item the lines that another had. In lines that read the same but
    for what they cite, the first is the first, and so on; where there are more or fewer of them now, those that name
    the same lines in the same order are the same.
    """
    wording, _ = _wording(sought.lines[-1])
    if wording not in version.replaced(older):
        return False
    here, there = version.numbers(wording), older.numbers(wording)
    if len(here) == len(there):
        kept = [one for one, other in zip(here, there, strict=True) if one == other]
    else:
        blocks = SequenceMatcher(None, there, here, autojunk=False).get_matching_blocks()
        kept = [number for block in blocks for number in here[block.b : block.b + block.size]]
    return not any(number in sought.text or sought.text in number for number in kept)


@lru_cache(maxsize=8192)
def _wording(line: str) -> tuple[str, tuple[str, ...]]:
    """Give a line without what names lines in it and without marks at its ends, and what that is."""
    numbers = tuple([found.strip("`'\"()[]{}<>.,;*_|") for found in _NUMBERED.findall(line)])
    return " ".join(_NUMBERED.sub(" ", line).split()).strip(" -*+|>#`"), numbers


def likeness(version: Version, at: int, older: Version, place: int) -> float:
    """Say how alike the sentences around two offsets are, 0 to 100; of short ones the whole blocks."""
    (one, whole), (other, older_whole) = _around(version, at), _around(older, place)
    if one == other and one:
        return 100.0
    if whole == older_whole:
        return 100.0
    from rapidfuzz import fuzz  # noqa: PLC0415 - few need it

    if min(len(one), len(other)) < _FEW_WORDS:
        one, other = whole, older_whole
    if min(len(one), len(other)) < _FEW_WORDS:
        return 100.0 if not one and not other else fuzz.ratio(one, other)
    return max(fuzz.ratio(one, other), fuzz.token_set_ratio(one, other) * 0.9)


def _around(version: Version, at: int) -> tuple[str, str]:
    """Give the sentence and the block around an offset, without the citations in them and with single spaces."""
    low, high = version.block(at)
    low, high = max(low, at - _MOST_CHARACTERS), min(high, at + _MOST_CHARACTERS)
    start, end = low, high
    for found in _SENTENCE_END.finditer(version.text, low, high):
        if found.end() <= at:
            start = found.end()
        else:
            end = found.start()
            break
    return _plain(version.text[start:end]), _plain(version.text[low:high])


def _plain(text: str) -> str:
    return " ".join([word for word in text.split() if not _CITES.search(word)]).strip(" -*+|>#`")


@lru_cache(maxsize=4096)
def _expression(text: str) -> "re.Pattern[str]":
    return re.compile(r"[\s>]+".join(map(re.escape, text.split())))


def forget_texts() -> None:
    """Let go of what is kept of the texts of citations: it only helps while many are looked up."""
    _wording.cache_clear()
    _expression.cache_clear()
