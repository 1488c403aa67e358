"""Conditions in code and in words: what stands under which, and whether one asks for something to be there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cite_lsp.judges.embedded.lines.code_reading import split_at
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.snapshot.code_facts import CodeFact

_MOST_FACTS = 400
SHOWN_CHARS = 80
NOT = re.compile(r"\b(?:not|never|neither|nor|no longer|cannot|no|without)\b|n['’]t\b", re.IGNORECASE)
REFUSES = re.compile(
    r"\b(?:reject\w*|refus\w*|rais\w+|throw\w*|thrown|errors?|fails?|failed|disallow\w*|forbid\w*|forbidden"
    r"|den(?:y|ies|ied)"
    r"|abort\w*|invalid|illegal|panic\w*|assert\w*|exceptions?|complain\w*|bail\w*|unsupported|prohibit\w*"
    r"|not allowed|crash\w*"
    r"|Err\w*|\w+(?:Error|Exception))\b|n['’]t\b|\b(?:not|never|cannot)\b"
)
ACCEPTS = re.compile(
    r"\b(?:is|are|gets?|be) (?:simply |silently |just |still |also |even )?(?:accepted|allowed|permitted"
    r"|tolerated|fine|valid"
    r"|ok|okay)\b|\b(?:accepts|allows|permits|tolerates)\b",
    re.IGNORECASE,
)
WHEN = re.compile(
    r"\b(?P<word>only if|only when|if and only if|even if|even when|if|when|whenever|unless|without|except when"
    r"|once|where|while)\s"
    r"(?P<when>(?:[^,;.]|\.(?=\w)){2,120})",
    re.IGNORECASE,
)
MISSING = re.compile(
    r"\b(?:missing|absent|unset|empty|none|null|undefined|nil|blank|omitted|lacking|disabled|false|falsy|off"
    r"|unavailable)\b"
    r"|\b(?:not|n['’]t|never)(?: yet| been)* (?:set|given|present|provided|passed|specified|configured|defined"
    r"|available|enabled"
    r"|supplied|known|there|stated|found|exist|truthy)\b|\bno(?=\s\w)|\b(?:lacks?|has no|have no)\b"
    r"|\bdoes(?: not|n['’]t) exist\b",
    re.IGNORECASE,
)
PRESENT = re.compile(
    r"\b(?:is|are|was|has been|have been|being|been)\s(?:already |explicitly |also )?(?:set|given|present"
    r"|provided|passed|specified"
    r"|configured|defined|available|enabled|supplied|true|truthy|on|known|stated|found|non-empty|nonempty)\b"
    r"|\bexists?\b|\bnon-?empty\b|\bis not (?:None|null|empty|missing|unset)\b",
    re.IGNORECASE,
)
_EMPTY = r"None|null|undefined|nil|\"\"|''|\[\]|\{\}|0|false|False|NULL|nullptr|[\"']undefined[\"']"
_IS_EMPTY = re.compile(
    rf"^(?:typeof\s)?(?P<source>.{{1,120}}?)\s?(?:(?P<same>\bis\b(?!\snot)|={{2,3}})|(?P<other>\bis not\b"
    rf"|!={{1,2}}))\s?(?:{_EMPTY})$"
)
_AMONG = re.compile(r"^(?P<source>.{1,80}?)\s(?P<not>not )?in\s(?P<place>.{1,80})$")
_ASKS_EMPTY = re.compile(r"(?:\.|->)(?:is_empty|isEmpty|empty|is_none|isNull|is_null|nil\?|empty\?|blank\?)(?:\(\))?$")
_ASKS_THERE = re.compile(r"(?:\.|->)(?:is_some|isPresent|present\?|any\?)(?:\(\))?$")
_TURNING_NAME = re.compile(
    r"(?:^|[_.\W]|(?<=[a-z]))(?:no|not|non|dis\w*|skip|ignore|without|omit|exclude|never|missing|empty|invalid"
    r"|un(?!i)\w+|is[nN]t|Missing|Empty"
    r"|Invalid|Without|Not|No(?=[A-Z])|Dis(?=[a-z])|Skip|Ignore)(?:$|[_.\W]|(?=[A-Z]))"
)


@dataclass(frozen=True, slots=True)
class Atom:
    """A part of a condition: of what, and whether it asks for its being there (or true)."""

    source: str
    present: bool


def facts_of_kind(reading: Reading, *kinds: str) -> list[CodeFact]:
    """Give the facts of some kinds that touch the cited lines, no more than a bound."""
    return [fact for fact in reading.stated[:_MOST_FACTS] if fact.kind in kinds]


def is_inside(fact: CodeFact, guard: CodeFact) -> bool:
    """Whether a fact begins among the lines that a guard holds for."""
    return guard.first <= fact.first <= guard.last


def raised_in(guard: CodeFact, reading: Reading) -> CodeFact | None:
    """Give what is raised at once where a guard holds: by the last of few lines."""
    if guard.last - guard.first > 6:
        return None
    return next((fact for fact in facts_of_kind(reading, "raise") if is_inside(fact, guard)), None)


def atoms(guard: CodeFact) -> Iterator[Atom]:
    """Give the parts of a guard's condition that ask whether something is there, or true."""
    parts = split_at(guard.value, (" and ", "&&", " or ", "||"))
    turned = guard.sign in ("else", "unless")
    if turned and len(parts) > 1:
        return
    for part in parts[:6]:
        atom = atom_of(part)
        if atom is not None:
            yield Atom(atom.source, atom.present != turned)


def atom_of(part: str) -> Atom | None:
    """Give what one part of a condition asks for; None where it does not ask that way."""
    present = True
    part = part.strip()
    while True:
        if part.startswith("(") and part.endswith(")"):
            part = part[1:-1].strip()
        elif part.startswith("not "):
            present, part = not present, part[4:].strip()
        elif part.startswith("!") and not part.startswith("!="):
            present, part = not present, part[1:].strip()
        else:
            break
    match = _IS_EMPTY.match(part)
    if match is not None:
        return Atom(
            re.sub(r"^len\((.*)\)$|\.(?:length|size|len\(\))$", r"\1", match["source"]), present == bool(match["other"])
        )
    among = _AMONG.match(part)
    if among is not None:
        return Atom(f"{among['source']} {among['place']}", present != bool(among["not"]))
    for pattern, there in ((_ASKS_EMPTY, False), (_ASKS_THERE, True)):
        if pattern.search(part):
            return Atom(pattern.sub("", part), present == there)
    if re.search(r"[<>=&|?]", part) or _TURNING_NAME.search(part):
        return None
    return Atom(part, present)


def asks_for_presence(when: str) -> bool | None:
    """Whether a condition in words asks for something's being there; None where it does not say."""
    missing, present = MISSING.search(when), PRESENT.search(when)
    if (
        missing is not None
        and present is not None
        and missing.start() >= present.start()
        and missing.end() <= present.end()
    ):
        missing = None
    if (missing is None) == (present is None):
        return False if missing is not None and NOT.search(missing[0]) else None
    return present is not None
