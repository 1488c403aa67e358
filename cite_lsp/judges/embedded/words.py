"""Names and sentences as the same words: split, lower case, without endings, abbreviations written out."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*")
_MAX_WORD = 40

# What stands in names for a longer word, and spellings of one word.
_SAME = {
    "max": "maximum", "min": "minimum", "config": "configuration", "conf": "configuration", "cfg": "configuration",
    "dir": "directory", "dirs": "directory", "folder": "directory", "env": "environment", "msg": "message",
    "err": "error", "num": "number", "len": "length", "param": "parameter", "params": "parameter",
    "arg": "argument", "args": "argument", "addr": "address", "conn": "connection", "req": "request",
    "resp": "response", "res": "response", "db": "database", "doc": "document", "docs": "document",
    "tmp": "temporary", "temp": "temporary", "src": "source", "dest": "destination", "prev": "previous",
    "char": "character", "chars": "character", "fn": "function", "func": "function", "exc": "exception",
    "str": "string", "int": "integer", "bool": "boolean", "auth": "authentication", "init": "initial",
    "regex": "expression", "ctx": "context", "pkg": "package", "repo": "repository", "info": "information",
    "opt": "option", "opts": "option", "val": "value", "vals": "value", "cmd": "command", "idx": "index",
    "colour": "color", "normalise": "normalize", "thrown": "throw", "threw": "throw", "sent": "send",
    "kept": "keep", "written": "write", "wrote": "write", "taken": "take", "given": "give", "chosen": "choose",
    "found": "find", "read": "read", "gave": "give", "took": "take", "built": "build", "made": "make",
}  # fmt: skip

GLUE = frozenset(
    """a an the this that these those it its they them their there here he she we you i our your his her is are was
    were be been being am do does did done doing has have had having will would shall should can could may
    might must of to in on at by for from with without into onto over under about as than then so such and or
    but nor if when while whenever where whereas which who whom whose what how why because since until unless
    though although also just even still yet very both either neither each one ones some same own up out off
    down again once s t d ll re ve default defaults defaulted set sets setting value values use used uses
    using get gets got given give gives take takes taken make makes made come comes let lets keep keeps kept
    hold holds call called calls namely i.e e.g per via after before between like more most less least only no
    not never cannot n't""".split()
)
"""Words that say nothing that a line could show. Polarity and quantity are looked at apart from them."""

SOFT = frozenset(
    """accept accepted accepts allow allowed allows apart away back begin begins built-in built cap capped caps
    capacity chosen configured contain contains count every falls fall goes go happen happens has hold ignore
    length limit limited limits listen listens long made maximum max minimum min need needs new otherwise per
    permit permitted permits provide provided provides require required requires returned run running runs
    size sized stand stands start started starts state stated stay stays store stored stores take time times
    told total wait waits work works amount at-most equal equals mean means number entry entries item items
    element elements place known none named specified explicitly initially initial currently opened sent serve
    served serves tries try live lives""".split()
)
"""Words that may be missing where the thing and its value were found: they say that it has the value."""


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Give the word without its ending: "retries", "retried" and "retrying" are one."""
    word = _SAME.get(word, word)
    if len(word) <= 3 or len(word) > _MAX_WORD:
        return word
    for ending, instead in (
        ("ational", "ate"), ("ization", "ize"), ("isation", "ize"), ("ations", "ate"), ("ation", "ate"),
        ("ingly", ""), ("ings", ""), ("ing", ""), ("iest", "y"), ("ies", "y"), ("ied", "y"), ("edly", ""),
        ("sses", "ss"), ("ed", ""), ("ors", ""), ("ers", ""), ("or", ""), ("er", ""), ("ly", ""), ("ions", ""),
        ("ion", ""), ("es", ""), ("s", ""), ("e", ""),
    ):  # fmt: skip
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not (ending == "s" and word.endswith("ss")):
            word = word[: -len(ending)] + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def name_words(name: str) -> tuple[str, ...]:
    """Give the stems of a name's words: those of `maxRetries`, `MAX_RETRIES` and `max-retries` are the same."""
    return tuple(stem(piece.lower()) for piece in _PIECE.findall(name[:200]))


def plain_words(text: str) -> tuple[str, ...]:
    """Give the words of a sentence in lower case, as they stand."""
    return tuple(word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text))


def vocabulary(lines: Iterable[str]) -> set[str]:
    """Give the stems of all words and parts of names in some lines, and of neighbours written as one."""
    found: set[str] = set()
    for line in lines:
        pieces = [piece.lower() for piece in _PIECE.findall(line)]
        found.update(map(stem, pieces))
        found.update(stem(first + second) for first, second in pairwise(pieces))
    return found
