"""What is told of one block, with offsets into its text.

Both faces read a document block by block: a block that an edit leaves alone is told once, and never again while the
snapshot says the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cite_lsp.document.document import Block, Document
from cite_lsp.findings.documenting import block_findings
from cite_lsp.findings.finding import Edit, Fix
from cite_lsp.findings.resolving import SILENT, Case, tell
from cite_lsp.findings.told import Told
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class BlockTold:
    """What is known of one block."""

    resolutions: tuple[Resolution, ...]
    """Of each anchor of the block."""
    told: tuple[Told, ...]
    """Offsets are code points into the block's text, `anchor` the number of the anchor in the block."""


def tell_block(block: Block, document: Document, snapshot: Snapshot) -> BlockTold:
    """Resolve the anchors of a block of a document, and tell what is wrong with them."""
    resolutions = tuple([snapshot.resolve(anchor, document) for anchor in block.anchors])
    told = [*block_findings(block), *_resolve_findings(block, document, snapshot, resolutions)]
    return BlockTold(resolutions, tuple(told))


def _resolve_findings(
    block: Block, document: Document, snapshot: Snapshot, resolutions: tuple[Resolution, ...]
) -> Iterator[Told]:
    for number, (anchor, resolution) in enumerate(zip(block.anchors, resolutions, strict=True)):
        if resolution.status in SILENT:
            continue
        message, fixes = tell(Case(anchor, resolution, document, snapshot))
        yield Told(resolution.status, message, anchor.start, anchor.end, number, fixes)


def moved(told: Told, offset: int, first_anchor: int = 0) -> Told:
    """Give the same, for a text in which the block begins at `offset` with anchor number `first_anchor`."""
    return replace(
        told,
        start=told.start + offset,
        end=told.end + offset,
        anchor=None if told.anchor is None else told.anchor + first_anchor,
        fixes=tuple(moved_fix(fix, offset) for fix in told.fixes),
    )


def moved_fix(fix: Fix, offset: int) -> Fix:
    """Give a fix for a text that begins `offset` code points earlier."""
    edits = tuple(Edit(edit.start + offset, edit.end + offset, edit.text) for edit in fix.edits)
    return Fix(fix.title, edits, fix.preferred)
