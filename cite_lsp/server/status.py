"""The counts that clients show in their status lines."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cite_lsp.server.session import Session


def status_of(session: "Session") -> dict[str, Any]:
    """Give the params of `cite-lsp/status`: what is known of all open documents.

    `findings` are those of all open files, policy files and logs among them.
    `judged` are the citations that the judge could decide, `unchecked` all others: those that it could not, that lead
    nowhere, and that it was not asked about. `requests`, `tokensIn`, `tokensOut`: what was asked elsewhere in this
    session; `declined`: the citations that the limits of a day left unasked. `policies` is there once policies were
    asked: the passages of open files, those that were not checked as the files were asked about last, and why.
    """
    ours = [document for document in session.documents.values() if document.document is not None]
    anchors = sum(document.anchor_count for document in ours)
    judged = sum(document.judged_count for document in ours)
    errors = [session.judging.error, session.policies.error, session.histories.error, session.grounding.error]
    errors += [space.error for space in session.spaces]
    usage = session.judging.usage + session.policies.usage
    return {
        "documents": len(ours),
        "anchors": anchors,
        "findings": sum(len(document.published or ()) for document in session.documents.values()),
        "judged": judged,
        "unchecked": max(anchors - judged, 0),
        "queued": session.judging.queued + session.policies.queued,
        "judge": ", ".join(_judges(session)),
        "requests": usage.requests,
        "tokensIn": usage.tokens_in,
        "tokensOut": usage.tokens_out,
        "declined": session.judging.declined,
        "indexing": any(space.roots and not space.complete and not space.error for space in session.spaces),
        "lastError": next(filter(None, errors), None),
        **_policies(session),
    }


def _policies(session: "Session") -> dict[str, Any]:
    """Give what policies came to in the open files; nothing where none was asked."""
    asked = [each for document in session.documents.values() for each in document.policies.asked.values()]
    if not asked:
        return {}
    unchecked = sum(each.unchecked for each in asked)
    why = next((each.why for each in asked if each.unchecked), None)
    return {"policies": {"passages": sum(each.passages for each in asked), "unchecked": unchecked, "why": why}}


def _judges(session: "Session") -> list[str]:
    """Give the judges that the settings of the open documents mean, each once; the embedded one where none is open."""
    places = [document.place for document in session.documents.values() if document.document and document.place]
    titles = dict.fromkeys(session.judges.title(place.settings) for place in places)
    return list(titles) or [session.judges.local.identity]
