"""The paths that a document names with their folders, looked up by how they end."""

import re
from collections.abc import Iterable
from weakref import WeakKeyDictionary

from cite_lsp.document.document import Document, Piece
from cite_lsp.document.path_token import clean_path, path_start

_BEHIND_SEPARATOR = re.compile(r"[/\\]([\w.-]*)")
_BEGINNING = re.compile(r"[\w.-]*")
_PUNCTUATION = "._-"
_OFTEN = 8
"""So many look-ups in one document are worth an index of all its names."""


class Mentions:
    """The names behind a separator in one text: indexed in one pass, so that a look-up reads only what may fit."""

    __slots__ = ("_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: dict[str, list[int]] = {}
        """How a name begins, without the punctuation that may end a sentence behind it: where such names start."""
        for found in _BEHIND_SEPARATOR.finditer(text):
            self._starts.setdefault(found.group(1).rstrip(_PUNCTUATION), []).append(found.start(1))

    @property
    def keys(self) -> Iterable[str]:
        """How the names begin."""
        return self._starts

    def longer(self, tail: str) -> set[str]:
        """Give the paths of the text that end in a separator and `tail`, with `/` between their folders."""
        text = self._text
        lead = tail.rfind("/") + 1
        spellings: set[str] = set()
        for name in self._starts.get(_key(tail), ()):
            position, end = name - lead, name - lead + len(tail)
            if position < 1 or text[position - 1] not in "/\\" or text[position:end].replace("\\", "/") != tail:
                continue
            start = None if text[end : end + 1].isalnum() else path_start(text, 0, end)
            if start is not None and start < position - 1:
                spellings.add(clean_path(text[start:end], escaped=False, percent=False).replace("\\", "/"))
        return spellings


def _key(tail: str) -> str:
    beginning = _BEGINNING.match(tail, tail.rfind("/") + 1)
    return beginning.group().rstrip(_PUNCTUATION) if beginning else ""


class DocumentMentions:
    """The same for whole documents, piece by piece: an edited document has most of its pieces from before."""

    def __init__(self) -> None:
        self._of: WeakKeyDictionary[Piece, Mentions] = WeakKeyDictionary()
        self._asked: tuple[Document | None, int] = (None, 0)
        """The document asked about last, and how often."""
        self._by_key: dict[str, list[Mentions]] = {}
        """Of a document that is asked about often: the pieces that hold names of a beginning."""

    def longer(self, tail: str, document: Document) -> frozenset[str]:
        """Give the paths in the document's text that end in a separator and `tail`."""
        last, times = self._asked
        times = times + 1 if last is document else 1
        self._asked = (document, times)
        if times == _OFTEN:
            self._by_key = {}
            for mentions in map(self._mentions, document.pieces):
                for key in mentions.keys:
                    self._by_key.setdefault(key, []).append(mentions)
        holding = self._by_key.get(_key(tail), ()) if times >= _OFTEN else map(self._mentions, document.pieces)
        return frozenset(path for mentions in holding for path in mentions.longer(tail))

    def _mentions(self, piece: Piece) -> Mentions:
        mentions = self._of.get(piece)
        if mentions is None:
            mentions = self._of[piece] = Mentions(piece.text)
        return mentions
