"""The path of a citation: which characters it has, how it is cleaned, and when it counts (anchors.md)."""

import re
import unicodedata
from collections.abc import Container
from dataclasses import dataclass
from urllib.parse import unquote

from cite_lsp.document.extensions import CALL_LIKE, EXTENSIONS, MANUAL_LIKE, PRODUCT_NAMES

MAX_PATH = 1024
"""Longest run of characters that is taken for a path; longer ones are data."""

_STRIDE = 64
_BACKWARDS = re.compile(r"[\w.+@~$%&/\\-]+")
_FORWARD = re.compile(r"[\w.+@~$%&/\\…()\[\]-]+")
_ESCAPED = re.compile(r"\\([_*\[\]])")
_DOUBLED = re.compile(r"/(?:\.?/)+")
_DOUBLED_BACKSLASH = re.compile(r"(?<!^)\\{2,}")
_SPACED_PATH = re.compile(r"[\w.+@~$%&/\\()\[\]-][\w.+@~$%&/\\()\[\] -]*\Z")
_GROUP = {"]": "[", ")": "("}


def _is_letter(character: str) -> bool:
    return character.isalnum() or (not character.isascii() and unicodedata.category(character)[0] == "M")


def path_start(text: str, low: int, end: int) -> int | None:
    """Find where the path that ends at `end` starts, looking back no further than `low`; None where there is none."""
    position = end
    low = max(low, end - MAX_PATH)
    while position > low:
        # almost every path is one run of plain characters, which the expression takes at once
        run = _BACKWARDS.match(text[max(low, position - _STRIDE) : position][::-1])
        if run:
            position -= run.end()
            continue
        character = text[position - 1]
        if _is_letter(character) or (character == "…" and _is_segment(text, position - 1, end)):
            position -= 1
        elif character in _GROUP and position < end and text[position] in "/\\.":
            opening = _group_start(text, low, position - 1)
            if opening is None:
                break
            position = opening
        else:
            break
    if position == end:
        return None
    if position > 0 and text[position - 1] == ":":
        return _behind_colon(text, low, position)
    if position == low and low > 0 and _is_letter(text[low - 1]):
        return None
    return position


def _is_segment(text: str, position: int, end: int) -> bool:
    """Say whether the ellipsis at `position` is a whole segment: folders left out."""
    return position + 1 < end and text[position + 1] in "/\\" and (position == 0 or not text[position - 1].isalnum())


def _group_start(text: str, low: int, closing: int) -> int | None:
    """Find the bracket that opens a `[name]` or `(name)` which is a whole folder or file stem."""
    opening = _GROUP[text[closing]]
    for position in range(closing - 1, low - 1, -1):
        character = text[position]
        if character == opening:
            whole = position == low or text[position - 1] in "/\\ `\t\n\"'" or text[position - 1] in _GROUP.values()
            return position if whole and position + 1 < closing else None
        escaping = character == "\\" and position == closing - 1
        if not (escaping or _is_letter(character) or character in "._-@~$…[]"):
            return None
    return None


def _behind_colon(text: str, low: int, position: int) -> int | None:
    """A path never starts behind a colon, but for a drive letter and `file://`."""
    before = position - 2
    if before < low or text[position] not in "/\\":
        return None
    if text[before].isascii() and text[before].isalpha() and (before == 0 or not _is_letter(text[before - 1])):
        return before
    if text.startswith("//", position) and position - 5 >= low and text[position - 5 : position].lower() == "file:":
        return position - 5
    return None


def path_ahead(text: str, position: int, limit: int) -> int:
    """Give the end of the path that starts at `position`; `position` itself where none does."""
    found = _FORWARD.match(text, position, min(limit, position + MAX_PATH))
    end = found.end() if found else position
    while end > position and text[end - 1] in ".)]…":
        if text[end - 1] in _GROUP and _group_start(text, position, end - 1) is not None:
            break
        end -= 1
    return end


