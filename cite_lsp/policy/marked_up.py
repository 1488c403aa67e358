"""Sentences, paragraphs, list items and sections of texts, by their mark-up where they have one."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cite_lsp.document.blocks import syntax_of
from cite_lsp.document.claims import ALONE, Claims, own_text
from cite_lsp.document.document import Block, Document
from cite_lsp.policy.splitting import NOTHING_KNOWN, Part, lines_of, trimmed

_MARKED_UP = frozenset("md markdown mdx mdown mkd mkdn rst rest adoc asciidoc asc".split())
_READ = frozenset({"paragraph", "list-item"})
_ITEM_MARK = re.compile(r"(?:[ \t]|>)*+(?:(?:[-+*•]|\(?[0-9]{1,9}[.)]|\*{2,5}|\.{1,5})[ \t]+)*(?:\[[ xX]\][ \t]+)?")
_QUOTING = re.compile(r"[ \t>]*")
_HEADER, _DELIMITER = 1, 2

_STOP = re.compile(
    r"(?<![.!?])[.!?]++[\"'”’»)\]]*+(?:[^\S\r\n]*+\([^()\r\n]*+\))?+(?=\s++(?:[\"'“‘«]|[0-9]|([^\W\d_])))"
)
"""The end of a sentence; group 1 is the letter behind it, which has to be a capital."""


class _Placed(NamedTuple):
    block: Block
    start: int
    section: str

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
    for placed in _blocks(text, path):
        block, start, _ = placed
        if block.kind == "table-row" and block.level not in (_HEADER, _DELIMITER):
            yield from _part(text, placed, start, placed.end)
        elif block.kind in _READ:
            claims = Claims(block, ALONE)
            for low, high in claims.places:
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
    for placed in _blocks(text, path):
        if placed.block.kind == "table-row":
            rows = rows or placed
            end = placed.end
            continue
        if rows is not None:
            yield from _part(text, rows, rows.start, end)
            rows = None
        if placed.block.kind in _READ:
            yield from _part(text, placed, _behind_mark(placed), placed.end)
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
    """Give what stands from each heading to the next, and what stands before the first."""
    opening: _Placed | None = None
    end = 0
    for placed in _blocks(text, path):
        if placed.block.kind == "front-matter":
            continue
        if opening is not None and placed.block.kind == "heading":
            yield from _part(text, opening, opening.start, end)
            opening = None
        opening = opening or placed
        end = placed.end
    if opening is not None:
        yield from _part(text, opening, opening.start, end)


def _part(text: str, placed: _Placed, start: int, end: int) -> Iterator[Part]:
    start, end = trimmed(text, start, end)
    if start < end:
        yield Part(start, end, placed.meta)


def _behind_mark(placed: _Placed) -> int:
    pattern = _ITEM_MARK if placed.block.kind == "list-item" else _QUOTING
    found = pattern.match(placed.block.text)
    behind = placed.start + (found.end() if found else 0)
    return behind if behind < placed.end else placed.start


def _is_marked_up(path: str) -> bool:
    """Whether a text has the mark-up of documents; one whose name says nothing has Markdown's."""
    name = path.rpartition("/")[2]
    return "." not in name.lstrip(".") or name.rpartition(".")[2].lower() in _MARKED_UP


def _blocks(text: str, path: str) -> Iterator[_Placed]:
    """Give the blocks with their places and the heading above each; a heading is its own."""
    known = path if _is_marked_up(path) and syntax_of(path) != "text" else "document.txt"
    offset = 0
    section = ""
    for block in Document.parse(text, known).blocks:
        if block.kind == "heading":
            section = own_text(block)
        if block.kind != "mark":
            yield _Placed(block, offset, section)
        offset += len(block.text)
