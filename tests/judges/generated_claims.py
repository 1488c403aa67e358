"""Claims that are true, false or of something else by construction, with the lines they are made for.

A fact is written as one of the languages writes it (`written_facts.py`); what is said of it is made from the same fact:
the plain claim, rewordings that keep its meaning, flips that turn it round, and claims of other things. Nothing of that
asks the judge. Deterministic: the same cases in every run.

`python -m tests.judges.generated_claims` prints what the judge makes of them, by kind and by rule.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Literal

from cite_lsp import EmbeddedJudge, Row, Verdict
from tests.judges.written_facts import SYNTAXES, Syntax, fill, styles

Truth = Literal["true", "false", "unrelated"]

CASES_OF_A_KIND = 315

_COUNTS = """max retries|pool size|batch size|worker count|queue depth|page limit|redirect limit|thread count
color depth|history length|shard count|max connections|min replicas|neighbor limit|line width|max depth|catalog size
serializer threads"""
_TIMES = """connect timeout|poll interval|session ttl|retry delay|idle timeout|flush interval|lock lease|refresh period
shutdown grace|heartbeat interval"""
_SIZES = "chunk size|buffer size|max body size|read limit|segment size|cache quota|memory limit"
_TEXTS = """log level:info debug warning error|default region:europe america asia|text encoding:utf-8 latin-1 ascii
cache backend:redis memcached memory|merge strategy:rebase squash merge|color theme:dark light sepia"""
_SWITCHES = """verify certificates:certificate verification:certificates are verified
follow redirects:following redirects:redirects are followed
compress responses:response compression:responses are compressed
reload templates:template reloading:templates are reloaded|colorize output:output colorizing:the output is colorized
rotate logs:log rotation:logs are rotated|share cookies:cookie sharing:cookies are shared"""
_TURNED_SWITCHES = """disable cache:the cache:disabled:enabled|skip checks:the checks:skipped:kept
ignore warnings:the warnings:ignored:reported|no color:color:off:on|exclude drafts:the drafts:excluded:included"""
_FUNCTIONS = """open log|bind port|clear cache|load rules|flush queue|close socket|reload state|start server|drain pool
send report|check lock|parse header|read token|merge index|rotate key"""
_EMPTY = "user name|host name|file path|access key|request body|search term"
_SORTED = "created at|file size|hit count|start time|page rank"
_OTHER = "audit window|banner rows|ledger tail|mirror lag|quorum votes|puzzle rank|sprite scale"
_DECOYS = (("spare", "slots"), ("tile", "border"), ("canary", "share"))
_DECOY_VALUES = ("13", "17", "19")
_SPELLINGS = {
    "color": "colour", "neighbor": "neighbour", "catalog": "catalogue", "serializer": "serialiser",
    "colorize": "colourise", "colorizing": "colourising", "colorized": "colourised",
}  # fmt: skip


def _split(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(name.split()) for name in re.split(r"[|\n]", text))


def _fields(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(each.split(":")) for each in re.split(r"[|\n]", text))


@dataclass(frozen=True, slots=True)
class Said:
    """Something that is said of a fact, and the rule by which it was made."""

    rule: str
    text: str


@dataclass(slots=True)
class Written:
    """A fact as its language writes it, and what is said of it: `plain` is true."""

    text: str
    plain: str
    true: list[Said] = field(default_factory=list)
    false: list[Said] = field(default_factory=list)
    unrelated: list[Said] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Case:
    """One claim with its cited lines. `plain` is the plain true claim of the same fact."""

    kind: str
    language: str
    truth: Truth
    rule: str
    claim: str
    plain: str
    path: str
    file: tuple[str, ...]
    first: int
    last: int

    def row(self, claim: str | None = None) -> Row:
        """The row of this claim, or of another on the same lines."""
        numbered = list(enumerate(self.file, 1))[self.first - 1 : self.last]
        return Row.of(claim=claim or self.claim, lines=numbered, path=self.path, file=self.file)

    def shown(self, verdict: Verdict) -> str:
        """All that a person needs to follow a failure."""
        cited = "\n".join(f"    {number:>2}| {self.file[number - 1]}" for number in range(self.first, self.last + 1))
        return (
            f"{self.kind} · {self.language} · {self.truth} · {self.rule}\n"
            f"  claim: {self.claim}\n  plain: {self.plain}\n  {self.path}:\n{cited}\n"
            f"  said: {verdict.label} ({verdict.basis})"
        )


# --- words


_SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen""".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def in_words(number: int) -> str:
    """A number below a million in words."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_SMALL[hundreds]} hundred" + (f" and {in_words(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    return f"{in_words(thousands)} thousand" + (f" {in_words(rest)}" if rest else "")


def capital(text: str) -> str:
    """A sentence with a capital at its start; a name of code stays as it is."""
    first = text.split(" ", 1)[0]
    return text if re.search(r"[_(`.]|[a-z][A-Z]", first) else text[:1].upper() + text[1:]


_FRAMES = {
    "X is V": "{s} is {v}.",
    "X defaults to V": "{s} defaults to {v}.",
    "by default, X is V": "by default, {s} is {v}.",
    "X is V by default": "{s} is {v} by default.",
    "V is the default of X": "{v} is the default of {s}.",
    "V is the default for X": "{v} is the default for {s}.",
    "X is set to V": "{s} is set to {v}.",
    "X has been set to V": "{s} has been set to {v}.",
    "the default of X is V": "the default of {s} is {v}.",
    "note that X is V": "note that {s} is {v}.",
    "in practice, X is V": "in practice, {s} is {v}.",
    "unless configured, X is V": "unless configured otherwise, {s} is {v}.",
    "X is V unless configured": "{s} is {v} unless configured otherwise.",
    "out of the box X is V": "out of the box {s} is {v}.",
    "X equals V": "{s} equals {v}.",
    "the value of X is V": "the value of {s} is {v}.",
    "X has the value V": "{s} has the value {v}.",
    "here X is V": "here, {s} is {v}.",
    "we set X to V": "we set {s} to {v}.",
    "the code sets X to V": "the code sets {s} to {v}.",
    "X (V) is set here": "{s} ({v}) is set here.",
    "X, which is V, is set here": "{s}, which is {v}, is set here.",
}


def framed(frame: str, subject: str, value: str) -> str:
    """A sentence that gives the subject the value."""
    return capital(_FRAMES[frame].format(s=subject, v=value))


def spelled_in(template: str, name: dict[str, str]) -> str:
    """The subject's name as the template spells it, "" where it only stands there in words."""
    match = re.search(r"[\w@]*<(?:UPPER|snake|camel|Pascal|kebab)>\w*", template)
    return fill(match[0], name) if match else ""


def mentions(words: tuple[str, ...], spelled: str, owner: str) -> dict[str, str]:
    """The subject by how it is spelled; the first is the plain one."""
    name = styles(words)
    found = {}
    if spelled:
        found["name as written"] = f"`{spelled}`"
        if re.search(r"[_@]|[a-z][A-Z]", spelled):
            found["name without back-ticks"] = spelled.lstrip("@")
    found["words"] = f"the {name['plain']}"
    found |= {f"name as {style}": f"`{name[style]}`" for style in ("camel", "snake", "kebab")}
    if owner and spelled:
        found["dotted name"] = f"`{owner}.{spelled.lstrip('@_')}`"
    other = " ".join(_SPELLINGS.get(word, word) for word in words)
    if other != name["plain"]:
        found["British spelling"] = f"the {other}"
    return found