def holds_spaces(whole: str) -> bool:
    """Say whether a text from a code span reads as one path with spaces in it: a separator before the last space."""
    before_last = whole.rpartition(" ")[0]
    if "/" not in before_last and "\\" not in before_last:
        return False
    return _SPACED_PATH.match(whole) is not None and not any(word.startswith("-") for word in whole.split(" "))


def clean_path(raw: str, *, escaped: bool, percent: bool) -> str:
    """Give the path an author wrote: without `file://`, escapes, percent-coding and doubled separators.

    `escaped`: backslashes before Markdown's marks are dropped (outside code spans). `percent`: decoded once
    (link targets; `file://` always is).
    """
    if raw[:7].lower() == "file://":
        raw, percent = raw[7:], True
    if escaped and "\\" in raw:
        raw = _ESCAPED.sub(r"\1", raw)
    if percent and "%" in raw:
        raw = unquote(raw, errors="replace")
    if "//" in raw or "/./" in raw:
        raw = _DOUBLED.sub("/", raw)
    if "\\\\" in raw:
        raw = _DOUBLED_BACKSLASH.sub(r"\\", raw)
    return raw


def extension_of(path: str) -> str:
    """Give the last extension, lower case; one letter keeps its case, since `C` is no `c`."""
    stem, dot, extension = path.rpartition(".")
    if not dot or "/" in extension or "\\" in extension:
        return ""
    if (not stem or stem[-1] in "/\\") and extension != "env":
        return ""
    return extension if len(extension) == 1 else extension.lower()


def known_spelling(path: str) -> str:
    """Give the form under which the snapshot knows a path: `/` between folders, no `./` in front."""
    path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path


_MISSED_KEPT = 64


class Acceptance:
    """Decides whether a path counts. `known` is any container of paths accepted whatever their extension.

    `missed`: takes the paths that were looked for in `known` and are not there, a few dozen.
    """

    __slots__ = ("_extensions", "_known", "_missed")

    def __init__(self, known: Container[str], extensions: frozenset[str], missed: list[str] | None = None) -> None:
        self._known = known
        self._extensions = extensions
        self._missed = missed

    def noting(self, missed: list[str]) -> "Acceptance":
        """Give one that decides the same and notes what it missed."""
        return Acceptance(self._known, self._extensions, missed)

    def by_name(self, path: str) -> bool:
        """Say whether the extension alone makes `path` count."""
        if extension_of(path) not in self._extensions:
            return False
        return "/" in path or "\\" in path or path.lower() not in PRODUCT_NAMES

    def knows(self, path: str) -> bool:
        """Say whether `known` has it; a name without a letter is never asked for (`12:30`)."""
        if not any(map(str.isalpha, path)):
            return False
        if known_spelling(path) in self._known:
            return True
        if self._missed is not None and len(self._missed) < _MISSED_KEPT and path not in self._missed:
            self._missed.append(path)
        return False

    def accepts(self, path: str) -> bool:
        """Say whether `path` counts."""
        return bool(path) and (self.by_name(path) or self.knows(path))

    def accepts_call(self, path: str) -> bool:
        """Say whether `path(42)` is a citation and no method call: an extension of two letters or more."""
        extension = extension_of(path)
        if extension in MANUAL_LIKE and "/" not in path:
            return False
        return len(extension) > 1 and self.accepts(path) and self.is_no_method(path)

    def is_no_method(self, path: str) -> bool:
        """Say whether an accepted path is more than a name such as `timing.log`, which may be a method."""
        return extension_of(path) not in CALL_LIKE or "/" in path or "\\" in path or self.knows(path)


@dataclass(frozen=True, slots=True)
class Grammar:
    """What the anchors of a document depend on besides its text."""

    acceptance: Acceptance
    own_path: str = ""


def make_grammar(known: Container[str] = (), extensions: frozenset[str] = frozenset(), own_path: str = "") -> Grammar:
    """Make the grammar for one document; `own_path` is what `#L12` alone means."""
    named = EXTENSIONS | {extension.lower().lstrip(".") for extension in extensions}
    return Grammar(Acceptance(known, named), own_path)
