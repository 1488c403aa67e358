"""Cuts a block's text into sentences. Abbreviations are the library's; citations, code and closing marks are ours."""

import re
from itertools import pairwise

from cite_lsp.document.ranges import Place

_MASK = "X"
_CITED = "\ue000"
_WINDOW = 4000
"""The library is given so many characters at once: on some texts its time grows with their square."""

_CLOSED = re.compile(r"[.!?][\"'”’)\]*_]+[ \n]+(?=[^\W_]|[\"'“‘(\[*_\ue000])")
_WIDE_STOP = re.compile(r"[。！？]+[」』”’]*(?=[^」』”’\s])")
_TRAILING = re.compile(
    r"\s*+(?:[\[(][\s,;&]*+\ue000[\ue000\s,;&]*+[\])][.!?]?(?=\s|$)|\ue000[\ue000\s,;&]*+[.!?]?\s*+$)"
)
_NO_SENTENCE = re.compile(r"[^\w\ue000]*+\Z")
_LEADING_MARK = re.compile(r"\s*+(?:[0-9]{1,3}|[A-Za-z])[.)]\s*+\Z")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WIDE_SPACE = re.compile(r"[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000](?=\.)")
"""Before a full stop such a space makes the library fail when an initial stands before it (`H\xa0.`)."""
_EDGE = re.compile(r"[.!?]\s*\Z")
_STOP = re.compile(r"[.!?]\s+(?=[A-Z])")
_RELATIVE = re.compile(r"(?<![^\s(\[{\"'“‘])\.{1,2}(?=[/\\])")
"""The dots of a path such as `./configure` end no sentence."""
_VERSION = re.compile(r"[0-9]\.\s+(?=[a-z])")
"""A number with a full stop before a small letter is a version and no end: `v1.2. then`."""


def masked(text: str, cited: list[Place], code: list[Place], cited_mark: str = _CITED, code_mark: str = _MASK) -> str:
    """Give `text` with citations and code blotted out at the same length, and line ends as spaces.

    What is blotted out can neither end a sentence nor look like an abbreviation. A code span with a citation in it
    is blotted out as a citation.
    """
    blots: list[tuple[int, int, str]] = []
    marked = [(start, end, cited_mark) for start, end in cited] + [(start, end, code_mark) for start, end in code]
    for start, end, mark in sorted(marked):
        if blots and start < blots[-1][1]:
            first, last, _ = blots.pop()
            blots.append((first, max(end, last), cited_mark))
        else:
            blots.append((start, end, mark))
    parts: list[str] = []
    position = 0
    for start, end, mark in blots:
        parts += (text[position:start], mark * (end - start))
        position = end
    parts.append(text[position:])
    return "".join(parts).replace("\r", " ").replace("\n", " ")


def sentence_places(mask: str, start: int = 0, end: int | None = None) -> list[Place]:
    """Give the ranges of the sentences of a masked text between `start` and `end`, in order, without gaps.

    A citation in brackets behind the full stop belongs to the sentence before it; so does a closing quote or bracket.
    """
    end = len(mask) if end is None else end
    text = mask[start:end]
    cuts = {0, len(text), *_library_cuts(_plain(text))}
    cuts.update(found.end() for found in _CLOSED.finditer(text))
    cuts.update(found.end() for found in _WIDE_STOP.finditer(text))
    places: list[Place] = []
    for low, high in pairwise(sorted(cuts)):
        _take(text, low, high, places)
    return [(low + start, high + start) for low, high in places]


def _plain(text: str) -> str:
    """Give a masked text as the library can take it, at the same length."""
    return _WIDE_SPACE.sub(_MASK, _SURROGATE.sub(_MASK, text.replace(_CITED, _MASK)))


def _library_cuts(text: str) -> set[int]:
    """Give where sentences begin by the library's rules, asked window by window."""
    from sentencex import get_sentence_boundaries  # noqa: PLC0415 - what reads no claims has no need of it

    cuts: set[int] = set()
    low = 0
    while low < len(text):
        high = _window_end(text, low)
        cuts.update(low + found["start_index"] for found in get_sentence_boundaries("en", text[low:high]))
        if low and not _EDGE.search(text, max(0, low - 8), low):
            cuts.discard(low)
        low = high
    return cuts - {found.end() for rule in (_VERSION, _RELATIVE) for found in rule.finditer(text)}


def _window_end(text: str, low: int) -> int:
    """End a window behind a full stop or at least behind a space, where one is near."""
    high = low + _WINDOW
    if high >= len(text):
        return len(text)
    half = low + _WINDOW // 2
    stops = [found.end() for found in _STOP.finditer(text, half, high)]
    return stops[-1] if stops else text.rfind(" ", half, high) + 1 or high


def _take(text: str, low: int, high: int, places: list[Place]) -> None:
    """Add the piece from `low` to `high`, or give it (or its leading citation) to the sentence before."""
    if not places:
        places.append((low, high))
        return
    before_low, before_high = places[-1]
    if _NO_SENTENCE.match(text, low, high) or _LEADING_MARK.match(text, before_low, before_high):
        places[-1] = (before_low, high)
        return
    trailing = _TRAILING.match(text, low, high)
    if trailing and before_high == low:
        places[-1] = (before_low, trailing.end())
        low = trailing.end()
        if _NO_SENTENCE.match(text, low, high):
            places[-1] = (before_low, high)
            return
    if low < high:
        places.append((low, high))
