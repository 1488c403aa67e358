"""Which fixes `cite-lsp fix` applies: those that are the one answer, and of those that overlap the first."""

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from cite_lsp.findings.catalogue import CATALOGUE
from cite_lsp.findings.check import Checked
from cite_lsp.findings.finding import Edit, Finding, Fix
from cite_lsp.findings.places import Places

_FIRST = ("drift", "grounding")
"""Layers whose fixes go first: they know where the text is, where others only see that it is not here."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A fix that is to be applied, and the finding that it answers; offsets are of the text it was found in."""

    finding: Finding
    fix: Fix
    line: int
    """1-based, as is the column."""
    column: int


def choices(checked: Checked, *, unsafe: bool) -> list[Chosen]:
    """Give the fixes of a document that may be applied unasked, in order of place; they may overlap.

    `unsafe`: also those of edited text that have one answer.
    """
    found: list[Chosen] = []
    places: Places | None = None
    for finding in sorted(checked.findings, key=_rank):
        fix = answer(finding, unsafe=unsafe)
        if fix is not None and _differs(fix, checked.text):
            places = places or Places(checked.text)
            line = places.line(finding.start)
            found.append(Chosen(finding, fix, line + 1, finding.start - places.start(line) + 1))
    return found


def _rank(finding: Finding) -> tuple[int, bool]:
    code = CATALOGUE.get(finding.code)
    return finding.start, code is None or code.layer not in _FIRST


def answer(finding: Finding, *, unsafe: bool) -> Fix | None:
    """Give the one answer to a finding: its preferred fix; with `unsafe` the aligned lines of an edited text."""
    for fix in finding.fixes:
        if fix.preferred:
            return fix
    if unsafe and finding.code == "edited" and len(finding.fixes) == 1:
        return finding.fixes[0]
    return None


def _differs(fix: Fix, text: str) -> bool:
    """Say whether a fix changes the text; one whose own edits overlap is none."""
    edits = sorted(fix.edits, key=lambda edit: (edit.start, edit.end))
    if any(after.start < before.end for before, after in pairwise(edits)):
        return False
    return any(text[edit.start : edit.end] != edit.text for edit in edits)


_Place = tuple[int, int, str]


class Taken:
    """The edits that a pass is to make: none overlaps another, and equal ones are one."""

    def __init__(self) -> None:
        self._edits: list[_Place] = []

    def has_room(self, fix: Fix) -> bool:
        """Say whether the edits of a fix go with those that are taken; else it is for the next pass."""
        return not any(self._overlaps(edit) for edit in self._new(fix))

    def take(self, fix: Fix) -> None:
        """Take the edits of a fix."""
        for edit in self._new(fix):
            insort(self._edits, edit)

    def _new(self, fix: Fix) -> list[_Place]:
        edits = [(edit.start, edit.end, edit.text) for edit in fix.edits]
        return [edit for edit in edits if self._edits[(at := bisect_left(self._edits, edit)) : at + 1] != [edit]]

    def _overlaps(self, edit: _Place) -> bool:
        at = bisect_left(self._edits, edit)  # those taken are apart, so only neighbours can overlap
        return any(_touch(edit, other) for other in self._edits[max(0, at - 2) : at + 2])


def _touch(one: _Place, other: _Place) -> bool:
    return (one[0] < other[1] and other[0] < one[1]) or one[:2] == other[:2]


def edits_of(chosen: Iterable[Chosen]) -> list[Edit]:
    """Give the edits of fixes in order, equal ones once."""
    edits = dict.fromkeys(edit for each in chosen for edit in each.fix.edits)
    return sorted(edits, key=lambda edit: (edit.start, edit.end))
