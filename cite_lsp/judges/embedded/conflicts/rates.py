"""How often, since when, and whether at all: rates, values that were changed, names that may be left out."""

import re

from cite_lsp.judges.embedded.beside.laid import WORDED
from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.values import Value, values_in_prose, with_unit
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.conflict import Conflict, another_case
from cite_lsp.judges.embedded.lines.alignment import Index, align, weight
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.judges.embedded.lines.sentences import Sentence, sentences_of

_UNIT = r"second|minute|hour|day|week|month|year"
_PER = re.compile(
    rf"^[^.;,]{{0,30}}?\s(?:per|an?|each|every)\s(?P<unit>{_UNIT})\b|^\s?/\s?(?P<short>{_UNIT}|s|min|h)\b",
    re.IGNORECASE,
)
_SHORT = {"s": "second", "min": "minute", "h": "hour"}
_EVERY = re.compile(
    rf"\b(?:every|each|once (?:an?|per|every))\s(?P<unit>{_UNIT.removeprefix('second|')})\b"
    r"|\b(?P<often>hourly|daily|weekly|monthly|yearly|annually)\b"
    rf"|\bevery\s(?P<number>[0-9]{{1,5}})\s(?P<units>{_UNIT})s\b",
    re.IGNORECASE,
)
_OFTEN = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year"}
_FROM_TO = re.compile(
    r"\bfrom\s+[`\"']?(?P<old>[^\s`\"',;]{1,40}(?:\s(?:seconds?|minutes?|hours?|days?|bytes|ms|[kmg]i?b))?)[`\"']?\s+to\s+"
    r"[`\"']?(?P<new>[^\s`\"',;]{1,40}(?:\s(?:seconds?|minutes?|hours?|days?|bytes|ms|[kmg]i?b))?)",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:chang|rais|lower|increas|decreas|reduc|bump|mov|switch|updat|upgrad|went|goes)\w*\b", re.IGNORECASE
)
_EARLIER = re.compile(
    r"\b(?:from|was|were|had|former\w*|previous\w*|used to|old|older|before"
    r"|until|instead|no longer|earlier|originally|not|never)\b|n['’]t\b",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(
    r"[`\"']?(?P<name>[A-Za-z_$][\w$.-]{0,60})[`\"']?\s(?:field |option |parameter |argument "
    r"|property |key |setting |variable |column )?"
    r"(?:is|are)\s(?:an?\s|the\s|always\s)?(?:(?P<must>required|mandatory|compulsory|obligatory)|(?P<may>optional))\b",
    re.IGNORECASE,
)
_PORT = re.compile(r"\bport\s(?:number\s|is\s)?`?(?P<port>[0-9]{2,5})\b", re.IGNORECASE)
_ON_PORT = re.compile(r"\b(?:on|at|to|by)\s(?:the\s)?port\b", re.IGNORECASE)
_PORTS = re.compile(
    r"(?:[A-Za-z0-9\]\*]|(?<=[\"'])):(?P<behind>[0-9]{2,5})(?=[\"'/`\s]|$)|\blisten\s(?P<listen>[0-9]{2,5})\b|\bEXPOSE\s(?P<exposed>[0-9]{2,5})\b"
    r"|[pP][oO][rR][tT]\w{0,20}[\"']?\s?(?:[:=]|\|\||\?\?)\s?(?:int\s?=\s?|number\s?=\s?)?[\"']?(?P<named>[0-9]{2,5})\b"
)
_LEAST = 0.5
_LEAST_HELD = 2


def rate_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """The claim's number in another stretch of time than the lines have it: per hour, and not per minute."""
    if len(clause.values) != 1 or clause.negated:
        return None
    value = clause.values[0]
    claimed = _stretch(clause.text[value.end :])
    if not claimed or value.kind != "number":
        return None
    found = [
        (sentence, _stretch(sentence.text[other.end :])) for sentence, other in _said(reading) if other.agrees(value)
    ]
    stretches = {stretch for _, stretch in found if stretch}
    if len(stretches) != 1 or claimed in stretches or len(found) != 1:
        return None
    return _against(f"{value.shown} per {claimed}", found[0][0], clause)


def interval_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """Every year, by the claim, and every 90 days by the sentence that has its other words."""
    claimed = _interval(clause.text)
    if claimed is None or clause.negated:
        return None
    for sentence in sentences_of(reading.lines, prose=reading.prose):
        other = _interval(sentence.text)
        if other is not None and not claimed.agrees(other) and _is_about(clause, claimed, sentence):
            return _against(claimed.shown, sentence, clause)
    return None


def changed_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """The old value, of which the claim does not say that it is the old one."""
    if len(clause.values) != 1 or _EARLIER.search(clause.text):
        return None
    value = clause.values[0]
    for sentence in sentences_of(reading.lines, prose=reading.prose):
        match = _FROM_TO.search(sentence.text) if _CHANGED.search(sentence.text) else None
        if match is None:
            continue
        old, new = _only(match["old"]), _only(match["new"])
        if old is None or new is None or value.agrees(new) or not value.agrees(old):
            continue
        if sum(1 for _, other in _said(reading) if other.agrees(value)) == 1 and _is_about(clause, value, sentence):
            return _against(value.shown, sentence, clause)
    return None


def optional_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """Required, by the claim, and marked as one that may be left out by the lines; or the other way round."""
    match = _OPTIONAL.search(clause.text)
    if match is None or clause.negated or reading.prose:
        return None
    name = re.escape(match["name"])
    marks = {
        "optional": re.compile(rf"(?<![\w.]){name}\?\s?:|\b{name}\s?:\s?Optional\["),
        "required": re.compile(rf"\$\{{{name}:?\?"),
    }
    claimed = "required" if match["must"] else "optional"
    other = "optional" if match["must"] else "required"
    found = {
        kind: [line for line in reading.code_lines if mark.search(line.code[:600])] for kind, mark in marks.items()
    }
    if not found[other] or found[claimed]:
        return None
    line = found[other][0]
    return Conflict(f"the claim says {claimed}, line {line.number} says {clipped(line.code)}", [line], clause)


def port_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """Another port than the only one of the lines."""
    said = list(_PORT.finditer(clause.text))
    if len(said) != 1 or clause.negated or _EARLIER.search(clause.text) or reading.prose:
        return None
    found = [
        (line, next(filter(None, match.groups())))
        for line in reading.code_lines
        for match in _PORTS.finditer(line.code[:600])
    ]
    claimed = said[0]["port"]
    if another_case(Clause(_ON_PORT.sub(" ", clause.text)), reading):
        return None
    if len({port for _, port in found}) != 1 or any(claimed in line.text for line in reading.lines):
        return None
    line = found[0][0]
    return Conflict(f"the claim says port {claimed}, line {line.number} says {clipped(line.code)}", [line], clause)


def _stretch(text: str) -> str:
    match = _PER.search(text[:60])
    if match is None:
        return ""
    unit = (match["unit"] or match["short"]).lower()
    return _SHORT.get(unit, unit)


def _interval(text: str) -> Value | None:
    found = list(_EVERY.finditer(text))
    if len(found) != 1:
        return None
    match = found[0]
    unit = match["unit"] or match["units"] or _OFTEN[match["often"].lower()]
    return with_unit(float(match["number"] or 1), unit, match[0])


def _said(reading: Reading) -> list[tuple[Sentence, Value]]:
    sentences = sentences_of(reading.lines, prose=reading.prose)
    return [(sentence, value) for sentence in sentences for value in values_in_prose(sentence.text)]


def _only(text: str) -> Value | None:
    found = list(values_in_prose(text.rstrip(".")))
    return found[0] if len(found) == 1 else None


def _is_about(clause: Clause, value: Value, sentence: Sentence) -> bool:
    """Whether most of a clause's other words stand in a sentence."""
    pairs = align(clause, Index([sentence.text])).pairs
    rest = [
        (term, found)
        for term, found in pairs
        if not term.soft and term.kind != "value" and term.text not in value.shown
    ]
    held = [term for term, found in rest if found is not None and found.how in WORDED]
    return len(held) >= _LEAST_HELD and sum(map(weight, held)) >= _LEAST * sum(weight(term) for term, _ in rest)


def _against(claimed: str, sentence: Sentence, clause: Clause) -> Conflict:
    line = sentence.lines[0]
    return Conflict(
        f"the claim says {claimed}, line {line.number} says {clipped(sentence.text, 100)!r}",
        list(sentence.lines),
        clause,
    )
