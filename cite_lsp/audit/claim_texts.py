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
_OPENING = frozenset(" ([{,;:–—-/→")
_CLOSING = re.compile(r"\A`?[)\]*_]*")
_LEADING = re.compile(r"\A[\s)\].,;:–—-]*(?:(?:and|or|but|while|whereas|then)\b\s*)?")
_BLANKS = re.compile(r"\s{2,}")


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
    places = _places(text, frozenset(citations))
    at = [index for index, match in enumerate(places) if match[0] == own]
    if len(at) != 1:
        return ""
    place = at[0]
    end = places[place].start()
    starts = [match.end() for match in places[:place]]
    part = ""
    for start in [*reversed(starts), 0]:
        part = _opened(text[start:end], after_citation=start > 0)
        if len(_WORDS.findall(part)) >= _LEAST_WORDS:
            break
    if len(_WORDS.findall(part)) < _LEAST_WORDS:
        end = places[place + 1].start() if place + 1 < len(places) else len(text)
        part = _opened(text[places[place].end() : end], after_citation=True)
    part = _without(_closed(part), frozenset(citations))
    if part.startswith("`") and part.count("`") % 2:  # else it opens a name
        part = part[1:]
    return _closed(_LEADING.sub("", part))


def _opened(part: str, *, after_citation: bool) -> str:
    """Give a part without what closed for the citation before it: a code span, a bracket, emphasis."""
    return _CLOSING.sub("", part) if after_citation else part


def citations_in(text: str, citations: Iterable[str]) -> int:
    """Give how many of some citations stand in a claim as written."""
    return len(_places(text, frozenset(citations)))


def _closed(part: str) -> str:
    """Give a part without what opened for the citation behind it: a bracket, a code span."""
    while part and (part[-1] in _OPENING or (part[-1] == "`" and part.count("`") % 2)):
        part = part[:-1]
    return part


@lru_cache(maxsize=64)
def _places(text: str, citations: frozenset[str]) -> tuple[re.Match[str], ...]:
    longest_first = sorted((each for each in citations if each), key=lambda each: (-len(each), each))
    return tuple(re.finditer("|".join(map(re.escape, longest_first)), text)) if longest_first else ()


@lru_cache(maxsize=64)
def _without(text: str, citations: frozenset[str]) -> str:
    """Do it once for a sentence that many citations share: of a long one it takes a while."""
    for citation in sorted(citations, key=lambda each: (-len(each), each)):
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
