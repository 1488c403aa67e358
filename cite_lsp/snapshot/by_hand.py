"""Did the author put the cited lines right by hand? Then they hold what the sentence names, and history does not."""

import re
from collections.abc import Iterable, Iterator, Sequence

_CODE = re.compile(r"`([^`\n]{1,200})`")
_TOKEN = re.compile(r"[\w./\\:#@~-]+")
_CHAIN = re.compile(r"[&*$@]?(?:[^\W\d]\w*(?:\.|::|->|#))*([^\W\d]\w*)(?:\([^()]*\))?[.!?;]*")
"""A name, dotted or not, and called or not; its last part is what it names."""
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


def put_right(sentence: str, present: Sequence[str], written: Sequence[str], elsewhere: Iterable[str]) -> str:
    """Give a name of the sentence that the cited lines hold and those of history do not; or "".

    History is right, whatever the cited lines happen to hold, where it lacks no more of what the sentence names than
    they do: a citation that was put right does not lose what it was about.

    Args:
        sentence: What holds the citation.
        present: The lines that it cites now.
        written: The lines that it cited when it was written.
        elsewhere: What else is known of them: where they stand now, the names of their file.
    """
    if not sentence:
        return ""
    named = _names_in(sentence[:_MOST_SENTENCE])
    if not named:
        return ""
    now = named & _words(present[:_MOST_LINES])
    if not now:
        return ""
    before = named & _words(written[:_MOST_LINES])
    gained = now - before - _words(elsewhere)
    return min(gained) if len(gained) > len(before - now) else ""


def _words(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in _NAME.findall(line)}


def _names_in(text: str) -> set[str]:
    """Give the identifiers that a sentence names: what a code span or a dotted word is, or what is spelled as one.

    Of a longer piece of code a plain word does not count: it stands in any line.
    """
    found: set[str] = set()
    for code in _CODE.findall(text):
        found.update(_named_by(code) if _LINES.search(code) is None else ())
    for token in _tokens(_CODE.sub(" ", text)):
        bare = token.rstrip(".:")
        found.update(_named_by(bare) if "." in bare else filter(_SPELLED.fullmatch, _NAME.findall(token)))
    return {name for name in found if name.lower() not in _COMMON}


def _named_by(code: str) -> Iterator[str]:
    chain = _CHAIN.fullmatch(code.strip())
    if chain is not None and len(chain[1]) > 2:
        yield chain[1]
    for token in _tokens(code):
        yield from filter(_SPELLED.fullmatch, _NAME.findall(token))


def _tokens(text: str) -> list[str]:
    return [token for token in _TOKEN.findall(text) if not _LINES.search(token)]
