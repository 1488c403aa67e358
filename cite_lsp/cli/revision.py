"""A text that is edited in several passes, and what all of them together changed."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cite_lsp.findings.finding import Edit

NEW = -1


class _Part(NamedTuple):
    """A part of the text: where it stands in the original, or `NEW`."""

    origin: int
    text: str

    def cut(self, size: int) -> tuple["_Part", "_Part"]:
        behind = NEW if self.origin == NEW else self.origin + size
        return _Part(self.origin, self.text[:size]), _Part(behind, self.text[size:])


class Revision:
    """A text under revision. Offsets are code points."""

    def __init__(self, original: str) -> None:
        self.original = original
        self._parts = [_Part(0, original)] if original else []

    @property
    def text(self) -> str:
        """The text as it is now."""
        return "".join(part.text for part in self._parts)

    def apply(self, edits: Sequence[Edit]) -> None:
        """Edit the text; the edits are in order, have offsets into the text as it is now, and do not overlap."""
        reader = _Parts(self._parts)
        parts: list[_Part] = []
        for edit in edits:
            parts += reader.up_to(edit.start)
            for _ in reader.up_to(edit.end):
                pass
            if edit.text:
                parts.append(_Part(NEW, edit.text))
        parts += reader.up_to(None)
        self._parts = parts

    def changes(self) -> list[Edit]:
        """Give the edits that make the text of the original, in order; none that changes nothing."""
        found: list[Edit] = []
        at, added = 0, ""
        for part in (*self._parts, _Part(len(self.original), "")):
            if part.origin == NEW:
                added += part.text
                continue
            if self.original[at : part.origin] != added:
                found.append(Edit(at, part.origin, added))
            at, added = part.origin + len(part.text), ""
        return found


class _Parts:
    """Reads parts up to an offset."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._rest = deque(parts)
        self._at = 0

    def up_to(self, offset: int | None) -> Iterator[_Part]:
        while self._rest and (offset is None or self._at < offset):
            part = self._rest.popleft()
            if offset is not None and self._at + len(part.text) > offset:
                part, tail = part.cut(offset - self._at)
                self._rest.appendleft(tail)
            self._at += len(part.text)
            yield part


def moved_offset(offset: int, edits: Sequence[Edit]) -> int:
    """Give where what stands at an offset stands after edits that are in order."""
    shift = 0
    for edit in edits:
        if edit.end > offset:
            break
        shift += len(edit.text) - (edit.end - edit.start)
    return offset + shift
