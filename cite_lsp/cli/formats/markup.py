"""Markdown made of texts that are not ours: whatever they hold, they stay text.

What documents, files and models say goes through one of these. A mark that could begin a link, an image, HTML, a
table's cell, a mention or a reference is escaped or broken, for GitHub's Markdown and for that of editors' previews.
"""

import re
from collections.abc import Sequence

from cite_lsp.cli.formats.as_json import shown

_TICKS = re.compile(r"`+")
_BLANKS = re.compile(r"\s+")
_MARKS = re.compile(
    r"[\\`*\[\]<>|~$&{}]"
    r"|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"
    r"|(?<=\w)\.(?=\w)"  # a name with dots is taken for an address
    r"|:(?=/)|/(?=/)"
)
_BEGINS = re.compile(r"[#+=-]|[0-9]+(?=[.)])")
_CALLS = re.compile(r"[@#](?=\w)")
"""Begins a mention, or refers to an issue."""
_UNSEEN = re.compile(r"[^\n\t -\U0010ffff]|[\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def plain(text: str) -> str:
    """Give a text as a part of a paragraph, on one line."""
    text = _seen(_BLANKS.sub(" ", text)).strip(" ")
    escaped = _CALLS.sub("\\\\\\g<0>\u200b", _MARKS.sub(r"\\\g<0>", text))
    begins = _BEGINS.match(escaped)
    if begins is None:
        return escaped
    at = begins.end() if begins[0][0].isdigit() else 0
    return f"{escaped[:at]}\\{escaped[at:]}"


def code(text: str) -> str:
    """Give a text as a span of code, on one line; it may stand in a table."""
    text = _seen(_BLANKS.sub(" ", text)).strip(" ")
    if not text:
        return ""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{space}{text}{space}{fence}"


def cell(text: str) -> str:
    """Give a text as a span of code for a cell of a table: there a bar ends the cell even in code."""
    return code(text).replace("|", r"\|")


def message(text: str) -> str:
    """Give a message of ours: what stands between back-ticks in it is code, the rest is text."""
    parts = text.split("`")
    if len(parts) % 2 == 0 or not all(part.strip() for part in parts[1::2]):
        return plain(text)
    words = [
        code(part) if number % 2 else _between(part, first=number == 0) for number, part in enumerate(parts) if part
    ]
    return "".join(words)


def block(lines: Sequence[str], language: str = "") -> str:
    """Give lines as a block of code, its fence longer than any that they hold."""
    text = "\n".join([_seen(_BLANKS_OF_LINES.sub(" ", line)) for line in lines])
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


_BLANKS_OF_LINES = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_DRAWN = frozenset({"mermaid", "geojson", "topojson", "stl", "math"})
"""Words of a fence whose text GitHub and GitLab draw, and do not show."""
_LANGUAGES = {"js": "javascript", "ts": "typescript", "py": "python", "rs": "rust", "sh": "bash", "yml": "yaml"}


def language(path: str) -> str:
    """Give the name of a file's language, as a fence may have it; "" where its ending is none, or makes a picture."""
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    usable = ending.isascii() and ending.isalnum() and ending not in _DRAWN
    return _LANGUAGES.get(ending, ending) if usable else ""


def _between(text: str, *, first: bool) -> str:
    """Give a part of a message, with the blanks at its ends where it does not begin it."""
    words = plain(text) if first else plain("x" + text)[1:]
    return words + " " if text[-1:].isspace() and words else words


def _seen(text: str) -> str:
    """Give a text with what cannot be seen, or turns the direction of what follows, shown by its number."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}" if found[0] != "\t" else "    ", shown(text))
