"""Particulars of a claim that its words alone do not carry: which end, which system, whether it may be left out."""

import re
from collections.abc import Iterator, Sequence

from cite_lsp.judges.embedded.beside.laid import Laid
from cite_lsp.judges.embedded.conflicts.condition_conflicts import condition_told
from cite_lsp.judges.embedded.conflicts.polarity import negations
from cite_lsp.judges.embedded.lines.facts import Line

_SYSTEM = re.compile(r"\b(?:Windows|macOS|Mac OS X?|OS X|Linux)\b")
_WHERE = re.compile(r"\b(?:if|when|whenever|where|while|once|as long as)\b", re.IGNORECASE)
_TURNS_AWAY = re.compile(
    r"\b(?:unless|until|except|without|missing|absent|un\w{3,}|in(?:valid|active|complete)|empty|no|off|disabled"
    r"|lacks?|otherwise|neither|none|null|nil|false|fails?)\b",
    re.IGNORECASE,
)
_CODE_UNLESS = re.compile(r"\bunless\b")
_ARGUMENTS = re.compile(
    r"\b(?:[0-9]+|two|three|four|five|six|seven|eight|nine|ten)\s(?:\w+\s)?(?P<what>arguments?|parameters?|args)\b",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(
    r"\b(?:is|are) (?:an? )?(?:entirely |always )?optional\b|\b(?:may|can) be (?:omitted|left out)\b", re.IGNORECASE
)
_IS_OPTIONAL = re.compile(
    r"\?|=|\b(?:Option|None|null|nil|Maybe)\b|opt|default|omit|required|\[[\w.-]{1,60}\]", re.IGNORECASE
)
_END = re.compile(r"\b(?P<last>last|final)\b|\bfirst\b", re.IGNORECASE)
_AT_FIRST = re.compile(r"\[0\]|\.first\b|\.front\(\)|\.shift\(\)|\bpopleft\b")
_AT_LAST = re.compile(r"\[-1\]|\.last\b|\.back\(\)|\.pop\(\)|\.at\(-1\)|length - 1|len\([^()]{1,40}\) - 1")
_MEMBERS = re.compile(r"[\[({](?P<members>[^\[\](){}\n]{3,300})[\])}]")
_HALF = re.compile(r"\bhalv(?:es|ed|ing)\b", re.IGNORECASE)
_DOUBLE = re.compile(r"\bdoubl(?:es|ed|ing)\b", re.IGNORECASE)
_FACTORS = ((_HALF, _DOUBLE), (_DOUBLE, _HALF))
_EXCLUSIVE = re.compile(
    r"\brange\(\s{0,3}[1-9][0-9]{0,9}\s{0,3},\s{0,3}(?P<end>[0-9]{1,9})\s{0,3}[,)]"
    r"|=\s{0,3}[1-9][0-9]{0,9}\s?;\s{0,3}\w{1,40}\s{0,3}<\s{0,3}(?P<below>[0-9]{1,9})\s{0,3};"
)
"""A count that begins after 0 and ends before a number: from 1 to 6 there are five."""


def particulars(laid: Laid, lines: Sequence[Line]) -> Iterator[str]:
    """Say which particular of a claim the lines leave open, or have otherwise.

    Args:
        laid: The claim beside the cited lines.
        lines: Those of them that hold its words.
    """
    text = laid.claim.text
    for says, against in _FACTORS:
        other = next((line for line in lines if against.search(line.text[:600])), None)
        if says.search(text) and other is not None and not any(says.search(line.text[:600]) for line in lines):
            yield f"line {other.number} has the factor the other way round"
    if laid.reading.prose:
        return
    counted = _ARGUMENTS.search(text)
    if counted is not None:
        yield f"the claim counts {counted['what']}; which number of the lines that is no line says"
    yield from _on_a_system(laid)
    unless = next((line for line in lines if _CODE_UNLESS.search(line.code[:600])), None)
    if unless is not None and _WHERE.search(text) and not _TURNS_AWAY.search(text) and not negations(text):
        yield f"line {unless.number} says unless, the claim does not"
    if _OPTIONAL.search(text) and not any(_IS_OPTIONAL.search(line.code[:600]) for line in lines):
        yield "looked for a sign that it may be left out, and did not find one"
    yield from _at_the_other_end(laid, lines)
    yield from _ended_before(laid)


def _on_a_system(laid: Laid) -> Iterator[str]:
    """A system that the claim names may be the one that what encloses the lines asks for, or the one it turns away."""
    if not _SYSTEM.search(laid.claim.text):
        return
    for term, found in laid.pairs:
        if found is None and _SYSTEM.search(term.text):
            told = condition_told(laid.claim, laid.reading)
            if told is None or not told.holds:
                yield f"looked for {term.text!r} in the cited lines and did not find it"


def _at_the_other_end(laid: Laid, lines: Sequence[Line]) -> Iterator[str]:
    end = _END.search(laid.claim.text)
    if end is None:
        return
    last = bool(end["last"])
    for line in lines:
        code = line.code[:600]
        if (_AT_FIRST if last else _AT_LAST).search(code) and not (_AT_LAST if last else _AT_FIRST).search(code):
            yield f"the claim says {end[0]!r}, line {line.number} takes the other end"
        for match in _MEMBERS.finditer(code):
            members = [member.strip(" \"'`") for member in match["members"].split(",") if member.strip()]
            named = [name.text for name in laid.claim.names if name.text in members]
            if len(members) > 1 and named and members[-1 if last else 0] not in named:
                yield f"the claim says {end[0]!r}, line {line.number} has {named[0]!r} elsewhere in the row"


def _ended_before(laid: Laid) -> Iterator[str]:
    for term, found in laid.pairs:
        if term.value is None or term.value.kind != "number" or found is None:
            continue
        for line in map(laid.line, found.at):
            for match in _EXCLUSIVE.finditer(line.code[:600]):
                if float(match["end"] or match["below"]) == term.value.raw:
                    yield f"looked for {term.text!r}; line {line.number} ends before it"
