"""textDocument/definition and declaration: the cited lines."""

from typing import Any

from cite_lsp.document.columns import to_units
from cite_lsp.server.convert import range_of
from cite_lsp.server.features.targets import Target, targets_of
from cite_lsp.server.session import Session


def cited_places(session: Session, uri: str, line: int, units: int, *, links: bool) -> list[dict[str, Any]] | None:
    """Give the places that the citation at a position names, one for each span that exists."""
    found = session.hit(uri, line, units)
    if found is None:
        return None
    document, hit = found
    targets = targets_of(document, hit)
    if not targets:
        return None
    if not links:
        return [{"uri": target.uri, "range": _lines(target, session)} for target in targets]
    origin = hit.range(document.encoding)
    return [
        {
            "originSelectionRange": origin,
            "targetUri": target.uri,
            "targetRange": _lines(target, session),
            "targetSelectionRange": _lines(target, session),
        }
        for target in targets
    ]


def _lines(target: Target, session: Session) -> dict[str, Any]:
    last = target.lines[target.last - 1]
    end = to_units(last, len(last), session.client.position_encoding)
    return range_of((target.first - 1, 0), (target.last - 1, end))
