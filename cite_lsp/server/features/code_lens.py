"""textDocument/codeLens: "cited by 3" above the lines of code that documents cite, where the setting wants it."""

from typing import Any

from cite_lsp.server.citing import Cited
from cite_lsp.server.convert import range_of
from cite_lsp.server.session import Session
from cite_lsp.server.uris import key, to_path

COMMAND = "cite-lsp.showCitations"
"""A command of the editor's: it is given the URI, a position, and the locations to show."""


async def lenses_of(session: Session, uri: str) -> list[dict[str, Any]]:
    """Give one lens for each line at which cited ranges begin; none in documents, and none while they are off."""
    path = to_path(uri)
    document = session.documents.get(key(uri))
    if path is None or (document is not None and document.document is not None):
        return []
    root = session.workspace.holds(path)
    if root is None or not session.settings.of(path, root).settings.server.code_lens:
        return []
    count = document.buffer.line_count if document is not None else None
    by_line: dict[int, list[Cited]] = {}
    for cited in await session.citings.of(path, None, [session.workspace]):
        for first in dict.fromkeys(first for first, _ in cited.spans):
            if first > 0 and (count is None or first <= count):
                by_line.setdefault(first - 1, []).append(cited)
    return [_lens(uri, line, by_line[line]) for line in sorted(by_line)]


def _lens(uri: str, line: int, cited: list[Cited]) -> dict[str, Any]:
    start = {"line": line, "character": 0}
    command = {
        "title": f"cited by {len(cited)}",
        "command": COMMAND,
        "arguments": [uri, start, [each.location for each in cited]],
    }
    return {"range": range_of((line, 0), (line, 0)), "command": command}
