"""Versions that are required: the claim draws the line elsewhere than the cited requirement does."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cite_lsp.judges.embedded.beside.spoken import spoken
from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.terms import pieces
from cite_lsp.judges.embedded.conflicts.conflict import Conflict
from cite_lsp.judges.embedded.lines.facts import Line, as_written
from cite_lsp.judges.embedded.lines.reading import Reading

Version = tuple[int, ...]
_NUMBER = r"[0-9]{1,4}(?:\.[0-9]{1,5}){0,3}"
_VERSION = re.compile(rf"(?<![\w.$/#])v?(?P<number>{_NUMBER})(?P<any>\.x|\.\*)?(?![\w]|\.[0-9])")
_BOUNDS = re.compile(rf"(?P<sign>>=|<=|==|!=|~=|=|\^|~|>|<)?\s{{0,2}}v?(?P<number>{_NUMBER})(?P<any>\.x|\.\*)?")
_SPEC = (
    rf"(?:(?:>=|<=|==|!=|~=|=|\^|~|>|<)?\s{{0,2}}v?{_NUMBER}(?:\.x|\.\*)?(?:\s{{0,2}},\s{{0,2}}|\s(?=[<>=!]))?){{1,5}}"
)
_LISTED = re.compile(
    rf"[\"'](?P<name>[A-Za-z@][\w./@-]{{1,60}}?)(?:\[[\w,-]{{1,40}}\])?\s?(?P<spec>(?=[<>=~!]){_SPEC})(?=\s{{0,3}}[\"';])"
)
_KEYED = re.compile(
    rf"^\s{{0,40}}[\"']?(?P<name>[A-Za-z@][\w./@-]{{1,60}})[\"']?\s?[:=]\s?(?:\{{\s?version\s?=\s?)?[\"'](?P<spec>{_SPEC})[\"']"
)
_SET = re.compile(rf"^\s{{0,40}}(?P<name>[A-Za-z][\w.-]{{1,60}})\s?=\s?(?P<spec>(?=[<>=~!^]){_SPEC})\s{{0,3}}(?:;|#|$)")
_IN_LINE = re.compile(
    rf"^\s{{0,40}}(?P<name>[A-Za-z][\w.-]{{1,60}})(?:\[[\w,-]{{1,40}}\])?\s?(?P<spec>(?=[<>=~!][=]?){_SPEC})\s{{0,3}}(?:;|#|$)"
)
_TAGGED = re.compile(
    rf"(?:\bimage:\s?|^\s{{0,8}}FROM\s|\buses:\s?)[\"']?(?:[\w.-]{{1,60}}/){{0,4}}"
    rf"(?P<name>[\w-]{{2,60}})[:@]v?(?P<spec>{_NUMBER})(?![\w.])"
)
_SAID = re.compile(
    rf"(?P<name>[A-Za-z][\w.+-]{{1,40}})[`\"']?\s(?:\(\s?)?(?:version\s|v)?(?P<sign>>=|≥)?\s?(?P<number>{_NUMBER})"
    r"(?P<up>\+|\s?(?:\+|(?:or|and) (?:newer|later|up|above|higher|greater|upwards?)))?",
    re.IGNORECASE,
)
_NAMES_OF = {
    "requires-python": "python", "python_requires": "python", "rust-version": "rust", "engines": "node",
    "minimum_node_version": "node",
}  # fmt: skip
_FLOOR = re.compile(
    r"\b(?:at least|minimum|min|floor|oldest|lowest|no older than|not older than|lower bound"
    r"|starting (?:with|from|at))\b"
    r"|\b(?:or|and) (?:newer|later|higher|above|up|upwards?|greater|more recent)\b|\bonwards?\b|\bupwards\b"
    r"|[0-9]\+|>=|≥",
    re.IGNORECASE,
)
_CEILING = re.compile(
    r"\bat most\b|\bno (?:newer|later|higher) than\b|\bup to\b|\b(?:or|and) (?:older|earlier|lower|below)\b"
    r"|\b(?:newest|latest|highest)\b[^.;]{0,40}\b(?:supported|allowed|accepted)\b",
    re.IGNORECASE,
)
_PINNED = re.compile(r"\b(?:pinned|pins|pin|exactly|exact version|locked|locks|fixed (?:to|at))\b", re.IGNORECASE)
_OUT = re.compile(
    r"\b(?:shuts? out|excludes?|excluded|rules? out|ruled out|rejects?|forbids?|forbidden|disallow\w*|keeps? out|bars"
    r"|barred|blocks?|incompatible with|not (?:allow\w*|accept\w*|admit\w*|permit\w*)"
    r"|does ?n[o']t (?:allow|accept|admit|permit))\b",
    re.IGNORECASE,
)
_IN = re.compile(
    r"\b(?:admits?|allows?|accepts?|permits?|allowed|accepted|admitted|permitted|lets? in)\b", re.IGNORECASE
)
_UNSURE = re.compile(
    r"\b(?:used to|formerly|previously|was|were|once|if|unless|between|from [0-9.]+ to|changed|raised|bumped|dropped"
    r"|only|or (?=[0-9]))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a line requires: of what, which versions, and as it is written."""

    name: str
    bounds: tuple[tuple[str, Version], ...]
    line: Line
    shown: str

    @property
    def least(self) -> Version | None:
        """The lowest version that is let in."""
        found = [version for sign, version in self.bounds if sign in (">=", "^", "~", "~=")]
        return max(found) if found else None

    @property
    def exact(self) -> Version | None:
        """The only version that is let in."""
        return self.bounds[0][1] if len(self.bounds) == 1 and self.bounds[0][0] in ("", "==", "=") else None

    def admits(self, major: Version) -> bool | None:
        """Say whether versions that begin so are let in; None where that cannot be said."""
        verdict: bool | None = None
        for sign, version in self.bounds:
            begins, short = version[: len(major)], version + (0,) * len(major)
            if (
                sign in ("<", "<=")
                and short[: len(major)] <= major
                and (begins < major or (sign == "<" and not any(version[len(major) :])))
            ):
                return False
            if sign in (">=", ">", "~=", "^", "~", "", "==", "=") and begins > major:
                return False
            if sign in ("^", "~", "~=", "", "==", "=") and begins != major and version[:1] != major[:1]:
                return False
            if sign == "!=" or sign in ("^", "~", "~=", "", "==", "=", ">"):
                return verdict if verdict is False else None
            verdict = True
        return verdict


