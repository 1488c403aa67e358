"""What a run amounts to: counts of documents, citations and findings."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cite_lsp.cli.run import Report
from cite_lsp.findings.finding import Severity
from cite_lsp.snapshot.baseline import CUT

if TYPE_CHECKING:
    from cite_lsp.cli.audited import Audited

DRIFTS = ("same", "moved", "edited", "gone", "born-wrong", "unknown")
_MEND = "fetch the whole history (`git fetch --unshallow`; in CI fetch-depth: 0)"
VERDICTS = ("supported", "partial", "unsupported", "review", "unchecked")
NUMBERS = ("documents", "unread", "anchors", "resolved", "foreign", "unattached", "fixable", "accepted", "cut")
"""The fields of a summary that are plain counts."""


@dataclass(slots=True)
class Summary:
    """Counts, added to report by report."""

    documents: int = 0
    unread: int = 0
    unfinished: bool = False
    """Something that should have been checked was not read."""
    anchors: int = 0
    resolved: int = 0
    foreign: int = 0
    unattached: int = 0
    fixable: int = 0
    accepted: int = 0
    severities: Counter[Severity] = field(default_factory=Counter)
    drifts: Counter[str] = field(default_factory=Counter)
    """Of cited spans outside records."""
    drifts_in_records: Counter[str] = field(default_factory=Counter)
    """Of those that are read as of a commit."""
    cut: int = 0
    """Cited spans whose history ends where a shallow clone does."""
    judged: int = 0
    """Citations that a judge decided."""
    verdicts: Counter[str] = field(default_factory=Counter)
    """By label; those of citations that lead to no lines are among the unsupported ones."""
    judgements: Counter[str] = field(default_factory=Counter)
    """By label, those that a judge gave only."""
    untold: Counter[str] = field(default_factory=Counter)
    """Of these, by label, those that are not told since the cited text moved, which is."""
    unjudged: Counter[str] = field(default_factory=Counter)
    """Citations without a verdict of a judge, by why that is."""
    outcomes: Counter[str] = field(default_factory=Counter)
    """Of judged documents."""
    by_judge: Counter[Severity] = field(default_factory=Counter)
    """Those of the findings that a judge's verdicts are."""

    def add_audit(self, report: Report, audited: "Audited") -> None:
        """Count what a judge said of a document that `add` has counted."""
        self.judged += sum(each.judged for each in audited.said.values())
        self.verdicts.update(audited.labels)
        self.judgements.update(audited.judged)
        self.untold.update(audited.untold)
        self.unjudged.update(each.why_not for each in audited.said.values() if each.why_not)
        self.outcomes[audited.outcome] += 1
        findings = report.checked.findings if report.checked is not None else ()
        self.by_judge.update(finding.severity for finding in findings if finding.code in VERDICTS)

    def add(self, report: Report) -> None:
        """Count one document."""
        self.documents += 1
        checked = report.checked
        if checked is None:
            self.unread += 1
            self.unfinished = self.unfinished or not report.passed_over
            return
        self.anchors += len(checked.anchors)
        self.resolved += sum(resolution.resolved for resolution in checked.resolutions)
        self.foreign += sum(resolution.status == "foreign" for resolution in checked.resolutions)
        self.unattached += checked.document.unattached
        self.severities.update(finding.severity for finding in checked.findings)
        for drift in (drift for drifts in checked.drifts for drift in drifts or ()):
            self.cut += drift.reason == CUT
            (self.drifts_in_records if drift.as_of else self.drifts)[drift.status] += 1
        self.accepted += checked.accepted
        self.fixable += sum(any(fix.preferred for fix in finding.fixes) for finding in checked.findings)

    def merge(self, other: "Summary") -> None:
        """Add the counts of other documents."""
        for name in (
            "documents",
            "unread",
            "anchors",
            "resolved",
            "foreign",
            "unattached",
            "fixable",
            "accepted",
            "cut",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.unfinished = self.unfinished or other.unfinished
        self.severities.update(other.severities)
        self.drifts.update(other.drifts)
        self.drifts_in_records.update(other.drifts_in_records)

    def reaches(self, level: Severity) -> bool:
        """Say whether a finding is at least as loud as `level`."""
        return any(severity.at_least(level) for severity, count in self.severities.items() if count)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of it, each a sentence without a full stop."""
        if not self.cut:
            return ()
        return (f"this clone is shallow: whether the text of {self.cut:,} cited places moved is not known; {_MEND}",)
