"""A snapshot: the paths and texts that citations are resolved against, as they are at one moment."""

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from posixpath import normpath

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.document.path_token import known_spelling
from cite_lsp.document.ranges import Span
from cite_lsp.snapshot.baseline import Baseline, Written
from cite_lsp.snapshot.code_facts import UnitOf
from cite_lsp.snapshot.drift import Drift, Sentence, Standing, drift_of
from cite_lsp.snapshot.excerpt import Excerpt, span_excerpts
from cite_lsp.snapshot.git import Repository
from cite_lsp.snapshot.ladder import Home, Ladder, Place, downwards, home_of, joined, mapped_checkout, within
from cite_lsp.snapshot.lines import MAX_FILE_BYTES, DocumentText, FileText, Reader, Unread
from cite_lsp.snapshot.looking_back import Commits, History, LookingBack
from cite_lsp.snapshot.paths import PathIndex, list_paths
from cite_lsp.snapshot.resolve import Resolution, resolve_lines, unresolved

_MOST_CLOSEST = 2_000
_COMMIT = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Scope:
    """What of the settings a snapshot needs."""

    foreign: tuple[str, ...] = ()
    """Folders that paths of other repositories begin with, whether such a folder is here or not."""
    repositories: Mapping[str, str] = field(default_factory=dict)
    """Another repository's name to its checkout: an absolute folder."""
    max_bytes: int = MAX_FILE_BYTES


