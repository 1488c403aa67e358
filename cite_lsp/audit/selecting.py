"""Which citations an audit looks at, and in which order: a census, or the reference's stratified sample (audit.md)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

from cite_lsp.audit.asked import AskedLines, Resolve
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.rows import audited_hash, pick_indexes, row_of
from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.document.sections import sections_of
from cite_lsp.snapshot.excerpt import Excerpt
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

NOWHERE = frozenset({"malformed", "missing", "line-out-of-range"})
"""Statuses under which it is certain that a citation leads to no lines, so that nobody need be asked about it."""

UNRESOLVED = "the cited location does not resolve in the snapshot"
"""The reason of every verdict that is given without asking because a citation leads to no lines."""

_NOT_LOOKED_AT = {
    "foreign": "the citation is of another repository",
    "elsewhere": "the cited file seems to be one of another tree",
    "outside": "the cited path leads out of the workspace, so it is not read",
    "ambiguous": "several files fit the cited path",
    "blank-line": "cited lines are blank",
    "end-out-of-range": "the cited range ends past the end of the file",
}


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One citation of an audit.

    Attributes:
        number: The reference's row number: 0 for the first row of the audit, and so on.
        anchor: As `document.anchors` has it.
        index: Its place in `document.anchors`.
        resolution: What it means.
        row: What a judge is given; None where there is nothing to judge: `known` is the verdict then.
    """

    number: int
    anchor: Anchor
    index: int
    resolution: Resolution
    row: Row | None

    @property
    def section(self) -> str:
        """The nearest heading of level 2 above as written, or ""."""
        return self.anchor.section

    @property
    def claim(self) -> str:
        """What the lines are cited for, as a judge is given it."""
        return self.row.claim if self.row is not None else self.anchor.claim

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """The cited lines, one excerpt for each span that has some."""
        return self.row.excerpts if self.row is not None else ()

    @property
    def file(self) -> tuple[str, ...] | None:
        """All lines of the cited file, where they are known; they are never sent anywhere."""
        return self.row.file if self.row is not None else None

    @property
    def mechanical(self) -> bool:
        """Whether the verdict is certain without a judge: the citation should lead to lines, and leads to none."""
        return self.row is None and self.resolution.status in NOWHERE

    @property
    def known(self) -> Verdict | None:
        """The verdict that needs no judge; None for a row that is to be judged.

        What was not looked at, such as a file of another repository, is *unchecked*: neither good nor bad.
        """
        if self.row is not None:
            return None
        if self.mechanical:
            return Verdict("unsupported", "unresolved", UNRESOLVED)
        return Verdict("unchecked", reason=f"Not checked: {_why_not(self.resolution)}.")


def _why_not(resolution: Resolution) -> str:
    if resolution.reason:
        return f"the cited file {resolution.reason}"
    return _NOT_LOOKED_AT.get(resolution.status, "there is nothing to judge")


def select_rows(
    document: Document,
    snapshot: Snapshot,
    options: AuditOptions | None = None,
    seed: str | None = None,
    resolve: Resolve | None = None,
    pinned: Iterable[int] = (),
    resolutions: Sequence[Resolution] = (),
) -> tuple[AuditRow, ...]:
    """Give the rows of an audit, numbered in the reference's order: the first pick of every section, then the second.

    Which citations are selected, and their order, hang on the document and the options alone: another snapshot leaves
    them as they are. A pick is a citing sentence; under resolver 1 its first citation stands for it, under resolver 2
    each of its citations is a row. A census picks all sentences, a sample some of each section, and ends at
    `max_sampled` rows though that be amid a sentence.

    Args:
        document: The audited document.
        snapshot: What its citations point at.
        options: The defaults where None.
        seed: What the sample is drawn by; the document's hash where None.
        resolve: Answers for cited lines in place of the snapshot.
        pinned: Places in `document.anchors` that are rows whether they are selected or not; those that are not come
            behind the others.
        resolutions: What each of `document.anchors` means, where that is known from a check: as of a commit, say.

    Raises:
        IndexError: `pinned` names a citation that the document does not have.
    """
    options = options or AuditOptions()
    asked = AskedLines(resolve, options) if resolve is not None else None
    chosen = dict.fromkeys([*_chosen(document, options, seed), *pinned])
    count = len(document.anchors)
    if wrong := [index for index in chosen if not 0 <= index < count]:
        raise IndexError(f"pinned: {wrong[0]} is no place in document.anchors, which has {count}")
    return tuple([
        _row(number, index, document, snapshot, options, asked or resolutions) for number, index in enumerate(chosen)
    ])  # fmt: skip


def _row(
    number: int,
    index: int,
    document: Document,
    snapshot: Snapshot,
    options: AuditOptions,
    known: AskedLines | Sequence[Resolution],
) -> AuditRow:
    anchor = document.anchors[index]
    if isinstance(known, AskedLines):
        resolution, row = known.row_of(anchor)
    else:
        resolution = known[index] if known else snapshot.resolve(anchor, document)
        row = row_of(anchor, resolution, snapshot, resolver=options.resolver, window=options.window)
    if row is not None and options.resolver == 1 and row.claim in row.sentence:
        row = replace(row, claim=row.sentence)  # a sentence's one row stands for all of it
    return AuditRow(number, anchor, index, resolution, row)


# ------------------------------------------------------------------------------------------------ which, in which order

_Group = tuple[int, ...]
"""The citations of one sentence that are rows: places in `document.anchors`."""


def _chosen(document: Document, options: AuditOptions, seed: str | None) -> list[int]:
    strata = list(_strata(document, options))
    if options.scope == "all":
        return list(_by_rank([groups for _, groups in strata]))
    seed = audited_hash(document.text) if seed is None else seed
    picked = [
        [groups[at] for at in pick_indexes(len(groups), options.sample_per_section, f"{seed}:{marker}")]
        for marker, groups in strata
    ]
    return list(islice(_by_rank(picked), options.max_sampled))


def _by_rank(sections: Sequence[Sequence[_Group]]) -> Iterator[int]:
    """Give the first group of every section in order, then the second ones, and so on."""
    rank = 0
    while sections := [groups for groups in sections if rank < len(groups)]:
        for groups in sections:
            yield from groups[rank]
        rank += 1


def _strata(document: Document, options: AuditOptions) -> Iterator[tuple[str, list[_Group]]]:
    """Give each section that cites anything: its marker, and the citing sentences of it in text order."""
    sections = sections_of(document)
    section = next(sections)
    anchors = document.anchors
    at = 0
    while at < len(anchors):
        while anchors[at].start >= section.end:
            section = next(sections)
        behind = at
        while behind < len(anchors) and anchors[behind].start < section.end:
            behind += 1
        yield section.marker, list(_groups(anchors, range(at, behind), options))
        at = behind


def _groups(anchors: Sequence[Anchor], indexes: range, options: AuditOptions) -> Iterator[_Group]:
    for _, found in groupby(indexes, lambda index: _sentence(anchors[index])):
        group = tuple(found)
        if options.resolver == 1:
            yield (next((index for index in group if not anchors[index].defect), group[0]),)
        else:
            yield group


def _sentence(anchor: Anchor) -> tuple[int, tuple[int, int]]:
    """Give what the citations of one sentence share; each block of a document has one context."""
    context = anchor.context
    return (0, (anchor.start, anchor.end)) if context is None else (id(context), context.sentence_place(anchor.index))
