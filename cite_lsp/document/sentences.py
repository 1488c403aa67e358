"""Cuts a block's text into sentences. Abbreviations are the library's; citations, code and closing marks are ours."""

import re

from sentencex import get_sentence_boundaries

from cite_lsp.document.ranges import Place

_MASK = "X"
_CITED = "\ue000"
_CLOSED = re.compile(r"[.!?][\"'”’)\]*_]+[ \n]+(?=[^\W_]|[\"'“‘(\[*_\ue000])")
_WIDE_STOP = re.compile(r"[。！？]+[」』”’]*(?=[^」』”’\s])")
_TRAILING = re.compile(r"\s*(?:[\[(][\ue000\s,;&]*\ue000[\ue000\s,;&]*[\])]|\ue000(?=\s*[.!?]?\s*$))[.!?]?(?=\s|$)")
_NO_SENTENCE = re.compile(r"[^\w\ue000]*\Z")
_LEADING_MARK = re.compile(r"(?:[0-9]{1,3}|[A-Za-z])[.)]\s*\Z")


def masked(text: str, cited: list[Place], code: list[Place]) -> str:
    """Give `text` with citations and code blotted out at the same length, and line ends as spaces.

    What is blotted out can neither end a sentence nor look like an abbreviation.
    """
    parts: list[str] = []
    position = 0
    for start, end, mark in sorted(
        [(start, end, _CITED) for start, end in cited] + [(start, end, _MASK) for start, end in code]
    ):
        if start < position:
            continue
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
    cuts = {0, len(text)}
    plain = text.replace(_CITED, _MASK)
    for found in get_sentence_boundaries("en", plain):
        cuts.add(found["start_index"])
    cuts.update(found.end() for found in _CLOSED.finditer(text))
    cuts.update(found.end() for found in _WIDE_STOP.finditer(text))
    places: list[Place] = []
    ordered = sorted(cut for cut in cuts if 0 <= cut <= len(text))
    for low, high in zip(ordered, ordered[1:], strict=False):
        _take(text, low, high, places)
    return [(low + start, high + start) for low, high in places]


def _take(text: str, low: int, high: int, places: list[Place]) -> None:
    """Add the piece from `low` to `high`, or give it (or its leading citation) to the sentence before."""
    if not places:
        places.append((low, high))
        return
    before_low, before_high = places[-1]
    if _NO_SENTENCE.match(text[low:high]) or _LEADING_MARK.match(text[before_low:before_high].strip()):
        places[-1] = (before_low, high)
        return
    trailing = _TRAILING.match(text, low, high)
    if trailing and before_high == low:
        places[-1] = (before_low, trailing.end())
        low = trailing.end()
        if _NO_SENTENCE.match(text[low:high]):
            places[-1] = (before_low, high)
            return
    if low < high:
        places.append((low, high))
