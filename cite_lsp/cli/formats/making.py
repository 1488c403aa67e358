"""Which form and which writer a format has, for `check` and `judge`; each is loaded when it is asked for."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console

from cite_lsp.cli.formats.as_json import JsonForm, JsonWriter, Write
from cite_lsp.cli.formats.as_text import TextForm, TextWriter
from cite_lsp.cli.run import Report, Run, UnfinishedError, UsageError, absolute
from cite_lsp.cli.summary import Summary
from cite_lsp.findings.finding import Severity
from cite_lsp.snapshot.ladder import within
from cite_lsp.snapshot.lines import is_folder

if TYPE_CHECKING:
    from cite_lsp.cli.audited import Account, Audited
    from cite_lsp.cli.formats.as_github import GithubWriter
    from cite_lsp.cli.formats.as_gitlab import GitlabWriter
    from cite_lsp.cli.formats.as_sarif import SarifWriter

OF_ENTRIES = frozenset({"sarif", "github", "gitlab"})
"""Formats that are made from `entries`."""


class Form(Protocol):
    """Gives a document as a piece of the output."""

    def of(self, report: Report, audited: "Audited | None" = None, /) -> Any:  # noqa: ANN401 - its writer's matter
        """Give one document."""


class Writer(Protocol):
    """Writes pieces."""

    def begin(self) -> None:
        """Write what comes before the first document."""

    def write(self, piece: Any) -> None:  # noqa: ANN401 - as its form gives it
        """Write one document."""

    def end(self, summary: Summary, seconds: float, account: "Account | None" = None, /) -> None:
        """Write what comes behind the last one."""


@dataclass(frozen=True, slots=True)
class Output:
    """How a run is written.

    Attributes:
        name: The format.
        level: The quietest severity that is listed; JSON has all.
        always: Codes that are listed whatever their severity.
        excerpts: Whether JSON has the cited lines.
        quiet: Whether text has no summary.
        command: `check`, `judge` or `policy`.
    """

    name: str
    level: Severity = Severity.WARNING
    always: Collection[str] = ()
    excerpts: bool = False
    quiet: bool = False
    command: str = "check"

    @property
    def shape(self) -> str:
        """What its pieces of a check hang on, in a word: those of formats made from entries are the same."""
        if self.name in OF_ENTRIES:
            return "entries"
        return f"json {self.excerpts}" if self.name == "json" else f"{self.name} {self.level.value}"

    def form(self, run: Run, width: int) -> Form:
        """Give what turns documents into pieces; `width`: cells of a line of text."""
        if self.name == "json":
            return JsonForm(run, excerpts=self.excerpts)
        if self.name in OF_ENTRIES:
            from cite_lsp.cli.formats.entries import EntriesForm  # noqa: PLC0415 - loaded with its format

            return EntriesForm(run)
        if self.name == "markdown":
            from cite_lsp.cli.formats.as_markdown import CheckedForm, MarkdownForm  # noqa: PLC0415

            return MarkdownForm(self.level, self.always) if self.command == "judge" else CheckedForm(self.level)
        return TextForm(self.level, width, self.always)

    def writer(self, write: Write, run: Run, console: Console) -> Writer:
        """Give what writes the pieces; text goes to the console, all else through `write`."""
        if self.name == "json":
            return JsonWriter(write, run)
        if self.name in OF_ENTRIES:
            return self.entries_writer(write, run, console)
        if self.name == "markdown":
            from cite_lsp.cli.formats.as_markdown import MarkdownWriter  # noqa: PLC0415

            return MarkdownWriter(write, run, judges=self.command == "judge")
        return _Plain(TextWriter(console, run, self.level), quiet=self.quiet)

    def entries_writer(self, write: Write, run: Run, console: Console) -> "SarifWriter | GithubWriter | GitlabWriter":
        """Give what writes one of the formats that are made from entries."""
        if self.name == "sarif":
            from cite_lsp.cli.formats.as_sarif import SarifWriter  # noqa: PLC0415

            return SarifWriter(write, run, self.level, self.always, self.command)
        if self.name == "github":
            from cite_lsp.cli.formats.as_github import GithubWriter  # noqa: PLC0415

            judges = self.command == "judge"
            return GithubWriter(write, run, console, self.level, self.always, quiet=self.quiet, judges=judges)
        from cite_lsp.cli.formats.as_gitlab import GitlabWriter  # noqa: PLC0415

        errors = Console(stderr=True, no_color=console.no_color or None, soft_wrap=True, emoji=False, markup=False)
        return GitlabWriter(write, run, errors, self.level, self.always)


class _Plain:
    """Text of a check."""

    def __init__(self, writer: TextWriter, *, quiet: bool) -> None:
        self._writer = writer
        self._quiet = quiet
        self.begin = writer.begin
        self.write = writer.write

    def end(self, summary: Summary, seconds: float, _account: object = None, /) -> None:
        """Write the summary, unless it is to be quiet."""
        if not self._quiet:
            self._writer.end(summary, seconds)


class ReportFile:
    """The file of `--report`: Markdown, written whole at the end beside whatever goes to standard output."""

    def __init__(self, path: str) -> None:
        """Take its path. Raises `UsageError` where no file can be there."""
        self._path = Path(absolute(path))
        self._parts: list[bytes] = []
        if is_folder(str(self._path)):
            raise UsageError(f"{path} is a folder; --report names the file that the report is written to")
        if not is_folder(str(self._path.parent)):
            raise UsageError(f"{path} cannot be written: {self._path.parent} is no folder")
        written = self._path
        try:
            os.lstat(written)
        except FileNotFoundError:
            written = written.parent
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        if not os.access(written, os.W_OK):
            raise UsageError(f"{path} cannot be written: there is no permission to")

    def leave_out(self, run: Run) -> None:
        """Take the report of an earlier run, which cites all that was wrong, for no document unless it is named."""
        inside = within(run.root, str(self._path))
        if inside not in run.named:
            run.documents = tuple(path for path in run.documents if path != inside)

    def write(self, data: bytes) -> None:
        """Take a part."""
        self._parts.append(data)

    def close(self) -> None:
        """Write it. Raises `UnfinishedError`."""
        try:
            self._path.write_bytes(b"".join(self._parts))
        except OSError as error:
            raise UnfinishedError(f"{self._path} cannot be written: {error.strerror}") from error
