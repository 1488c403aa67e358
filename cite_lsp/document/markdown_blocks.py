"""Markdown's block rules: CommonMark's and GitHub's tables, told loosely where a person means a list."""

import re

from cite_lsp.document.cuts import CHUNK, START, Cut, Lines, Look, State, Stops, look

_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]|$)")
_BREAK = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_SETEXT = re.compile(r"(?:=+|-+)$")
_MARKER = re.compile(r"([-+*]|[0-9]{1,9}[.)])([ \t]+|$)")
_RAW_HTML = re.compile(r"<(pre|script|style)\b", re.IGNORECASE)
_DEFINITION = re.compile(
    r"\[(?!\^)(?:[^\]\\]|\\.){1,999}\]:[ \t]*(?:<[^<>]*>|[^\s<]\S*)(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^)]*\)))?$"
)
_DELIMITER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")

# --- shapes of lines that need no second look: most lines are one of them

_MARKING = frozenset(" \t\r\n>#`~<-_*+[0123456789|=")
"""First characters that may begin something else than text."""
_ATX = re.compile(r"(#{1,6})(?:[ \t\r\n]|\Z)")
_ITEM = re.compile(r"( *)([-+*]|[0-9]{1,9}[.)]) (?=[^\s\-+*0-9`~]|`(?!``)|\*\*\w)")
"""A list item whose text opens nothing: no further item, no fence, no thematic break."""
_IN_TABLE = State(table=True)


def _is_delimiter(lines: Lines, number: int, quote: int) -> bool:
    line = lines.at(number)
    if line is None or "-" not in line or "|" not in line:
        return False
    seen = look(line)
    return seen.quote == quote and _DELIMITER.match(seen.rest) is not None


def _within(lists: tuple[int, ...], indent: int) -> tuple[int, ...]:
    """Give the list items that a line at column `indent` is still inside of."""
    while lists and indent < lists[-1]:
        lists = lists[:-1]
    return lists


def _closes_fence(rest: str, closer: str) -> bool:
    return rest.startswith(closer) and not rest.strip(closer[0])


def _inside(lines: Lines, number: int, state: State, stops: Stops) -> tuple[int, State]:
    """Count the lines, from `number`, of what `state` has open, and give the state after them."""
    count = 0
    container = state.lists[-1] if state.lists else 0
    plain = state.kind == "fence" and not container and not state.quote
    while (line := lines.at(number + count)) is not None:
        if plain and state.closer not in line:
            pass
        elif state.kind == "fence":
            seen = look(line)
            left = seen.quote < state.quote or (seen.rest != "" and seen.indent < container)
            if left:
                return count, State(state.lists, state.quote)
            if seen.indent - container < 4 and _closes_fence(seen.rest, state.closer):
                return count + 1, State(state.lists, state.quote)
        elif state.closer in line.lower():
            return count + 1, State(state.lists, state.quote)
        count += 1
        if count >= CHUNK or number + count in stops:
            break
    return count, state


def _opened(lines: Lines, number: int, state: State, opens: State, stops: Stops) -> Cut:
    """Cut a block whose first line opens a fence, a comment or raw HTML."""
    if number + 1 in stops:
        return Cut(opens.kind, number, 1, state, opens)
    count, after = _inside(lines, number + 1, opens, stops)
    return Cut(opens.kind, number, count + 1, state, after)


def _comment_left_open(rest: str) -> bool | None:
    """Say whether a line that begins with a comment leaves it open; None when text follows the comment."""
    end = rest.find("-->", 4)
    if end < 0:
        return True
    return False if end + 3 == len(rest) else None


def _interrupts(lines: Lines, number: int, seen: Look, lists: tuple[int, ...], base: int) -> bool:
    """Say whether a line ends the paragraph before it."""
    rest = seen.rest
    first = rest[0]
    if first in "`~" and _FENCE.match(rest) and seen.indent - base < 4:
        return True
    if first == "#" and _HEADING.match(rest):
        return True
    if first == "|" or (first == "<" and (rest.startswith("<!--") or _RAW_HTML.match(rest))):
        return True
    if first in "-_*" and _BREAK.match(rest):
        return True
    if (first in "-+*" or first.isdigit()) and (marker := _MARKER.match(rest)):
        inside_item = bool(lists) and seen.indent < lists[-1]
        if marker.end() < len(rest) and (first in "-+*" or inside_item or int(marker.group(1)[:-1]) == 1):
            return True
    return "|" in rest and _is_delimiter(lines, number + 1, seen.quote)


