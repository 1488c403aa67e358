"""Sentences, paragraphs, list items and sections of texts, by their mark-up where they have one."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from cite_lsp.document.blocks import syntax_of
from cite_lsp.document.buffer import lines_with_ends, without_end
from cite_lsp.document.claims import ALONE, Claims, own_text
from cite_lsp.document.document import Block, Document
from cite_lsp.policy.splitting import NOTHING_KNOWN, Part, lines_of, trimmed

_MARKED_UP = frozenset("md markdown mdx mdown mkd mkdn rst rest adoc asciidoc asc".split())
_READ = frozenset({"paragraph", "list-item"})
_ITEM_MARK = re.compile(
    r"(?:[ \t]|>)*+(?:(?:[-+*•]|\(?(?:[0-9]{1,9}|#)[.)]|\*{2,5}|\.{1,5})[ \t]+)*(?:\[[ xX]\][ \t]+)?"
)
_QUOTING = re.compile(r"[ \t>]*")
_NEW_LINE = re.compile(r"[ \t]*[\r\n][ \t\r\n>]*")
_REMARK = re.compile(r"(<!--|\{/\*)[ \t]*cite-lsp:")
_CLOSING = {"<!--": "-->", "{/*": "*/}"}
_HEADER, _DELIMITER = 1, 2

_TAG = r"</?[A-Za-z][A-Za-z0-9-]*(?:[ \t][^<>\r\n]*)?/?>"
_MACRO = "(?:audio|endif|ifdef|ifeval|ifndef|image|include|toc|video)"
_ASIDES = {
    "markdown": re.compile(rf"[ \t>]*(?:{_TAG}[ \t]*)++$"),
    "rst": re.compile(r"[ \t]*(?:\.\.(?:[ \t]+(?:_.*|\|[^|]*\|.*))?|\+[-=+]+\+|=+(?:[ \t]+=+)+)[ \t]*$"),
    "asciidoc": re.compile(
        rf"[ \t]*(?:\[[^\[\]]*\]|\[\[[^\[\]]*\]\]|:!?[\w-]+!?:(?:[ \t].*)?|{_MACRO}::\S*\[.*\]|\.[^\s.].*|\+)[ \t]*$"
    ),
}
"""Lines in paragraphs and items that mark up and are no prose: tags, targets, rules of tables, attributes, titles."""
_EXPLICIT = re.compile(r"[ \t]*\.\.[ \t]+(?:[A-Za-z][\w:+.-]*::|\[[^\]]*\])(?:[ \t]+|$)")
"""What begins a note or a footnote of reStructuredText."""

_STOP = re.compile(
    r"(?<![.!?])[.!?]++[\"'”’»)\]]*+(?:[^\S\r\n]*+\([^()\r\n]*+\))?+(?=\s++(?:[\"'“‘«]|[0-9]|([^\W\d_])))"
)
"""The end of a sentence; group 1 is the letter behind it, which has to be a capital."""


_Remarks: TypeAlias = tuple[tuple[int, int], ...]
"""Where comments like `<!-- cite-lsp: ignore … -->` begin and end in the whole text, in order."""


class _Placed(NamedTuple):
    block: Block
    start: int
    section: str
    remarks: _Remarks

    @property
    def end(self) -> int:
        return self.start + len(self.block.text)

    @property
    def meta(self) -> Mapping[str, Any]:
        return {"section": self.section} if self.section else NOTHING_KNOWN


def sentences(text: str, path: str) -> Iterator[Part]:
    """Give the sentences: of marked-up texts those of paragraphs and list items, and rows of tables."""
    if not _is_marked_up(path):
        yield from plain_sentences(text)
        return
    syntax = _syntax(path)
    for placed in _blocks(text, path):
        block, start = placed.block, placed.start
        if block.kind == "table-row" and block.level not in (_HEADER, _DELIMITER):
            yield from _part(text, placed, start, placed.end)
        elif block.kind in _READ:
            claims = Claims(block, ALONE)
            for low, high in _shared(claims.places, _prose(placed, syntax)):
                first, last = claims.trimmed(low, high)
                yield from _part(text, placed, start + first, start + last)


def plain_sentences(text: str) -> Iterator[Part]:
    """Give the sentences of a text without mark-up.

    A sentence ends with its line, or behind `.`, `!` or `?` with the closing quotes and brackets, and a remark in
    brackets, if then a capital, a digit or an opening quote follows. What has no letter begins the next sentence.
    """
    begun: int | None = None
    last = 0
    for low, high in _plain_places(text):
        start = low if begun is None else begun
        last = high
        if any(map(str.isalpha, text[low:high])):
            yield Part(start, high, NOTHING_KNOWN)
            begun = None
        else:
            begun = start
    if begun is not None:
        yield Part(begun, last, NOTHING_KNOWN)


def _plain_places(text: str) -> Iterator[tuple[int, int]]:
    for line in lines_of(text):
        low = line.start
        ends = [found.end() for found in _STOP.finditer(text, low, line.end) if not found[1] or found[1].isupper()]
        for high in (*ends, line.end):
            start, end = trimmed(text, low, high)
            if start < end:
                yield start, end
            low = high


def paragraphs(text: str, path: str) -> Iterator[Part]:
    """Give the paragraphs and the own texts of list items; a table is one."""
    rows: _Placed | None = None
    end = 0
    syntax = _syntax(path)
    for placed in _blocks(text, path):
        if placed.block.kind == "table-row":
            rows = rows or placed
            end = placed.end
            continue
        if rows is not None:
            yield from _part(text, rows, rows.start, end)
            rows = None
        if placed.block.kind in _READ:
            for low, high in _prose(placed, syntax):
                yield from _part(text, placed, placed.start + low, placed.start + high)
    if rows is not None:
        yield from _part(text, rows, rows.start, end)


def list_items(text: str, path: str) -> Iterator[Part]:
    """Give the list items, each with what stands below it in the same item, up to the next item."""
    item: _Placed | None = None
    end = 0
    for placed in _blocks(text, path):
        kind = placed.block.kind
        if item is not None and (kind == "list-item" or not _is_inside(placed.block, item.block)):
            yield from _part(text, item, _behind_mark(item), end)
            item = None
        if kind == "list-item":
            item = placed
        end = placed.end
    if item is not None:
        yield from _part(text, item, _behind_mark(item), end)


def _is_inside(block: Block, item: Block) -> bool:
    """Whether a block behind an item stands in it. Blank lines may; they are cut off again at the end."""
    lists = item.exit.lists
    return block.kind == "blank" or (bool(lists) and block.exit.lists[: len(lists)] == lists)


def sections(text: str, path: str) -> Iterator[Part]:
    """Give what stands from each heading to the next, and what stands before the first; a line over it is its own."""
    opening: _Placed | None = None
    start = end = 0
    over: int | None = None
    is_rst = _syntax(path) == "rst"
    for placed in _blocks(text, path):
        kind = placed.block.kind
        if kind == "front-matter":
            continue
        if opening is not None and kind == "heading":
            yield from _part(text, opening, start, end if over is None else over)
            opening = None
        if opening is None:
            opening, start = placed, placed.start if over is None else over
        over = placed.start if is_rst and kind == "break" else None
        end = placed.end
    if opening is not None:
        yield from _part(text, opening, start, end)


def _prose(placed: _Placed, syntax: str) -> list[tuple[int, int]]:
    """Give the ranges of a block that are prose, as offsets into it: behind its mark, without lines that mark up."""
    found: list[tuple[int, int]] = []
    aside = _ASIDES.get(syntax)
    explicit = syntax == "rst" and placed.block.text.lstrip(" \t").startswith("..")
    begun: int | None = _behind_mark(placed) - placed.start
    at = 0
    for whole in lines_with_ends(placed.block.text):
        line = without_end(whole)
        marked = _EXPLICIT.match(line) if explicit else None
        left_out = aside is not None and not marked and aside.match(line)
        if begun is not None and at > begun and (marked or left_out):
            found.append((begun, at))
        if left_out:
            begun = None
        elif marked:
            begun = at + marked.end()
        elif begun is None and not (explicit and line[:1] in " \t"):
            quoting = _QUOTING.match(line)
            begun = at + (quoting.end() if quoting else 0)
        at += len(whole)
    return found if begun is None else [*found, (begun, at)]


def _shared(some: Iterable[tuple[int, int]], others: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Give what two lists of ranges, both in order, have in common."""
    number = 0
    for low, high in some:
        while number < len(others) and others[number][1] <= low:
            number += 1
        for first, last in islice(others, number, None):
            if first >= high:
                break
            yield max(low, first), min(high, last)


