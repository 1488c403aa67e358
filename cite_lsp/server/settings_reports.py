"""Tells what is wrong with settings: at its place in the project's file, and for what has no place, once."""

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from cite_lsp.config import Problem, project_file_text
from cite_lsp.document.columns import Encoding, to_units
from cite_lsp.findings.finding import Severity
from cite_lsp.server.convert import diagnostic, range_of
from cite_lsp.server.uris import to_uri

if TYPE_CHECKING:
    from cite_lsp.server.protocol import Server

log = logging.getLogger(__name__)

_WARNING = 2
_MOST_SAID = 5
"""Messages that a person is shown in a session; the rest is in the log."""


class SettingsReports:
    """What was told about settings so far."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self.with_document: Callable[[str], bool] = _in_no_document
        """Publishes what is wrong with a file with what else is told of it, where it is open; says whether it does."""
        self._last: dict[str, list[dict[str, Any]]] = {}
        self._said: set[str] = set()
        self._settings: Sequence[Problem] = ()
        self._accepted: Sequence[Problem] = ()

    def report(self, problems: Sequence[Problem]) -> None:
        """Publish the problems of files, take back those that are mended, and say the others once."""
        self._settings = problems
        self._tell([*problems, *self._accepted])

    def report_accepted(self, problems: Sequence[Problem]) -> None:
        """Do the same with what is wrong with files of accepted findings."""
        self._accepted = problems
        self._tell([*self._settings, *problems])

    def of(self, path: str) -> list[dict[str, Any]]:
        """Give what is wrong with a file, as diagnostics, by its absolute path."""
        return self._last.get(path, [])

    def _tell(self, problems: Sequence[Problem]) -> None:
        by_file: dict[str, list[dict[str, Any]]] = {}
        texts = _Texts(self._server.client.position_encoding)
        for problem in problems:
            if problem.line is not None or problem.source.endswith((".toml", ".json")):
                by_file.setdefault(problem.source, []).append(_diagnostic(problem, texts))
            else:
                self.say(problem)
        before, self._last = self._last, by_file
        for path in {*by_file, *before}:
            found = by_file.get(path, [])
            if found != before.get(path, []) and not self.with_document(path):
                params = {"uri": to_uri(path), "diagnostics": found}
                self._server.send_raw("textDocument/publishDiagnostics", params)

    def say(self, problem: Problem) -> None:
        """Say a problem that has no place in a file, once in a session."""
        text = f"{problem.source}: {problem.name + ': ' if problem.name else ''}{problem.message}"
        self.say_once(f"settings: {text}")

    def say_once(self, text: str) -> None:
        """Say something that a person can mend, once in a session."""
        if text in self._said:
            return
        self._said.add(text)
        log.warning("%s", text)
        if len(self._said) <= _MOST_SAID:
            params = {"type": _WARNING, "message": f"cite-lsp: {text}"}
            self._server.send_raw("window/showMessage", params)


def _in_no_document(_: str) -> bool:
    return False


class _Texts:
    """The lines of the files that problems are told of, read when one of them needs it."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._lines: dict[str, list[str]] = {}

    def units(self, path: str, line: int, columns: tuple[int, int]) -> tuple[int, int]:
        """Give 0-based code-point columns of a line in the client's units."""
        if columns[0] == 0:  # most stand at the beginning, under a name of plain letters
            return columns
        if path not in self._lines:
            self._lines[path] = (project_file_text(path) or "").split("\n")
        lines = self._lines[path]
        text = lines[line] if line < len(lines) else ""
        if len(text) < columns[1]:
            return columns
        return to_units(text, columns[0], self._encoding), to_units(text, columns[1], self._encoding)


def _diagnostic(problem: Problem, texts: _Texts) -> dict[str, Any]:
    """Give a problem at its place."""
    line = (problem.line or 1) - 1
    column = (problem.column or 1) - 1
    columns = texts.units(problem.source, line, (column, column + len(problem.name.rpartition(".")[2])))
    message = f"{problem.name}: {problem.message}" if problem.name else problem.message
    return diagnostic(range_of((line, columns[0]), (line, columns[1])), Severity.ERROR, "setting", message)
