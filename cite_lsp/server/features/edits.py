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
    """Give the fixes of a citation that the settings let be told; the preferred ones as they leave them."""
    if document.levels is None:
        return []
    told = [*hit.told, *document.groundings.told(hit.block, hit.number)]
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

    An edit that several fixes share (the path that several continuations read) is made once, with the first of them.
    """
    chosen: list[Sequence[Edit]] = []
    made: set[Edit] = set()
    taken: list[tuple[int, int]] = []
    fixes = [offer.fix for hit in document.hits for offer in offers_of(document, hit)]
    fixes += [fix for finding in document.comment_findings for fix in finding.fixes]
    for fix in sorted(fixes, key=lambda each: each.edits[0].start):
        new = [edit for edit in fix.edits if edit not in made]
        if fix.preferred and new and not any(_is_taken(edit, taken) for edit in new):
            chosen.append(new)
            made.update(new)
            for edit in new:
                insort(taken, (edit.start, edit.end))
    return chosen


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
