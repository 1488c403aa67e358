"""A run over documents: which ones, under which settings, and what is known of each."""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cite_lsp.config import LoadedSettings, Problem, Settings, find_root, load_settings
from cite_lsp.document.blocks import syntax_of
from cite_lsp.findings.check import Checked, examine
from cite_lsp.findings.reading import parse_document, scope_of
from cite_lsp.snapshot.ladder import within
from cite_lsp.snapshot.lines import Unread, is_folder
from cite_lsp.snapshot.paths import too_wide
from cite_lsp.snapshot.snapshot import Snapshot

STDIN = "-"
PLACE = re.compile(r"(.+?):([0-9]{1,9})(?::[0-9]{1,9})?", re.DOTALL)
"""`PATH:LINE` or `PATH:LINE:COLUMN`, as a person names a line of a document."""


class UsageError(Exception):
    """The command cannot be run as it was called; the message says what to do."""


class UnfinishedError(Exception):
    """The command could not be brought to its end; the message says why."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asked to be checked."""

    paths: tuple[str, ...]
    stdin: str | None = None
    """The text of standard input, where "-" is among the paths."""
    stdin_path: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """One document of a run: `checked`, or why it was not read."""

    path: str
    """Relative to the root, POSIX."""
    sha256: str = ""
    checked: Checked | None = None
    unread: str = ""
    passed_over: bool = False
    """It is no text, was taken for a document by `.txt` alone, and nobody named it: a fuzz corpus, say."""


@dataclass(slots=True)
class Run:
    """Everything that is fixed before the first document is looked at."""

    root: str
    loaded: LoadedSettings
    snapshot: Snapshot
    documents: tuple[str, ...]
    notes: tuple[str, ...]
    problems: list[Problem] = field(default_factory=list)
    nested: Mapping[str, LoadedSettings] = field(default_factory=dict)
    """Settings of folders below the root that have their own file."""
    named: frozenset[str] = frozenset()
    """Documents that were named one by one."""

    @property
    def settings(self) -> Settings:
        """The settings at the root."""
        return self.loaded.settings

    def settings_for(self, path: str) -> tuple[Settings, str]:
        """Give the settings that a document is under, and its path relative to their folder."""
        folder = path
        while self.nested and "/" in folder:
            folder = folder.rpartition("/")[0]
            loaded = self.nested.get(folder)
            if loaded is not None:
                return loaded.settings, path[len(folder) + 1 :]
        return self.settings, path

    def reports(self, documents: Sequence[str]) -> Iterator[Report]:
        """Look at one document after the other."""
        known = self.snapshot.known
        for path in documents:
            settings, inside = self.settings_for(path)
            text = self.snapshot.read_document(self.root, path, settings.files.max_document_bytes)
            if isinstance(text, Unread):
                passed_over = text.status == "not-text" and syntax_of(path) == "text" and path not in self.named
                yield Report(path, unread=text.reason, passed_over=passed_over)
                continue
            document = parse_document(text.text, path, known, settings)
            yield Report(path, text.sha256, examine(document, self.snapshot, settings, inside))


def prepare(request: Request, command_line: Mapping[str, object] | None = None) -> Run:
    """Find root, settings and documents. Raises `UsageError` for paths that cannot be checked together."""
    paths = request.paths or (".",)
    if request.stdin_path is not None and STDIN not in paths:
        raise UsageError("--stdin-path says where standard input stands, and - is not among the paths")
    full = [_full(path, request) for path in paths]
    root = _root_of(full[0])
    for given, path in zip(paths, full, strict=True):
        if path != root and within(root, path) is None:
            raise UsageError(f"{given} lies outside {root}, the root of the first path; check it in a run of its own")
    refused = too_wide(root)
    if refused:
        raise UsageError(refused)
    loaded = load_settings(root, command_line=command_line)
    overlay = {full[paths.index(STDIN)]: request.stdin or ""} if STDIN in paths else {}
    snapshot = Snapshot.open(root, overlay=overlay, scope=scope_of(loaded.settings))
    nested = _nested_settings(root, snapshot, command_line)
    run = Run(root, loaded, snapshot, (), snapshot.notes, list(loaded.problems), nested)
    run.problems += [problem for each in nested.values() for problem in each.problems if problem not in run.problems]
    run.named = frozenset(_named(run, full, paths))
    run.documents = tuple(sorted({*run.named, *_taken_in(run, full, paths)}))
    if not run.documents:
        taken_in = ", ".join(run.settings.files.include)
        note = f"no document was found: files.include takes in {taken_in}, and what git ignores is no document"
        run.notes = (*run.notes, note)
    return run


