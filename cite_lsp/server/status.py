"""The counts that clients show in their status lines."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cite_lsp.server.session import Session


def status_of(session: "Session") -> dict[str, Any]:
    """Give the params of `cite-lsp/status`: what is known of all open documents.

    `judged` are the citations that the judge could decide, `unchecked` all others: those that it could not, that lead
    nowhere, and that it was not asked about.
    """
    ours = [document for document in session.documents.values() if document.document is not None]
    anchors = sum(document.anchor_count for document in ours)
    judged = sum(document.judged_count for document in ours)
    errors = [session.judging.error, session.histories.error, session.grounding.error]
    errors += [space.error for space in session.spaces]
    return {
        "documents": len(ours),
        "anchors": anchors,
        "findings": sum(len(document.published or ()) for document in ours),
        "judged": judged,
        "unchecked": max(anchors - judged, 0),
        "queued": session.judging.queued,
        "judge": session.judging.identity,
        "indexing": any(space.roots and not space.complete and not space.error for space in session.spaces),
        "lastError": next(filter(None, errors), None),
    }
