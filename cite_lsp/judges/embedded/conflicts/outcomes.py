"""What a condition leads to: what is raised, given back or called where something is there, and on which system."""

import re

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.guards import (
    MISSING,
    NOT,
    PRESENT,
    WHEN,
    asks_for_presence,
    atoms,
    facts_of_kind,
    is_inside,
)
from cite_lsp.judges.embedded.conflicts.refusals import RAISES
from cite_lsp.judges.embedded.lines.code_reading import Told, code_words, said_words
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.snapshot.code_facts import CodeFact

_RETURNED = re.compile(
    r"\b(?:returns?|gives? back|yields?|gives|returning)\s(?:an? |the )?`?"
    r"(?P<value>None|null|undefined|nil|True|False|true|false|-1|empty (?:list|array|string|dict\w*|object"
    r"|tuple|set))`?(?![\w.-])"
)
_LITERALS = {
    "none": frozenset({"none", "null", "nil", "undefined", ""}),
    "true": frozenset({"true"}),
    "false": frozenset({"false"}),
    "-1": frozenset({"-1"}),
    "list": frozenset({"[]", "list()", "new array()"}),
    "array": frozenset({"[]", "list()", "vec![]", "vec::new()"}),
    "string": frozenset({'""', "''", "``", "string::new()"}),
    "dict": frozenset({"{}", "dict()"}),
    "object": frozenset({"{}", "object.create(null)"}),
    "tuple": frozenset({"()", "tuple()"}),
    "set": frozenset({"set()", "new set()"}),
}
_LITERAL = re.compile(r"^(?:none|null|nil|undefined|true|false|-?[0-9]{1,9}|\[\]|\{\}|\(\)|\"\"|''|``)$")
_SYSTEMS = {
    "windows": re.compile(r"win32|windows|\bos\.name\s?={2,3}\s?[\"']nt\b|\bnt\b|_WIN|IS_WIN|is_?win", re.IGNORECASE),
    "macos": re.compile(r"darwin|macos|__APPLE__|is_?mac|osx", re.IGNORECASE),
    "linux": re.compile(r"linux", re.IGNORECASE),
}
_ON_SYSTEM = re.compile(
    r"\b(?P<away>[Ee]xcept |other than |[Oo]utside (?:of )?|but not |not |everywhere but |elsewhere than )?(?:on "
    r"|under |for )?"
    r"(?P<system>Windows|macOS|Mac OS X?|OS X|Linux)\b"
)
_EVERYWHERE = re.compile(r"\bon (?:every|all|any) (?:platforms?|systems?|operating systems?)\b", re.IGNORECASE)
_SYSTEM_NAMES = {"Windows": "windows", "Linux": "linux"}


def other_case(clause: Clause, reading: Reading) -> Told | None:
    """Something raised, given back or called where something is there, or is not."""
    match = WHEN.search(clause.text)
    if match is None or match["word"].lower() in ("even if", "even when", "while", "where"):
        return None
    state = False if match["word"].lower() == "without" else asks_for_presence(match["when"])
    if state is None:
        return None
    if match["word"].lower() in ("unless", "except when"):
        state = not state
    rest = clause.text[: match.start()] + clause.text[match.end() :]
    if NOT.search(rest):
        return None
    subject = said_words(PRESENT.sub(" ", MISSING.sub(" ", match["when"])))
    told: dict[bool, Told] = {}
    for guard in facts_of_kind(reading, "guard"):
        if guard.sign not in ("if", "else", "unless"):
            continue
        outcome = _outcome(rest, guard, reading)
        if outcome is None:
            continue
        for atom in atoms(guard):
            words = code_words(atom.source)
            if subject & words and subject - _roots_shared(subject, words) <= said_words(rest) | {
                "call",
                "argument",
                "option",
            }:
                holds = atom.present == state
                word = "unless" if guard.sign in ("else", "unless") else "if"
                shown = f"line {outcome.first} does so {word} {clipped(guard.value)}"
                told.setdefault(holds, Told(holds, f"{match[0].strip()!r}", shown, (outcome.first,)))
    return next(iter(told.values())) if len(told) == 1 else None


