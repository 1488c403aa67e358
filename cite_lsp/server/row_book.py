"""The rows of an open document, kept from one save to the next: only what changed is cut out again."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cite_lsp.audit.grounding import sharing
from cite_lsp.audit.rows import row_of
from cite_lsp.audit.verdicts import Row
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.binding import Binder, Surrounded
from cite_lsp.document.document import Block, Document, Piece
from cite_lsp.judges.embedded.identity import IDENTITY, READS_FILE
from cite_lsp.server.checks import PieceChecked
from cite_lsp.snapshot.lines import FileText
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from cite_lsp.audit.judgement import AskingJudge
    from cite_lsp.audit.verdicts import Judge


@dataclass(frozen=True, slots=True)
class KeyedRow:
    """A row and the key of what the embedded judge reads of it."""

    key: str
    row: Row
    others: dict[str, str] = field(default_factory=dict, compare=False)
    """Keys for other judges, by their identity, once they were asked for."""

    def key_for(self, judge: "Judge | AskingJudge") -> str:
        """Give the key under which a judge's verdicts on the row are kept."""
        if judge.identity == IDENTITY:
            return self.key
        key = self.others.get(judge.identity)
        if key is None:
            self.others.clear()  # a document has one judge at a time
            key = self.others[judge.identity] = self.row.key(judge.identity, reads_file=judge.reads_file)
        return key


@dataclass(frozen=True, slots=True)
class BlockRows:
    """A block with its rows, one an anchor; None where there is nothing to judge."""

    block: Block
    rows: tuple[KeyedRow | None, ...]
    beside: tuple[tuple[int, ...], ...]
    """For each anchor the numbers of those in the block that share its sentence or its claim."""


@dataclass(frozen=True, slots=True)
class _Kept:
    surroundings: object
    resolutions: tuple[Resolution, ...]
    files: tuple[FileText | None, ...]
    made: BlockRows


@dataclass(frozen=True, slots=True)
class _KeptPiece:
    """The rows of a piece, and what they hang on."""

    checked: PieceChecked
    before: Surrounded
    after: Surrounded
    files: tuple[tuple[Resolution, FileText | None], ...]
    """Each cited file once, by a citation that leads to it."""
    blocks: Mapping[int, _Kept]
    """By the identity of the block, in text order."""

    def holds(self, checked: PieceChecked | None, before: Surrounded, snapshot: Snapshot) -> bool:
        """Say whether all is as it was when the rows were made."""
        return (
            self.checked is checked
            and self.before == before
            and all(snapshot.file(resolution) is file for resolution, file in self.files)
        )


class RowBook:
    """Makes rows, and remembers those of blocks whose text, surroundings and cited files stayed the same."""

    def __init__(self) -> None:
        self._kept: dict[Piece, _KeptPiece] = {}

    def rows(
        self, document: Document, snapshot: Snapshot, checked: Mapping[Piece, PieceChecked]
    ) -> Iterator[BlockRows]:
        """Give the rows of each block that holds anchors, in text order; one step of the iterator is one block.

        `checked`: what is known of the pieces of this version in this snapshot.
        """
        old, now = self._kept, dict[Piece, _KeptPiece]()
        blocks: dict[int, _Kept] | None = None
        binder = Binder()
        for piece in document.pieces:
            before, kept = binder.state, old.get(piece)
            if kept is None or not kept.holds(checked.get(piece), before, snapshot):
                if blocks is None:
                    blocks = {number: block for each in old.values() for number, block in each.blocks.items()}
                made: dict[int, _Kept] = {}
                for block in piece.blocks:
                    binder.enter(block)
                    if block.anchors:
                        resolutions = checked[piece].blocks[id(block)].known.resolutions
                        found = _kept_or_made(block, binder, resolutions, snapshot, blocks.get(id(block)))
                        made[id(block)] = found
                        yield found.made
                    binder.leave(block)
                kept = _KeptPiece(checked[piece], before, binder.state, _files(made.values()), made)
                self._kept[piece] = kept  # whoever ends before the last piece has not worked for nothing
            else:
                binder.go_on(kept.after)
                for each in kept.blocks.values():
                    yield each.made
            now[piece] = kept
        self._kept = now


def _kept_or_made(
    block: Block, binder: Binder, resolutions: tuple[Resolution, ...], snapshot: Snapshot, kept: _Kept | None
) -> _Kept:
    context = binder.context(block)
    files = tuple(snapshot.file(resolution) for resolution in resolutions)
    if (
        kept is not None
        and kept.made.block is block
        and kept.surroundings == context.surroundings
        and kept.resolutions == resolutions
        and all(one is other for one, other in zip(kept.files, files, strict=True))
    ):
        return kept
    anchors = [anchor.bound(0, context) for anchor in block.anchors]
    rows = tuple(map(_row, anchors, resolutions, [snapshot] * len(anchors)))
    return _Kept(context.surroundings, resolutions, files, BlockRows(block, rows, sharing(anchors)))


def _files(blocks: Iterable[_Kept]) -> tuple[tuple[Resolution, FileText | None], ...]:
    found = {
        (resolution.root, resolution.path, resolution.blob): (resolution, file)
        for kept in blocks
        for resolution, file in zip(kept.resolutions, kept.files, strict=True)
        if resolution.resolved
    }
    return tuple(found.values())


def _row(anchor: Anchor, resolution: Resolution, snapshot: Snapshot) -> KeyedRow | None:
    row = row_of(anchor, resolution, snapshot)
    return None if row is None else keyed(row)


def keyed(row: Row) -> KeyedRow:
    """Give a row with its key."""
    return KeyedRow(row.key(IDENTITY, reads_file=READS_FILE), row)
