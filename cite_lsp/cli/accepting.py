"""`cite-lsp accept`: today's findings are known (drift.md, Accepting)."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from cite_lsp.cli.formats.as_text import TextWriter, visible
from cite_lsp.cli.run import STDIN, Request, Run, UsageError, accepted_files, prepare
from cite_lsp.config import Problem
from cite_lsp.findings.accepted import Accepted, Entry, entry_of, update
from cite_lsp.findings.catalogue import CATALOGUE, closest_codes, find_code
from cite_lsp.findings.check import LAYERS, Checked
from cite_lsp.findings.finding import Severity
from cite_lsp.snapshot.ladder import joined, within

DONE, USAGE, UNFINISHED = 0, 2, 3

_ALWAYS = frozenset(code.name for code in CATALOGUE.values() if code.layer in LAYERS - {"drift"})
"""Codes that every check looks for: what is not told of them is not there. Past and verdicts may be unknown here."""


@dataclass(slots=True)
class Today:
    """What is to be said about the documents of one settings folder."""

    entries: Counter[Entry] = field(default_factory=Counter)
    """What is to be accepted, and how many findings each stands for."""
    shown: set[tuple[str, str, str]] = field(default_factory=set)
    """Document, citation and hash of what it cites: of every citation."""
    told: set[Entry] = field(default_factory=set)
    """Findings of any code and severity."""
    documents: set[str] = field(default_factory=set)
    """Those that were read, or are gone."""
    added: int = 0
    """Findings."""
    dropped: int = 0
    """Entries."""

    def change(self, before: Accepted) -> Accepted:
        """Add what is told today, and drop what has lapsed."""
        lapsed = {entry for entry in before.entries if entry.document in self.documents and self._lapsed(entry)}
        after = before.without(lapsed).with_added(self.entries)
        self.added = sum(count for entry, count in self.entries.items() if entry not in before.entries)
        self.dropped = len(before.entries.keys() - after.entries.keys())
        return after

    def _lapsed(self, entry: Entry) -> bool:
        if (entry.document, entry.anchor, entry.cited) not in self.shown:
            return True
        return entry.code in _ALWAYS and entry not in self.told


def accept_documents(
    paths: tuple[str, ...], codes: Iterable[str], level: Severity, console: Console, *, quiet: bool
) -> int:
    """Accept the findings of the documents that are named or lie below what is named; give the exit status.

    `codes`: only these; none means all. 0: done; 2: a setting is wrong, or the file of accepted findings is broken,
    and nothing was accepted; 3: a document could not be read, or the file not written. Raises `UsageError`.
    """
    wanted = frozenset(codes)
    _check_codes(wanted)
    if STDIN in paths:
        raise UsageError("standard input has no findings that a file could accept; name documents or folders")
    run = prepare(Request(paths))
    errors = Console(stderr=True, no_color=console.no_color or None, soft_wrap=True, emoji=False, markup=False)
    if run.problems:
        TextWriter(errors, run, Severity.HINT).begin()
        return USAGE
    known, run.accepted = run.accepted, {}
    days, failures, left = _look(run, wanted, level)
    for folder, accepted in known.items():
        days[folder].documents |= _gone(accepted, joined(run.root, folder) if folder else run.root, paths)
    status = DONE
    for path, why in failures:
        errors.print(Text(f"{visible(path)} {visible(why)}; its findings were not accepted"))
        status = UNFINISHED
    for folder, path in accepted_files(run).items():
        day = days[folder]
        after = update(path, run.root, day.change)
        name = within(run.root, path) or path
        if after.problem is not None:
            errors.print(Text(_said(after.problem, name)))
            status = UNFINISHED
        elif not quiet and (day.documents or len(days) == 1):
            console.print(Text(_summary(day, after, name)))
    if left and not quiet:
        them = "finding is" if left == 1 else "findings are"
        console.print(Text(f"{left:,} {them} about no citation: only a rule or a comment silences such"))
    return status


def _check_codes(codes: Iterable[str]) -> None:
    for code in codes:
        if find_code(code) is None:
            close = closest_codes(code, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise UsageError(f"--code {code}: there is no such code{hint}")


def _look(run: Run, codes: frozenset[str], level: Severity) -> tuple[Mapping[str, Today], list[tuple[str, str]], int]:
    """Check the documents; give what was seen, what was not read, and how many findings have no anchor."""
    days = {folder: Today() for folder in accepted_files(run)}
    failures: list[tuple[str, str]] = []
    left = 0
    for report in run.reports(run.documents):
        if report.checked is None:
            if not report.passed_over:
                failures.append((report.path, report.unread))
            continue
        inside = run.settings_for(report.path)[1]
        day = days[report.path.removesuffix(inside).rstrip("/")]
        left += _note(day, report.checked, inside, run, codes, level)
    return days, failures, left


def _note(day: Today, checked: Checked, document: str, run: Run, codes: frozenset[str], level: Severity) -> int:
    """Note the findings of a document; give how many wanted ones have no anchor."""
    day.documents.add(document)
    cited = []
    for anchor, resolution in zip(checked.anchors, checked.resolutions, strict=True):
        entry = entry_of("", document, anchor, resolution, run.snapshot)
        day.shown.add((entry.document, entry.anchor, entry.cited))
        cited.append(entry)
    left = 0
    for finding in checked.findings:
        wanted = finding.severity.at_least(level) and (not codes or finding.code in codes)
        if finding.anchor is None:
            left += wanted
            continue
        entry = cited[finding.anchor]._replace(code=finding.code)
        day.told.add(entry)
        if wanted:
            day.entries[entry] += 1
    return left


def _gone(accepted: Accepted, folder: str, paths: tuple[str, ...]) -> set[str]:
    """Give the documents that have entries and are not there any more, below what was named."""
    named = [os.path.abspath(path) for path in paths or (".",)]
    return {
        document
        for document in {entry.document for entry in accepted.entries}
        if not os.path.lexists(full := joined(folder, document))
        and any(full == path or within(path, full) is not None for path in named)
    }


def _said(problem: Problem, name: str) -> str:
    place = "" if problem.line is None else f":{problem.line}:{problem.column}"
    return visible(f"{name}{place}: {problem.message}")


def _summary(day: Today, after: Accepted, name: str) -> str:
    added = f"accepted {day.added:,} finding{'' if day.added == 1 else 's'}"
    dropped = f", dropped {_entries(day.dropped)} that {'has' if day.dropped == 1 else 'have'} lapsed"
    return visible(f"{added}{dropped if day.dropped else ''}; {_entries(len(after.entries))} in {name}")


def _entries(number: int) -> str:
    return f"{number:,} entr{'y' if number == 1 else 'ies'}"
