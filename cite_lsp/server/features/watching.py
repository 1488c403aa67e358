"""News of files: from the client where it watches for us, else from the worker."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from lsprotocol import types

from cite_lsp.server.features.configuration import register
from cite_lsp.server.session import Session
from cite_lsp.server.uris import to_path
from cite_lsp.snapshot.git_files import is_of_git
from cite_lsp.snapshot.lines import is_folder
from cite_lsp.worker.client import WorkerFailed, WorkerLost

log = logging.getLogger(__name__)

_FOREVER = 1e9
_RETRY = 15.0
"""Seconds after which a worker that was lost is asked again to watch."""


async def watch(session: Session) -> None:
    """Have changes of files told."""
    if session.client.watched_files_dynamic:
        options = {"watchers": [{"globPattern": "**/*"}]}
        await register(session, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    else:
        _watch_ourselves(session)


def watch_again(session: Session) -> None:
    """Watch other workspace folders, where the client does not do it."""
    if not session.client.watched_files_dynamic:
        session.stop_watching()
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


def _watch_ourselves(session: Session) -> None:
    """Have the worker watch the workspace folders."""
    roots = [root for root in session.workspace.roots if is_folder(root)]
    if roots:
        task = asyncio.ensure_future(_watch(session, roots))
        session.stop_watching = task.cancel


async def _watch(session: Session, roots: Sequence[str]) -> None:
    starts = 0

    def take(news: Mapping[str, Any] | None) -> None:
        nonlocal starts
        if news is not None:
            _take(session, news["changed"], news["moved"])
            return
        starts += 1
        if starts > 1:  # what happened while nobody watched is not known
            session.workspace.list_soon(appeared=True)

    while True:
        try:
            await session.worker.call("watch", on_part=take, deadline=_FOREVER, roots=list(roots))
        except WorkerFailed as error:  # too many folders for the system, mostly
            log.warning("the folders cannot be watched: %s", error)
            return
        except WorkerLost as error:
            log.warning("the folders are not watched for a while: %s", error)
        await asyncio.sleep(_RETRY)
