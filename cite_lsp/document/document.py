"""One parsed version of a document: blocks, and the anchors in them.

A document is immutable. Its blocks stand in groups, so that an edit copies a few dozen references and not the whole
text: what a key stroke costs does not grow with the document.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.binding import bind, bind_between
from cite_lsp.document.blocks import cut_blocks, syntax_of
from cite_lsp.document.buffer import lines_with_ends, without_end
from cite_lsp.document.changes import LineChange, within
from cite_lsp.document.cuts import START, Lines
from cite_lsp.document.editing import edited
from cite_lsp.document.path_token import Grammar, make_grammar
from cite_lsp.document.pattern import compile_pattern
from cite_lsp.document.pattern_search import Allowance
from cite_lsp.document.pieces import (
    MARK,
    MARK_BLOCK,
    Block,
    Options,
    Piece,
    anchors_in,
    from_start,
    has_mark,
    in_pieces,
    make_block,
)
from cite_lsp.document.revising import revised

if TYPE_CHECKING:
    from regex import Pattern

__all__ = ["Block", "Document", "Piece"]


class Document:
    """One version of a document. Offsets are code points into `text`; lines are 0-based here."""

    __slots__ = ("_anchors", "_groups", "_options")

    def __init__(self, groups: tuple[Piece, ...], options: Options) -> None:
        self._groups = groups
        self._options = options
        self._anchors: tuple[Anchor, ...] | None = None

    @classmethod
    def parse(
        cls,
        text: str,
        path: str = "",
        known: Container[str] = (),
        pattern: "Pattern[str] | str | None" = None,
        *,
        in_fences: bool = False,
        extensions: frozenset[str] = frozenset(),
    ) -> "Document":
        """Parse a text. Never raises on it, and is linear in it.

        `path` is POSIX and relative to its root; its ending chooses the block rules. `known` is any container of
        paths that count whatever their extension. `pattern`, an expression or what `compile_pattern` makes of one,
        takes the place of the grammar; ValueError says what is wrong with it.
        """
        if isinstance(pattern, str):
            compiled = compile_pattern(pattern)
            if isinstance(compiled, str):
                raise ValueError(compiled)  # noqa: TRY004 - a wrong value, told as text
            pattern = compiled
        options = Options(path, syntax_of(path), make_grammar(known, extensions, path), pattern, in_fences)
        blocks: list[Block] = []
        if text.startswith(MARK):
            blocks.append(MARK_BLOCK)
            text = text[1:]
        lines = Lines(lines_with_ends(text))
        first, number = from_start(lines, options)
        blocks += first
        blocks += [make_block(cut, lines, options) for cut in cut_blocks(lines, options.syntax, START, number)]
        return cls(tuple(in_pieces(blocks)), options)

    # --- reading

    @property
    def path(self) -> str:
        """The path given to `parse`."""
        return self._options.path

    @property
    def grammar(self) -> Grammar:
        """What its anchors depend on besides its text."""
        return self._options.grammar

    def at(self, path: str) -> "Document":
        """Give the same document as it would be at another path of the same syntax."""
        return Document(self._groups, replace(self._options, path=path))

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(block.text for block in self.blocks)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The blocks in order, some dozens together; none is empty."""
        return self._groups

    @property
    def blocks(self) -> Iterator[Block]:
        """The blocks in order; joined, their texts are the document's."""
        return (block for group in self._groups for block in group.blocks)

    @property
    def line_count(self) -> int:
        """Number of lines; a last terminator begins no further one."""
        return sum([group.lines for group in self._groups])

    @property
    def refused(self) -> frozenset[str]:
        """Paths with lines that would count if they existed: parse again when the snapshot's paths change."""
        return frozenset(path for block in self.blocks for path in block.refused)

    @property
    def unattached(self) -> int:
        """Number of line words and bare `:line` that have no path to go with."""
        return sum(block.unattached for block in self.blocks)

    @property
    def overrun(self) -> bool:
        """Whether the user's pattern ran out of time somewhere, so that citations may be missing."""
        return any(block.overrun for block in self.blocks)

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """The anchors in text order, with absolute offsets, claim, sentence and section."""
        if self._anchors is None:
            self._anchors = tuple(bind(self.blocks))
        return self._anchors

    def anchors_between(self, start: int, end: int) -> tuple[Anchor, ...]:
        """Give those of `anchors` that touch the offsets from `start` to `end`, both included.

        The others are not bound, so that one claim of a long document costs little.
        """
        return tuple(bind_between(self._groups, start, end))

    def anchor_at(self, offset: int) -> Anchor | None:
        """Give the anchor that covers an offset, else the one that ends there, as `anchors` has it."""
        found = self.anchors_between(offset, offset)
        return found[-1] if found else None

    def anchors_with(self, block: Block, text: str) -> tuple[Anchor, ...]:
        """Give the anchors that one of the blocks would have with another text, with offsets into that text."""
        return anchors_in(block, text, self._for_edit())

    def block_at(self, offset: int) -> tuple[Block, int] | None:
        """Give the block that holds an offset, and where it begins; at the text's end one whose last line is open."""
        start = 0
        for piece in self._groups:
            if offset > start + piece.characters:
                start += piece.characters
                continue
            for block in piece.blocks:
                behind = start + len(block.text)
                if offset < behind or (
                    offset == behind and not block.text.endswith(("\n", "\r")) and block.text != MARK
                ):
                    return block, start
                start = behind
        return None

    def line_of(self, offset: int) -> tuple[int, int]:
        """Give the 0-based line of an offset and where that line starts; outside the text counts as its ends.

        Behind a last terminator stands one more line, which is empty.
        """
        line = start = 0
        for piece in self._groups:
            if start + piece.characters <= offset and piece is not self._groups[-1]:
                start += piece.characters
                line += piece.lines
                continue
            for text in lines_with_ends(piece.text.removeprefix(MARK) if start == 0 else piece.text):
                behind = start + len(text) + (1 if start == 0 and self._has_mark() else 0)
                if offset < behind or not text.endswith(("\n", "\r")):
                    return line, start
                start = behind
                line += 1
        return line, start

    def text_of_line(self, line: int) -> str:
        """Give a 0-based line without its terminator, the first with the byte-order mark; "" outside the text."""
        mark = MARK if line == 0 and self._has_mark() else ""
        for number, piece in enumerate(self._groups if line >= 0 else ()):
            if line < piece.lines:
                text = piece.text if number or not self._has_mark() else piece.text[1:]
                return mark + without_end(lines_with_ends(text)[line])
            line -= piece.lines
        return mark

    def offset(self, line: int, column: int) -> int:
        """Give the offset of a 0-based line and code-point column; past the end of either counts as that end."""
        if line < 0:
            return 0
        if line == 0 and self._has_mark():
            line, column = 0, column - 1
            if column < 0:
                return 0
        offset = 0
        for group in self._groups:
            if line >= group.lines:
                line -= group.lines
                offset += group.characters
                continue
            for block in group.blocks:
                if line >= block.line_count:
                    line -= block.line_count
                    offset += len(block.text)
                    continue
                lines = lines_with_ends(block.text)
                before = sum(map(len, lines[:line]))
                return offset + before + min(max(column, 0), len(without_end(lines[line])))
        return offset

    # --- editing

    def edit(self, start: int, end: int, replacement: str) -> "Document":
        """Give the document with the text from `start` to `end` replaced; offsets outside the text are clamped.

        Blocks that the edit does not touch are the same objects in both documents.
        """
        options = self._for_edit()
        return Document(edited(self._groups, options, start, end, replacement), options)

    def revised(self, lines: list[str], changes: Sequence[LineChange]) -> "Document":
        """Give the document of an edited text, for many edits at the cost of the blocks that they touch.

        `lines` are all lines of the text with their terminators, as `Buffer.lines` gives them; they differ from this
        document's by `changes` (`Buffer.take_changes`) and nowhere else. `lines` is read now and not kept.
        """
        count = len(lines) - 1 if lines and not lines[-1] else len(lines)
        marked = lines[:1] != [] and lines[0].startswith(MARK)
        if marked:
            lines = [lines[0][1:], *lines[1:]] if lines[0] != MARK else lines[1:]
            count = min(count, len(lines))
        options = self._for_edit()
        known = Lines(lines, ready=count)
        places = within(changes, self.line_count, count)
        return Document(revised(self._groups, options, known, places, marked=marked), options)

    def _for_edit(self) -> Options:
        """Give the options with the pattern's time as it is before an edit."""
        return self._options if self._options.pattern is None else replace(self._options, allowance=Allowance())

    def _has_mark(self) -> bool:
        """Say whether the text begins with a byte-order mark."""
        return has_mark(self._groups)
