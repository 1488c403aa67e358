"""`cite-lsp explain PATH:LINE`: one citation with all that is known of it."""

import os
import re
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from cite_lsp.audit.rows import row_of
from cite_lsp.cli.formats.as_json import moment
from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.judges import Judges
from cite_lsp.cli.run import Request, Run, UsageError, prepare
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.ranges import span_text
from cite_lsp.findings.check import Checked
from cite_lsp.findings.drifting import commit_in_words, drift_in_words
from cite_lsp.findings.places import Places
from cite_lsp.findings.told import lines_in_words
from cite_lsp.snapshot.baseline import Baseline
from cite_lsp.snapshot.resolve import Resolution

_LINE_ENDS = re.compile(r"[\r\n]+")
_MOST_CLAIM = 1_000
"""Characters of a claim that are shown: one of a list without sentences may be as long as the list."""
_MOST_LINES = 8
"""Lines that are shown of what was cited when the citation was written."""
_WAYS = {
    "absolute": "as an absolute path",
    "relative": "from the document's folder, as written",
    "root": "from the root",
    "document-folder": "from the document's folder",
    "ancestor": "from a folder above the document",
    "suffix": "as the only path that ends so",
    "same-document": "as the full path that the document names elsewhere",
    "basename": "as the only file of that name",
    "permalink": "as a permalink",
}


def explain_citation(path: str, line: int, console: Console) -> bool:
    """Print every citation on a 1-based line of a document; say whether there is one."""
    if os.path.isdir(path):  # noqa: PTH112 - Path's raises without permission
        raise UsageError(f"{path} is a folder; name a document and a line of it, as in {path.rstrip('/')}/README.md:12")
    run = prepare(Request((path,)))
    report = next(iter(run.reports(run.documents)), None)
    if report is None or report.checked is None:
        raise UsageError(f"{path} {report.unread if report else 'is no document'}")
    checked = report.checked
    places = Places(checked.text)
    found = [
        index
        for index, anchor in enumerate(checked.anchors)
        if places.line(anchor.start) + 1 <= line <= places.line(max(anchor.start, anchor.end - 1)) + 1
    ]
    for index in found:
        for row in _rows(index, checked, run, places):
            console.print(row, soft_wrap=True, highlight=False)
        console.print()
    return bool(found)


def _row(name: str, value: str) -> Text:
    return Text.assemble((f"{name:>11}  ", "dim"), _one_line(value))


def _one_line(text: str) -> str:
    """Give a text that may stand on several lines as a row can show it."""
    return visible(_LINE_ENDS.sub(" ", text))


def _rows(index: int, checked: Checked, run: Run, places: Places) -> Iterator[Text]:
    anchor, resolution = checked.anchors[index], checked.resolutions[index]
    line = places.line(anchor.start)
    column = anchor.start - places.start(line) + 1
    place = f"{checked.document.path}:{line + 1}:{column}"
    yield Text.assemble((visible(place), "bold"), "  ", (_one_line(anchor.text), "bold cyan"))
    yield _row("form", anchor.form)
    yield _row("path", anchor.path)
    yield _row("lines", ", ".join(span_text(span) for span in anchor.spans))
    yield _row("claim", _cut(anchor.claim) or "none")
    if anchor.sentence != anchor.claim:
        yield _row("sentence", _cut(anchor.sentence))
    if anchor.section:
        yield _row("section", anchor.section)
    yield from _resolution(anchor, resolution)
    yield from _drift(index, checked, run)
    yield from _verdict(index, checked, run)
    for finding in checked.findings:
        if finding.anchor == index:
            yield _row(finding.severity.value, f"{finding.message}  [{finding.code}]")
            for fix in finding.fixes:
                yield _row("fix", fix.title)
    yield from _excerpts(anchor, resolution, run)