def reworded(subjects: dict[str, str], values: dict[str, str], rng: random.Random) -> list[Said]:
    """Sentences that give the subject the value: each way of saying it alone, and some mixed."""
    subject, value = next(iter(subjects.values())), next(iter(values.values()))
    found = [Said(f"frame: {frame}", framed(frame, subject, value)) for frame in _FRAMES]
    found += [Said(f"subject: {rule}", framed("X is V", text, value)) for rule, text in subjects.items()]
    found += [Said(f"value: {rule}", framed("X is V by default", subject, text)) for rule, text in values.items()]
    for _ in range(12):
        frame, how, what = rng.choice(list(_FRAMES)), rng.choice(list(subjects)), rng.choice(list(values))
        found.append(Said(f"mixed: {frame}; {how}; {what}", framed(frame, subjects[how], values[what])))
    return found


def misgiven(subjects: dict[str, str], values: Iterable[tuple[str, str]], rng: random.Random) -> list[Said]:
    """Sentences that give the subject values that it has not."""
    return [
        Said(rule, framed(frame, subjects[how], value))
        for rule, value in values
        for frame, how in [("X is V", next(iter(subjects))), (rng.choice(list(_FRAMES)), rng.choice(list(subjects)))]
    ]


def of_others(words: tuple[str, ...], value: str, rng: random.Random) -> list[Said]:
    """Claims of things that the lines do not speak of."""
    other = rng.choice(_split(_OTHER))
    near = (rng.choice(("mirror", "ledger", "quorum", "banner")), *words[1:])
    plain = " ".join(words)
    return [
        Said("another thing, same value", f"The {' '.join(other)} is {value}."),
        Said("another name, same value", f"`{'_'.join(other)}` is {value} by default."),
        Said("a name with the same last word, same value", f"`{'_'.join(near)}` is {value}."),
        Said("words with the same last word, same value", f"The {' '.join(near)} is {value} by default."),
        Said("something else of the same thing", f"The {plain} is written to the ledger on every request."),
        Said("its reason", f"The {plain} is {value} because the mirror needs a quorum."),
    ]


# --- kinds


Kind = Callable[[Syntax, random.Random], Written]


def _number(syntax: Syntax, rng: random.Random) -> Written:
    words, template = rng.choice(_split(_COUNTS)), rng.choice(syntax.number)
    number = rng.choice((2, 3, 4, 5, 7, 8, 12, 20, 25, 32, 50, 64, 100, 128, 500, 1000, 1500, 2048, 4096, 10000, 65536))
    name = styles(words)
    subjects = mentions(words, spelled_in(template, name), syntax.owner)
    values = {"digits": str(number), "number word": in_words(number)}
    if number >= 1000:
        values["thousands separator"] = f"{number:,}"
    other = number + rng.choice((1, 2, 5, 10, 1000))
    found = Written(
        fill(template, {**name, "v": str(number)}), framed("X is V", next(iter(subjects.values())), str(number))
    )
    subject = next(iter(subjects.values()))
    found.true = [
        *reworded(subjects, values, rng),
        Said("holds: at most", capital(f"{subject} is at most {number}.")),
        Said("holds: less than", capital(f"{subject} is less than {other}.")),
        Said("holds: not another", capital(f"{subject} is not {other}.")),
    ]
    wrong = [
        ("another number", str(other)),
        ("another number in words", in_words(other)),
        ("ten times", f"{number * 10:,}"),
    ]
    found.false = [*misgiven(subjects, wrong, rng), *_turned(subject, str(number), str(other))]
    found.unrelated = of_others(words, str(number), rng)
    return found


def _turned(subject: str, value: str, more: str) -> list[Said]:
    return [
        Said("negation: is not", capital(f"{subject} is not {value}.")),
        Said("negation: is never", capital(f"{subject} is never {value}.")),
        Said("negation: does not default to", capital(f"{subject} does not default to {value}.")),
        Said("comparator: at least more", capital(f"{subject} is at least {more}.")),
        Said("comparator: more than", capital(f"{subject} is more than {value}.")),
        Said("comparator: less than", capital(f"{subject} is less than {value}.")),
        Said("changed to another", capital(f"{subject} was changed from {value} to {more}.")),
        Said("no longer", capital(f"{subject} is no longer {value}.")),
        Said("a second clause of another thing", capital(f"{subject} is {value}, and `quorum_votes` is {more}.")),
    ]


_TIME_NUMBERS = {
    "ms": (250, 500, 1500, 2000, 5000, 30000, 60000),
    "s": (2, 5, 10, 30, 45, 60, 90, 300, 3600),
    "m": (2, 5, 10, 30, 60, 90),
}
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_TIME_UNITS = (
    ("ms", 0.001),
    ("milliseconds", 0.001),
    ("seconds", 1.0),
    ("s", 1.0),
    ("minutes", 60.0),
    ("hours", 3600.0),
)
_PLAIN_TIMES = {0.5: "half a second", 60.0: "a minute", 3600.0: "an hour", 1800.0: "half an hour", 86400.0: "a day"}


def _amount(value: float) -> str:
    return f"{value:g}" if value < 1000 or value != int(value) else str(int(value))


def _time_values(number: int, unit: str) -> dict[str, str]:
    seconds = number * _SECONDS[unit]
    own = {"ms": "ms", "s": "seconds", "m": "minutes"}[unit]
    found = {
        "own unit": f"{number} {own}",
        "own unit in words": f"{in_words(number)} {own.replace('ms', 'milliseconds')}",
    }
    for name, factor in _TIME_UNITS:
        amount = round(seconds / factor, 6)
        if 0.1 <= amount < 10**7 and amount * 4 == int(amount * 4) and name != own:
            found[f"in {name}"] = f"{_amount(amount)} {name}"
            if amount >= 1000 and amount == int(amount):
                found[f"in {name}, thousands separator"] = f"{int(amount):,} {name}"
            if amount == int(amount) and amount < 100:
                found[f"in {name}, in words"] = f"{in_words(int(amount))} {name}"
    if seconds in _PLAIN_TIMES:
        found["as one says it"] = _PLAIN_TIMES[seconds]
    return found


def _time(syntax: Syntax, rng: random.Random) -> Written:
    words, (template, unit) = rng.choice(_split(_TIMES)), rng.choice(syntax.time)
    number = rng.choice(_TIME_NUMBERS[unit])
    name = styles(words)
    subjects = mentions(words, spelled_in(template, name), syntax.owner)
    subject, values = next(iter(subjects.values())), _time_values(number, unit)
    own = next(iter(values.values()))
    found = Written(fill(template, {**name, "v": str(number)}), framed("X is V", subject, own))
    found.true = [*reworded(subjects, values, rng), Said("holds: at most", capital(f"{subject} is at most {own}."))]
    wrong_unit = {"ms": "seconds", "s": "minutes", "m": "seconds"}[unit]
    far_unit = {"ms": "minutes", "s": "ms", "m": "hours"}[unit]
    more = _amount(number * rng.choice((2, 3, 4)))
    wrong = [
        ("same number, another unit", f"{number} {wrong_unit}"),
        ("same number, a far unit", f"{number} {far_unit}"),
        ("another number", f"{more} {own.split()[1]}"),
    ]
    found.false = [*misgiven(subjects, wrong, rng), *_turned(subject, own, f"{more} {own.split()[1]}")]
    found.unrelated = of_others(words, own, rng)
    return found


_BYTES = {"B": 1, "K": 1024, "M": 1024**2}


