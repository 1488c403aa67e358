"""textDocument/references: every citation of the lines that are meant, in all documents of the workspace."""

from typing import Any

from lsprotocol import types

from cite_lsp.document.columns import to_units
from cite_lsp.server.convert import range_of
from cite_lsp.server.features.targets import targets_of
from cite_lsp.server.hits import Hit
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session
from cite_lsp.server.uris import to_path
from cite_lsp.snapshot.ladder import joined


async def references_at(session: Session, params: types.ReferenceParams) -> list[dict[str, Any]] | None:
    """Give the citations of what the anchor at a position cites; where there is none, those of the line itself.

    The lines that an anchor cites count as the declaration. None where nothing can be cited: a document that is no
    file, a citation that leads nowhere.
    """
    uri, where = params.text_document.uri, params.position
    found = session.hit(uri, where.line, where.character)
    if found is None:
        path = to_path(uri)
        spaces = session.citings.spaces_of(path) if path is not None else []
        if path is None or not spaces:
            return None
        return [each.location for each in await session.citings.of(path, [(where.line + 1, where.line + 1)], spaces)]
    document, hit = found
    if document.place is None or not hit.resolution.root or not hit.resolution.path:
        return None
    declared = _declaration(document, hit) if params.context.include_declaration else []
    path = joined(hit.resolution.root, hit.resolution.path)
    spans = hit.block.anchors[hit.number].spans
    return [*declared, *(each.location for each in await session.citings.of(path, spans, [document.place.space]))]


def _declaration(document: OpenDocument, hit: Hit) -> list[dict[str, Any]]:
    """Give the cited lines that are there."""
    found = []
    for target in targets_of(document, hit):
        last = target.lines[target.last - 1]
        end = to_units(last, len(last), document.encoding)
        found.append({"uri": target.uri, "range": range_of((target.first - 1, 0), (target.last - 1, end))})
    return found
