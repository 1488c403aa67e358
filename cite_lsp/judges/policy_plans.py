"""Which passages of a document a policy is asked about, and what of them stays on this machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cite_lsp.audit.rows import row_of
from cite_lsp.clients.redaction import kept_back_lines
from cite_lsp.document.buffer import lines_with_ends, without_end
from cite_lsp.policy.passages import Source, is_json, source
from cite_lsp.policy.splitting import Piece, split
from cite_lsp.snapshot.globs import matches

if TYPE_CHECKING:
    from cite_lsp.audit.verdicts import Row
    from cite_lsp.document.document import Document
    from cite_lsp.judges.sending import Sending
    from cite_lsp.policy.files import PolicyFile
    from cite_lsp.snapshot.resolve import Resolution
    from cite_lsp.snapshot.snapshot import Snapshot

LOOKS_LIKE_A_KEY = "a line of this passage looks like a key, so it was not sent"
NO_INPUT = "this policy is asked beside an input, and none was given"
_INPUT_IS_A_KEY = "a line of the input looks like a key, so nothing was sent"
_CITED_IS_A_KEY = "a line that this passage cites looks like a key, so it was not sent"
_HEADING_IS_A_KEY = "the heading above this passage looks like a key, so it was not sent"
NO_CITATIONS = "what this file cites is not known, as files.include does not take it in"
_NOT_TEXT = "this passage holds half of a character, which cannot be sent"
_SHORTEST_KEY = 16
_MOST_CITED = 40_000
"""Characters of what a passage cites: a list of citations has no end, and is paid for."""


def applies(file: "PolicyFile", path: str, *, is_document: bool) -> bool:
    """Say whether a policy is about a file.

    Args:
        file: The policy; without `applies_to` it is about every document.
        path: The file's, relative to the folder of its settings, "/" between its parts.
        is_document: Whether `files.include` takes it in.
    """
    return matches(file.applies_to, path) if file.applies_to else is_document


@dataclass(frozen=True, slots=True)
class CitedLines:
    """What one citation of a document leads to.

    Attributes:
        start: Where the citation begins, a code-point offset into the document.
        text: The lines, as a judge is shown them; "" where it leads to none.
        why: Why they are not sent, a sentence without a full stop; "" where they may be.
    """

    start: int
    text: str
    why: str = ""


def cited_lines(
    document: "Document", resolutions: Sequence["Resolution"], snapshot: "Snapshot", sending: "Sending"
) -> tuple[CitedLines, ...]:
    """Read what the citations of a document lead to; `resolutions`: of each of its anchors. Reads files."""
    found = []
    for anchor, resolution in zip(document.anchors, resolutions, strict=True):
        found.append(cited_by(anchor.start, row_of(anchor, resolution, snapshot), resolution, sending))
    return tuple(found)


def cited_by(start: int, row: "Row | None", resolution: "Resolution", sending: "Sending") -> CitedLines:
    """Give what the citation at an offset leads to, whose row is known; None for one that leads to no lines."""
    if row is None:
        return CitedLines(start, "")
    why = sending.cited(resolution)
    if why:
        return CitedLines(start, "", why)
    parts = [[text for _, text in excerpt.lines] for excerpt in row.excerpts]
    if any(kept_back_lines(part) for part in parts):
        return CitedLines(start, "", _CITED_IS_A_KEY)
    return CitedLines(start, "\n\n".join("\n".join(part) for part in parts))


@dataclass(frozen=True, slots=True)
class Withheld:
    """A passage that is not sent, and why: a sentence without a full stop."""

    piece: Piece
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a policy asks about a document.

    Attributes:
        file: The policy.
        source: The passages that are sent.
        pieces: All passages of the document that the policy is about, by id, in the order of the text: those of
            `source` and those withheld. Offsets are code points into the document's text.
        withheld: Those that stay here. They are not checked.
        left_out: How many are not asked about, as they cite nothing that leads to lines (`input = "cited"`).
    """

    file: "PolicyFile"
    source: Source
    pieces: Mapping[str, Piece]
    withheld: tuple[Withheld, ...] = ()
    left_out: int = 0