class _Known:
    """Answers for the paths of all roots."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Sequence[Container[str]]) -> None:
        self._parts = parts

    def __contains__(self, path: object) -> bool:
        return any(path in part for part in self._parts)


class Snapshot:
    """The workspace at one moment: path indexes and overlay are fixed, a file is read once.

    Made by `open` or `of`. Nothing here raises for what is found on disk.
    """

    def __init__(
        self,
        indexes: Sequence[PathIndex],
        reader: Reader,
        scope: Scope,
        histories: Mapping[str, History] | None = None,
        near: Callable[[str], tuple[str, ...]] | None = None,
        checkouts: Mapping[str, PathIndex] | None = None,
        commits: Commits | None = None,
    ) -> None:
        """Take what is known; what is None is found out when it is needed, by running git here.

        `histories`: for each root what knows its past. `near`: gives up to three paths close to one that is missing.
        `checkouts`: the indexes of other repositories' checkouts; one that is not among them has no files.
        `commits`: what is asked about files as they were.
        """
        self.indexes = tuple(indexes)
        self.reader = reader
        self.scope = scope
        self._histories = histories
        self._near = near
        self._checkout_indexes = checkouts
        self.commits = commits
        self._ladder = Ladder(self.indexes, reader)
        self._checkouts: dict[str, Ladder] = {}
        self._listed_checkouts: dict[str, PathIndex] = {}
        self._real_roots: dict[str, str] = {}
        self._homes: dict[str, Home] = {}
        self._by_git: dict[tuple[str, str], str] = {}
        self._closest: dict[str, tuple[str, ...]] = {}
        self._paths = object()
        """The same in snapshots between which only texts changed."""

    @classmethod
    def open(
        cls,
        *roots: str,
        overlay: Mapping[str, str] | None = None,
        scope: Scope | None = None,
        histories: Mapping[str, History] | None = None,
    ) -> "Snapshot":
        """Index absolute folders.

        `overlay`: absolute path to the text of an open buffer. `histories`: for each root what knows its past; git
        itself, asked when first needed, where it is not given.
        """
        scope = scope or Scope()
        indexes = [list_paths(root) for root in roots]
        checkouts = tuple(scope.repositories.values())
        reader = Reader((*roots, *checkouts), overlay=overlay, max_bytes=scope.max_bytes)
        return cls(indexes, reader, scope, histories, commits=LookingBack(scope.foreign))

    @classmethod
    def of(cls, files: Mapping[str, str]) -> "Snapshot":
        """Give a snapshot in memory, from root-relative POSIX paths to texts. It has no history."""
        reader = Reader((), overlay=files, on_disk=False)
        return cls([PathIndex.of(files)], reader, Scope(), {})

    # --- the next one

    def with_texts(self, buffers: Mapping[str, str | None], changed: Iterable[str] = ()) -> "Snapshot":
        """Give the snapshot after texts changed and no file appeared or vanished.

        `buffers`: absolute path to the text of an open buffer, None for one that was closed; `changed`: absolute
        paths of files with new content on disk. What is known of other files and of all paths is kept.
        """
        reader = self.reader.renewed(buffers, changed)
        new = Snapshot(
            self.indexes, reader, self.scope, self._histories, self._near, self._checkout_indexes, self.commits
        )
        new._ladder = self._ladder.over(reader)
        new._checkouts = {root: ladder.over(reader) for root, ladder in self._checkouts.items()}
        new._listed_checkouts = self._listed_checkouts
        new._homes, new._closest, new._paths = self._homes, self._closest, self._paths
        return new

    def seen_from(self, root: str, before: "Snapshot | None" = None, scope: Scope | None = None) -> "Snapshot":
        """Give the same snapshot with `root` first: a document's relative path counts as that root's.

        `before`: the answer of an earlier snapshot; what it has found out about the same paths is kept. `scope`: that
        of the root, where the roots differ in it.
        """
        indexes = sorted(self.indexes, key=lambda index: index.root != root)
        scope = scope or self.scope
        new = Snapshot(indexes, self.reader, scope, self._histories, self._near, self._checkout_indexes, self.commits)
        if before is not None and before.indexes == new.indexes and before.keeps_paths_of(self):
            new._ladder = before._ladder.over(self.reader)
            new._homes = before._homes
        new._paths = self._paths
        return new

    def keeps_paths_of(self, other: "Snapshot") -> bool:
        """Say whether what is known of paths here holds in another snapshot too: only texts lie between them."""
        return self._paths is other._paths

    # --- paths

    @property
    def known(self) -> Container[str]:
        """What answers for root-relative paths and for suffixes at a separator: `Document.parse(known=…)`."""
        return _Known([index.known() for index in self.indexes])

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should be told about the indexes."""
        return tuple(note for index in self.indexes for note in index.notes)

    @property
    def stale(self) -> bool:
        """Whether a file was read again and had changed: take a new snapshot."""
        return self.reader.stale

    def home(self, document: Document) -> Home:
        """Give where a document lies."""
        path = document.path
        if path not in self._homes:
            self._homes[path] = home_of(path, self.indexes, self.reader)
        return self._homes[path]

    # --- resolution

    def resolve(self, anchor: Anchor, document: Document) -> Resolution:
        """Resolve an anchor of a document; statuses are those of findings.md."""
        if anchor.repository and anchor.repository != ".":
            return self._resolve_foreign(anchor, anchor.repository, _splits(anchor.path), document, "permalink")
        if self.scope.foreign and (prefix := self._foreign_prefix(anchor.path)):
            inside = known_spelling(anchor.path)[len(prefix) :]
            return self._resolve_foreign(anchor, prefix, [inside], document, "root")
        home = self.home(document)
        if anchor.repository == ".":
            return self._resolve_at_ref(anchor, home, document)
        place = self._ladder.climb(anchor.path, home, document)
        if place is None:
            status = "missing" if self._lived_here(anchor.path, home) else "elsewhere"
            return unresolved(anchor, status, Resolution(status, (), path=known_spelling(anchor.path)))
        if place.status == "missing":
            return unresolved(anchor, "missing", Resolution("missing", (), path=place.path))
        return self._read(anchor, place)

    def cited_file(self, anchor: Anchor, document: Document) -> Place | None:
        """Give the file of the workspace that an anchor leads to, no line of it read.

        None where it leads to none, to several, to another repository, or to a commit: that is no file of today.
        """
        home = self.home(document)
        if anchor.repository == ".":
            places = (self._ladder.climb("/" + path, home, document) for path in _paths_at_branch(anchor))
            place = next((place for place in places if place is not None and place.via == "root"), None)
            place = place and place._replace(via="permalink")
        elif anchor.repository or (self.scope.foreign and self._foreign_prefix(anchor.path)):
            place = None
        else:
            place = self._ladder.climb(anchor.path, home, document)
        return place if place is not None and place.status in ("found", "case-differs") else None

    def asks_document(self, anchor: Anchor, document: Document) -> bool:
        """Say whether what an anchor means depends on what else its document names: see `named`."""
        if anchor.repository or (self.scope.foreign and self._foreign_prefix(anchor.path)):
            return False
        return self._ladder.asks_document(anchor.path, self.home(document))

    def named(self, path: str, document: Document) -> frozenset[str]:
        """Give the longer paths in a document's text that end in a path as written."""
        return self._ladder.named(path, document)

    def _foreign_prefix(self, path: str) -> str:
        """Give the folder of the setting that a path begins with, "/" at its end; "" for a path of this workspace."""
        spelled = known_spelling(path)
        prefixes = (known_spelling(prefix).rstrip("/") + "/" for prefix in self.scope.foreign if prefix)
        return next((prefix for prefix in prefixes if spelled.startswith(prefix)), "")

    def _resolve_foreign(
        self, anchor: Anchor, repository: str, paths: Iterable[str], document: Document, via: str
    ) -> Resolution:
        """Resolve a citation of another repository: the first of `paths` that the user's checkout of it has."""
        checkout = mapped_checkout(repository, self.scope.repositories)
        if checkout is not None:
            if checkout not in self._checkouts:
                listed = self._checkout_indexes
                index = list_paths(checkout) if listed is None else listed.get(checkout, PathIndex(checkout, ()))
                self._listed_checkouts[checkout] = index
                self._checkouts[checkout] = Ladder([index], self.reader)
            for path in paths:
                place = self._checkouts[checkout].climb("/" + path, Home(0, ()), document)
                if place is not None and place.via in ("root", "absolute"):
                    return self._read(anchor, Place(place.status, place.root, place.path, via))
        return unresolved(anchor, "foreign", Resolution("foreign", (), path=anchor.path))

    def _resolve_at_ref(self, anchor: Anchor, home: Home, document: Document) -> Resolution:
        """Resolve a link to a ref of this repository: the files here speak for a branch, never for a commit."""
        for path in _paths_at_branch(anchor):
            place = self._ladder.climb("/" + path, home, document)
            if place is not None and place.via == "root":
                found = self._read(anchor, Place(place.status, place.root, place.path, "permalink"))
                if found.resolved:
                    return found
        return unresolved(anchor, "foreign", Resolution("foreign", (), path=anchor.path, via="permalink"))

    def _read(self, anchor: Anchor, place: Place) -> Resolution:
        """Read the file of a place and look at its lines."""
        if place.status in ("ambiguous", "outside"):
            base = Resolution(place.status, (), *_where(place), left_out=place.left_out)
            return unresolved(anchor, place.status, base)
        file = self.reader.read(joined(place.root, place.path))
        if isinstance(file, Unread):
            return unresolved(anchor, file.status, Resolution(file.status, (), *_where(place), reason=file.reason))
        status = self._kept_by_git(place) if place.status == "found" else place.status
        return resolve_lines(anchor, file, Resolution(status, (), *_where(place)))

    def _kept_by_git(self, place: Place) -> str:
        """Say whether others will have the file: `found`, `untracked-target` or `ignored-target`."""
        key = place.root, place.path
        if key not in self._by_git:
            self._by_git[key] = self._looked_up_in_git(place)
        return self._by_git[key]

    def _looked_up_in_git(self, place: Place) -> str:
        index = next((index for index in self.indexes if index.root == place.root), None)
        if index is None or not index.root or not index.paths:
            return "found"
        path = place.path
        if index.tracked is not None and path in index.tracked:  # though an index of too many files leaves it out
            return "found"
        if path not in index:  # it may be listed where it really lies, when a folder of its path is a link
            full = joined(index.root, path)
            path = within(os.path.realpath(index.root), os.path.realpath(full)) or path
            if path not in index and os.path.lexists(full):
                return "ignored-target"
        return "found" if index.tracked is None or path in index.tracked else "untracked-target"

    def is_listed(self, resolution: Resolution, real_path: Callable[[str], str] = os.path.realpath) -> bool:
        """Say whether an index lists the file that is cited, where its links lead: git does not ignore it.

        A file that is not on disk yet is not listed either. `real_path` says where the links of a path lead.
        """
        if resolution.blob or not resolution.root:
            return True  # what a commit holds is tracked there; in memory nothing is ignored
        return self.lists(joined(resolution.root, resolution.path), real_path)

    def lists(self, full: str, real_path: Callable[[str], str] = os.path.realpath) -> bool:
        """Say whether an index lists the file of an absolute path, where its links lead."""
        real = real_path(full)
        for index in self._all_indexes():
            path = within(self._real_root(index.root), real) if index.root else None
            if path is not None and (path in index or (index.tracked is not None and path in index.tracked)):
                return True
        return False

    def _real_root(self, root: str) -> str:
        if root not in self._real_roots:
            self._real_roots[root] = os.path.realpath(root)
        return self._real_roots[root]

    def _all_indexes(self) -> Iterator[PathIndex]:
        """Give the indexes of the roots, then those of other repositories' checkouts that are known."""
        yield from self.indexes
        yield from (self._checkout_indexes or self._listed_checkouts).values()

    def file(self, resolution: Resolution) -> FileText | None:
        """Give the text of a resolved file."""
        if not resolution.resolved:
            return None
        if resolution.blob:
            return self.commits.file(resolution.blob) if self.commits is not None else None
        file = self.reader.read(joined(resolution.root, resolution.path))
        return file if isinstance(file, FileText) else None

    def read_document(self, root: str, path: str, max_bytes: int) -> DocumentText | Unread:
        """Read a document by root and root-relative path."""
        return self.reader.read_text(joined(root, path), max_bytes=max_bytes)

    # --- drift

    def written(self, document: Document, as_of: str = "") -> tuple[Written, ...]:
        """Give what is known of the past of a document's anchors, in parallel; empty where nobody can be asked.

        May run git, so it is never called on the server's loop. `as_of`: "" for a document that describes the present,
        of a record "written" or the name of a commit.
        """
        root = self.indexes[self.home(document).root].root
        return self.commits.written(root, document, as_of) if isinstance(self.commits, LookingBack) else ()

    def drift(self, anchor: Anchor, document: Document, as_of: str = "") -> tuple[Drift, ...]:
        """Say how the text of each span of one of the document's anchors drifted; `as_of` as in `written`, runs git."""
        written = self.written(document, as_of)
        if not written:
            return (Drift("unknown", reason="is not in a git repository"),) * len(anchor.spans)
        past = written[document.anchors.index(anchor)]
        return self.drifts(past, anchor, document, self.resolve(anchor, document), anchor.sentence)

    def drifts(
        self, written: Written, anchor: Anchor, document: Document, resolution: Resolution, sentence: Sentence = ""
    ) -> tuple[Drift, ...]:
        """Compare what each span of an anchor showed when it was written with the present.

        `resolution`: what the anchor means at present; `sentence`: the one it stands in. Runs no git.
        """
        as_of = written.resolution.as_of if written.resolution is not None else ""
        root = self.indexes[self.home(document).root].root
        why = _why_no_drift(anchor, resolution, root)
        path = resolution.path if resolution.resolved or resolution.status == "line-out-of-range" else ""

        def lines_of(here: str) -> Sequence[str] | None:
            file = self.reader.read(joined(root, here))
            return file.lines if isinstance(file, FileText) else None

        def drift(baseline: Baseline, span: Span) -> Drift:
            if why and baseline.state == "text":
                return Drift("unknown", (), baseline.commit, baseline.time, reason=why)
            return drift_of(baseline, path, span, lines_of, sentence)

        found = [drift(baseline, span) for baseline, span in zip(written.baselines, anchor.spans, strict=True)]
        return tuple([each._replace(as_of=as_of) for each in found]) if as_of else tuple(found)

    def past_files(self, written: Iterable[Written | None], document: Document) -> list[str]:
        """Give the keys, for the reader, of the files that drift looks into beside those that are cited now."""
        paths = {baseline.now for past in written if past is not None for baseline in past.baselines if baseline.now}
        root = self.indexes[self.home(document).root].root if paths else ""
        return [joined(root, path) for path in paths]

    def lines_at(self, place: Standing, document: Document) -> Sequence[str]:
        """Give the lines of a place in the root of a document; none where they cannot be read."""
        root = self.indexes[self.home(document).root].root
        file = self.reader.read(joined(root, place.path))
        return file.lines[place.first - 1 : place.last] if isinstance(file, FileText) else ()

    # --- what helps with a path that is gone

    def _lived_here(self, path: str, home: Home) -> bool:
        """Say whether a path that is not here belongs here: its folder exists, or its name is in the history."""
        spelled = path.replace("\\", "/")
        spelled = within(self.indexes[home.root].root, normpath(spelled)) or spelled
        folder = spelled.rpartition("/")[0].lstrip("/")
        if spelled.startswith("./"):
            return True
        if folder:
            tops = ("", *home.folders)
            folders = {normpath(f"{top}/{folder}" if top else folder) for top in tops}
            index = self.indexes[home.root]
            if any(index.has_folder(each) for each in folders if not f"{each}/".startswith("../")):
                return True
        name = spelled.rpartition("/")[2]
        return any(name in names for names in self._names_in_history)

    @cached_property
    def _names_in_history(self) -> list[frozenset[str]]:
        answers = [history.names_in_history() for history in self._known_histories.values()]
        return [names for names in answers if names is not None]

    @cached_property
    def _known_histories(self) -> Mapping[str, History]:
        if self._histories is not None:
            return self._histories
        found = {index.root: Repository.of(index.root) for index in self.indexes if index.root}
        return {root: repository for root, repository in found.items() if isinstance(repository, Repository)}

    def closest(self, resolution: Resolution) -> tuple[str, ...]:
        """Give up to three paths that are close to one that is missing."""
        path = resolution.path
        if path not in self._closest:
            if len(self._closest) >= _MOST_CLOSEST:
                return ()  # so many dead paths have one cause, and it is none that a near name mends
            if self._near is not None:
                return tuple(close for close in self._near(downwards(path)) if close != path)
            found = [close for index in self.indexes for close in index.close_to(downwards(path))]
            self._closest[path] = tuple([close for close in found if close != path][:3])
        return self._closest[path]

    def renamed_to(self, resolution: Resolution, document: Document) -> str | None:
        """Give the root-relative path that git says a missing file was renamed to, if it exists here.

        Of a file that was split into a folder of its name, git calls the likeliest part its new name: no answer.
        """
        home = self.home(document)
        index = self.indexes[home.root]
        history = self._known_histories.get(index.root)
        if history is None:
            return None
        prefix = _prefix(index.root, history.top)
        for top in ("", *home.folders):
            path = normpath(f"{top}/{resolution.path}" if top else resolution.path)
            if path.startswith("../"):
                continue
            renamed = history.renamed_to(prefix + path)
            if renamed and renamed.startswith(prefix) and not _is_a_part(prefix + path, renamed):
                here = renamed[len(prefix) :]
                if here in index:
                    return here
        return None

    # --- excerpts

    def excerpts(
        self, resolution: Resolution, anchor: Anchor, resolver: int = 2, window: int = 3, units: UnitOf | None = None
    ) -> tuple[Excerpt | None, ...]:
        """Give the cited lines of each span, as resolver 1 (a window) or 2 (the logical unit) bounds them.

        None for a span that names no lines. `units` are those of `unit_excerpt`: never on an event loop.
        """
        file = self.file(resolution)
        if file is None:
            return (None,) * len(anchor.spans)
        return span_excerpts(file.lines, resolution.path, anchor.spans, resolver, window, units)


