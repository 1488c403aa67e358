"""Ignore comments: what an author wrote into a document to silence findings (findings.md, Switching off).

    <!-- cite-lsp: ignore moved, edited because the plan describes the old layout -->
    <!-- cite-lsp: ignore-file blank-line generated from a template -->

The codes are separated by commas; all that follows is the reason. MDX writes `{/* cite-lsp: … */}`,
reStructuredText `.. cite-lsp: …` and AsciiDoc `// cite-lsp: …`, the last two on a line of their own.
A comment beside text covers its own line; one that stands alone covers the next line that is neither blank nor
another such comment. A comment that names no code, or a name that is no code, silences nothing: it is never
taken as "everything".
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from cite_lsp.findings.catalogue import closest_codes, find_code
from cite_lsp.findings.finding import Edit, Finding, Fix, Level
from cite_lsp.findings.places import LINE_END, Places

MARK = "cite-lsp:"

_OPENING = re.compile(r"(<!--|\{/\*)[ \t]*cite-lsp:[ \t]*(ignore-file|ignore)(?![\w-])", re.ASCII)
_LINE_COMMENT = re.compile(
    r"(?:^|(?<=[\r\n]))[ \t]*((?:\.\.|//)[ \t]+cite-lsp:[ \t]*(ignore-file|ignore)(?![\w-]))[^\r\n]*", re.ASCII
)
_CLOSING = {"<!--": "-->", "{/*": "*/}"}
_NAME = re.compile(r"[ \t\r\n]*([A-Za-z][\w-]*(?::[\w.-]+/[\w.-]+)?)", re.ASCII)
_COMMA = re.compile(r"[ \t\r\n]*,", re.ASCII)
_SEPARATORS = " \t\r\n:-\u2013\u2014"
_BLANK = " \t"


@dataclass(frozen=True, slots=True)
class Ignore:
    """One ignore comment.

    `start` and `end` are the code-point offsets of the whole comment; `names` what it names, each with its
    offsets in `name_ranges`; `line` the 0-based line it ends on, `covered` the 0-based line it silences
    (None for one of the whole file, or when no line follows); `alone` whether its lines hold nothing else.
    """

    start: int
    end: int
    names: tuple[str, ...]
    name_ranges: tuple[tuple[int, int], ...]
    reason: str
    whole_file: bool
    line: int
    covered: int | None
    alone: bool


@dataclass(frozen=True, slots=True)
class Ignores:
    """The ignore comments of one document, in text order."""

    comments: tuple[Ignore, ...] = ()
    _by_line: Mapping[tuple[int, str], Ignore] = field(default_factory=dict, repr=False)
    _by_file: Mapping[str, Ignore] = field(default_factory=dict, repr=False)

    def covers(self, code: str, line0: int) -> Ignore | None:
        """The comment that silences a finding of `code` on the 0-based line; None when it is to be told."""
        return self._by_line.get((line0, code)) or self._by_file.get(code)


@dataclass(frozen=True, slots=True)
class _Found:
    """A comment's place in the text: all of it, the part after `ignore`, and the keyword."""

    start: int
    end: int
    body: int
    body_end: int
    whole_file: bool


def parse_ignores(text: str, excluded: Callable[[int], bool] | None = None) -> Ignores:
    """The ignore comments of a document's text; linear in the text, and one search when it has none.

    `excluded` says of a code-point offset whether it lies where comments are only shown (fenced and indented
    code, code spans); such comments do not count. One directly between two backticks never does.
    """
    if MARK not in text:
        return Ignores()
    found = [place for place in _places(text) if excluded is None or not excluded(place.start)]
    if not found:
        return Ignores()
    lines = _Lines(text, found)
    return _index(tuple(_ignore(text, place, lines) for place in found))


def _index(comments: tuple[Ignore, ...]) -> Ignores:
    by_line: dict[tuple[int, str], Ignore] = {}
    by_file: dict[str, Ignore] = {}
    for comment in comments:
        for name in comment.names:
            if find_code(name) is None:
                continue
            if comment.whole_file:
                by_file.setdefault(name, comment)
            elif comment.covered is not None:
                by_line.setdefault((comment.covered, name), comment)
    return Ignores(comments, by_line, by_file)


def _places(text: str) -> list[_Found]:
    block = list(_block_comments(text))
    starts = [place.start for place in block]
    line = []
    for match in _LINE_COMMENT.finditer(text):
        before = bisect_right(starts, match.start(1)) - 1
        if before >= 0 and match.start(1) < block[before].end:
            continue
        line.append(_Found(match.start(1), match.end(), match.end(1), match.end(), match[2] == "ignore-file"))
    return sorted((*block, *line), key=lambda place: place.start)