def _part(text: str, placed: _Placed, start: int, end: int) -> Iterator[Part]:
    start, end = _without_remarks(placed.remarks, text, *trimmed(text, start, end))
    if any(map(str.isalnum, text[start:end])):
        yield Part(start, end, placed.meta)


def _without_remarks(remarks: _Remarks, text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out what is said to us at the ends of a passage: it says nothing of what the passage says."""
    number = max(0, bisect_left(remarks, (start, end)) - 1)
    while start < end and number < len(remarks) and remarks[number][0] <= start:
        start, end = trimmed(text, _behind_quoting(text, min(max(start, remarks[number][1]), end), end), end)
        number += 1
    number = bisect_left(remarks, (end, end)) - 1
    while start < end and number >= 0 and remarks[number][1] >= end:
        start, end = trimmed(text, start, _before_quoting(text, start, max(start, remarks[number][0])))
        number -= 1
    return start, end


def _behind_quoting(text: str, start: int, end: int) -> int:
    """Give where the text goes on behind the marks of a quote, where a line ends first."""
    found = _NEW_LINE.match(text, start, end)
    return found.end() if found else start


def _before_quoting(text: str, start: int, end: int) -> int:
    """Give where the text ends before lines that hold nothing but the marks of a quote."""
    while start < end:
        line = max(text.rfind("\n", start, end), text.rfind("\r", start, end), start)
        if text[line:end].strip(" \t\r\n>"):
            break
        end = line
    return end


def _remarks_in(text: str) -> _Remarks:
    """Find the comments that are meant for us, whether they count or not, in order."""
    found: list[tuple[int, int]] = []
    position = 0
    while (opening := _REMARK.search(text, position)) is not None:
        end = text.find(_CLOSING[opening[1]], opening.end())
        if end < 0:
            break
        position = end + len(_CLOSING[opening[1]])
        found.append((opening.start(), position))
    return tuple(found)


def _behind_mark(placed: _Placed) -> int:
    pattern = _ITEM_MARK if placed.block.kind == "list-item" else _QUOTING
    found = pattern.match(placed.block.text)
    behind = placed.start + (found.end() if found else 0)
    return behind if behind < placed.end else placed.start


def _is_marked_up(path: str) -> bool:
    """Whether a text has the mark-up of documents; one whose name says nothing has Markdown's."""
    name = path.rpartition("/")[2]
    return "." not in name.lstrip(".") or name.rpartition(".")[2].lower() in _MARKED_UP


def _syntax(path: str) -> str:
    return syntax_of(path) if _is_marked_up(path) else "text"


def _blocks(text: str, path: str) -> Iterator[_Placed]:
    """Give the blocks with their places and the heading above each; a heading is its own."""
    known = path if _syntax(path) != "text" else "document.txt"
    offset = 0
    section = ""
    remarks = _remarks_in(text)
    for block in Document.parse(text, known).blocks:
        if block.kind == "heading":
            section = own_text(block)
        if block.kind != "mark":
            yield _Placed(block, offset, section, remarks)
        offset += len(block.text)
