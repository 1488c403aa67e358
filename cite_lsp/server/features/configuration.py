"""Workspace folders and settings, as the client tells them."""

import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from cite_lsp.server.session import Session
from cite_lsp.server.uris import to_path, to_uri

if TYPE_CHECKING:
    from cite_lsp.server.protocol import Server

log = logging.getLogger(__name__)

SECTION = "cite-lsp"


def make_session(server: "Server", params: types.InitializeParams | None) -> Session:
    """Make the session of what `initialize` said."""
    options = params.initialization_options if params is not None else None
    tree = dict(options) if isinstance(options, Mapping) else {}
    trusted = tree.pop("trusted", True) is not False
    session = Session(server, _roots(params), trusted=trusted)
    session.take_editor_settings(tree if isinstance(options, Mapping) or options is None else options)
    return session


def _roots(params: types.InitializeParams | None) -> list[str]:
    if params is None:
        return []
    if params.workspace_folders:
        return roots_of(folder.uri for folder in params.workspace_folders)
    if params.root_uri:
        return roots_of([params.root_uri])
    return roots_of([to_uri(params.root_path)]) if params.root_path else []


def roots_of(uris: Iterable[str]) -> list[str]:
    """Give the folders that file URIs name, each once."""
    paths = [path.rstrip("/") or "/" for path in map(to_path, uris) if path is not None and _is_text(path)]
    return list(dict.fromkeys(paths))


def _is_text(path: str) -> bool:
    """Say whether a path can be told to another process: not one with bytes that are no UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        log.warning("a workspace folder whose name is not UTF-8 is left out")
        return False
    return True


async def register_for_changes(session: Session) -> None:
    """Ask to be told when settings change, where the client only tells those that ask."""
    if session.client.did_change_configuration_dynamic:
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        await register(session, method, {"section": SECTION})


async def register(session: Session, method: str, options: object) -> bool:
    """Register for a notification; say whether the client will send it."""
    registration = types.Registration(id=f"cite-lsp {method}", method=method, register_options=options)
    try:
        await session.server.client_register_capability_async(types.RegistrationParams([registration]))
    except JsonRpcException as error:
        log.warning("the client refuses %s: %s", method, error)
        return False
    return True


async def pull(session: Session) -> None:
    """Ask the client for its settings, for each workspace folder and for what lies in none."""
    if not session.client.configuration:
        return
    roots: list[str | None] = [*session.workspace.roots, None]
    items = [types.ConfigurationItem(scope_uri=to_uri(root) if root else None, section=SECTION) for root in roots]
    try:
        trees = await session.server.workspace_configuration_async(types.ConfigurationParams(items))
    except JsonRpcException as error:
        log.warning("the client has no settings: %s", error)
        return
    for root, tree in zip(roots, trees or (), strict=False):
        if tree is not None:
            session.take_editor_settings(tree, root)


async def changed(session: Session, pushed: object) -> None:
    """Take settings that were pushed: a map with ours in it. Where there is none, they are pulled."""
    tree = pushed.get(SECTION) if isinstance(pushed, Mapping) else None
    if tree is not None:
        session.take_editor_settings(tree, only=True)
    elif pushed is not None and not isinstance(pushed, Mapping):
        session.take_editor_settings(pushed)
    else:
        await pull(session)
