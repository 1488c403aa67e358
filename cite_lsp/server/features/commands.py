"""workspace/executeCommand: judge a document or all, forget what was said, apply what has one answer."""

import asyncio
from collections.abc import Mapping
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from cite_lsp.server.features.edits import joined_edit, preferred_edits
from cite_lsp.server.judges import leaves
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session

_COUNTS = ("rows", "supported", "partial", "unsupported", "review", "unchecked")
_REQUEST_FAILED = -32803


def named_file(session: Session, argument: Mapping[str, Any] | None) -> OpenDocument:
    """Give the open file that a command names. Raises JsonRpcInvalidParams with what is wrong."""
    uri = argument.get("uri") if isinstance(argument, Mapping) else None
    if not isinstance(uri, str):
        raise JsonRpcInvalidParams('the command takes one object: {"uri": "file:///…"}')
    document = session.find(uri)
    if document is None:
        raise JsonRpcInvalidParams(f"{uri} is not open")
    return document


def named_document(session: Session, argument: Mapping[str, Any] | None) -> OpenDocument:
    """Give the open document that a command names. Raises JsonRpcInvalidParams with what is wrong."""
    document = named_file(session, argument)
    if document.document is None:
        raise JsonRpcInvalidParams(
            f"{document.uri} is no document: files.include does not take it in, or git ignores it"
        )
    return document


def named_range(argument: Mapping[str, Any] | None) -> tuple[tuple[int, int], tuple[int, int]]:
    """Give start and end of the range that a command names, each a 0-based line and a column in the client's units."""
    try:
        start, end = ((argument or {})["range"][name] for name in ("start", "end"))
        return (int(start["line"]), int(start["character"])), (int(end["line"]), int(end["character"]))
    except (KeyError, TypeError, ValueError):
        raise JsonRpcInvalidParams(
            'the command takes one object: {"uri": …, "range": {"start": …, "end": …}}'
        ) from None


async def judge_document(session: Session, argument: Mapping[str, Any] | None) -> dict[str, int]:
    """Judge a document now, and give the counts of its rows and verdicts.

    Raises JsonRpcException where the settings switch the judge off.
    """
    document = named_document(session, argument)
    if document.place is not None and document.place.settings.judge.run == "off":
        raise JsonRpcException("the judge is switched off for this document (judge.run)", _REQUEST_FAILED)
    if document.place is not None and leaves(document.place.settings):
        await session.rounds.listed(document.place.space)
    task = session.rounds.start(document)
    try:
        counts = await session.judging.outcome(document, task) if task is not None else {}
    except asyncio.CancelledError:
        if not asyncio.current_task().cancelling():  # type: ignore[union-attr]
            why = "judging was ended: the document was closed, or is not to be judged any more"
            raise JsonRpcException(why, _REQUEST_FAILED) from None
        session.rounds.start(document, known_only=True)  # what was heard by now is shown
        raise
    return {name: counts.get(name, 0) for name in _COUNTS}


async def judge_workspace(session: Session) -> dict[str, Any]:
    """Judge all documents of the workspace folders; give the counts of labels and of the documents' outcomes."""
    return await session.rounds.everything.run()


async def run_policies(session: Session, argument: Mapping[str, Any] | None) -> dict[str, Any]:
    """Ask the policies of a file now, be it a document of ours or not; give what each came to.

    Raises JsonRpcException where no policy is about the file, and where there is nobody to ask.
    """
    document = named_file(session, argument)
    if document.refusal:
        raise JsonRpcException(document.refusal, _REQUEST_FAILED)
    task = session.policies.start(document, by_hand=True)
    try:
        ran = await session.policies.outcome(document, task)
    except asyncio.CancelledError:
        if not asyncio.current_task().cancelling():  # type: ignore[union-attr]
            why = "asking was ended: the file was closed, or other settings count now"
            raise JsonRpcException(why, _REQUEST_FAILED) from None
        raise
    faulty = f"; {', '.join(ran.refused)}: faulty, so not asked" if ran.refused else ""
    if ran.why:
        raise JsonRpcException(f"nothing was checked: {ran.why}", _REQUEST_FAILED)
    if not ran.counts:
        raise JsonRpcException(f"no policy is about this file (policies.files){faulty}", _REQUEST_FAILED)
    return {
        "policies": [each.to_data() for each in ran.counts],
        "refused": ran.refused,
        "cancelled": ran.ended,
    }


async def clear_cache(session: Session) -> int:
    """Forget what was answered; give how many verdicts and answers the caches held. What is shown stays."""
    from cite_lsp.store import StoreError  # noqa: PLC0415 - it loads SQLite, which a session may never need

    roots = session.workspace.roots or (None,)
    loaded = [session.settings.of(f"{root}/" if root else "/", root) for root in roots]
    places = [document.place or document.beside for document in session.documents.values()]
    settings = [each.settings for each in loaded] + [place.settings for place in places if place is not None]
    clients = session.policies.clients
    stores = {id(store): store.clear for each in settings for store in [session.judges.verdicts(each)]}
    stores |= {id(store): store.clear for each in settings for store in [clients.answers(each)]}
    session.judging.forget_verdicts()
    await session.judges.rest()
    try:
        return sum([await asyncio.to_thread(clear) for clear in stores.values()])
    except StoreError as error:
        raise JsonRpcException(str(error), _REQUEST_FAILED) from None


async def fix_all(session: Session, argument: Mapping[str, Any] | None) -> int:
    """Apply every fix that is the one answer; give how many."""
    document = named_document(session, argument)
    groups = preferred_edits(document)
    if not groups:
        return 0
    edit = joined_edit(session, document, groups)
    return len(groups) if await apply(session, "Fix all citations", edit) else 0


async def apply(session: Session, label: str, edit: Mapping[str, Any]) -> bool:
    """Have the client apply an edit; False where it does not."""
    if not session.client.apply_edit:
        return False
    converter = session.server.protocol._converter
    params = types.ApplyWorkspaceEditParams(converter.structure(edit, types.WorkspaceEdit), label=label)
    try:
        result = await session.server.workspace_apply_edit_async(params)
    except JsonRpcException:
        return False
    return bool(result.applied)
