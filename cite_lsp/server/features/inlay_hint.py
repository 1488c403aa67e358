"""textDocument/inlayHint: a verdict or a drift behind its citation, where the setting wants it."""

from collections.abc import Iterator
from typing import Any

from cite_lsp.server.hits import Mark
from cite_lsp.server.marks import behind, cited_in, marks_of, placed, worked_out
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session
from cite_lsp.server.uris import key

_MOST_WHY = 300
"""Characters of a reason that a tooltip shows."""


async def hints_of(session: Session, uri: str, first: int, last: int) -> list[dict[str, Any]]:
    """Give the marks on some lines, 0-based and inclusive: one for each citation of which something is known.

    None stands behind a citation that was not judged; one that a judge could not decide says so.
    """
    document = session.documents.get(key(uri))
    if document is None or document.place is None or not document.place.settings.server.inlay_hints:
        return []
    document = await worked_out(session, uri, (first, last))
    if document is None or document.place is None or not document.place.settings.server.inlay_hints:
        return []
    return list(_hints(document, first, last))


def _hints(document: OpenDocument, first: int, last: int) -> Iterator[dict[str, Any]]:
    for line, units, mark in _marks(document, first, last):
        if mark is None or not mark.label or not first <= line <= last:
            continue
        where = {"line": line, "character": behind(document, line, units)}
        hint: dict[str, Any] = {"position": where, "label": mark.label, "paddingLeft": True}
        if mark.why:
            hint["tooltip"] = _short(mark.why)  # a text, which clients show as it is: a reason is data
        yield hint


def _marks(document: OpenDocument, first: int, last: int) -> Iterator[tuple[int, int, Mark | None]]:
    """Give line and column at which each citation ends, with its mark, in the pieces that some lines touch."""
    for piece, start in placed(document.checks.pieces):
        line, checked = start[0], document.checks.pieces[piece]
        if line > last:
            return
        if checked.anchors and line + piece.lines >= first:
            marks = marks_of(document, piece, checked, start)
            for cited, mark in zip(cited_in(document, piece, checked), marks, strict=True):
                yield cited.end[0] + line, cited.end[1], mark


def _short(why: str) -> str:
    text = " ".join(why.split())
    return text if len(text) <= _MOST_WHY else text[: _MOST_WHY - 1] + "…"
