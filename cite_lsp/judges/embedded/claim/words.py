"""Names and sentences as the same words: split, lower case, without endings, abbreviations written out."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

NAME_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
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
    """a about after again also although am an and are as at be because been before being between both but by call
    called calls can cannot come comes could d default defaulted defaults did do does doing done down e.g
    each either even for from get gets give given gives got had has have having he her here his hold holds
    how i i.e if in into is it its just keep keeps kept least less let lets like ll made make makes may
    might more most must n't namely neither never no nor not of off on once one ones only onto or our out
    over own per re s said same say says see sees set sets setting shall she should since so some still such
    t take taken takes than that the their them then there these they this those though to under unless
    until up use used uses using value values ve very via was we were what when whenever where whereas which
    while who whom whose why will with without would yet you your""".split()
)
"""Words that say nothing that a line could show. Polarity and quantity are looked at apart from them."""

SOFT = frozenset(
    """accept accepted accepts allow allowed allows amount apart at-most away back begin begins built built-in cap
    capacity capped caps characters chosen columns configured contain contains count currently deep disabled
    element elements enabled entries entry equal equals every explicitly fall falls false flag go goes
    happen happens has high hold ignore initial initially item items known length levels limit limited
    limits listen listens live lives long made max maximum mean means min minimum mode named need needs new
    none number opened option otherwise per permit permits permitted place provide provided provides require
    required requires returned rows run running runs sent serve served serves size sized specified stand
    stands start started starts state stated stay stays store stored stores switch switched take time times
    told total tries true try turned wait waits wide work works""".split()
)
"""Words that may be missing where the thing and its value were found: they say that it has the value."""


_ENDINGS = (
    ("ational", "ate"), ("ization", "ize"), ("isation", "ize"), ("ations", "ate"), ("ation", "ate"),
    ("ingly", ""), ("ings", ""), ("ing", ""), ("iest", "y"), ("ies", "y"), ("ied", "y"), ("edly", ""),
    ("sses", "ss"), ("ed", ""), ("ors", ""), ("ers", ""), ("or", ""), ("er", ""), ("ly", ""), ("ions", ""),
    ("ion", ""), ("es", ""), ("s", ""), ("e", ""),
)  # fmt: skip
"""Endings, the longer ones of a kind first, and what stands instead."""
_BY_LAST = {
    last: tuple(each for each in _ENDINGS if each[0][-1] == last) for last in {each[-1] for each, _ in _ENDINGS}
}


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Give the word without its ending: "retries", "retried" and "retrying" are one."""
    word = _SAME.get(word, word)
    if len(word) <= 3 or len(word) > _MAX_WORD:
        return word
    for ending, instead in _BY_LAST.get(word[-1], ()):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not (ending == "s" and word.endswith("ss")):
            word = word[: -len(ending)] + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def name_words(name: str) -> tuple[str, ...]:
    """Give the stems of a name's words: those of `maxRetries`, `MAX_RETRIES` and `max-retries` are the same."""
    return tuple(stem(piece.lower()) for piece in NAME_PIECE.findall(name[:200]))


def plain_words(text: str) -> tuple[str, ...]:
    """Give the words of a sentence in lower case, as they stand."""
    return tuple(word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text))


def vocabulary(lines: Iterable[str]) -> set[str]:
    """Give the stems of all words and parts of names in some lines, and of neighbours written as one."""
    found: set[str] = set()
    for line in lines:
        pieces = [piece.lower() for piece in NAME_PIECE.findall(line)]
        found.update(map(stem, pieces))
        found.update(stem(first + second) for first, second in pairwise(pieces))
    return found
