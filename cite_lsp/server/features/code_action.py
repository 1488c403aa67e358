"""textDocument/codeAction: fixes that have one answer, choices, ignoring, and the request for a repair."""

from collections.abc import Iterator, Sequence
from typing import Any

from lsprotocol import types

from cite_lsp.findings.comments import comment_for
from cite_lsp.findings.finding import Fix
from cite_lsp.findings.places import Places
from cite_lsp.server.convert import range_at
from cite_lsp.server.features.accept import entries_of
from cite_lsp.server.features.edits import joined_edit, offers_of, preferred_edits, workspace_edit
from cite_lsp.server.features.policy_action import policy_actions
from cite_lsp.server.features.repairs import asks_model
from cite_lsp.server.features.rule_edit import switching_off
from cite_lsp.server.handlers import FIX_ALL
from cite_lsp.server.hits import Hit
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session

_QUICK_FIX = "quickfix"
ACCEPT = "cite-lsp.server.accept"
REPAIR = "cite-lsp.server.requestRepair"
_REPAIRED = frozenset({"unsupported", "partial"})


def actions_for(session: Session, params: types.CodeActionParams) -> list[dict[str, Any]] | None:
    """Give the actions for a range of a document, or of a file in which policies found something; None for others."""
    document = session.find(params.text_document.uri)
    if document is None or (document.document is None and not document.policies):
        return None
    only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]
    found: list[dict[str, Any]] = []
    if any(_covers(kind, FIX_ALL) for kind in only):
        found += _fix_all(session, document)
    if not only or any(_covers(kind, _QUICK_FIX) for kind in only):
        found += _quick_fixes(session, document, params.range)
        found += policy_actions(session, document, params.range)
    if not session.client.code_action_literals:
        return [action["command"] for action in found if "command" in action]
    return found


def resolved(session: Session, action: types.CodeAction) -> types.CodeAction:
    """Fill in the edit of an action that was offered without."""
    data = action.data if isinstance(action.data, dict) else {}
    document = session.find(str(data.get("uri", "")))
    if document is not None and document.document is not None and action.edit is None:
        edit = joined_edit(session, document, preferred_edits(document))
        action.edit = session.server.protocol._converter.structure(edit, types.WorkspaceEdit)
    return action


def _covers(kind: str, other: str) -> bool:
    """Say whether a kind that is asked for takes in another: `source` takes in `source.fixAll.cite-lsp`."""
    return kind in ("", other) or other.startswith(f"{kind}.")


def _fix_all(session: Session, document: OpenDocument) -> Iterator[dict[str, Any]]:
    groups = preferred_edits(document)
    if not groups:
        return
    action: dict[str, Any] = {"title": "Fix all citations that have one answer", "kind": FIX_ALL}
    if session.client.code_action_resolve_edit and session.client.code_action_data:
        yield {**action, "data": {"uri": document.uri}}
    else:
        yield {**action, "edit": joined_edit(session, document, groups)}


def _quick_fixes(session: Session, document: OpenDocument, where: types.Range) -> Iterator[dict[str, Any]]:
    low = document.offset(where.start.line, where.start.character)
    high = document.offset(where.end.line, where.end.character)
    hits = [hit for hit in document.hits if hit.span[0] <= high and low <= hit.span[1]]
    comments = [each for each in document.comment_findings if each.start <= high and low <= each.end]
    if not (hits or comments) or document.document is None:
        return
    places = Places(document.document.text)
    for finding in comments:
        stands = range_at(places, finding.start, finding.end, document.encoding)
        shown = [each for each in document.published or () if each["range"] == stands]
        for fix in finding.fixes:
            yield _action(session, document, places, fix, shown)
    for hit in hits:
        yield from _fixes(session, document, hit, places)
        yield from _repair(session, document, hit)
        yield from _accepting(document, hit)
        yield from _ignoring(session, document, hit, places)
    codes = dict.fromkeys(code for hit in hits for code in _told_codes(document, hit))
    for code in codes:
        diagnostics = [each for hit in hits for each in _diagnostics(document, hit, code)]
        yield from switching_off(session, document, code, diagnostics)


