"""The rows of an open document, kept from one save to the next: only what changed is cut out again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cite_lsp.audit.grounding import sharing
from cite_lsp.audit.rows import row_of
from cite_lsp.audit.verdicts import Row
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Block, Document
from cite_lsp.judges.embedded import EmbeddedJudge
from cite_lsp.server.checks import BlockChecked
from cite_lsp.snapshot.lines import FileText
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from cite_lsp.audit.judgement import AskingJudge
    from cite_lsp.audit.verdicts import Judge

_JUDGE = EmbeddedJudge()


@dataclass(frozen=True, slots=True)
class KeyedRow:
    """A row and the key of what the embedded judge reads of it."""

    key: str
    row: Row
    others: dict[str, str] = field(default_factory=dict, compare=False)
    """Keys for other judges, by their identity, once they were asked for."""

    def key_for(self, judge: "Judge | AskingJudge") -> str:
        """Give the key under which a judge's verdicts on the row are kept."""
        if judge.identity == _JUDGE.identity:
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
    block: Block
    surroundings: object
    resolutions: tuple[Resolution, ...]
    files: tuple[FileText | None, ...]
    made: BlockRows


class RowBook:
    """Makes rows, and remembers those of blocks whose text, surroundings and cited files stayed the same."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}

    def rows(self, document: Document, snapshot: Snapshot, checked: Mapping[int, BlockChecked]) -> Iterator[BlockRows]:
        """Give the rows of each block that holds anchors, in text order; one step of the iterator is one block.

        `checked`: what is known of the blocks of this version in this snapshot, by their identity.
        """
        old, self._kept = self._kept, {}
        bound = iter(document.anchors)
        for block in document.blocks:
            if block.anchors:
                anchors = [next(bound) for _ in block.anchors]
                resolutions = checked[id(block)].known.resolutions
                yield self._rows_of(block, anchors, resolutions, snapshot, old.get(id(block)))

    def _rows_of(
        self,
        block: Block,
        anchors: Sequence[Anchor],
        resolutions: tuple[Resolution, ...],
        snapshot: Snapshot,
        kept: _Kept | None,
    ) -> BlockRows:
        files = tuple(snapshot.file(resolution) for resolution in resolutions)
        surroundings = anchors[0].context and anchors[0].context.surroundings
        if (
            kept is None
            or kept.surroundings != surroundings
            or kept.resolutions != resolutions
            or any(one is not other for one, other in zip(kept.files, files, strict=True))
        ):
            rows = tuple(map(_row, anchors, resolutions, [snapshot] * len(anchors)))
            made = BlockRows(block, rows, sharing(anchors))
            kept = _Kept(block, surroundings, resolutions, files, made)
        self._kept[id(block)] = kept
        return kept.made


def _row(anchor: Anchor, resolution: Resolution, snapshot: Snapshot) -> KeyedRow | None:
    row = row_of(anchor, resolution, snapshot)
    return None if row is None else keyed(row)


def keyed(row: Row) -> KeyedRow:
    """Give a row with its key."""
    return KeyedRow(row.key(_JUDGE.identity, reads_file=_JUDGE.reads_file), row)
