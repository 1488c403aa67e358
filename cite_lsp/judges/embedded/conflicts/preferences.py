"""Which of two values wins in code: fallbacks, merges, branches that take the one or the other."""

import re
from collections.abc import Iterator
from itertools import pairwise

from cite_lsp.judges.embedded.lines.code_reading import arguments, split_at
from cite_lsp.judges.embedded.lines.reading import Reading, flat
from cite_lsp.snapshot.code_facts import CodeFact

_MOST_FACTS = 400
_SHOWN = 80
_LACKS = re.compile(
    r"(?:!\s?\(?[^&|]{1,60}?\sin\s(?P<script>[\w.$]{1,60})\)?|(?:not\s)?[\w.\[\]\"']{1,60}\snot\sin\s(?P<word>[\w.]{1,60})"
    r"|!\s?(?P<has>[\w.$]{1,60})\.(?:has|hasOwnProperty|contains_key|containsKey)\([^()]{1,60}\)"
    r"|(?P<undefined>[\w.$]{1,60})\[[^\[\]]{1,60}\]\s(?:===?\sundefined|==\snull|is\sNone))$"
)
_MOST_KEPT = 4
_CHAINED = (" or ", "??", "||")


def preferences(reading: Reading) -> Iterator[tuple[str, str, str, tuple[int, ...]]]:
    """Give pairs of sources of which the first wins, with what shows it and the lines."""
    facts = reading.stated[:_MOST_FACTS]
    for fact in facts:
        if fact.kind in ("value", "return"):
            yield from _chained(fact)
            yield from _merged(fact)
        elif fact.kind == "call":
            yield from _called_to_merge(fact, facts)
    yield from _branches(facts)
    yield from _kept(facts)


def _kept(facts: tuple[CodeFact, ...]) -> Iterator[tuple[str, str, str, tuple[int, ...]]]:
    """Where an entry is only put in if there is none: what is there wins over what is put in."""
    for guard in facts:
        match = _LACKS.match(guard.value) if guard.kind == "guard" and guard.sign == "if" else None
        if match is None or guard.last - guard.first > _MOST_KEPT:
            continue
        there = next(filter(None, match.groups()))
        for fact in _values_in(facts, guard):
            if fact.name.startswith((f"{there}[", f"{there}.")):
                shown = f"line {fact.first} sets {fact.name[:_SHOWN]} only where it has none"
                yield there, fact.value, shown, (fact.first,)


def _chained(fact: CodeFact) -> Iterator[tuple[str, str, str, tuple[int, ...]]]:
    parts = split_at(fact.value, _CHAINED)
    for at, first in enumerate(parts[:6]):
        for second in parts[at + 1 : 6]:
            yield first, second, f"line {fact.first} takes {first[:_SHOWN]} first", (fact.first,)


def _merged(fact: CodeFact) -> Iterator[tuple[str, str, str, tuple[int, ...]]]:
    value = fact.value
    if not value.startswith("{") or ("..." not in value and "**" not in value):
        return
    parts = arguments(value[1:].removesuffix("}"))[:8]
    for at, second in enumerate(parts):
        for first in parts[at + 1 :]:
            if first.startswith(("...", "**")) or second.startswith(("...", "**")):
                yield first, second, f"line {fact.first} puts {first[:_SHOWN]} last, which wins", (fact.first,)


def _called_to_merge(fact: CodeFact, facts: tuple[CodeFact, ...]) -> Iterator[tuple[str, str, str, tuple[int, ...]]]:
    owner, _, name = fact.name.rpartition(".")
    given = arguments(fact.value)
    if fact.name == "Object.assign" and len(given) > 1:
        for second, first in pairwise(given):
            if second != "{}":
                yield first, second, f"line {fact.first} puts {first[:_SHOWN]} last, which wins", (fact.first,)
    elif name == "update" and given and "hash" not in owner:
        keeps = any(flat(each) == "override=false" for each in given)
        for other in facts:
            merges = other.kind == "call" and other.name == fact.name and other.value != fact.value
            made = other.kind == "value" and other.name == owner
            if other.first < fact.first and (merges or made):
                first, second = given[0], other.value
                shown = f"line {fact.first} puts {given[0][:_SHOWN]} over it"
                yield (second, first, shown, (other.first, fact.first)) if keeps else (
                    first, second, shown, (other.first, fact.first),
                )  # fmt: skip
    elif name in ("setdefault", "get") and len(given) == 2 and owner:
        shown = f"line {fact.first} takes {given[1][:_SHOWN]} only where there is none"
        yield f"{owner} {given[0]}", given[1], shown, (fact.first,)
    elif name == "ChainMap" or fact.name == "ChainMap":
        for first, second in pairwise(given):
            yield first, second, f"line {fact.first} puts {first[:_SHOWN]} first, which wins", (fact.first,)


def _branches(facts: tuple[CodeFact, ...]) -> Iterator[tuple[str, str, str, tuple[int, ...]]]:
    """Where one value is taken if there is one, and else another for the same."""
    guards = [fact for fact in facts if fact.kind == "guard" and fact.sign in ("if", "else")]
    for guard in guards:
        if guard.sign != "if":
            continue
        yield from _next_condition(facts, guard, guards)
        if re.search(r"==|!=|[<>]|\b(?:and|or|in|not|is)\b|&&|\|\||!", guard.value):
            continue
        otherwise = next((each for each in guards if each.sign == "else" and each.value == guard.value), None)
        if otherwise is None or otherwise.first < guard.first:
            continue
        for one in _values_in(facts, guard):
            for two in _values_in(facts, otherwise):
                if one.name == two.name:
                    shown = f"line {guard.first} asks for {guard.value[:_SHOWN]} first"
                    yield f"{guard.value} {one.value}", two.value, shown, (guard.first, two.first)


def _next_condition(
    facts: tuple[CodeFact, ...], guard: CodeFact, guards: list[CodeFact]
) -> Iterator[tuple[str, str, str, tuple[int, ...]]]:
    """Where two conditions decide the same, one asked for only where the other does not hold."""
    otherwise = next((each for each in guards if each.sign == "else" and each.value == guard.value), None)
    second = otherwise and next(
        (each for each in guards if each.sign == "if" and otherwise.first <= each.first <= otherwise.last), None
    )
    if not second or second.value == guard.value or "==" in f"{guard.value}{second.value}":
        return
    if {fact.name for fact in _values_in(facts, guard)} & {fact.name for fact in _values_in(facts, second)}:
        shown = f"line {guard.first} asks for {guard.value[:_SHOWN]} first"
        yield guard.value, second.value, shown, (guard.first, second.first)


def _values_in(facts: tuple[CodeFact, ...], guard: CodeFact) -> list[CodeFact]:
    return [fact for fact in facts if fact.kind == "value" and guard.first <= fact.first <= guard.last][:8]