def _diagnostics(document: OpenDocument, hit: Hit, code: str) -> list[dict[str, Any]]:
    """Give the published findings of a code within a citation, or right beside it."""
    where = hit.range(document.encoding)
    first, last = where["start"]["line"], where["end"]["line"]
    return [
        each
        for each in document.published or ()
        if each.get("code") == code
        and each["range"]["start"]["line"] <= last
        and each["range"]["end"]["line"] >= first
        and not _apart(each["range"], where)
    ]


def _apart(one: dict[str, Any], other: dict[str, Any]) -> bool:
    def key(position: dict[str, int]) -> tuple[int, int]:
        return position["line"], position["character"]

    return key(one["end"]) < key(other["start"]) or key(other["end"]) < key(one["start"])


def _fixes(session: Session, document: OpenDocument, hit: Hit, places: Places) -> Iterator[dict[str, Any]]:
    for offer in offers_of(document, hit):
        diagnostics = _diagnostics(document, hit, offer.code)
        if not diagnostics:
            continue  # silenced by a comment, or not told yet
        yield _action(session, document, places, offer.fix, diagnostics)


def _action(
    session: Session, document: OpenDocument, places: Places, fix: Fix, diagnostics: list[dict[str, Any]]
) -> dict[str, Any]:
    action: dict[str, Any] = {
        "title": fix.title,
        "kind": _QUICK_FIX,
        "diagnostics": diagnostics,
        "edit": workspace_edit(session, document, places, fix.edits),
    }
    if session.client.code_action_is_preferred and fix.preferred:
        action["isPreferred"] = True
    return action


def _repair(session: Session, document: OpenDocument, hit: Hit) -> Iterator[dict[str, Any]]:
    judged = document.verdicts.of(hit.block)[hit.number]
    if judged is None or judged.verdict.label not in _REPAIRED or not hit.resolution.resolved:
        return
    where = hit.range(document.encoding)
    model = asks_model(session, document)
    title = "Request repair: look for lines that say this"
    if model:
        title = f"Request repair: ask {model} for other lines or other words"
    action: dict[str, Any] = {
        "title": title,
        "kind": _QUICK_FIX,
        "diagnostics": _diagnostics(document, hit, judged.verdict.label),
        "command": {"title": title, "command": REPAIR, "arguments": [{"uri": document.uri, "range": where}]},
    }
    if model and session.client.llm_generated_tag:
        action["tags"] = [types.CodeActionTag.LlmGenerated.value]
    yield action


def _accepting(document: OpenDocument, hit: Hit) -> Iterator[dict[str, Any]]:
    diagnostics = [each for entry in entries_of(document, hit) for each in _diagnostics(document, hit, entry.code)]
    if not diagnostics:
        return
    title = "Still right: accept this citation as it stands"
    argument = {"uri": document.uri, "range": hit.range(document.encoding)}
    yield {
        "title": title,
        "kind": _QUICK_FIX,
        "diagnostics": diagnostics,
        "command": {"title": title, "command": ACCEPT, "arguments": [argument]},
    }


def _ignoring(session: Session, document: OpenDocument, hit: Hit, places: Places) -> Iterator[dict[str, Any]]:
    for code in dict.fromkeys(_told_codes(document, hit)):
        diagnostics = _diagnostics(document, hit, code)
        edit = (
            comment_for(code, document.place.path, hit.block.kind, places, hit.anchor.start) if document.place else None
        )
        if diagnostics and edit is not None:
            yield {
                "title": f"Ignore {code} here",
                "kind": _QUICK_FIX,
                "diagnostics": diagnostics,
                "edit": workspace_edit(session, document, places, [edit]),
            }


def _told_codes(document: OpenDocument, hit: Hit) -> Sequence[str]:
    judged = document.verdicts.of(hit.block)[hit.number]
    told = [*hit.told, *document.groundings.told(hit.block, hit.number)]
    return [*(each.code for each in told), *([judged.verdict.label] if judged is not None else [])]
