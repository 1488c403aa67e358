"""workspace/willRenameFiles and didRenameFiles: citations follow the files that they cite, or that they are in.

The client waits for the answer before it renames, so there is a limit; what is known by then is given.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lsprotocol import types

from cite_lsp.findings.renaming import Moves
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session
from cite_lsp.server.space import Space
from cite_lsp.server.uris import key, to_path, to_uri
from cite_lsp.worker.client import WorkerFailed, WorkerLost

log = logging.getLogger(__name__)

SECONDS = 1.5
"""What a person who renames a file may be kept waiting."""

Edits = dict[str, list[dict[str, Any]]]
"""Text edits by the absolute path of the document."""


async def edits_of_renames(session: Session, files: Sequence[types.FileRename]) -> dict[str, Any] | None:
    """Give the workspace edit after which citations still lead to files that are about to be renamed; None: no edit."""
    moves = _moves(files)
    if not moves:
        return None
    session.settle()
    before = {document: document.version for document in session.documents.values()}
    edits: Edits = {}
    whole = True
    loop = asyncio.get_running_loop()
    end = loop.time() + SECONDS
    for space in _spaces(session, moves):
        whole = await _ask(session, space, moves, edits, end - loop.time()) and whole
    made, left = _workspace_edit(session, edits, before)
    _tell(session, whole=whole, left=left, documents=len(made))
    if not made:
        return None
    for space in session.spaces:
        space.expect(new for _, new in moves.pairs if space.holds(new) is not None)
    if session.client.document_changes:
        return {"documentChanges": made}
    return {"changes": {each["textDocument"]["uri"]: each["edits"] for each in made}}


def renamed(session: Session) -> None:
    """List the files anew."""
    for space in session.spaces:
        if space.roots:
            space.list_soon(appeared=True)


def _moves(files: Iterable[types.FileRename]) -> Moves:
    pairs = ((to_path(file.old_uri), to_path(file.new_uri)) for file in files)
    return Moves((old, new) for old, new in pairs if old is not None and new is not None)


def _spaces(session: Session, moves: Moves) -> list[Space]:
    held = [space for space in session.spaces if space.roots]
    return [space for space in held if any(space.holds(old) is not None for old, _ in moves.pairs)]


async def _ask(session: Session, space: Space, moves: Moves, edits: Edits, seconds: float) -> bool:
    """Ask the worker; say whether it came to its end."""
    open_ones = [each for each in session.documents.values() if each.path is not None]
    concerned = [each for each in open_ones if _concerns(each, space, moves)]
    overlay = {each.path: each.buffer.text for each in concerned if each.path is not None}
    without = [path for path in session.citings.open_paths() if path not in overlay]

    def take(part: Mapping[str, Any]) -> None:
        edits[part["path"]] = part["edits"]

    call = session.citings.ask(
        "renaming", space, on_part=take, moves=[list(pair) for pair in moves.pairs], overlay=overlay, without=without
    )
    try:
        await asyncio.wait_for(call, max(seconds, 0.0))
    except TimeoutError:
        return False
    except (WorkerLost, WorkerFailed) as error:
        log.warning("the citations of renamed files are not known: %s", error)
        return False
    return True


def _concerns(document: OpenDocument, space: Space, moves: Moves) -> bool:
    """Say whether an open document is renamed, or cites what is."""
    if document.document is None or document.path is None or document.place is None:
        return False
    if document.place.space is not space:
        return False
    files = (path for checked in document.checks.pieces.values() for path in checked.files)
    return moves.takes(document.path) or any(map(moves.takes, files))


def _workspace_edit(
    session: Session, edits: Edits, before: Mapping[OpenDocument, int | None]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Give the edits of each document, bound to the version that they are for, and those that changed meanwhile."""
    made, left = [], []
    for path in sorted(edits):
        uri = to_uri(path)
        document = session.documents.get(key(uri))
        version = document.version if document is not None else None
        if document is not None and (document not in before or before[document] != version):
            left.append(path)
            continue
        identifier = {"uri": document.uri if document is not None else uri, "version": version}
        made.append({"textDocument": identifier, "edits": edits[path]})
    return made, left


def _tell(session: Session, *, whole: bool, left: Sequence[str], documents: int) -> None:
    """Say what may be left as it was."""
    if whole and not left:
        return
    found = f"{documents} document{'s' if documents != 1 else ''} with citations of it"
    why = "one of them changed meanwhile" if whole else "not all documents could be looked at in time"
    text = f"cite-lsp: {found} will follow the renaming; {why}. What is left shows as a finding with its fix."
    session.server.window_show_message(types.ShowMessageParams(type=types.MessageType.Warning, message=text))
