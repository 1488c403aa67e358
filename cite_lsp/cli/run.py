"""A run over documents: which ones, under which settings, and what is known of each."""

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.config import Problem, Settings, find_root, load_settings
from cite_lsp.document.blocks import syntax_of
from cite_lsp.document.document import Document
from cite_lsp.findings.accepted import NOTHING, Accepted, accepted_path
from cite_lsp.findings.gathering import Gathering
from cite_lsp.findings.reading import as_of_setting, parse_document, scope_of
from cite_lsp.snapshot.git import NoRepository, ask
from cite_lsp.snapshot.ladder import within
from cite_lsp.snapshot.lines import Unread, is_folder
from cite_lsp.snapshot.paths import too_wide
from cite_lsp.snapshot.snapshot import Snapshot
from cite_lsp.store import Store

if TYPE_CHECKING:
    from cite_lsp.findings.check import Checked
    from cite_lsp.snapshot.baseline import Written
    from cite_lsp.snapshot.baselines import Baselines

AT_ONCE = 32
"""Documents whose histories are asked for together."""
STDIN = "-"
_WHOSE = {True: "the root of the first path", False: "the root that --root names"}
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
    root: str | None = None
    """A folder whose root counts, in place of the first path's."""
    excludes: bool = False
    """Whether what `files` leaves out is left out where it is named too, as by a hook that names all files."""


@dataclass(frozen=True, slots=True)
class Report:
    """One document of a run: `checked`, or why it was not read."""

    path: str
    """Relative to the root, POSIX."""
    sha256: str = ""
    checked: "Checked | None" = None
    unread: str = ""
    passed_over: bool = False
    """It is no text, was taken for a document by `.txt` alone, and nobody named it: a fuzz corpus, say."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document that was read, and the settings that it is under."""

    document: Document
    sha256: str
    settings: Settings
    inside: str
    """Its path relative to the folder of its settings."""


@dataclass(slots=True)
class Run:
    """Everything that is fixed before the first document is looked at."""

    root: str
    gathering: Gathering
    """Its files, and the settings that each is under."""
    snapshot: Snapshot
    documents: tuple[str, ...]
    notes: tuple[str, ...]
    problems: list[Problem] = field(default_factory=list)
    named: frozenset[str] = frozenset()
    """Documents that were named one by one."""
    folders: tuple[str, ...] = ()
    """Folders that were named, relative to the root, "" the root."""
    baselines: "Baselines | None" = None
    """What knows the past of citations; None where nothing does, or drift is not looked for."""
    overlaid: bool = False
    """Whether a text of standard input lies over the files."""
    accepted: Mapping[str, Accepted] = field(default_factory=dict)
    """Accepted findings by the folder of their settings, relative to the root, "" the root."""

    @property
    def settings(self) -> Settings:
        """The settings at the root."""
        return self.gathering.loaded.settings

    def settings_for(self, path: str) -> tuple[Settings, str]:
        """Give the settings that a document is under, and its path relative to their folder."""
        return self.gathering.settings_for(path)

    def reports(self, documents: Sequence[str]) -> Iterator[Report]:
        """Look at one document after the other; their histories are asked for some at a time."""
        for low in range(0, len(documents), AT_ONCE):
            read = [self._read(path) for path in documents[low : low + AT_ONCE]]
            pasts = self._pasts([each for each in read if isinstance(each, Parsed)])
            for each in read:
                yield each if isinstance(each, Report) else self._examined(each, pasts.get(each.document.path, ()))

    def _read(self, path: str) -> "Report | Parsed":
        settings, inside = self.settings_for(path)
        text = self.snapshot.read_document(self.root, path, settings.files.max_document_bytes)
        if isinstance(text, Unread):
            passed_over = text.status == "not-text" and syntax_of(path) == "text" and path not in self.named
            return Report(path, unread=text.reason, passed_over=passed_over)
        document = parse_document(text.text, path, self.snapshot.known, settings)
        return Parsed(document, text.sha256, settings, inside)

    def _examined(self, parsed: "Parsed", written: "Sequence[Written]") -> Report:
        from cite_lsp.findings.check import examine  # noqa: PLC0415 - where nothing has changed, nothing is examined

        checked = examine(
            parsed.document,
            self.snapshot,
            parsed.settings,
            parsed.inside,
            written,
            self.accepted_for(parsed.document.path),
        )
        return Report(parsed.document.path, parsed.sha256, checked)

    def accepted_for(self, path: str) -> Accepted:
        """Give what is accepted under the settings of a document."""
        _, inside = self.settings_for(path)
        return self.accepted.get(path.removesuffix(inside).rstrip("/"), NOTHING)

    @property
    def head(self) -> str:
        """The commit that the history ends with; "" where there is none."""
        answer = ask(self.root, "rev-parse", "--verify", "--quiet", "HEAD")
        return "" if answer.code else answer.out.decode("ascii", "replace").strip()

    def _pasts(self, parsed: Sequence["Parsed"]) -> Mapping[str, "Sequence[Written]"]:
        """Give what is known of the past of each document's citations, by its path."""
        if self.baselines is None:
            return {}
        wanted = [each for each in parsed if each.settings.drift.enabled and each.document.anchors]
        from cite_lsp.snapshot.baselines import Asked  # noqa: PLC0415

        asked = [Asked(each.document, as_of_setting(each.settings, each.inside)) for each in wanted]
        answers = self.baselines.written(asked)
        return {each.document.path: answer for each, answer in zip(wanted, answers, strict=True)}