def _size(syntax: Syntax, rng: random.Random) -> Written:
    words, (template, unit) = rng.choice(_split(_SIZES)), rng.choice(syntax.size)
    number = rng.choice({"B": (4096, 8192, 65536, 1048576), "K": (4, 16, 64, 512), "M": (2, 5, 16, 64)}[unit])
    total = number * _BYTES[unit]
    name = styles(words)
    subjects = mentions(words, spelled_in(template, name), syntax.owner)
    values = {}
    for label, factor in (("MiB", 1024**2), ("MB", 1024**2), ("KiB", 1024), ("KB", 1024), ("bytes", 1)):
        if total % factor == 0:
            values[f"in {label}"] = f"{total // factor} {label}"
            if total // factor >= 1000:
                values[f"in {label}, thousands separator"] = f"{total // factor:,} {label}"
            if total // factor < 100:
                values[f"in {label}, in words"] = f"{in_words(total // factor)} {label}"
    subject, own = next(iter(subjects.values())), next(iter(values.values()))
    found = Written(fill(template, {**name, "v": str(number)}), framed("X is V", subject, own))
    found.true = [*reworded(subjects, values, rng), Said("holds: at most", capital(f"{subject} is at most {own}."))]
    count, label = own.split()
    more = f"{int(count) * rng.choice((2, 4, 10))} {label}"
    wrong_unit = {"MiB": "GiB", "KiB": "MiB", "bytes": "KiB"}[label]
    wrong = [("same number, another unit", f"{count} {wrong_unit}"), ("another number", more)]
    found.false = [*misgiven(subjects, wrong, rng), *_turned(subject, own, more)]
    found.unrelated = of_others(words, own, rng)
    return found


def _function(words: tuple[str, ...], syntax: Syntax) -> str:
    return styles(words)[syntax.style]


def _parameter(syntax: Syntax, rng: random.Random) -> Written:
    words, template = rng.choice(_split(_COUNTS)), rng.choice(syntax.parameter)
    one, other_function = rng.sample(_split(_FUNCTIONS), 2)
    function, number = _function(one, syntax), rng.choice((2, 3, 5, 8, 10, 25, 50, 100, 250, 1000, 5432))
    name = styles(words)
    spelled = spelled_in(template, name)
    subjects = {
        "of its function": f"`{spelled}` of `{function}`",
        "parameter of": f"the `{spelled}` parameter of `{function}`",
        "argument to": f"the `{spelled}` argument to `{function}`",
        "name alone": f"`{spelled}`",
        **mentions(words, spelled, ""),
    }
    values = {"digits": str(number), "number word": in_words(number)}
    if number >= 1000:
        values["thousands separator"] = f"{number:,}"
    other = number + rng.choice((1, 2, 5, 10, 1000))
    found = Written(
        fill(template, {**name, "v": str(number), "f": function}),
        f"`{spelled}` of `{function}` is {number} by default.",
    )
    called = [
        Said("function as subject: takes", f"`{function}` takes `{spelled}`, which is {number} by default."),
        Said("function as subject: uses", f"`{function}` uses a {name['plain']} of {number} by default."),
        Said("passive", f"A {name['plain']} of {number} is used by `{function}` by default."),
        Said("when none is given", f"If no `{spelled}` is given, `{function}` uses {number}."),
        Said("clause order", f"`{function}` uses {number} if no `{spelled}` is given."),
    ]
    found.true = [*reworded(subjects, values, rng), *called]
    wrong = [("another number", str(other)), ("another number in words", in_words(other))]
    plain = f"`{spelled}` of `{function}`"
    found.false = [
        *misgiven(subjects, wrong, rng),
        *_turned(plain, str(number), str(other)),
        Said("another number, function as subject", f"`{function}` uses a {name['plain']} of {other} by default."),
        Said("no default", f"`{spelled}` of `{function}` has no default."),
        Said("no default: required", f"`{spelled}` of `{function}` must always be given."),
    ]
    stranger = _function(other_function, syntax)
    found.unrelated = [
        *of_others(words, str(number), rng),
        Said("another function, same value", f"`{spelled}` of `{stranger}` is {number} by default."),
    ]
    return found


def _switch(syntax: Syntax, rng: random.Random) -> Written:
    if rng.random() < 0.25:
        return _turned_switch(syntax, rng)
    written, noun, habit = rng.choice(_fields(_SWITCHES))
    words, template, is_on = tuple(written.split()), rng.choice(syntax.switch), rng.random() < 0.5
    name = styles(words)
    spelled = spelled_in(template, name)
    on, off = ("enabled", "disabled") if is_on else ("disabled", "enabled")
    literal, opposite = str(is_on).lower(), str(not is_on).lower()
    subjects = {**mentions(words, spelled, syntax.owner), "noun": noun}
    subjects["words"] = noun
    ways = {"enabled": on, "on": "on" if is_on else "off", "true": f"`{literal}`", "bare true": literal}
    ways |= {"turned on": f"turned {'on' if is_on else 'off'}", "switched on": f"switched {'on' if is_on else 'off'}"}
    wrong = {"enabled": off, "on": "off" if is_on else "on", "true": f"`{opposite}`", "bare true": opposite}
    wrong |= {"turned on": f"turned {'off' if is_on else 'on'}", "switched on": f"switched {'off' if is_on else 'on'}"}
    happens = habit if is_on else habit.replace(" are ", " are not ").replace(" is ", " is not ")
    not_so = habit.replace(" are ", " are not ").replace(" is ", " is not ") if is_on else habit
    subject = f"`{spelled}`"
    found = Written(fill(template, {**name, "on": syntax.on_off[not is_on]}), f"`{spelled}` is {on} by default.")
    frames = ("{s} is {w} by default.", "by default, {s} is {w}.", "{s} is {w}.", "out of the box {s} is {w}.",
              "note that {s} is {w} by default.", "{s} is {w} unless configured otherwise.")  # fmt: skip
    found.true = [
        *(Said(f"way: {rule}", capital(f"{subject} is {way} by default.")) for rule, way in ways.items()),
        *(Said(f"subject: {rule}", capital(f"{each} is {on} by default.")) for rule, each in subjects.items()),
        *(Said(f"frame: {each}", capital(each.format(s=subject, w=on))) for each in frames),
        Said("defaults to", f"`{spelled}` defaults to `{literal}`."),
        Said("set to", f"`{spelled}` is set to {literal}."),
        Said("habit", capital(f"by default, {happens}.")),
        Said("habit, clause order", capital(f"{happens} by default.")),
        Said("holds: not the opposite", f"`{spelled}` is not {off} by default."),
    ]
    found.false = [
        *(Said(f"boolean: {rule}", capital(f"{subject} is {way} by default.")) for rule, way in wrong.items()),
        *(
            Said(f"boolean, subject: {rule}", capital(f"{each} is {off} by default."))
            for rule, each in subjects.items()
        ),
        *(Said(f"boolean, frame: {each}", capital(each.format(s=subject, w=off))) for each in frames),
        Said("boolean: defaults to", f"`{spelled}` defaults to `{opposite}`."),
        Said("boolean: habit", capital(f"by default, {not_so}.")),
        Said("boolean: habit, clause order", capital(f"{not_so} by default.")),
        Said("negation: is not", f"`{spelled}` is not {on} by default."),
        Said("negation: never", f"`{spelled}` is never {on}."),
        Said("no longer", f"`{spelled}` is no longer {on} by default."),
    ]
    found.unrelated = of_others(words, on, rng)
    return found


