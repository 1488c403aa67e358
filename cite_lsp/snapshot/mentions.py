"""The paths that a document names with their folders, looked up by how they end."""

import re

from cite_lsp.document.path_token import clean_path, path_start

_BEHIND_SEPARATOR = re.compile(r"[/\\]([\w.-]*)")
_BEGINNING = re.compile(r"[\w.-]*")
_PUNCTUATION = "._-"


class Mentions:
    """The names behind a separator in one text: indexed in one pass, so that a look-up reads only what may fit."""

    __slots__ = ("_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: dict[str, list[int]] = {}
        """How a name begins, without the punctuation that may end a sentence behind it: where such names start."""
        for found in _BEHIND_SEPARATOR.finditer(text):
            self._starts.setdefault(found.group(1).rstrip(_PUNCTUATION), []).append(found.start(1))

    def longer(self, tail: str) -> set[str]:
        """Give the paths of the text that end in a separator and `tail`, with `/` between their folders."""
        text = self._text
        lead = tail.rfind("/") + 1
        beginning = _BEGINNING.match(tail, lead)
        key = beginning.group().rstrip(_PUNCTUATION) if beginning else ""
        spellings: set[str] = set()
        for name in self._starts.get(key, ()):
            position, end = name - lead, name - lead + len(tail)
            if position < 1 or text[position - 1] not in "/\\" or text[position:end].replace("\\", "/") != tail:
                continue
            start = None if text[end : end + 1].isalnum() else path_start(text, 0, end)
            if start is not None and start < position - 1:
                spellings.add(clean_path(text[start:end], escaped=False, percent=False).replace("\\", "/"))
        return spellings
