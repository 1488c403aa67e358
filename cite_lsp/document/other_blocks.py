"""Block rules of reStructuredText, AsciiDoc and plain text, told as far as sentences and code need them."""

import re

from cite_lsp.document.cuts import CHUNK, START, Cut, Lines, State, Stops, look_plain

_TEXT_PARAGRAPH = 200

_RST_UNDERLINE = re.compile(r"([-=~`:.'\"^_*+#<>!$%&(),/;?@\[\\\]{|}])\1{2,}$")
_RST_DIRECTIVE = re.compile(r"\.\.(?:[ \t]+|$)(?:(?:\|[^|]*\|[ \t]+)?([A-Za-z][\w:+.-]*?)::|(\[[^\]]*\])|(_))?")
_RST_MARKER = re.compile(r"(?:[-+*•]|\(?(?:[0-9]{1,9}|#|[A-Za-z])[.)])(?:[ \t]+|$)")
_RST_CODE = frozenset(
    "code code-block sourcecode highlight literalinclude parsed-literal math raw prompt doctest toctree image "
    "graphviz digraph mermaid plantuml productionlist testcode testoutput testsetup include".split()
)


def _rst_literal(lines: Lines, number: int, state: State, stops: Stops) -> int:
    """Count the lines of a literal block: blank ones and those deeper than what introduced it."""
    count = 0
    while (line := lines.at(number + count)) is not None:
        seen = look_plain(line)
        if seen.rest and seen.indent <= state.lists[-1]:
            break
        count += 1
        if count >= CHUNK or number + count in stops:
            break
    return count


def _rst_opens(indent: int, kind: str) -> State:
    return State((indent,), 0, "::", kind)


def cut_rst(lines: Lines, number: int, entry: State, stops: Stops) -> Cut:
    """Cut the reStructuredText block at line `number`, at which `entry` holds."""
    if entry.closer:
        count = _rst_literal(lines, number, entry, stops)
        if count:
            ends = lines.at(number + count) is not None and count < CHUNK and number + count not in stops
            return Cut(entry.kind, number, count, entry, START if ends else entry)
    seen = look_plain(lines.at(number) or "")
    if not seen.rest:
        return Cut("blank", number, 1, entry, START)
    if seen.rest.startswith("..") and (directive := _RST_DIRECTIVE.match(seen.rest)):
        return _rst_directive(lines, number, entry, directive, seen.indent)
    if seen.rest.startswith(">>>"):
        return _plain_paragraph(lines, number, entry, "code", None)
    if underline := _rst_heading(lines, number):
        return Cut("heading", number, 2, entry, START, underline)
    if _RST_UNDERLINE.match(seen.rest):
        return Cut("break", number, 1, entry, START)
    if seen.rest[0] == "|":
        return Cut("table-row", number, 1, entry, START)
    kind = "list-item" if _RST_MARKER.match(seen.rest) else "paragraph"
    cut = _plain_paragraph(lines, number, entry, kind, _RST_MARKER)
    last = (lines.at(number + cut.size - 1) or "").rstrip()
    return cut._replace(exit=_rst_opens(seen.indent, "fence")) if last.endswith("::") else cut


def _rst_directive(lines: Lines, number: int, entry: State, directive: re.Match[str], indent: int) -> Cut:
    name, footnote, target = directive.group(1), directive.group(2), directive.group(3)
    if name in _RST_CODE:
        return Cut("fence", number, 1, entry, _rst_opens(indent, "fence"))
    if not (name or footnote or target):
        return Cut("comment", number, 1, entry, _rst_opens(indent, "comment"))
    return _plain_paragraph(lines, number, entry, "paragraph", _RST_MARKER)


def _rst_heading(lines: Lines, number: int) -> int:
    """Give the level of a heading at `number`, or 0. The mark's usual level is taken, since order is not local."""
    below = lines.at(number + 1)
    text = lines.at(number)
    if below is None or text is None or text[0] in " \t":
        return 0
    mark = below.rstrip(" \t\r\n")
    if not _RST_UNDERLINE.match(mark) or _RST_UNDERLINE.match(text.rstrip(" \t\r\n")):
        return 0
    return {"=": 1, "-": 2}.get(mark[0], 3)