def _drift(index: int, checked: Checked, run: Run) -> Iterator[Text]:
    drifts, written = checked.drifts[index], checked.written[index] if checked.written else None
    if drifts is None or written is None:
        yield _row("drift", "not looked for: the document is in no git repository, or drift.enabled is false")
        return
    for drift, baseline, span in zip(drifts, written.baselines, checked.anchors[index].spans, strict=True):
        departed = None
        if drift.status in ("moved", "gone") and run.snapshot.commits is not None:
            departed = run.snapshot.commits.departed(baseline, anywhere=drift.status == "gone")
        words = drift_in_words(drift, checked.resolutions[index].path, departed)
        several = f"{span_text(span)}: " if len(drifts) > 1 else ""
        yield _row("drift", several + words)
        if drift.status in ("moved", "edited", "gone"):
            yield from _as_it_was(baseline)
    as_of = drifts[0].as_of if drifts else ""
    if as_of:
        yield _row("as of", commit_in_words(as_of, checked.resolutions[index].as_of_time))


def _verdict(index: int, checked: Checked, run: Run) -> Iterator[Text]:
    """Give the verdict where it costs nothing: the embedded judge's, or one that is kept. Nobody is asked."""
    settings, _ = run.settings_for(checked.document.path)
    audit = settings.audit
    resolution = checked.resolutions[index]
    row = row_of(checked.anchors[index], resolution, run.snapshot, resolver=audit.resolver, window=audit.window)
    if row is None:
        yield _row("verdict", "none: there are no lines that could be judged")
        return
    judges = Judges(run, {})
    said = judges.recall(settings, row)
    if said is None:
        yield _row("verdict", f"not judged yet by {judges.of(settings).identity}; `cite-lsp judge` asks it")
        return
    verdict = said.verdict
    yield _row("verdict", f"{verdict.label}: {verdict.basis or verdict.reason}")
    if verdict.basis and verdict.reason and verdict.basis not in verdict.reason:
        yield _row("why", verdict.reason)
    if said.evidence:
        yield _row("rests on", f"line {', '.join(str(line) for line, _ in said.evidence)}")
    when = f", {moment(said.at)}" if said.cached and said.at is not None else ""
    yield _row("judge", f"{verdict.judge}{when}")


def _as_it_was(baseline: Baseline) -> Iterator[Text]:
    """Show the text that was cited."""
    lines = baseline.lines[:_MOST_LINES]
    clipped = ", cut short" if len(lines) < len(baseline.lines) else ""
    yield _row("was", f"{lines_in_words((baseline.first, baseline.last))} of {baseline.path}{clipped}")
    for number, text in enumerate(lines, baseline.first):
        yield Text.assemble((f"{number:>11} │ ", "dim"), visible(text))


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CLAIM else text[: _MOST_CLAIM - 1] + "…"


def _resolution(anchor: Anchor, resolution: Resolution) -> Iterator[Text]:
    status = resolution.status
    if len(set(resolution.spans)) > 1:
        pairs = zip(anchor.spans, resolution.spans, strict=True)
        status += f" ({', '.join(f'{span_text(span)} {each}' for span, each in pairs)})"
    yield _row("resolution", status)
    if resolution.line_count is not None:
        way = f", found {_WAYS[resolution.via]}" if resolution.via else ""
        yield _row("file", f"{resolution.path}, {resolution.line_count:,} lines{way}")
    if resolution.candidates:
        yield _row("candidates", ", ".join(resolution.candidates))


def _excerpts(anchor: Anchor, resolution: Resolution, run: Run) -> Iterator[Text]:
    audit = run.settings.audit
    for span, excerpt in zip(
        anchor.spans, run.snapshot.excerpts(resolution, anchor, audit.resolver, audit.window), strict=True
    ):
        if excerpt is None:
            continue
        clipped = ", cut short" if excerpt.truncated else ""
        yield _row("excerpt", f"{excerpt.unit}, lines {excerpt.start_line}-{excerpt.end_line}{clipped}")
        for number, text in excerpt.lines:
            style = "bold" if span[0] <= number <= span[1] else ""
            yield Text.assemble((f"{number:>11} │ ", "dim"), (visible(text), style))
