"""`cite-lsp judge --on-found repair`: one bounded round, as a diff or written into the documents (audit.md)."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from cite_lsp.audit.judgement import Judgement
from cite_lsp.audit.repair import Repair, RoundOutcome, repair_round
from cite_lsp.cli.console import write_bytes
from cite_lsp.cli.fixing import Mended
from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.judging import DONE, FOUND, INTERRUPTED, UNFINISHED, errors_of, tell_troubles, told_of_judges
from cite_lsp.cli.revision import Revision
from cite_lsp.cli.run import Report, UsageError
from cite_lsp.findings.finding import Edit
from cite_lsp.findings.places import Places
from cite_lsp.findings.writing import replace_file
from cite_lsp.snapshot.ladder import joined, within
from cite_lsp.snapshot.lines import Unread, real_path

if TYPE_CHECKING:
    from cite_lsp.audit.run import AuditReport
    from cite_lsp.audit.selecting import AuditRow
    from cite_lsp.cli.judging import Judging, Subject
    from cite_lsp.judges.repairer import ModelRepairer

_NO_MODEL = (
    "--on-found repair needs a model that writes: set repair.name and repair.model in your own settings file, or "
    "CITE_LSP_REPAIR_NAME and CITE_LSP_REPAIR_MODEL; the embedded judge writes nothing"
)
_FIXABLE = "`cite-lsp fix` knows the answer"
_STANDS = "it is accepted, or silenced by a comment or the settings"


def repair_documents(judging: "Judging", started: float) -> int:
    """Judge the documents, repair what is unsupported, and print a diff or write. Raises `UsageError`."""
    wishes = judging.wishes
    if wishes.output != "text":
        raise UsageError(f"--on-found repair prints a diff; for --format {wishes.output} say --on-found report or fail")
    if wishes.report is not None:
        raise UsageError("--on-found repair prints a diff; for --report say --on-found report or fail")
    if judging.run.overlaid and wishes.write:
        raise UsageError("--write is for files; of standard input a diff is printed")
    if judging.run.problems:
        return judging.refused()
    repairer = judging.judges.repairer()
    if repairer is None:
        raise UsageError(_NO_MODEL)
    repairing = Repairing(judging, repairer)
    judging.each(repairing.round, repairing.take, repairer.close)
    judging.account.usage += repairer.usage
    sys.stdout.flush()
    repairing.tell(time.perf_counter() - started)
    tell_troubles(judging, errors_of(judging.console))
    return repairing.status


@dataclass(frozen=True, slots=True)
class Round:
    """What became of one document.

    Attributes:
        audit: The first pass.
        outcome: What the round came to.
        stands: Why a citation was not to be repaired, by the index of its anchor.
    """

    audit: "AuditReport"
    outcome: RoundOutcome
    stands: dict[int, str]

    @property
    def good(self) -> list[Repair]:
        """The repairs that the judge supports, and no other citation pays for: nothing else is written."""
        return [each for each in self.outcome.repairs if each.good]

    @property
    def left(self) -> list[Repair]:
        """What is not supported after the round."""
        good = {each.row.index for each in self.good}
        return [each for each in self.outcome.repairs if each.row.index not in good]


class Repairing:
    """A run that repairs: a document's round follows its audit."""

    def __init__(self, judging: "Judging", repairer: "ModelRepairer") -> None:
        self._judging = judging
        self._repairer = repairer
        self._lines: list[Text] = []
        self._failures: list[str] = []
        self._done = self._left = self._stands = self._records = self._documents = 0

    @property
    def status(self) -> int:
        """The exit status."""
        judging = self._judging
        if judging.account.interrupted:
            return INTERRUPTED
        if self._failures or judging.account.troubles or judging.summary.unfinished:
            return UNFINISHED
        return FOUND if self._left or (self._done and not judging.wishes.write) else DONE

    async def round(self, subject: "Subject") -> Round:
        """Audit a document, and repair it where that is wanted: a record says what was so, and stays as it is."""
        judging = self._judging
        audit = await judging.audit(subject)
        if subject.settings.is_record(subject.inside):
            return Round(audit, RoundOutcome(subject.checked.document, (), audit), {})
        stands = _stands(judging, subject, audit)
        outcome = await repair_round(
            subject.checked.document,
            judging.run.snapshot,
            audit,
            judging.judge_of(subject),
            self._repairer,
            subject.settings.audit,
            held_back=self._held_back(subject, stands),
            resolutions=subject.checked.resolutions,
        )
        return Round(audit, outcome, stands)

    def _held_back(self, subject: "Subject", stands: dict[int, str]) -> Callable[["AuditRow"], str]:
        sending = self._judging.sending(subject)
        whole = sending.named_document(joined(self._judging.run.root, subject.report.path))
        return lambda row: stands.get(row.index) or whole or sending.cited(row.resolution)

    # --- what it came to

    def take(self, report: Report, subject: "Subject | None", done: Round | None) -> None:
        """Count a document, and print or write what was repaired."""
        judging = self._judging
        if subject is None or done is None:
            judging.summary.add(report)
            return
        judging.take(subject, done.audit)
        if done.outcome.report.meta.passes > 1:
            judging.account.add_pass(done.outcome.report.judgement)
        if done.outcome.trouble is not None:
            judging.account.add_pass(Judgement((), troubles=(done.outcome.trouble,)))
        self._records += subject.settings.is_record(subject.inside) and bool(done.audit.meta.unsupported)
        self._stands += sum(each.row.index in done.stands for each in done.left)
        mended = self._mended(subject, [edit for each in done.good for edit in each.edits]) if done.good else None
        if mended is not None:
            self._write(mended)
        written = done.good if mended is not None else []
        self._done += len(written)
        self._documents += bool(written)
        self._left += sum(each not in written and each.row.index not in done.stands for each in done.outcome.repairs)
        self._say(subject, done, written)

    def _mended(self, subject: "Subject", edits: list[Edit]) -> Mended | None:
        """Give the document with its repairs; None, and a word about it, where it cannot be rewritten."""
        run, path = self._judging.run, subject.report.path
        source = run.snapshot.read_document(run.root, path, subject.settings.files.max_document_bytes)
        if isinstance(source, Unread):
            self._failures.append(f"{path} {source.reason}")
        elif not source.decoded:
            self._failures.append(f"{path} holds bytes that fit no encoding, so it is not rewritten")
        elif source.sha256 != subject.report.sha256:
            self._failures.append(f"{path} has changed on disk in the meantime, so it was left alone")
        else:
            real = real_path(joined(run.root, path))
            mended = Mended(path, within(real_path(run.root), real) or path, real, source, Revision(source.text))
            mended.revision.apply(sorted(edits, key=lambda edit: edit.start))
            return mended
        return None

    def _write(self, mended: Mended) -> None:
        if not self._judging.wishes.write:
            sys.stdout.flush()
            write_bytes(mended.diff())
            sys.stdout.buffer.flush()
        elif why := replace_file(mended.real, mended.new, mended.source.sha256, self._judging.run.root):
            self._failures.append(f"{mended.path} {why}")

    # --- what is said

    def _say(self, subject: "Subject", done: Round, written: list[Repair]) -> None:
        told = sorted(
            [each for each in done.outcome.repairs if each.row.index not in done.stands],
            key=lambda each: each.row.index,
        )
        if told:
            self._lines.append(Text(visible(subject.report.path), "bold underline"))
        places = Places(subject.checked.text)
        for each in told:
            self._lines += _lines(each, places, written=each in written)

    def tell(self, seconds: float) -> None:
        """Say what was done: beside a diff on standard error, so that the output stays one."""
        judging = self._judging
        errors = errors_of(judging.console)
        for failure in self._failures:
            errors.print(Text(f"cite-lsp: {visible(failure)}"))
        if judging.wishes.quiet:
            return
        out = judging.console if judging.wishes.write else errors
        for line in (*self._lines, *map(Text, self._summary(seconds))):
            out.print(line, highlight=False, soft_wrap=True)

    def _summary(self, seconds: float) -> Iterator[str]:
        summary = self._judging.summary
        verb = "repaired" if self._judging.wishes.write else "would repair"
        parts = [f"{verb} {_count(self._done, 'citation')} in {_count(self._documents, 'document')}"]
        if not self._done:
            unknown = self._left or self._judging.account.troubles
            parts = ["repaired nothing" if unknown else "nothing to repair"]
        parts += [f"{self._left:,} unsupported left"] if self._left else []
        parts += (
            [f"{self._stands:,} not asked about (accepted, silenced, or for `cite-lsp fix`)"] if self._stands else []
        )
        parts += [f"{_count(self._records, 'record')} left as written"] if self._records else []
        yield "; ".join(parts)
        judged = f"{summary.judged:,} of {_count(summary.anchors, 'citation')} judged"
        yield f"{_count(summary.documents, 'document')}, {judged}"
        yield from (visible(line) for line in told_of_judges(self._judging.account, f"{seconds:.1f} s"))


