"""Switches: what the claim says happens from the start, against the truth value that the lines give the switch."""

import re

from cite_lsp.judges.embedded.beside.spoken import Spoken, spoken
from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.terms import pieces, terms_of
from cite_lsp.judges.embedded.claim.values import Value
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.conflict import Conflict, another_case, given_elsewhere, says
from cite_lsp.judges.embedded.conflicts.polarity import negations
from cite_lsp.judges.embedded.conflicts.subjects import spelled_by
from cite_lsp.judges.embedded.lexicon import soft
from cite_lsp.judges.embedded.lines.facts import Fact, facts_in_ticks
from cite_lsp.judges.embedded.lines.reading import Reading

_SWITCH = r"(?:switched|turned|set|made|put)?"
_ON = r"(?:enabled|activated|true|requested|asked for|set|on)"
_OFF = r"(?:disabled|deactivated|false|off)"
_UNLESS = re.compile(
    rf"\b(?:unless|until)\s++(?P<what>[^,;.]{{1,60}}?)\s++(?:is|are|has been|have been|gets?)\s+"
    rf"(?:explicitly\s|expressly\s)?{_SWITCH}\s?(?:to\s)?(?:(?P<on>{_ON})|(?P<off>{_OFF}))\b",
    re.IGNORECASE,
)
_UNTIL_SOMEBODY = re.compile(
    r"\b(?:unless|until)\s+(?:somebody|someone|you|one|anybody|the user|users|they)\s+(?:explicitly\s)?"
    r"(?:(?P<on>enables?|activates?|switch(?:es)? (?:it |them )?on|turns? (?:it |them )?on|asks? for|requests?)"
    r"|(?P<off>disables?|deactivates?|switch(?:es)? (?:it |them )?off|turns? (?:it |them )?off))\b",
    re.IGNORECASE,
)
_FROM_START = re.compile(
    r"\b(?:by default|out of the box|in a fresh|from the start|initially|unless (?:it is |they are |you |somebody "
    r"|someone |one |is |are )?(?:told|says?|asks?|asked|configured|set|specified|requested|stated"
    r"|instructed)(?: otherwise| not to| so)?)\b",
    re.IGNORECASE,
)
_STATE_OFF = re.compile(
    r"\b(?:off|false|disabled|inactive|deactivated|switched off|turned off|opt-in|has to be enabled|must be enabled)\b",
    re.IGNORECASE,
)
_STATE_ON = re.compile(
    r"\b(?:on by default|true|enabled|active|activated|switched on|turned on|opt-out)\b|\bon$", re.IGNORECASE
)
_CONDITION = re.compile(
    r"\b(?:if|when|once|where|while|with|only|except|also|even|former|previous\w*|used to|longer)\b", re.IGNORECASE
)
_NO = frozenset("no not non dis without never".split())
_TURNING = _NO | frozenset("disable omit exclude ignore skip".split())
"""Pieces at the beginning of a name by which true means that something does not happen."""
_UNTOLD = frozenset("default enable enabled use is should has allow do with option self the flag".split())
_MOST_LEFT = 3


def switch_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """A switch that is on from the start, by what the claim says, and off by the lines; or the other way round."""
    said = _state(clause)
    if said is None or clause.values or another_case(clause, reading):
        return None
    shown, state, about = said
    speaks = spoken(Clause(about))
    facts = reading.facts or facts_in_ticks(reading.lines)
    switches = [fact for fact in facts if fact.value.kind == "truth"]
    found = [(fact, sense) for fact in switches if (sense := _sense(clause, fact, speaks))]
    most = max((len(_telling(fact)) for fact, _ in found), default=0)
    found = [(fact, sense) for fact, sense in found if len(_telling(fact)) == most]
    if len({fact.name for fact, _ in found}) != 1:
        return None
    fact, sense = found[0]
    if not spelled_by(clause, fact) and _left(clause, fact) > _MOST_LEFT + (len(switches) == 1):
        return None
    value = float(state if sense > 0 else not state)
    if any(other.value.amounts[0] == value for other, _ in found):
        return None
    claimed = Value("truth", (value,), shown)
    return None if given_elsewhere(fact, claimed, reading) else says(repr(clipped(shown, 100)), fact, clause)


def _state(clause: Clause) -> tuple[str, bool, str] | None:
    """Give the words by which a clause says how a switch stands at first, whether on, and what it says that of."""
    text = clause.text
    unless = _UNLESS.search(text)
    if unless is not None and clause.names:
        return unless[0], bool(unless["off"]), unless["what"]
    somebody = _UNTIL_SOMEBODY.search(text)
    first = somebody or _FROM_START.search(text)
    if first is None:
        return None
    rest = text[: first.start()] + " " + text[first.end() :]
    if _CONDITION.search(rest):
        return None
    turned = bool(negations(rest) % 2)
    off, on = _STATE_OFF.search(rest), _STATE_ON.search(rest.strip().rstrip("."))
    about = _STATE_OFF.sub(" ", _STATE_ON.sub(" ", rest))
    if somebody is not None:
        # "leaves highlighting off until somebody enables it"
        return (
            (text.strip().rstrip("."), bool(somebody["off"]), about) if off or on or turned or somebody["off"] else None
        )
    return text.strip().rstrip("."), (off is None) != turned, about


def _sense(clause: Clause, fact: Fact, speaks: Spoken) -> int:
    """Say whether the clause speaks of what a switch does (1), of the opposite (-1), or of something else (0)."""
    named = _telling(fact)
    if not named:
        return 0
    if spelled_by(clause, fact):
        return 1
    sense, first = 1, named[0]
    if first in _TURNING and len(named) > 1:
        named = named[1:]
        sense = 1 if first not in _NO and speaks.of(first) else -1
    elif len(named) > 1 and not speaks.of(first) and speaks.opposes(first):
        named = named[1:]
        sense = -1
    how = [speaks.of(piece) for piece in named]
    return sense if all(how) and "own" in how else 0


def _telling(fact: Fact) -> list[str]:
    return [piece for piece in pieces(fact.name) if piece not in _UNTOLD and not piece.isdigit()]


def _left(clause: Clause, fact: Fact) -> int:
    """Give how many words of the clause the name of a fact does not account for."""
    text = _FROM_START.sub(" ", _UNTIL_SOMEBODY.sub(" ", _UNLESS.sub(" ", clause.text)))
    name = spoken(Clause(" ".join(pieces(fact.name))))
    states = (_STATE_OFF, _STATE_ON)
    for pattern in states:
        text = pattern.sub(" ", text)
    terms = [term for term in terms_of(Clause(text)) if not term.soft and not soft(term.text)]
    return sum(1 for term in terms if not any(name.of(piece) for piece in term.lemmas))
