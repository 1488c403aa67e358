"""What is known of a citation in a word or two: for marks behind it, and for counts above it."""

import asyncio
import math
import time
from collections.abc import Iterable, Iterator
from operator import is_not
from typing import TYPE_CHECKING

from cite_lsp.audit.judgement import Judged
from cite_lsp.document.columns import from_units, to_units
from cite_lsp.document.pieces import Piece
from cite_lsp.document.ranges import span_text
from cite_lsp.findings.finding import Severity
from cite_lsp.findings.told import Told
from cite_lsp.server.checks import PieceChecked
from cite_lsp.server.hits import CitedFile, Hit, Mark, cited_files, hits_of_piece
from cite_lsp.server.open_document import OpenDocument

if TYPE_CHECKING:
    from cite_lsp.server.session import Session

_TURN = 0.002
"""Seconds after which others have their turn."""
BROKEN = "broken"
"""The word of a citation that does not lead to lines, or not to lines that can be meant."""
NOT_CHECKED = "not checked"
_DEPARTED = ("moved", "gone", "born-wrong")
"""Codes that come before a verdict: the lines that were judged are not those that the author saw."""
_SIGNS = {"supported": "✓", "unsupported": "✗", "partial": "◐", "review": "?"}
_DECORATION = "`*"
"""What may stand between a citation and the text behind it."""


_SILENT = Mark("", "")


async def worked_out(
    session: "Session", uri: str, lines: tuple[int, float] = (0, math.inf), *, marks: bool = True
) -> OpenDocument | None:
    """Give an open document of ours once the citations on some lines are placed and marked, or only placed.

    Others have their turn meanwhile, and may edit it: what is given is the document as it is then. None where it is
    open no longer.
    """
    pieces: dict[Piece, PieceChecked] | None = None
    rest: Iterator[tuple[Piece, tuple[int, int]]] = iter(())
    while True:
        document = session.find(uri)
        if document is None or document.document is None:
            return None
        if pieces is not document.checks.pieces:
            pieces = document.checks.pieces
            rest = placed(list(pieces))  # which goes on where it stopped: of a long document, no piece is met twice
        until = time.perf_counter() + _TURN
        for piece, start in rest:
            if start[0] <= lines[1] and start[0] + piece.lines >= lines[0]:
                cited_in(document, piece, pieces[piece])
                if marks:
                    marks_of(document, piece, pieces[piece], start)
            if time.perf_counter() > until:
                break
        else:
            return document
        await asyncio.sleep(0)


def placed(pieces: Iterable[Piece]) -> Iterator[tuple[Piece, tuple[int, int]]]:
    """Give the pieces of a document, each with the line and offset at which it begins."""
    line = offset = 0
    for piece in pieces:
        yield piece, (line, offset)
        line += piece.lines
        offset += piece.characters


def cited_in(document: OpenDocument, piece: Piece, checked: PieceChecked) -> tuple[CitedFile, ...]:
    """Give the citations of a piece in text order; worked out once, for as long as it was not checked again."""
    kept = document.cited.get(piece)
    if kept is None or kept[0] is not checked:
        kept = (checked, cited_files(piece, checked, document.encoding))
        document.cited.put(piece, kept, document.checks.pieces)
    return kept[1]


def marks_of(
    document: OpenDocument, piece: Piece, checked: PieceChecked, start: tuple[int, int]
) -> tuple[Mark | None, ...]:
    """Give the mark of each citation of a piece, in text order; those that were worked out before, if they still hold.

    `start`: the line and offset at which the piece begins.
    """
    place = document.place
    snapshot = place.snapshot if place is not None and document.accepted else None
    objects = (checked, document.levels, document.accepted, snapshot, document.verdicts)
    silent = (start[1], document.commented) if document.commented else None
    values = (document.verdicts.edition, _is_held_back(document), document.past_is_open, silent)
    kept = document.marks.get(piece)
    if kept is None or kept[1] != values or any(map(is_not, kept[0], objects)):
        marks = tuple(mark_of(document, hit) for hit in hits_of_piece(piece, checked, start))
        kept = (objects, values, marks)
        document.marks.put(piece, kept, document.checks.pieces)
    return kept[2]


def mark_of(document: OpenDocument, hit: Hit) -> Mark | None:
    """Say what is known of a citation; None where nothing is: that is no good news and no bad one."""
    levels = document.levels
    if levels is None:
        return None
    for told in hit.told:
        level = levels.of_told(told)
        if told.replaced or level not in (Severity.ERROR, Severity.WARNING) or told.code in _DEPARTED:
            continue
        if _is_held_back(document):
            return None
        return _SILENT if document.is_silent(told, hit) else Mark(BROKEN, "", told.message)
    departed = next((told for told in hit.told if told.code in _DEPARTED and levels.of(told.code) != "off"), None)
    if departed is not None:
        if levels.record and document.past_is_open:
            return None
        silent = document.is_silent(departed, hit)
        return _SILENT if silent else Mark(departed.code, _departed(hit, departed), departed.message)
    judged = document.verdicts.of(hit.block)[hit.number]
    return _of_verdict(document, hit, judged) if judged is not None and hit.resolution.resolved else None


def behind(document: OpenDocument, line: int, units: int) -> int:
    """Give the column behind the back-ticks and stars that close at a position: a mark would stand inside them."""
    text = document.buffer.line(line)
    at = from_units(text, units, document.encoding)
    while at < len(text) and text[at] in _DECORATION:
        at += 1
    return to_units(text, at, document.encoding)


def _is_held_back(document: OpenDocument) -> bool:
    return document.place is None or document.place.space.held_back


def _of_verdict(document: OpenDocument, hit: Hit, judged: Judged) -> Mark:
    verdict = judged.verdict
    why = verdict.basis or verdict.reason
    if verdict.label == "unchecked":
        return Mark(NOT_CHECKED, f"– {NOT_CHECKED}", why)
    for told in document.verdicts.told(hit.block, hit.number):
        if document.levels is None or document.levels.of_told(told) == "off" or document.is_silent(told, hit):
            return _SILENT
    return Mark(verdict.label, f"{_SIGNS[verdict.label]} {verdict.label}", why)


def _departed(hit: Hit, departed: Told) -> str:
    """Say where the text stands now, where it has one place."""
    if departed.code != "moved":
        return {"gone": "✗ gone", "born-wrong": "? never stood there"}[departed.code]
    places = [drift.places for drift, _ in hit.drifts if drift.status == "moved"]
    if len(hit.drifts) != 1 or len(places) != 1 or len(places[0]) != 1:
        return "→ moved"
    path, first, last = places[0][0]
    lines = span_text((first, last))
    return f"→ moved to {lines}" if path == hit.present.path else f"→ moved to {path}:{lines}"
