"""The citation that is being typed at a place: how much of its path is there, or that its lines are what comes next.

What stands before the place decides; what is behind it only says how far the word goes on. A place inside an address,
a comment or an instruction to a book builder has none, and in running text a word is no path before it looks like one.
"""

import re
from dataclasses import dataclass
from typing import Literal

from cite_lsp.document.inline import lex
from cite_lsp.document.path_token import Grammar, clean_path, path_ahead, path_start
from cite_lsp.document.pieces import SILENT, Block

Where = Literal["code", "target", "bracket", "text"]
"""In a code span, in the target of a link, directly behind an opening bracket, in running text."""

_LONGEST = 1024
"""Code points of a line before the place that are looked at."""

_RUN = re.compile(r"`+")
_TARGET = re.compile(r"\]\((?:<([^<>\n]*)|([^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))\Z")
_DEFINITION = re.compile(r"(?:[ \t]{0,3}>[ \t]?)*[ \t]{0,3}\[(?!\^)[^\]\n]+\]:[ \t]*<?([^\s<>]*)\Z")
_CODE_WORD = re.compile(r"[^\s=,;&\"'|<>{}`]*\Z")
_OF_A_WORD = re.compile(r"(?:[A-Za-z0-9_]|!(?=\[)|\])[(\[]\Z")
"""A bracket that belongs to what stands before it: a call, an index, an image, a link."""

