"""The command behind *Still right*: what is told of a citation is accepted as it stands (drift.md, Accepting)."""

import asyncio
from collections.abc import Mapping
from typing import Any

from lsprotocol import types

from cite_lsp.findings.accepted import Entry, entry_of, update
from cite_lsp.findings.check import as_finding
from cite_lsp.server.accepted_book import folder_of, path_of
from cite_lsp.server.features.commands import named_document, named_range
from cite_lsp.server.hits import Hit
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session


async def accept(session: Session, argument: Mapping[str, Any] | None) -> dict[str, Any]:
    """Accept what is told of the citations in a range; give how many findings, and why none where there is none."""
    document = named_document(session, argument)
    place = document.place
    low, high = (document.offset(*position) for position in named_range(argument))
    hits = [hit for hit in document.hits if hit.span[0] <= high and low <= hit.span[1]]
    entries = [entry for hit in hits for entry in entries_of(document, hit)]
    if place is None or not entries:
        return _said(session, "there is nothing to accept at this place")
    path = path_of(place)
    writing = asyncio.ensure_future(
        asyncio.to_thread(update, path, folder_of(place), lambda before: before.with_added(entries))
    )
    writing.add_done_callback(lambda _: session.accepted_changed([path]))  # it is written also where the request ends
    after = await asyncio.shield(writing)
    if after.problem is not None:
        return _said(session, f"{after.problem.source}: {after.problem.message}")
    return {"accepted": len(entries), "reason": ""}


def entries_of(document: OpenDocument, hit: Hit) -> list[Entry]:
    """Give the entries that accept what is told of a citation: findings and the judge's word alike."""
    place, levels = document.place, document.levels
    if place is None or levels is None or not path_of(place):
        return []
    told = [*hit.told, *document.groundings.told(hit.block, hit.number)]
    codes = [each.code for each in told if as_finding(each, levels) is not None and not document.is_silent(each, hit)]
    judged = document.verdicts.of(hit.block)[hit.number]
    if judged is not None and judged.verdict.label in ("unsupported", "partial", "review"):
        codes.append(judged.verdict.label)
    snapshot = place.snapshot
    return [entry_of(code, place.inside, hit.anchor, hit.resolution, snapshot) for code in dict.fromkeys(codes)]


def _said(session: Session, text: str) -> dict[str, Any]:
    session.server.window_show_message(
        types.ShowMessageParams(type=types.MessageType.Info, message=f"cite-lsp: {text}")
    )
    return {"accepted": 0, "reason": text}
