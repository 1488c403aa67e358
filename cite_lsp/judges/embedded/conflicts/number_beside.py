"""Another number than the claim's, beside the claim's own words: in a line of code, or in a sentence."""

import re
from collections.abc import Sequence

from cite_lsp.judges.embedded.beside.laid import WORDED
from cite_lsp.judges.embedded.beside.spoken import Spoken, spoken
from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.terms import pieces, terms_of
from cite_lsp.judges.embedded.claim.values import Value, values_in_prose, with_unit
from cite_lsp.judges.embedded.claim.words import plain_words, stem
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.conflict import Conflict, another_case, given_elsewhere, says
from cite_lsp.judges.embedded.conflicts.subjects import hinted, is_part_of, measured_in, measures, narrowed, spelled_by
from cite_lsp.judges.embedded.conflicts.value_conflicts import bound_of_another
from cite_lsp.judges.embedded.lexicon import glue, lemma
from cite_lsp.judges.embedded.lines.alignment import Index, align, root_of, weight, words_of_line
from cite_lsp.judges.embedded.lines.facts import Fact, Line, made_with_numbers
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.judges.embedded.lines.sentences import Sentence, sentences_of

_UNSURE = re.compile(
    r"\b(?:used to|no longer|formerly|previously|changed|was|were|would|could|might|should|rather|other than|never|not"
    r"|cannot|without|plus|minus|twice|double|roughly|about|around|almost|nearly|approximately|some|several|between"
    r"|from|passing|passed|overrid\w*|disables?|means|example|such as|instead|except|only)\b|n['’]t\b",
    re.IGNORECASE,
)
_UNCHANGED = re.compile(
    r"\b(?:if|unless|until|as long as|while|when) (?:nobody|no one|nothing|somebody|someone|anybody|you|they"
    r"|it) (?:has |have |is |was )?(?:changed?|changes|overrid\w+|configured?|configures|sets?"
    r"|says|said|asks?|told|given)\b"
    r"|\b(?:if|unless|until|when|where|as long as) [^,;.]{1,40}? (?:is|are|was|were|has been|have been) (?:left |not |"
    r"explicitly )?(?:set|unset|given|configured|specified|passed|named|known|provided|supplied|stated|requested"
    r"|omitted|missing|absent|chosen|defined)\b",
    re.IGNORECASE,
)
"""By what a sentence says that it speaks of a default, beyond `Clause.without_default`."""
_NUMBERED = re.compile(
    r"\b(?:arguments?|parameters?|position|index|item|page|figure|table|issue|bug|rfc|python|node|rule|phase|level"
    r"|type|mode|version|release|lines?|chapter|section|step|section|draft)\s+#?[0-9]",
    re.IGNORECASE,
)
_NO_NUMBER = re.compile(
    r"-[a-z]|\s?times (?:the|as|its|their|larger|bigger|more|longer|slower|per|an?|each)\b",
    re.IGNORECASE,
)
"""What stands behind a number that is a part of a name, a factor or a frequency."""
_UNIT_BEHIND = re.compile(
    r"\s[a-z]{2,14}\s(seconds?|minutes?|hours?|days?|bytes?|milliseconds?|[kmg]i?b)\b", re.IGNORECASE
)
_UNTOLD = frozenset(
    """default value maximum max minimum min number count num n option config configuration set get use the of to limit
    total const static self this constant global initial ms milli second sec minute hour day byte millisecond kb mb kib
    mib percent ns us""".split()
)
"""Pieces of a name that do not tell which thing it names."""
_BOUND_BEFORE = re.compile(r"\b(?:than|over|under|below|above|about|around)\s\Z", re.IGNORECASE)
_LEAST_SENTENCE = 0.5
_LEAST_OF_ONLY = 0.25
_LEAST_WHOLE = 0.4
_LEAST_HELD = 2
_SHOWN = 100
_FIRST_YEAR, _LAST_YEAR = 1900, 2100


def number_beside(clause: Clause, reading: Reading) -> Conflict | None:
    """Another number than the only one that the lines give what the clause speaks of, in whatever words."""
    value = the_number(clause)
    if value is None:
        return None
    if any(term.kind == "value" and reading.index.find(term) is not None for term in terms_of(clause)):
        return None
    return _of_facts(clause, value, reading) or _of_sentences(clause, value, reading)


def the_number(clause: Clause) -> Value | None:
    """Give the only number of a clause that says what something is, and not what it was, is not or is about."""
    if len(clause.values) != 1 or clause.compared or _UNSURE.search(unchanged(clause)):
        return None
    value = clause.values[0]
    if is_name_or_factor(clause, value) or value.kind == "percent" or "." in value.shown.rstrip("."):
        return None
    return in_unit(clause.text, value)


def unchanged(clause: Clause) -> str:
    """Give the text of a clause without the words by which it says that it speaks of a default."""
    return _UNCHANGED.sub(" ", clause.without_default)


def is_name_or_factor(clause: Clause, value: Value) -> bool:
    """Whether a number is a part of a name, a factor or a frequency."""
    return bool(_NUMBERED.search(clause.text) or _NO_NUMBER.match(clause.text, value.end))


def in_unit(text: str, value: Value) -> Value:
    """Give a number in the unit that stands one word behind it: "four extra bytes"."""
    unit = _UNIT_BEHIND.match(text, value.end) if value.kind == "number" else None
    return with_unit(value.raw, unit[1], text[value.start : unit.end()], value.start, unit.end()) if unit else value