def _turned_switch(syntax: Syntax, rng: random.Random) -> Written:
    written, noun, acts, rests = rng.choice(_fields(_TURNED_SWITCHES))
    words, template, is_on = tuple(written.split()), rng.choice(syntax.switch), rng.random() < 0.5
    name = styles(words)
    spelled = spelled_in(template, name)
    verb = "are" if noun.endswith("s") else "is"
    so, not_so = (acts, rests) if is_on else (rests, acts)
    found = Written(
        fill(template, {**name, "on": syntax.on_off[not is_on]}), f"`{spelled}` is {str(is_on).lower()} by default."
    )
    found.true = [
        Said("what it does", capital(f"{noun} {verb} {so} by default.")),
        Said("what it does, clause order", capital(f"by default, {noun} {verb} {so}.")),
        Said("what it does not", capital(f"{noun} {verb} not {not_so} by default.")),
        Said("name and truth", f"`{spelled}` is {str(is_on).lower()}."),
        Said("name turned", f"`{spelled}` is turned {'on' if is_on else 'off'}."),
    ]
    found.false = [
        Said("boolean of a turned name: noun", capital(f"{noun} {verb} {not_so} by default.")),
        Said("boolean of a turned name: clause order", capital(f"by default, {noun} {verb} {not_so}.")),
        Said("boolean of a turned name: negation", capital(f"{noun} {verb} not {so} by default.")),
        Said("boolean of a turned name: name", f"`{spelled}` is {str(not is_on).lower()}."),
        Said("boolean of a turned name: turned", f"`{spelled}` is turned {'off' if is_on else 'on'}."),
    ]
    found.unrelated = of_others(words, str(is_on).lower(), rng)
    return found


def _text(syntax: Syntax, rng: random.Random) -> Written:
    written, choices = rng.choice(_fields(_TEXTS))
    words, template = tuple(written.split()), rng.choice(syntax.text)
    value, *others = rng.sample(choices.split(), 3)
    name = styles(words)
    subjects = mentions(words, spelled_in(template, name), syntax.owner)
    subject = next(iter(subjects.values()))
    values = {
        "back-ticks": f"`{value}`",
        "quotes": f'"{value}"',
        "single quotes": f"'{value}'",
        "curly quotes": f"“{value}”",
        "bare": value,
    }
    found = Written(fill(template, {**name, "v": value}), framed("X is V", subject, f"`{value}`"))
    found.true = [
        *reworded(subjects, values, rng),
        Said("holds: not another", capital(f"{subject} is not `{others[0]}`.")),
    ]
    wrong = [
        ("another text", f"`{others[0]}`"),
        ("another text, quotes", f'"{others[1]}"'),
        ("another text, bare", others[0]),
    ]
    found.false = [
        *misgiven(subjects, wrong, rng),
        Said("negation: is not", capital(f"{subject} is not `{value}`.")),
        Said("negation: is never", capital(f"{subject} is never `{value}`.")),
        Said("instead of", capital(f"{subject} is `{others[0]}` instead of `{value}`.")),
        Said("changed to another", capital(f"{subject} was changed from `{value}` to `{others[0]}`.")),
    ]
    found.unrelated = of_others(words, f"`{value}`", rng)
    return found


_OPERATORS = {
    ">": ("greater than {v}", "more than {v}", "above {v}", "over {v}", "larger than {v}", "beyond {v}"),
    "<": ("less than {v}", "smaller than {v}", "below {v}", "under {v}", "lower than {v}"),
    ">=": ("at least {v}", "{v} or more", "no less than {v}", "{v} or higher", "not below {v}"),
    "<=": ("at most {v}", "{v} or less", "no more than {v}", "{v} or lower", "up to {v}"),
}
_OPPOSITE = {">": "<", "<": ">", ">=": "<", "<=": ">"}
_BOUNDARY = {">": ">=", "<": "<=", ">=": ">", "<=": "<"}


def _comparator(syntax: Syntax, rng: random.Random) -> Written:
    words, operator, number = (
        rng.choice(_split(_COUNTS)),
        rng.choice(list(_OPERATORS)),
        rng.choice((2, 3, 5, 8, 10, 64, 100, 500)),
    )
    one, stranger = rng.sample(_split(_FUNCTIONS), 2)
    function, (error, wrong_error) = _function(one, syntax), rng.sample(syntax.errors, 2)
    verb, done = syntax.fails
    name = styles(words)
    # what holds above 5 holds above 10 too, so the other number lies on the side where nothing happens
    away = rng.choice((1, 5, 10))
    other = str(max(1, number - away) if operator.startswith(">") else number + away)
    plain, value = name["plain"], str(number)
    slots = {**name, "f": function, "Err": error, "op": operator, "v": value}
    phrases = [phrase.format(v=value) for phrase in _OPERATORS[operator]]
    first = phrases[0]

    def said(function: str, error: str, phrase: str) -> str:
        return f"`{function}` {verb} `{error}` if the {plain} is {phrase}."

    found = Written(fill(syntax.condition, slots), said(function, error, first))
    found.true = [
        *(
            Said(f"comparator: {_OPERATORS[operator][at]}", said(function, error, each))
            for at, each in enumerate(phrases)
        ),
        Said("number word", said(function, error, _OPERATORS[operator][0].format(v=in_words(number)))),
        Said("symbol", f"`{function}` {verb} `{error}` if `{name[_style_of(syntax)]} {operator} {value}`."),
        Said("clause order", f"If the {plain} is {first}, `{function}` {verb} `{error}`."),
        Said("when", f"When the {plain} is {first}, `{error}` is {done}."),
        Said("passive", f"`{error}` is {done} by `{function}` if the {plain} is {first}."),
        Said("as subject", f"A {plain} of {first} makes `{function}` fail with `{error}`."),
        Said("note that", f"Note that {said(function, error, first)}"),
        Said("camelCase", said(styles(one)["camel"], error, first)),
        Said("snake_case", said(styles(one)["snake"], error, first)),
        Said("without back-ticks", f"{function}() {verb} {error} if the {plain} is {first}."),
    ]
    flips = _OPERATORS[_OPPOSITE[operator]]
    found.false = [
        *(Said("comparator: opposite", said(function, error, each.format(v=value))) for each in flips[:4]),
        Said(
            "comparator: opposite, clause order",
            f"If the {plain} is {flips[0].format(v=value)}, `{function}` {verb} `{error}`.",
        ),
        Said(
            "comparator: opposite, passive",
            f"`{error}` is {done} by `{function}` if the {plain} is {flips[1].format(v=value)}.",
        ),
        Said("comparator: boundary", said(function, error, _OPERATORS[_BOUNDARY[operator]][0].format(v=value))),
        Said("another number", said(function, error, _OPERATORS[operator][0].format(v=other))),
        Said(
            "another number, when",
            f"When the {plain} is {_OPERATORS[operator][1].format(v=other)}, `{error}` is {done}.",
        ),
        Said("another error", said(function, wrong_error, first)),
        Said("another error, passive", f"`{wrong_error}` is {done} by `{function}` if the {plain} is {first}."),
        Said(
            "negation: does not", f"`{function}` does not {verb.removesuffix('s')} `{error}` if the {plain} is {first}."
        ),
        Said("negation: never", f"`{function}` never {verb} `{error}`."),
    ]
    other_function = _function(stranger, syntax)
    found.unrelated = [
        *of_others(words, value, rng),
        Said("another function", f"`{other_function}` {verb} `{error}` if the mirror lag is {first}."),
    ]
    return found


