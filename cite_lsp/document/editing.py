"""One edit: the blocks around it are cut again, all others kept."""

from collections.abc import Iterator, Sequence

from cite_lsp.document.blocks import FRONT_MATTER_LINES, cut_blocks
from cite_lsp.document.buffer import lines_with_ends
from cite_lsp.document.cuts import START, Lines, State
from cite_lsp.document.pieces import (
    GROUP,
    MARK,
    MARK_BLOCK,
    Block,
    Options,
    Piece,
    back,
    from_start,
    in_pieces,
    make_block,
    may_begin_with_front_matter,
)


def edited(pieces: tuple[Piece, ...], options: Options, start: int, end: int, replacement: str) -> tuple[Piece, ...]:
    """Give the pieces of a document with the text from `start` to `end` replaced; offsets outside it are clamped."""
    start = max(0, start) if pieces else 0
    end = max(start, end)
    piece, inside, line = _find_piece(pieces, start)
    blocks = pieces[piece].blocks if pieces else ()
    first, offset = _find_block(blocks, inside)
    if line < FRONT_MATTER_LINES + 2 * GROUP and (start < 5 or may_begin_with_front_matter(pieces)):
        low_piece, low = 0, 0
    else:
        low_piece, low = back(pieces, piece, first, 2)
    before = _before(pieces, low_piece, low, piece, first)
    return _Edit(pieces, options, low_piece, low).apply(before, offset, end - start, replacement)


def _find_piece(pieces: Sequence[Piece], offset: int) -> tuple[int, int, int]:
    """Give the piece that holds `offset`, the offset inside it, and the piece's first line."""
    line = 0
    for number, piece in enumerate(pieces):
        if offset < piece.characters or number == len(pieces) - 1:
            return number, offset, line
        offset -= piece.characters
        line += piece.lines
    return 0, 0, 0


def _before(pieces: Sequence[Piece], low_piece: int, low: int, piece: int, block: int) -> list[Block]:
    """Give the blocks from (low_piece, low) up to, without, (piece, block)."""
    found: list[Block] = []
    for number in range(low_piece, piece + 1):
        blocks = pieces[number].blocks if pieces else ()
        start = low if number == low_piece else 0
        found += blocks[start : block if number == piece else len(blocks)]
    return found


def _find_block(blocks: Sequence[Block], offset: int) -> tuple[int, int]:
    for number, block in enumerate(blocks):
        if offset < len(block.text) or number == len(blocks) - 1:
            return number, min(offset, len(block.text))
        offset -= len(block.text)
    return 0, 0


class _Edit:
    """One edit: the text from block (group, block) on is cut again until an old block fits."""

    def __init__(self, groups: tuple[Piece, ...], options: Options, group: int, block: int) -> None:
        self.groups = groups
        self.options = options
        self.group = group
        self.block = block
        self.next = (group, block)
        """The first old block that has not been read."""
        self.boundaries: dict[int, tuple[int, int]] = {}
        """Line numbers, counted from the first block cut again, at which an old block begins."""

    def apply(self, before: list[Block], offset: int, removed: int, replacement: str) -> tuple[Piece, ...]:
        head = "".join(block.text for block in before)
        self._skip(len(before))
        head = self._splice(head, offset, removed, replacement)
        blocks: list[Block] = []
        at_start = (self.group, self.block) == (0, 0)
        entry = START if at_start or not self.groups else self.groups[self.group].blocks[self.block].entry
        if at_start and head.startswith(MARK):
            blocks.append(MARK_BLOCK)
            head = head[1:]
        first = lines_with_ends(head)
        self._peek()
        self.boundaries[len(first)] = self.next
        lines = Lines(first, self._later(len(first)))
        number = 0
        if at_start:
            matter, number = from_start(lines, self.options)
            blocks += matter
        return self._finish(self._cut(blocks, lines, entry, number))

    def _splice(self, head: str, offset: int, removed: int, replacement: str) -> str:
        """Give the text that changed, made whole lines with what follows."""
        parts = [head]
        block = self._take()
        text = block.text if block else ""
        parts += (text[:offset], replacement)
        left = removed - (len(text) - offset)
        while left > 0 and (block := self._take()):
            text, offset, removed = block.text, 0, left
            left -= len(text)
        parts.append(text[offset + removed :])
        whole = "".join(parts)
        while (following := self._peek()) and (
            not whole.endswith(("\n", "\r")) or (whole.endswith("\r") and following.text.startswith("\n"))
        ):
            whole += following.text
            self._take()
        return whole

    def _peek(self) -> Block | None:
        """Give the next old block, `next` set to where it stands."""
        group, block = self.next
        while group < len(self.groups) and block >= len(self.groups[group].blocks):
            group, block = group + 1, 0
        self.next = (group, block)
        return self.groups[group].blocks[block] if group < len(self.groups) else None

    def _take(self) -> Block | None:
        block = self._peek()
        if block is not None:
            self.next = (self.next[0], self.next[1] + 1)
        return block

    def _skip(self, count: int) -> None:
        for _ in range(count):
            self._take()

    def _later(self, number: int) -> Iterator[str]:
        """Read the old blocks behind the change, line by line, and say where each begins."""
        while block := self._peek():
            self.boundaries[number] = self.next
            number += block.line_count
            self._take()
            self._peek()
            self.boundaries[number] = self.next
            yield from lines_with_ends(block.text)

    def _cut(self, blocks: list[Block], lines: Lines, entry: State, number: int) -> list[Block]:
        """Cut until an old block begins at the same place with the same state; `next` is then that block."""
        for cut in cut_blocks(lines, self.options.syntax, entry, number, self.boundaries.keys()):
            blocks.append(make_block(cut, lines, self.options))
            place = self.boundaries.get(cut.first + cut.size)
            if place is None:
                continue
            group, block = place
            if group >= len(self.groups) or self.groups[group].blocks[block].entry == cut.exit:
                self.next = place
                return blocks
        self.next = (len(self.groups), 0)
        return blocks

    def _finish(self, blocks: list[Block]) -> tuple[Piece, ...]:
        """Put the new blocks between the old groups."""
        start = self.groups[self.group].blocks[: self.block] if self.groups else ()
        middle = [*start, *blocks]
        group, block = self.next
        if group < len(self.groups) and block:
            middle += self.groups[group].blocks[block:]
            group += 1
        low = self.group
        if len(middle) < GROUP // 4 and group < len(self.groups):
            middle += self.groups[group].blocks
            group += 1
        return (*self.groups[:low], *in_pieces(middle), *self.groups[group:])
