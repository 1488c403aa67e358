"""Many edits at once: the blocks around every changed place are cut again in one pass, all others kept."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate

from cite_lsp.document.blocks import FRONT_MATTER_LINES, cut_blocks
from cite_lsp.document.changes import LineChange
from cite_lsp.document.cuts import START, Cut, Lines
from cite_lsp.document.pieces import (
    GROUP,
    MARK_BLOCK,
    Block,
    Options,
    Piece,
    from_start,
    in_pieces,
    lines_of,
    make_block,
    may_begin_with_front_matter,
)

_FEW = GROUP // 4
"""So few blocks are no piece of their own."""


class _Place:
    """A place among the old blocks: block number `block` of a piece, which begins at line `line`."""

    __slots__ = ("_ends", "base", "block", "line", "piece", "pieces")

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        self.piece = 0
        self.base = 0
        """First line of the piece."""
        self.block = 0
        self.line = 0
        self._ends: dict[int, list[int]] = {}
        """Of each piece that was looked into where its blocks end, counted from its first line."""

    def copy(self) -> "_Place":
        copy = _Place.__new__(_Place)
        copy.pieces, copy.piece, copy.base = self.pieces, self.piece, self.base
        copy.block, copy.line, copy._ends = self.block, self.line, self._ends
        return copy

    def seek(self, line: int) -> bool:
        """Go forward to the block that holds `line`, or to the end; say whether a block, or the end, begins there."""
        pieces = self.pieces
        piece, base = self.piece, self.base
        while piece < len(pieces) and base + pieces[piece].lines <= line:
            base += pieces[piece].lines
            piece += 1
        if piece != self.piece:
            self.piece, self.base, self.block, self.line = piece, base, 0, base
        if piece < len(pieces) and line >= self.line:
            ends = self._ends.get(piece)
            if ends is None:
                ends = self._ends[piece] = list(accumulate(map(lines_of, pieces[piece].blocks)))
            block = bisect_right(ends, line - base)
            self.block = block
            self.line = base + ends[block - 1] if block else base
        return self.line == line

    @property
    def here(self) -> Block | None:
        """The block, or None at the end."""
        return self.pieces[self.piece].blocks[self.block] if self.piece < len(self.pieces) else None

    def at_end(self) -> "_Place":
        """Give the place behind the last block; no line is looked for from there."""
        end = self.copy()
        end.piece, end.block = len(self.pieces), 0
        return end


class _Stops(AbstractSet[int]):
    """The new line numbers at which a kept block may begin."""

    def __init__(self, revision: "_Revision") -> None:
        self._revision = revision

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self._revision.begins_at(number)

    def __iter__(self) -> Iterator[int]:
        return iter(())

    def __len__(self) -> int:
        return 0


def revised(
    pieces: tuple[Piece, ...], options: Options, lines: Lines, changes: Sequence[LineChange], *, marked: bool
) -> tuple[Piece, ...]:
    """Give the pieces of the text of `lines`, which differs from that of `pieces` by `changes` and nowhere else.

    `marked`: the text begins with a byte-order mark, which is not in `lines`.
    """
    return _Revision(pieces, options, lines, changes).run(marked=marked)


class _Revision:
    """One pass over the changed places, from the top down."""

    def __init__(
        self, pieces: tuple[Piece, ...], options: Options, lines: Lines, changes: Sequence[LineChange]
    ) -> None:
        self.pieces = pieces
        self.options = options
        self.lines = lines
        self.changes = changes
        self.firsts = [change.new_first for change in changes]
        self.done: list[Piece] = []
        self.open: list[Block] = []
        """Blocks behind `done` that are in no piece yet."""
        self.next = _Place(pieces)
        """The first old block that is neither kept yet nor left out."""
        self.probe = self.next
        """How far the old blocks were looked at."""
        self.taken = 0
        """So many changes begin before the place that is cut."""
        self.begun = 0
        """As many did when the last cutting began: it goes on until it has seen one more."""

    def run(self, *, marked: bool) -> tuple[Piece, ...]:
        stops = _Stops(self)
        while self.taken < len(self.changes):
            self.begun = self.taken
            number = self.restart(self.changes[self.taken])
            at_start = number == 0 and not self.done and not self.open
            entry = block.entry if (block := self.next.here) and not at_start else START
            if at_start:
                self.open += [MARK_BLOCK] if marked else []
                matter, number = from_start(self.lines, self.options)
                self.open += matter
                self.pass_over(number)
            for cut in cut_blocks(self.lines, self.options.syntax, entry, number, stops):
                self.open.append(self.reused(cut) or make_block(cut, self.lines, self.options))
                if self.fits(cut):
                    break
            else:
                self.taken = len(self.changes)
                self.next = self.next.at_end()
        return self.finish()

    def restart(self, change: LineChange) -> int:
        """Keep the blocks that the change cannot reach; give the new line at which the next old block begins.

        No rule looks further than two lines past the end of its block, and none past a blank line there.
        """
        before = change.new_first - 1
        blank = before >= 0 and self.lines.read[before] == "\n"
        target = change.old_first - (1 if blank else 2)
        if not self.done and not self.open and self.may_have_front_matter(change):
            target = 0
        to = self.next.copy()
        if target > 0:
            to.seek(target)
        if to.line:
            self.keep(to)
        self.probe = to.copy()
        return to.line + change.new_first - change.old_first

    def may_have_front_matter(self, change: LineChange) -> bool:
        return change.old_first <= FRONT_MATTER_LINES and may_begin_with_front_matter(self.pieces)

    def keep(self, to: _Place) -> None:
        """Keep the old blocks from the next one up to a place, whole pieces as they are."""
        piece, block = self.next.piece, self.next.block
        while to.piece > piece and (block or 0 < len(self.open) < _FEW):
            self.open += self.pieces[piece].blocks[block:]
            piece, block = piece + 1, 0
        if to.piece > piece:
            self.close()
            self.done += self.pieces[piece : to.piece]
            block = 0
        if to.block:
            self.open += self.pieces[to.piece].blocks[block : to.block]
        self.next = to

    def close(self) -> None:
        self.done += in_pieces(self.open)
        self.open = []

    def finish(self) -> tuple[Piece, ...]:
        self.keep(self.next.at_end())
        self.close()
        return tuple(self.done)

    # --- where new and old lines meet

    def pass_over(self, number: int) -> None:
        """Count the changes that begin before new line `number`."""
        self.taken = bisect_left(self.firsts, number, self.taken)

    def old_line(self, number: int, taken: int) -> int:
        """Give the old line that is new line `number` behind `taken` changes, or -1 where it is a changed one."""
        if taken:
            change = self.changes[taken - 1]
            return number - change.new_last + change.old_last if number >= change.new_last else -1
        return number

    def begins_at(self, number: int) -> bool:
        """Say whether an old block begins at new line `number`."""
        old = self.old_line(number, bisect_left(self.firsts, number, self.taken))
        return old >= 0 and self.seek(old)

    def seek(self, old: int) -> bool:
        """Put the probe at an old line; say whether a block, or the end, begins there."""
        if old < self.probe.line:
            if old < self.next.line:
                return False
            self.probe = self.next.copy()
        return self.probe.seek(old)

    def reused(self, cut: Cut) -> Block | None:
        """Give the old block that is the same as the cut one, where no change comes between."""
        taken = self.taken
        if taken < len(self.firsts) and self.firsts[taken] < cut.first + cut.size:
            return None
        old = self.old_line(cut.first, taken)
        if old < 0 or not self.seek(old):
            return None
        block = self.probe.here
        return block if block and block.line_count == cut.size and _same(block, cut) else None

    def fits(self, cut: Cut) -> bool:
        """Say whether old blocks go on behind the cut one, and make the one there the next."""
        number = cut.first + cut.size
        self.pass_over(number)
        if self.taken <= self.begun:
            return False
        old = self.old_line(number, self.taken)
        if old < 0 or not self.seek(old):
            return False
        block = self.probe.here
        if block is None and self.taken < len(self.changes):
            return False  # only the text behind the last change ends here
        if block is not None and block.entry != cut.exit:
            return False
        self.next = self.probe.copy()
        return True


def _same(block: Block, cut: Cut) -> bool:
    return block.kind == cut.kind and block[3:7] == cut[3:7]  # both states, level and indent