def _paragraph(lines: Lines, number: int, entry: State, state: State, kind: str, indent: int = 0) -> Cut:
    """Gather the lines of a paragraph or of a list item's own text."""
    at = number + 1
    lists, quote = state.lists, state.quote
    base = lists[-1] if lists else 0
    read = lines.read
    while (line := read[at] if at < lines.ready else lines.at(at)) is not None:
        first = line[0]
        if first == "\n":
            break
        if not quote and (first not in _MARKING or _begins_text(line)) and "|" not in line:
            at += 1
            continue
        if lists and (item := _ITEM.match(line)) and (item.end(1) < base or line[item.end(1)] in "-+*"):
            break
        seen = look(line)
        if seen.quote != quote or not seen.rest:
            break
        if kind == "paragraph" and seen.rest[0] in "=-" and _SETEXT.match(seen.rest) and seen.indent >= base:
            level = 1 if seen.rest[0] == "=" else 2
            return Cut("heading", number, at + 1 - number, entry, state, level)
        if _interrupts(lines, at, seen, lists, base):
            break
        at += 1
    return Cut(kind, number, at - number, entry, state, 0, indent)


def _begins_text(line: str) -> bool:
    """Say whether the first character of a line behind its spaces is one of text."""
    rest = line.lstrip(" ")
    return rest != "" and rest[0] not in _MARKING


def _list_item(lines: Lines, number: int, entry: State, state: State, seen: Look) -> Cut | None:
    """Cut a list item, which may open several lists and a fence on one line."""
    lists, column, rest = state.lists, seen.indent, seen.rest
    while (marker := _MARKER.match(rest)) and not _BREAK.match(rest):
        width = marker.end() if len(marker.group(2)) <= 4 else marker.end(1) + 1
        column += width if marker.group(2) else width + 1
        lists = (*lists, column)
        rest = rest[marker.end() :]
        if len(lists) > 32:
            break
    if lists is state.lists:
        return None
    inner = State(lists, state.quote)
    if fence := _FENCE.match(rest):
        closer = fence.group(1) or fence.group(2)
        return Cut("list-item", number, 1, entry, State(lists, state.quote, closer, "fence"), 0, seen.indent)
    if not rest:
        return Cut("list-item", number, 1, entry, inner, 0, seen.indent)
    return _paragraph(lines, number, entry, inner, "list-item", seen.indent)


def _table_row(lines: Lines, number: int, entry: State, state: State, seen: Look) -> Cut | None:
    if "|" in seen.rest and not entry.table and _is_delimiter(lines, number + 1, seen.quote):
        return Cut("table-row", number, 1, entry, state._replace(table=True), 1)
    if entry.table:
        level = 2 if _DELIMITER.match(seen.rest) else 0
        return Cut("table-row", number, 1, entry, state._replace(table=True), level)
    if seen.rest[0] == "|":
        return Cut("table-row", number, 1, entry, state)
    return None


def _blank(lines: Lines, number: int, entry: State, quote: int) -> Cut:
    at = number + 1
    read = lines.read
    while (line := read[at] if at < lines.ready else lines.at(at)) is not None:
        if line[0] not in " \t\r\n>":
            break
        if quote or line != "\n":
            after = look(line)
            if after.rest or after.quote != quote:
                break
        at += 1
    if entry.quote == quote and not (entry.closer or entry.table):
        return Cut("blank", number, at - number, entry, entry)
    lists = entry.lists if quote == entry.quote else ()
    return Cut("blank", number, at - number, entry, State(lists, quote))


def cut_markdown(lines: Lines, number: int, entry: State, stops: Stops) -> Cut:
    """Cut the Markdown block at line `number`, which has been read and at which `entry` holds."""
    if entry.closer or entry.quote:
        return _looked_at(lines, number, entry, stops)
    line = lines.read[number]
    first = line[0]
    if first == "\n":
        return _blank(lines, number, entry, 0)
    if first not in _MARKING:
        if entry.table or "|" in line:
            return _looked_at(lines, number, entry, stops)
        return _paragraph(lines, number, entry, START, "paragraph")
    return _at_first_sight(lines, number, entry, line) or _looked_at(lines, number, entry, stops)


