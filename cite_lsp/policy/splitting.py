"""Splits a text into the passages that a policy is asked of, each an exact part of the text.

A piece is `text[start:end]` and nothing else: nothing is trimmed inside, joined or normalised. Pieces stand in order
and do not overlap; what is blank is in none. Their ids are made of a letter and a number, so that they can stand in a
path: `L12` begins on line 12 (lines, entries of a log, turns), `S3` is the third sentence, `P3` the third paragraph,
`I3` the third list item, `H3` the third section. An edit moves the ids behind it; what is known of a passage hangs on
its text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from cite_lsp.document.buffer import lines_with_ends, without_end

Kind = Literal["lines", "sentences", "paragraphs", "list-items", "sections", "log-lines", "turns"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

MARK = "\ufeff"
_LETTERS = {"sentences": "S", "paragraphs": "P", "list-items": "I", "sections": "H"}
"""Of kinds whose pieces are counted; the others are named by their line."""

METAS: Final[Mapping[Kind, tuple[str, ...]]] = MappingProxyType(
    {
        "lines": ("line",),
        "sentences": ("line", "section"),
        "paragraphs": ("line", "section"),
        "list-items": ("line", "section"),
        "sections": ("line", "section"),
        "log-lines": ("line", "time", "level"),
        "turns": ("line", "speaker"),
    }
)
"""What splitting knows of pieces of each kind, as far as the text tells it: the 1-based line they begin on, the heading
above, time and level of an entry as `log_entries` says, who speaks."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage and where it stands.

    Attributes:
        id: Its name, unique in its text.
        text: `whole[start:end]`, exactly.
        start, end: Code points into the whole text.
        line: 1-based, of its first character; lines end at a line feed, a carriage return, or both together.
        meta: What is known of it (`METAS`); what the text does not tell is not there.
    """

    id: str
    text: str
    start: int
    end: int
    line: int
    meta: Mapping[str, Any]

    @property
    def unit(self) -> dict[str, Any]:
        """The piece as `source` takes it."""
        return {"id": self.id, "text": self.text, "meta": dict(self.meta)}


class Part(NamedTuple):
    """A range of a text that becomes a piece, and what is known of it besides its line."""

    start: int
    end: int
    meta: Mapping[str, Any]


NOTHING_KNOWN: Final[Mapping[str, Any]] = MappingProxyType({})


class Line(NamedTuple):
    """A line without its terminator; `start` counts code points."""

    number: int
    start: int
    text: str

    @property
    def end(self) -> int:
        """Behind its last character."""
        return self.start + len(self.text)


def split(text: str, kind: Kind, *, path: str = "document.md") -> tuple[Piece, ...]:
    """Split a text. Never raises on it, and is linear in it.

    Args:
        text: The whole text.
        kind: Into what. In Markdown, reStructuredText and AsciiDoc, front matter, fences, comments and headings are in
            no sentence, paragraph and list item; a row of a table is a sentence, and a table a paragraph. Lines of
            tags, targets and attributes only are in no sentence and paragraph, nor is what has no letter or digit. A
            list item takes in what stands below it in the same item, without the items in it. A section reaches from a
            heading of any level to the next one. In other texts a sentence ends with its line at the latest.
        path: Its ending says how the text is marked up.

    Raises:
        ValueError: There is no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no kind of passages {kind!r}; there are {', '.join(KINDS)}")
    return tuple(_pieces(text, kind, _parts_of(kind)(text, path)))


def _parts_of(kind: Kind) -> Callable[[str, str], Iterable[Part]]:
    from cite_lsp.policy import log_entries, marked_up, turns  # noqa: PLC0415 - they take shapes from here

    return {
        "lines": _lines,
        "sentences": marked_up.sentences,
        "paragraphs": marked_up.paragraphs,
        "list-items": marked_up.list_items,
        "sections": marked_up.sections,
        "log-lines": log_entries.entries,
        "turns": turns.turns,
    }[kind]


def _lines(text: str, path: str) -> Iterator[Part]:  # noqa: ARG001 - one shape for all kinds
    for line in lines_of(text):
        if line.text.strip():
            yield Part(line.start, line.end, NOTHING_KNOWN)


def lines_of(text: str) -> Iterator[Line]:
    """Give the lines, numbered from 1; a byte-order mark before the first belongs to none."""
    start = 0
    for number, whole in enumerate(lines_with_ends(text), 1):
        plain = without_end(whole)
        if number == 1 and plain.startswith(MARK):
            yield Line(1, 1, plain[1:])
        else:
            yield Line(number, start, plain)
        start += len(whole)


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Give a range without the white space at its ends; an empty one where there is nothing else."""
    part = text[start:end]
    left = part.lstrip()
    low = end - len(left) if left else start
    return low, low + len(left.rstrip())


def _pieces(text: str, kind: Kind, parts: Iterable[Part]) -> Iterator[Piece]:
    letter = _LETTERS.get(kind)
    starts = _Lines(text)
    for count, (start, end, meta) in enumerate(parts, 1):
        line = starts.line_at(start)
        name = f"{letter}{count}" if letter else f"L{line}"
        yield Piece(name, text[start:end], start, end, line, MappingProxyType({"line": line, **meta}))


class _Lines:
    """The numbers of lines, for places that come in order."""

    def __init__(self, text: str) -> None:
        self._lines = enumerate(lines_with_ends(text), 1)
        self._number, self._end = 1, 0

    def line_at(self, offset: int) -> int:
        while self._end <= offset:
            following = next(self._lines, None)
            if following is None:
                break
            self._number = following[0]
            self._end += len(following[1])
        return self._number


def byte_range(text: str, piece: Piece) -> tuple[int, int]:
    """Give where a piece stands in the text's UTF-8 bytes; half a character counts three."""
    start = _width(text[: piece.start])
    return start, start + _width(piece.text)


def byte_ranges(text: str, pieces: Iterable[Piece]) -> Iterator[tuple[int, int]]:
    """Give `byte_range` of each of the pieces, which stand in order; linear in the text."""
    places = [0, *(each for piece in pieces for each in (piece.start, piece.end))]
    at = 0
    ends: list[int] = []
    for low, high in pairwise(places):
        at += _width(text[low:high])
        ends.append(at)
    yield from zip(ends[::2], ends[1::2], strict=True)


def _width(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
