"""Claims as they read without their citations."""

import re
from collections.abc import Iterable
from functools import lru_cache

_EMPTIED = "\ufffc"  # stands where a citation stood; documents have no use for it
_LINK = re.compile(r"\[([^\[\]]+)\]\(")
_NAMES_LINES = re.compile(r"[:/\\#][A-Za-z]?[0-9]|[/\\]|\.[A-Za-z]{1,5}\b")
_HOLDER = re.compile(
    rf"[(\[`*_]+(?:see |cf\. |e\.g\. )?[ ,;&]*{_EMPTIED}(?:[ ,;&`]*(?:and )?`?{_EMPTIED})*[ ,;&]*[)\]`*_]+"
)
_LONE = re.compile(
    rf" ?(?:[,;:–—-] )?(?:\b(?:see|at|in|cf\.) )?{_EMPTIED}(?:(?:, | and | & ){_EMPTIED})*", re.IGNORECASE
)
_BEFORE_STOP = re.compile(r"(?<!\s)\s+([.,;:!?])")
_LEFT_OVER = " ,;:–—-"
_WORDS = re.compile(r"[A-Za-z]{2,}")
_LEAST_WORDS = 2
_JOINING = frozenset("and or see also at in cf".split())
"""Words between the citations of one list."""
_LONGEST_LIST = 4_000
_OPENING = frozenset(" ([{,;:–—-/→")
_CLOSING = re.compile(r"\A`?[)\]*_]*")
_LEADING = re.compile(r"\A[\s)\].,;:–—-]*(?:(?:and|or|but|while|whereas|then)\b\s*)?")
_BLANKS = re.compile(r"\s{2,}")
_POINTING = re.compile(r"(?:^|(?<=[\s(\[]))(?:see|at|in|cf\.)$", re.IGNORECASE)
"""What points to the citation right behind it, as in `_LONE`."""


def without_citations(text: str, citations: Iterable[str]) -> str:
    """Give a claim as it reads without its citations: they are not a part of what it says.

    Of a link whose text is words, the words stay; brackets and backticks that held nothing but citations go.
    """
    return _without(text, frozenset(citations))


def behind(text: str, citations: Iterable[str], own: str) -> str:
    """Give the part of a claim that stands right before one of its citations, up to the citation before that.

    A claim with several citations, or one that goes on behind its citation, says more than the cited lines are for.
    What stands between citations of one list is no part. Where nothing stands before it, as in "`a.py:3` sets the
    limit", it is what follows, up to the next citation.

    Args:
        text: The claim as written.
        citations: The texts of its citations, and of others around it.
        own: The one that is asked about.

    Returns:
        The part without citations; "" where `own` does not stand in the text exactly once.
    """
    return _parts(text, frozenset(citations)).get(own, "")


@lru_cache(maxsize=64)
def _parts(text: str, citations: frozenset[str]) -> dict[str, str]:
    """Give for each citation of a claim what `behind` says of it; in one walk, for a claim may have thousands."""
    pattern = _pattern(citations)
    places = list(pattern.finditer(text)) if pattern is not None else []
    found: dict[str, str] = {}
    first = begin = end = 0  # the citation that a list begins with, and what stands before it
    part: str | None = None
    for number, place in enumerate(places):
        start = places[number - 1].end() if number else 0
        words = _WORDS.findall(text[start : place.start()])
        says = any(word.lower() not in _JOINING for word in words)
        if not number or (says and len(words) >= _LEAST_WORDS):
            first, begin, end, part = number, start, place.start(), None
        elif says and place.start() - begin <= _LONGEST_LIST:
            end, part = place.start(), None
        if part is None:
            inner = frozenset(each[0] for each in places[first:number])
            part = _told(text[begin:end], inner, after_citation=begin > 0)
        told = part
        if len(_WORDS.findall(told)) < _LEAST_WORDS:
            behind_it = places[number + 1].start() if number + 1 < len(places) else len(text)
            told = _told(text[place.end() : behind_it], frozenset(), after_citation=True)
        found[place[0]] = "" if place[0] in found else told
    return found


def _told(part: str, citations: frozenset[str], *, after_citation: bool) -> str:
    """Give a part as it reads by itself."""
    part = _closed(_opened(part, after_citation=after_citation))
    bare = _closed(_POINTING.sub("", part))
    part = _without(bare if len(_WORDS.findall(bare)) >= _LEAST_WORDS else part, citations)
    if part.startswith("`") and part.count("`") % 2:  # else it opens a name
        part = part[1:]
    return _closed(_LEADING.sub("", part))


def _opened(part: str, *, after_citation: bool) -> str:
    """Give a part without what closed for the citation before it: a code span, a bracket, emphasis."""
    return _CLOSING.sub("", part) if after_citation else part


def citations_in(text: str, citations: Iterable[str]) -> int:
    """Give how many of some citations stand in a claim as written."""
    return _counted(text, frozenset(citations))


@lru_cache(maxsize=64)
def _counted(text: str, citations: frozenset[str]) -> int:
    pattern = _pattern(citations)
    return 0 if pattern is None else sum(1 for _ in pattern.finditer(text))


def _closed(part: str) -> str:
    """Give a part without what opened for the citation behind it: a bracket, a code span."""
    end, ticks = len(part), part.count("`")
    while end and (part[end - 1] in _OPENING or (part[end - 1] == "`" and ticks % 2)):
        end -= 1
        ticks -= part[end] == "`"
    return part[:end]


@lru_cache(maxsize=8)
def _longest_first(citations: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(filter(None, citations), key=lambda each: (-len(each), each)))


@lru_cache(maxsize=8)
def _pattern(citations: frozenset[str]) -> re.Pattern[str] | None:
    """Give what finds the citations of a block, whose sentences share them."""
    return re.compile("|".join(map(re.escape, _longest_first(citations)))) if any(citations) else None


@lru_cache(maxsize=64)
def _without(text: str, citations: frozenset[str]) -> str:
    """Do it once for a sentence that many citations share: of a long one it takes a while."""
    for citation in _longest_first(citations):
        text = text.replace(citation, _words_of(citation))
    if _EMPTIED not in text:
        return text
    text = _HOLDER.sub(_EMPTIED, text)
    text = _LONE.sub("", text).replace(_EMPTIED, "")
    text = _BLANKS.sub(" ", _BEFORE_STOP.sub(r"\1", text)).strip(_LEFT_OVER)
    if text.startswith("`") and text.count("`") % 2:  # what a citation left of its code span; else it opens a name
        text = text[1:].lstrip(_LEFT_OVER)
    return text


def _words_of(citation: str) -> str:
    link = _LINK.match(citation)
    return link.group(1) if link and not _NAMES_LINES.search(link.group(1)) else _EMPTIED
