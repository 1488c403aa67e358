"""Values as they are written in prose and in code: numbers with their units, truth values, quoted texts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus

TIME_UNITS = frozenset("second minute hour day week month year".split())
"""Units of time, as base forms of words."""
STATUSES = frozenset(map(int, HTTPStatus))
"""Numbers that have a name in HTTP."""
_TIME = {
    "ns": 1e-9, "nanosecond": 1e-9, "nanoseconds": 1e-9, "us": 1e-6, "microseconds": 1e-6, "micros": 1e-6,
    "ms": 1e-3, "msec": 1e-3, "msecs": 1e-3, "milli": 1e-3, "millis": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3,
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0,
    "min": 60.0, "mins": 60.0, "minute": 60.0, "minutes": 60.0, "h": 3600.0, "hr": 3600.0, "hrs": 3600.0,
    "hour": 3600.0, "hours": 3600.0, "day": 86400.0, "days": 86400.0, "week": 604800.0, "weeks": 604800.0,
}  # fmt: skip
_DAYS_OF = {"month": (28, 31), "months": (28, 31), "year": (365, 366), "years": (365, 366)}
"""How many days one can have, at least and at most."""
_MOST_MONTHS = 24
_BYTES = {
    "byte": (1,), "bytes": (1,), "b": (1,), "kib": (1024,), "mib": (1024**2,), "gib": (1024**3,),
    "kb": (1000, 1024), "kilobyte": (1000, 1024), "kilobytes": (1000, 1024), "mb": (1000**2, 1024**2),
    "megabyte": (1000**2, 1024**2), "megabytes": (1000**2, 1024**2), "gb": (1000**3, 1024**3),
    "gigabyte": (1000**3, 1024**3), "gigabytes": (1000**3, 1024**3),
}  # fmt: skip
_PERCENT = {"%": 0.01, "percent": 0.01, "pct": 0.01}
_TIME_WORDS = frozenset(_TIME) | frozenset(_DAYS_OF)
_NAME_UNITS = frozenset(_TIME) | frozenset(_BYTES) - {"b"} | {"percent", "pct"}
_AMBIGUOUS = frozenset({"min", "s", "h", "b", "us", "day", "week"})  # of a name they are no unit

_UNITS_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_SMALL = {word: number for number, word in enumerate(f"{_UNITS_SMALL} seventeen eighteen nineteen".split())}
_TENS = {word: 10 * (n + 2) for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_NUMBER_WORD = "|".join([*_SMALL, *_TENS, *_SCALES])

NUMBER = (
    r"(?:0[xX][0-9a-fA-F_]{1,16}|0[oO][0-7_]{1,16}|[0-9]{1,3}(?:,[0-9]{3}){1,4}(?![0-9])"
    r"|[0-9][0-9_]{0,17}(?:\.[0-9]{1,12})?(?:[eE][+-]?[0-9]{1,2})?)"
)
_UNIT = (
    r"(?:[ -]?(milliseconds?|microseconds?|nanoseconds?|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?"
    r"|years?|msecs?|ms|ns|us|s|h|kilobytes?|megabytes?|gigabytes?|bytes?|[kKMG]i?B|percent)(?![A-Za-z0-9_])|\s?(%))?"
)
ARITHMETIC = rf"{NUMBER}(?:\s{{0,3}}(?:\*\*|\*|<<)\s{{0,3}}{NUMBER}){{0,4}}"
_PROSE = re.compile(
    rf"(?<![\w.$/#-])(?P<digits>{ARITHMETIC}){_UNIT}(?![\w]|\.[0-9])"
    rf"|\b(?P<words>(?:{_NUMBER_WORD})(?:[ -](?:and )?(?:{_NUMBER_WORD})){{0,6}})(?![A-Za-z]){_UNIT}\b"
    r"|\b(?P<part>half|(?:a |one )?quarter)(?:(?: of)? an? |[ -])(?P<of>second|minute|hour)\b"
    r"|(?:\ban? (?:full|whole) |(?<=\bafter )an? |(?<=\bwithin )an? )(?P<one>second|minute|hour|day|week)\b(?!,? and )",
    re.IGNORECASE,
)
_COUNTS = (
    *"zero one two three four five six seven eight nine ten eleven twelve teen twenty thirty forty fifty".split(),
    *"hundred thousand million billion half quarter second minute hour day week".split(),
)
"""Of these, or a digit, every value in ASCII has one."""
_DIGIT = re.compile("[0-9]")
_ONE_MORE = re.compile(r"\ban? (minute|hour|day|week),? and \Z", re.IGNORECASE)
_ONE_MORE_CHARS = 20
_CODE = re.compile(rf"(?<![\w.])({ARITHMETIC})")
_OPERATOR = re.compile(r"(\*\*|\*|<<)")


@dataclass(frozen=True, slots=True)
class Value:
    """A value as written.

    Attributes:
        kind: number, time (amounts in seconds), bytes, percent, truth or text.
        amounts: What it can mean: one number, or two where KB may be 1000 or 1024; of truth 0 or 1; of text none.
        shown: As it was written.
        start: Where in the text it begins, in characters.
        end: Where it ends.
    """

    kind: str
    amounts: tuple[float, ...]
    shown: str
    start: int = 0
    end: int = 0
    raw: float = 0.0
    """The number without its unit."""

    def agrees(self, other: "Value") -> bool:
        """Say whether both can mean the same; a number without a unit can have any."""
        if self.kind == "text" or other.kind == "text":
            return self.kind == other.kind and self.shown.strip().lower() == other.shown.strip().lower()
        if self.kind == other.kind:
            return any(_near(a, b) for a in self.amounts for b in other.amounts)
        if "truth" in (self.kind, other.kind):
            return False
        if "number" in (self.kind, other.kind):
            bare, unit = (self, other) if self.kind == "number" else (other, self)
            factors = _factors(unit.kind)
            return any(_near(a * f, b) for a in bare.amounts for f in factors for b in unit.amounts)
        return False

    def comparable(self, other: "Value") -> bool:
        """Say whether one can contradict the other."""
        return self.kind == other.kind or (
            {self.kind, other.kind} in ({"number", "time"}, {"number", "bytes"}, {"number", "percent"})
        )


def _factors(kind: str) -> tuple[float, ...]:
    if kind == "time":
        return tuple(sorted(set(_TIME.values())))
    if kind == "bytes":
        return (1, 1000, 1024, 1000**2, 1024**2, 1000**3, 1024**3)
    return (1, 0.01)


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def amount_of(written: str) -> float | None:
    """Give what a number or a product, power or shift of numbers amounts to; None where it is too large to be meant."""
    parts = _OPERATOR.split(written.replace("_", "").replace(",", ""))
    try:
        numbers = [_number(part.strip()) for part in parts[::2]]
    except (ValueError, OverflowError):
        return None
    operators = parts[1::2]
    for tight in ("**", "*", "<<"):
        while tight in operators:
            # a power binds to its right
            at = len(operators) - 1 - operators[::-1].index(tight) if tight == "**" else operators.index(tight)
            left, right = numbers[at], numbers.pop(at + 1)
            operators.pop(at)
            if tight != "*" and (right > 64 or left > 1e6):
                return None
            numbers[at] = left * right if tight == "*" else left**right if tight == "**" else left * 2**right
    return numbers[0] if abs(numbers[0]) < 1e18 else None


def _number(written: str) -> float:
    base = {"0x": 16, "0o": 8}.get(written[:2].lower())
    return float(int(written, base) if base else written)


def _days(amount: float, unit: str) -> tuple[float, ...]:
    """Give the seconds that some months or years can have."""
    least, most = (amount * days for days in _DAYS_OF[unit])
    if amount > _MOST_MONTHS or amount != int(amount):
        return least * 86400.0, (least + most) * 43200.0, most * 86400.0
    return tuple(days * 86400.0 for days in range(int(least), int(most) + 1))


def with_unit(amount: float, unit: str, shown: str, start: int = 0, end: int = 0) -> Value:
    """Give a number in a unit; one that is not known leaves it bare."""
    key = unit.lower()
    if key in _TIME:
        return Value("time", (amount * _TIME[key],), shown, start, end, amount)
    if key in _DAYS_OF:
        return Value("time", _days(amount, key), shown, start, end, amount)
    if key in _BYTES:
        return Value("bytes", tuple(amount * factor for factor in _BYTES[key]), shown, start, end, amount)
    if key in _PERCENT:
        return Value("percent", (amount * _PERCENT[key],), shown, start, end, amount)
    return Value("number", (amount,), shown, start, end, amount)


def unit_of_name(words: tuple[str, ...]) -> str:
    """Give the unit that a name carries at its end, of its words in lower case and unstemmed; "" for none."""
    last = words[-1] if words else ""
    return last if last in _NAME_UNITS and last not in _AMBIGUOUS and len(words) > 1 else ""


def values_in_prose(text: str) -> Iterator[Value]:
    """Give the numbers of a sentence, in digits or in words, with their units; "a minute and ten seconds" is one.

    "one" is left out: it stands for a thing more often than for a number.
    """
    before: Value | None = None
    for value in _values(text):
        if before is not None and _goes_on(text, before, value):
            amount = before.amounts[0] + value.amounts[0]
            shown = text[before.start : value.end]
            before = Value("time", (amount,), shown, before.start, value.end, amount)
            continue
        if before is not None:
            yield before
        before = _with_one_more(text, value)
    if before is not None:
        yield before


def _goes_on(text: str, before: Value, value: Value) -> bool:
    """Whether a time goes on with a smaller one, as in "2 hours 30 minutes"."""
    together = before.kind == value.kind == "time" and value.amounts[0] < before.amounts[0] / max(before.raw, 1)
    return together and text[before.end : value.start].strip().lower() in ("", "and", ",")


def _with_one_more(text: str, value: Value) -> Value:
    """Give a time with the one unit that was said before it without a number: "an hour and ten minutes"."""
    if value.kind != "time":
        return value
    match = _ONE_MORE.search(text, max(0, value.start - _ONE_MORE_CHARS), value.start)
    if match is None or _TIME[match[1].lower()] <= value.amounts[0]:
        return value
    amount = _TIME[match[1].lower()] + value.amounts[0]
    return Value("time", (amount,), text[match.start() : value.end], match.start(), value.end, amount)


def _may_count(text: str) -> bool:
    """Whether a text may hold a value: soon seen, and most texts hold none."""
    if not text.isascii() or _DIGIT.search(text):
        return True
    lower = text.lower()
    return any(word in lower for word in _COUNTS)


def _values(text: str) -> Iterator[Value]:
    if not _may_count(text):
        return
    for match in _PROSE.finditer(text):
        unit = next((group for group in match.groups()[1:] if group and group.lower() in _ALL_UNITS), "")
        amount: float | None
        if match["digits"]:
            amount = amount_of(match["digits"])
        elif match["words"]:
            amount = _in_words(match["words"])
            if match["words"].lower() == "one" and not unit:
                continue
        elif match["one"]:
            amount = 1.0
        else:
            amount = 0.5 if match["part"].lower() == "half" else 0.25
            unit = match["of"]
        if amount is not None:
            yield with_unit(amount, unit, match[0].strip(), match.start(), match.end())


_ALL_UNITS = _TIME_WORDS | frozenset(_BYTES) | frozenset(_PERCENT)


_LARGER: dict[str, tuple[tuple[float, frozenset[str]], ...]] = {
    "time": tuple(
        (_TIME[word], frozenset({word, *short.split()}))
        for word, short in (
            ("second", "sec s"),
            ("minute", "min mins"),
            ("hour", "hr hrs h"),
            ("day", "d"),
            ("week", "w"),
        )
    ),
    "bytes": tuple(
        (float(1024**power), frozenset(words.split()))
        for power, words in enumerate(("kb kib ki kilobyte k", "mb mib mi megabyte m", "gb gib gi gigabyte g"), 1)
    ),
}
"""Units in which a bare number is meant only where the line says so, and the words that say it."""
_SMALLER = {"time": (1.0, 1e-3, 1e-6, 1e-9), "bytes": (1.0,)}
_LEAST_SMALLER = 10


def stands_in(value: Value, bare: frozenset[float], said: tuple[Value, ...], words: frozenset[str]) -> bool:
    """Say whether a line holds a value, in whatever form: half a minute is 30 s, 30_000 ms and `30 * 1000`.

    Args:
        value: What is looked for.
        bare: Every number of the line.
        said: The values of the line that are written with their unit, or as words.
        words: The base forms of the line's words.
    """
    if value.kind not in _SMALLER:
        return value.raw in bare or bool(bare.intersection(value.amounts)) or any(value.raw == v.raw for v in said)
    alike = [other for other in said if other.kind == value.kind]
    if any(value.agrees(other) for other in alike):
        return True
    left = frozenset(map(_rounded, bare - {other.raw for other in alike}))
    if value.kind == "time" and value.raw != 1 and _rounded(value.raw) in left:
        return True
    units = [(unit, _LEAST_SMALLER) for unit in _SMALLER[value.kind]]
    units += [(unit, 0) for unit, names in _LARGER[value.kind] if names & words]
    found = ((_rounded(amount / unit), least) for amount in value.amounts for unit, least in units)
    return any(number >= least and number in left for number, least in found)


def _rounded(amount: float) -> float:
    return float(f"{amount:.9g}")


def is_number_word(word: str) -> bool:
    """Say whether a word in lower case is a number."""
    return word in _SMALL or word in _TENS or word in _SCALES


def _in_words(words: str) -> float:
    total = current = 0
    for word in re.split(r"[ -]", words.lower()):
        if word in _SMALL:
            current += _SMALL[word]
        elif word in _TENS:
            current += _TENS[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _SCALES:
            total += max(current, 1) * _SCALES[word]
            current = 0
    return float(total + current)


def numbers_in_code(line: str) -> Iterator[float]:
    """Give what every number of a line amounts to: of a product the whole and each part."""
    for match in _CODE.finditer(line):
        for part in {match[1], *_OPERATOR.split(match[1])[::2]}:
            amount = amount_of(part)
            if amount is not None:
                yield amount
