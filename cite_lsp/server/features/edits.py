"""Edits of documents in the protocol's form, and the fixes that a citation has."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cite_lsp.findings.by_block import moved_fix
from cite_lsp.findings.check import as_finding
from cite_lsp.findings.finding import Edit, Fix
from cite_lsp.findings.places import Places
from cite_lsp.server.convert import text_edits
from cite_lsp.server.hits import Hit
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session


@dataclass(frozen=True, slots=True)
class Offer:
    """A fix of something that is told, with offsets into the document."""

    code: str
    fix: Fix


def offers_of(document: OpenDocument, hit: Hit) -> list[Offer]:
    """Give the fixes of what is told of a citation, as the settings leave them: of nothing that is silenced."""
    if document.levels is None:
        return []
    told = [*hit.told, *document.groundings.told(hit.block, hit.number)]
    told = [each for each in told if each.fixes and not document.is_silent(each, hit)]
    findings = [finding for each in told if (finding := as_finding(each, document.levels)) is not None]
    return [Offer(finding.code, moved_fix(fix, hit.offset)) for finding in findings for fix in finding.fixes]


def workspace_edit(session: Session, document: OpenDocument, places: Places, edits: Iterable[Edit]) -> dict[str, Any]:
    """Give a workspace edit of one document, bound to its version where the client understands that."""
    made = text_edits(places, edits, document.encoding)
    if session.client.document_changes:
        identifier = {"uri": document.uri, "version": document.version}
        return {"documentChanges": [{"textDocument": identifier, "edits": made}]}
    return {"changes": {document.uri: made}}


def preferred_edits(document: OpenDocument) -> Sequence[Sequence[Edit]]:
    """Give the edits of each preferred fix of a document; of fixes that touch the same text only the first.

    An edit that several fixes share (the path that several continuations read) is made once, with the first of them;
    and none of them is made where one cannot be.
    """
    chosen: list[Sequence[Edit]] = []
    taken: list[tuple[int, int]] = []
    fixes = [offer.fix for hit in document.hits for offer in offers_of(document, hit)]
    fixes += [fix for finding in document.comment_findings for fix in finding.fixes]
    for group in _sharing([fix for fix in fixes if fix.preferred]):
        made = {edit for fix in group for edit in fix.edits}
        before = list(taken)
        for edit in sorted(made, key=lambda each: (each.start, each.end)):
            if _is_taken(edit, taken):
                taken = before
                break
            insort(taken, (edit.start, edit.end))
        else:
            for fix in group:
                new = [edit for edit in fix.edits if edit in made]
                made.difference_update(new)
                if new:
                    chosen.append(new)
    return chosen


def _sharing(fixes: Iterable[Fix]) -> list[list[Fix]]:
    """Give the fixes in the order of the text, those together that share an edit."""
    groups: list[list[Fix]] = []
    by_edit: dict[Edit, list[Fix]] = {}
    for fix in sorted(fixes, key=lambda each: each.edits[0].start):
        group = next((by_edit[edit] for edit in fix.edits if edit in by_edit), None)
        if group is None:
            group = []
            groups.append(group)
        group.append(fix)
        by_edit.update(dict.fromkeys(fix.edits, group))
    return groups


def joined_edit(session: Session, document: OpenDocument, groups: Sequence[Sequence[Edit]]) -> dict[str, Any]:
    """Give one workspace edit of what `preferred_edits` gave."""
    text = document.document.text if document.document is not None else ""
    return workspace_edit(session, document, Places(text), [edit for group in groups for edit in group])


def _is_taken(edit: Edit, taken: list[tuple[int, int]]) -> bool:
    """Say whether an edit touches one of the places, which are in order and apart."""
    place = (edit.start, edit.end)
    at = bisect_left(taken, place)
    return any(_touch(place, other) for other in taken[max(0, at - 1) : at + 2])


def _touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return (one[0] < other[1] and other[0] < one[1]) or one == other
