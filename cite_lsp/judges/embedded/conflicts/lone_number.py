"""Another number than the only one on the cited line, where that line and what encloses it speak of the same thing."""

import re
from collections.abc import Iterable
from itertools import pairwise

from cite_lsp.judges.embedded.beside.laid import STRONG, WORDED
from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.terms import pieces, slight, terms_of
from cite_lsp.judges.embedded.claim.values import ARITHMETIC, Value, amount_of
from cite_lsp.judges.embedded.conflicts.conflict import Conflict, another_case
from cite_lsp.judges.embedded.conflicts.number_beside import the_number
from cite_lsp.judges.embedded.conflicts.subjects import measures
from cite_lsp.judges.embedded.conflicts.value_conflicts import BOUNDED
from cite_lsp.judges.embedded.lines.alignment import Index
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.lines.reading import Reading

_LITERAL = re.compile(r"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|`[^`\n]{0,200}`|/[^/\s]{1,80}/[a-z]{0,3}(?=[.,)])")
_NUMBER = re.compile(rf"(?<![\w.\[])({ARITHMETIC})(?![\w.]*[\"'\w\]])")
_CHOICE = re.compile(r"\?[^?:]{1,80}:|\bif\b.{1,80}\belse\b")
_HEDGED = re.compile(r"\b(?:may|can|number|any|each|all) ", re.IGNORECASE)
_OTHER_DIGITS = re.compile(r"(?<![\w`])[0-9]+(?![\w`])")
_GOES_ON = re.compile(r"\s*(?:[?:]|\|\||&&|or\b|default\b|[0-9(])")
"""A line that goes on with the one above it, or a default whose name stands above it."""
_FALLBACK = re.compile(r"(?:\|\||\?\?|\bor\b|\bdefault\s?[=:])\s{0,3}[0-9(]")
_BY_DEFAULT = re.compile(
    r"\b(?:default\w*|unless|out of the box|falls? back|(?:if|when|where) (?:no|none|nothing)\b|left|unset"
    r"|not (?:set|given))",
    re.IGNORECASE,
)
_LONGEST = 600
_MOST_ABOVE = 6
_TRIVIAL = frozenset({0.0, 1.0})
_UNITS = {
    "time": frozenset("ms millisecond second sec minute min hour day week us ns micro milli".split()),
    "bytes": frozenset("byte kb mb gb kib mib gib kilobyte megabyte".split()),
}
_BOUND = frozenset({"max", "maximum", "min", "minimum", "limit"})
_TIME = Value("time", (), "")
_NEAR = 4
_LEAST = 0.2
_LEAST_HELD = 1
_MOST_LINES = 24
_SHOWN = 80
_FIRST_YEAR, _LAST_YEAR = 1900, 2100


def lone_number(clause: Clause, reading: Reading) -> Conflict | None:
    """Another number than the only one that the cited line has, or than both that it chooses from."""
    value = the_number(clause)
    if value is None or reading.prose or _HEDGED.search(clause.text) or another_case(clause, reading):
        return None
    if _OTHER_DIGITS.search(clause.text[: value.start]) or _OTHER_DIGITS.search(clause.text[value.end :]):
        return None
    if value.kind == "number" and (value.raw in _TRIVIAL or _FIRST_YEAR <= value.raw <= _LAST_YEAR):
        return None
    line = _only_line(clause, reading)
    if line is None or any(_may_be(value, each) for each in _numbers(line.code)):
        return None
    if _stands_near(clause, [line.text] if _is_fallback(clause, line) else _near(line, reading)):
        return None
    if _is_narrowed(clause, line, reading) or (_BOUND & set(_pieces_of(line.code)) and not BOUNDED.search(clause.text)):
        return None
    told = [*_statement(line, reading), *reading.context]
    if not _one_measure(value, told):
        return None
    held, share = _told(clause, told)
    if held < _LEAST_HELD or share < _LEAST:
        return None
    basis = f"the claim says {value.shown}, line {line.number} says {_shown(line)!r}"
    return Conflict(basis, [line], clause)


def _may_be(value: Value, number: float) -> bool:
    """Whether a number of code can be meant, in whatever unit, or counted otherwise: four tries are 3 retries."""
    return value.agrees(Value("number", (number,), "")) or (value.kind == "number" and abs(value.raw - number) == 1)


