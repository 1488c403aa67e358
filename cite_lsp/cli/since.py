"""`--since REV`: only the documents that a change touches, and those that cite lines which it edits or moves.

The working tree is compared with the commit file by file, by what we read ourselves: git's own diff would run programs
that the repository names.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import takewhile

from cite_lsp.cli.run import Run, UsageError
from cite_lsp.findings.citations import Citation, Span
from cite_lsp.findings.citing import Citing, fold_name
from cite_lsp.snapshot.git import NoRepository, Repository
from cite_lsp.snapshot.ladder import joined, within
from cite_lsp.snapshot.lines import Unread
from cite_lsp.snapshot.objects import FOLDER, GITLINK, Entry, Objects

_MOST_ALIGNED = 4_000_000
"""Lines times lines that are aligned; between larger parts everything counts as edited."""
_BY_ENDING = frozenset({"suffix", "basename", "same-document"})
_MOST_FOLDERS = 100_000


def narrow(run: Run, revision: str) -> None:
    """Leave in a run only what a change since a revision touches; all of it before the first commit.

    Raises:
        UsageError: There is no repository, or no such commit in it.
    """
    repository = Repository.of(run.root)
    if isinstance(repository, NoRepository):
        raise UsageError(f"--since {revision}: {repository.reason}")
    objects = Objects(repository.top)
    try:
        commit = objects.commit(revision)
        if commit is None and revision == "HEAD" and not run.head:
            return  # as a hook asks
        if commit is None:
            shallow = "; the clone is shallow, so older commits are not in it" if repository.is_shallow else ""
            raise UsageError(f"--since {revision}: the repository has no such commit{shallow}")
        change = _Change(run, objects, _files_then(run.root, repository.top, objects, commit))
        run.documents = tuple(change.documents())
    finally:
        objects.close()
    if not run.documents:
        run.notes = (*run.notes, f"nothing that changed since {revision} touches a document or a citation")


@dataclass(frozen=True, slots=True)
class _Then:
    """The files of a commit below the root, by their root-relative path."""

    files: dict[str, Entry] = field(default_factory=dict)
    submodules: list[str] = field(default_factory=list)


def _files_then(root: str, top: str, objects: Objects, commit: bytes) -> _Then:
    tree = objects.root_of(commit)
    inside = within(os.path.realpath(top), os.path.realpath(root))
    for name in inside.split("/") if inside else ():
        entry = objects.tree(tree).get(os.fsencode(name))
        if entry is None or entry.mode != FOLDER:
            return _Then()
        tree = entry.id
    then = _Then()
    folders = [("", tree)]
    while folders and len(then.files) < _MOST_FOLDERS * 10:
        prefix, tree = folders.pop()
        for raw, entry in objects.tree(tree).items():
            path = prefix + os.fsdecode(raw)
            if entry.mode == FOLDER:
                folders.append((path + "/", entry.id))
            elif entry.mode == GITLINK:
                then.submodules.append(path + "/")
            else:
                then.files[path] = entry
    return then


class _Change:
    """What lies between a commit and the files as they are."""

    def __init__(self, run: Run, objects: Objects, then: _Then) -> None:
        self._run = run
        self._objects = objects
        self._then = then
        self._real_root = os.path.realpath(run.root)
        self._kept: dict[str, tuple[Span, ...] | None] = {}
        """A file, and the lines of it as it was that stand where they stood; None where it is all the same."""

    def documents(self) -> Iterator[str]:
        """Give the documents of the run that are touched, in order."""
        citing = Citing()
        citing.renew([self._run.gathering])
        citing.read_all()
        moved = frozenset(self._come_and_gone())
        names = frozenset(map(fold_name, moved))
        hanging = {document.path for document in citing.hanging_on(names) if _hangs(document.citations, moved, names)}
        for path in self._run.documents:
            if path in hanging or self._has_changed(path):
                yield path
                continue
            citations = citing.citations_of(joined(self._run.root, path))
            if citations is None or any(map(self._is_touched, citations)):
                yield path

    def _come_and_gone(self) -> Iterator[str]:
        index = self._run.snapshot.indexes[0]
        below = tuple(self._then.submodules)
        yield from (path for path in index.paths if path not in self._then.files and not path.startswith(below))
        for path in self._then.files:
            if path not in index and not os.path.lexists(joined(self._run.root, path)):
                yield path

    def _real(self, path: str) -> str:
        """Give the root-relative path where a file's links lead; its own where they lead out."""
        return within(self._real_root, os.path.realpath(joined(self._run.root, path))) or path

    def _has_changed(self, path: str) -> bool:
        """Say whether a document is another than it was; line ends do not count, which git may have changed."""
        entry = self._then.files.get(self._real(path))
        if entry is None:
            return True
        settings, _ = self._run.settings_for(path)
        now = self._run.snapshot.read_document(self._run.root, path, settings.files.max_document_bytes)
        before = self._objects.text(entry.id)
        if isinstance(now, Unread) or isinstance(before, Unread):
            return type(now) is not type(before)
        return now.text.replace("\r\n", "\n") != before.replace("\r\n", "\n")

    def _is_touched(self, citation: Citation) -> bool:
        """Say whether lines that a citation names were edited, or are at another place now."""
        path = within(self._run.root, citation.path) if citation.path else None
        if path is None:
            return False
        if path not in self._kept:
            self._kept[path] = self._kept_lines(self._real(path), citation.path)
        kept = self._kept[path]
        return kept is not None and not all(_lies_in(span, kept) for span in citation.spans)

    def _kept_lines(self, path: str, full: str) -> tuple[Span, ...] | None:
        entry = self._then.files.get(path)
        before = self._objects.file(entry.id) if entry is not None else None
        now = self._run.snapshot.reader.read(full)
        if before is None or isinstance(before, Unread) or isinstance(now, Unread):
            return ()
        return None if before.lines == now.lines else unmoved(before.lines, now.lines)


def _hangs(citations: Sequence[Citation], moved: frozenset[str], names: frozenset[str]) -> bool:
    """Say whether files that came or went may decide what a citation leads to."""
    for each in citations:
        if not each.path:
            return True
        by_name = each.via in _BY_ENDING or any(each.path.endswith("/" + path) for path in moved)
        if by_name and fold_name(each.path) in names:
            return True
    return False


def _lies_in(span: Span, kept: Sequence[Span]) -> bool:
    return any(low <= span[0] and span[1] <= high for low, high in kept)


def unmoved(before: Sequence[str], now: Sequence[str]) -> tuple[Span, ...]:
    """Give the lines, as ranges of 1-based numbers, that hold the same text before and now; adjacent ones are one."""
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, now, strict=False)))
    rest = min(len(before), len(now)) - head
    tails = zip(reversed(before), reversed(now), strict=False)
    tail = min(rest, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], tails)))
    old, new = before[head : len(before) - tail], now[head : len(now) - tail]
    kept = [(1, head)] if head else []
    if len(old) * len(new) <= _MOST_ALIGNED:
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        kept += [(head + a + 1, head + a + size) for a, b, size in blocks if size and a == b]
    if tail and len(before) == len(now):
        kept.append((len(before) - tail + 1, len(before)))
    joined_up: list[Span] = []
    for first, last in kept:
        if joined_up and joined_up[-1][1] + 1 == first:
            joined_up[-1] = (joined_up[-1][0], last)
        else:
            joined_up.append((first, last))
    return tuple(joined_up)