def plan(
    file: "PolicyFile",
    text: str,
    path: str,
    *,
    withheld: str = "",
    cited: Sequence[CitedLines] | None = (),
    given: str | None = None,
) -> Plan:
    """Give what a policy asks about a document. Asks nobody and reads no file; linear in the text.

    Args:
        file: The policy.
        text: The whole text.
        path: Of the document; its ending says how it is read.
        withheld: Why nothing of the document is sent (`Sending.named_document`), "" where it may be.
        cited: What its citations lead to, in the order of the text (`cited_lines`); for `input = "cited"`. None where
            nobody has looked: then all passages stay here.
        given: The input, for `input = "given"`; None where there is none.
    """
    secret = kept_back_lines([without_end(line) for line in lines_with_ends(text)]) if not withheld else frozenset()
    whole = withheld or _why_no_input(file, given)
    if file.input == "cited" and cited is None:
        whole = whole or NO_CITATIONS
    headings = _Headings(text, secret) if "section" in file.show else None
    units: list[dict[str, Any]] = []
    pieces: dict[str, Piece] = {}
    stays: list[Withheld] = []
    left_out = place = 0
    for piece in split(text, file.passages, path=path):
        why = whole or _why_withheld(piece, secret)
        meta = dict(piece.meta)
        if file.input == "given" and given is not None:
            meta["input"] = given
        elif file.input == "cited" and cited is not None:
            while place < len(cited) and cited[place].start < piece.start:
                place += 1
            here = _cited_in(piece, cited, place)
            if not here:
                left_out += 1
                continue
            meta["input"] = "\n\n".join(each.text for each in here if each.text)
            why = why or _why_cited_is_withheld(here, meta["input"])
        if headings is not None and not why and headings.are_keys(str(meta.get("section", ""))):
            why = _HEADING_IS_A_KEY
        pieces[piece.id] = piece
        if why:
            stays.append(Withheld(piece, why))
        else:
            units.append({"id": piece.id, "text": piece.text, "meta": meta})
    return Plan(file, source(units, show=_shown(file)), pieces, tuple(stays), left_out)


def _shown(file: "PolicyFile") -> list[str]:
    show = [name for name in file.show if name != "input"]
    return show if file.input == "none" else [*show, "input"]


def _why_no_input(file: "PolicyFile", given: str | None) -> str:
    if file.input != "given":
        return ""
    if given is None:
        return NO_INPUT
    return _INPUT_IS_A_KEY if kept_back_lines(given.splitlines()) else ""


def _why_withheld(piece: Piece, secret: frozenset[int]) -> str:
    if secret:
        first = piece.line - 1
        last = first + len(lines_with_ends(piece.text))
        if not secret.isdisjoint(range(first, max(last, first + 1))):
            return LOOKS_LIKE_A_KEY
    return "" if is_json(piece.text) else _NOT_TEXT


class _Headings:
    """Says of headings, without their marks, whether they look like keys; `secret`: the lines of the text that do."""

    def __init__(self, text: str, secret: frozenset[int]) -> None:
        self._lines = [line for number, line in enumerate(lines_with_ends(text)) if number in secret] if secret else []
        self._known = {"": False}

    def are_keys(self, heading: str) -> bool:
        if heading not in self._known:
            said = len(heading) >= _SHORTEST_KEY and any(heading in line for line in self._lines)
            self._known[heading] = said or bool(kept_back_lines([heading]))
        return self._known[heading]


def _cited_in(piece: Piece, cited: Sequence[CitedLines], place: int) -> list[CitedLines]:
    """Give what the citations of a passage lead to, those that lead nowhere left out."""
    found = []
    while place < len(cited) and cited[place].start < piece.end:
        if cited[place].text or cited[place].why:
            found.append(cited[place])
        place += 1
    return found


def _why_cited_is_withheld(here: Sequence[CitedLines], text: str) -> str:
    why = next((each.why for each in here if each.why), "")
    if not why and len(text) > _MOST_CITED:
        why = f"the lines that this passage cites have more than {_MOST_CITED:,} characters, too many to be sent"
    return why or ("" if is_json(text) else _NOT_TEXT)