def _stands(judging: "Judging", subject: "Subject", audit: "AuditReport") -> dict[int, str]:
    """Give the unsupported citations that are not to be repaired, and why: the team, or `fix`, has an answer."""
    unsupported = {
        row.index for row, verdict in zip(audit.rows, audit.verdicts, strict=True) if verdict.label == "unsupported"
    }
    verdicts = {row.index: verdict for row, verdict in zip(audit.rows, audit.verdicts, strict=True)}
    findings = judging.told(subject, verdicts).checked.findings
    told = {each.anchor for each in findings}
    fixable = {each.anchor for each in findings if each.code == "moved" or any(fix.preferred for fix in each.fixes)}
    reasons = dict.fromkeys(unsupported & fixable, _FIXABLE)
    return {**reasons, **dict.fromkeys(unsupported - told, _STANDS)}


def _lines(repair: Repair, places: Places, *, written: bool) -> Iterator[Text]:
    """Give what became of one citation: where, what was done and why, and what was proposed in vain."""
    start = repair.row.anchor.start
    number = places.line(start)
    place = f"{number + 1}:{start - places.start(number) + 1}"
    word = ("repaired", "green") if written else ("left", "yellow")
    cited = visible(" ".join(repair.row.anchor.text.split()))
    yield Text.assemble(
        (f"  {place:<7} ", "bold"), (f"{word[0]:<8} ", word[1]), (cited, "bold"), f"  {visible(repair.why)}"
    )
    if repair.edits and not written:
        label, why = repair.verdict.label, repair.verdict.basis or repair.verdict.reason
        said = f"{label}, but {repair.harm}" if label == "supported" and repair.harm else f"{label}: {why}"
        yield Text.assemble(" " * 19, ("proposed ", "dim"), visible(repair.new))
        yield Text.assemble(" " * 19, ("judged   ", "dim"), visible(said))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
