"""The edit of a project's settings file that switches a code off."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cite_lsp.config import PROJECT_FILE, project_file_text, rule_change
from cite_lsp.findings.finding import Edit
from cite_lsp.findings.places import Places
from cite_lsp.server.convert import range_of, text_edits
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session
from cite_lsp.server.uris import key, to_uri


def switching_off(
    session: Session, document: OpenDocument, code: str, diagnostics: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Give the action that switches a code off in the project; none where there is nothing of it to be seen."""
    edit = rule_edit(session, document, code) if diagnostics else None
    if edit is not None:
        name, change = edit
        title = f"Switch {code} off in this project ({name})"
        yield {"title": title, "kind": "quickfix", "diagnostics": diagnostics, "edit": change}


def rule_edit(session: Session, document: OpenDocument, code: str) -> tuple[str, dict[str, Any]] | None:
    """Give the file's name and the workspace edit; None where the client or the file does not allow it."""
    place = document.place or document.beside
    if place is None:
        return None
    path = place.loaded.project_file
    if path is None:
        return _new_file(session, place.root, code) if session.client.document_changes else None
    uri = to_uri(path)
    buffer = session.documents.get(key(uri))
    text = buffer.buffer.text if buffer is not None else project_file_text(path)
    change = rule_change(text, Path(path).name, code, "off") if text is not None else None
    if text is None or change is None:
        return None
    edits = text_edits(Places(text), [Edit(change.start, change.end, change.text)], document.encoding)
    if not session.client.document_changes:
        return Path(path).name, {"changes": {buffer.uri if buffer else uri: edits}}
    identifier = {"uri": buffer.uri if buffer else uri, "version": buffer.version if buffer else None}
    return Path(path).name, {"documentChanges": [{"textDocument": identifier, "edits": edits}]}


def _new_file(session: Session, root: str, code: str) -> tuple[str, dict[str, Any]] | None:
    change = rule_change("", PROJECT_FILE, code, "off")
    if change is None or not session.client.create_files:
        return None
    uri = to_uri(f"{root}/{PROJECT_FILE}")
    edit = {"range": range_of((0, 0), (0, 0)), "newText": change.text}
    created = {"kind": "create", "uri": uri, "options": {"ignoreIfExists": True}}
    return PROJECT_FILE, {
        "documentChanges": [created, {"textDocument": {"uri": uri, "version": None}, "edits": [edit]}]
    }
