"""Binds anchors: gives each its place in the whole text, and what it stands in."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.claims import Claims, Surroundings, own_text
from cite_lsp.document.cuts import indent_of
from cite_lsp.document.pieces import SILENT, Block, Piece, back

Surrounded: TypeAlias = tuple[str, Block | None, Block | None, Block | None, tuple[tuple[int, Block | None], ...]]
"""What surrounds a block: section, heading, block before, header of its table, what leads in the lists around it."""


class Binder:
    """What surrounds the block that is read, kept while the blocks go by."""

    __slots__ = ("before", "header", "heading", "leads", "section")

    def __init__(self) -> None:
        self.section = ""
        self.heading: Block | None = None
        self.before: Block | None = None
        self.header: Block | None = None
        self.leads: list[tuple[int, Block | None]] = []

    @property
    def state(self) -> Surrounded:
        """What surrounds the next block; two that are equal bind the same blocks alike."""
        return self.section, self.heading, self.before, self.header, tuple(self.leads)

    def go_on(self, state: Surrounded) -> None:
        """Go on behind blocks that were read before, from the state that they left."""
        self.section, self.heading, self.before, self.header, leads = state
        self.leads = list(leads)

    def context(self, block: Block) -> Claims:
        """Give what the anchors of a block stand in, once it was entered."""
        lead = self.leads[-1][1] if self.leads and block.kind == "list-item" else None
        header = self.header if block.kind == "table-row" else None
        return Claims(block, Surroundings(self.section, self.heading, self.before, lead, header))

    def enter(self, block: Block) -> None:
        """Take note of a block before its anchors are bound."""
        kind = block.kind
        if kind != "table-row":
            self.header = None
        elif block.level == 1:
            self.header = block
        if kind == "list-item":
            while self.leads and self.leads[-1][0] > block.indent:
                self.leads.pop()
            if not self.leads or self.leads[-1][0] < block.indent:
                self.leads.append((block.indent, self.before if _leads_in(self.before) else None))
        elif self.leads and _ends_lists(block):
            self.leads.clear()

    def leave(self, block: Block) -> None:
        """Take note of a block behind its anchors."""
        kind = block.kind
        if kind == "heading":
            self.heading = block
            if begins_section(block):
                self.section = section_marker(block)
        if kind not in SILENT:
            self.before = block
        elif kind not in ("blank", "comment"):
            self.before = None


def _ends_lists(block: Block) -> bool:
    return not (block.exit.lists or block.kind in ("blank", "list-item"))


def begins_section(block: Block) -> bool:
    """Whether a block is a heading that begins a section: of level 2, and in no quotation."""
    return block.level == 2 and indent_of(block.text) < 4 and not block.exit.quote


def section_marker(block: Block) -> str:
    """Give a heading as the section it begins is called: as written, without its end."""
    return block.text.strip(" \t\r\n")


def _leads_in(block: Block | None) -> bool:
    return block is not None and block.text.rstrip(" \t\r\n*_").endswith(":") and own_text(block) != ""


def bind(blocks: Iterable[Block]) -> Iterator[Anchor]:
    """Give the anchors of all blocks of a document, in order."""
    binder = Binder()
    offset = 0
    for block in blocks:
        if block.kind == "blank":
            binder.header = None
        else:
            binder.enter(block)
            if block.anchors:
                context = binder.context(block)
                for anchor in block.anchors:
                    yield anchor.bound(offset, context)
            binder.leave(block)
        offset += len(block.text)


def bind_between(pieces: Sequence[Piece], start: int, end: int) -> Iterator[Anchor]:
    """Give the anchors that touch the offsets from `start` to `end`, both included, as `bind` gives them.

    Costs a look at each piece, and at the blocks before as far as what surrounds the first anchor reaches.
    """
    binder: Binder | None = None
    offset = 0
    for number, piece in enumerate(pieces):
        if offset + piece.characters < start:
            offset += piece.characters
            continue
        for index, block in enumerate(piece.blocks):
            if offset > end:
                return
            if block.anchors and offset + len(block.text) >= start:
                binder = binder or _binder_at(pieces, number, index)
            if binder:
                binder.enter(block)
                if block.anchors:
                    context = binder.context(block)
                    for anchor in block.anchors:
                        if anchor.start + offset <= end and anchor.end + offset >= start:
                            yield anchor.bound(offset, context)
                binder.leave(block)
            offset += len(block.text)


def _binder_at(pieces: Sequence[Piece], piece: int, block: int) -> Binder:
    """Give what surrounds block number `block` of a piece: all blocks before it have gone by."""
    first_piece, first = piece, block
    while (first_piece or first) and not _ends_lists(pieces[first_piece].blocks[first]):
        first_piece, first = back(pieces, first_piece, first, 1)
    binder = Binder()
    binder.heading, binder.section = _headings_before(pieces, first_piece, first)
    binder.before = _told_before(pieces, first_piece, first)
    binder.header = _header_before(pieces, first_piece, first)
    for number in range(first_piece, piece + 1):
        blocks = pieces[number].blocks
        for passed in blocks[first if number == first_piece else 0 : block if number == piece else len(blocks)]:
            binder.enter(passed)
            binder.leave(passed)
    return binder


def _backwards(pieces: Sequence[Piece], piece: int, block: int) -> Iterator[Block]:
    """Give the blocks before a place, the nearest first."""
    yield from reversed(pieces[piece].blocks[:block])
    for number in range(piece - 1, -1, -1):
        yield from reversed(pieces[number].blocks)


def _headings_before(pieces: Sequence[Piece], piece: int, block: int) -> tuple[Block | None, str]:
    nearest: Block | None = None
    here = [each for each in pieces[piece].blocks[:block] if each.kind == "heading"]
    for headings in (here, *(pieces[number].headings for number in range(piece - 1, -1, -1))):
        for heading in reversed(headings):
            nearest = nearest or heading
            if begins_section(heading):
                return nearest, section_marker(heading)
    return nearest, ""


def _told_before(pieces: Sequence[Piece], piece: int, block: int) -> Block | None:
    for before in _backwards(pieces, piece, block):
        if before.kind not in ("blank", "comment"):
            return None if before.kind in SILENT else before
    return None


def _header_before(pieces: Sequence[Piece], piece: int, block: int) -> Block | None:
    if pieces[piece].blocks[block].kind == "table-row":
        for before in _backwards(pieces, piece, block):
            if before.kind != "table-row":
                return None
            if before.level == 1:
                return before
    return None
