"""Workflow commands of GitHub Actions: findings as annotations of the lines that they stand on.

GitHub shows ten annotations of a kind from one step; what is over that is a list in the log, and is counted.
"""

from collections import Counter
from collections.abc import Callable, Collection
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console

from cite_lsp.cli.formats.as_json import shown
from cite_lsp.cli.formats.as_text import TextWriter, told_of_verdicts, visible
from cite_lsp.cli.formats.entries import Ending, Entries, Entry, Region, Unchecked, problem_entries
from cite_lsp.cli.run import Run
from cite_lsp.cli.summary import Summary
from cite_lsp.findings.finding import Severity

if TYPE_CHECKING:
    from cite_lsp.cli.audited import Account

MOST_SHOWN = 10
"""Annotations of a kind that GitHub shows from one step."""
_MOST_LISTED = 1_000
_BEGINNING: Region = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}
_KINDS = {"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}


class GithubWriter:
    """Writes annotations as documents come, and at the end what is over the limit, with a summary."""

    def __init__(
        self,
        write: Callable[[bytes], object],
        run: Run,
        console: Console,
        level: Severity,
        always: Collection[str] = (),
        *,
        quiet: bool = False,
        judges: bool = False,
    ) -> None:
        """Make one.

        Args:
            write: Takes the bytes.
            run: The run.
            console: Where `write` leads, for the width of the summary.
            level: The quietest severity that is annotated.
            always: Codes that are annotated whatever their severity.
            quiet: Whether there is no summary.
            judges: Whether a judge is asked.
        """
        self._write = write
        self._run = run
        self._level = level
        self._always = always
        self._quiet = quiet
        self._lines = StringIO()
        """The summary: what it says of files goes through `_line` like all else that is no command."""
        plain = Console(file=self._lines, width=console.width, color_system=None, force_terminal=False)
        self._text = TextWriter(plain, run, level, judges=judges, verdicts=bool(always))
        self._shown: Counter[str] = Counter()
        self._over: Counter[str] = Counter()
        self._listed: list[str] = []
        self._unchecked = Unchecked()

    def begin(self) -> None:
        """Annotate the settings that were refused."""
        for path, entry in problem_entries(self._run):
            if path is None:
                self._tell("error", "setting", entry.message)
            else:
                self._annotate(path, entry)

    def write(self, piece: bytes) -> None:
        """Annotate one document, as its form gives it."""
        entries = Entries.loads(piece)
        self._unchecked.add(entries)
        if entries.unread:
            kind = "error" if entries.missed else "notice"
            self._tell(kind, "not read", f"{entries.path} {entries.unread}; it was not checked", entries.path)
        for entry in entries.found:
            if entry.told(self._level, self._always):
                self._annotate(entries.path, entry)

    def end(self, summary: Summary, seconds: float, account: "Account | None" = None) -> None:
        """Write what is over the limit, and the summary."""
        self._list()
        if account is not None:
            for note in account.notes:
                self._tell("warning", "not judged", note)
        if not self._quiet:
            besides = list(told_of_verdicts(summary)) if account is not None else []
            partly = account is not None and account.interrupted
            self._text.end(summary, seconds, [*besides, *self._told_of_more()], partly=partly)
            for line in self._lines.getvalue().splitlines():
                self._line(line)

    def close(self, ending: Ending) -> None:
        """Write what is over the limit, what was not checked, and the lines of a summary."""
        for path, why in self._unchecked.others:
            self._tell("warning", "not checked", f"{path}: {why}", path)
        for why in ending.not_checked:
            self._tell("warning", "not checked", why)
        self._list()
        told = (
            [] if self._quiet else [*(f"note: {note}" for note in ending.notes), *ending.lines, *self._told_of_more()]
        )
        for line in told:
            self._line(line)

    def _told_of_more(self) -> list[str]:
        if not self._over:
            return []
        more = ", ".join(f"{count:,} more {kind}{'' if count == 1 else 's'}" for kind, count in self._over.items())
        return [f"GitHub shows {MOST_SHOWN} annotations of a kind from one step: {more} in the log of this step only"]

    def _annotate(self, path: str, entry: Entry) -> None:
        region = entry.region or _BEGINNING
        place = f"{path}:{region['startLine']}:{region['startColumn']}"
        self._tell(_KINDS[entry.severity], f"cite-lsp {entry.code}", f"{place}: {entry.message}", path, region)

    def _tell(self, kind: str, title: str, message: str, path: str = "", region: Region | None = None) -> None:
        if self._shown[kind] >= MOST_SHOWN:
            self._over[kind] += 1
            if len(self._listed) < _MOST_LISTED:
                self._listed.append(f"- {kind}: {message} ({title})")
            return
        self._shown[kind] += 1
        properties = {"title": title}
        if path:
            properties["file"] = path
        if region is not None:
            properties |= _lines(region)
        told = ",".join(f"{name}={escaped_property(value)}" for name, value in properties.items())
        self._write(f"::{kind} {told}::{escaped(message)}\n".encode())

    def _list(self) -> None:
        if not self._listed:
            return
        count = self._over.total()
        self._write(f"::group::{count:,} more {'finding' if count == 1 else 'findings'}\n".encode())
        for line in self._listed:
            self._line(line)
        if count > len(self._listed):
            self._line(f"- and {count - len(self._listed):,} more")
        self._write(b"::endgroup::\n")

    def _line(self, text: str) -> None:
        """Write a line that is no command: an older form of them may stand anywhere in it."""
        self._write((visible(text).replace("##[", "## [") + "\n").encode())


def _lines(region: Region) -> dict[str, str]:
    """Give a range as annotations have it: columns only where it is within one line."""
    first, last = region["startLine"], region["endLine"]
    if last > first:
        return {"line": str(first), "endLine": str(last)}
    start, end = region["startColumn"], region["endColumn"]
    return {"line": str(first), "endLine": str(last), "col": str(start), "endColumn": str(max(start, end))}


def escaped(text: str) -> str:
    """Give a message as the data of a command."""
    return shown(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(text: str) -> str:
    """Give a text as a property of a command."""
    return escaped(text).replace(":", "%3A").replace(",", "%2C")
