"""What is raised and caught, refused and accepted: the claim says another error, or another case."""

import re

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.bounds import COMPARED
from cite_lsp.judges.embedded.conflicts.guards import (
    ACCEPTS,
    NOT,
    REFUSES,
    WHEN,
    Atom,
    asks_for_presence,
    atom_of,
    facts_of_kind,
    is_inside,
    raised_in,
)
from cite_lsp.judges.embedded.lexicon import opposed
from cite_lsp.judges.embedded.lines.code_reading import Told, code_words, said_words, split_at
from cite_lsp.judges.embedded.lines.reading import Reading

_TREATED = re.compile(
    r"^(?P<subject>[^,;:]{3,80}?)\s(?:is|are)\s(?:[a-z]{2,12}ly |just |still |also |then )?"
    r"(?:[a-z]{2,20}(?:ed|en)|sent|kept|read|put|left|held|made|built|cut|set)\b",
    re.IGNORECASE,
)
"""Whatever is done with something: any participle."""
RAISES = re.compile(
    r"\b(?:raises?|throws?)\s+(?:an? |the |only )?`?(?P<after>[A-Z]\w{2,60}(?:Error|Exception))\b"
    r"|\b(?P<before>[A-Z]\w{2,60}(?:Error|Exception))`?\s+is (?:raised|thrown)\b"
)
_CATCHES = re.compile(
    r"\b(?:catch(?:es)?|swallows?|handles|suppresses)\s+(?:an? |the |any |every )?`?([A-Z]\w{2,60}(?:Error"
    r"|Exception))\b"
)
_SCRIPT_ERRORS = frozenset({"TypeError", "RangeError", "SyntaxError", "ReferenceError", "URIError", "EvalError"})
_FAILING = said_words(
    "raises throws fails failing fail error exception ends refused rejected raise throw thrown raised"
)


def another_error(clause: Clause, reading: Reading) -> Told | None:
    """What is raised, and what is caught."""
    raises, catches = RAISES.search(clause.text), _CATCHES.search(clause.text)
    if NOT.search(clause.text) or (raises is None) == (catches is None):
        return None
    name = (raises["after"] or raises["before"]) if raises else catches[1] if catches else ""
    raised = {fact.name.split(".")[-1]: fact for fact in reversed(facts_of_kind(reading, "raise"))}
    caught = {fact.name.split(".")[-1]: fact for fact in reversed(facts_of_kind(reading, "catch"))}
    mine, others = (raised, caught) if raises else (caught, raised)
    verb, other_verb = ("raises", "catches") if raises else ("catches", "raises")
    if name in mine:
        if name in others or WHEN.search(clause.text):
            return None
        return Told(True, f"it {verb} {name}", f"line {mine[name].first} {verb} {name}", (mine[name].first,))
    bare = any(re.search(r"\b(?:raise|throw)\s*;?\s*$|\bthrow\s+[a-z]", line.code[:200]) for line in reading.code_lines)
    if name in others and not bare and not reading.truncated:
        shown = f"line {others[name].first} {other_verb} {name}"
        return Told(False, f"it {verb} {name}", shown, (others[name].first,))
    if (
        raises
        and len(raised) == 1
        and name in _SCRIPT_ERRORS
        and set(raised) <= _SCRIPT_ERRORS
        and not reading.names(name)
    ):
        other = next(iter(raised.values()))
        return Told(False, f"it raises {name}", f"line {other.first} raises {other.name}", (other.first,))
    return None


def named_error(clause: Clause, reading: Reading) -> Told | None:
    """An error by its name, in the case that the guard around it asks for."""
    when = WHEN.search(clause.text)
    if NOT.search(clause.text) or COMPARED.search(clause.text):
        return None
    if when is not None and (when["word"].lower() not in ("when", "if") or asks_for_presence(when["when"]) is not None):
        return None
    raised = [fact for fact in facts_of_kind(reading, "raise") if _is_named(fact.name, clause.text)]
    if len(raised) != 1 or not raised[0].name:
        return None
    fact = raised[0]
    guards = [each for each in facts_of_kind(reading, "guard") if each.sign == "if" and is_inside(fact, each)]
    if not guards:
        return None
    guard = min(guards, key=lambda each: (each.last - each.first, -each.first))
    said = said_words(clause.text.replace(fact.name, " ")) - _FAILING
    case = said & (code_words(guard.value) | code_words(fact.value))
    if len(case) < 2 or len(said - case - code_words(fact.owner)) > 2 * len(case):
        return None
    shown = f"line {fact.first} raises {fact.name} if {clipped(guard.value)}"
    return Told(True, f"{fact.name}", shown, (fact.first,))


def accepted_case(clause: Clause, reading: Reading) -> Told | None:
    """A case that the claim says is all right, or dealt with, and that the lines raise an error for."""
    match = ACCEPTS.search(clause.text) or _TREATED.match(clause.text.strip())
    if match is None or REFUSES.search(clause.text) or re.search(r"\b(?:only|unless|until|except)\b", clause.text):
        return None
    said = said_words(clause.text)
    for guard in facts_of_kind(reading, "guard") if reading.may_raise else ():
        raised = raised_in(guard, reading)
        parts = split_at(guard.value, (" and ", "&&"))
        if raised is None or guard.sign != "if" or "||" in guard.value or " or " in guard.value:
            continue
        known = [atom_of(part) for part in parts]
        if all(atom is not None and atom_said(atom, clause.text, said) for atom in known):
            shared = said & (code_words(guard.value) | code_words(raised.value) | code_words(raised.name))
            if len(shared) >= max(3, len(said) // 3):
                shown = f"line {raised.first} raises {raised.name} if {clipped(guard.value)}"
                return Told(False, f"{match[0].strip()!r}", shown, (raised.first,))
    return None


def atom_said(atom: Atom, text: str, said: frozenset[str]) -> bool:
    """Whether a claim speaks of what a part of a condition asks, and the same way about."""
    words = code_words(atom.source)
    if any(words & opposed(word) for word in said if word.isalpha()):
        return not atom.present
    shared = words & said
    if not shared:
        return False
    spelled = "|".join(map(re.escape, sorted(shared)))
    negated = re.search(
        rf"\b(?:no|without|missing|empty|unknown|invalid|absent)\s(?:[\w`]+\s){{0,2}}?`?(?:{spelled})",
        text,
        re.IGNORECASE,
    )
    return bool(negated) != atom.present


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def refused_case(clause: Clause, reading: Reading) -> Told | None:
    """A case that is named by what is raised in it, where the claim says what is done with it instead."""
    match = _TREATED.match(clause.text.strip())
    if match is None or REFUSES.search(clause.text[match.end("subject") :]) or NOT.search(match["subject"]):
        return None
    subject = said_words(match["subject"])
    if len(subject) < 2 or not reading.may_raise:
        return None
    for fact in facts_of_kind(reading, "raise"):
        named = code_words(fact.name)
        if fact.name not in match["subject"] and subject <= named | code_words(fact.value) and len(subject & named) > 1:
            return Told(False, f"{match[0]!r}", f"line {fact.first} raises {fact.name}", (fact.first,))
    return None
