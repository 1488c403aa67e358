"""`cite-lsp fix --interactive`: each fix is shown and asked about."""

import sys
from collections.abc import Sequence
from typing import Protocol

from rich.console import Console
from rich.text import Text

from cite_lsp.cli.formats.as_text import visible
from cite_lsp.findings.finding import Edit, Finding, Fix
from cite_lsp.findings.places import Places

_HELP = "y: this one; n: not this one; a: this and all that follow; q: neither this nor any that follows"
_AROUND = 60
"""Characters that are shown before and behind what changes in a long line."""


class Question(Protocol):
    """What is asked about: a fix, and the finding that it answers, with its 1-based line and column."""

    @property
    def finding(self) -> Finding:
        """The finding."""

    @property
    def fix(self) -> Fix:
        """The fix."""

    @property
    def line(self) -> int:
        """Where it is."""

    @property
    def column(self) -> int:
        """Where it is in the line."""


class Asking:
    """Asks on the console, and reads the answers from standard input; its end is a "q"."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._always: bool | None = None

    def wants(self, path: str, text: str, question: Question) -> bool:
        """Show a fix of a document's text, and say whether the person wants it."""
        if self._always is not None:
            return self._always
        before, after = before_and_after(text, question.fix.edits)
        place = f"{visible(path)}:{question.line}:{question.column}"
        show = self._console.print
        show(Text.assemble((place, "bold"), f"  {visible(question.finding.message)}  ", (question.finding.code, "dim")))
        show(Text(f"  - {visible(before)}", "red"))
        show(Text(f"  + {visible(after)}", "green"))
        return self._answer(question.fix.title)

    def _answer(self, title: str) -> bool:
        while True:
            self._console.print(Text.assemble((visible(title), "bold"), " [y, n, a, q, ?] "), end="")
            self._console.file.flush()
            answer = sys.stdin.readline()
            if not answer.endswith("\n"):
                self._console.print()
            word = answer.strip().lower() if answer else "q"
            if word in ("a", "q"):
                self._always = word == "a"
            if word in ("y", "n", "a", "q"):
                return word in ("y", "a")
            self._console.print(Text(_HELP))


def before_and_after(text: str, edits: Sequence[Edit]) -> tuple[str, str]:
    """Give the lines that edits touch, without the last terminator, as they are and as they will be, cut when long."""
    ordered = sorted(edits, key=lambda edit: edit.start)
    places = Places(text)
    first, last = ordered[0].start, max(edit.end for edit in ordered)
    line = places.line(first)
    start = max(places.start(line), first - _AROUND)
    end = min(places.end(places.line(max(first, last - 1))), last + _AROUND)
    after, at = [], start
    for edit in ordered:
        after += [text[at : edit.start], edit.text]
        at = edit.end
    after.append(text[at:end])
    lead = "…" if start > places.start(line) else ""
    tail = "…" if end < len(text) and text[end - 1 : end] not in ("\n", "\r") else ""
    before = text[start:end].rstrip("\r\n")
    return f"{lead}{before}{tail}", f"{lead}{''.join(after).rstrip(chr(13) + chr(10))}{tail}"
