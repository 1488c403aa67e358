"""News of files: from the client where it watches for us, else from the file system itself."""

import asyncio
import logging
from collections.abc import Iterable, Sequence

from lsprotocol import types

from cite_lsp.server.features.configuration import register
from cite_lsp.server.session import Session
from cite_lsp.server.uris import to_path

log = logging.getLogger(__name__)

_STEP = 200
"""Milliseconds between looks at what the file system has told."""


async def watch(session: Session) -> None:
    """Have changes of files told."""
    if session.client.watched_files_dynamic:
        options = {"watchers": [{"globPattern": "**/*"}]}
        await register(session, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    else:
        session.watching = asyncio.ensure_future(_watch_ourselves(session))


def take_events(session: Session, events: Sequence[types.FileEvent]) -> None:
    """Take the client's news."""
    changed: list[str] = []
    moved: list[str] = []
    for event in events:
        path = to_path(event.uri)
        if path is not None and "/.git/" not in path:
            (changed if event.type == types.FileChangeType.Changed else moved).append(path)
    session.files_changed(changed, moved)


async def _watch_ourselves(session: Session) -> None:
    """Watch the workspace folders, whichever they are, until the end."""
    from watchfiles import Change, DefaultFilter, awatch  # noqa: PLC0415 - most clients watch for us

    while True:
        roots = session.workspace.roots
        if not roots:
            return
        try:
            async for batch in awatch(*roots, watch_filter=DefaultFilter(), step=_STEP, recursive=True):
                if session.workspace.roots != roots:
                    break
                changed = [path for change, path in batch if change is Change.modified]
                session.files_changed(changed, _paths(batch, changed))
        except (OSError, RuntimeError) as error:
            log.warning("the folders cannot be watched: %s", error)
            return


def _paths(batch: Iterable[tuple[object, str]], changed: Sequence[str]) -> list[str]:
    known = set(changed)
    return [path for _, path in batch if path not in known]