def prepare(request: Request, command_line: Mapping[str, object] | None = None) -> Run:
    """Find root, settings and documents. Raises `UsageError` for paths that cannot be checked together."""
    paths = request.paths or (".",)
    if request.stdin_path is not None and STDIN not in paths:
        raise UsageError("--stdin-path says where standard input stands, and - is not among the paths")
    full = [_full(path, request) for path in paths]
    root = root_of(full[0] if request.root is None else _folder(request.root))
    for given, path in zip(paths, full, strict=True):
        if path != root and within(root, path) is None:
            raise UsageError(
                f"{given} lies outside {root}, {_WHOSE[request.root is None]}; check it in a run of its own"
            )
    refused = too_wide(root)
    if refused:
        raise UsageError(refused)
    loaded = load_settings(root, command_line=command_line)
    overlay = {full[paths.index(STDIN)]: request.stdin or ""} if STDIN in paths else {}
    snapshot = Snapshot.open(root, overlay=overlay, scope=scope_of(loaded.settings))
    load = partial(load_settings, command_line=command_line)
    gathering = Gathering.of(snapshot.indexes[0], load, loaded)
    run = Run(root, gathering, snapshot, (), snapshot.notes, gathering.problems)
    run.accepted = {folder: Accepted.load(path, root) for folder, path in accepted_files(run).items()}
    run.overlaid = bool(overlay)
    run.problems += [each.problem for each in run.accepted.values() if each.problem is not None]
    if loaded.settings.drift.enabled:
        _know_the_past(run)
    named = _named(run, full, paths)
    run.named = frozenset(path for path in named if not request.excludes or _is_taken_in(run, path))
    run.folders = tuple(_folders(run, full, paths))
    run.documents = tuple(sorted({*run.named, *_taken_in(run, full, paths)}))
    if not run.documents:
        taken_in = ", ".join(run.settings.files.include)
        note = f"no document was found: files.include takes in {taken_in}, and what git ignores is no document"
        run.notes = (*run.notes, note)
    return run


def accepted_files(run: Run) -> dict[str, str]:
    """Give the absolute path of the file of accepted findings for each folder that has settings, "" the root."""
    files = {"": accepted_path(run.root, run.settings.accepted)}
    for folder, loaded in run.gathering.nested.items():
        files[folder] = accepted_path(f"{run.root}/{folder}", loaded.settings.accepted)
    return files


def _know_the_past(run: Run) -> None:
    """Open the history that citations are compared with, and say why where that cannot be done."""
    from cite_lsp.snapshot.baselines import Baselines  # noqa: PLC0415

    found = Baselines.of(run.root, Store(run.settings.cache.folder), foreign=run.settings.anchors.foreign)
    if not isinstance(found, NoRepository):
        run.baselines = run.snapshot.commits = found
    elif found.kind not in ("no-repository", "no-git"):
        note = f"whether cited text moved is not known: {found.reason}"
        run.notes = (*run.notes, *([note] if note not in run.notes else []))


def _full(path: str, request: Request) -> str:
    """Give the absolute path of what was named; a link to a folder is the folder it leads to."""
    if path != STDIN:
        if not path:
            raise UsageError("a path is empty; name a document or a folder, or leave it out for the working folder")
        found = absolute(path)
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
    found = absolute(request.stdin_path)
    if is_folder(found):
        raise UsageError(
            f"{request.stdin_path} is a folder; --stdin-path names the document that standard input stands for"
        )
    return found


def _folder(path: str) -> str:
    """Give the absolute path of the folder that `--root` names."""
    found = absolute(path)
    if not is_folder(found):
        raise UsageError(f"--root {path} is no folder")
    return os.path.realpath(found) if Path(found).is_symlink() else found


def absolute(path: str) -> str:
    """Give the absolute path of what a person named."""
    try:
        return os.path.abspath(path)
    except FileNotFoundError as error:
        raise UsageError("the working folder is not there any more; change to one that is") from error


def root_of(path: str) -> str:
    """Give the root of a path; its own folder where no settings file, repository or working folder holds it."""
    root, _ = find_root(path)
    if path == root or (within(root, path) is not None and not too_wide(root)):
        return root
    return path if is_folder(path) else os.path.dirname(path)


def _named(run: Run, full: Sequence[str], given: Sequence[str]) -> Iterator[str]:
    """Give the documents that were named one by one: they are checked whatever `files` says."""
    for name, path in zip(given, full, strict=True):
        inside = within(run.root, path) or ""
        if inside and (name == STDIN or not is_folder(path)):
            yield inside


def _is_taken_in(run: Run, path: str) -> bool:
    """Say whether a named document would be found without its name."""
    settings, inside = run.settings_for(path)
    return settings.is_document(inside) and path in run.gathering.index


def _taken_in(run: Run, full: Sequence[str], given: Sequence[str]) -> Iterator[str]:
    """Give the documents that the settings take in below the folders that were named."""
    for folder in _folders(run, full, given):
        yield from run.gathering.documents(folder)


def _folders(run: Run, full: Sequence[str], given: Sequence[str]) -> Iterator[str]:
    """Give the folders that were named."""
    for name, path in zip(given, full, strict=True):
        if name != STDIN and is_folder(path):
            yield within(run.root, path) or ""


def _exists(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False
