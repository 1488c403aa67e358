"""The policies of a run: those of the settings or those that were named, and the documents that each is about."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files as resources
from typing import TYPE_CHECKING

from rich.console import Console

from cite_lsp.audit.options import closest
from cite_lsp.cli.formats.as_text import TextWriter
from cite_lsp.cli.run import Run, UsageError, absolute
from cite_lsp.config import LoadedSettings
from cite_lsp.findings.finding import Severity
from cite_lsp.judges.policies import applies, bands_of
from cite_lsp.policy.bands import ENDING as BANDS
from cite_lsp.policy.files import MAX_BYTES, SHIPPED, PolicyRead, policies_of, read_policy, read_shipped, shipped_names
from cite_lsp.snapshot.ladder import within
from cite_lsp.snapshot.lines import DocumentText, Reader, Unread

if TYPE_CHECKING:
    from cite_lsp.policy.bands import BandsRead
    from cite_lsp.policy.files import PolicyFile


@dataclass(frozen=True, slots=True)
class Shelved:
    """One policy of a run.

    Attributes:
        read: What reading it gave.
        full: The absolute path of the file that it is from; that of the settings for one that they hold.
        folder: The folder of the settings that it is of, relative to the root, "" the root; None of one that was named
            by its file: it is of no folder.
        is_table: Whether it stands in the settings.
    """

    read: PolicyRead
    full: str
    folder: str | None = None
    is_table: bool = False

    @property
    def name(self) -> str:
        """The policy's; of a file that cannot be read, the file's."""
        return self.read.name or self.read.path

    @property
    def is_shipped(self) -> bool:
        """Whether it is one of ours."""
        return self.read.path.startswith(SHIPPED)

    def beside(self, ending: str) -> str:
        """Give the absolute path of a file that stands beside the policy: its name with another ending."""
        folder, _, name = self.full.rpartition("/")
        return f"{folder}/{self.name if self.is_table else name.removesuffix('.toml')}{ending}"

    def bands(self, identity: str) -> "BandsRead | None":
        """Give the bands that were fitted to the answers of a client, of which those count that are not stale."""
        file = self.read.file
        return None if file is None else bands_of(file, identity, lambda _: read_any(self.beside(BANDS)))

    def kept_bands(self) -> "BandsRead | None":
        """Give the bands that stand beside the policy, as they count for the client that they were fitted to."""
        known = self.bands("")
        return known and self.bands(known.model)

    def text(self) -> str:
        """Give the text of its file; "" where it cannot be read."""
        read = read_any(self.full)
        return read.text if isinstance(read, DocumentText) else ""


@dataclass
class Shelf:
    """The policies that a run asks.

    Attributes:
        run: The run.
        chosen: The policies; those of the root's settings first.
        named: Whether a person named them.
    """

    run: Run
    chosen: tuple[Shelved, ...]
    named: bool = False

    @classmethod
    def of(cls, run: Run, names: Sequence[str] = ()) -> "Shelf":
        """Read the policies of the settings of a run, or those that are named among and beside them.

        Raises:
            UsageError: There is no such policy.
        """
        if not names:
            return cls(run, tuple(_of_settings(run)))
        found: dict[tuple[str, str], Shelved] = {}
        known = None
        for name in names:
            these = _shipped(name) or _in_a_file(name, run)
            if not these:
                known = tuple(_of_settings(run)) if known is None else known
                these = [each for each in known if each.name == name] or _nothing(name, known)
            found.update({(each.full, each.name): each for each in these})
        return cls(run, tuple(found.values()), named=True)

    @property
    def faulty(self) -> tuple[Shelved, ...]:
        """Those that cannot be asked."""
        return tuple(each for each in self.chosen if each.read.file is None)

    @property
    def files(self) -> "tuple[PolicyFile, ...]":
        """Those that can."""
        return tuple(each.read.file for each in self.chosen if each.read.file is not None)

    def shelved(self, file: "PolicyFile") -> Shelved:
        """Give where a policy is from."""
        return next(each for each in self.chosen if each.read.file is file)

    def documents(self) -> "Iterator[tuple[str, PolicyFile]]":
        """Give each document with each policy that is about it.

        A document that was named is asked under the policies that were named, whatever those apply to.
        """
        for each in self.chosen:
            if each.read.file is None:
                continue
            for path in sorted({*self._named_for(each), *self._taken_in(each)}):
                yield path, each.read.file

    def notes(self, documents: int) -> Iterator[str]:
        """Say why nothing is asked, a sentence without a full stop; nothing where something is."""
        if not self.chosen:
            files = ", ".join(self.run.settings.policies.files)
            yield (
                f"there is no policy: policies.files takes in {files}, and the settings hold none; "
                "`cite-lsp policy list` shows those that come with cite-lsp"
            )
        elif not documents:
            names = ", ".join(each.name for each in self.chosen)
            yield (
                f"no document was found that a policy applies to ({names}); what git ignores is asked about only where "
                "it is named, with --ignored"
            )

    def _named_for(self, each: Shelved) -> Iterator[str]:
        for path in self.run.named:
            _, inside = self.run.settings_for(path)
            folder = path.removesuffix(inside).rstrip("/")
            file = each.read.file
            if self.named or (each.folder == folder and file is not None and applies(file, inside, is_document=True)):
                yield path

    def _taken_in(self, each: Shelved) -> Iterator[str]:
        file = each.read.file
        for path, inside, is_document in self._below:
            fits = each.folder in (None, path.removesuffix(inside).rstrip("/"))
            if fits and file is not None and applies(file, inside, is_document=is_document):
                yield path

    @cached_property
    def _below(self) -> tuple[tuple[str, str, bool], ...]:
        """Give the files below the folders that were named: relative to the root, to their settings, if a document.

        Of documents that are links to one another there is one.
        """
        found = []
        for folder in self.run.folders:
            prefix = f"{folder}/" if folder else ""
            documents = frozenset(self.run.gathering.documents(folder))
            for path in self.run.gathering.index.paths:
                if path.startswith(prefix):
                    settings, inside = self.run.settings_for(path)
                    is_document = settings.is_document(inside)
                    if not is_document or path in documents:
                        found.append((path, inside, is_document))
        return tuple(found)


def tell_faults(faulty: Sequence[Shelved], console: Console, run: Run) -> int:
    """Write what is wrong with policies, each at its place; give how many faults there are."""
    from cite_lsp.cli.formats.policy_faults import lines_of_faults  # noqa: PLC0415 - where something is wrong

    writer = TextWriter(console, run, Severity.HINT)
    for each in faulty:
        writer.write(lines_of_faults(each.read.path, each.text(), each.read.faults, console.width))
    return sum(len(each.read.faults) for each in faulty)


def ours() -> tuple[Shelved, ...]:
    """Give the policies that come with cite-lsp."""
    return tuple(_shipped_one(name) for name in shipped_names())


def _of_settings(run: Run) -> Iterator[Shelved]:
    """Read the policies of the settings at the root and of the folders below that have their own."""
    outer = within(run.gathering.loaded.root, run.root) if run.gathering.loaded.project_file is not None else None
    yield from _of_folder(run, "", run.gathering.loaded, f"{outer}/" if outer else "")
    for folder, loaded in run.gathering.nested.items():
        yield from _of_folder(run, folder, loaded, "")


def _of_folder(run: Run, folder: str, loaded: LoadedSettings, outer: str) -> Iterator[Shelved]:
    """`outer`: what stands before a path of the root where its settings begin at a folder above."""
    prefix = f"{folder}/" if folder else ""
    paths = [f"{outer}{path[len(prefix) :]}" for path in _own_paths(run, folder, prefix)]
    source = loaded.sources.get("policy", "")
    settings_text = read_any(source) if loaded.settings.policy else None

    def inside(path: str) -> str:
        return prefix + path.removeprefix(outer)

    found = policies_of(
        loaded.settings.policies.files,
        paths,
        lambda path: run.snapshot.reader.read_text(f"{run.root}/{inside(path)}", max_bytes=MAX_BYTES),
        tables=loaded.settings.policy,
        tables_text=settings_text.text if isinstance(settings_text, DocumentText) else None,
        tables_path=source,
    )
    for read in found:
        if read.path.startswith(SHIPPED):
            yield Shelved(read, _shipped_path(read.path.removeprefix(SHIPPED)), folder)
        elif read.path == source:
            yield Shelved(_renamed(read, source.removeprefix(f"{run.root}/")), source, folder, is_table=True)
        else:
            path = inside(read.path)
            yield Shelved(_renamed(read, path), f"{run.root}/{path}", folder)


def _own_paths(run: Run, folder: str, prefix: str) -> Iterator[str]:
    """Give the paths below a folder that are under its settings."""
    for path in run.gathering.index.paths:
        if path.startswith(prefix) and path.endswith(".toml"):
            _, inside = run.settings_for(path)
            if not run.gathering.nested or path.removesuffix(inside).rstrip("/") == folder:
                yield path


def _renamed(read: PolicyRead, path: str) -> PolicyRead:
    file = None if read.file is None else replace(read.file, path=path)
    return replace(read, path=path, file=file)


def _shipped(name: str) -> list[Shelved]:
    return [_shipped_one(name.removeprefix(SHIPPED))] if name.startswith(SHIPPED) else []


def _shipped_one(name: str) -> Shelved:
    if name not in shipped_names():
        hint = closest(name, shipped_names()) or f"; those that do: {', '.join(shipped_names())}"
        raise UsageError(f"no policy {name!r} comes with cite-lsp{hint}")
    return Shelved(read_shipped(name), _shipped_path(name))


def _shipped_path(name: str) -> str:
    return str(resources("cite_lsp.policy") / "shipped" / f"{name}.toml")


def _in_a_file(name: str, run: Run) -> list[Shelved]:
    """Read the policy file of a path; nothing where no file is meant. One of the settings stays in its folder."""
    full = absolute(name)
    if not (name.endswith(".toml") or "/" in name or os.path.isfile(full)):  # noqa: PTH113
        return []
    read = read_any(full)
    if isinstance(read, Unread):
        raise UsageError(f"the policy file {name} {read.reason}")
    path = within(run.root, full) or name
    return [Shelved(read_policy(read.text, path), full)]


def _nothing(name: str, known: Sequence[Shelved]) -> list[Shelved]:
    names = [each.name for each in known]
    ours_too = [f"{SHIPPED}{each}" for each in shipped_names()]
    if name in shipped_names():
        raise UsageError(f"there is no policy {name!r} in the settings; the one of cite-lsp is {SHIPPED}{name}")
    hint = closest(name, names) or f"; there are {', '.join([*names, *ours_too])}"
    raise UsageError(f"there is no policy {name!r}{hint}")


def read_any(full: str, max_bytes: int = MAX_BYTES * 20) -> DocumentText | Unread:
    """Read a file that a person or the settings named, wherever it is; `full` is its absolute path."""
    reader = Reader((full.rpartition("/")[0] or "/",))
    return reader.read_text(full, max_bytes=max_bytes)
