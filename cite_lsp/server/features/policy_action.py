"""What can be done about a finding of a policy: ignore it here, or switch its concern off in the project.

A finding of a policy is a model's answer about a passage, and hangs on no cited text that could change: *Still right*
is not offered for it.
"""

from collections.abc import Iterator
from typing import Any

from lsprotocol import types

from cite_lsp.document.document import Block, Document
from cite_lsp.findings.comments import comment_for, comment_in_front
from cite_lsp.findings.finding import Edit
from cite_lsp.findings.places import Places
from cite_lsp.server.convert import Range
from cite_lsp.server.features.edits import workspace_edit
from cite_lsp.server.features.rule_edit import switching_off
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.policy_book import Spot
from cite_lsp.server.session import Session


def policy_actions(session: Session, document: OpenDocument, where: types.Range) -> Iterator[dict[str, Any]]:
    """Give the actions for what policies found in a range of any file; comments are for documents only."""
    low, high = (where.start.line, where.start.character), (where.end.line, where.end.character)
    shown: dict[str, list[dict[str, Any]]] = {}
    places: Places | None = None
    for each in document.policies.found:
        stands, code = each.spot.range(), each.told.code
        diagnostics = _diagnostics(document, code, stands) if _meet(stands, low, high) else []
        if not diagnostics:
            continue  # elsewhere, silenced, or not told yet
        shown.setdefault(code, []).extend(diagnostics)
        if document.document is not None:
            places = places or Places(document.document.text)
            yield from _ignoring(session, document, code, each.spot, places, diagnostics)
    for code, diagnostics in shown.items():
        yield from switching_off(session, document, code, diagnostics)


def _meet(stands: Range, low: tuple[int, int], high: tuple[int, int]) -> bool:
    start, end = ((stands[name]["line"], stands[name]["character"]) for name in ("start", "end"))
    return start <= high and low <= end


def _diagnostics(document: OpenDocument, code: str, stands: Range) -> list[dict[str, Any]]:
    return [each for each in document.published or () if each.get("code") == code and each["range"] == stands]


def _ignoring(
    session: Session,
    document: OpenDocument,
    code: str,
    spot: Spot,
    places: Places,
    diagnostics: list[dict[str, Any]],
) -> Iterator[dict[str, Any]]:
    edit = _comment(document, code, spot, places)
    if edit is not None:
        yield {
            "title": f"Ignore {code} here",
            "kind": "quickfix",
            "diagnostics": diagnostics,
            "edit": workspace_edit(session, document, places, [edit]),
        }


def _comment(document: OpenDocument, code: str, spot: Spot, places: Places) -> Edit | None:
    """Give the comment, beside the passage where that can be: one within it has it asked about anew."""
    if document.document is None or document.place is None:
        return None
    start, end = spot.offsets(places)
    path = document.place.path
    block, at = _block_at(document.document, start)
    in_front = comment_in_front(code, path, block.kind, places, (at, start, end))
    return in_front or comment_for(code, path, block.kind, places, start)


def _block_at(document: Document, offset: int) -> tuple[Block, int]:
    """Give the block that an offset lies in, and where it begins."""
    at = 0
    for block in document.blocks:
        if offset < at + len(block.text):
            break
        at += len(block.text)
    return block, at
