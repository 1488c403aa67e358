"""Values that sentences quote in code spans, the citation that stands behind each, and whether its lines hold it.

The reference audit compares every value of a sentence with every citation of it; here each has the one beside it, a
range is a citation and no value, and a number counts in any spelling.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from math import inf
from typing import NamedTuple

from cite_lsp.audit.amounts import numbers_in, stated
from cite_lsp.document.claims import ALONE, Claims
from cite_lsp.document.document import Block
from cite_lsp.document.extensions import CALL_LIKE, EXTENSIONS
from cite_lsp.document.inline import lex
from cite_lsp.document.ranges import Place

_MOST_CHARS = 120
"""Characters of the longest code span that is a value: a longer one is a piece of code."""

_CITES = re.compile(r"\S*\.\w+(?::|#L)[0-9]\S*\Z|[A-Za-z_]\w*:[0-9]+-[0-9]+\Z")
"""What is written as a citation, though none was recognised in it."""
_FILE = re.compile(r"[\w.@~*/\\-]*(?:[/\\]|\.(?P<ending>\w+))\Z")
_QUALIFIED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*(?:\.|::|#)(?P<own>[A-Za-z_]\w*)(?:\(\))?\Z")
"""A name with those that it belongs to: where it is defined, its own stands alone."""
_LEFT_OUT = re.compile(r"\.\.\.|…|^[$>] ")
"""A value that leaves something out, or is typed at a prompt, stands nowhere as it is written."""
_COMMIT = re.compile(r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\Z")
_OF_COMMITS = re.compile(
    r"\b(?:commit\w*|revisions?|sha\w*|hash\w*|digests?|checksums?|blobs?|trees?)\b", re.IGNORECASE
)
_WHOLE_HASHES = (40, 64)
_APART = re.compile(
    r"\b(?:not|no|never|nor|neither|none|without|cannot|unlike|except|excluding|instead|rather|lacks?|missing|absent"
    r"|omits?|omitted|ignor\w+|drops?|dropped|removed?|removes|replac\w+|renamed|formerly|previously|former|old|than"
    r"|deprecated|longer|was|were|used to|should|would|could|might|may)\b|n['’]t\b|≠|!=|→|=>|⇒|->",
    re.IGNORECASE,
)
"""What comes behind such a word in its part of the sentence may well be absent from the cited lines."""
_WORDS = frozenset({"true", "false", "none", "null", "nil", "yes", "no", "on", "off"})
"""Values that each language spells its own way."""
_QUOTES = "\"'"
_PIECE = re.compile(r"[A-Za-z0-9_]+|[^A-Za-z0-9_\s]+")
_SPECIAL = re.compile(
    r"(?<![\w.])(?:0[xX][0-9a-fA-F_]{1,32}|0[bB][01_]{1,64}|0[oO][0-7_]{1,32}"
    r"|[0-9][0-9_]{0,15}(?:\.[0-9]{1,16})?[eE][+-]?[0-9]{1,3}|[0-9]{1,3}(?:,[0-9]{3}){1,5})(?![\w]|,[0-9])"
)
"""Numbers that are not written in plain digits."""
_BASES = {"0x": 16, "0b": 2, "0o": 8}
_BLANKS = re.compile(r"\s+")


class Value(NamedTuple):
    """A value, and where it stands in its block."""

    text: str
    start: int
    end: int
    anchors: tuple[int, ...]
    """The numbers in the block of the citations behind it: those that stand together, the nearest last or first."""


class Shown:
    """Cited lines, looked at for values."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._text = "\n".join([_BLANKS.sub(" ", line) for line in lines])

    def holds(self, value: str) -> bool:
        """Whether a value stands in the lines: as a whole token, as the same number, or in another spelling."""
        value = _BLANKS.sub(" ", value).strip()
        spelled = [value, value.removesuffix("()").removesuffix("("), value.strip(_QUOTES)]
        if (qualified := _QUALIFIED.match(value)) and not _is_file(value):
            spelled.append(qualified["own"])
        if any(self._has_token(each) for each in dict.fromkeys(spelled) if each):
            return True
        if value.lower() in _WORDS and re.search(rf"\b{value}\b", self._text, re.IGNORECASE):
            return True
        return not self._numbers.isdisjoint(_amounts(value))

    def _has_token(self, value: str) -> bool:
        return _token(value).search(self._text) is not None

    @cached_property
    def _numbers(self) -> frozenset[float]:
        special = frozenset(map(_special, _SPECIAL.findall(self._text)))
        return special | numbers_in(_SPECIAL.sub(" ", self._text))


@lru_cache(maxsize=256)
def _token(value: str) -> re.Pattern[str]:
    """Give what finds a text as a whole token: blanks count between words only, and `3` is not in `30` or `3.5`."""
    pieces = _PIECE.findall(value)
    joints = [r"\s+" if _is_word(left[-1]) and _is_word(right[0]) else r"\s*" for left, right in pairwise(pieces)]
    inner = "".join(map("".join, zip(map(re.escape, pieces), [*joints, ""], strict=True)))
    before = r"(?<![A-Za-z0-9_])" if _is_word(value[0]) else ""
    behind = r"(?![A-Za-z0-9_])" if _is_word(value[-1]) else ""
    if value[0].isdigit():
        before += r"(?<![0-9]\.)"
    if value[-1].isdigit():
        behind += r"(?!\.[0-9])"
    return re.compile(before + inner + behind)


