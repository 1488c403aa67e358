"""News of files: from the client where it watches for us, else from the worker."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from lsprotocol import types

from cite_lsp.server.features.configuration import register
from cite_lsp.server.session import Session
from cite_lsp.server.uris import to_path
from cite_lsp.server.watched import Watched
from cite_lsp.snapshot.git_files import is_of_git
from cite_lsp.snapshot.lines import is_folder
from cite_lsp.snapshot.paths import too_wide
from cite_lsp.worker.client import WorkerFailed, WorkerLost

log = logging.getLogger(__name__)

_FOREVER = 1e9
_RETRY = 15.0
"""Seconds after which a worker that was lost is asked again to watch."""


async def watch(session: Session) -> None:
    """Have changes of files told."""
    options = {"watchers": [{"globPattern": "**/*"}]}
    can = session.client.watched_files_dynamic
    if not (can and await register(session, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)):
        _watch_ourselves(session)


def watch_again(session: Session) -> None:
    """Watch other workspace folders, where the client does not do it."""
    if session.watched.by != "client":
        session.watched.stop()
        _watch_ourselves(session)


def take_events(session: Session, events: Sequence[types.FileEvent]) -> None:
    """Take the client's news."""
    changed: list[str] = []
    moved: list[str] = []
    for event in events:
        path = to_path(event.uri)
        if path is not None:
            (changed if event.type == types.FileChangeType.Changed else moved).append(path)
    _take(session, changed, moved)


def _take(session: Session, changed: Sequence[str], moved: Sequence[str]) -> None:
    """Tell what git did from what happened to the files of the project."""
    for path in dict.fromkeys(f"{path.partition('/.git/')[0]}/.git" for path in (*changed, *moved) if is_of_git(path)):
        session.git_changed(path)
    rest = [[path for path in paths if not f"{path}/".count("/.git/")] for paths in (changed, moved)]
    session.files_changed(*rest)
    session.deletions.vanished(rest[1])
    session.deletions.look_again(rest[0])


def _watch_ourselves(session: Session) -> None:
    """Have the worker watch the workspace folders; a whole home directory or file system is not watched."""
    roots = [root for root in session.workspace.roots if is_folder(root)]
    wide = next(filter(None, map(too_wide, roots)), "")
    roots = [root for root in roots if too_wide(root) is None]
    if roots:
        task = asyncio.ensure_future(_watch(session, roots))
        session.watched = Watched("server", wide, task.cancel)
    else:
        session.watched = Watched("nobody", wide)
    session.status_soon()


async def _watch(session: Session, roots: Sequence[str]) -> None:
    starts = 0

    def take(news: Mapping[str, Any] | None) -> None:
        nonlocal starts
        if news is not None:
            _take(session, news["changed"], news["moved"])
            return
        starts += 1
        # What happened while nobody watched is not known: at first which files there are, later what they hold too.
        session.workspace.list_soon(appeared=starts > 1)

    while True:
        try:
            await session.worker.call("watch", on_part=take, deadline=_FOREVER, roots=list(roots))
        except WorkerFailed as error:  # too many folders for the system, mostly
            log.warning("the folders cannot be watched: %s", error)
            why = "the folders cannot be watched, so what other programs change is seen when a document is saved"
            session.watched = Watched("nobody", f"{why}: {error}")
            session.status_soon()
            return
        except WorkerLost as error:
            log.warning("the folders are not watched for a while: %s", error)
        await asyncio.sleep(_RETRY)