def _at_first_sight(lines: Lines, number: int, entry: State, line: str) -> Cut | None:
    """Cut a block whose mark is at the beginning of its line, as `_looked_at` would."""
    first = line[0]
    if first == "#":
        atx = _ATX.match(line)
        return Cut("heading", number, 1, entry, START, len(atx.group(1))) if atx else None
    if first == "|":
        if not entry.table:
            return None
        level = 2 if _DELIMITER.match(line.rstrip(" \t\r\n")) else 0
        return Cut("table-row", number, 1, entry, _IN_TABLE, level)
    item = _ITEM.match(line)
    return _plain_item(lines, number, entry, item) if item else None


def _plain_item(lines: Lines, number: int, entry: State, item: re.Match[str]) -> Cut | None:
    indent = item.end(1)
    outer = _within(entry.lists, indent)
    if indent - (outer[-1] if outer else 0) >= 4 and not entry.table:
        return None
    lists = (*outer, item.end())
    state = entry if lists == entry.lists and not entry.table else State(lists)
    return _paragraph(lines, number, entry, state, "list-item", indent)


def _looked_at(lines: Lines, number: int, entry: State, stops: Stops) -> Cut:
    if entry.closer:
        count, after = _inside(lines, number, entry, stops)
        if count:
            return Cut(entry.kind, number, count, entry, after)
    seen = look(lines.read[number])
    if not seen.rest:
        return _blank(lines, number, entry, seen.quote)
    lists = _within(entry.lists, seen.indent) if seen.quote == entry.quote else ()
    state = State(lists, seen.quote)
    base = lists[-1] if lists else 0
    if seen.indent - base >= 4 and not entry.table:
        return _indented_code(lines, number, entry, state, base + 4)
    return (
        _leaf(lines, number, entry, state, seen, stops)
        or _container(lines, number, entry, state, seen)
        or _paragraph(lines, number, entry, state, "paragraph")
    )


def _leaf(lines: Lines, number: int, entry: State, state: State, seen: Look, stops: Stops) -> Cut | None:
    """Cut a fence, a heading, a comment or raw HTML, a thematic break or a link definition."""
    rest, first = seen.rest, seen.rest[0]
    if first in "`~" and (fence := _FENCE.match(rest)):
        opens = State(state.lists, seen.quote, fence.group(1) or fence.group(2), "fence")
        return _opened(lines, number, entry, opens, stops)
    if first == "#" and (heading := _HEADING.match(rest)):
        return Cut("heading", number, 1, entry, state, len(heading.group(1)))
    if first == "<":
        return _html(lines, number, entry, state, rest, stops)
    if first in "-_*" and _BREAK.match(rest):
        return Cut("break", number, 1, entry, state)
    if first == "[" and not entry.table and _DEFINITION.match(rest):
        return Cut("link-definition", number, 1, entry, state)
    return None


def _container(lines: Lines, number: int, entry: State, state: State, seen: Look) -> Cut | None:
    """Cut a list item or a table row."""
    first = seen.rest[0]
    if (first in "-+*" or first.isdigit()) and (item := _list_item(lines, number, entry, state, seen)):
        return item
    if entry.table or "|" in seen.rest:
        return _table_row(lines, number, entry, state, seen)
    return None


def _html(lines: Lines, number: int, entry: State, state: State, rest: str, stops: Stops) -> Cut | None:
    if rest.startswith("<!--"):
        left_open = _comment_left_open(rest)
        if left_open is None:
            return None
        if not left_open:
            return Cut("comment", number, 1, entry, state)
        return _opened(lines, number, entry, State(state.lists, state.quote, "-->", "comment"), stops)
    if raw := _RAW_HTML.match(rest):
        closer = f"</{raw.group(1).lower()}>"
        if closer in rest.lower():
            return Cut("raw-html", number, 1, entry, state)
        return _opened(lines, number, entry, State(state.lists, state.quote, closer, "raw-html"), stops)
    return None


def _indented_code(lines: Lines, number: int, entry: State, state: State, least: int) -> Cut:
    count = 1
    while (line := lines.at(number + count)) is not None:
        seen = look(line)
        if not seen.rest or seen.indent < least or seen.quote != state.quote:
            break
        count += 1
    return Cut("code", number, count, entry, state)
