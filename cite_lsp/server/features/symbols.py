"""workspace/symbol: citations by the path of the file that they cite; `retry.py:24` those of line 24."""

import logging
from collections.abc import Iterator
from typing import Any

from lsprotocol import types

from cite_lsp.findings.symbols import CitedFileQuery, Symbol, best_symbols, symbol_from_data
from cite_lsp.server.convert import range_of
from cite_lsp.server.marks import cited_in, worked_out
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session
from cite_lsp.server.space import Space
from cite_lsp.server.uris import to_path, to_uri
from cite_lsp.snapshot.ladder import within
from cite_lsp.worker.client import WorkerFailed, WorkerLost

log = logging.getLogger(__name__)

MOST = 200
"""So many citations are given; who looks for others types more of the path."""
_SECONDS = 1.0
"""So long documents are read that were not yet: what is known by then is given, and reading goes on behind it."""


async def symbols_of(session: Session, query: str) -> list[dict[str, Any]]:
    """Give the citations of the files that a query means, the best first: open documents as they are now."""
    session.settle()
    found: list[Symbol] = []
    for space in session.spaces:
        if space.roots:
            asked = CitedFileQuery(query, space.roots)
            found += await _closed(session, space, query)
            for uri in [document.uri for document in _open_in(session, space)]:
                document = await worked_out(session, uri, marks=False)
                found += best_symbols(_live(document, asked), MOST) if document is not None else []
    return [_shown(session, symbol) for symbol in best_symbols(dict.fromkeys(found), MOST)]


def _open_in(session: Session, space: Space) -> list[OpenDocument]:
    return [each for each in session.documents.values() if each.document and each.place and each.place.space is space]


def _live(document: OpenDocument, query: CitedFileQuery) -> Iterator[Symbol]:
    name = document.path or document.uri
    line = 0
    for piece, checked in document.checks.pieces.items():
        for path, spans, start, end in cited_in(document, piece, checked):
            if path and query.fit(path) is not None:
                where = (start[0] + line, start[1], end[0] + line, end[1])
                symbol = query.symbol(path, spans, name, where)
                if symbol is not None:
                    yield symbol
        line += piece.lines


async def _closed(session: Session, space: Space, query: str) -> list[Symbol]:
    try:
        answer = await session.citings.ask(
            "symbols", space, query=query, limit=MOST, seconds=_SECONDS, without=session.citings.open_paths()
        )
    except (WorkerLost, WorkerFailed) as error:
        log.warning("citations are known of open documents only: %s", error)
        return []
    return [symbol_from_data(each) for each in answer["symbols"]]


def _shown(session: Session, symbol: Symbol) -> dict[str, Any]:
    document = next((each for each in session.documents.values() if symbol.document in (each.path, each.uri)), None)
    uri = document.uri if document is not None else to_uri(symbol.document)
    where = range_of((symbol.line, symbol.column), (symbol.end_line, symbol.end_column))
    return {
        "name": symbol.name,
        "kind": types.SymbolKind.File.value,
        "location": {"uri": uri, "range": where},
        "containerName": _container(session, to_path(uri) or uri),
    }


def _container(session: Session, path: str) -> str:
    """Name a document: below its workspace folder, with that folder's name where there are several."""
    root = session.workspace.holds(path)
    inside = within(root, path) if root is not None else None
    if root is None or inside is None:
        return path
    return f"{root.rpartition('/')[2]}/{inside}" if len(session.workspace.roots) > 1 else inside
