"""What cited lines say by text rules: which name has which value, and which lines are comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cite_lsp.judges.embedded.values import ARITHMETIC, NUMBER, Value, amount_of, unit_of_name, with_unit
from cite_lsp.judges.embedded.words import name_words
from cite_lsp.snapshot.excerpt import Excerpt

_MAX_LINE = 600
_TEXT = r"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|`[^`\n]{0,200}`"
_VALUE = rf"(?P<value>-?{ARITHMETIC}|true|false|True|False|TRUE|FALSE|{_TEXT})"
_SUFFIX = (
    r"(?P<suffix>\s{0,2}\*\s{0,2}time\.[A-Z][a-z]{2,12}|(?:ms|s|m|h|k|g|[KMGkmg]i|u64|u32|usize|f64|[kKMG]i?B|L|u"
    r"|px|_[ui](?:32|64))(?![\w]))?"
)
_END = r"(?=\s{0,40}(?:$|[,;)\]}]|#|//|/\*|--))"
_NAME = r"(?<![\w$.])(?:[\w$]{1,60}(?:\.|->|::)){0,6}[\"']?(?P<name>[A-Za-z_$][\w$.-]{0,80})[\"']?"
_ASSIGNED = re.compile(
    rf"{_NAME}\s{{0,40}}(?::\s{{0,4}}[\w\[\], |.<>?&]{{1,60}}?\s{{0,4}}=|:=|=>|:|=|\|\||\?\?)(?!=)"
    rf"\s{{0,40}}{_VALUE}{_SUFFIX}{_END}"
)
_TYPED = re.compile(
    rf"\b(?:const|var|let|static)\s{{1,4}}(?P<name>[A-Za-z_]\w{{0,80}})\s{{1,4}}\w{{1,40}}\s{{0,4}}="
    rf"\s{{0,4}}{_VALUE}{_SUFFIX}{_END}"
)
_DEFINED = re.compile(rf"^\s{{0,8}}#\s{{0,4}}define\s{{1,8}}(?P<name>\w{{1,80}})\s{{1,40}}\(?{_VALUE}\)?{_SUFFIX}")
_CALL = re.compile(
    rf"{_NAME}\s{{0,4}}(?::\s{{0,4}}[\w\[\]., |]{{1,60}}?)?=\s{{0,4}}[\w.\[\]]{{1,80}}\((?:[^()\n]{{0,80}}"
    rf"\b)?default\s{{0,2}}=\s{{0,2}}{_VALUE}{_SUFFIX}{_END}"
)
_DURATION = re.compile(
    rf"{_NAME}\s{{0,4}}(?::\s{{0,4}}[\w:]{{1,40}}\s{{0,2}})?[=:]\s{{0,4}}[\w.:]{{0,60}}?"
    rf"(?:timedelta\(\s?(?P<unit>\w{{1,14}})\s?=\s?|from_(?P<from>secs|millis|mins|micros)\()\s?"
    rf"(?P<value>{ARITHMETIC})\)"
)
_LOOKUP = re.compile(
    rf"(?:\.get|getenv|environ\.get|env|get_or)\(\s?[\"'](?P<name>[\w.-]{{1,80}})[\"'],\s?{_VALUE}\s?{_SUFFIX}\)"
)
_DIRECTIVE = re.compile(
    rf"^\s{{0,40}}(?!return|case|goto|throw|yield|else|break)(?P<name>[a-z][a-z_]{{2,60}})\s{{1,20}}"
    rf"(?P<value>{NUMBER}){_SUFFIX}(?=(?:\s[\w ]{{1,60}})?;)"
)
_PIN = re.compile(
    r"[\"'](?P<name>[A-Za-z][\w-]{1,60})(?:\[[\w,]{1,40}\])?\s?(?P<sign>==|>=)\s?(?P<value>[0-9]{1,4}"
    r"(?:\.[0-9]{1,6})?)(?![\w.])"
)
_SAID_UNIT = re.compile(
    r"(?:#|//|/\*|--)\s{0,4}(?:in )?(milliseconds?|ms|seconds?|minutes?|hours?|days?|bytes?|[KMG]i?B)\b", re.IGNORECASE
)
_GO_UNITS = {
    "Nanosecond": "ns",
    "Microsecond": "us",
    "Millisecond": "ms",
    "Second": "s",
    "Minute": "minute",
    "Hour": "hour",
}
_SUFFIX_UNITS = {
    "ms": "ms", "s": "s", "m": "minute", "h": "hour", "ki": "kib", "mi": "mib", "gi": "gib",
    "Ki": "kib", "Mi": "mib", "Gi": "gib", "k": "", "g": "",
}  # fmt: skip
_COMMENT_START = re.compile(r"^\s{0,200}(?:#(?!define|include|if|endif|\[)|//|--\s|;|\*|/\*|<!--|\{#|%|\"\"\"|''')")
_TRAILING = re.compile(r"\s(?:#|//|--)\s.*$")
_TRIPLE = re.compile(r"\"\"\"|'''")


@dataclass(frozen=True, slots=True)
class Line:
    """A cited line: where it stands, and what of it is code and what comment."""

    excerpt: int
    offset: int
    number: int
    text: str
    code: str
    comment: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and the value that a line gives it."""

    name: str
    words: tuple[str, ...]
    value: Value
    line: Line
    shown: str
    least: bool = False
    """Whether the value is a lower bound."""


