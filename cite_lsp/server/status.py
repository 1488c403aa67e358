"""The counts that clients show in their status lines."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cite_lsp.server.session import Session
    from cite_lsp.server.space import Space

_REST = 0.05
"""Seconds in which several changes are one."""


class StatusTeller:
    """Tells the client of one session what there is, whenever that changed."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._last: dict[str, Any] = {}

    def soon(self) -> None:
        """Tell it in a moment, if it is not what was told last."""
        self._session.timers.later("status", _REST, self._tell)

    def _tell(self) -> None:
        status = status_of(self._session)
        if status != self._last:
            self._last = status
            self._session.server.send_raw("cite-lsp/status", status)


def status_of(session: "Session") -> dict[str, Any]:
    """Give the params of `cite-lsp/status`: what is known of all open documents.

    `findings` are those of all open files, policy files and logs among them. `watching`: who tells of changed files,
    `client`, `server` or `nobody`.
    `judged` are the citations that the judge could decide, `unchecked` all others: those that it could not, that lead
    nowhere, and that it was not asked about. `requests`, `tokensIn`, `tokensOut`: what was asked elsewhere in this
    session; `declined`: the citations that the limits of a day left unasked. `policies` is there once policies were
    asked: the passages of open files, those that were not checked as the files were asked about last, and why.
    """
    ours = [document for document in session.documents.values() if document.document is not None]
    anchors = sum(document.anchor_count for document in ours)
    judged = sum(document.judged_count for document in ours)
    errors = [session.judging.error, session.policies.error, session.histories.error, session.grounding.error]
    errors += [*(space.error for space in session.spaces), session.judges.shared_message]
    errors += [*map(_refused, session.spaces), session.watched.error]
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
        "watching": session.watched.by,
        "lastError": next(filter(None, errors), None),
        **_policies(session),
    }


def _refused(space: "Space") -> str:
    """Say why a folder is not looked into; "" where all are."""
    return next((index.notes[0] for index in space.snapshot.indexes if index.notes and not index.paths), "")


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