def _why_no_drift(anchor: Anchor, resolution: Resolution, root: str) -> str:
    """Say why an anchor's drift cannot be known, whatever its past; "" where it can."""
    if anchor.approximate:
        return "is that of a citation that does not name exact lines"
    if resolution.root and resolution.root != root:
        return "is not kept where the cited file is"
    return ""


def _is_a_part(path: str, renamed: str) -> bool:
    """Say whether `renamed` is one part of what `path` was split into, and not the main one."""
    stem = path.rpartition("/")[2].partition(".")[0]
    folder = path[: len(path) - len(path.rpartition("/")[2])] + stem + "/"
    main = renamed.rpartition("/")[2].partition(".")[0]
    return renamed.startswith(folder) and main not in ("mod", "__init__", "index", stem)


def _paths_at_branch(anchor: Anchor) -> Iterator[str]:
    """Give what may be the path of a link to a ref of this repository; none where the ref is a commit."""
    is_commit = len(anchor.ref) >= 7 and set(anchor.ref) <= _COMMIT
    return iter(()) if is_commit else _splits(anchor.path)


def _splits(path: str) -> Iterator[str]:
    """Give what may be the path behind a ref: all of it, then without the folders that may belong to the ref."""
    while path:
        yield path
        path = path.partition("/")[2]


def _where(place: Place) -> tuple[str, str, str, tuple[str, ...]]:
    return place.root, place.path, place.via, place.candidates


def _prefix(root: str, top: str) -> str:
    """Give what stands between a work tree's top and a root inside it: "" or ending in "/"."""
    if root == top or not root.startswith(top.rstrip("/") + "/"):
        return ""
    return root[len(top.rstrip("/")) + 1 :] + "/"
