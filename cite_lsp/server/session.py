"""What the server knows between `initialize` and the end: open documents, spaces, settings, verdicts.

Everything here runs on the event loop and is short; what is slow is the worker's. A notification only takes note of
what changed, and documents are checked and published once all messages that have arrived are read.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cite_lsp.config import Problem
from cite_lsp.findings.accepted import NOTHING
from cite_lsp.findings.reading import scope_of
from cite_lsp.server.accepted_book import AcceptedBook
from cite_lsp.server.citing import Citings
from cite_lsp.server.deletions import Deletions
from cite_lsp.server.folders import Folders
from cite_lsp.server.grounding import GroundingRuns
from cite_lsp.server.histories import Histories
from cite_lsp.server.hits import Hit
from cite_lsp.server.judges import Judges
from cite_lsp.server.judging import Judging
from cite_lsp.server.offers import Offers
from cite_lsp.server.open_document import ContentChange, OpenDocument, Place, relative
from cite_lsp.server.policies import Policies
from cite_lsp.server.policy_files import PolicyFiles
from cite_lsp.server.publish import diagnostics_of
from cite_lsp.server.refreshing import Refreshing
from cite_lsp.server.rounds import Rounds
from cite_lsp.server.settings_book import SettingsBook, is_settings_file
from cite_lsp.server.settings_reports import SettingsReports
from cite_lsp.server.space import Change, Space, stray_root
from cite_lsp.server.status import StatusTeller
from cite_lsp.server.timers import Timers
from cite_lsp.server.uris import key, to_path
from cite_lsp.server.watched import Watched
from cite_lsp.snapshot.lines import is_file, real_path
from cite_lsp.snapshot.snapshot import Scope
from cite_lsp.worker.client import Worker

if TYPE_CHECKING:
    from cite_lsp.server.protocol import Server

log = logging.getLogger(__name__)

_TYPING_REST = 0.0
"""Seconds after which what is typed in a cited file counts for the documents that cite it: after what has arrived."""
_ASKING_REST = 0.15
"""Seconds of rest after which the worker is asked about paths that are missing."""
_SEARCH_REST = 0.2
"""Seconds of rest after which cited files that were typed in are searched for what is not where it was moved to."""
_MANY_EVENTS = 500
"""So many changed files are one event: everything may have changed."""


class Session:
    """The state of one client's session. Made when the client has said `initialized`."""

    def __init__(self, server: "Server", roots: Sequence[str], *, trusted: bool = True) -> None:
        self.server = server
        self.client = server.client
        self.trusted = trusted
        self.documents: dict[str, OpenDocument] = {}
        self.worker = Worker()
        self.folders = Folders(self.worker)
        self.status_soon = StatusTeller(self).soon
        self.reports = SettingsReports(server)
        self.policy_files = PolicyFiles(self.reports, self.touch)
        self.judges = Judges(self.worker, trusted=trusted, secrets=server.secrets)
        self.judging = Judging(server, self.judges, self._judged, self._known_better, self.status_soon)
        self.policies = Policies(self)
        self.grounding = GroundingRuns(self.worker, self._known_better)
        self.rounds = Rounds(self)
        self.histories = Histories(self.worker, self._known_better, self.status_soon, self.reports.say_once)
        self.settings = SettingsBook(self.reports.report)
        self.accepted = AcceptedBook(self.reports.report_accepted)
        self.citings = Citings(self)
        self.deletions = Deletions(self)
        self.refreshing = Refreshing(self)
        self.offers = Offers(self)
        self.watched = Watched("client" if self.client.watched_files_dynamic else "server")
        self._strays: dict[str, Space] = {}
        self._pending: dict[OpenDocument, None] = {}
        self._flush: asyncio.Handle | None = None
        self.timers = Timers()
        log.info("client %s, %s, folders %s", self.client.name or "?", self.client.position_encoding, list(roots))
        self.workspace = self._open_space(tuple(roots))

    def close(self) -> None:
        """Stop everything; nothing is sent any more."""
        self.timers.close()
        self.policy_files.close()
        self.watched.stop()
        parts = (self.offers, self.judging, self.policies, self.citings, self.deletions, self.histories, self.grounding)
        for close in [*(part.close for part in parts), *(space.close for space in self.spaces), self.worker.close]:
            close()

    # --- spaces

    @property
    def spaces(self) -> tuple[Space, ...]:
        """The workspace's, then those of documents that lie in no workspace folder."""
        return (self.workspace, *self._strays.values())

    def overlay(self) -> dict[str, str]:
        """Give the texts of all open files."""
        return {document.path: document.buffer.text for document in self.documents.values() if document.path}

    def _open_space(self, roots: tuple[str, ...]) -> Space:
        space = Space(roots, self._scopes(roots), self.overlay, self.folders, self._space_changed)
        if roots:
            space.list_soon(0.0)
        return space

    def _scopes(self, roots: Iterable[str]) -> list[Scope]:
        return [scope_of(self.settings.of(f"{root}/", root).settings) for root in roots]

    def change_roots(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Take other workspace folders."""
        gone = set(removed)
        roots = dict.fromkeys([*(root for root in self.workspace.roots if root not in gone), *added])
        self._close_space(self.workspace)
        self.settings.leave(gone)
        self.workspace = self._open_space(tuple(roots))
        self.replace_all()
        self.reports.report(self.settings.problems)
        self.deletions.look_again()

    def space_at(self, root: str) -> Space:
        """Give the space of a root."""
        if root in self.workspace.roots:
            return self.workspace
        if root not in self._strays:
            self._strays[root] = self._open_space((root,))
        return self._strays[root]

    def _close_unused(self) -> None:
        """Close the spaces beside the workspace that no document lies in any more."""
        places = [document.place or document.beside for document in self.documents.values()]
        used = {place.space for place in places if place is not None}
        for root, space in list(self._strays.items()):
            if space not in used:
                self._close_space(space)
                del self._strays[root]

    def _close_space(self, space: Space) -> None:
        self.citings.forget(space)
        space.leave()

    def _space_changed(self, space: Space, change: Change) -> None:
        """Check again what a next snapshot may say otherwise."""
        if change.everything:
            log.info("%d files below %s", sum(map(len, space.snapshot.indexes)), ", ".join(space.roots))
            self.deletions.look_again()
            self.offers.soon()
        lost = change.everything and space.known.lost()
        self.timers.later("judge what waited", 0.0, self.rounds.start_unlisted)
        for document in self._documents_of(space):
            ignored = document.is_ignored_by_git
            parsed = document.document
            if ignored != document.ignored or document.place is None:
                document.ignored = ignored
                self._parse(document)
            elif change.everything:
                document.written.outdated = document.written.outdated or document.written.unread
                if document.verdicts or self.judging.is_judging(document):
                    self.timers.later("judge all again", 0.0, self.rounds.all_again)
                document.forget_levels()
                if lost or (parsed is not None and any(path in space.known for path in parsed.refused)):
                    self._parse(document)
                document.checks.clear()
            elif not (change.answers and document.checks.forget_undecided()):
                continue
            self.rounds.ground_soon(document)
            self.touch(document)
        self.status_soon()

    def _documents_of(self, space: Space) -> list[OpenDocument]:
        return [document for document in self.documents.values() if document.place and document.place.space is space]

    # --- documents

    def opened(self, uri: str, language: str, version: int, text: str) -> None:
        """Take a document that the client has opened."""
        path = to_path(uri)
        document = OpenDocument(uri, path, language, version, text, self.client.position_encoding)
        old = self.documents.get(key(uri))
        if old is not None:
            self._let_go(old)
        self.documents[key(uri)] = document
        if path is not None and not is_file(path):
            self._new_file({path: text})
        self._place(document)
        self._typed(document)
        self.touch(document)
        self.offers.soon()

    def changed(self, uri: str, version: int | None, changes: Sequence[ContentChange]) -> None:
        """Take the changes of an open document; those of one that is not open are dropped."""
        document = self.documents.get(key(uri))
        if document is None:
            log.warning("a change of a document that is not open")
            return
        document.change(changes, version)
        if document.too_large != document.refusal:
            self._parse(document)
        self._typed(document)
        self.touch(document)

    def saved(self, uri: str) -> None:
        """Judge what was saved, and the documents that cite it."""
        document = self.documents.get(key(uri))
        path = to_path(uri)
        if path is None:
            return
        if is_settings_file(path):
            self.settings_changed()
        if _says_what_is_ignored(path):
            self._list_all(path)
        for space in self.spaces:
            if space.roots and (space is not self.workspace or self.watched.by == "nobody"):
                space.list_soon(appeared=True)  # nobody watches beside the workspace folders
                self._ask_pasts_again(space)
        self.settle()
        names = (path, real_path(path))
        citing = [other for other in self.documents.values() if other is not document and other.cites(*names)]
        for other in [each for each in (document, *citing) if each is not None]:
            self.rounds.ground_soon(other)
            if other is document or other.counts:
                self.rounds.start_if_wanted(other)
        self.policies.files_changed((path,))
        if document is not None:
            self.policies.saved(document)

    def closed(self, uri: str) -> None:
        """Forget a document; its findings are taken back."""
        document = self.documents.pop(key(uri), None)
        if document is None:
            return
        self._let_go(document)
        if document.published:
            self._send(document, self.reports.of(document.path or ""))
        if document.path is not None and is_file(document.path):
            self._take_texts({document.path: None})
        elif document.path is not None:
            self._new_file({document.path: None})
        self._close_unused()
        self.status_soon()

    def _let_go(self, document: OpenDocument) -> None:
        self._pending.pop(document, None)
        self.policy_files.forget(document)
        self.judging.forget(document)
        self.policies.forget(document)
        self.histories.forget(document)
        self.grounding.stop(document)

    def find(self, uri: str) -> OpenDocument | None:
        """Give an open document, checked up to what the client has sent."""
        self.settle()
        document = self.documents.get(key(uri))
        if document is not None:
            document.finish()
        return document

    def hit(self, uri: str, line: int, units: int) -> tuple[OpenDocument, Hit] | None:
        """Give the citation at a position of an open document."""
        document = self.find(uri)
        hit = document.hit(line, units) if document is not None and document.document is not None else None
        return (document, hit) if document is not None and hit is not None else None

    def _place(self, document: OpenDocument) -> None:
        """Find out where a document is looked at from, and parse it if it is one of ours."""
        before, document.place = document.place, None
        document.forget_levels()
        if document.path is not None:
            place = self.place_beside(document.path)
            self.policy_files.place(document, place)
            if place.settings.is_document(place.inside):
                place.space = self.space_at(place.root)
                document.place = place
                if document.is_ignored_by_git:
                    place.space.list_soon()  # or it is newer than the index
        elif (ending := document.untitled_ending) is not None and self.workspace.roots:
            root = self.workspace.roots[0]
            name = f"untitled{ending}"
            document.place = Place(self.workspace, root, name, self.settings.of(f"{root}/{name}", root), name)
        if before is None or document.place is None:
            document.ignored = False
        if document.place is not None:
            document.beside = None
            document.look_back(drift=document.place.settings.drift.enabled)
            self.rounds.placed(document, document.place, before)
        self._parse(document)

    def place_beside(self, path: str) -> Place:
        """Give where a file that is no document of ours is looked at from, in the workspace's space."""
        root = self.workspace.holds(path) or stray_root(path)
        loaded = self.settings.of(path, root)
        inside = relative(path, loaded.root if loaded.project_file is not None else root)
        return Place(self.workspace, root, relative(path, root), loaded, inside)

    def _parse(self, document: OpenDocument) -> None:
        document.refusal = document.too_large
        if document.place is None or document.ignored or document.refusal:
            document.document = None
            document.checks.clear()
            self.judging.stop(document)
            return
        document.parse(document.place)

    # --- checking and publishing

    def touch(self, document: OpenDocument) -> None:
        """Check and publish a document once the messages that have arrived are read."""
        self._pending[document] = None
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        """Check and publish what was touched."""
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        pending, self._pending = self._pending, {}
        for document in pending:
            self._check(document)
            self.refreshing.checked(document)
            accepted = self.accepted.of(document.place) if document.place is not None else NOTHING
            found = diagnostics_of(document, accepted, related=self.client.related_information)
            of_policies = self.policy_files.diagnostics(document)
            if of_policies is not None:
                self._send(document, [*found, *of_policies])
        if pending:
            self.status_soon()

    def _check(self, document: OpenDocument) -> None:
        if document.document is None or document.place is None:
            return
        document.checks.update(document.document, document.place.snapshot)
        self.timers.later("ask", _ASKING_REST, self._ask)
        if document.checks.behind:
            self.histories.advance(document)
        elif document.checks.due:
            self.timers.after_rest("search", _SEARCH_REST, self._search)
        if any(other.dirty and document.cites(*other.names) for other in self.documents.values()):
            self.timers.later("texts", _TYPING_REST, self.settle)

    def _ask(self) -> None:
        for space in self.spaces:
            space.ask()
        for document in self.documents.values():
            self.histories.ask(document)
        self.histories.ask_departures(list(self.documents.values()))

    def _search(self) -> None:
        """Search whole files for what an edit of them carried off, now that typing rests."""
        for document in self.documents.values():
            if document.checks.due:
                self.histories.advance(document)

    def _known_better(self, document: OpenDocument) -> None:
        if self.documents.get(key(document.uri)) is document:
            self.touch(document)

    def _send(self, document: OpenDocument, diagnostics: list[dict[str, Any]]) -> None:
        if document.published == diagnostics and document.published_version == document.version:
            return
        ours = document.place is not None or self.policy_files.is_policy_file(document)
        if not (ours or document.published or diagnostics):
            return  # no document of ours, and never was: what others tell of it is not to be taken back
        document.published = diagnostics
        document.published_version = document.version
        params: dict[str, Any] = {"uri": document.uri, "diagnostics": diagnostics}
        if self.client.version_support and document.version is not None:
            params["version"] = document.version
        self.server.send_raw("textDocument/publishDiagnostics", params)

    # --- texts that other documents cite

    def _typed(self, document: OpenDocument) -> None:
        """Have what is typed in a cited file count for those that cite it, after a rest."""
        names = document.names
        if names and any(other.cites(*names) for other in self.documents.values()):
            self.timers.later("texts", _TYPING_REST, self.settle)

    def settle(self) -> None:
        """Bring everything up to what the client has sent: texts over files, then checks."""
        dirty = [document for document in self.documents.values() if document.dirty and document.path is not None]
        if dirty:
            for document in dirty:
                document.dirty = False
            self._take_texts({document.path: document.buffer.text for document in dirty if document.path})
        self.flush()

    def _new_file(self, buffers: Mapping[str, str | None]) -> None:
        """Take texts of files that are not on disk: paths that led nowhere may lead to them, and the other way."""
        for space in self.spaces:
            space.take_new_files(buffers)
        for document in self.documents.values():
            if document.document is not None:
                document.checks.clear()
                self.touch(document)

    def _take_texts(self, buffers: Mapping[str, str | None], changed: Iterable[str] = ()) -> None:
        named = {*buffers, *changed}
        files = frozenset({*named, *map(real_path, named)})
        for space in self.spaces:
            space.take_texts(buffers, changed)
        for document in self.documents.values():
            citing = document.checks.forget_files(files)
            if citing:
                self.touch(document)
                self.rounds.again(document, citing)

    def files_changed(self, changed: Iterable[str], moved: Iterable[str]) -> None:
        """Take note of files that changed on disk, and of those that appeared or vanished: absolute paths."""
        news = list(changed)
        open_paths = {document.path for document in self.documents.values()}
        content = [path for path in news if path not in open_paths]
        appeared = [*moved, *filter(_says_what_is_ignored, news)]
        if any(map(is_settings_file, (*content, *appeared))):
            self.settings_changed()
        self.accepted_changed((*news, *appeared))
        self.policies.files_changed((*news, *appeared))
        if len(content) + len(appeared) > _MANY_EVENTS:
            for space in self.spaces:
                space.list_soon(appeared=True, rules=True)
            return
        self._take_texts({}, [*content, *appeared])
        for path in appeared:
            self._list_all(path)

    def accepted_changed(self, paths: Iterable[str]) -> None:
        """Take note that files changed which may hold accepted findings."""
        if self.accepted.forget(paths):
            for document in self.documents.values():
                self.touch(document)

    def git_changed(self, path: str) -> None:
        """Take note that git did something, by the absolute path of a file of its: other files may be tracked now."""
        for space in self.spaces:
            if space.holds(path):
                space.list_soon()
                self._ask_pasts_again(space)

    def _ask_pasts_again(self, space: Space) -> None:
        for book in space.commits.values():
            book.outdate_departures()
        for document in self._documents_of(space):
            document.written.outdated = True
        self.timers.later("ask", _ASKING_REST, self._ask)

    def _list_all(self, path: str) -> None:
        """List the files anew of each space that holds a path."""
        for space in self.spaces:
            if space.holds(path):
                space.list_soon(appeared=True, rules=_says_what_is_ignored(path))

    # --- settings

    def take_editor_settings(self, tree: object, root: str | None = None, *, only: bool = False) -> None:
        """Take the editor's settings, for one workspace folder or for all; `only`: those of folders are gone."""
        tree = {} if tree is None else tree
        if not isinstance(tree, Mapping):
            problem = Problem("editor", None, None, "", f"the settings are no table but {type(tree).__name__}")
            self.reports.say(problem)
            return
        if self.settings.set_editor({str(name): value for name, value in tree.items()}, root, only=only):
            self.settings_changed()

    def settings_changed(self) -> None:
        """Read settings again, and look at everything under them."""
        self.settings.forget()
        for space in self.spaces:
            space.rescope(self._scopes(space.roots))
        self.replace_all()

    def replace_all(self) -> None:
        """Place, parse and check all documents anew."""
        for document in self.documents.values():
            self._place(document)
            self.touch(document)
        self.policies.placed()
        self._close_unused()
        self.judges.close_others([each.place.settings for each in self.documents.values() if each.place is not None])

    # --- judging

    def _judged(self, document: OpenDocument) -> None:
        if self.documents.get(key(document.uri)) is document:
            document.published_version = None  # who waits for the outcome of a save is told, though it be the same
            self.touch(document)


def _says_what_is_ignored(path: str) -> bool:
    return path.endswith("/.gitignore")
