"""Did the author put the cited lines right by hand? Then they hold what the sentence names, and history does not."""

import re
from collections.abc import Iterable, Sequence

_CODE = re.compile(r"`([^`\n]{1,200})`")
_TOKEN = re.compile(r"[\w./\\:#@~-]+")
_LINES = re.compile(r"[/\\]|[:#]L?[0-9]")
"""In a token that is a path, or cites lines."""
_NAME = re.compile(r"[^\W\d]\w{2,}")
_SPELLED = re.compile(r"\w*[^\W_]_\w*|\w*[a-z0-9][A-Z]\w*|[A-Z]{5,}|_\w+")
"""What only identifiers look like: snake_case, camelCase, CONSTANT."""
_COMMON = frozenset(
    "and are but class const def else enum false fn for from func function has import let new nil none not null pub"
    " return self static struct that the this true try type use var void was where while with".split()
)
_MOST_SENTENCE = 4000
_MOST_LINES = 2000


def put_right(sentence: str, present: Sequence[str], before: Iterable[str]) -> str:
    """Give a name of the sentence that the cited lines hold and the lines `before`, those of history, do not; or ""."""
    if not sentence:
        return ""
    named = _names_in(sentence[:_MOST_SENTENCE])
    if not named:
        return ""
    named &= {word for line in present[:_MOST_LINES] for word in _NAME.findall(line)}
    if not named:
        return ""
    for line in before:
        named -= set(_NAME.findall(line))
    return min(named, default="")


def _names_in(sentence: str) -> set[str]:
    """Give the identifiers that a sentence names: in code spans, dotted, or spelled as none but identifiers are."""
    found = {name for code in _CODE.findall(sentence) for token in _tokens(code) for name in _NAME.findall(token)}
    for token in _tokens(_CODE.sub(" ", sentence)):
        names = _NAME.findall(token)
        found.update(names if len(names) > 1 and "." in token else filter(_SPELLED.fullmatch, names))
    return {name for name in found if name.lower() not in _COMMON}


def _tokens(text: str) -> list[str]:
    return [token for token in _TOKEN.findall(text) if not _LINES.search(token)]