_TASK_BOX = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[\Z")
_DEFINES = re.compile(r"[ \t>]*\[\Z")
_ANY_ADDRESS = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]+:(?://|\Z)|(?:mailto|tel|data):")
_ITEMS = r"(?:[L~]{0,2}[0-9]{1,9}(?:[-–][L~]{0,2}[0-9]{1,9})?[,;/&][ ]?)*"
_LINES = re.compile(rf"{_ITEMS}(?:L?~?(?P<after>[0-9]{{1,9}})[-–]L?)?L?(?P<typed>[0-9]{{0,9}}|[^\W\d][\w$.]*)\Z")
_LINES_GO_ON = re.compile(r"[\w$]*(?:[-–]L?[0-9]+)?")
_CODE_GOES_ON = re.compile(r"[^\s=,;&\"'|<>{}`:#()]*")
_TARGET_GOES_ON = re.compile(r"[^\s()<>:#?]*")


@dataclass(frozen=True, slots=True)
class UnfinishedPath:
    """A path of which a part is typed; offsets are code points into the block's text.

    Attributes:
        typed: What stands there, as written.
        where: What it stands in.
        angled: Whether the link's target stands in `<…>`, in which there may be spaces.
        start: Where it begins.
        end: Where it is being typed.
        goes_on: Where the path ends that is there already, `end` or behind it.
    """

    typed: str
    where: Where
    angled: bool
    start: int
    end: int
    goes_on: int


@dataclass(frozen=True, slots=True)
class UnfinishedLines:
    """The lines of a citation whose path is there.

    Attributes:
        path: As `Anchor.path`.
        typed: What stands there of a number, or of a name in the file.
        after: The first line of a range whose last is being typed; 0 for none.
        letter: Whether numbers are written with an L: behind `#`.
        marked: Whether the first L stands there.
        where: What it stands in.
        start, end, goes_on: As of a path.
    """

    path: str
    typed: str
    after: int
    letter: bool
    marked: bool
    where: Where
    start: int
    end: int
    goes_on: int


Unfinished = UnfinishedPath | UnfinishedLines


def unfinished_at(block: Block, position: int, grammar: Grammar, *, in_fences: bool = False) -> Unfinished | None:
    """Give what is being typed at a position of a block; None where no citation may stand.

    `in_fences`: those in fences and in indented code are read, too.
    """
    text = block.text
    in_code = in_fences and block.kind in ("fence", "code")
    if (block.kind in SILENT and not in_code) or not 0 <= position <= len(text):
        return None
    line = text.rfind("\n", 0, position) + 1
    if position - line > 4 * _LONGEST:
        return None
    if in_code:
        return _at(text, position, line, "text", grammar, angled=False)
    if _is_commented(text, position):
        return None
    found = _surroundings(text, position, line)
    if found is None:
        return None
    low, where, angled = found
    return _at(text, position, low, where, grammar, angled=angled) or (
        _continued(block, text, position, low) if where == "code" else None
    )


def _is_commented(text: str, position: int) -> bool:
    return any(
        text.rfind(opener, 0, position) > text.rfind(closer, 0, position)
        for opener, closer in (("<!--", "-->"), ("{{#", "}}"))
    )


def _surroundings(text: str, position: int, line: int) -> tuple[int, Where, bool] | None:
    """Give from where on the path may begin, what it stands in, and whether that is `<…>`; None where there is none."""
    before = text[:position]
    inline = lex(before)
    if any(start <= position <= end for start, end in inline.addresses):
        return None
    last = inline.codes[-1].end if inline.codes else 0
    runs = [run for run in _RUN.finditer(before, last) if not _is_escaped(before, run.start())]
    opener = runs[-1] if runs else None
    if opener is not None and opener.start() >= line:  # one that a line above leaves open is mostly a stray
        if position == opener.end() and (len(opener.group()) > 1 or text[line : opener.start()].endswith("`")):
            return None  # a fence is being opened
        return opener.end(), "code", False
    target = _TARGET.search(before, max(last, line)) or _DEFINITION.match(before[line:])
    if target is not None:
        number = next(number for number in range(target.re.groups, 0, -1) if target.group(number) is not None)
        start = target.start(number) + (0 if target.re is _TARGET else line)
        if _ANY_ADDRESS.match(target.group(number)):
            return None
        return start, "target", before[start - 1 : start] == "<"
    return max(last, line), "text", False


def _is_escaped(text: str, position: int) -> bool:
    return (position - len(text[:position].rstrip("\\"))) % 2 == 1


def _at(text: str, position: int, low: int, where: Where, grammar: Grammar, *, angled: bool) -> Unfinished | None:
    return _lines_at(text, position, low, where, grammar) or _path_at(text, position, low, where, angled=angled)


# --- lines


def _lines_at(text: str, position: int, low: int, where: Where, grammar: Grammar) -> UnfinishedLines | None:
    sign = max(text.rfind(":", low, position), text.rfind("#", low, position))
    if sign < 0 or position - sign > 200:
        return None
    lines = _LINES.match(text, sign + 1, position)
    if lines is None or lines.end() != position:
        return None
    if where != "code" and text[lines.start("typed") - 1] == " ":
        return None  # the sentence goes on behind a comma, and a number there is no line
    path = _path_before(text, sign, low, where, grammar)
    if path is None:
        return None
    return _lines(text, path, lines, position, where)


def _path_before(text: str, sign: int, low: int, where: Where, grammar: Grammar) -> str | None:
    """Give the path that ends at a sign, if it counts."""
    accepts = grammar.acceptance
    if where == "target":
        path = clean_path(text[low:sign], escaped=True, percent=True)
        return path if accepts.accepts(path) else None
    if where == "code":
        whole = clean_path(text[low:sign].strip(), escaped=False, percent=False)
        if " " in whole and accepts.knows(whole):
            return whole
    start = path_start(text, low, sign)
    if start is None:
        return None
    path = clean_path(text[start:sign], escaped=where != "code", percent=False)
    return path if accepts.accepts(path) else None


def _continued(block: Block, text: str, position: int, low: int) -> UnfinishedLines | None:
    """Give the lines behind a bare colon in a code span: they are of the path that was cited before."""
    if not text.startswith(":", low):
        return None
    before = [anchor for anchor in block.anchors if anchor.end <= low and not anchor.repository]
    lines = _LINES.match(text, low + 1, position)
    if not before or lines is None or lines.end() != position:
        return None
    return _lines(text, before[-1].path, lines, position, "code")


def _lines(text: str, path: str, lines: "re.Match[str]", position: int, where: Where) -> UnfinishedLines:
    sign = lines.start() - 1
    start = lines.start("typed")
    marked = text[start - 1] in "lL" and start - 1 > sign
    goes_on = _LINES_GO_ON.match(text, position)
    return UnfinishedLines(
        path,
        lines.group("typed"),
        int(lines.group("after") or 0),
        text[sign] == "#" or marked,
        marked,
        where,
        start,
        position,
        goes_on.end() if goes_on is not None else position,
    )


# --- paths


def _path_at(text: str, position: int, low: int, where: Where, *, angled: bool) -> UnfinishedPath | None:
    if where == "code":
        word = _CODE_WORD.search(text, max(low, position - _LONGEST), position)
        start = word.start() if word is not None else position
        ahead = _CODE_GOES_ON.match(text, position)
    elif where == "target":
        start, ahead = low, _TARGET_GOES_ON.match(text, position)
        if start == position and text.startswith(":", start - 1):
            return None  # a definition goes on behind a blank, and "[Note]:" is mostly none
    else:
        return _path_in_text(text, position, low)
    typed = text[start:position]
    if typed.startswith("-") or ":" in typed or "#" in typed or "?" in typed:
        return None
    return UnfinishedPath(typed, where, angled, start, position, ahead.end() if ahead is not None else position)


def _path_in_text(text: str, position: int, low: int) -> UnfinishedPath | None:
    """Give the path in running text; nothing but a bracket there makes a place for one that is not begun."""
    start = path_start(text, low, position)
    if start is None:
        if position > low and text[position - 1] == ":":
            return None
        start = position
    line = text.rfind("\n", 0, start) + 1
    before = text[line:start]
    bracketed = before.endswith(("(", "[")) and not _TASK_BOX.match(before) and not _OF_A_WORD.search(before[-2:])
    if start == position and (not bracketed or _DEFINES.match(before)):
        return None
    end = path_ahead(text, position, len(text))
    where: Where = "bracket" if bracketed else "text"
    return UnfinishedPath(text[start:position], where, False, start, position, end)
