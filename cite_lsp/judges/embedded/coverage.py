"""Whether cited lines hold all that a claim says: every word, name and value, with the same polarity."""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from cite_lsp.judges.embedded.claims import Clause
from cite_lsp.judges.embedded.facts import Fact, Line
from cite_lsp.judges.embedded.reading import Reading
from cite_lsp.judges.embedded.subjects import measured_alike, named
from cite_lsp.judges.embedded.value_conflicts import truth_said
from cite_lsp.judges.embedded.values import Value, numbers_in_code, values_in_prose
from cite_lsp.judges.embedded.words import SOFT, name_words, stem, vocabulary

_TURNED = re.compile(
    r"\b(?:not|no|never|none|without|cannot|unless|except|only|false|raise|throw|ignore\w*|skip\w*|reject\w*|instead|fail\w*|drop\w*"
    r"|remov\w*|stop\w*|prevent\w*|bypass\w*)\b|n['’]t\b|!(?!=)",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:changed|was|were|previously|formerly|no longer|used to|instead|dropped|removed|revert\w*)\b", re.IGNORECASE
)
_SPREAD = 4
_FEW_WORDS = 3
_SHOWN = 80
_SOFT = frozenset(map(stem, SOFT))


@dataclass(slots=True)
class Covered:
    """What of a clause was found where, and what was not."""

    complete: bool = False
    basis: str = ""
    missing_basis: str = ""
    lines: list[Line] = field(default_factory=list)


def covered(clause: Clause, reading: Reading) -> Covered:
    """Look for everything a clause says in the cited lines."""
    missing = [name.text for name in clause.names if not reading.spells(name.text)]
    about = named(clause, reading)
    places: list[tuple[Line, str]] = []
    given = False
    for value in clause.values:
        place = _place_of(clause, value, about, reading)
        if place is None:
            missing.append(value.shown)
        else:
            places.append(place[:2])
            given = given or place[2]
    truth = truth_said(clause, reading)
    if truth is not None and truth[0].agrees(truth[1].value):
        places.append((truth[1].line, truth[1].shown))
        given = True
    missing.extend(text for text in clause.quoted if not reading.names(text))
    missing.extend(_words_missing(clause, reading, soft=given and len(places) == 1))
    if missing:
        them = "them all" if len(missing) > 1 else "it"
        return Covered(missing_basis=f"looked for {_listed(missing)} in the cited lines and did not find {them}")
    lines = _lines_for(clause, reading, [line for line, _ in places])
    doubt = _doubt(clause, reading, lines, given=given, valued=bool(places))
    if doubt:
        return Covered(missing_basis=doubt)
    told = [f"line {line.number} says {shown}" for line, shown in places]
    for name in clause.names[:3]:
        place_of_name = reading.line_with(name.text)
        if place_of_name is not None and not places:
            told.append(f"line {place_of_name.number} says {place_of_name.text.strip()[:_SHOWN]}")
    return Covered(True, "; ".join(dict.fromkeys(told)), "", lines)


def absent(clause: Clause, reading: Reading) -> list[str]:
    """Give the names and values of a clause of which nothing stands in the cited lines nor in what encloses them."""
    names = [each.text for each in clause.names if not reading.names(each.text) and not reading.enclosed_by(each.text)]
    about = named(clause, reading)
    values = [
        value.shown
        for value in clause.values
        if not {value.raw, *value.amounts} & reading.numbers and _place_of(clause, value, about, reading) is None
    ]
    return [*names, *values, *(text for text in clause.quoted if not reading.names(text))]


def _words_missing(clause: Clause, reading: Reading, *, soft: bool) -> list[str]:
    known = reading.words | reading.context_words
    words = clause.content
    joined = {word for pair in pairwise(words) if stem("".join(pair)) in known for word in pair}
    of_names = {word for name in clause.names for word in name.words}
    return [
        word
        for word in words
        if stem(word) not in known
        and word not in joined
        and not set(name_words(word)) <= of_names
        and not (soft and stem(word) in _SOFT)
    ]


def _doubt(clause: Clause, reading: Reading, lines: list[Line], *, given: bool, valued: bool) -> str:
    """Say why the words that were found may not say it: turned round, spread, or only in a comment; else ""."""
    unsaid = [word for word in clause.quantified if not _says_word(word, lines)]
    if unsaid:
        return f"every word was found, but no line says {_listed(unsaid)}"
    texts = [line.text[:600] for line in lines]
    if clause.negated or (not given and any(map(_TURNED.search, texts))):
        return "every word was found, but whether the lines say it or its opposite cannot be named"
    if reading.prose and not valued:
        return "the cited lines are prose that holds every word; whether they say it cannot be named"
    if any(map(_CHANGED.search, texts)) and not _CHANGED.search(clause.text):
        return "every word was found, but the lines tell of a change"
    if not valued and len(clause.names) < 2:
        return "the claim names no value, nor two names, that the lines could be checked by"
    if not given and (clause.compared or len(clause.content) < _FEW_WORDS):
        return "the claim says too little, or compares, and the lines give its value to nothing it names"
    if not given and lines and lines[-1].number - lines[0].number > _SPREAD:
        return "the words were found, but in lines that may not belong together"
    if not reading.prose and not any(line.code.strip() for line in lines) and not given:
        return "only a comment says it"
    return ""


def _says_word(word: str, lines: list[Line]) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", line.text[:600], re.IGNORECASE) for line in lines)


def _place_of(clause: Clause, value: Value, about: list[Fact], reading: Reading) -> tuple[Line, str, bool] | None:
    """Give the line that says a value, how it does, and whether it gives it to the thing that the clause names.

    Where lines give that thing another value, a number that stands elsewhere does not count.
    """
    comparable = [fact for fact in about if measured_alike(clause, value, fact)]
    for fact in comparable:
        if fact.value.agrees(value):
            return fact.line, fact.shown, True
    if comparable:
        return None
    for line in reading.lines:
        if any(value.agrees(number) for number in _numbers(line, reading, value)):
            return line, line.text.strip()[:_SHOWN], False
    return None


def _numbers(line: Line, reading: Reading, value: Value) -> list[Value]:
    said = line.text if reading.prose else line.comment
    in_prose = list(values_in_prose(said[:600]))
    if value.kind != "number":  # a bare number of a code line may have any unit: only its name could say which
        return in_prose
    return [*(Value("number", (amount,), "") for amount in numbers_in_code(line.text[:600])), *in_prose]


def _lines_for(clause: Clause, reading: Reading, chosen: list[Line]) -> list[Line]:
    """Give the fewest lines beside the chosen ones, found greedily, that hold the words of the clause."""
    wanted = {stem(word) for word in clause.content} - reading.context_words
    held = [(line, vocabulary([line.text[:600]]) & wanted) for line in reading.lines]
    chosen = list(chosen)
    left = wanted - vocabulary(line.text[:600] for line in chosen)
    while left:
        line, words = max(held, key=lambda pair: len(pair[1] & left), default=(None, set()))
        if line is None or not words & left:
            break
        chosen.append(line)
        left -= words
    return sorted(chosen, key=lambda line: (line.excerpt, line.offset))


def _listed(words: list[str]) -> str:
    shown = [f"{word!r}" for word in words[:4]]
    return ", ".join(shown) + (f" and {len(words) - 4} more" if len(words) > 4 else "")
