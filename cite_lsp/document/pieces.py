"""Blocks with what was found in them, and the pieces that a document is made of."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.blocks import front_matter
from cite_lsp.document.cuts import START, Cut, Lines, State
from cite_lsp.document.find import Found, find_anchors, find_definition, find_in_code
from cite_lsp.document.path_token import Grammar
from cite_lsp.document.pattern_search import Allowance, find_by_pattern

if TYPE_CHECKING:
    from regex import Pattern

GROUP = 64
"""About how many blocks stand in a piece."""
MARK = "\ufeff"
SILENT = frozenset({"blank", "break", "comment", "front-matter", "code", "fence", "raw-html", "mark"})
"""Kinds of block that hold no citation; in fences and indented code they are read where a setting says so."""


class Block(NamedTuple):
    """Whole lines of a document that belong together; offsets of anchors are relative to `text`.

    Blank lines may be one and the same object everywhere.
    """

    kind: str
    text: str
    line_count: int
    entry: State
    exit: State
    level: int
    indent: int
    anchors: tuple[Anchor, ...] = ()
    refused: tuple[str, ...] = ()
    """Paths with lines that would count if they existed."""
    unattached: int = 0
    overrun: bool = False
    """The user's pattern ran out of time here: this block was not read."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Piece:
    """Some blocks in a row. Pieces that an edit does not touch are the same objects in both documents.

    What is known of a piece can so be kept for as long as it lives: it is compared by identity.
    """

    blocks: tuple[Block, ...]
    characters: int
    lines: int
    headings: tuple[Block, ...]
    """Those of the blocks that are headings."""

    @property
    def text(self) -> str:
        """The text of the blocks, joined."""
        return "".join([block.text for block in self.blocks])


@dataclass(frozen=True, slots=True)
class Options:
    """What parsing depends on besides the text; the same for all versions of a document."""

    path: str
    syntax: str
    grammar: Grammar
    pattern: "Pattern[str] | None"
    in_fences: bool
    allowance: Allowance = field(default_factory=Allowance)
    """Of the pattern; each edit has its own."""


_text_of = itemgetter(1)
lines_of = itemgetter(2)
_BLANK = Block("blank", "\n", 1, START, START, 0, 0)
MARK_BLOCK = Block("mark", MARK, 0, START, START, 0, 0)
"""The byte-order mark is a block of its own, which is no line."""


def _piece(blocks: Sequence[Block]) -> Piece:
    return Piece(
        tuple(blocks),
        sum(map(len, map(_text_of, blocks))),
        sum(map(lines_of, blocks)),
        tuple([block for block in blocks if block.kind == "heading"]),
    )


def in_pieces(blocks: Sequence[Block]) -> list[Piece]:
    """Share blocks out into pieces of about `GROUP`."""
    if len(blocks) <= 2 * GROUP:
        return [_piece(blocks)] if blocks else []
    return [_piece(blocks[low : low + GROUP]) for low in range(0, len(blocks), GROUP)]


def has_mark(pieces: Sequence[Piece]) -> bool:
    """Say whether the text begins with a byte-order mark."""
    return bool(pieces) and pieces[0].blocks[0].kind == "mark"


def back(pieces: Sequence[Piece], piece: int, block: int, steps: int) -> tuple[int, int]:
    """Go back some blocks from block number `block` of a piece; no piece is empty, so one step is one block."""
    while steps and (piece or block):
        if block:
            block -= 1
        else:
            piece -= 1
            block = len(pieces[piece].blocks) - 1
        steps -= 1
    return piece, block


def may_begin_with_front_matter(pieces: Sequence[Piece]) -> bool:
    """Say whether the first line is one that opens front matter."""
    head = [block.text for block in pieces[0].blocks[:2]] if pieces else [""]
    return head[1 if has_mark(pieces) and len(head) > 1 else 0].startswith(("---", "+++"))


def _search(kind: str, text: str, options: Options) -> Found | None:
    if kind in SILENT:
        if not (options.in_fences and kind in ("fence", "code")):
            return None
        if options.pattern is None:
            return find_in_code(text, options.grammar)
    if options.pattern is not None:
        return find_by_pattern(text, options.pattern, options.allowance)
    return (find_definition if kind == "link-definition" else find_anchors)(text, options.grammar)


def anchors_in(block: Block, text: str, options: Options) -> tuple[Anchor, ...]:
    """Give the anchors that a block would have with another text of as many lines."""
    found = _search(block.kind, text, options)
    return tuple(found.anchors) if found is not None else ()


def make_block(cut: Cut, lines: Lines, options: Options) -> Block:
    """Read the anchors of a cut block."""
    kind, first, size, entry, after, level, indent = cut
    text = lines.read[first] if size == 1 else "".join(lines.read[first : first + size])
    found = _search(kind, text, options)
    if found is None:
        if text == "\n" and entry is START and after is START:
            return _BLANK
        return Block(kind, text, size, entry, after, level, indent, (), (), 0, False)
    return Block(
        kind,
        text,
        size,
        entry,
        after,
        level,
        indent,
        tuple(found.anchors),
        tuple(found.refused),
        found.unattached,
        found.overrun,
    )


def from_start(lines: Lines, options: Options) -> tuple[list[Block], int]:
    """Cut what only the beginning of a document may hold; give it and the line to go on from."""
    matter = front_matter(lines) if options.syntax == "markdown" else None
    return ([make_block(matter, lines, options)], matter.size) if matter else ([], 0)
