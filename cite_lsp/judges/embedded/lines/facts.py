"""What cited lines say by text rules: which name has which value, and which lines are comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from cite_lsp.judges.embedded.claim.values import ARITHMETIC, NUMBER, Value, amount_of, unit_of_name, with_unit
from cite_lsp.judges.embedded.claim.words import name_words
from cite_lsp.judges.embedded.lexicon.code_signs import LETTERS
from cite_lsp.snapshot.excerpt import Excerpt

_MAX_LINE = 600
_TEXT = r"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|`[^`\n]{0,200}`"
_VALUE = rf"(?P<value>-?{ARITHMETIC}|true|false|True|False|TRUE|FALSE|{_TEXT})"
_SUFFIX = (
    r"(?P<suffix>\s{0,2}\*\s{0,2}time\.[A-Z][a-z]{2,12}|(?:ms|s|m|h|k|g|[KMGkmg]i|u64|u32|usize|f64|[kKMG]i?B|L|u"
    r"|px|%|_[ui](?:32|64))(?![\w]))?"
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
_EXPANDED = re.compile(rf"\$\{{(?P<name>[A-Za-z_]\w{{0,80}}):?[-=](?P<value>{NUMBER})\}}")
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
_MADE = re.compile(
    rf"{_NAME}\s{{0,4}}:?=\s{{0,4}}(?:new\s|await\s)?(?:\w{{1,60}}(?:\.|::)){{0,4}}(?P<by>\w{{1,60}})\(\s?(?:\{{\s?)?(?:\w{{0,20}}(?:[mM]ax|[sS]ize|[cC]apacity|[lL]imit|ttl)\w{{0,20}}\s?[:=]\s?)?(?P<value>{ARITHMETIC})\s?\}}?\s?\){_END}"
)
_RETURNED = re.compile(rf"^\s{{0,80}}(?P<name>return|exit)\s(?P<value>{NUMBER})\s?;?\s?$")
_CALLED = re.compile(
    rf"(?<![\w])(?P<name>sleep|exit|abort|status|sendStatus|writeHead|set_status)\(\s?(?P<value>{NUMBER})\s?\)"
)
_TICKED = re.compile(r"`([^`\n]{3,120})`")
_STORED = re.compile(r"\baction\s?=\s?[\"']store_(?P<value>true|false)[\"']")
_DEFAULT = re.compile(rf"\bdefault\s?[=:]\s{{0,4}}{_VALUE}{_SUFFIX}{_END}")
_OPTION = re.compile(r"[\"'](-{0,2}[A-Za-z][\w-]{2,60})[\"'](?=\s{0,4}[,\])])")
"""The name of an option, as a text of its own."""
_OF_BYTES = re.compile(r"\*\s{0,3}1024\b|<<\s{0,3}[123]0\b")
_MOST_ABOVE = 8
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
TRIPLE_QUOTES = re.compile(r"\"\"\"|'''")


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


def indent_of(text: str) -> int:
    """Give how many blanks and tabs a line begins with."""
    return len(text) - len(text.lstrip(" \t"))


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
        marks = TRIPLE_QUOTES.findall(stripped)
        return "", text, marks[0] if len(marks) == 1 else ""
    if _COMMENT_START.match(text):
        return "", text, ""
    trailing = _TRAILING.search(text) if len(text) <= _MAX_LINE else None
    return (text[: trailing.start()], trailing[0], "") if trailing else (text, "", "")


def facts_of(lines: list[Line]) -> list[Fact]:
    """Give the facts of the code lines, in order, and behind them those of options that a call declares."""
    code = [line for line in lines if line.code.strip() and len(line.text) <= _MAX_LINE]
    return [*(fact for line in code for fact in _facts_in(line)), *_declared(code)]


def facts_in_ticks(lines: list[Line]) -> list[Fact]:
    """Give the facts that sentences write as code: "Packer uses `use_bin_type=True` by default"."""
    spans = (
        replace(line, code=code)
        for line in lines
        if "`" in line.text
        for code in _TICKED.findall(line.text[:_MAX_LINE])
    )
    return [fact for span in spans for fact in _facts_in(span)]


def made_with_numbers(code: list[Line]) -> list[Fact]:
    """Give what is made, called or returned with nothing but a number: `self.cache = Fifo(100)`, `sleep(5)`."""
    found: list[Fact] = []
    for line in code:
        text = line.code[:_MAX_LINE]
        for match in filter(None, (_MADE.search(text), _RETURNED.search(text), *_CALLED.finditer(text))):
            amount = amount_of(match["value"])
            if amount is not None:
                by = match.groupdict().get("by") or match["name"]
                value = with_unit(amount, _unit(by, {}, line.comment), match["value"])
                found.append(Fact(match["name"], name_words(f"{by}_{match['name']}"), value, line, match[0].strip()))
    return found


def _declared(code: list[Line]) -> Iterator[Fact]:
    """Give the defaults of what calls declare: `add_argument("--jobs", default=4)`, whatever lines they stand on."""
    for at, line in enumerate(code):
        default = _DEFAULT.search(line.code) if "default" in line.code else None
        stored = _STORED.search(line.code) if default is None and "store_" in line.code else None
        match = default or stored
        if match is None:
            continue
        above = "\n".join(each.code for each in code[max(0, at - _MOST_ABOVE) : at])
        call = _call_around(f"{above}\n{line.code[: match.start()]}")
        names = [name.lstrip("-") for name in _OPTION.findall(call)]
        fact = _fact(line, match, max(names[:2], key=len)) if names else None
        if fact is not None:
            off = Value("truth", (1.0 - fact.value.amounts[0],), fact.value.shown) if stored is not None else fact.value
            yield replace(fact, shown=f"{match[0].strip()} for {fact.name}", value=off)


def _call_around(text: str) -> str:
    """Give what stands between the bracket that is open at the end of a text and that end."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in ")]}") - (text[at] in "([{")
        if depth < 0:
            return text[at:] if text[at] == "(" else ""
    return ""


def _facts_in(line: Line) -> Iterator[Fact]:
    seen: set[tuple[str, str]] = set()
    for pattern in (_CALL, _DURATION, _ASSIGNED, _TYPED, _DEFINED, _LOOKUP, _EXPANDED, _DIRECTIVE, _PIN):
        for match in pattern.finditer(line.code):
            fact = _fact(line, match)
            if fact is not None and (fact.name, fact.value.shown) not in seen:
                seen.add((fact.name, fact.value.shown))
                yield fact


def _fact(line: Line, match: re.Match[str], name: str = "") -> Fact | None:
    groups = match.groupdict()
    name, written = name or groups["name"].strip(".-"), groups["value"]
    if match.re is _LOOKUP and written[1:-1].isdigit():
        written = written[1:-1]  # an environment has only texts
    value = _value(name, written, groups, line.comment)
    if value is None or not name or name in ("default", "const", "return", "case", "else"):
        return None
    return Fact(name, name_words(name), value, line, as_written(match), least=groups.get("sign") == ">=")


def as_written(match: re.Match[str]) -> str:
    """Give what was found as it is shown: without a quote that is opened in it and not closed."""
    text = match[0].strip()
    return text[1:] if text[:1] in ("'", '"') and text.count(text[0]) % 2 else text


def _value(name: str, written: str, groups: dict[str, str | None], comment: str) -> Value | None:
    if written[0] in "\"'`":
        return Value("text", (), written[1:-1])
    if written.lower() in ("true", "false"):
        return Value("truth", (float(written.lower() == "true"),), written)
    if written.startswith("-"):  # it stands for "none" or "no limit" more often than for a number
        return None
    amount = amount_of(written)
    if amount is None:
        return None
    unit = _unit(name, groups, comment)
    return with_unit(amount, unit or ("bytes" if _OF_BYTES.search(written) else ""), written)


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
    pieces = tuple(piece.lower() for piece in LETTERS.findall(name))
    return said[1] if said else unit_of_name(pieces)