def _block_comments(text: str) -> Iterator[_Found]:
    position = 0
    unclosed: set[str] = set()
    while (match := _OPENING.search(text, position)) is not None:
        position = match.end()
        closing = _CLOSING[match[1]]
        # Once no closing mark is left, none is looked for again: the scan stays linear.
        end = -1 if closing in unclosed else text.find(closing, position)
        if end < 0:
            unclosed.add(closing)
            continue
        after = end + len(closing)
        if not (text[match.start() - 1 : match.start()] == "`" and text[after : after + 1] == "`"):
            yield _Found(match.start(), after, match.end(), end, match[2] == "ignore-file")
        position = after


def _ignore(text: str, place: _Found, lines: "_Lines") -> Ignore:
    names: list[str] = []
    ranges: list[tuple[int, int]] = []
    position = place.body
    while (match := _NAME.match(text, position, place.body_end)) is not None:
        names.append(match[1])
        ranges.append(match.span(1))
        position = match.end()
        comma = _COMMA.match(text, position, place.body_end)
        if comma is None:
            break
        position = comma.end()
    alone = lines.alone(place)
    last = lines.number(place.end - 1)
    covered = None
    if not place.whole_file:
        covered = lines.next_with_text(last) if alone else last
    reason = " ".join(text[position : place.body_end].strip(_SEPARATORS).split())
    return Ignore(place.start, place.end, tuple(names), tuple(ranges), reason, place.whole_file, last, covered, alone)


class _Lines:
    """The lines of a text, and which of them hold nothing but ignore comments."""

    def __init__(self, text: str, found: list[_Found]) -> None:
        self._places = Places(text)
        self._silent: set[int] = set()
        for place in found:
            if self.alone(place):
                self._silent.update(range(self.number(place.start), self.number(place.end - 1) + 1))
        self._next = self._next_lines()

    def number(self, offset: int) -> int:
        return self._places.line(offset)

    def alone(self, place: _Found) -> bool:
        start, end = self._places.start(self.number(place.start)), self._places.end(self.number(place.end - 1))
        text = self._places.text
        return not _text_between(text, start, place.start) and not _text_between(text, place.end, end)

    def next_with_text(self, line: int) -> int | None:
        return self._next[line + 1]

    def _next_lines(self) -> list[int | None]:
        """For each line, itself or the first one after it that is neither blank nor only ignore comments."""
        places = self._places
        following: list[int | None] = [None] * (places.line_count + 1)
        for line in range(places.line_count - 1, -1, -1):
            speaks = line not in self._silent and _text_between(places.text, places.start(line), places.end(line))
            following[line] = line if speaks else following[line + 1]
        return following


# A block quote's marker is no text of its own.
_TEXT = re.compile(r"[^ \t\r\n>]")


def _text_between(text: str, start: int, end: int) -> bool:
    return _TEXT.search(text, start, end) is not None


def ignore_findings(
    text: str,
    ignores: Ignores,
    used: Container[tuple[Ignore, str]],
    reported: Container[str],
    severity_of: Callable[[str], Level],
) -> tuple[Finding, ...]:
    """The findings `unused-ignore` and `ignore-without-reason` of a document.

    `used` holds each (comment, code) that silenced something; `reported` the codes that this run looked for:
    a comment for a code of a step that did not run is not called unused. `severity_of` gives a code's severity.
    """
    findings: list[Finding] = []
    for comment in ignores.comments:
        findings += _unused(text, comment, used, reported, severity_of("unused-ignore"))
        level = severity_of("ignore-without-reason")
        if comment.names and not comment.reason and level != "off":
            message = "this ignore comment does not say why; write the reason after the code"
            findings.append(Finding("ignore-without-reason", level, message, comment.start, comment.end))
    return tuple(findings)


def _unused(
    text: str,
    comment: Ignore,
    used: Container[tuple[Ignore, str]],
    reported: Container[str],
    level: Level,
) -> Iterator[Finding]:
    if level == "off":
        return
    if not comment.names:
        message = "this ignore comment names no code, so it silences nothing"
        yield Finding("unused-ignore", level, message, comment.start, comment.end, None, (_removal(text, comment),))
        return
    idle = [
        index
        for index, name in enumerate(comment.names)
        if find_code(name) is None or (name in reported and (comment, name) not in used)
    ]
    for index in idle:
        start, end = comment.name_ranges[index]
        fixes = (_removal(text, comment) if len(idle) == len(comment.names) else _shortened(comment, idle),)
        yield Finding("unused-ignore", level, _why_unused(comment.names[index]), start, end, None, fixes)


