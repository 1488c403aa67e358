"""What was worked out of the pieces of one document."""

from collections.abc import Container, Sized
from typing import Generic, Protocol, TypeVar

from cite_lsp.document.pieces import Piece

_Value = TypeVar("_Value")
_SPARE = 16


class _Alive(Container[Piece], Sized, Protocol):
    """The pieces of the document as it is now."""


class PieceCache(Generic[_Value]):
    """By piece; forgotten some edits after the document has the piece no longer."""

    def __init__(self) -> None:
        self._known: dict[Piece, _Value] = {}

    def __len__(self) -> int:
        """How many pieces something is known of."""
        return len(self._known)

    def get(self, piece: Piece) -> _Value | None:
        """Give what is known of a piece."""
        return self._known.get(piece)

    def put(self, piece: Piece, value: _Value, alive: _Alive) -> None:
        """Keep what is known of a piece; when there are twice as many as are `alive`, the others go."""
        self._known[piece] = value
        if len(self._known) > 2 * len(alive) + _SPARE:
            self._known = {each: known for each, known in self._known.items() if each in alive}
