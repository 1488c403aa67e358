"""News of files: from the client where it watches for us, else from the file system itself."""

import asyncio
import logging
import threading
from collections.abc import Iterable, Sequence

from lsprotocol import types

from cite_lsp.server.features.configuration import register
from cite_lsp.server.session import Session
from cite_lsp.server.uris import to_path
from cite_lsp.snapshot.lines import is_folder

log = logging.getLogger(__name__)

_STEP = 200
"""Milliseconds between looks at what the file system has told."""


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
        if path is not None and path.endswith("/.git/index"):
            session.tracked_changed(path)
        elif path is not None and "/.git/" not in path:
            (changed if event.type == types.FileChangeType.Changed else moved).append(path)
    session.files_changed(changed, moved)


def _watch_ourselves(session: Session) -> None:
    """Watch the workspace folders in a thread: to begin takes long where they hold many files."""
    stop = threading.Event()
    session.stop_watching = stop.set
    if session.workspace.roots:
        arguments = (session, session.workspace.roots, stop, asyncio.get_running_loop())
        threading.Thread(target=_watch, args=arguments, daemon=True, name="cite-lsp watch").start()


def _watch(session: Session, roots: Sequence[str], stop: threading.Event, loop: asyncio.AbstractEventLoop) -> None:
    from watchfiles import Change, DefaultFilter, watch  # noqa: PLC0415 - most clients watch for us

    def take(batch: Iterable[tuple[Change, str]]) -> None:
        if not stop.is_set():
            changed = [path for change, path in batch if change is Change.modified]
            session.files_changed(changed, _paths(batch, changed))

    try:
        there = [root for root in roots if is_folder(root)]
        for batch in watch(*there, watch_filter=DefaultFilter(), step=_STEP, stop_event=stop, raise_interrupt=False):
            loop.call_soon_threadsafe(take, batch)
    except (OSError, RuntimeError) as error:  # too many folders for the system, or the loop has ended
        if not stop.is_set():
            log.warning("the folders cannot be watched: %s", error)


def _paths(batch: Iterable[tuple[object, str]], changed: Sequence[str]) -> list[str]:
    known = set(changed)
    return [path for _, path in batch if path not in known]
