"""What is told of one block, with offsets into its text.

Both faces read a document block by block: a block that an edit leaves alone is told once, and never again while the
snapshot says the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from cite_lsp.document.claims import ALONE, Claims
from cite_lsp.document.document import Block, Document
from cite_lsp.findings.documenting import block_findings
from cite_lsp.findings.drifting import (
    Drifted,
    commit_in_words,
    is_lost,
    kept_together,
    tell_drift,
    what_is_left,
)
from cite_lsp.findings.finding import Edit, Fix
from cite_lsp.findings.resolving import SILENT, Case, tell
from cite_lsp.findings.told import REPLACED, Told
from cite_lsp.snapshot.baseline import Written
from cite_lsp.snapshot.drift import Drift
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

Drifts = tuple[Drift, ...]
"""How each span of an anchor drifted."""


@dataclass(frozen=True, slots=True)
class BlockTold:
    """What is known of one block."""

    resolutions: tuple[Resolution, ...]
    """Of each anchor of the block; as of a commit where the anchor is read so."""
    told: tuple[Told, ...]
    """Offsets are code points into the block's text, `anchor` the number of the anchor in the block."""
    drifts: tuple[Drifts | None, ...] = ()
    """Of each anchor; None where drift was not looked for. Empty where it was looked for nowhere."""
    present: tuple[Resolution, ...] = ()
    """What each anchor means at present."""


def tell_block(
    block: Block,
    document: Document,
    snapshot: Snapshot,
    written: Sequence[Written | None] = (),
) -> BlockTold:
    """Resolve the anchors of a block of a document, compare them with what they showed, and tell what is wrong.

    `written`: what is known of each anchor's past; empty where drift is not looked for.
    """
    present = tuple([snapshot.resolve(anchor, document) for anchor in block.anchors])
    drifts = drifts_of(block, document, snapshot, written, present) if written else ()
    return tell_known(block, document, snapshot, present, written, drifts)


def drifts_of(
    block: Block,
    document: Document,
    snapshot: Snapshot,
    written: Sequence[Written | None],
    present: Sequence[Resolution],
) -> tuple[Drifts | None, ...]:
    """Compare each anchor of a block with what it showed when it was written; `present`: what each means now."""
    if all(past is None for past in written):
        return (None,) * len(block.anchors)
    claims = Claims(block, ALONE)
    return tuple([
        None
        if past is None
        else snapshot.drifts(past, anchor, document, resolution, partial(claims.sentence, number))
        for number, (anchor, past, resolution) in enumerate(zip(block.anchors, written, present, strict=True))
    ])  # fmt: skip


def tell_known(
    block: Block,
    document: Document,
    snapshot: Snapshot,
    present: tuple[Resolution, ...],
    written: Sequence[Written | None] = (),
    drifts: tuple[Drifts | None, ...] = (),
) -> BlockTold:
    """Tell what is wrong with a block whose anchors were resolved and compared with their past."""
    if not any(written) and all(each.status in SILENT for each in present):
        return BlockTold(present, tuple(block_findings(block)), drifts, present)  # what most are, as they are opened
    cases = {
        number: Drifted(number, block, past, known, now)
        for number, (known, past, now) in enumerate(zip(drifts, written, present, strict=bool(drifts)))
        if known is not None and past is not None
    }
    found = [told for case in cases.values() for told in tell_drift(case, document, snapshot)]
    found = kept_together(found, cases, block)
    answered = {each.anchor for each in found if each.code == "moved"}
    resolutions = tuple([
        past.resolution if past is not None and past.resolution is not None else now
        for now, past in zip(present, written or [None] * len(present), strict=True)
    ])  # fmt: skip
    told = list(_resolve_findings(block, document, snapshot, resolutions))
    for at, each in enumerate(told):
        case = cases.get(each.anchor or 0)
        if each.code not in REPLACED or case is None:
            continue
        if each.anchor in answered:
            told[at] = replace(each, replaced=True)
        elif is_lost(case):
            doubted = [replace(fix, preferred=False) for fix in each.fixes]
            told[at] = replace(each, fixes=(*what_is_left(case, document), *doubted))
    return BlockTold(resolutions, (*block_findings(block), *told, *found), drifts, present)


def _resolve_findings(
    block: Block, document: Document, snapshot: Snapshot, resolutions: tuple[Resolution, ...]
) -> Iterator[Told]:
    for number, (anchor, resolution) in enumerate(zip(block.anchors, resolutions, strict=True)):
        if resolution.status in SILENT:
            continue
        message, fixes = tell(Case(anchor, resolution, document, snapshot))
        yield as_of(Told(resolution.status, message, anchor.start, anchor.end, number, fixes), resolution)


def as_of(told: Told, resolution: Resolution) -> Told:
    """Say which commit is meant, of a citation that is read as of one."""
    if not resolution.as_of:
        return told
    when = commit_in_words(resolution.as_of, resolution.as_of_time)
    return replace(told, message=f"{told.message} (as of {when})", as_of=True)


def moved(told: Told, offset: int, first_anchor: int = 0) -> Told:
    """Give the same, for a text in which the block begins at `offset` with anchor number `first_anchor`."""
    anchor = None if told.anchor is None else told.anchor + first_anchor
    fixes = tuple([moved_fix(fix, offset) for fix in told.fixes]) if told.fixes else ()
    start, end = told.start + offset, told.end + offset
    return Told(
        told.code, told.message, start, end, anchor, fixes, told.as_of, told.replaced, told.level, told.doubtful
    )


def moved_fix(fix: Fix, offset: int) -> Fix:
    """Give a fix for a text that begins `offset` code points earlier."""
    edits = tuple([Edit(edit.start + offset, edit.end + offset, edit.text) for edit in fix.edits])
    return Fix(fix.title, edits, fix.preferred)
