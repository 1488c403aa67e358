"""Numbers that a claim states of something it calls by plain words, and the lines that set a name to them.

A number alone stands everywhere; one counts where a line sets a name to it and the claim says all words of that name.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_WORDS = "two three four five six seven eight nine ten eleven twelve"
_SMALL = {word: number for number, word in enumerate(_WORDS.split(), 2)}
_TIMES: dict[str, tuple[float, ...]] = {
    "ms": (1, 1e-3), "millisecond": (1, 1e-3), "s": (1, 1e3), "sec": (1, 1e3), "second": (1, 1e3),
    "min": (1, 60, 6e4), "minute": (1, 60, 6e4), "h": (1, 60, 3600, 3.6e6), "hour": (1, 60, 3600, 3.6e6),
    "day": (1, 24, 86400, 8.64e7), "kb": (1, 1e3, 1024), "kib": (1, 1024), "mb": (1, 1e3, 1024, 1e6, 1024**2),
    "mib": (1, 1024, 1024**2), "gb": (1, 1e9, 1024, 1024**3), "gib": (1, 1024, 1024**3), "byte": (1,),
    "%": (1, 0.01), "percent": (1, 0.01),
}  # fmt: skip
"""What a number with a unit may be multiplied by in a file that sets it in another unit."""
_STATED = re.compile(
    r"(?<![\w.$/#:@+-])(?:([0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9][0-9_]{0,15}(?:\.[0-9]{1,6})?)|\b("
    + "|".join(_SMALL)
    + r")\b)(?:[ -]?(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|hours?|h|days?|[kmg]i?b|bytes?|percent|%)(?!\w))?"
    r"(?![\w/]|[.:][0-9]|-[0-9])",
    re.IGNORECASE,
)
_NUMBER = r"[0-9][0-9_]{0,15}(?:\.[0-9]{1,6})?"
_SET = re.compile(
    rf"(?<![\w$.])([^\W0-9][\w$-]{{2,60}})[\"']?[ \t]*(?::[ \t]*[\w<>\[\]|. ]{{1,40}})?(?:[:=]|:=)[ \t]*"
    rf"({_NUMBER}(?:[ \t]*\*[ \t]*{_NUMBER}){{0,3}})(?![\w.]|[ \t]*[*+/<-])"
)
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PLAIN = re.compile(r"[A-Za-z]+")
_SOFT = frozenset(
    "max maximum min minimum default defaults num number ms sec secs seconds millis of per in is the".split()
)
"""Words of a name that a claim may say otherwise, or leave out."""


class Stated(NamedTuple):
    """A number in a claim: as written, where it begins, and what it may amount to."""

    text: str
    start: int
    amounts: frozenset[float]


class Setting(NamedTuple):
    """A line, 1-based, that sets a name to a number."""

    line: int
    name: str
    amount: float

    def said(self, words: frozenset[str]) -> bool:
        """Whether a claim of these words, in lower case, says all words of the name that are not soft."""
        pieces = [piece.lower() for piece in _PIECE.findall(self.name)]
        hard = [piece for piece in pieces if piece not in _SOFT]
        return (
            len(pieces) > 1
            and bool(hard)
            and all(_same(piece, words) for piece in hard)
            and any(len(piece) > 3 for piece in hard)
        )


def _same(piece: str, words: frozenset[str]) -> bool:
    stem = piece.removesuffix("s")
    return any(word.removesuffix("s") == stem or (len(stem) > 4 and word.startswith(stem)) for word in words)


def stated(claim: str) -> Iterator[Stated]:
    """Give the numbers that a claim states, in digits or as a word, with their units."""
    for found in _STATED.finditer(claim):
        number = float(found[1].replace(",", "").replace("_", "")) if found[1] else float(_SMALL[found[2].lower()])
        unit = (found[3] or "").lower()
        factors = _TIMES.get(unit) or _TIMES.get(unit.removesuffix("s")) or (1.0,)
        yield Stated(found[0].strip(), found.start(), frozenset(round(number * factor, 6) for factor in factors))


def said_words(claim: str) -> frozenset[str]:
    """Give the words of a claim in lower case."""
    return frozenset(word.lower() for word in _PLAIN.findall(claim))


def settings_in(line: int, text: str) -> Iterator[Setting]:
    """Give what a line sets to a number or to a product of numbers."""
    for found in _SET.finditer(text):
        amount = 1.0
        for factor in found[2].split("*"):
            amount *= float(factor.strip().replace("_", ""))
        yield Setting(line, found[1], round(amount, 6))


def numbers_in(text: str) -> frozenset[float]:
    """Give every number of a text, and what each product of them amounts to."""
    found = {round(float(number.replace("_", "")), 6) for number in re.findall(rf"(?<![\w.]){_NUMBER}", text)}
    found |= {setting.amount for setting in settings_in(0, text)}
    return frozenset(found | {float(_SMALL[word]) for word in said_words(text) if word in _SMALL})
