"""The first round as requests: which passages go out together, and which of them are known from before."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cite_lsp.policy.answers import is_share
from cite_lsp.policy.asking import Request
from cite_lsp.policy.hashes import digest, question_data
from cite_lsp.policy.language import Policy
from cite_lsp.policy.memory import Memory
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.passages import Source
from cite_lsp.policy.wording import NOUL, yes_no

_KEY_DIGITS = 32
_SLAB = 1000
"""So many keys are recalled at once."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Passages that one request asks about, by their places in the source.

    Attributes:
        start, end: The first, and the one after the last.
        near: The first that the request shows: those before `start` are neighbours, which are not asked about.
    """

    start: int
    end: int
    near: int

    @property
    def is_alone(self) -> bool:
        """Whether it can be made no smaller."""
        return self.end - self.near == 1

    def smaller(self) -> tuple["Piece", ...]:
        """Give what is asked in its place where it is too large: its halves, or a last passage without neighbours."""
        middle = self.start + (self.end - self.start) // 2
        halves = (Piece(self.start, middle, self.start), Piece(middle, self.end, middle))
        return halves if self.end - self.start > 1 else (Piece(self.start, self.end, self.start),)


Row = dict[str, float]
"""What the first round says of a passage: the probability of each question, by name."""


class Windows:
    """The passages of a source by the requests of the first round."""

    def __init__(self, source: Source, policy: Policy, options: RunOptions) -> None:
        """Take what is asked about, what is asked, and how."""
        self._source = source
        self._detects = policy.detects()
        self._options = options

    def __iter__(self) -> Iterator[Piece]:
        """Give the windows in the order of the source."""
        count = len(self._source.passages)
        for start in range(0, count, self._options.window):
            yield Piece(start, min(start + self._options.window, count), max(0, start - self._options.overlap))

    def request(self, piece: Piece) -> Request:
        """Make the request of a piece."""
        source = self._source
        shown = source.passages[piece.near : piece.end]
        return {
            "state": {source.as_: {each.id: source.shown(each) for each in shown}},
            "questions": {
                f"{each.id}:{name}": yes_no(asks, {"passage": f"{source.as_}.{each.id}.text"})
                for each in source.passages[piece.start : piece.end]
                for name, asks in self._detects
            },
        }

    def questions(self, piece: Piece) -> int:
        """Give how many questions a piece has."""
        return (piece.end - piece.start) * len(self._detects)

    def rows(self, piece: Piece, answers: Mapping[str, Any]) -> Iterator[tuple[int, Row]]:
        """Read the answers of a request: place and row of each passage. Keys are made again, never taken apart."""
        for place in range(piece.start, piece.end):
            name_of = self._source.passages[place].id
            yield place, {name: float(answers[f"{name_of}:{name}"][NOUL]) for name, _ in self._detects}

    # --- what is known from before

    def keys(self) -> tuple[str, ...]:
        """Give the key of each passage: what is asked, its text and what is shown of it, but not what it is called.

        Passages that are alike differ in how many of the kind stand before.
        """
        asked = digest([self._source.as_, [[name, question_data(asks)] for name, asks in self._detects]])
        before: Counter[str] = Counter()
        keys: list[str] = []
        for passage in self._source.passages:
            shown = {name: value for name, value in self._source.shown(passage).items() if name != "id"}
            alike = digest([asked, shown])
            keys.append(digest([alike, before[alike]], _KEY_DIGITS))
            before[alike] += 1
        return tuple(keys)

    def known(self, keys: tuple[str, ...], memory: Memory) -> dict[int, Row]:
        """Give the rows that are known, by the place of their passage. It blocks."""
        places = {key: place for place, key in enumerate(keys)}
        found: dict[int, Row] = {}
        for start in range(0, len(keys), _SLAB):
            for key, value in memory.recall(keys[start : start + _SLAB]).items():
                row = self._row(value)
                if row is not None and key in places:
                    found[places[key]] = row
        return found

    def _row(self, value: Mapping[str, Any]) -> Row | None:
        row = value.get("row")
        if not isinstance(row, Mapping) or not all(is_share(row.get(name)) for name, _ in self._detects):
            return None
        return {name: float(row[name]) for name, _ in self._detects}


def is_known(piece: Piece, known: Mapping[int, Row]) -> bool:
    """Whether all that a window asks about is known."""
    return all(place in known for place in range(piece.start, piece.end))