def _style_of(syntax: Syntax) -> str:
    """The style of the conditions' variables."""
    return "camel" if "<camel>" in syntax.condition else "snake"


def _raises(syntax: Syntax, rng: random.Random) -> Written:
    words = rng.choice(_split(_EMPTY))
    one, stranger = rng.sample(_split(_FUNCTIONS), 2)
    function, (error, wrong) = _function(one, syntax), rng.sample(syntax.errors, 2)
    verb, done = syntax.fails
    base = verb.removesuffix("s")
    name = styles(words)
    plain = name["plain"]
    found = Written(
        fill(syntax.raises, {**name, "f": function, "Err": error}),
        f"`{function}` {verb} `{error}` if the {plain} is empty.",
    )

    def ways(error: str) -> dict[str, str]:
        return {
            "if": f"`{function}` {verb} `{error}` if the {plain} is empty.",
            "when": f"`{function}` {verb} `{error}` when the {plain} is empty.",
            "clause order": f"If the {plain} is empty, `{function}` {verb} `{error}`.",
            "passive": f"`{error}` is {done} by `{function}` if the {plain} is empty.",
            "passive without function": f"`{error}` is {done} for an empty {plain}.",
            "fails with": f"`{function}` fails with `{error}` if the {plain} is empty.",
            "as subject": f"An empty {plain} makes `{function}` {base} `{error}`.",
            "as subject, short": f"An empty {plain} {verb} `{error}`.",
            "note that": f"Note that `{function}` {verb} `{error}` on an empty {plain}.",
            "in practice": f"In practice, `{function}` {verb} `{error}` on an empty {plain}.",
            "without back-ticks": f"{function}() {verb} {error} if the {plain} is empty.",
            "parameter in back-ticks": f"`{function}` {verb} `{error}` if `{name['snake']}` is empty.",
            "camelCase": f"`{styles(one)['camel']}` {verb} `{error}` if the {plain} is empty.",
            "snake_case": f"`{styles(one)['snake']}` {verb} `{error}` if the {plain} is empty.",
        }

    found.true = [Said(rule, text) for rule, text in ways(error).items()]
    if verb != "returns":
        found.true += [
            Said("synonym: throws", f"`{function}` throws `{error}` if the {plain} is empty."),
            Said("synonym: raises", f"`{function}` raises `{error}` if the {plain} is empty."),
        ]
    found.false = [
        *(Said(f"another error: {rule}", text) for rule, text in ways(wrong).items()),
        Said("negation: never", f"`{function}` never {verb} `{error}`."),
        Said("negation: does not", f"`{function}` does not {base} `{error}` if the {plain} is empty."),
        Said("negation: condition", f"`{function}` {verb} `{error}` if the {plain} is not empty."),
        Said("negation: unless", f"`{function}` {verb} `{error}` unless the {plain} is empty."),
        Said("negation: passive", f"`{error}` is not {done} for an empty {plain}."),
        Said("another function of the same error", f"`{error}` is {done} by `{_function(stranger, syntax)}`."),
    ]
    found.unrelated = [
        Said(
            "another function and error", f"`{_function(stranger, syntax)}` {verb} `QuorumLost` if the ledger is full."
        ),
        Said("another thing of the function", f"`{function}` writes the {plain} to the ledger."),
        Said("another function", f"`{_function(stranger, syntax)}` is run once the quorum is reached."),
        Said("its reason", f"`{function}` {verb} `{error}` because the mirror rejects an empty {plain}."),
    ]
    return found


def _returns(syntax: Syntax, rng: random.Random) -> Written:
    one, stranger = rng.sample(_split(_FUNCTIONS), 2)
    function, number = _function(one, syntax), rng.choice((2, 3, 4, 5, 7, 9, 12, 42, 64, 100, 200, 404, 1000))
    other = number + rng.choice((1, 2, 5, 10))
    found = Written(fill(syntax.returns, {"f": function, "v": str(number)}), f"`{function}` returns {number}.")

    def ways(value: str) -> dict[str, str]:
        return {
            "returns": f"`{function}` returns {value}.",
            "with brackets": f"`{function}()` returns {value}.",
            "always": f"`{function}` always returns {value}.",
            "passive": f"{value} is returned by `{function}`.",
            "the result": f"The result of `{function}` is {value}.",
            "gives back": f"`{function}` gives back {value}.",
            "what it returns": f"What `{function}` returns is {value}.",
            "note that": f"Note that `{function}` returns {value}.",
            "in practice": f"In practice, `{function}` returns {value}.",
            "calling": f"Calling `{function}` returns {value}.",
            "without back-ticks": f"{function}() returns {value}.",
            "camelCase": f"`{styles(one)['camel']}` returns {value}.",
            "snake_case": f"`{styles(one)['snake']}` returns {value}.",
            "the number": f"`{function}` returns the number {value}.",
        }

    found.true = [Said(rule, capital(text)) for rule, text in ways(str(number)).items()]
    found.true += [Said(f"number word: {rule}", capital(text)) for rule, text in ways(in_words(number)).items()]
    found.true.append(Said("holds: not another", f"`{function}` does not return {other}."))
    found.false = [
        *(Said(f"another number: {rule}", capital(text)) for rule, text in ways(str(other)).items()),
        *(Said(f"another number in words: {rule}", capital(text)) for rule, text in ways(in_words(other)).items()),
        Said("negation: never", f"`{function}` never returns {number}."),
        Said("negation: does not", f"`{function}` does not return {number}."),
        Said("negation: nothing", f"`{function}` returns nothing."),
        Said("comparator: more than", f"`{function}` returns more than {number}."),
        Said("comparator: less than", f"`{function}` returns less than {number}."),
        Said("no longer", f"`{function}` no longer returns {number}."),
    ]
    strange = _function(stranger, syntax)
    found.unrelated = [
        Said("another function, same value", f"`{strange}` returns {number}."),
        Said("another function, another value", f"`{strange}` returns {other}."),
        Said("takes it", f"`{function}` takes {number} arguments."),
        Said("something else of it", f"`{function}` waits until the quorum is reached."),
    ]
    return found


