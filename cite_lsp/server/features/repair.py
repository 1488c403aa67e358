"""Request repair: what can be put right without a model, shown as it would be written, and applied when chosen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from cite_lsp.audit.row_data import row_to_data
from cite_lsp.audit.rows import row_of
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.findings.finding import Edit
from cite_lsp.findings.places import Places
from cite_lsp.findings.rewrite import restand
from cite_lsp.server.features.commands import apply, named_document, named_range
from cite_lsp.server.features.edits import offers_of, workspace_edit
from cite_lsp.server.hits import Hit
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session
from cite_lsp.server.uris import key
from cite_lsp.worker.client import WorkerFailed, WorkerLost

_INFO = types.MessageType.Info
DISCARD = "Discard"
_MOST = 3


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair: what the citation would read as, its edits, and what is known of it."""

    title: str
    written: str
    edits: tuple[Edit, ...]
    verdict: str
    """Why it would hold; "" where nothing was judged."""


async def request_repair(session: Session, argument: Mapping[str, Any] | None) -> dict[str, Any]:
    """Offer the repairs of the citation at a range, and apply the one that is chosen; say what came of it."""
    document = named_document(session, argument)
    low, high = (document.offset(*position) for position in named_range(argument))
    hit = next((hit for hit in document.hits if hit.span[0] <= high and low <= hit.span[1]), None)
    if hit is None:
        return _say(session, "there is no citation at this place to repair")
    version = document.version
    repairs = [*_known(document, hit), *await _better(session, document, hit)][:_MOST]
    if not repairs:
        text = f"no repair is known for {hit.anchor.text}"
        looked = "; no other lines of the file were found of which the judge can confirm that they say this"
        return _say(session, text + looked if hit.resolution.resolved else text)
    chosen = await _choose(session, document, hit, repairs)
    if chosen is None or document.document is None:
        return {"applied": False, "written": None, "reason": "nothing was chosen"}
    if document.version != version or session.documents.get(key(document.uri)) is not document:
        return _say(session, "the document changed meanwhile, so nothing was applied; request the repair again")
    edit = workspace_edit(session, document, Places(document.document.text), chosen.edits)
    applied = await apply(session, chosen.title, edit)
    reason = "" if applied else "the client did not apply the edit"
    return {"applied": applied, "written": chosen.written if applied else None, "reason": reason}


def _known(document: OpenDocument, hit: Hit) -> list[Repair]:
    """Give what is known without a look at the claim: the closest path, the end of the file, the real spelling."""
    return [
        Repair(offer.fix.title, _written(hit.anchor, offer.fix.edits), offer.fix.edits, "")
        for offer in offers_of(document, hit)
    ]


async def _better(session: Session, document: OpenDocument, hit: Hit) -> list[Repair]:
    """Look for other lines of the cited file that the judge calls supported."""
    place, parsed = document.place, document.document
    if place is None or parsed is None or len(hit.anchor.spans) != 1 or not hit.resolution.resolved:
        return []
    bound = parsed.anchor_at(hit.span[0])
    row = row_of(bound, hit.resolution, place.snapshot) if bound is not None else None
    if row is None or row.file is None:
        return []
    first, last = hit.anchor.spans[0]
    data = row_to_data(row, with_file=False)
    try:
        found = await session.worker.call("better", row=data, file=list(row.file), first=first, last=last)
    except (WorkerLost, WorkerFailed) as error:
        session.judging.error = f"the judge failed: {error}"
        return []
    repairs = [_repair(hit, parsed, each) for each in found]
    return [repair for repair in repairs if repair.edits]


def _repair(hit: Hit, document: Document, found: Mapping[str, Any]) -> Repair:
    span = (found["first"], found["last"])
    edits = tuple(
        Edit(edit.start + hit.offset, edit.end + hit.offset, edit.text)
        for edit in restand(hit.block.anchors[hit.number], document, [span], None, hit.block)
    )
    written = _written(hit.anchor, edits)
    return Repair(f"Cite {written}", written, edits, str(found["verdict"]["basis"]))


def _written(anchor: Anchor, edits: tuple[Edit, ...]) -> str:
    text = anchor.text
    for edit in sorted(edits, key=lambda each: (each.start, each.end), reverse=True):
        text = text[: edit.start - anchor.start] + edit.text + text[edit.end - anchor.start :]
    return text


async def _choose(session: Session, document: OpenDocument, hit: Hit, repairs: list[Repair]) -> Repair | None:
    """Show the repairs and let a person choose."""
    name = document.place.path if document.place is not None else document.uri
    if len(repairs) == 1:
        only = repairs[0]
        why = f" This is supported: {only.verdict}." if only.verdict else ""
        text = f"{name}: {hit.anchor.text} would become {only.written}.{why}"
        titles = {"Apply": only}
    else:
        text = f"{name}: what should {hit.anchor.text} become?"
        titles = {_title(repair): repair for repair in repairs}
    actions = [types.MessageActionItem(title) for title in (*titles, DISCARD)]
    try:
        answer = await session.server.window_show_message_request_async(
            types.ShowMessageRequestParams(type=_INFO, message=text, actions=actions)
        )
    except JsonRpcException:
        return None
    return titles.get(answer.title) if answer is not None else None


def _title(repair: Repair) -> str:
    return f"{repair.written} (supported)" if repair.verdict else repair.title


def _say(session: Session, text: str) -> dict[str, Any]:
    """Tell the person, and whoever asked, why there is no repair."""
    session.server.window_show_message(types.ShowMessageParams(type=_INFO, message=f"cite-lsp: {text}"))
    return {"applied": False, "written": None, "reason": text}