def _only_line(clause: Clause, reading: Reading) -> Line | None:
    """Give the cited line with a number, or else the one that has most of the clause; one number or one choice."""
    cited = {excerpt.cited for excerpt in reading.row.excerpts}
    numbered = [line for line in reading.code_lines if _numbers(line.code)]
    here = [line for line in numbered if line.number in cited] or numbered
    if len(here) > 1:
        told = {line.number: _told(clause, _statement(line, reading))[0] for line in here[:_MOST_LINES]}
        here = [line for line in here if told.get(line.number) == max(told.values()) and told[line.number]]
    if len(here) != 1:
        return None
    found = _numbers(here[0].code)
    return here[0] if len(found) == 1 or (len(found) == 2 and _CHOICE.search(here[0].code[:_LONGEST])) else None


def _is_narrowed(clause: Clause, line: Line, reading: Reading) -> bool:
    """Whether a word before one of the line's own says which of several is meant, and nothing here has it."""
    own = set(_pieces_of(line.code))
    index = Index([*_statement(line, reading), *reading.context])
    terms = [term for term in terms_of(clause) if term.kind == "word"]
    for before, term in pairwise(terms):
        beside = clause.text[before.start + len(before.text) : term.start] == " "
        found = index.find(before)
        if beside and own.intersection(term.lemmas) and not before.soft and (found is None or found.how not in STRONG):
            return True
    return False


def _statement(line: Line, reading: Reading) -> list[str]:
    """Give a line, with those above it where it only goes on with them or gives an unnamed default."""
    if not _GOES_ON.match(line.code):
        return [line.text]
    return [each.text for each in reading.lines if line.number - _MOST_ABOVE <= each.number <= line.number]


def _numbers(code: str) -> set[float]:
    """Give the numbers of a line that count; none where there are others in its texts, of which one may be meant."""
    if any(re.search(r"[0-9]", each) for each in _LITERAL.findall(code[:_LONGEST])):
        return set()
    found = (amount_of(each[1]) for each in _NUMBER.finditer(_LITERAL.sub(" ", code[:_LONGEST])))
    return {amount for amount in found if amount is not None and amount not in _TRIVIAL}


def _shown(line: Line) -> str:
    """Give a line's code as it is shown: cut so that its last number is seen."""
    code = line.code.strip()
    numbers = list(_NUMBER.finditer(code[:_LONGEST]))
    start = max(0, numbers[-1].end() + 1 - _SHOWN) if numbers else 0
    return code[start : start + _SHOWN]


def _is_fallback(clause: Clause, line: Line) -> bool:
    """Whether a line names what is taken where nothing is given, and the clause speaks of that."""
    return bool(_FALLBACK.search(line.code[:_LONGEST]) and _BY_DEFAULT.search(clause.text))


def _near(line: Line, reading: Reading) -> list[str]:
    file = reading.row.file or ()
    around = file[max(0, line.number - 1 - _NEAR) : line.number + _NEAR]
    return [*around, *(each.text for each in reading.lines)]


def _stands_near(clause: Clause, lines: list[str]) -> bool:
    """Whether the claimed number stands in lines, in whatever form."""
    index = Index(lines)
    return any(term.kind == "value" and index.find(term) is not None for term in terms_of(clause))


def _one_measure(value: Value, told: Iterable[str]) -> bool:
    words = {piece for text in told for piece in _pieces_of(text)}
    if value.kind == "number":
        return not any(words & units for units in _UNITS.values()) and not any(measures(word, _TIME) for word in words)
    return bool(words & _UNITS[value.kind]) or any(measures(word, value) for word in words)


def _pieces_of(text: str) -> list[str]:
    return [piece for token in re.findall(r"[A-Za-z_$][\w$]*", text[:_LONGEST]) for piece in pieces(token)]


def _told(clause: Clause, told: list[str]) -> tuple[int, float]:
    index = Index(told)
    terms = [term for term in terms_of(clause) if term.kind != "value" and not term.soft and not slight(term)]
    found = [index.find(term) for term in terms]
    held = sum(1 for each in found if each is not None and each.how in WORDED)
    return held, held / len(terms) if terms else 0.0