def _calls(syntax: Syntax, rng: random.Random) -> Written:
    picked = rng.sample(_split(_FUNCTIONS), 4)
    f, g, h, strange = (_function(words, syntax) for words in picked)
    found = Written(fill(syntax.calls, {"f": f, "g": g, "h": h}), f"`{f}` calls `{g}`.")

    def ways(f: str, g: str, h: str) -> dict[str, str]:
        return {
            "calls": f"`{f}` calls `{g}`.",
            "calls, second": f"`{f}` calls `{h}`.",
            "passive": f"`{g}` is called by `{f}`.",
            "passive, from": f"`{h}` is called from `{f}`.",
            "synonym: invokes": f"`{f}` invokes `{g}`.",
            "both": f"`{f}` calls `{g}` and `{h}`.",
            "with brackets": f"`{f}()` calls `{g}()`.",
            "without back-ticks": f"{f}() calls {g}().",
            "note that": f"Note that `{f}` calls `{g}`.",
            "in practice": f"In practice, `{f}` calls `{h}`.",
            "caller": f"`{f}` is the caller of `{g}`.",
        }

    def orders(g: str, h: str) -> dict[str, str]:
        return {
            "before": f"`{f}` calls `{g}` before `{h}`.",
            "after": f"`{f}` calls `{h}` after `{g}`.",
            "runs before": f"`{g}` runs before `{h}`.",
            "runs after": f"`{h}` runs after `{g}`.",
            "is called before": f"`{g}` is called before `{h}`.",
            "and then": f"`{f}` calls `{g}` and then `{h}`.",
            "first": f"`{f}` calls `{g}` first.",
            "last": f"`{f}` calls `{h}` last.",
            "first, then": f"`{f}` first calls `{g}`, then `{h}`.",
            "followed by": f"`{g}` is followed by `{h}`.",
        }

    camel = [styles(words)["camel"] for words in picked]
    snake = [styles(words)["snake"] for words in picked]
    found.true = [Said(rule, text) for rule, text in ways(f, g, h).items()]
    found.true += [Said(f"order: {rule}", text) for rule, text in orders(g, h).items()]
    found.true += [
        Said("camelCase", f"`{camel[0]}` calls `{camel[1]}`."),
        Said("snake_case", f"`{snake[0]}` calls `{snake[2]}`."),
    ]
    found.false = [
        *(Said(f"order turned: {rule}", text) for rule, text in orders(h, g).items()),
        Said("caller and callee: calls", f"`{g}` calls `{f}`."),
        Said("caller and callee: second", f"`{h}` calls `{f}`."),
        Said("caller and callee: passive", f"`{f}` is called by `{g}`."),
        Said("caller and callee: passive, from", f"`{f}` is called from `{h}`."),
        Said("caller and callee: invokes", f"`{g}` invokes `{f}`."),
        Said("caller and callee: callees", f"`{g}` calls `{h}`."),
        Said("caller and callee: brackets", f"`{g}()` calls `{f}()`."),
        Said("negation: does not", f"`{f}` does not call `{g}`."),
        Said("negation: never", f"`{f}` never calls `{h}`."),
        Said("negation: passive", f"`{g}` is not called by `{f}`."),
        Said("another callee", f"`{f}` calls `{strange}`."),
        Said("another callee beside", f"`{f}` calls `{g}` and `{strange}`."),
        Said("only one of two", f"`{f}` calls only `{g}`."),
    ]
    found.unrelated = [
        Said("another caller and callee", f"`{strange}` calls `quorum_votes`."),
        Said("what it returns", f"`{f}` returns the result of the quorum."),
        Said("another thing of the callee", f"`{g}` writes to the ledger."),
        Said("its reason", f"`{f}` calls `{g}` because the mirror may lag."),
    ]
    return found


def _sorted(syntax: Syntax, rng: random.Random) -> Written:
    words, falls = rng.choice(_split(_SORTED)), rng.random() < 0.5
    template = syntax.down if falls else syntax.up
    name = styles(words)
    spelled = spelled_in(template, name)
    down = {"descending": "descending", "largest": "largest", "highest": "highest", "greatest": "greatest"}
    rise = {"descending": "ascending", "largest": "smallest", "highest": "lowest", "greatest": "least"}
    so, turned = (down, rise) if falls else (rise, down)

    def ways(word: dict[str, str], reverse: dict[str, str]) -> dict[str, str]:
        return {
            "in … order": f"Rows are sorted by `{spelled}` in {word['descending']} order.",
            "adverb": f"The rows are sorted by `{spelled}`, {word['descending']}.",
            "ordered": f"The rows are ordered by `{spelled}` in {word['descending']} order.",
            "largest first": f"Rows are sorted by `{spelled}`, {word['largest']} first.",
            "highest first": f"Rows are sorted by `{spelled}`, {word['highest']} first.",
            "from … to": f"Rows are sorted by `{spelled}` from {word['largest']} to {reverse['largest']}.",
            "words": f"Rows are sorted by {name['plain']}, {word['largest']} first.",
            "note that": f"Note that rows are sorted by `{spelled}` in {word['descending']} order.",
            "order first": f"In {word['descending']} order of `{spelled}`, the rows are sorted here.",
            "the … comes first": f"The row with the {word['highest']} `{spelled}` comes first.",
            "comes last": f"The row with the {reverse['highest']} `{spelled}` comes last.",
        }

    found = Written(fill(template, name), ways(so, turned)["in … order"])
    found.true = [Said(rule, text) for rule, text in ways(so, turned).items()]
    found.false = [
        *(Said(f"order turned: {rule}", text) for rule, text in ways(turned, so).items()),
        Said("negation", f"Rows are not sorted by `{spelled}`."),
        Said("another key", f"Rows are sorted by `quorum_votes` in {so['descending']} order."),
    ]
    found.unrelated = of_others(words, so["descending"], rng)
    return found


def _env(syntax: Syntax, rng: random.Random) -> Written:
    written, choices = rng.choice(_fields(_TEXTS))
    words, template = tuple(written.split()), rng.choice(syntax.env)
    value, other, _ = rng.sample(choices.split(), 3)
    name = styles(words)
    variable, wrong = (
        f"APP_{name['UPPER']}",
        rng.choice((f"SERVICE_{name['UPPER']}", "APP_LEDGER_TAIL", f"APP_{name['UPPER']}_2")),
    )
    plain = name["plain"]
    slots = {**name, "ENV": variable, "v": value}

    def reads(variable: str) -> dict[str, str]:
        return {
            "is read from": f"The {plain} is read from `{variable}`.",
            "comes from": f"The {plain} comes from the environment variable `{variable}`.",
            "sets": f"`{variable}` sets the {plain}.",
            "active": f"The code reads the {plain} from `{variable}`.",
            "taken from": f"The {plain} is taken from `{variable}`.",
            "without back-ticks": f"The {plain} is read from {variable}.",
            "note that": f"Note that the {plain} is read from `{variable}`.",
        }

    def falls_back(value: str) -> dict[str, str]:
        return {
            "defaults to": f"`{variable}` defaults to `{value}`.",
            "if not set": f"If `{variable}` is not set, the {plain} is `{value}`.",
            "clause order": f"The {plain} is `{value}` if `{variable}` is not set.",
            "falls back": f"The {plain} falls back to `{value}`.",
            "is the default": f"`{value}` is the default of `{variable}`.",
            "by default": f"By default, the {plain} is `{value}`.",
            "without": f"Without `{variable}`, the {plain} is `{value}`.",
        }

    found = Written(fill(template, slots), f"The {plain} is read from `{variable}`.")
    found.true = [
        *(Said(f"variable: {rule}", text) for rule, text in reads(variable).items()),
        *(Said(f"default: {rule}", text) for rule, text in falls_back(value).items()),
    ]
    found.false = [
        *(Said(f"another variable: {rule}", text) for rule, text in reads(wrong).items()),
        *(Said(f"another default: {rule}", text) for rule, text in falls_back(other).items()),
        Said("negation: never", f"The {plain} is never read from `{variable}`."),
        Said("negation: not from the environment", f"The {plain} is not read from `{variable}`."),
        Said("negation: default", f"`{variable}` does not default to `{value}`."),
        Said("no default", f"`{variable}` has no default."),
    ]
    found.unrelated = of_others(words, f"`{value}`", rng)
    return found