def lines_of(excerpts: tuple[Excerpt, ...]) -> list[Line]:
    """Give the lines of the excerpts, comments and docstrings told apart from code."""
    found: list[Line] = []
    for index, excerpt in enumerate(excerpts):
        block = ""
        for number, text in excerpt.lines:
            code, comment, block = _told_apart(text, block)
            found.append(Line(index, number - excerpt.start_line, number, text, code, comment))
    return found


def _told_apart(text: str, block: str) -> tuple[str, str, str]:
    """Give a line's code, its comment, and what ends the comment that goes on behind it."""
    if block:
        before, end, behind = text.partition(block)
        return (behind, before, "") if end else ("", text, block)
    stripped = text.strip()
    if stripped.startswith(("/*", "<!--")):
        end = "*/" if stripped.startswith("/*") else "-->"
        return "", text, "" if end in stripped[2:] else end
    if stripped.lstrip("rbfuRBFU").startswith(('"""', "'''")):
        marks = _TRIPLE.findall(stripped)
        return "", text, marks[0] if len(marks) == 1 else ""
    if _COMMENT_START.match(text):
        return "", text, ""
    trailing = _TRAILING.search(text) if len(text) <= _MAX_LINE else None
    return (text[: trailing.start()], trailing[0], "") if trailing else (text, "", "")


def facts_of(lines: list[Line]) -> list[Fact]:
    """Give the facts of the code lines, in order."""
    return [fact for line in lines if line.code.strip() and len(line.text) <= _MAX_LINE for fact in _facts_in(line)]


def _facts_in(line: Line) -> Iterator[Fact]:
    seen: set[tuple[str, str]] = set()
    for pattern in (_CALL, _DURATION, _ASSIGNED, _TYPED, _DEFINED, _LOOKUP, _DIRECTIVE, _PIN):
        for match in pattern.finditer(line.code):
            fact = _fact(line, match)
            if fact is not None and (fact.name, fact.value.shown) not in seen:
                seen.add((fact.name, fact.value.shown))
                yield fact


def _fact(line: Line, match: re.Match[str]) -> Fact | None:
    groups = match.groupdict()
    name, written = groups["name"].strip(".-"), groups["value"]
    value = _value(name, written, groups, line.comment)
    if value is None or not name or name in ("default", "const", "return", "case", "else"):
        return None
    return Fact(name, name_words(name), value, line, match[0].strip(), least=groups.get("sign") == ">=")


def _value(name: str, written: str, groups: dict[str, str | None], comment: str) -> Value | None:
    if written[0] in "\"'`":
        return Value("text", (), written[1:-1])
    if written.lower() in ("true", "false"):
        return Value("truth", (float(written.lower() == "true"),), written)
    if written.startswith("-"):  # it stands for "none" or "no limit" more often than for a number
        return None
    amount = amount_of(written)
    return None if amount is None else with_unit(amount, _unit(name, groups, comment), written)


def _unit(name: str, groups: dict[str, str | None], comment: str) -> str:
    given = groups.get("unit") or groups.get("from")
    if given:
        return "minutes" if given == "mins" else given
    suffix = (groups.get("suffix") or "").strip()
    if "time." in suffix:
        return _GO_UNITS.get(suffix.rpartition(".")[2], "")
    if suffix:
        is_size = bool({"size", "memory", "buffer", "body", "storage"} & set(re.split(r"[_\W]", name.lower())))
        return {"m": "mib", "k": "kib", "g": "gib"}.get(suffix, "") if is_size else _SUFFIX_UNITS.get(suffix, suffix)
    said = _SAID_UNIT.match(comment.strip()) if comment else None
    pieces = tuple(piece.lower() for piece in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name))
    return said[1] if said else unit_of_name(pieces)