def _roots_shared(subject: frozenset[str], words: frozenset[str]) -> frozenset[str]:
    """Give the words of a phrase that an expression has, each with its root."""
    shared = subject & words
    return frozenset(word for word in subject if any(word.startswith(each[:4]) for each in shared))


def _outcome(rest: str, guard: CodeFact, reading: Reading) -> CodeFact | None:
    """Give the fact that a guard leads to and that a claim speaks of."""
    inside = [fact for fact in facts_of_kind(reading, "raise", "return", "call") if is_inside(fact, guard)]
    returned = _RETURNED.search(rest)
    raises = RAISES.search(rest)
    words = said_words(rest)
    for fact in inside:
        if fact.kind == "raise" and (
            (fact.name in rest)
            if raises
            else re.search(r"\b(?:rais\w+|throw\w*|thrown|errors?|reject\w*|refus\w*)\b", rest)
        ):
            return fact
        if fact.kind == "return" and returned is not None and _is_literal(fact.value, returned["value"]):
            return fact
        if fact.kind == "call" and (own := said_words(re.split(r"\.|::|->", fact.name)[-1])) and own <= words:
            return fact
    return None


def _is_literal(source: str, said: str) -> bool:
    kind = {"null": "none", "undefined": "none", "nil": "none"}.get(said.lower(), said.lower().split()[-1])
    wanted = _LITERALS.get("dict" if kind.startswith("dict") else kind, frozenset())
    return source.strip().rstrip(";").lower() in wanted


def on_system(clause: Clause, reading: Reading) -> Told | None:
    """What is done on one system only."""
    one, everywhere = _ON_SYSTEM.search(clause.text), _EVERYWHERE.search(clause.text)
    match = one or everywhere
    if match is None or (one and everywhere) or len(_ON_SYSTEM.findall(clause.text)) > 1:
        return None
    if NOT.search(clause.text[: match.start()] + clause.text[match.end() :]):
        return None
    system = "" if everywhere else _SYSTEM_NAMES.get(match["system"], "macos")
    rest = said_words(clause.text[: match.start()] + clause.text[match.end() :])
    told: dict[bool, tuple[int, Told]] = {}
    for guard in facts_of_kind(reading, "guard"):
        asked = {name for name, pattern in _SYSTEMS.items() if pattern.search(guard.value)}
        if len(asked) != 1 or guard.sign not in ("if", "else") or re.search(r"&&|\|\||\band\b|\bor\b", guard.value):
            continue
        turned = (guard.sign == "else") != bool(re.search(r"!=|\bnot\b|^!", guard.value))
        if asked != {system} and turned and system:
            continue
        holds = bool(system) and ((asked == {system}) != turned) != bool(match["away"])
        for fact in facts_of_kind(reading, "value", "call", "raise", "return"):
            shared = rest & code_words(f"{fact.name} {fact.value}") if is_inside(fact, guard) else frozenset()
            if all(map(str.isdigit, shared)) or any(map(str.isdigit, rest - shared)) or 2 * len(shared) < len(rest):
                continue
            shown = f"line {fact.first} does so {'where not' if turned else 'if'} {clipped(guard.value)}"
            if len(shared) > told.get(holds, (0,))[0]:
                told[holds] = len(shared), Told(holds, f"{match[0].strip()!r}", shown, (fact.first,))
    best = max((count for count, _ in told.values()), default=0)
    found = [each for count, each in told.values() if count == best]
    return found[0] if len(found) == 1 else None


def given_back(clause: Clause, reading: Reading) -> Told | None:
    """Another literal than any that is given back."""
    match = _RETURNED.search(clause.text)
    if match is None or NOT.search(clause.text) or match["value"].lower() in ("none", "null", "undefined", "nil"):
        return None  # what ends without a return gives that, too
    returns = [fact for fact in facts_of_kind(reading, "return") if fact.value]
    same = [fact for fact in returns if _is_literal(fact.value, match["value"])]
    if same:
        return None
    literal = [fact for fact in returns if _LITERAL.match(fact.value.strip().rstrip(";").lower())]
    if not returns or len(literal) < len(returns) or reading.truncated or len({fact.value for fact in literal}) > 1:
        return None
    shown = f"line {literal[0].first} returns {literal[0].value}"
    return Told(False, f"{match[0]!r}", shown, (literal[0].first,))
