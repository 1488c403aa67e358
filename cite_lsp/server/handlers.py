"""Registers what the server answers; the work is in `session` and `features/`, loaded once `initialize` is answered."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from cite_lsp.server.protocol import Server
    from cite_lsp.server.session import Session

FIX_ALL = "source.fixAll.cite-lsp"
COMPLETION_TRIGGERS = '[."={`(/:#'
"""Behind these clients ask what may follow: the first five matter in policy files, a path begins or goes on behind
others, and lines follow the last two."""
LAST_MOMENT = 0.1
"""Seconds that `shutdown` waits for verdicts to be written."""


def register(server: "Server") -> None:
    """Register every handler."""
    session = _Lifecycle(server).session
    _register_documents(server, session)
    _register_looking(server, session)
    _register_completion(server, session)
    _register_citing(server, session)
    _register_marks(server, session)
    _register_code_actions(server, session)
    _register_commands(server, session)


class _Lifecycle:
    """Remembers what `initialize` said until `initialized`, when there is time to load the rest."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._params: types.InitializeParams | None = None
        server.feature(types.INITIALIZE)(self.initialize)
        server.feature(types.INITIALIZED)(self.initialized)
        server.feature(types.SHUTDOWN)(self.shutdown)
        server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(self.configuration_changed)
        server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(self.folders_changed)
        server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(self.files_changed)
        server.on_exit.append(self.leave)

    def initialize(self, params: types.InitializeParams) -> None:
        """Keep what the client says."""
        self._params = params

    async def initialized(self, _: types.InitializedParams) -> None:
        """Make the session, then ask the client for settings and for news of files."""
        session = self.session()
        from cite_lsp.server.features.configuration import pull, register_for_changes  # noqa: PLC0415
        from cite_lsp.server.features.watching import watch  # noqa: PLC0415

        await register_for_changes(session)
        await pull(session)
        await watch(session)

    def session(self) -> "Session":
        """Give the session, made when first asked for: a document may come before `initialized` was dealt with."""
        if self._server.session is None:
            from cite_lsp.server.features.configuration import make_session  # noqa: PLC0415

            self._server.session = make_session(self._server, self._params)
            self._server.loaded()
        found: Session = self._server.session
        return found

    def shutdown(self, _: object = None) -> "Callable[[], Awaitable[None]] | None":
        """Stop what is under way; give what the answer waits for a moment for: what a judge has said is written."""
        session: Session | None = self._server.session
        if session is None:
            return None
        session.close()
        clients = session.policies.clients
        if not (session.judges.closing.busy or clients.closing.busy):
            return None

        self._server.last_moment.clear()

        async def written() -> None:
            try:
                await asyncio.gather(session.judges.closing.ended(LAST_MOMENT), clients.closing.ended(LAST_MOMENT))
            finally:
                self._server.last_moment.set()

        return written

    def leave(self) -> None:
        """End the worker with the server; from any thread."""
        if self._server.session is not None:
            self._server.session.worker.close()

    async def configuration_changed(self, params: types.DidChangeConfigurationParams) -> None:
        """Take pushed settings, or pull them where none are pushed."""
        from cite_lsp.server.features.configuration import changed  # noqa: PLC0415

        await changed(self.session(), params.settings)

    async def folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Take other workspace folders, and ask for their settings."""
        from cite_lsp.server.features.configuration import pull, roots_of  # noqa: PLC0415
        from cite_lsp.server.features.watching import watch_again  # noqa: PLC0415

        added = roots_of(folder.uri for folder in params.event.added)
        session = self.session()
        session.change_roots(added, roots_of(folder.uri for folder in params.event.removed))
        watch_again(session)
        await pull(session)

    def files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Take note of files that changed, appeared or vanished."""
        from cite_lsp.server.features.watching import take_events  # noqa: PLC0415

        take_events(self.session(), params.changes)