def _guard(syntax: Syntax, rng: random.Random) -> Written:
    f, strange = (_function(words, syntax) for words in rng.sample(_split(_FUNCTIONS), 2))
    found = Written(fill(syntax.guard, {"f": f}), f"On Windows, `{f}` is called.")
    found.true = [
        Said("only on", f"`{f}` is called only on Windows."),
        Said("is called on", f"`{f}` is called on Windows."),
        Said("runs on", f"`{f}` runs on Windows."),
        Said("only, first", f"Only on Windows is `{f}` called."),
        Said("if", f"If the platform is Windows, `{f}` is called."),
        Said("active", f"On Windows the code calls `{f}`."),
        Said("with brackets", f"`{f}()` is called on Windows."),
        Said("note that", f"Note that on Windows `{f}` is called."),
        Said("holds: not elsewhere", f"`{f}` is not called on Linux."),
        Said("holds: elsewhere", f"On platforms other than Windows, `{f}` is not called."),
    ]
    found.false = [
        Said("guard: everywhere", f"`{f}` is called on every platform."),
        Said("guard: always", f"`{f}` is always called."),
        Said("guard: another platform", f"On Linux, `{f}` is called."),
        Said("guard: another platform, only", f"`{f}` is called only on macOS."),
        Said("guard: except", f"`{f}` is called everywhere except on Windows."),
        Said("guard: other than", f"On platforms other than Windows, `{f}` is called."),
        Said("negation: is not", f"`{f}` is not called on Windows."),
        Said("negation: never", f"On Windows, `{f}` is never called."),
        Said("another function", f"On Windows, `{strange}` is called."),
    ]
    found.unrelated = [
        Said("another function, same guard", f"`{strange}` is called only on Windows."),
        Said("what it does", f"`{f}` writes to the ledger on Windows."),
        Said("its reason", f"`{f}` is called on Windows because the mirror lags there."),
        Said("another thing", "On Windows the ledger tail is 13."),
    ]
    return found


def _override(syntax: Syntax, rng: random.Random) -> Written:
    noun = rng.choice(("level", "region", "encoding", "theme", "backend"))
    first, second = rng.sample(("cli", "file", "user", "project", "team"), 2)
    style = "snake" if syntax.prose or "<snake>" in "".join(syntax.number) else "camel"
    a, b = styles((first, noun))[style], styles((second, noun))[style]
    found = Written(fill(syntax.override, {"a": a, "b": b}), f"`{a}` overrides `{b}`.")

    def ways(a: str, b: str) -> dict[str, str]:
        return {
            "overrides": f"`{a}` overrides `{b}`.",
            "passive": f"`{b}` is overridden by `{a}`.",
            "precedence": f"`{a}` takes precedence over `{b}`.",
            "wins": f"`{a}` wins over `{b}`.",
            "priority": f"`{a}` has priority over `{b}`.",
            "fallback": f"`{b}` is the fallback for `{a}`.",
            "note that": f"Note that `{a}` overrides `{b}`.",
            "before": f"`{a}` is preferred to `{b}`.",
        }

    found.true = [Said(rule, text) for rule, text in ways(a, b).items()]
    found.false = [
        *(Said(f"who overrides whom: {rule}", text) for rule, text in ways(b, a).items()),
        Said("negation: does not", f"`{a}` does not override `{b}`."),
        Said("negation: never", f"`{b}` is never overridden by `{a}`."),
    ]
    found.unrelated = [
        Said("another one", f"`{a}` overrides `quorum_votes`."),
        Said("two others", "`ledger_tail` overrides `mirror_lag`."),
        Said("where it goes", f"`{a}` is written to the ledger."),
        Said("its reason", f"`{a}` overrides `{b}` because the mirror may lag."),
    ]
    return found


def _version(syntax: Syntax, rng: random.Random) -> Written:
    at = rng.choice((8, 9, 10, 11, 12))
    version, newer, older = f"3.{at}", f"3.{at + 1}", f"3.{at - 1}"
    found = Written(fill(rng.choice(syntax.version), {"v": version}), f"Python {version} or newer is required.")

    def ways(version: str) -> dict[str, str]:
        return {
            "or newer": f"Python {version} or newer is required.",
            "or later": f"Python {version} or later is needed.",
            "at least": f"At least Python {version} is required.",
            "active": f"The project requires Python {version} or newer.",
            "plus": f"Python {version}+ is required.",
            "sign": f"It requires Python >= {version}.",
            "minimum": f"The minimum Python version is {version}.",
            "oldest": f"The oldest Python that is supported is {version}.",
            "note that": f"Note that Python {version} or newer is required.",
        }

    found.true = [Said(rule, text) for rule, text in ways(version).items()]
    found.true += [
        Said("holds: older is not", f"Python {older} is not supported."),
        Said("holds: older than", f"Python older than {version} is not supported."),
        Said("holds: newer is", f"Python {newer} is allowed."),
    ]
    found.false = [
        *(Said(f"another version: {rule}", text) for rule, text in ways(rng.choice((newer, older))).items()),
        Said("comparator: or older", f"Python {version} or older is required."),
        Said("comparator: or earlier", f"Python {version} or earlier is needed."),
        Said("comparator: at most", f"At most Python {version} is required."),
        Said("comparator: newest", f"The newest Python that is supported is {version}."),
        Said("comparator: newer than it is not", f"Python newer than {version} is not supported."),
        Said("comparator: maximum", f"The maximum Python version is {version}."),
        Said("negation: is not", f"Python {version} is not supported."),
        Said("older is supported", f"Python {older} is supported."),
        Said("exactly", f"Python is pinned to exactly {version}."),
    ]
    found.unrelated = [
        Said("another tool, same version", f"Node {version} or newer is required."),
        Said("another tool", "Quorum 2.4 or newer is required."),
        Said("when", f"Support for Python {version} was added in release 7."),
        Said("its reason", f"Python {version} or newer is required because the mirror uses match statements."),
    ]
    return found


@dataclass(frozen=True, slots=True)
class _Stated:
    """A sentence of a comment, what means the same, and what does not."""

    text: str
    same: tuple[str, ...]
    turned: tuple[str, ...]


_STATED = (
    _Stated(
        "at most {n} {t} are kept.",
        ("no more than {n} {t} are kept.", "up to {n} {t} are kept.", "{n} {t} are kept at most."),
        ("at least {n} {t} are kept.", "at most {o} {t} are kept.", "more than {n} {t} are kept.", "no {t} are kept."),
    ),
    _Stated(
        "{t} are sent before the log is written.",
        ("the log is written after {t} are sent.",),
        (
            "{t} are sent after the log is written.",
            "the log is written before {t} are sent.",
            "{t} are never sent before the log is written.",
        ),
    ),
    _Stated(
        "{t} are never reused.",
        ("{t} are not reused.", "no {t} are ever reused."),
        ("{t} are reused.", "{t} are always reused.", "{t} are sometimes reused."),
    ),
    _Stated(
        "the newest {t} come first.",
        ("newest {t} first.", "{t} are listed newest first."),
        ("the oldest {t} come first.", "the newest {t} come last.", "{t} are listed oldest first."),
    ),
    _Stated(
        "{t} expire after {n} minutes.",
        ("after {n} minutes, {t} expire.", "{t} expire after {w} minutes."),
        (
            "{t} expire after {n} hours.",
            "{t} expire after {o} minutes.",
            "{t} never expire after {n} minutes.",
            "{t} expire before {n} minutes.",
        ),
    ),
)


