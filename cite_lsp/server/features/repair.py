"""Request repair: what is known to be right and what a model proposes, shown as it would be written.

Nothing is applied but what a person chooses.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from cite_lsp.audit.row_data import row_to_data
from cite_lsp.audit.rows import row_of
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.findings.finding import Edit
from cite_lsp.findings.places import Places
from cite_lsp.server.features.commands import apply, named_document, named_range
from cite_lsp.server.features.edits import offers_of, workspace_edit
from cite_lsp.server.features.repairs import Repair, as_text, offer
from cite_lsp.server.hits import Hit
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session
from cite_lsp.server.uris import key
from cite_lsp.snapshot.rewrite import restand
from cite_lsp.worker.client import WorkerFailed, WorkerLost

if TYPE_CHECKING:
    from cite_lsp.server.features.model_repair import Answer

_INFO = types.MessageType.Info
DISCARD = "Discard"
_MOST = 3
_CHANGED = "the document changed meanwhile, so nothing was applied; request the repair again"


async def request_repair(session: Session, argument: Mapping[str, Any] | None) -> dict[str, Any]:
    """Offer the repairs of the citation at a range, and apply the one that is chosen; say what came of it."""
    document = named_document(session, argument)
    low, high = (document.offset(*position) for position in named_range(argument))
    hit = next((hit for hit in document.hits if hit.span[0] <= high and low <= hit.span[1]), None)
    if hit is None:
        return _say(session, "there is no citation at this place to repair")
    version = document.version
    repairs = [*_known(document, hit), *await _better(session, document, hit)]
    answer = await _proposed(session, document, hit)
    if answer.stopped:
        return {"applied": False, "written": None, "reason": "it was stopped"}
    if _has_changed(session, document, version):
        return _say(session, _CHANGED)
    if answer.failed:
        _warn(session, answer.why)
    repairs = _with(answer.repair, repairs)
    if not repairs:
        return _none(session, hit, answer)
    chosen = await _choose(session, document, hit, repairs)
    if chosen is None or document.document is None:
        return {"applied": False, "written": None, "reason": "nothing was chosen"}
    if _has_changed(session, document, version):
        return _say(session, _CHANGED)
    if chosen.cited is not None and _cited_now(document, hit) != chosen.cited.lines:
        return _say(session, "the cited file changed meanwhile, so nothing was applied; request the repair again")
    edit = workspace_edit(session, document, Places(document.document.text), chosen.edits)
    applied = await apply(session, chosen.title, edit)
    reason = "" if applied else "the client did not apply the edit"
    return {"applied": applied, "written": chosen.written if applied else None, "reason": reason}


async def _proposed(session: Session, document: OpenDocument, hit: Hit) -> "Answer":
    """Ask the model of the settings, where they name one."""
    from cite_lsp.server.features.model_repair import Answer, propose  # noqa: PLC0415 - few have one

    settings = document.place.settings if document.place is not None else None
    if settings is None or (settings.repair.name is None and settings.judge.name == "embedded"):
        return Answer()
    return await propose(session, document, hit)


def _with(proposed: Repair | None, known: list[Repair]) -> list[Repair]:
    """Give the repairs to choose from: a proposal that is supported before the others, any other behind them."""
    if proposed is None:
        return known[:_MOST]
    others = [repair for repair in known if repair.edits != proposed.edits][: _MOST - 1]
    return [proposed, *others] if proposed.label == "supported" else [*others, proposed]


def _none(session: Session, hit: Hit, answer: "Answer") -> dict[str, Any]:
    """Say why there is no repair; what failed was told already."""
    if answer.failed:
        return {"applied": False, "written": None, "reason": answer.why}
    text = f"no repair is known for {as_text(hit.anchor.text)}"
    if hit.resolution.resolved:
        text += "; no other lines of the file were found of which the judge can confirm that they say this"
    return _say(session, f"{text}; {as_text(answer.why)}" if answer.why else text)


def _has_changed(session: Session, document: OpenDocument, version: int | None) -> bool:
    return document.version != version or session.documents.get(key(document.uri)) is not document


def _cited_now(document: OpenDocument, hit: Hit) -> Sequence[str] | None:
    from cite_lsp.audit.repair import cited_file  # noqa: PLC0415 - few need it

    file = cited_file(document.place.snapshot, hit.resolution) if document.place is not None else None
    return file.lines if file is not None else None


def _known(document: OpenDocument, hit: Hit) -> list[Repair]:
    """Give what is known without a look at the claim: the closest path, the end of the file, the real spelling."""
    return [
        Repair(each.fix.title, hit.anchor.text, _written(hit.anchor, each.fix.edits), each.fix.edits)
        for each in offers_of(document, hit)
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
    why = str(found["verdict"]["basis"])
    return Repair(f"Cite {written}", hit.anchor.text, written, edits, "supported", why)


def _written(anchor: Anchor, edits: tuple[Edit, ...]) -> str:
    text = anchor.text
    for edit in sorted(edits, key=lambda each: (each.start, each.end), reverse=True):
        text = text[: edit.start - anchor.start] + edit.text + text[edit.end - anchor.start :]
    return text


async def _choose(session: Session, document: OpenDocument, hit: Hit, repairs: list[Repair]) -> Repair | None:
    """Show the repairs and let a person choose."""
    name = document.place.path if document.place is not None else document.uri
    titles = {"Apply": repairs[0]} if len(repairs) == 1 else {repair.choice: repair for repair in repairs}
    actions = [types.MessageActionItem(title) for title in (*titles, DISCARD)]
    text = offer(name, hit.anchor.text, repairs)
    try:
        answer = await session.server.window_show_message_request_async(
            types.ShowMessageRequestParams(type=_INFO, message=text, actions=actions)
        )
    except JsonRpcException:
        return None
    return titles.get(answer.title) if answer is not None else None


def _say(session: Session, text: str) -> dict[str, Any]:
    """Tell the person, and whoever asked, why there is no repair."""
    session.server.window_show_message(types.ShowMessageParams(type=_INFO, message=f"cite-lsp: {text}"))
    return {"applied": False, "written": None, "reason": text}


def _warn(session: Session, text: str) -> None:
    """Tell the person what failed."""
    params = types.ShowMessageParams(type=types.MessageType.Warning, message=f"cite-lsp: {as_text(text)}")
    session.server.window_show_message(params)
