"""Conflicts of values: the claim gives a thing one number or truth value, and the cited lines give it another."""

import re
from dataclasses import replace

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.values import Value, numbers_in_code
from cite_lsp.judges.embedded.claim.words import stem
from cite_lsp.judges.embedded.conflicts.conflict import Conflict, another_case, given_elsewhere, says
from cite_lsp.judges.embedded.conflicts.subjects import measured_alike, named, spelled_by
from cite_lsp.judges.embedded.lines.facts import Fact
from cite_lsp.judges.embedded.lines.reading import Reading

_UPPER = re.compile(r"\b(?:at most|up to|no more than|maximum|max|limit(?:s|ed)?|caps?|capped)\b", re.IGNORECASE)
BOUNDED = re.compile(
    r"\b(?:at (?:most|least)|up to|no (?:more|less|fewer)|max\w*|min\w*|limit\w*|cap|caps|capped|ceiling|hold\w*"
    r"|keep\w*|allow\w*"
    r"|stop\w*|refus\w*|reject\w*|bound\w*|longest|deep|default\w*)\b",
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"\b(?:at least|or (?:newer|later|higher|above|more)|minimum|min|no (?:less|fewer) than)\b", re.IGNORECASE
)
_ON = re.compile(
    r"\b(?P<not>not |never |n['’]t )?(?:(?P<on>enabled|turned on|switched on|true|on(?= by default"
    r"| out of the box| unless| initially|[.,]?$))"
    r"|(?P<off>disabled|turned off|switched off|false|off(?= by default| out of the box| unless| until| initially"
    r"|[.,]?$)))(?![\w-])",
    re.IGNORECASE,
)
_INITIAL = re.compile(
    r"\b(?:by default|defaults?|out of the box|unless|until|initially|in a fresh|from the start|is|are|stays?)\b",
    re.IGNORECASE,
)
_TURNING = re.compile(r"(?:^|[^a-z])(?:no|not|non|dis\w*|skip|ignore|without|omit|exclude|off|never)(?:[^a-z]|$)")
_CONDITION = re.compile(r"\b(?:if|when|once|with|where|while)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never|no|neither|nor|without|only)\b|n['’]t\b", re.IGNORECASE)
_FEW_WORDS = 5
_BY_DEFAULT = re.compile(r"\b(?:by default|out of the box|unless (?:it is |they are )?told)\b", re.IGNORECASE)


def number_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """Another number, in another unit or none, than the only one that the lines give the thing."""
    if len(clause.values) != 1 or clause.unsaid or clause.compared or another_case(clause, reading):
        return None
    value = clause.values[0]
    facts = [fact for fact in named(clause, reading) if measured_alike(clause, value, fact)]
    facts = [fact for fact in facts if not bound_of_another(clause, fact)]
    against = [fact for fact in facts if not _satisfied(clause.text, value, fact)]
    if not against or len(against) < len(facts) or len({fact.name for fact in against}) > 1:
        return None
    if given_elsewhere(against[0], value, reading) or _among(value, against[0], reading):
        return None
    return says(value.shown, against[0], clause)


def bound_of_another(clause: Clause, fact: Fact) -> bool:
    """Say whether the lines bound what the claim speaks of: a size of 88 is within a maximum of 96."""
    bounds = {stem("maximum"), stem("minimum")} & set(fact.words)
    return bool(bounds) and not spelled_by(clause, fact) and not BOUNDED.search(clause.text)


def bounds_otherwise(clause: Clause, fact: Fact) -> bool:
    """Say whether the clause bounds on one side what the fact bounds on the other: at most, and a minimum."""
    words = set(fact.words)
    if _UPPER.search(clause.text):
        return stem("minimum") in words or fact.least
    return bool(_LOWER.search(clause.text)) and stem("maximum") in words


def _among(value: Value, fact: Fact, reading: Reading) -> bool:
    """Whether the claimed number stands in the cited lines for something else than the fact."""
    wanted = {value.raw, *value.amounts, *(amount * 1000 for amount in value.amounts)}
    own = {fact.value.raw} if fact.value.kind == value.kind != "number" else set()
    if value.kind != "number" and "*" in fact.shown:
        own.update(numbers_in_code(fact.shown))
    return bool((wanted - own) & reading.numbers)


def _satisfied(text: str, value: Value, fact: Fact) -> bool:
    if value.agrees(fact.value):
        return True
    words = set(fact.words)
    lower = stem("minimum") in words or fact.least
    if _LOWER.search(text):
        return not lower
    if _UPPER.search(text):
        return lower
    return fact.least


def truth_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """On, where the lines say off."""
    said = truth_said(clause, reading)
    if said is None:
        return None
    claimed, fact = said
    if claimed.agrees(fact.value) or another_case(clause, reading) or given_elsewhere(fact, claimed, reading):
        return None
    return says(claimed.shown, fact, clause)


def truth_said(clause: Clause, reading: Reading) -> tuple[Value, Fact] | None:
    """Give the truth value that a clause says of a switch, and the only fact about that switch."""
    said = list(_ON.finditer(clause.text))
    if len(said) != 1 or not _INITIAL.search(clause.text) or _CONDITION.search(clause.text):
        return None
    match = said[0]
    rest = clause.text[: match.start()] + clause.text[match.end() :]
    if _NOT.search(rest):
        return None
    facts = [_as_switch(fact) for fact in named(clause, reading)]
    facts = [fact for fact in facts if fact.value.kind == "truth"]
    if len(facts) != 1:
        return None
    by_name = match[0].lower().endswith(("true", "false")) and spelled_by(clause, facts[0])
    if _TURNING.search(_spaced(facts[0].name)) and not by_name:
        return None
    value = float(bool(match["on"]) != bool(match["not"]))
    return Value("truth", (value,), match[0].strip()), facts[0]


def _as_switch(fact: Fact) -> Fact:
    """Give the fact of a text that stands for a truth value as one of that value."""
    word = fact.value.shown.strip().lower()
    if fact.value.kind != "text" or word not in ("on", "off"):
        return fact
    return replace(fact, value=Value("truth", (float(word == "on"),), fact.value.shown))


def habit_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """What something does by default, against the truth value of its own switch."""
    if not _BY_DEFAULT.search(clause.text) or _ON.search(clause.text):
        return None
    if clause.values or len(clause.content) > _FEW_WORDS or another_case(clause, reading):
        return None
    facts = [fact for fact in named(clause, reading) if fact.value.kind == "truth"]
    if len(facts) != 1 or _TURNING.search(_spaced(facts[0].name)):
        return None
    value = float(not clause.negated)
    if facts[0].value.amounts[0] == value:
        return None
    claimed = Value("truth", (value,), f"{clause.text.strip().rstrip('.')!r}")
    return None if given_elsewhere(facts[0], claimed, reading) else says(claimed.shown, facts[0], clause)


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_|-", " ", name).lower()