def _of_facts(clause: Clause, value: Value, reading: Reading) -> Conflict | None:
    if another_case(clause, reading):
        return None
    facts = [fact for fact in reading.facts if fact.value.kind in ("number", "time", "bytes")]
    facts += made_with_numbers(reading.code_lines)
    cited = {excerpt.cited for excerpt in reading.row.excerpts}
    about = [fact for fact in facts if _told(fact, clause, value, reading, alone=_alone(fact, facts, cited))]
    about = [fact for fact in about if measured_in(clause, value, fact)]
    if not about or any(fact.value.agrees(value) for fact in about):
        return None
    if len({fact.value.amounts for fact in about}) > 1 or given_elsewhere(about[0], value, reading):
        return None
    return says(value.shown, about[0], clause)


def _alone(fact: Fact, facts: list[Fact], cited: set[int]) -> bool:
    """Whether a fact's number is the only one of the lines, or of the one line that was cited."""
    near = [other for other in facts if other.line.number == fact.line.number] if fact.line.number in cited else facts
    return len({other.value.raw for other in near}) == 1


def _told(fact: Fact, clause: Clause, value: Value, reading: Reading, *, alone: bool) -> bool:
    """Whether the clause speaks of all that a fact's name tells, of one piece in its own word.

    Where the lines have but one number, words for the same are enough.
    """
    if not spelled_by(clause, fact) and (_names_another(clause, fact, reading) or bound_of_another(clause, fact)):
        return False
    named = [piece for piece in pieces(fact.name) if piece not in _UNTOLD and not piece.isdigit()]
    how = [(piece, _how(piece, value, spoken(clause))) for piece in named]
    path = pieces(reading.row.path or "")
    how = [(piece, found) for piece, found in how if found or piece not in path]
    if not all(found for _, found in how):
        return False
    own = {piece for piece, found in how if found == "own"}
    told = [stem(word) for word in plain_words(clause.text) if own.intersection((word, lemma(word)))]
    return not narrowed(clause, told, reading) if own else alone and any(found == "kin" for _, found in how)


def _names_another(clause: Clause, fact: Fact, reading: Reading) -> bool:
    """Whether the clause spells a name of which the lines have nothing, or one of which the fact's is a part."""
    words = words_of_line(fact.line.text)
    here = [name for name in clause.names if words.isdisjoint((*pieces(name.text), "".join(pieces(name.text))))]
    return any(not reading.spells(name.text) for name in here) or any(is_part_of(fact, name) for name in clause.names)


def _how(piece: str, value: Value, speaks: Spoken) -> str:
    return speaks.of(piece) or ("unit" if measures(piece, value) or hinted(piece, speaks.words) else "")


def _of_sentences(clause: Clause, value: Value, reading: Reading) -> Conflict | None:
    """Another number of the measure in the sentence that has the clause's other words.

    Some of them are enough in a text of which it is the only such number.
    """
    found: list[tuple[Sentence, Value]] = []
    for sentence in sentences_of(reading.lines, prose=reading.prose):
        text = sentence.text.replace("`", " ")
        said = (in_unit(text, other) for other in values_in_prose(text))
        alike = [other for other in said if _of_one_measure(clause.text, value, text, other)]
        alike = [other for other in alike if not _BOUND_BEFORE.search(text, max(0, other.start - 20), other.start)]
        if any(other.agrees(value) for other in alike):
            return None
        if len(alike) == 1:
            found.append((sentence, alike[0]))
    whole = _share(clause, [line.text for line in reading.lines])[1] if found else 0.0
    for sentence, other in found:
        held, share = _share(clause, [sentence.text])
        only = len(found) == 1 and not _is_year(value) and whole >= _LEAST_WHOLE and share >= _LEAST_OF_ONLY
        if held >= _LEAST_HELD and (share >= _LEAST_SENTENCE or only):
            line = _line_of(sentence.lines, other)
            basis = f"the claim says {value.shown}, line {line.number} says {_around(sentence.text, other)!r}"
            return Conflict(basis, [line], clause, weak=True)
    return None


def _is_year(value: Value) -> bool:
    return value.kind == "number" and _FIRST_YEAR <= value.raw <= _LAST_YEAR


def _share(clause: Clause, lines: list[str]) -> tuple[int, float]:
    """Give how many of a clause's terms, values aside, stand in lines, and which share of their weight."""
    pairs = [pair for pair in align(clause, Index(lines)).pairs if not pair[0].soft and pair[0].kind != "value"]
    held = [term for term, found in pairs if found is not None and found.how in WORDED]
    whole = sum(weight(term) for term, _ in pairs)
    return len(held), sum(map(weight, held)) / whole if whole else 0.0


def _around(sentence: str, value: Value) -> str:
    """Give a sentence as it is shown: cut so that the value is seen."""
    start = max(0, value.end - _SHOWN + 1)
    begin = sentence.find(" ", start, value.start) + 1 if start else 0
    return clipped(("…" if begin else "") + sentence[begin:], _SHOWN)


def _line_of(lines: tuple[Line, ...], value: Value) -> Line:
    return next((line for line in lines if value.shown in line.text), lines[0])


def _of_one_measure(text: str, value: Value, other_text: str, other: Value) -> bool:
    """Whether two numbers count the same: in one kind of unit, or before or behind words of one root."""
    if value.kind != other.kind:
        return False
    if value.kind != "number":
        return True
    own, others = _neighbours(text, value), _neighbours(other_text, other)
    return bool(own[0] & others[0] or own[1] & others[1])


def _neighbours(text: str, value: Value) -> tuple[frozenset[str], frozenset[str]]:
    before = pieces(text[max(0, value.start - 30) : value.start])[-1:]
    behind = pieces(text[value.end : value.end + 40])[:2]
    return _roots(before), _roots(behind)


def _roots(words: Sequence[str]) -> frozenset[str]:
    return frozenset(root_of(word) for word in words if len(word) > 1 and not glue(word))