def _register_documents(server: "Server", session: "Callable[[], Session]") -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        session().opened(document.uri, str(document.language_id), document.version, document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        session().changed(document.uri, document.version, params.content_changes)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        session().saved(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        session().closed(params.text_document.uri)


def _register_looking(server: "Server", session: "Callable[[], Session]") -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> object:
        from cite_lsp.server.features.hover import hover_at  # noqa: PLC0415

        where = params.position
        return hover_at(session(), params.text_document.uri, where.line, where.character)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> object:
        from cite_lsp.server.features.definition import cited_places  # noqa: PLC0415

        where = params.position
        links = server.client.definition_links
        return cited_places(session(), params.text_document.uri, where.line, where.character, links=links)

    @server.feature(types.TEXT_DOCUMENT_DECLARATION)
    def declaration(params: types.DeclarationParams) -> object:
        from cite_lsp.server.features.definition import cited_places  # noqa: PLC0415

        where = params.position
        links = server.client.declaration_links
        return cited_places(session(), params.text_document.uri, where.line, where.character, links=links)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkOptions(resolve_provider=False))
    def links(params: types.DocumentLinkParams) -> object:
        from cite_lsp.server.features.document_link import links_of  # noqa: PLC0415

        return links_of(session(), params.text_document.uri)


def _register_completion(server: "Server", session: "Callable[[], Session]") -> None:
    options = types.CompletionOptions(trigger_characters=list(COMPLETION_TRIGGERS), resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    async def completion(params: types.CompletionParams) -> object:
        from cite_lsp.server.features.completion import completions_at  # noqa: PLC0415

        return await completions_at(session(), params)

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    def resolve_completion(item: types.CompletionItem) -> object:
        from cite_lsp.server.features.completion import resolved_item  # noqa: PLC0415

        return resolved_item(session(), item)


def _register_citing(server: "Server", session: "Callable[[], Session]") -> None:
    every = types.FileOperationRegistrationOptions(
        [types.FileOperationFilter(types.FileOperationPattern("**"), scheme="file")]
    )

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> object:
        from cite_lsp.server.features.references import references_at  # noqa: PLC0415

        return await references_at(session(), params)

    @server.feature(types.WORKSPACE_SYMBOL)
    async def symbols(params: types.WorkspaceSymbolParams) -> object:
        from cite_lsp.server.features.symbols import symbols_of  # noqa: PLC0415

        return await symbols_of(session(), params.query)

    @server.feature(types.WORKSPACE_WILL_RENAME_FILES, every)
    async def will_rename(params: types.RenameFilesParams) -> object:
        from cite_lsp.server.features.rename_files import edits_of_renames  # noqa: PLC0415

        return await edits_of_renames(session(), params.files)

    @server.feature(types.WORKSPACE_DID_RENAME_FILES, every)
    def did_rename(_: types.RenameFilesParams) -> None:
        from cite_lsp.server.features.rename_files import renamed  # noqa: PLC0415

        renamed(session())

    @server.feature(types.WORKSPACE_WILL_DELETE_FILES, every)
    async def will_delete(params: types.DeleteFilesParams) -> None:
        await session().deletions.announced([file.uri for file in params.files])

    @server.feature(types.WORKSPACE_DID_DELETE_FILES, every)
    def did_delete(params: types.DeleteFilesParams) -> None:
        session().deletions.done([file.uri for file in params.files])


def _register_marks(server: "Server", session: "Callable[[], Session]") -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def lenses(params: types.CodeLensParams) -> object:
        from cite_lsp.server.features.code_lens import lenses_of  # noqa: PLC0415

        return await lenses_of(session(), params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions(resolve_provider=False))
    async def hints(params: types.InlayHintParams) -> object:
        from cite_lsp.server.features.inlay_hint import hints_of  # noqa: PLC0415

        where = params.range
        return await hints_of(session(), params.text_document.uri, where.start.line, where.end.line)


def _register_code_actions(server: "Server", session: "Callable[[], Session]") -> None:
    kinds = [types.CodeActionKind.QuickFix, FIX_ALL]
    options = types.CodeActionOptions(code_action_kinds=kinds, resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    def actions(params: types.CodeActionParams) -> object:
        from cite_lsp.server.features.code_action import actions_for  # noqa: PLC0415

        return actions_for(session(), params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    def resolve(action: types.CodeAction) -> object:
        from cite_lsp.server.features.code_action import resolved  # noqa: PLC0415

        return resolved(session(), action)


def _register_commands(server: "Server", session: "Callable[[], Session]") -> None:
    @server.command("cite-lsp.server.judgeDocument")
    async def judge_document(argument: Mapping[str, Any] | None = None) -> object:
        from cite_lsp.server.features.commands import judge_document as run  # noqa: PLC0415

        return await run(session(), argument)

    @server.command("cite-lsp.server.judgeWorkspace")
    async def judge_workspace(_: Mapping[str, Any] | None = None) -> object:
        from cite_lsp.server.features.commands import judge_workspace as run  # noqa: PLC0415

        return await run(session())

    @server.command("cite-lsp.server.runPolicies")
    async def run_policies(argument: Mapping[str, Any] | None = None) -> object:
        from cite_lsp.server.features.commands import run_policies as run  # noqa: PLC0415

        return await run(session(), argument)

    @server.command("cite-lsp.server.clearCache")
    async def clear_cache(_: Mapping[str, Any] | None = None) -> object:
        from cite_lsp.server.features.commands import clear_cache as run  # noqa: PLC0415

        return await run(session())

    @server.command("cite-lsp.server.requestRepair")
    async def request_repair(argument: Mapping[str, Any] | None = None) -> object:
        from cite_lsp.server.features.repair import request_repair as run  # noqa: PLC0415

        return await run(session(), argument)

    @server.command("cite-lsp.server.accept")
    async def accept(argument: Mapping[str, Any] | None = None) -> object:
        from cite_lsp.server.features.accept import accept as run  # noqa: PLC0415

        return await run(session(), argument)

    @server.command("cite-lsp.server.fixAll")
    async def fix_all(argument: Mapping[str, Any] | None = None) -> object:
        from cite_lsp.server.features.commands import fix_all as run  # noqa: PLC0415

        return await run(session(), argument)