def _full(path: str, request: Request) -> str:
    """Give the absolute path of what was named; a link to a folder is the folder it leads to."""
    if path != STDIN:
        if not path:
            raise UsageError("a path is empty; name a document or a folder, or leave it out for the working folder")
        found = _absolute(path)
        try:
            mode = os.lstat(found).st_mode
        except PermissionError as error:
            raise UsageError(f"{path} cannot be read: there is no permission to") from error
        except (OSError, ValueError) as error:
            place = PLACE.fullmatch(path)
            hint = f"; `cite-lsp explain {path}` shows the citations of a line" if place and _exists(place[1]) else ""
            raise UsageError(f"{path} does not exist{hint}") from error
        if stat.S_ISLNK(mode) and is_folder(found):
            found = os.path.realpath(found)
        if is_folder(found) and not os.access(found, os.R_OK | os.X_OK):
            raise UsageError(f"{path} cannot be read: there is no permission to")
        return found
    if not request.stdin_path:
        raise UsageError("standard input has no place in the workspace; say which with --stdin-path docs/a.md")
    found = _absolute(request.stdin_path)
    if is_folder(found):
        raise UsageError(
            f"{request.stdin_path} is a folder; --stdin-path names the document that standard input stands for"
        )
    return found


def _absolute(path: str) -> str:
    try:
        return os.path.abspath(path)
    except FileNotFoundError as error:
        raise UsageError("the working folder is not there any more; change to one that is") from error


def _root_of(path: str) -> str:
    """Give the root of a path; its own folder where no settings file, repository or working folder holds it."""
    root, _ = find_root(path)
    if path == root or (within(root, path) is not None and not too_wide(root)):
        return root
    return path if is_folder(path) else os.path.dirname(path)


def _nested_settings(
    root: str, snapshot: Snapshot, command_line: Mapping[str, object] | None
) -> dict[str, LoadedSettings]:
    """Load the settings files below the root, by the folder they stand in."""
    found: dict[str, LoadedSettings] = {}
    for name in ("cite-lsp.toml", "pyproject.toml"):
        for path in snapshot.indexes[0].with_suffix(name):
            folder = path.rpartition("/")[0]
            if not folder or folder in found:
                continue
            loaded = load_settings(f"{root}/{folder}", command_line=command_line)
            if loaded.project_file is not None and loaded.root == f"{root}/{folder}":
                found[folder] = loaded
    return found


def _named(run: Run, full: Sequence[str], given: Sequence[str]) -> Iterator[str]:
    """Give the documents that were named one by one: they are checked whatever `files` says."""
    for name, path in zip(given, full, strict=True):
        inside = within(run.root, path) or ""
        if inside and (name == STDIN or not is_folder(path)):
            yield inside


def _taken_in(run: Run, full: Sequence[str], given: Sequence[str]) -> Iterator[str]:
    """Give the documents that the settings take in below the folders that were named."""
    for name, path in zip(given, full, strict=True):
        if name != STDIN and is_folder(path):
            yield from _below(run, within(run.root, path) or "")


def _below(run: Run, folder: str) -> Iterable[str]:
    """Give the documents below a folder; a link to another document beside it is that one, not a second."""
    prefix = folder + "/" if folder else ""
    for path in run.snapshot.indexes[0].paths:
        if path.startswith(prefix):
            settings, relative = run.settings_for(path)
            if settings.is_document(relative) and not _is_link_inside(run, path):
                yield path


def _is_link_inside(run: Run, path: str) -> bool:
    """Say whether a document is a link to another one of its folder, so that both would tell the same."""
    full = f"{run.root}/{path}"
    if not Path(full).is_symlink():
        return False
    target = within(os.path.realpath(run.root), os.path.realpath(full))
    same_folder = target is not None and target.rpartition("/")[0] == path.rpartition("/")[0]
    return same_folder and target != path and target in run.snapshot.indexes[0]


def _exists(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False
