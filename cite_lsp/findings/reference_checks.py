"""The checks of the reference audit that serve an author, put right (findings.md): off until a rule switches them on.

`cited-value`: a value in a code span that does not stand in the lines cited for it. `uncited`: a sentence that states a
fact about code and cites nothing. `section-citations`: a section that cites less than it must.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from cite_lsp.audit.cited_values import Shown, values_of
from cite_lsp.audit.factual import PROSE, uncited
from cite_lsp.config import Settings, severity_of
from cite_lsp.document.binding import begins_section
from cite_lsp.document.buffer import lines_with_ends, without_end
from cite_lsp.document.document import Block, Document
from cite_lsp.document.ranges import Place
from cite_lsp.findings.by_block import BlockTold, as_of
from cite_lsp.findings.told import Told, as_written, lines_in_words
from cite_lsp.snapshot.snapshot import Snapshot

CITED_VALUE = "cited-value"
SECTION_CITATIONS = "section-citations"
UNCITED = "uncited"
CODES = (CITED_VALUE, SECTION_CITATIONS, UNCITED)

_LOOKED_AT = frozenset({"found", "case-differs", "untracked-target", "ignored-target"})
_CODE = frozenset({"fence", "code"})
_NO_TEXT = frozenset({"blank", "heading", "comment", "break", "link-definition"})
_MOST_LINES = 2_000
"""Lines that are looked at for one value."""
_MOST_KEPT = 1_024


@dataclass(frozen=True, slots=True)
class ReferenceChecks:
    """Which of the checks are switched on in a document."""

    codes: frozenset[str] = frozenset()
    section_minimum: int = 1

    @classmethod
    def of(cls, settings: Settings, path: str) -> "ReferenceChecks":
        """Look up what settings switch on; `path` is the document's, relative to the folder of its settings."""
        if not settings.overrides and settings.rules.keys().isdisjoint(CODES):
            return ALL_OFF
        on = frozenset([code for code in CODES if severity_of(code, path, settings, "off") != "off"])
        return cls(on, settings.audit.section_minimum) if on else ALL_OFF

    def __bool__(self) -> bool:
        """Whether any is on."""
        return bool(self.codes)

    @property
    def reads_lines(self) -> bool:
        """Whether what is told of a block hangs on the text of the cited lines."""
        return CITED_VALUE in self.codes

    def of_block(self, block: Block, known: BlockTold, snapshot: Snapshot) -> Iterator[Told]:
        """Tell what hangs on the cited lines of a block; offsets are into its text, `anchor` the number in the block.

        `known`: what else is told of the block. A citation that leads nowhere, or to what has moved, is passed over:
        that its lines are wrong is said already.
        """
        if CITED_VALUE in self.codes and block.anchors and "`" in block.text and block.kind not in _CODE:
            yield from _cited_values(block, known, snapshot)

    def of_text(self, block: Block) -> tuple[Told, ...]:
        """Tell what hangs on the text of a block alone; it counts in a document that cites anything."""
        return _uncited(block) if UNCITED in self.codes and block.kind in PROSE and "`" in block.text else ()

    def of_whole(self, document: Document) -> Iterator[Told]:
        """Tell which sections cite too little; offsets are into the document's text."""
        if SECTION_CITATIONS in self.codes:
            yield from _thin_sections(document, self.section_minimum)


ALL_OFF = ReferenceChecks()


# ------------------------------------------------------------------------------------------------ cited-value


def _cited_values(block: Block, known: BlockTold, snapshot: Snapshot) -> Iterator[Told]:
    moved = {each.anchor for each in known.told if each.code == "moved"}
    shown: dict[tuple[int, ...], Shown | None] = {}
    for value in values_of(block):
        if value.anchors not in shown:
            lines = None if moved.intersection(value.anchors) else _lines(block, value.anchors, known, snapshot)
            shown[value.anchors] = None if lines is None else Shown(lines)
        cited = shown[value.anchors]
        if cited is not None and not cited.holds(value.text):
            message = f"`{as_written(value.text)}` does not stand {_where(block, value.anchors)}"
            told = Told(CITED_VALUE, message, value.start, value.end, value.anchors[0])
            yield as_of(told, known.resolutions[value.anchors[0]])


def _lines(block: Block, anchors: tuple[int, ...], known: BlockTold, snapshot: Snapshot) -> list[str] | None:
    """Give all lines that some citations name; None where one of them names none, or no exact ones."""
    lines: list[str] = []
    for number in anchors:
        anchor, resolution = block.anchors[number], known.resolutions[number]
        file = snapshot.file(resolution) if resolution.status in _LOOKED_AT and not anchor.approximate else None
        if file is None:
            return None
        for first, last in anchor.spans:
            if last - first + len(lines) >= _MOST_LINES:
                return None
            lines += file.lines[first - 1 : last]
    return lines


def _where(block: Block, anchors: tuple[int, ...]) -> str:
    spans = [span for number in anchors for span in block.anchors[number].spans]
    return f"in the cited {lines_in_words(spans[0])}" if len(spans) == 1 else "in any of the cited lines"


# ------------------------------------------------------------------------------------------------ uncited

_kept: OrderedDict[int, tuple[Block, tuple[Told, ...]]] = OrderedDict()
"""By the identity of the block: blocks that an edit leaves alone stay the same objects."""


def _uncited(block: Block) -> tuple[Told, ...]:
    known = _kept.get(id(block))
    if known is None or known[0] is not block:
        told = [
            Told(
                UNCITED,
                f"this sentence says something of `{as_written(each.name)}` and cites nothing",
                each.start,
                each.end,
                None,
            )
            for each in uncited(block)
        ]
        known = _kept[id(block)] = (block, tuple(told))
        if len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return known[1]


# ------------------------------------------------------------------------------------------------ section-citations


def _thin_sections(document: Document, minimum: int) -> Iterator[Told]:
    """Find sections of too few citations; what stands before the first heading is none, nor is one without a text."""
    offset = cited = 0
    heading: Place | None = None
    has_text = False
    for block in document.blocks:
        if block.kind == "heading" and begins_section(block):
            if heading is not None and has_text and cited < minimum:
                yield _thin(heading, cited, minimum)
            heading, cited, has_text = _first_line(block, offset), 0, False
        cited += len(block.anchors)
        has_text = has_text or block.kind not in _NO_TEXT
        offset += len(block.text)
    if heading is not None and has_text and cited < minimum:
        yield _thin(heading, cited, minimum)


def _first_line(heading: Block, offset: int) -> Place:
    """Give where the first line of a heading stands, without what indents it."""
    line = without_end(lines_with_ends(heading.text)[0])
    indent = len(line) - len(line.lstrip(" \t"))
    return offset + indent, offset + len(line.rstrip(" \t"))


def _thin(heading: Place, cited: int, minimum: int) -> Told:
    has = f"{cited:,} citation{'' if cited == 1 else 's'}" if cited else "no citation"
    message = f"this section has {has}; audit.section_minimum asks for {minimum:,}"
    return Told(SECTION_CITATIONS, message, *heading, None)
