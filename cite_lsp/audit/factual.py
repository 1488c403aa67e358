"""Sentences that state a fact about code and cite nothing. A rule of thumb that rather says too little."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from cite_lsp.document.claims import ALONE, LEAST_WORDS, Claims
from cite_lsp.document.document import Block
from cite_lsp.document.inline import lex

PROSE = frozenset({"paragraph", "list-item"})
"""Kinds of block whose sentences state facts."""

_NAME = re.compile(r"(?=.*[A-Za-z0-9])\S[^\n]{0,80}\Z")
_FILE = re.compile(r"[\w.@~/\\-]*[/\\][\w.@~/\\-]*\Z|[\w-]+\.[a-z]{1,5}\Z")
_COMMIT = re.compile(r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\Z")
_SAYS = re.compile(
    r"(?<![\w-])(?:is|are|has|have|holds?|keeps?|returns?|raises?|throws?|calls?|sets?|defaults?|reads?|writes?|uses?|takes?"
    r"|gives?|stores?|accepts?|rejects?|refuses?|limits?|caps?|runs?|starts?|stops?|ends?|contains?|retries|waits?"
    r"|checks?|validates?|parses?|sends?|receives?|creates?|deletes?|removes?|adds?|computes?|converts?|maps?|sorts?"
    r"|equals?|means?|requires?|allows?|inherits?|implements?|extends?|overrides?|wraps?|yields?|emits?|handles?"
    r"|catches|passes|matches|fetches|closes|opens?|logs?|loads?|saves?|makes?|begins?|falls?|fails?|skips?|drops?"
    r"|ignores?|lives?|belongs?|does|do)(?![\w-])",
    re.IGNORECASE,
)
"""A verb; within a word of several parts, such as `front-end`, it is none."""
_TASK = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[[ xX]\][ \t]")
"""How an item of a list of tasks begins: it says what is to be so."""
_NO_FACT = re.compile(
    r"\b(?:should|shall|would|could|may|might|must|will|you|your|we|our|i|let's|please|todo|fixme|e\.g|for example"
    r"|for instance|suppose|assume\w*|imagine|if|whether|consider|recommend\w*|propos\w+|plan\w*|want\w*|needs?"
    r"|once)\b",
    re.IGNORECASE,
)
"""Wishes, instructions, plans, conditions and examples state no fact that a line must carry."""
_ORDER = re.compile(
    r"(?:run|use|see|set|add|install|call|note|open|check|create|make|write|read|start|stop|pass|try|type|enter|copy"
    r"|edit|change|replace|remove|delete|put|give|keep|avoid|prefer|enable|disable|configure|import|export|define"
    r"|declare|build|test|deploy|update|upgrade|download|click|select|choose|go|do|don't|never|always|then|first|next"
    r"|finally|return|raise|throw|ensure|verify|execute|invoke|apply|follow|switch|turn|move|save|load|let)\b",
    re.IGNORECASE,
)
"""How an instruction begins."""
_GOES_ON = re.compile(r"(?:it|this|that|they|these|those|both|all|each|here|there|defined|set|see)\b", re.IGNORECASE)
"""How a sentence begins that goes on about the one before."""
_LINKS = re.compile(r"\]\(|\]\[|https?://")
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]{2,}")


class Uncited(NamedTuple):
    """A sentence that cites nothing, where it stands in its block, and what it names."""

    start: int
    end: int
    name: str


def uncited(block: Block) -> Iterator[Uncited]:
    """Give the sentences of a block that state something of a name in back-ticks, and cite nothing.

    Questions, instructions, wishes, conditions and what leads in a list are none, nor is a sentence that the next one,
    citing, goes on about.
    """
    text = block.text
    codes = lex(text).codes if block.kind in PROSE and "`" in text else ()
    if not codes or _TASK.match(text):
        return
    claims = Claims(block, ALONE)
    places = claims.places
    cited = {claims.sentence_place(number) for number in range(len(block.anchors))}
    at = 0
    for number, (low, high) in enumerate(places):
        while at < len(codes) and codes[at].start < low:
            at += 1
        first = at
        while at < len(codes) and codes[at].start < high:
            at += 1
        place = claims.trimmed(low, high)
        if place in cited or first == at:
            continue
        named = [text[code.inner_start : code.inner_end].strip() for code in codes[first:at]]
        name = next((each for each in named if _is_name(each)), "")
        following = claims.trimmed(*places[number + 1]) if number + 1 < len(places) else None
        if name and _is_fact(text[slice(*place)]) and not _is_borne(text, following, cited):
            yield Uncited(*place, name)


def _is_name(text: str) -> bool:
    """Whether a code span names something of the code; a file or a commit alone says where, not what."""
    return _NAME.match(text) is not None and _FILE.match(text) is None and _COMMIT.match(text) is None


def _is_fact(sentence: str) -> bool:
    if sentence.rstrip(" *_)\"'").endswith(("?", ":")) or _LINKS.search(sentence):
        return False
    prose = _CODE.sub(" ", sentence)
    if len(_WORD.findall(prose)) + 1 < LEAST_WORDS or _ORDER.match(sentence.lstrip("*_([\"' ")):
        return False
    return _SAYS.search(prose) is not None and _NO_FACT.search(prose) is None


def _is_borne(text: str, following: tuple[int, int] | None, cited: set[tuple[int, int]]) -> bool:
    """Whether the next sentence goes on about this one, and cites."""
    return following in cited and following is not None and _GOES_ON.match(text, following[0]) is not None