def version_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """Another floor, pin or range of versions than the one that the lines require."""
    said = list(_VERSION.finditer(clause.text))
    if len(said) != 1 or (clause.negated and not _OUT.search(clause.text)) or _UNSURE.search(clause.without_default):
        return None
    claimed, text = _parts(said[0]["number"]), clause.text
    required = [each for each in requirements_of(reading) if _speaks_of(clause, each)]
    if len({each.bounds for each in required}) != 1:
        return None
    against = required[0]
    turned = _turned(text, claimed, against, any_of=bool(said[0]["any"]))
    bounded = not said[0]["any"] and not turned.startswith(("exactly", "at most"))
    if not turned or (bounded and _stands(claimed, reading)):
        return None
    return Conflict(f"the claim says {turned}, line {against.line.number} says {against.shown}", [against.line], clause)


def meets(clause: Clause, reading: Reading) -> Requirement | None:
    """Give the requirement that draws the line where a clause does."""
    said, text = list(_VERSION.finditer(clause.text)), clause.text
    if len(said) != 1 or said[0]["any"] or clause.negated or _UNSURE.search(clause.without_default):
        return None
    claimed = _parts(said[0]["number"])
    required = [each for each in requirements_of(reading) if _speaks_of(clause, each)]
    if len({each.bounds for each in required}) != 1 or _OUT.search(text) or _CEILING.search(text):
        return None
    least, exact = required[0].least, required[0].exact
    if _FLOOR.search(text):
        held = claimed == least and [sign for sign, _ in required[0].bounds] == [">="]
    else:
        held = bool(_PINNED.search(text)) and exact is not None and claimed == exact
    return required[0] if held else None


def _stands(claimed: Version, reading: Reading) -> bool:
    """Whether the lines have the claimed version, for whatever."""
    found = (match for line in reading.lines for match in _VERSION.finditer(line.text[:600]))
    return any(_parts(match["number"]) == claimed for match in found)


def _turned(text: str, claimed: Version, required: Requirement, *, any_of: bool) -> str:
    """Give what a claim says of a version that the requirement does not, or ""."""
    shown = ".".join(map(str, claimed))
    if _OUT.search(text):
        return f"{shown} is shut out" if required.admits(claimed) else ""
    if _CEILING.search(text):
        bounded = any(sign in ("<", "<=") for sign, _ in required.bounds) or required.least is None
        return "" if bounded or not _begins(claimed, required.least or ()) else f"at most {shown}"
    if _FLOOR.search(text):
        least = required.least or required.exact
        return f"{shown} or newer" if least is not None and not _begins(claimed, least) else ""
    if _PINNED.search(text):
        if required.exact is None:
            return f"exactly {shown}" if required.bounds else ""
        return "" if _begins(claimed, required.exact) else f"exactly {shown}"
    if required.exact is not None and required.bounds[0][0] in ("", "==") and _names_version(text, required.name):
        return "" if _begins(claimed, required.exact) else f"version {shown}"
    if any_of and _IN.search(text):
        return f"{shown} is let in" if required.admits(claimed) is False else ""
    return ""


def _names_version(text: str, name: str) -> bool:
    """Whether a version stands right behind a name, or before "of" it."""
    last = re.escape(name.rpartition("/")[2])
    behind = rf"\b{last}(?:ql)?`?\s(?:at )?(?:version\s|v)?[0-9]"
    return bool(re.search(rf"{behind}|\bversion\s[0-9.]+\sof\s(?:the\s)?`?{last}\b", text, re.IGNORECASE))


def _begins(claimed: Version, required: Version) -> bool:
    """Whether two versions are the same as far as both are told, zeros at the end aside."""
    length = max(len(claimed), 1)
    padded = (*claimed, *(0 for _ in range(max(0, len(required) - len(claimed)))))
    return claimed == (*required, 0, 0, 0)[:length] or padded == required


def _speaks_of(clause: Clause, required: Requirement) -> bool:
    words = pieces(_NAMES_OF.get(required.name.lower(), required.name))
    speaks = spoken(clause)
    return bool(words) and all(
        piece in speaks.words or f"{piece}ql" in clause.text.lower() for piece in words if not piece.isdigit()
    )


def requirements_of(reading: Reading) -> Iterator[Requirement]:
    """Give what the lines require."""
    for line in reading.lines:
        text = line.text[:600]
        if not any(character.isdigit() for character in text):
            continue
        for pattern in (_LISTED, _KEYED, _IN_LINE, _SET, _TAGGED):
            for match in pattern.finditer(text):
                yield Requirement(match["name"], _bounds(match["spec"]), line, as_written(match))
        for match in _SAID.finditer(text):
            if match["sign"] or match["up"]:
                yield Requirement(match["name"], ((">=", _parts(match["number"])),), line, match[0].strip())


def _bounds(spec: str) -> tuple[tuple[str, Version], ...]:
    return tuple((match["sign"] or "", _parts(match["number"])) for match in _BOUNDS.finditer(spec))


def _parts(number: str) -> Version:
    return tuple(map(int, number.split(".")))
