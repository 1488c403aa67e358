"""GitLab's Code Quality report: one JSON list, which a merge request compares with that of its target branch."""

from collections.abc import Callable, Collection
from typing import Any

from rich.console import Console
from rich.text import Text

from cite_lsp.cli.formats.as_json import dumps
from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.formats.entries import NOT_CHECKED, NOT_READ, Ending, Entries, Region, fingerprint, problem_entries
from cite_lsp.cli.run import Run
from cite_lsp.cli.summary import Summary
from cite_lsp.findings.finding import Severity

_SEVERITIES = {"error": "critical", "warning": "major", "information": "minor", "hint": "info"}
_FIRST_LINE: Region = {"startLine": 1, "endLine": 1}


class GitlabWriter:
    """Writes findings as documents come. The report has no place for what is no finding: that goes to `errors`."""

    def __init__(
        self,
        write: Callable[[bytes], object],
        run: Run,
        errors: Console,
        level: Severity,
        always: Collection[str] = (),
    ) -> None:
        """Make one.

        Args:
            write: Takes the bytes.
            run: The run.
            errors: The console of standard error.
            level: The quietest severity that is listed.
            always: Codes that are listed whatever their severity.
        """
        self._write = write
        self._run = run
        self._errors = errors
        self._level = level
        self._always = always
        self._first = True

    def begin(self) -> None:
        """Begin the list, with the settings that were refused."""
        self._write(b"[")
        for path, entry in problem_entries(self._run):
            if path is None:
                self._say(entry.message)
            else:
                self._issue(path, entry.code, entry.severity, entry.message, entry.fingerprint, entry.region)

    def write(self, piece: bytes) -> None:
        """Write one document, as its form gives it."""
        entries = Entries.loads(piece)
        if entries.unread:
            severity = Severity.WARNING if entries.missed else Severity.HINT
            message = f"the document {entries.unread}; it was not checked"
            self._issue(entries.path, NOT_READ, severity.value, message, fingerprint(NOT_READ, entries.path))
        for why in entries.unchecked:
            name = fingerprint(NOT_CHECKED, entries.path, why)
            self._issue(entries.path, NOT_CHECKED, Severity.INFORMATION.value, why, name)
        for entry in entries.found:
            if entry.told(self._level, self._always):
                self._issue(entries.path, entry.code, entry.severity, entry.message, entry.fingerprint, entry.region)

    def end(self, summary: Summary, _seconds: float, _account: object = None, /) -> None:
        """End the list, and say what to know besides; why citations were not judged is said by who asked."""
        self.close(Ending((*self._run.notes, *summary.notes)))

    def close(self, ending: Ending) -> None:
        """End the list, and say what to know besides."""
        self._write(b"\n]\n")
        for note in (*ending.not_checked, *ending.notes):
            self._say(note)

    def _issue(
        self,
        path: str,
        code: str,
        severity: str,
        message: str,
        name: str,
        region: Region | None = None,
    ) -> None:
        place = region or _FIRST_LINE
        issue: dict[str, Any] = {
            "description": message,
            "check_name": code,
            "fingerprint": name,
            "severity": _SEVERITIES[severity],
            "location": {"path": path, "lines": {"begin": place["startLine"], "end": place["endLine"]}},
        }
        self._write((b"\n" if self._first else b",\n") + dumps(issue))
        self._first = False

    def _say(self, text: str) -> None:
        self._errors.print(Text(f"cite-lsp: {visible(text)}"), highlight=False)
