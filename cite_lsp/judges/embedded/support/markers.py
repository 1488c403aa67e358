"""Requirements that hold on some systems or interpreters only: `colorama; platform_system == "Windows"`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.words import stem
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.lines.reading import Reading, flat

_MARKED = re.compile(
    r"(?:^|[\"'])\s{0,40}(?P<name>[A-Za-z][\w.-]{0,60})"
    r"(?:\[[\w, -]{1,60}\])?[\s\w.<>=!~,*]{0,60};\s?(?P<marker>[^\n]{3,120})"
)
_TEST = re.compile(
    r"(?P<of>python_version|python_full_version|platform_system|sys_platform|os_name"
    r"|(?:platform_python_)?implementation(?:_name)?)\s?(?P<sign>[<>]=?|==|!=)\s?[\"'](?P<value>[\w.]{1,20})[\"']"
)
_AND = re.compile(r"\s(?:and|or)\s|;")
_NAMES_OF = {"win32": "windows", "nt": "windows", "darwin": "macos"}
_BELOW = r"(?:older|lower|earlier|less) than|below|before|under|up to but not including|prior to"
_FROM = r"at least|from|since|starting (?:with|at|from)"
_UP = r"(?: or | and |, )(?:newer|later|above|higher|up|upwards?)|\+"
_OTHER = re.compile(
    r"\b(?:other than|except(?: on| for)?|apart from|besides|but not|not on|outside(?: of)?|any\w* but|all but)\b"
    r"[^,;.]{0,20}$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|without|unless|none|nor|neither)\b|n['’]t\b", re.IGNORECASE)
_SAYS_IT = frozenset(
    map(
        stem,
        """require need install depend dependency dependencies get ask want pull bring add use only platform platforms
        system systems interpreter interpreters project package packages itself python version versions list runtime
        single entry apply applies declare older newer lower earlier later below other than except extra no""".split(),
    )
)
"""What a sentence may say of a requirement beside its name and where it holds."""


@dataclass(frozen=True, slots=True)
class _Marked:
    name: str
    of: str
    sign: str
    value: str
    line: Line
    shown: str


def marked(clause: Clause, reading: Reading) -> tuple[Line, str] | None:
    """Give the line and the text of the requirement that says a clause: of what, and where it holds; else None."""
    for each in _marks(reading):
        if _names(clause, each) and _holds(clause.text, each) and not _rest(clause, each) - reading.words:
            return each.line, each.shown
    return None


def marked_otherwise(clause: Clause, reading: Reading) -> str:
    """Say which requirement that a clause names holds elsewhere than it says, as far as can be told; "" for none."""
    marks = [each for each in _marks(reading) if _names(clause, each)]
    if not marks or any(_holds(clause.text, each) for each in marks):
        return ""
    other = next((each for each in marks if _limit_in(clause.text, each)), None)
    return (
        "" if other is None else f"line {other.line.number} says {other.shown}, and whether that is so cannot be named"
    )


def _names(clause: Clause, each: _Marked) -> bool:
    return flat(each.name) in flat(clause.text)


def _limit_in(text: str, each: _Marked) -> bool:
    return bool(re.search(rf"(?<![\w.]){re.escape(each.value)}(?![\w])", text, re.IGNORECASE))


def _marks(reading: Reading) -> Iterator[_Marked]:
    for line in reading.lines:
        for match in _MARKED.finditer(line.text[:600]) if ";" in line.text and _TEST.search(line.text[:600]) else ():
            test = _TEST.search(match["marker"])
            if test is not None and not _AND.search(match["marker"]):
                value = _NAMES_OF.get(test["value"].lower(), test["value"].lower())
                yield _Marked(match["name"], test["of"], test["sign"], value, line, match[0].strip(" \"'"))


def _holds(text: str, each: _Marked) -> bool:
    """Whether a claim has the same limit on the same side."""
    value = re.escape(each.value)
    if "version" in each.of:
        below = re.search(rf"\b(?:{_BELOW})\s(?:python\s)?{value}(?![\w]|\.[0-9])", text, re.IGNORECASE)
        above = re.search(
            rf"\b(?:{_FROM})\s(?:python\s)?{value}(?![\w]|\.[0-9])|\b{value}(?:{_UP})", text, re.IGNORECASE
        )
        return not _NOT.search(text) and bool(below if each.sign == "<" else above if each.sign == ">=" else None)
    spoken = re.search(rf"(?<![\w.]){value}(?![\w])", text, re.IGNORECASE)
    if spoken is None or _NOT.search(text) or each.sign not in ("==", "!="):
        return False
    return bool(_OTHER.search(text[: spoken.start()])) == (each.sign == "!=")


def _rest(clause: Clause, each: _Marked) -> frozenset[str]:
    """Give what a clause says beside the name, the limit and that it is required."""
    own = Clause(f"`{each.name}` {each.value}").stems | {stem(each.name.lower()), stem(each.value)}
    return frozenset(map(stem, clause.content)) - own - _SAYS_IT
