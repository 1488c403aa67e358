"""textDocument/documentLink: every citation that leads somewhere is a link."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from cite_lsp.document.document import Piece
from cite_lsp.findings.told import lines_in_words
from cite_lsp.server.checks import PieceChecked
from cite_lsp.server.convert import range_of
from cite_lsp.server.features.targets import targets_of
from cite_lsp.server.hits import Hit, hits_of_piece
from cite_lsp.server.open_document import OpenDocument, PlacedLink
from cite_lsp.server.session import Session

_WEB = re.compile(r"https?://[^\s<>()\[\]`\"']+")


def links_of(session: Session, uri: str) -> list[dict[str, Any]] | None:
    """Give the links of a document; None for what is no document of ours."""
    document = session.find(uri)
    if document is None or document.document is None:
        return None
    tooltips = session.client.document_link_tooltip
    made: list[dict[str, Any]] = []
    line = 0
    for piece, checked in document.checks.pieces.items():
        for start, end, target, tooltip in _links(document, piece, checked):
            item: dict[str, Any] = {"range": range_of(start, end, line), "target": target}
            if tooltips:
                item["tooltip"] = tooltip
            made.append(item)
        line += piece.lines
    return made


def _links(document: OpenDocument, piece: Piece, checked: PieceChecked) -> Sequence[PlacedLink]:
    kept = document.links.get(piece)
    if kept is not None and kept[0] is checked:
        return kept[1]
    if kept is not None and _leads_alike(kept[0], checked):
        links = kept[1]
    else:
        links = []
        for hit in hits_of_piece(piece, checked, (0, 0)):
            link = _link(document, hit)
            if link is not None:
                links.append((*hit.placed(document.encoding), *link))
    document.links.put(piece, (checked, links), document.checks.pieces)
    return links


def _leads_alike(before: PieceChecked, now: PieceChecked) -> bool:
    """Say whether all citations of a piece lead where they did: most often it is their past that is known better."""
    for number, block in now.blocks.items():
        old = before.blocks.get(number)
        if old is None or old.present != block.present or old.known.resolutions != block.known.resolutions:
            return False
        if any(each.as_of for each in block.known.resolutions):
            return False  # such a one leads where its text stands now
    return True


def _link(document: OpenDocument, hit: Hit) -> tuple[str, str] | None:
    """Give target and tooltip."""
    targets = targets_of(document, hit)
    if targets:
        first = targets[0]
        where = lines_in_words((first.first, first.last))
        return f"{first.uri}#L{first.first}", f"{hit.resolution.path}, {where}"
    anchor = hit.block.anchors[hit.number]
    page = _WEB.search(anchor.text) if anchor.repository not in ("", ".") else None
    return (page.group(), urlsplit(page.group()).netloc) if page else None
