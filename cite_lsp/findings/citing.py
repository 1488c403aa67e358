"""Who cites what: every citation of every document, found by the file that it cites.

A document is read when it is first needed, and again when its size or its time of change is another. Which file a
citation leads to hangs on the files of its name and on the folders there are; where one of these comes or goes, what
hangs on it is read again.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from unicodedata import normalize

from cite_lsp.config import Settings
from cite_lsp.document.columns import Encoding, to_units
from cite_lsp.document.document import Document
from cite_lsp.findings.citations import Citation, Citations, Span, Wanted, Wordings
from cite_lsp.findings.gathering import Gathering
from cite_lsp.findings.places import Places
from cite_lsp.findings.reading import parse_document, scope_of
from cite_lsp.snapshot.ladder import joined, within
from cite_lsp.snapshot.lines import Reader, Unread, real_path
from cite_lsp.snapshot.paths import PathIndex
from cite_lsp.snapshot.snapshot import Snapshot

_RUN = re.compile(r"[a-z0-9]+")
_MOST_LINKS = 100_000
_MOST_GONE = 10_000
"""Citations that are no longer, beyond as many as there are, from which on their texts are let go of."""


class Stamp(NamedTuple):
    """What tells one content of a file from another."""

    size: int
    time: int
    """Of the last change, in nanoseconds; of a buffer what its text hashes to."""


class _Read(NamedTuple):
    """What was found in one document."""

    stamp: Stamp
    names: tuple[str, ...]
    """Base names, case folded, that what its citations lead to hangs on."""
    citations: Citations


class CitedDocument(NamedTuple):
    """A document and what it cites."""

    root: str
    path: str
    """Relative to the root."""
    citations: Sequence[Citation]

    @property
    def full(self) -> str:
        """The absolute path."""
        return joined(self.root, self.path)


def never() -> bool:
    """Say that somebody waits."""
    return False


class Citing:
    """The reverse index of some roots that are looked up together. Call `renew` before asking."""

    def __init__(self, encoding: Encoding = "utf-32") -> None:
        self.encoding = encoding
        self.gatherings: tuple[Gathering, ...] = ()
        self._overlay: Mapping[str, str] = {}
        self._read: dict[str, _Read] = {}
        self._by_file: dict[str, set[str]] = {}
        """A cited file where its links lead: the absolute paths of the documents."""
        self._documents: dict[str, tuple[str, str]] = {}
        """Absolute path: root and path."""
        self._links: dict[str, str] = {}
        """Files that are links or lie behind one, and where they lead."""
        self._real_roots: tuple[str, ...] = ()
        self._wordings = Wordings()
        self._snapshot: Snapshot | None = None
        self.characters_read = 0
        """Of documents since it last rested: what reading them leaves free behind it goes by that."""
        self._views: dict[str, Snapshot] = {}
        """The same as it is seen from each root."""

    @property
    def count(self) -> int:
        """How many citations are known."""
        return sum(len(read.citations) for read in self._read.values())

    def renew(self, gatherings: Sequence[Gathering], overlay: Mapping[str, str] | None = None) -> None:
        """Take the files and settings as they are now, and the texts of open documents by absolute path."""
        before = self.gatherings
        self.gatherings = tuple(gatherings)
        self._overlay = dict(overlay or {})
        self.rest()
        if _settings_of(before) != _settings_of(self.gatherings):
            self._forget_all()
            self._take_paths()
        elif any(old.index is not new.index for old, new in zip(before, self.gatherings, strict=True)):
            self._forget_changed([(old.index, new.index) for old, new in zip(before, self.gatherings, strict=True)])
            self._take_paths()

    def rest(self) -> None:
        """Let go of what only helps while it is being asked."""
        self.characters_read = 0
        self._snapshot = None
        self._views = {}
        if self._wordings.kept > _MOST_GONE and self._wordings.kept > _MOST_GONE + 2 * self.count:
            self._keep_anew()

    def snapshot(self) -> Snapshot:
        """Give what citations are looked up in; it lives until the next `renew`."""
        if self._snapshot is None:
            scopes = [scope_of(gathering.loaded.settings) for gathering in self.gatherings]
            checkouts = dict.fromkeys(path for scope in scopes for path in scope.repositories.values())
            indexes = [gathering.index for gathering in self.gatherings]
            # What cited files say is not asked, so none of them is kept.
            reader = Reader((*(index.root for index in indexes), *checkouts), keep_bytes=0)
            self._snapshot = Snapshot(indexes, reader, scopes[0], {})
        return self._snapshot

    def seen_from(self, root: str) -> Snapshot:
        """Give the same as a document of a root sees it."""
        if root not in self._views:
            self._views[root] = self.snapshot().seen_from(root, scope=scope_of(self._gathering(root).loaded.settings))
        return self._views[root]

    # --- asking

    def who_cites(
        self,
        asked: Mapping[str, Sequence[Span] | None],
        *,
        without: Iterable[str] = (),
        dropped: Callable[[], bool] = never,
    ) -> Iterator[CitedDocument]:
        """Give the documents that cite lines of files, in order of path, each with those citations.

        Args:
            asked: Absolute paths of files to the lines asked for; None is all lines. A path that ends in "/" stands
                for all files below a folder.
            without: Absolute paths of documents that are not looked at.
            dropped: Asked between two documents; what was found by then is given.
        """
        wanted = {self.real(path.rstrip("/")) + ("/" if path.endswith("/") else ""): asked[path] for path in asked}
        below = tuple(path for path in wanted if path.endswith("/"))
        self.read_all(None if below else self._needles(wanted), without=without, dropped=dropped)
        files = {path: spans for path, spans in wanted.items() if path not in below}
        for prefix in below:
            files.update((path, wanted[prefix]) for path in self._by_file if path.startswith(prefix))
        left_out = frozenset(without)
        lines: dict[str, Sequence[Span] | None] = {}

        def is_asked(path: str) -> bool:
            real = self.real(path)
            if real in files:
                lines[path] = files[real]
            return real in files

        cited = Wanted(self._wordings, is_asked)
        holding = {document for path in files for document in self._by_file.get(path, ())} - left_out
        for document in sorted(holding):
            found = tuple(
                each
                for each in self._read[document].citations.of_files(cited)
                if (spans := lines[each.path]) is None or each.cites(spans)
            )
            if found:
                yield CitedDocument(*self._documents[document], found)

    def hanging_on(self, names: Iterable[str]) -> Iterator[CitedDocument]:
        """Give the documents that have been read and hold a citation that hangs on a base name: see `fold_name`."""
        wanted = frozenset(names)
        for full in sorted(self._read):
            read = self._read[full]
            if not wanted.isdisjoint(read.names):
                yield CitedDocument(*self._documents[full], read.citations)

    def read_all(
        self,
        needles: Sequence[str] | None = None,
        *,
        without: Iterable[str] = (),
        dropped: Callable[[], bool] = never,
    ) -> bool:
        """Read the documents that are new or have changed; False where it was dropped before the last.

        `needles`: a document that was never read and holds none of them is passed over, and read when it is needed.
        """
        done = sum(1 for _ in self.reading(needles, without=without, dropped=dropped))
        return done == len(self._documents.keys() - frozenset(without))

    def reading(
        self,
        needles: Sequence[str] | None = None,
        *,
        without: Iterable[str] = (),
        dropped: Callable[[], bool] = never,
    ) -> Iterator[str]:
        """Do the same, and give each document's absolute path once what it cites is known, in order of path."""
        left_out = frozenset(without)
        for full in sorted(self._documents):
            if full in left_out:
                continue
            if dropped():
                return
            self._renew(full, needles)
            yield full

    def text_of(self, full: str) -> str | None:
        """Give the text of a document as it is now; None where it cannot be read."""
        root, path = self._documents[full]
        settings, _ = self._gathering(root).settings_for(path)
        buffer = self._overlay.get(full)
        if buffer is not None:
            return buffer
        text = self.snapshot().read_document(root, path, settings.files.max_document_bytes)
        return None if isinstance(text, Unread) else text.text

    def parsed(self, full: str) -> Document | None:
        """Parse a document as it is now; None where it cannot be read."""
        text = self.text_of(full)
        if text is None:
            return None
        root, path = self._documents[full]
        settings, _ = self._gathering(root).settings_for(path)
        return parse_document(text, path, self.snapshot().known, settings)

    def settings_of(self, full: str) -> tuple[Settings, str]:
        """Give the settings of a document, and its path relative to their folder."""
        root, path = self._documents[full]
        return self._gathering(root).settings_for(path)

    def place_of(self, full: str) -> tuple[str, str]:
        """Give root and path of a document."""
        return self._documents[full]

    def citations_of(self, full: str) -> Sequence[Citation] | None:
        """Give all citations of a document; None where it was not read."""
        read = self._read.get(full)
        return read.citations if read is not None else None

    def counted(self, *, without: Iterable[str] = ()) -> Counter[str]:
        """Count the citations of each file that have been read, by its absolute path."""
        left_out = frozenset(without)
        return self._wordings.counted(read.citations for full, read in self._read.items() if full not in left_out)

    def known(self, fits: Callable[[str], bool], *, without: Iterable[str] = ()) -> Iterator[tuple[str, Citation]]:
        """Give all citations that have been read and whose file fits, each with the absolute path of its document.

        `fits` is asked about each file once, by its absolute path. They come in order of document.
        """
        left_out = frozenset(without)
        wanted = Wanted(self._wordings, fits)
        for full in sorted(self._read):
            if full not in left_out:
                for citation in self._read[full].citations.of_files(wanted):
                    yield full, citation

    def cited_by(self, full: str) -> set[str]:
        """Give the files that a document cites, absolute, as far as it was read; links are not followed."""
        read = self._read.get(full)
        return read.citations.files() if read is not None else set()

    def real(self, path: str) -> str:
        """Give where a file of the roots really is; its links are those of when the files were listed."""
        if not path or path in self._links:
            return self._links.get(path, "")
        for gathering, real in zip(self.gatherings, self._real_roots, strict=True):
            inside = within(gathering.root, path)
            if inside is not None and inside in gathering.index:
                return joined(real, inside)
        found = real_path(path)
        if len(self._links) < _MOST_LINKS:
            self._links[path] = found
        return found

    # --- keeping

    def _gathering(self, root: str) -> Gathering:
        return next(gathering for gathering in self.gatherings if gathering.root == root)

    def _forget_all(self) -> None:
        self._read, self._by_file, self._wordings = {}, {}, Wordings()

    def _keep_anew(self) -> None:
        """Keep what is known, and let go of the texts of citations that are no longer."""
        wordings = Wordings()
        for full, (stamp, names, citations) in self._read.items():
            self._read[full] = _Read(stamp, tuple(map(wordings.kept_text, names)), wordings.keep(citations))
        self._wordings = wordings

    def _forget(self, full: str) -> None:
        read = self._read.pop(full, None)
        for path in read.citations.files() if read is not None else ():
            self._by_file.get(self.real(path), set()).discard(full)

    def _forget_changed(self, news: Sequence[tuple[PathIndex, PathIndex]]) -> None:
        """Forget what hangs on the files that came or went; where a folder did, that is everything."""
        changed: set[str] = set()
        for old, new in news:
            if old.paths != new.paths:
                changed |= frozenset(old.paths).symmetric_difference(new.paths)
        if changed and any(_folders(old) != _folders(new) for old, new in news):
            self._forget_all()
        names = frozenset(map(fold_name, changed))
        for full in [full for full, read in self._read.items() if not names.isdisjoint(read.names)]:
            self._forget(full)

    def _take_paths(self) -> None:
        """Take the files of the indexes: which of them are links, and which documents."""
        self._real_roots = tuple(real_path(each.root) for each in self.gatherings)
        every = (joined(each.root, path) for each in self.gatherings for path in each.index.paths)
        self._links = {path: real_path(path) for path in every if os.path.islink(path)}  # noqa: PTH114 - many
        self._documents = {}
        for gathering in self.gatherings:
            for path in gathering.documents():
                self._documents.setdefault(joined(gathering.root, path), (gathering.root, path))
        for full in [full for full in self._read if full not in self._documents]:
            self._forget(full)
        self._by_file = {}
        for full, read in self._read.items():
            self._note(full, read)

    def _note(self, full: str, read: _Read) -> None:
        for path in read.citations.files():
            self._by_file.setdefault(self.real(path), set()).add(full)

    def _needles(self, wanted: Iterable[str]) -> list[str] | None:
        """Give texts of which one stands in every document that cites one of some files; None where none is sure to.

        A link to a file may have another name than the file.
        """
        real = frozenset(wanted)
        names = {path.rpartition("/")[2] for path in real}
        names |= {link.rpartition("/")[2] for link, to in self._links.items() if to in real}
        return needles_of(names)

    def _renew(self, full: str, needles: Sequence[str] | None) -> None:
        stamp = self._stamp(full)
        before = self._read.get(full)
        if before is not None and before.stamp == stamp:
            return
        if before is not None:
            self._forget(full)
        root, path = self._documents[full]
        text = self.text_of(full) if stamp is not None else None
        if text is None or stamp is None:
            return
        if before is None and needles is not None and not _holds(text, needles):
            return
        settings, _ = self._gathering(root).settings_for(path)
        read = self._read[full] = self._find(text, root, path, settings, stamp)
        self._note(full, read)

    def _stamp(self, full: str) -> Stamp | None:
        buffer = self._overlay.get(full)
        if buffer is not None:
            return Stamp(len(buffer), hash(buffer))
        try:
            found = os.stat(full)  # noqa: PTH116 - thousands of them
        except (OSError, ValueError):
            return None
        return Stamp(found.st_size, found.st_mtime_ns)

    def _find(self, text: str, root: str, path: str, settings: Settings, stamp: Stamp) -> _Read:
        self.characters_read += len(text)
        document = parse_document(text, path, self.snapshot().known, settings)
        seen = self.seen_from(root)
        places: Places | None = None
        citations: list[Citation] = []
        names: set[str] = set(map(fold_name, document.refused))
        offset = 0
        for block in document.blocks:
            for anchor in block.anchors:
                places = places or Places(text)
                names.add(fold_name(anchor.path))
                place = seen.cited_file(anchor, document)
                where = (*self._at(places, anchor.start + offset), *self._at(places, anchor.end + offset))
                spans = () if anchor.defect else anchor.spans
                full, via = (joined(place.root, place.path), place.via) if place is not None else ("", "")
                citations.append(Citation(*where, " ".join(anchor.text.split()), full, spans, via))
            offset += len(block.text)
        return _Read(stamp, tuple(map(self._wordings.kept_text, sorted(names))), self._wordings.keep(citations))

    def _at(self, places: Places, offset: int) -> tuple[int, int]:
        line = places.line(offset)
        start = places.start(line)
        return line, to_units(places.text[start:offset], offset - start, self.encoding)


