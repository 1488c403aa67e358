"""The findings of a checked document with those of a judge among them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from cite_lsp.audit.verdicts import Verdict
from cite_lsp.config import Settings
from cite_lsp.findings.accepted import NOTHING, Accepted
from cite_lsp.findings.by_block import as_of
from cite_lsp.findings.catalogue import CATALOGUE
from cite_lsp.findings.check import Checked, Levels, find_ignores, is_tracked, keep, looked_for
from cite_lsp.findings.finding import Finding, sort_findings
from cite_lsp.findings.judging import tell_verdict
from cite_lsp.findings.reference_checks import ReferenceChecks
from cite_lsp.findings.told import Told
from cite_lsp.snapshot.snapshot import Snapshot

VERDICT_CODES = frozenset(code.name for code in CATALOGUE.values() if code.layer == "verdict")
"""The codes of what a judge says."""

_NOWHERE = frozenset(code.name for code in CATALOGUE.values() if code.layer == "resolve") | {"moved"}
"""The codes that say of a citation that it leads to no lines."""


@dataclass(frozen=True, slots=True)
class WithVerdicts:
    """A document with its verdicts.

    Attributes:
        checked: As a check gives it, the findings of the verdicts among the others.
        accepted: How many verdicts of each label the team has accepted.
        silenced: How many a comment or the settings keep from being told.
        moved: How many are not told since the cited text moved, which is told.
    """

    checked: Checked
    accepted: Counter[str] = field(default_factory=Counter)
    silenced: Counter[str] = field(default_factory=Counter)
    moved: Counter[str] = field(default_factory=Counter)


def with_verdicts(
    checked: Checked,
    verdicts: Mapping[int, Verdict],
    snapshot: Snapshot,
    settings: Settings,
    path: str | None = None,
    accepted: Accepted = NOTHING,
) -> WithVerdicts:
    """Give what is known of a document with what a judge said of it.

    A citation that leads nowhere, and one whose text is known to have moved, has a finding that says so; the verdict
    on it is not told.

    Args:
        checked: The document as `examine` gave it.
        verdicts: By the index of the anchor.
        snapshot: The one that the document was checked in.
        settings: Those that it was checked under.
        path: The document's, relative to the folder of its settings; its own where that is the root.
        accepted: What is accepted under these settings.
    """
    path = checked.document.path if path is None else path
    levels = Levels(path, settings, tracked=is_tracked(checked.document, snapshot))
    moved: set[int] = set()
    if levels.of("moved") != "off":
        moved = {each.anchor for each in checked.told if each.code == "moved" and each.anchor is not None}
    said = [
        as_of(told, checked.resolutions[number])
        for number, verdict in verdicts.items()
        if number not in moved and checked.resolutions[number].resolved
        for told in tell_verdict(verdict, checked.anchors[number], number)
    ]
    told = (*checked.told, *said)
    codes = looked_for(checked.drifts, ReferenceChecks.of(settings, path)) | (
        VERDICT_CODES if _is_decided(checked, verdicts) else frozenset()
    )
    kept = keep(told, levels, find_ignores(checked.document, checked.text), checked.text, codes)
    left = accepted.left(kept, path, checked.anchors, checked.resolutions, snapshot)
    found = replace(checked, findings=sort_findings(left), accepted=len(kept) - len(left), told=told)
    untold: Counter[str] = Counter(verdicts[number].label for number in moved & verdicts.keys())
    return WithVerdicts(found, *_let_stand(said, verdicts, checked, kept, left), untold)


def _is_decided(checked: Checked, verdicts: Mapping[int, Verdict]) -> bool:
    """Whether every citation that leads to lines has an answer: else no ignore comment can be called unused."""
    resolved = [number for number, resolution in enumerate(checked.resolutions) if resolution.resolved]
    return all(number in verdicts and verdicts[number].label != "unchecked" for number in resolved)


def _let_stand(
    said: Iterable[Told],
    verdicts: Mapping[int, Verdict],
    checked: Checked,
    kept: Iterable[Finding],
    left: Iterable[Finding],
) -> tuple[Counter[str], Counter[str]]:
    """Count the verdicts that are accepted and those that are silenced, by label.

    An unsupported citation that leads nowhere is let stand where the finding that says so is.
    """
    told = {(each.anchor, each.code): each.code for each in said}
    nowhere = {number for number, verdict in verdicts.items() if verdict.kind == "unresolved"}
    told |= {
        (each.anchor, each.code): "unsupported"
        for each in checked.told
        if each.anchor in nowhere and each.code in _NOWHERE and not each.replaced
    }
    keeps, lefts = ({(each.anchor, each.code) for each in findings} for findings in (kept, left))
    accepted: Counter[str] = Counter(label for key, label in told.items() if key in keeps and key not in lefts)
    return accepted, Counter(label for key, label in told.items() if key not in keeps)
