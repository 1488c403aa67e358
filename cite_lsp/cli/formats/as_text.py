"""The text output: findings by document, each with its line and a caret, and one line that sums up."""

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from cite_lsp.cli.formats.as_json import shown
from cite_lsp.cli.run import Report, Run
from cite_lsp.cli.summary import DRIFTS, Summary
from cite_lsp.config import Problem
from cite_lsp.findings.finding import DEFAULT_LIMIT, Finding, Severity, cap
from cite_lsp.findings.places import Places

_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "yellow",
    Severity.INFORMATION: "cyan",
    Severity.HINT: "dim",
}
_GUTTER = 6
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

    def __init__(self, level: Severity, width: int) -> None:
        self._level = level
        self._width = max(40, width)
        self._lines: list[Line] = []

    def of(self, report: Report) -> list[Line]:
        """Give the lines of one document; none when there is nothing loud enough to tell."""
        self._lines = []
        if report.checked is None:
            self._line((visible(report.path), "bold"), f" {report.unread}; it was not checked")
            return self._lines
        loud = [finding for finding in report.checked.findings if finding.severity.at_least(self._level)]
        if loud:
            findings, left_out = cap(loud, DEFAULT_LIMIT)
            self._line((visible(report.path), "bold underline"))
            places = Places(report.checked.text)
            for finding in findings:
                self._finding(finding, places)
            if left_out:
                self._line(f"  and {left_out:,} more in this document")
            self._line()
        return self._lines

    def _finding(self, finding: Finding, places: Places) -> None:
        number = places.line(finding.start)
        column = finding.start - places.start(number) + 1
        place, severity = f"{number + 1}:{column}", finding.severity.value
        self._line(
            (f"  {place:<{_PLACE}} ", "bold"),
            (f"{severity:<{_SEVERITY}} ", _STYLES[finding.severity]),
            f"{visible(finding.message)}  ",
            (finding.code, "dim"),
        )
        self._source(finding, places, number)
        for fix in finding.fixes[:1]:
            if fix.preferred:
                self._line(" " * (_GUTTER + 3), ("fix: ", "green"), visible(fix.title))

    def _source(self, finding: Finding, places: Places, number: int) -> None:
        """Write the line of the document with carets below the citation, cropped to the console."""
        line = places.line_text(number)
        start = finding.start - places.start(number)
        end = min(len(line), start + max(1, finding.end - finding.start))
        if not line.strip():
            return
        low, high = _crop(line, start, end, self._width - _GUTTER - 6)
        end = min(end, high)
        before, cited, after = (visible(part) for part in (line[low:start], line[start:end], line[end:high]))
        lead = "…" if low else ""
        self._line(
            (f"{number + 1:>{_GUTTER}} │ ", "dim"),
            lead,
            before,
            (cited, "bold"),
            after,
            "…" if high < len(line) else "",
        )
        blank = " " * (cell_len(lead + before))
        carets = "^" * max(1, cell_len(cited))
        self._line((" " * _GUTTER + " │ ", "dim"), blank, (carets, _STYLES[finding.severity]))

    def _line(self, *parts: Part) -> None:
        self._lines.append(parts)


class TextWriter:
    """Writes lines to a console, those of a document at once."""

    def __init__(self, console: Console, run: Run, level: Severity) -> None:
        self._console = console
        self._run = run
        self._level = level
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

    def end(self, summary: Summary, seconds: float) -> None:
        """Write the summary and what a person should know besides."""
        for note in (*self._run.notes, *summary.notes):
            self._line(("note: ", "bold"), visible(note))
        coverage = [
            _count(summary.documents, "document"),
            f"{_count(summary.anchors, 'citation')} recognised",
            f"{summary.resolved:,} resolved",
            f"{summary.anchors:,} not judged",
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
        self._line(*self._totals(summary, seconds))
        self._flush()

    def _totals(self, summary: Summary, seconds: float) -> list[Part]:
        problems = len(self._run.problems)
        counts = {severity: summary.severities[severity] for severity in Severity}
        counts[Severity.ERROR] += problems
        hidden = [severity for severity in Severity if counts[severity] and not severity.at_least(self._level)]
        if not any(counts.values()):
            return [("no findings", "bold green"), f" in {seconds:.1f} s"]
        line: list[Part] = []
        for severity, count in counts.items():
            if count:
                name = severity.value if count == 1 else _PLURAL[severity.value]
                line += [", "] if line else []
                line.append((f"{count:,} {name}", _STYLES[severity]))
                line += [" (not shown)"] if severity in hidden else []
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
        severity = ("error", _STYLES[Severity.ERROR])
        self._line((place, "bold"), ": ", severity, f": {visible(problem.message)}", ("  setting", "dim"))

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


def _crop(line: str, start: int, end: int, width: int) -> tuple[int, int]:
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