def _why_unused(name: str) -> str:
    if find_code(name) is not None:
        return f"there is no {name} here to ignore"
    close = closest_codes(name, 1)
    return f"{name} is no code" + (f"; did you mean {close[0]}?" if close else ", so nothing is silenced")


def _removal(text: str, comment: Ignore) -> Fix:
    """Take the comment out: with its line when it stands alone, else with the blanks before it."""
    start, end = comment.start, comment.end
    blank = _BLANK + ">" if comment.alone else _BLANK
    while start > 0 and text[start - 1] in blank:
        start -= 1
    if comment.alone:
        while end < len(text) and text[end] in _BLANK:
            end += 1
        line_end = LINE_END.match(text, end)
        end = line_end.end() if line_end else end
    return Fix("Remove this ignore comment", (Edit(start, end, ""),), preferred=True)


def _shortened(comment: Ignore, idle: Iterable[int]) -> Fix:
    """Leave only the codes that silence something."""
    drop = set(idle)
    kept = ", ".join(name for index, name in enumerate(comment.names) if index not in drop)
    start, end = comment.name_ranges[0][0], comment.name_ranges[-1][1]
    return Fix(f"Ignore {kept} only", (Edit(start, end, kept),), preferred=True)


_LINE_COMMENTED = frozenset({"rst", "adoc", "asciidoc"})
_LIST_MARK = re.compile(r"[ \t>]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)+(?:\[[ xX]\][ \t]+)?")
_HARD_BREAK = re.compile(r"[ \t]*\\?\Z")
_SHOWN_ONLY = frozenset({"fence", "code", "raw-html", "front-matter"})


def comment_for(code: str, path: str, kind: str, places: Places, offset: int) -> Edit | None:
    """Give the edit that silences a finding of `code` at `offset`, in the form that the document's kind has.

    `path` is the document's, `kind` that of the block. None where no comment can stand: in code, in the middle of a
    reStructuredText paragraph, and where the line ends within a code span.
    """
    if kind in _SHOWN_ONLY:
        return None
    line = places.line(offset)
    start, text = places.start(line), places.line_text(line)
    ending = path.rpartition(".")[2].lower()
    end = LINE_END.search(places.text)
    terminator = end.group() if end else "\n"
    if ending == "rst":
        alone = line == 0 or not places.line_text(line - 1).strip()
        indent = text[: len(text) - len(text.lstrip(_BLANK))]
        return Edit(start, start, f"{indent}.. cite-lsp: ignore {code}{terminator}{terminator}") if alone else None
    if ending in ("adoc", "asciidoc"):
        return Edit(start, start, f"// cite-lsp: ignore {code}{terminator}")
    if text.count("`") % 2:
        return None
    comment = _block_comment(code, ending)
    broken = _HARD_BREAK.search(text)
    at = broken.start() if broken else len(text)
    if kind == "table-row" and text[:at].endswith("|"):
        return Edit(start + at - 1, start + at - 1, f"{comment} ")
    return Edit(start + at, start + at, f" {comment}")


def _block_comment(code: str, ending: str) -> str:
    return f"{{/* cite-lsp: ignore {code} */}}" if ending == "mdx" else f"<!-- cite-lsp: ignore {code} -->"


def comment_in_front(code: str, path: str, kind: str, places: Places, place: tuple[int, int, int]) -> Edit | None:
    """Give the edit that silences a finding of a passage of several lines by a comment in front of the passage.

    `place` has the offsets at which the block and the passage begin, and the passage's end. None where the end of its
    first line is as good (`comment_for`): the passage ends there, comments have a line of their own anyway, or one in
    front would change how the text reads.
    """
    block, start, end = place
    ending = path.rpartition(".")[2].lower()
    line = places.line(start)
    if kind in _SHOWN_ONLY or ending in _LINE_COMMENTED or places.line(end - 1) == line:
        return None
    first = places.start(line)
    lead, comment = places.text[first:start], _block_comment(code, ending)
    if not lead.strip(_BLANK + ">"):
        found = LINE_END.search(places.text)
        terminator = found.group() if found else "\n"
        # what begins with a comment is raw HTML up to the end of its line, also in the middle of a paragraph
        return Edit(first, first, f"{lead}{comment}{terminator}") if places.line(block) == line else None
    return None if _LIST_MARK.fullmatch(lead) else Edit(start, start, f"{comment} ")