def _comment(syntax: Syntax, rng: random.Random) -> Written:
    stated = rng.choice(_STATED)
    number = rng.choice((2, 3, 5, 8, 10, 25, 40))
    words = rng.choice(("sessions", "tokens", "drafts", "uploads", "invoices"))
    slots = {"n": number, "o": number + rng.choice((1, 5, 20)), "t": words, "w": in_words(number)}

    def said(template: str) -> str:
        return capital(template.format(**slots))

    f, g, h = (_function(each, syntax) for each in rng.sample(_split(_FUNCTIONS), 3))
    code = [fill(syntax.calls, {"f": f, "g": g, "h": h})] if syntax.calls and not syntax.prose else []
    text = "\n".join([fill(rng.choice(syntax.comment), {"v": said(stated.text)}), *code])
    found = Written(text, said(stated.text))
    found.true = [Said(f"said: {each}", said(each)) for each in (stated.text, *stated.same)]
    found.true += [
        Said("note that", f"Note that {stated.text.format(**slots)}"),
        Said("in practice", f"In practice, {stated.text.format(**slots)}"),
        Said("the comment says", f"According to the comment, {stated.text.format(**slots)}"),
    ]
    found.false = [Said(f"turned: {each}", said(each)) for each in stated.turned]
    found.unrelated = [
        Said("another thing", "At most 7 banners are drawn."),
        Said("same number, another thing", f"The ledger tail is {number}."),
        Said("something else of it", f"{capital(words)} are encrypted with the team key."),
        Said("its reason", f"{said(stated.text).removesuffix('.')}, because the mirror lags."),
    ]
    return found


KINDS: dict[str, tuple[Kind, str]] = {
    "number": (_number, "number"),
    "time": (_time, "time"),
    "size": (_size, "size"),
    "parameter": (_parameter, "parameter"),
    "switch": (_switch, "switch"),
    "text": (_text, "text"),
    "comparator": (_comparator, "condition"),
    "raises": (_raises, "raises"),
    "returns": (_returns, "returns"),
    "calls": (_calls, "calls"),
    "sorted": (_sorted, "up"),
    "environment": (_env, "env"),
    "guard": (_guard, "guard"),
    "override": (_override, "override"),
    "version": (_version, "version"),
    "comment": (_comment, "comment"),
}
"""How a kind of fact is made, and which part of a language's syntax it takes."""


# --- cases


def _file_of(written: Written, syntax: Syntax, rng: random.Random) -> tuple[tuple[str, ...], int, int]:
    """The whole file, and which lines of it are cited: those of the fact, at times with others beside it."""
    above = [_decoy(syntax, rng, at) for at in range(rng.choice((0, 0, 1, 2)))]
    below = [_decoy(syntax, rng, 2)] if rng.random() < 0.3 else []
    own = written.text.split("\n")
    indent = " " * syntax.indent
    lines = [*syntax.before, *(indent + line if line else line for line in (*above, *own, *below)), *syntax.after]
    first = len(syntax.before) + 1 + (len(above) if rng.random() < 0.5 else 0)
    last = len(syntax.before) + len(above) + len(own) + (len(below) if rng.random() < 0.5 else 0)
    return tuple(lines), first, last


def _decoy(syntax: Syntax, rng: random.Random, at: int) -> str:
    template = rng.choice(syntax.number)
    return fill(template, {**styles(_DECOYS[at]), "v": _DECOY_VALUES[at]})


def _cases_of(written: Written, kind: str, language: str, rng: random.Random) -> Iterator[Case]:
    syntax = SYNTAXES[language]
    file, first, last = _file_of(written, syntax, rng)
    chosen: list[tuple[Truth, Said]] = [
        ("true", Said("plain", written.plain)),
        *(("true", said) for said in rng.sample(written.true, min(2, len(written.true)))),
        *(("false", said) for said in rng.sample(written.false, min(2, len(written.false)))),
        ("unrelated", rng.choice(written.unrelated)),
    ]
    for truth, said in chosen:
        yield Case(kind, language, truth, said.rule, said.text, written.plain, syntax.path, file, first, last)


def cases_of_kind(kind: str, count: int = CASES_OF_A_KIND) -> list[Case]:
    """As many different cases of one kind, its languages in turn."""
    make, part = KINDS[kind]
    languages = [language for language, syntax in SYNTAXES.items() if getattr(syntax, part)]
    found: dict[tuple[str, tuple[str, ...], int, int], Case] = {}
    for number, language in enumerate(islice(cycle(languages), count)):
        rng = random.Random(f"{kind} {language} {number}")
        for case in _cases_of(make(SYNTAXES[language], rng), kind, language, rng):
            found.setdefault((case.claim, case.file, case.first, case.last), case)
        if len(found) >= count:
            break
    return list(found.values())[:count]


def generated() -> list[Case]:
    """All cases, the same number of each kind."""
    return [case for kind in KINDS for case in cases_of_kind(kind)]


# --- what a judge makes of them


@dataclass(frozen=True, slots=True)
class Judged:
    """A case, what was said of it, and the label of the plain claim on the same lines."""

    case: Case
    verdict: Verdict
    plain: str

    @property
    def wrong(self) -> bool:
        """Whether a true claim is called unsupported, or another one supported."""
        return self.verdict.label == ("unsupported" if self.case.truth == "true" else "supported")

    @property
    def worded_away(self) -> bool:
        """Whether a rewording of a supported claim is told of as if something were amiss."""
        return (
            self.case.truth == "true"
            and self.plain == "supported"
            and self.verdict.label not in ("supported", "unchecked")
        )


def judged(cases: Iterable[Case], judge: EmbeddedJudge) -> list[Judged]:
    """What the judge says of each."""
    return [Judged(case, judge.judge_row(case.row()), judge.judge_row(case.row(case.plain)).label) for case in cases]


def shares(found: Sequence[Judged]) -> str:
    """How many were decided, and how flips of supported claims were taken, by kind."""
    lines = [
        f"{'kind':<12} cases  decided  true: supported  false: unsupported  flips of supported: unsupported  wrong"
    ]
    for kind in (*dict.fromkeys(each.case.kind for each in found), ""):
        own = [each for each in found if kind in ("", each.case.kind)]
        flips = [each for each in own if each.case.truth == "false" and each.plain == "supported"]
        lines.append(
            f"{kind or 'all':<12} {len(own):>5} {_share(own, lambda each: each.verdict.label != 'unchecked'):>8}"
            f" {_share(_of(own, 'true'), lambda each: each.verdict.label == 'supported'):>16}"
            f" {_share(_of(own, 'false'), lambda each: each.verdict.label == 'unsupported'):>19}"
            f" {_share(flips, lambda each: each.verdict.label == 'unsupported'):>25} of {len(flips):>3}"
            f" {sum(each.wrong for each in own):>6}"
        )
    return "\n".join(lines)


def _of(found: Sequence[Judged], truth: Truth) -> list[Judged]:
    return [each for each in found if each.case.truth == truth]


def _share(found: Sequence[Judged], holds: Callable[[Judged], bool]) -> str:
    return f"{sum(map(holds, found)) / len(found):.0%}" if found else "–"


def _rule_of(each: Judged) -> tuple[str, str, str, str]:
    return each.case.truth, each.verdict.label, each.case.kind, each.case.rule.split(";")[0]


def _report(found: Sequence[Judged]) -> Iterator[str]:
    """The shares, and behind them what is wrong: by rule, the most often first, with the shortest example of each."""
    yield shares(found)
    bad = sorted((each for each in found if each.wrong or each.worded_away), key=lambda each: len(each.case.claim))
    rules = Counter(map(_rule_of, bad))
    for rule, count in sorted(rules.items(), key=lambda pair: (pair[0][:2], -pair[1])):
        truth, label, kind, made = rule
        yield f"\n=== {truth} claims called {label}: {count} · {kind} · {made}"
        first = next(each for each in bad if _rule_of(each) == rule)
        yield first.case.shown(first.verdict)


if __name__ == "__main__":
    print("\n".join(_report(judged(generated(), EmbeddedJudge()))))
