"""textDocument/codeLens, where the setting wants it: "cited by 3" in code, "4 citations, 1 unsupported" on headings."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cite_lsp.server.convert import Range, range_of
from cite_lsp.server.marks import BROKEN, NOT_CHECKED, cited_in, marks_of, placed, worked_out
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session
from cite_lsp.server.uris import key, to_path

if TYPE_CHECKING:
    from cite_lsp.server.citing import Cited

COMMAND = "cite-lsp.showCitations"
"""A command of the editor's: it is given the URI, a position, and the locations to show."""
_COUNTED = {
    BROKEN: "broken",
    "moved": "moved",
    "gone": "gone",
    "born-wrong": "never right",
    "unsupported": "unsupported",
    "partial": "partial",
    "review": "to review",
    NOT_CHECKED: NOT_CHECKED,
}
"""What is counted, in the order that it is said in."""


async def lenses_of(session: Session, uri: str) -> list[dict[str, Any]]:
    """Give the lenses of a document, or of a file that documents cite; none while they are off."""
    document = session.documents.get(key(uri))
    if document is not None and document.document is not None:
        if document.place is None or not document.place.settings.server.code_lens:
            return []
        return await _of_headings(session, uri)
    path = to_path(uri)
    return [] if path is None else await _of_code(session, uri, path, document)


# --- documents


@dataclass(slots=True)
class _Section:
    """A heading's line, and the citations behind it up to the next heading."""

    line: int
    ranges: list[Range] = field(default_factory=list)
    words: Counter[str] = field(default_factory=Counter)

    def title(self, *, judged: bool) -> str:
        """Say how many citations there are, and what is known against them."""
        count = len(self.ranges)
        words = self.words if judged else {word: n for word, n in self.words.items() if word != NOT_CHECKED}
        said = [f"{words[word]:,} {shown}" for word, shown in _COUNTED.items() if words.get(word)]
        return ", ".join([f"{count:,} citation{'s' if count > 1 else ''}", *said])


async def _of_headings(session: Session, uri: str) -> list[dict[str, Any]]:
    """Give a lens for each heading that citations follow, those below a further heading being that one's.

    A citation that nobody could judge is counted as not checked, once a judge has been asked about the document.
    """
    document = await worked_out(session, uri)
    if document is None or document.place is None or not document.place.settings.server.code_lens:
        return []
    judged = bool(document.verdicts)
    return [
        _lens(uri, section.line, section.title(judged=judged), [{"uri": uri, "range": each} for each in section.ranges])
        for section in _sections(document)
        if section.ranges
    ]


def _sections(document: OpenDocument) -> Iterator[_Section]:
    section: _Section | None = None
    for piece, start in placed(document.checks.pieces):
        line, checked = start[0], document.checks.pieces[piece]
        cited = cited_in(document, piece, checked)
        found = zip(cited, marks_of(document, piece, checked, start), strict=True)
        inside = line
        for block in piece.blocks:
            if block.kind == "heading":
                if section is not None:
                    yield section
                section = _Section(inside)
            for _ in block.anchors:
                where, mark = next(found)
                if section is not None:
                    section.ranges.append(range_of(where.start, where.end, line))
                    section.words[mark.word if mark is not None else NOT_CHECKED] += 1
            inside += block.line_count
    if section is not None:
        yield section


# --- what documents cite


async def _of_code(session: Session, uri: str, path: str, document: OpenDocument | None) -> list[dict[str, Any]]:
    """Give one lens for each line at which cited ranges begin."""
    root = session.workspace.holds(path)
    if root is None or not session.settings.of(path, root).settings.server.code_lens:
        return []
    count = document.buffer.line_count if document is not None else None
    by_line: dict[int, list[Cited]] = {}
    for cited in await session.citings.of(path, None, [session.workspace]):
        for first in dict.fromkeys(first for first, _ in cited.spans):
            if first > 0 and (count is None or first <= count):
                by_line.setdefault(first - 1, []).append(cited)
    return [
        _lens(uri, line, f"cited by {len(by_line[line])}", [each.location for each in by_line[line]])
        for line in sorted(by_line)
    ]


def _lens(uri: str, line: int, title: str, locations: list[dict[str, Any]]) -> dict[str, Any]:
    start = {"line": line, "character": 0}
    command = {"title": title, "command": COMMAND, "arguments": [uri, start, locations]}
    return {"range": range_of((line, 0), (line, 0)), "command": command}
