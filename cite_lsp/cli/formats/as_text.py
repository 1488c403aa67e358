"""The text output: findings by document, each with its line and a caret, and one line that sums up."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from cite_lsp.cli.formats.as_json import shown
from cite_lsp.cli.run import Report, Run
from cite_lsp.cli.summary import DRIFTS, VERDICTS, Summary
from cite_lsp.config import Problem
from cite_lsp.findings.finding import DEFAULT_LIMIT, Finding, Severity, cap
from cite_lsp.findings.places import Places

if TYPE_CHECKING:
    from cite_lsp.cli.audited import Audited, Said

STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "yellow",
    Severity.INFORMATION: "cyan",
    Severity.HINT: "dim",
}
_TOLD = frozenset({"partial", "unsupported", "review"})
"""Verdicts that are findings."""
_LINE_ENDS = re.compile(r"[\r\n]+")
_MOST_EVIDENCE = 5
"""Lines that are shown of what a verdict relies on."""
GUTTER = 6
_PLACE = 7
_SEVERITY = 7
_DRIFTS = {
    "same": "unchanged",
    "moved": "moved",
    "edited": "edited",
    "gone": "gone",
    "born-wrong": "wrong from the start",
    "unknown": "with a history that is not known",
}
_PLURAL = {"error": "errors", "warning": "warnings", "information": "information", "hint": "hints"}


def visible(text: str) -> str:
    """Give `text` with control characters and lone surrogates as a terminal can show them."""
    text = shown(text).replace("\t", " ")
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def _escape(character: str) -> str:
    point = ord(character)
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"


Part = str | tuple[str, str]
"""A piece of a line: text, or text and its style."""


Line = tuple[Part, ...]


class TextForm:
    """Gives the findings of a document as lines; it writes nothing, so that a child process may do it."""

    def __init__(self, level: Severity, width: int, always: Collection[str] = ()) -> None:
        """`always`: the codes that are shown whatever their severity."""
        self._level = level
        self._width = max(40, width)
        self._always = always
        self._lines: list[Line] = []

    def of(self, report: Report, audited: "Audited | None" = None) -> list[Line]:
        """Give the lines of one document; none when there is nothing loud enough to tell."""
        self._lines = []
        if report.checked is None:
            self._line((visible(report.path), "bold"), f" {report.unread}; it was not checked")
            return self._lines
        said = audited.said if audited is not None else {}
        loud = [finding for finding in report.checked.findings if self._is_loud(finding)]
        if loud:
            findings, left_out = cap(loud, DEFAULT_LIMIT)
            self._line((visible(report.path), "bold underline"))
            places = Places(report.checked.text)
            for finding in findings:
                self._finding(finding, places)
                word = said.get(finding.anchor) if finding.anchor is not None else None
                if word is not None and finding.code in VERDICTS:
                    self._lines += _grounds(finding, word)
            if left_out:
                self._line(f"  and {left_out:,} more in this document")
            self._line()
        return self._lines

    def _is_loud(self, finding: Finding) -> bool:
        return finding.severity.at_least(self._level) or finding.code in self._always

    def _finding(self, finding: Finding, places: Places) -> None:
        number = places.line(finding.start)
        column = finding.start - places.start(number) + 1
        place, severity = f"{number + 1}:{column}", finding.severity.value
        self._line(
            (f"  {place:<{_PLACE}} ", "bold"),
            (f"{severity:<{_SEVERITY}} ", STYLES[finding.severity]),
            f"{visible(finding.message)}  ",
            (finding.code, "dim"),
        )
        self._source(finding, places, number)
        for fix in finding.fixes[:1]:
            if fix.preferred:
                self._line(" " * (GUTTER + 3), ("fix: ", "green"), visible(fix.title))

    def _source(self, finding: Finding, places: Places, number: int) -> None:
        """Write the line of the document with carets below the citation, cropped to the console."""
        line = places.line_text(number)
        start = finding.start - places.start(number)
        end = min(len(line), start + max(1, finding.end - finding.start))
        if not line.strip():
            return
        low, high = crop(line, start, end, self._width - GUTTER - 6)
        end = min(end, high)
        before, cited, after = (visible(part) for part in (line[low:start], line[start:end], line[end:high]))
        lead = "…" if low else ""
        self._line(
            (f"{number + 1:>{GUTTER}} │ ", "dim"),
            lead,
            before,
            (cited, "bold"),
            after,
            "…" if high < len(line) else "",
        )
        blank = " " * (cell_len(lead + before))
        carets = "^" * max(1, cell_len(cited))
        self._line((" " * GUTTER + " │ ", "dim"), blank, (carets, STYLES[finding.severity]))

    def _line(self, *parts: Part) -> None:
        self._lines.append(parts)


class TextWriter:
    """Writes lines to a console, those of a document at once."""

    def __init__(
        self, console: Console, run: Run, level: Severity, *, judges: bool = False, verdicts: bool = False
    ) -> None:
        """`judges`: whether a judge is asked; `verdicts`: whether what it says is shown whatever its severity."""
        self._console = console
        self._run = run
        self._level = level
        self._judges = judges
        self._verdicts = verdicts
        self._partly = False
        self._lines: list[Line] = []
        self._plain = not console.is_terminal and console.color_system is None

    def begin(self) -> None:
        """Write what is wrong with the settings."""
        for problem in self._run.problems:
            self._problem(problem)
        if self._run.problems:
            self._line()
        self._flush()

    def write(self, lines: list[Line]) -> None:
        """Write the lines of one document."""
        self._lines += lines
        self._flush()

    def end(self, summary: Summary, seconds: float, besides: Iterable[str] = (), *, partly: bool = False) -> None:
        """Write the summary, with lines of others in it, and what a person should know besides.

        `partly`: the run was ended before it was done.
        """
        self._partly = partly
        for note in (*self._run.notes, *summary.notes):
            self._line(("note: ", "bold"), visible(note))
        coverage = [
            _count(summary.documents, "document"),
            *([f"{summary.unread:,} not read"] if summary.unread else []),
            f"{_count(summary.anchors, 'citation')} recognised",
            f"{summary.resolved:,} resolved",
            *([f"{summary.judged:,} judged"] if summary.outcomes else []),
            f"{summary.anchors - summary.judged:,} not judged",
        ]
        if summary.foreign:
            coverage.append(f"{summary.foreign:,} of other repositories")
        if summary.accepted:
            coverage.append(f"{_count(summary.accepted, 'finding')} accepted")
        if summary.unattached:
            coverage.append(f"{_count(summary.unattached, 'line word')} not attached to a path")
        self._line(", ".join(coverage))
        drifts = [f"{summary.drifts[name]:,} {_DRIFTS[name]}" for name in DRIFTS if summary.drifts[name]]
        in_records = sum(summary.drifts_in_records.values())
        if in_records:
            drifts.append(f"{in_records:,} read as of a commit (records and permalinks)")
        if drifts:
            self._line(f"cited text: {', '.join(drifts)}")
        for line in besides:
            self._line(visible(line))
        self._line(*self._totals(summary, seconds))
        self._flush()

    def _totals(self, summary: Summary, seconds: float) -> list[Part]:
        problems = len(self._run.problems)
        counts = {severity: summary.severities[severity] for severity in Severity}
        counts[Severity.ERROR] += problems
        shown = summary.by_judge if self._verdicts else Counter[Severity]()
        unseen = {each: counts[each] - shown[each] for each in Severity if not each.at_least(self._level)}
        hidden = [severity for severity, count in unseen.items() if count]
        if not any(counts.values()):
            left = summary.anchors - summary.judged if self._judges else 0
            if left or self._partly or summary.unread:
                return [f"no findings in {seconds:.1f} s", f"; {_count(left, 'citation')} not judged" if left else ""]
            return [("no findings", "bold green"), f" in {seconds:.1f} s"]
        line: list[Part] = []
        for severity, count in counts.items():
            if count:
                name = severity.value if count == 1 else _PLURAL[severity.value]
                line += [", "] if line else []
                line.append((f"{count:,} {name}", STYLES[severity]))
                if severity in hidden:
                    few = f"{unseen[severity]:,} " if unseen[severity] != count else ""
                    line.append(f" ({few}not shown)")
        line.append(f" in {seconds:.1f} s")
        if summary.fixable:
            line.append(f"; {summary.fixable:,} with one answer")
        if hidden:
            line.append(f"; --level {hidden[-1].value} shows all")
        return line

    def _problem(self, problem: Problem) -> None:
        place = visible(problem.source.removeprefix(self._run.root + "/"))
        if problem.line is not None:
            place += f":{problem.line}:{problem.column}"
        elif problem.source == "command line":
            place += f", {visible(problem.name)}"
        severity = ("error", STYLES[Severity.ERROR])
        name = f"{problem.name}: " if problem.name and problem.line is not None else ""
        self._line((place, "bold"), ": ", severity, f": {visible(name + problem.message)}", ("  setting", "dim"))

    def _line(self, *parts: Part) -> None:
        self._lines.append(parts)

    def _flush(self) -> None:
        """Print the lines gathered for one document at once: each print costs more than its text."""
        if not self._lines:
            return
        if self._plain:
            lines = ("".join([part if isinstance(part, str) else part[0] for part in parts]) for parts in self._lines)
            self._console.file.write("\n".join(lines) + "\n")
        else:
            whole = Text("\n").join(Text.assemble(*parts) for parts in self._lines)
            self._console.print(whole, soft_wrap=True, highlight=False)
        self._lines.clear()


def _grounds(finding: Finding, said: "Said") -> Iterator[Line]:
    """Give what a verdict rests on: its reason where the message does not hold it, and the lines relied on."""
    verdict = said.verdict
    if verdict.reason and verdict.reason.rstrip(".") not in finding.message and verdict.basis not in verdict.reason:
        yield (" " * (GUTTER + 3), ("why: ", "dim"), visible(_LINE_ENDS.sub(" ", verdict.reason)))
    path = visible(said.row.path) if said.row is not None else ""
    for line, text in said.evidence[:_MOST_EVIDENCE]:
        yield (" " * (GUTTER + 3), (f"{path}:{line} │ ", "dim"), visible(text.strip()))
    if len(said.evidence) > _MOST_EVIDENCE:
        yield (" " * (GUTTER + 3), (f"and {len(said.evidence) - _MOST_EVIDENCE:,} more lines", "dim"))


def told_of_verdicts(summary: Summary) -> Iterator[str]:
    """Give what a judge said in numbers, and the documents by their outcome, each as a line."""
    counts = []
    for name in VERDICTS:
        untold = summary.untold[name] if name in _TOLD else 0
        but = f" ({untold:,} not told since the cited text moved)" if untold else ""
        counts += [f"{summary.judgements[name]:,} {name}{but}"] if summary.judgements[name] else []
    if counts:
        yield f"verdicts: {', '.join(counts)}"
    why_not = [f"{count:,} {why}" for why, count in summary.unjudged.most_common()]
    sampled = summary.anchors - summary.judged - summary.unjudged.total()
    if sampled and summary.outcomes:
        why_not.append(f"{sampled:,} not in the sample")
    if why_not:
        yield f"not judged: {', '.join(why_not)}"
    outcomes = [f"{count:,} {name}" for name, count in sorted(summary.outcomes.items())]
    if outcomes:
        yield f"documents by outcome: {', '.join(outcomes)}"


def crop(line: str, start: int, end: int, width: int) -> tuple[int, int]:
    """Choose which part of a long line is shown in `width` cells: about a third of them before the citation."""
    if len(line) <= width and line.isascii() and line.isprintable():
        return 0, len(line)
    high, room = _reach(line, range(start, end), width)
    low, kept = _reach(line, range(start - 1, -1, -1), min(room, width // 3))
    high, room = _reach(line, range(high, len(line)), room - min(room, width // 3) + kept)
    low, _ = _reach(line, range(low, -1, -1), room)
    return low + 1, high


def _reach(line: str, columns: range, room: int) -> tuple[int, int]:
    """Walk over columns while they fit; give the first one that does not, and the cells left."""
    for column in columns:
        cells = max(1, cell_len(visible(line[column])))
        if cells > room:
            return column, room
        room -= cells
    return columns.stop, room


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
