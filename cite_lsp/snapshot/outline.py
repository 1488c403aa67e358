"""What a file defines, line by line, by text rules: definitions, keys, headings. A parser knows code better.

Each name is a place that somebody may want to cite; where the rules are wrong a name is missing or its lines are a few
too many, and nothing else hangs on it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from cite_lsp.snapshot.code_units import DEFINITION_LOOK, code_unit
from cite_lsp.snapshot.languages import Language, find_language
from cite_lsp.snapshot.units import Fences, Lines, heading_level, section

MOST_SYMBOLS = 2_000
"""Names of one file; generated files have no end of them."""

MOST_LINES = 50_000
"""Lines that are looked at."""

_MOST_LINES_OF_ONE = 20_000
_KEYWORDED = re.compile(
    r"\b(class|interface|enum|record|struct|trait|object|protocol|extension|actor|fun|func|function|namespace|mixin"
    r"|typealias|delegate|def\w*|module|macro|union|contract|library|message|service|rpc|type|impl|fn|sub|proc"
    r"|table|view|index|trigger|procedure)!?[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?[\"'`(]?([^\W\d][\w.:$?!-]*)",
    re.IGNORECASE,
)
_FUNCTIONS = frozenset("def defp fun func function fn sub proc procedure rpc defun defn".split())
_CALLED = re.compile(r"([^\W\d][\w$:~?!-]*)[ \t]*\(")
_BOUND = re.compile(r"\b(?:const|let|var|local)[ \t]+([^\W\d][\w$]*)")
_TARGET = re.compile(r"([A-Za-z0-9_.%/-]+)[ \t]*:(?![:=])")
_KEYS = {
    "yaml": re.compile(r"(?:\"([^\"]+)\"|'([^']+)'|([^\s#:'\"{\[\]}&*!|>-][^#:]{0,100}))[ \t]*:(?:[ \t]|$)"),
    "json": re.compile(r"[ \t]{0,4}\"((?:\\.|[^\"\\]){1,100})\"[ \t]*:"),
    "toml": re.compile(r"(?:\[{1,2}([^\[\]]{1,100})\]{1,2}|[\"']?([\w.-]{1,100})[\"']?[ \t]*=)"),
    "ini": re.compile(r"(?:\[([^\[\]]{1,100})\]|([^\s\[;#!=:][^=:]{0,100}?)[ \t]*[=:])"),
}
_PROSE = frozenset({"markdown", "rst", "asciidoc"})


class Symbol(NamedTuple):
    """Something that a file defines.

    Attributes:
        name: Its name.
        kind: function, class, struct, key, heading, …
        owner: The names of what it stands in, joined by dots.
        first: Its first line, 1-based.
        last: Its last line, inclusive.
    """

    name: str
    kind: str
    owner: str
    first: int
    last: int


def text_outline(lines: Sequence[str], language: str | None) -> tuple[Symbol, ...]:
    """Give what a file's lines define, in their order; `language` is what `language_of` says of its path.

    Of a language that is not known nothing is defined. Linear in the lines but for what stands in one another.
    """
    rules = find_language(language)
    if rules is None:
        return ()
    look = Lines(lines)
    numbers = range(min(len(lines), MOST_LINES))
    if rules.kind in _PROSE:
        found = _headings(look, numbers, rules)
    elif rules.keys is not None:
        found = _keys(look, numbers, rules)
    elif rules.definition is not None:
        found = _definitions(look, numbers, rules)
    elif language == "hash-comments":
        found = _targets(look, numbers)
    else:
        found = iter(())
    return tuple(islice(found, MOST_SYMBOLS))


def _headings(lines: Lines, numbers: range, language: Language) -> Iterator[Symbol]:
    fences = Fences(language)
    for number in numbers:
        text = lines(number) or ""
        if fences.inside(text):
            continue
        unit = section(lines, number, language) if _may_be_heading(lines, number, language) else None
        name = text.strip().lstrip("#=").rstrip("#").strip()
        if unit is not None and name:
            last = _last(unit.numbers, number)
            while last > number and lines.filled(last) is None:
                last -= 1
            yield Symbol(name, "heading", "", number + 1, last + 1)


def _may_be_heading(lines: Lines, number: int, language: Language) -> bool:
    if language.kind == "rst":
        below = (lines(number + 1) or "").rstrip()
        underlined = len(below) > 2 and not below[0].isalnum() and below == below[0] * len(below)
        return underlined and lines.filled(number) is not None
    return heading_level(lines, number, language) > 0


def _keys(lines: Lines, numbers: range, language: Language) -> Iterator[Symbol]:
    """The keys that stand in nothing else, and the tables."""
    pattern = _KEYS[str(language.keys)]
    until = -1
    for number in numbers:
        found = pattern.match(lines(number) or "")
        if found is None or (number <= until and language.keys in ("yaml", "json")):
            continue
        until = _last(code_unit(lines, number, language).numbers, number)
        yield Symbol(next(filter(None, found.groups())).strip(), "key", "", number + 1, until + 1)


def _definitions(lines: Lines, numbers: range, language: Language) -> Iterator[Symbol]:
    pattern = language.definition
    owners: list[tuple[int, str]] = []
    for number in numbers:
        text = (lines(number) or "")[:DEFINITION_LOOK]
        if pattern is None or not pattern.match(text):
            continue
        name, kind = _named(text)
        if not name:
            continue
        last = _last(code_unit(lines, number, language).numbers, number)
        while owners and owners[-1][0] < number:
            owners.pop()
        yield Symbol(name, kind, ".".join(owner for _, owner in owners), number + 1, last + 1)
        if last > number:
            owners.append((last, name))


def _named(text: str) -> tuple[str, str]:
    """Give the name that a line defines, and of what kind that is."""
    keyworded = _KEYWORDED.search(text)
    if keyworded is not None and not text[: keyworded.start()].count("("):
        keyword = keyworded.group(1).lower()
        return keyworded.group(2).rstrip(":."), "function" if keyword in _FUNCTIONS else keyword
    bound = _BOUND.search(text) or _CALLED.search(text)
    return (bound.group(1), "function") if bound is not None else ("", "")


def _targets(lines: Lines, numbers: range) -> Iterator[Symbol]:
    """The rules of a makefile."""
    for number in numbers:
        found = _TARGET.match(lines(number) or "")
        if found is None or found.group(1) == ".PHONY":
            continue
        last = number
        while (lines(last + 1) or "").startswith("\t"):
            last += 1
        yield Symbol(found.group(1), "target", "", number + 1, last + 1)


def _last(numbers: Iterator[int], first: int) -> int:
    """Give the last of some 0-based numbers, `first` where there are none."""
    last = first
    for number in islice(numbers, _MOST_LINES_OF_ONE):
        last = max(last, number)
    return last
