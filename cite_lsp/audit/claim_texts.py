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
_BLANKS = re.compile(r"\s{2,}")


def without_citations(text: str, citations: Iterable[str]) -> str:
    """Give a claim as it reads without its citations: they are not a part of what it says.

    Of a link whose text is words, the words stay; brackets and backticks that held nothing but citations go.
    """
    return _without(text, frozenset(citations))


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