def _is_word(character: str) -> bool:
    return character == "_" or (character.isascii() and character.isalnum())


def _special(number: str) -> float:
    """Give what a number in a code's own spelling amounts to."""
    plain = number.replace("_", "").replace(",", "")
    try:
        return round(float(plain if plain[:2].lower() not in _BASES else int(plain, _BASES[plain[:2].lower()])), 6)
    except (OverflowError, ValueError):
        return inf


def _amounts(value: str) -> frozenset[float]:
    """Give what a value amounts to that is a number, with a unit or without; nothing for any other."""
    if _SPECIAL.fullmatch(value):
        return frozenset({_special(value)} - {inf})
    found = next(stated(value), None)
    return found.amounts if found is not None and found.text == value else frozenset()


def values_of(block: Block) -> Iterator[Value]:
    """Give the values that a block quotes in sentences that cite something, in order.

    Passed over are what is no value (a citation, a path of one, a commit's name, something left out) and what the
    sentence sets apart from the cited lines: "not `x`".
    """
    starts = [anchor.start for anchor in block.anchors]
    codes = [code for code in lex(block.text).codes if not _cites(block, starts, code.start, code.end)]
    if not codes or not starts:
        return
    pairing = _Pairing(block, [code.start for code in codes])
    for code in codes:
        text = block.text[code.inner_start : code.inner_end].strip()
        anchors = pairing.anchors_of(code.start)
        if anchors and _is_value(text, block, anchors) and not pairing.is_apart(code.start, text):
            yield Value(text, code.start, code.end, anchors)


def _cites(block: Block, starts: Sequence[int], start: int, end: int) -> bool:
    at = bisect_right(starts, end - 1) - 1
    return at >= 0 and block.anchors[at].end > start


def _is_value(text: str, block: Block, anchors: tuple[int, ...]) -> bool:
    if not text or len(text) > _MOST_CHARS or not any(map(str.isalnum, text)):
        return False
    if _CITES.match(text) or _LEFT_OUT.search(text) or _is_file(text):
        return False
    return not any(block.anchors[number].path.endswith(text) for number in anchors)


def _is_file(text: str) -> bool:
    named = _FILE.match(text)
    return named is not None and (named["ending"] is None or named["ending"].lower() in EXTENSIONS - CALL_LIKE)


class _Pairing:
    """Which citations stand behind a place of a block."""

    def __init__(self, block: Block, values: Sequence[int]) -> None:
        claims = Claims(block, ALONE)
        self._text = block.text
        self._row = block.kind == "table-row"
        self._values = values
        self._groups: list[tuple[int, ...]] = []
        """Citations that stand together, in order."""
        number = 0
        while number < len(block.anchors):
            self._groups.append(claims.group(number))
            number += len(self._groups[-1])
        self._starts = [block.anchors[group[0]].start for group in self._groups]
        whole = (0, len(block.text))
        self._parts = [whole if self._row else claims.part(group[0]) for group in self._groups]
        """Of each group the part of its sentence; of a row, whose cells belong together, all of it."""

    def anchors_of(self, position: int) -> tuple[int, ...]:
        """Give the citations behind a value: those that follow it, or where citations lead those before it."""
        behind = bisect_right(self._starts, position)
        near = [at for at in (behind - 1, behind) if 0 <= at < len(self._groups) and self._holds(at, position)]
        if near and near[0] < behind and not self._leads(self._parts[near[0]]):
            del near[0]
        return self._groups[near[0]] if near else ()

    def _holds(self, at: int, position: int) -> bool:
        start, end = self._parts[at]
        return start <= position < end

    def _leads(self, part: Place) -> bool:
        """Whether a citation comes before the first value of a part."""
        first = self._values[bisect_right(self._values, part[0] - 1)]
        return self._starts[bisect_right(self._starts, part[0] - 1)] < first

    def is_apart(self, position: int, text: str) -> bool:
        """Whether a value is set apart from the cited lines, or is the name of a commit."""
        behind = bisect_right(self._starts, position)
        at = next(at for at in (behind - 1, behind) if 0 <= at < len(self._groups) and self._holds(at, position))
        start, end = self._parts[at]
        if _COMMIT.match(text) and (
            len(text) in _WHOLE_HASHES
            or _OF_COMMITS.search(self._text, max(start, position - 200), min(end, position + 200))
        ):
            return True
        start = max(start, position - 400, *[self._text.rfind(mark, start, position) for mark in (". ", "; ", "|")])
        return _APART.search(self._without_code(start, position)) is not None

    def _without_code(self, start: int, end: int) -> str:
        return re.sub(r"`[^`\n]*`", " ", self._text[start:end])