def fold_name(path: str) -> str:
    """Give the base name of a path as written, whatever its case."""
    name = re.split(r"[/\\]", path)[-1]
    return name.lower() if name.isascii() else normalize("NFC", normalize("NFC", name).casefold())


def needles_of(names: Iterable[str]) -> list[str] | None:
    """Give a lower-case text for each base name that stands in whatever cites it; None where one has none.

    What may be escaped in a document (`_`, a blank) is in none of them.
    """
    found: set[str] = set()
    for name in names:
        runs = _RUN.findall(name.lower()) if name.isascii() else []
        longest = max(runs, key=len, default="")
        if len(longest) < 2:
            return None
        found.add(longest)
    return sorted(found)


def _holds(text: str, needles: Sequence[str]) -> bool:
    lowered = text.lower()
    return any(needle in lowered for needle in needles)


def _settings_of(gatherings: Sequence[Gathering]) -> list[object]:
    """Give what of the roots and their settings decides which citations there are."""
    return [
        (each.root, folder, loaded.root, loaded.settings.anchors, loaded.settings.files)
        for each in gatherings
        for folder, loaded in (("", each.loaded), *each.nested.items())
    ]


def _folders(index: PathIndex) -> set[str]:
    found: set[str] = set()
    for path in index.paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found
