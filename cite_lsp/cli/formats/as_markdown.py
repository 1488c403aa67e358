"""The report of a check or an audit for people: what was found, what was judged, and how it was made."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from cite_lsp import __version__
from cite_lsp.cli.audited import Account, Audited, Said
from cite_lsp.cli.formats.as_json import dumps, moment, shown
from cite_lsp.cli.formats.as_text import told_of_verdicts
from cite_lsp.cli.formats.markup import block, cell, code, language, message, plain
from cite_lsp.cli.run import Report, Run
from cite_lsp.cli.summary import VERDICTS, Summary
from cite_lsp.findings.check import Checked
from cite_lsp.findings.finding import DEFAULT_LIMIT, Finding, Severity, cap
from cite_lsp.findings.places import Places

if TYPE_CHECKING:
    from cite_lsp.document.anchors import Anchor
    from cite_lsp.snapshot.excerpt import Excerpt

_MOST_LINES = 40
"""Lines that are shown of one excerpt."""
_MOST_CHARACTERS = 2_000
"""Of a claim, or of a reason."""
_HEAD_OF_CHECK = ("document", "citations", "errors", "warnings", "information", "hints", "outcome")
_HEAD = ("document", "citations", "supported", "partial", "unsupported", "review", "not checked", "outcome", "text")


@dataclass(frozen=True, slots=True)
class Section:
    """What the report says of one document: its row of the table, and the part about it.

    Either is "" where there is none: a document that cites nothing, and of which nothing is told, has no row.
    """

    row: str
    text: str

    def dumps(self) -> bytes:
        """Give it as JSON, as a child process hands it over."""
        return dumps([self.row, self.text])

    @classmethod
    def loads(cls, piece: bytes) -> "Section":
        """Read what `dumps` gave."""
        row, text = orjson.loads(piece)
        return cls(row, text)


class CheckedForm:
    """Gives a document as a section of the report of a check, in JSON; it has a row where something is to be told."""

    def __init__(self, level: Severity) -> None:
        """`level`: the quietest severity that is shown."""
        self._form = MarkdownForm(level, judges=False)

    def of(self, report: Report, _audited: object = None, /) -> bytes:
        """Give one document."""
        section = self._form.of(report)
        if report.checked is None:
            row = _row([cell(report.path), "", "", "", "", "", f"unread: {plain(report.unread)}"])
            return Section(row, "").dumps()
        counts = Counter(each.severity for each in report.checked.findings)
        numbers = [str(len(report.checked.anchors)), *(str(counts[each]) for each in Severity)]
        row = _row([cell(report.path), *numbers, report.checked.outcome]) if section.text else ""
        return Section(row, section.text).dumps()


class MarkdownForm:
    """Gives a document as a section of the report."""

    def __init__(self, level: Severity, always: Collection[str] = (), *, judges: bool = True) -> None:
        """Make one.

        Args:
            level: The quietest severity that is shown.
            always: The codes that are shown whatever theirs.
            judges: Whether a judge is asked.
        """
        self._level = level
        self._judges = judges
        self._always = always

    def of(self, report: Report, audited: Audited | None = None) -> Section:
        """Give one document."""
        if report.checked is None:
            return Section(_row([cell(report.path), *([""] * 6), f"unread: {plain(report.unread)}", ""]), "")
        labels = audited.judged if audited is not None else Counter[str]()
        counts = [labels[name] for name in VERDICTS if name != "unchecked"]
        citations = len(report.checked.anchors)
        outcome = audited.outcome if audited is not None else report.checked.outcome
        row = _row(
            [cell(report.path), *map(str, (citations, *counts, citations - labels.total())), outcome, _hash(audited)]
        )
        text = "\n\n".join(self._parts(report, report.checked, audited))
        return Section(row if citations or text else "", text)

    def _parts(self, report: Report, checked: Checked, audited: Audited | None) -> Iterator[str]:
        loud = [each for each in checked.findings if self._is_loud(each)]
        if not loud:
            return
        findings, left_out = cap(loud, DEFAULT_LIMIT)
        yield f"## {code(report.path)}"
        yield f"Outcome: {audited.outcome if audited is not None else checked.outcome}."
        places = Places(checked.text)
        by_judge = [each for each in findings if each.code in VERDICTS]
        for finding in by_judge:
            said = audited.said.get(finding.anchor or 0) if audited is not None else None
            yield from _verdict(finding, said, checked, places)
        others = [each for each in findings if each.code not in VERDICTS]
        if others:
            if self._judges:
                yield "### Without a judge" if by_judge else "Found without a judge:"
            yield "\n".join(_item(each, checked, places) for each in others)
        if left_out:
            yield f"And {left_out:,} more findings in this document."

    def _is_loud(self, finding: Finding) -> bool:
        return finding.severity.at_least(self._level) or finding.code in self._always


class MarkdownWriter:
    """Writes the report once all documents are known: its table comes first."""

    def __init__(self, write: Callable[[bytes], object], run: Run, *, judges: bool = True) -> None:
        """`judges`: whether a judge is asked; a check asks none."""
        self._write = write
        self._run = run
        self._judges = judges
        self._sections: list[Section] = []

    def begin(self) -> None:
        """Nothing is written before the end."""

    def write(self, section: Section | bytes) -> None:
        """Take the section of one document."""
        self._sections.append(section if isinstance(section, Section) else Section.loads(section))

    def end(self, summary: Summary, seconds: float, account: Account | None = None) -> None:
        """Write the report."""
        account = account or Account()
        if self._judges:
            parts = ["# Citation audit", f"**{_outcome(summary)}**", *self._problems(), _table(self._sections)]
        else:
            table = _table_of_check(self._sections)
            parts = ["# Citation check", f"**{_outcome_of_check(self._run, summary)}**", *self._problems(), *table]
        parts += [each.text for each in self._sections if each.text]
        parts += ["## How this was made", "\n".join(_made(summary, account, seconds))]
        notes = [*self._run.notes, *summary.notes, *account.notes]
        if notes:
            parts += ["## What to know besides", "\n".join(f"- {plain(note)}" for note in notes)]
        self._write(("\n\n".join(parts) + "\n").encode("utf-8", "replace"))

    def _problems(self) -> Iterator[str]:
        found = [
            f"- {code(each.source.removeprefix(self._run.root + '/'))}: "
            + message(": ".join(filter(None, (each.name, each.message))))
            for each in self._run.problems
        ]
        if found:
            yield "Settings that were refused:\n\n" + "\n".join(found)


def _outcome(summary: Summary) -> str:
    """Say in one line what the run came to."""
    said = [f"{_count(summary.documents, 'document')}, {_count(summary.anchors, 'citation')}"]
    said += [f"{summary.judged:,} judged", f"{summary.anchors - summary.judged:,} not checked"]
    found = [f"{summary.judgements[name]:,} {name}" for name in VERDICTS if summary.judgements[name]]
    findings = summary.severities.total() - summary.by_judge.total()
    found += [f"{_count(findings, 'finding')} that needed no judge"] if findings else []
    return f"{', '.join(said)}: {', '.join(found) or 'nothing was found'}."


def _outcome_of_check(run: Run, summary: Summary) -> str:
    """Say in one line what a check came to; settings that were refused are errors."""
    counts = {severity: summary.severities[severity] for severity in Severity}
    counts[Severity.ERROR] += len(run.problems)
    found = [
        f"{count:,} {each.value}" if each is Severity.INFORMATION else _count(count, each.value)
        for each, count in counts.items()
        if count
    ]
    said = [
        _count(summary.documents, "document"),
        _count(summary.anchors, "citation"),
        f"{summary.resolved:,} resolved",
    ]
    said += [f"{_count(summary.unread, 'document')} not read"] if summary.unread else []
    return f"{', '.join(said)}: {', '.join(found) or 'nothing was found'}."


def _table_of_check(sections: Sequence[Section]) -> Iterator[str]:
    """Give the documents of which something is listed, and how many there are besides."""
    rows = [each.row for each in sections if each.row]
    if rows:
        yield "\n".join([_row(_HEAD_OF_CHECK), _row(["---", *(["---:"] * 5), "---"]), *rows])
    others = len(sections) - len(rows)
    if others and rows:
        yield f"{_count(others, 'document')} with nothing to list left out."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _hash(audited: Audited | None) -> str:
    """Give the beginning of the identity of the audited text (`audited_hash`)."""
    return code(audited.meta["audited_hash"][:12]) if audited is not None and audited.meta is not None else ""


def _table(sections: Sequence[Section]) -> str:
    rule = ["---", *(["---:"] * 6), "---", "---"]
    rows = [each.row for each in sections if each.row]
    table = "\n".join([_row(_HEAD), _row(rule), *rows]) if rows else ""
    others = len(sections) - len(rows)
    said = f"{_count(others, 'document')} that cite{'s' if others == 1 else ''} nothing left out." if others else ""
    return "\n\n".join(filter(None, (table, said)))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _verdict(finding: Finding, said: Said | None, checked: Checked, places: Places) -> Iterator[str]:
    """Give a verdict: the claim, what it cites with the lines, and what the judge says of them."""
    anchor = checked.anchors[finding.anchor or 0]
    yield f"### {_place(finding, places)} {finding.code}"
    yield f"> {message(_cut(_claim(anchor, said))) or '(no claim)'}"
    if said is None or said.row is None:
        yield f"Cites {code(anchor.text)}. {_sentence(message(finding.message))}"
        return
    yield f"Cites {code(anchor.text)}" + ("" if said.row.path in anchor.text else f" in {code(said.row.path)}")
    for number, _ in enumerate(said.row.excerpts):
        yield block(_lines(said, said.row.excerpts, number), language(said.row.path))
    verdict = said.verdict
    kind = f" ({verdict.kind})" if verdict.kind else ""
    why = verdict.reason or verdict.basis
    yield f"**{verdict.label}{kind}**: {_sentence(plain(_cut(why)))}" if why else f"**{verdict.label}{kind}**"
    if verdict.basis and verdict.basis.rstrip(".") not in verdict.reason:
        yield f"Basis: {_sentence(plain(_cut(verdict.basis)))}"
    if said.evidence:
        numbers = ", ".join(str(line) for line, _ in said.evidence)
        yield f"Rests on line{'' if len(said.evidence) == 1 else 's'} {numbers}, marked >."


def _claim(anchor: "Anchor", said: Said | None) -> str:
    """Give the claim as it was judged; one that is borrowed from what stands around goes before its sentence."""
    row = said.row if said is not None else None
    claim, sentence = (row.claim, row.sentence) if row is not None else (anchor.claim, anchor.sentence)
    return claim if claim in sentence or sentence in claim else f"{claim}: {sentence}"


def _lines(said: Said, excerpts: Sequence["Excerpt"], number: int) -> list[str]:
    """Give the lines of an excerpt with their numbers; `>` marks those that the verdict rests on."""
    excerpt = excerpts[number]
    marked = {excerpt.start_line + each.offset for each in said.verdict.evidence if each.excerpt == number}
    lines = excerpt.lines[:_MOST_LINES]
    width = len(str(lines[-1][0])) if lines else 1
    out = [f"{'>' if line in marked else ' '}{line:>{width}}  {text}".rstrip() for line, text in lines]
    if excerpt.truncated or excerpt.clipped or len(excerpt.lines) > _MOST_LINES:
        out.append("…")
    return out


def _item(finding: Finding, checked: Checked, places: Places) -> str:
    """Give a finding that needs no judge: where it stands, what is cited there, and what is said of it."""
    cited = f" {code(_cut(checked.anchors[finding.anchor].text))}" if finding.anchor is not None else ""
    told = f"{finding.severity.value} {code(finding.code)}{cited}: {message(finding.message)}"
    return f"- {_place(finding, places)} {told}"


def _place(finding: Finding, places: Places) -> str:
    number = places.line(finding.start)
    return f"{number + 1}:{finding.start - places.start(number) + 1}"


def _made(summary: Summary, account: Account, seconds: float) -> Iterator[str]:
    for judge, documents in sorted(account.judges.items()):
        yield f"- judge: {code(judge)}, {_count(documents, 'document')}"
    yield f"- date: {moment(time.time())}, {seconds:.1f} s, cite-lsp {__version__}"
    for scope, documents in sorted(account.scopes.items()):
        words = "every citation" if scope == "all" else "the deterministic sample"
        yield f"- scope: {scope} ({words}), {_count(documents, 'document')}"
    if account.effort:
        yield f"- took: {account.effort}"
    if not account.judges and not summary.outcomes:
        yield f"- citations: {summary.anchors:,} recognised, {summary.resolved:,} resolved; no judge was asked"
        return
    yield "- text: the sha256, in hexadecimal, of the canonical JSON of each document's text"
    yield f"- citations: {summary.anchors:,} recognised, {summary.resolved:,} resolved, {summary.judged:,} judged"
    yield from (f"- {line}" for line in told_of_verdicts(summary))


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else text + "."


def _cut(text: str) -> str:
    text = shown(text)
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"
