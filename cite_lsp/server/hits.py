"""The citations of an open document, each with where it stands and what is known of it."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.claims import ALONE, Claims
from cite_lsp.document.columns import Encoding
from cite_lsp.document.cuts import START
from cite_lsp.document.document import Block, Piece
from cite_lsp.document.ranges import Span
from cite_lsp.findings.places import Places
from cite_lsp.findings.told import Told
from cite_lsp.server.checks import BlockChecked, PieceChecked
from cite_lsp.server.convert import Range, position, range_of
from cite_lsp.snapshot.baseline import Baseline
from cite_lsp.snapshot.drift import Drift
from cite_lsp.snapshot.ladder import joined
from cite_lsp.snapshot.resolve import Resolution

_NOWHERE = Claims(Block("blank", "", 0, START, START, 0, 0, (), (), 0), ALONE)
"""The context of an anchor whose claim nobody asks for."""


class Hit(NamedTuple):
    """A citation of an open document."""

    piece: Piece
    piece_start: tuple[int, int]
    """Line and offset at which the piece begins in the document."""
    inside: int
    """Where the block begins in the piece."""
    checked: BlockChecked
    number: int
    """Of the anchor in its block."""

    @property
    def block(self) -> Block:
        """The block that holds it."""
        return self.checked.block

    @property
    def offset(self) -> int:
        """Where the block begins in the document."""
        return self.piece_start[1] + self.inside

    @property
    def anchor(self) -> Anchor:
        """The anchor with offsets into the document; its claim is not bound."""
        return self.block.anchors[self.number].bound(self.offset, _NOWHERE)

    @property
    def resolution(self) -> Resolution:
        """What it means."""
        return self.checked.known.resolutions[self.number]

    @property
    def present(self) -> Resolution:
        """What it means at present, though it be read as of a commit."""
        return self.checked.present[self.number]

    @property
    def drifts(self) -> tuple[tuple[Drift, Baseline], ...]:
        """How each span drifted, with what it showed when it was written; empty while that is not known."""
        known = self.checked.known.drifts
        written = self.checked.written[self.number] if self.checked.written else None
        drifts = known[self.number] if known else None
        return () if drifts is None or written is None else tuple(zip(drifts, written.baselines, strict=True))

    @property
    def told(self) -> tuple[Told, ...]:
        """What is told of it, with offsets into the block."""
        return tuple(each for each in self.checked.known.told if each.anchor == self.number)

    @property
    def span(self) -> tuple[int, int]:
        """Where it begins and ends: offsets into the document."""
        anchor = self.block.anchors[self.number]
        return anchor.start + self.offset, anchor.end + self.offset

    def range(self, encoding: Encoding) -> Range:
        """Give its range in the document."""
        return range_of(*self.placed(encoding), self.piece_start[0])

    def placed(self, encoding: Encoding) -> tuple[tuple[int, int], tuple[int, int]]:
        """Give its start and end as lines from the piece's first and columns in units."""
        anchor = self.block.anchors[self.number]
        places = _places(self.piece)
        return (
            position(places, anchor.start + self.inside, encoding),
            position(places, anchor.end + self.inside, encoding),
        )


@lru_cache(maxsize=4)
def _places(piece: Piece) -> Places:
    return Places(piece.text)


class Mark(NamedTuple):
    """What is said of a citation."""

    word: str
    """A verdict's label, `broken`, `not checked`, the code of a drift; "" where a setting or a person silences it."""
    label: str
    """As it is shown; "" where the finding beside it says all."""
    why: str = ""


class CitedFile(NamedTuple):
    """What a citation cites, and where it stands: lines from its piece's first, columns in the client's units."""

    path: str
    """Absolute; "" where it leads to no file."""
    spans: tuple[Span, ...]
    """None of a citation whose numbers name no lines."""
    start: tuple[int, int]
    end: tuple[int, int]


def cited_files(piece: Piece, checked: PieceChecked, encoding: Encoding) -> tuple[CitedFile, ...]:
    """Give the citations of a piece in text order."""
    return tuple(_cited_file(hit, encoding) for hit in hits_of_piece(piece, checked, (0, 0)))


def _cited_file(hit: Hit, encoding: Encoding) -> CitedFile:
    resolution = hit.resolution
    path = joined(resolution.root, resolution.path) if resolution.root and resolution.path else ""
    spans = () if resolution.status == "malformed" else hit.block.anchors[hit.number].spans
    return CitedFile(path, spans, *hit.placed(encoding))


def hits_of_piece(piece: Piece, checked: PieceChecked, start: tuple[int, int]) -> Iterator[Hit]:
    """Give the citations of a piece in text order; `start`: the line and offset at which it begins."""
    inside = 0
    for block in piece.blocks:
        if block.anchors:
            known = checked.blocks[id(block)]
            for number in range(len(block.anchors)):
                yield Hit(piece, start, inside, known, number)
        inside += len(block.text)


def hits_of(pieces: Mapping[Piece, PieceChecked]) -> Iterator[Hit]:
    """Give all citations in text order."""
    line = offset = 0
    for piece, checked in pieces.items():
        yield from hits_of_piece(piece, checked, (line, offset))
        line += piece.lines
        offset += piece.characters


def hit_at(pieces: Mapping[Piece, PieceChecked], offset: int) -> Hit | None:
    """Give the citation at an offset, its first and last edge included."""
    line = before = 0
    for piece, checked in pieces.items():
        if offset <= before + piece.characters:
            for hit in hits_of_piece(piece, checked, (line, before)):
                start, end = hit.span
                if start <= offset <= end:
                    return hit
            if offset < before + piece.characters:
                return None
        line += piece.lines
        before += piece.characters
    return None