def _plain_paragraph(
    lines: Lines, number: int, entry: State, kind: str, marker: re.Pattern[str] | None, most: int = 0
) -> Cut:
    """Gather lines up to a blank one, a bullet, or `most` lines."""
    first = look_plain(lines.at(number) or "")
    count = 1
    while (line := lines.at(number + count)) is not None:
        seen = look_plain(line)
        if (
            not seen.rest
            or (most and count >= most)
            or (marker and marker.match(seen.rest) and "|" not in seen.rest[:1])
        ):
            break
        if seen.rest[0] == "|" and marker is _RST_MARKER:
            break
        count += 1
    return Cut(kind, number, count, entry, START, 0, first.indent)


_ADOC_DELIMITED = re.compile(r"(-{4,}|\.{4,}|/{4,}|\+{4,}|```[^`]*)$")
_ADOC_BREAK = re.compile(r"(?:={4,}|\*{4,}|_{4,}|[|,:!]={3,}|--|'{3,}|<{3,})$")
_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+\S")
_ADOC_MARKER = re.compile(r"(?:-|\*{1,5}|\.{1,5}|[0-9]{1,9}\.)(?:[ \t]+|$)")


def cut_adoc(lines: Lines, number: int, entry: State, stops: Stops) -> Cut:
    """Cut the AsciiDoc block at line `number`, at which `entry` holds."""
    if entry.closer:
        return _adoc_inside(lines, number, entry, entry, stops)
    line = lines.at(number) or ""
    seen = look_plain(line)
    if not seen.rest:
        return Cut("blank", number, 1, entry, START)
    if delimited := _ADOC_DELIMITED.match(seen.rest):
        mark = delimited.group(1)
        closer = "```" if mark.startswith("`") else mark
        opens = State((), 0, closer, "comment" if mark[0] == "/" else "fence")
        return Cut(opens.kind, number, 1, entry, opens)
    if seen.rest.startswith("//"):
        return Cut("comment", number, 1, entry, START)
    if heading := _ADOC_HEADING.match(seen.rest):
        return Cut("heading", number, 1, entry, START, len(heading.group(1)))
    if _ADOC_BREAK.match(seen.rest):
        return Cut("break", number, 1, entry, START)
    if seen.rest[0] == "|":
        return Cut("table-row", number, 1, entry, START)
    if _ADOC_MARKER.match(seen.rest):
        return _adoc_paragraph(lines, number, entry, "list-item")
    if line[0] in " \t":
        return _plain_paragraph(lines, number, entry, "code", None)
    return _adoc_paragraph(lines, number, entry, "paragraph")


def _adoc_inside(lines: Lines, number: int, entry: State, state: State, stops: Stops) -> Cut:
    count = 0
    while (line := lines.at(number + count)) is not None:
        count += 1
        if line.rstrip(" \t\r\n") == state.closer:
            return Cut(state.kind, number, count, entry, START)
        if count >= CHUNK or number + count in stops:
            break
    return Cut(state.kind, number, count, entry, state)


def _adoc_paragraph(lines: Lines, number: int, entry: State, kind: str) -> Cut:
    count = 1
    while (line := lines.at(number + count)) is not None:
        rest = line.strip(" \t\r\n")
        ends = not rest or rest[0] == "|" or rest.startswith("//")
        if ends or any(rule.match(rest) for rule in (_ADOC_DELIMITED, _ADOC_HEADING, _ADOC_MARKER, _ADOC_BREAK)):
            break
        count += 1
    return Cut(kind, number, count, entry, START)


_TEXT_MARKER = re.compile(r"(?:[-+*•]|[0-9]{1,9}[.)])[ \t]+")


def cut_text(lines: Lines, number: int, entry: State, stops: Stops) -> Cut:  # noqa: ARG001 - one shape for all rules
    """Cut the block of a plain text at line `number`: a paragraph or a list item."""
    seen = look_plain(lines.at(number) or "")
    if not seen.rest:
        return Cut("blank", number, 1, entry, START)
    kind = "list-item" if _TEXT_MARKER.match(seen.rest) else "paragraph"
    return _plain_paragraph(lines, number, entry, kind, _TEXT_MARKER, _TEXT_PARAGRAPH)
