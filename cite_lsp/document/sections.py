"""The sections of a document: what stands below a heading of level 2, up to the next one."""

from collections.abc import Iterator
from typing import NamedTuple

from cite_lsp.document.binding import begins_section, section_marker
from cite_lsp.document.document import Document


class Section(NamedTuple):
    """A section; offsets are code points into the document's text.

    `marker` is its heading as `Anchor.section` has it, "" for what stands before the first one. Two sections of one
    document may have the same.
    """

    marker: str
    start: int
    """Where the heading begins."""
    body: int
    """Behind the heading's block."""
    end: int


def sections_of(document: Document) -> Iterator[Section]:
    """Give the sections in order, without gaps; costs a look at each piece, and at the blocks of some."""
    marker, start, body, offset = "", 0, 0, 0
    for piece in document.pieces:
        if not any(map(begins_section, piece.headings)):
            offset += piece.characters
            continue
        for block in piece.blocks:
            if block.kind == "heading" and begins_section(block):
                yield Section(marker, start, body, offset)
                marker, start, body = section_marker(block), offset, offset + len(block.text)
            offset += len(block.text)
    yield Section(marker, start, body, offset)
