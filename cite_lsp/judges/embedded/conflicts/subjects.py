"""Which of the facts a clause is about: the name it spells, or the words of the name."""

import re
from functools import lru_cache
from itertools import pairwise

from cite_lsp.judges.embedded.claim.claims import Clause, Name
from cite_lsp.judges.embedded.claim.values import Value, is_number_word
from cite_lsp.judges.embedded.claim.words import GLUE, SOFT, name_words, plain_words, stem
from cite_lsp.judges.embedded.lines.facts import Fact
from cite_lsp.judges.embedded.lines.reading import Reading, flat

_GENERIC = frozenset(
    stem(word)
    for word in """default value maximum minimum self this number count option configuration set get use the a an is of
    to in for my our const static public private final global local limit total
    ms milli second sec minute hour day byte millisecond kb mb kib mib percent ns us""".split()
)
"""Words of a name that do not tell which thing it names."""

_HINTS = {
    "size": "size hold keep contain store capacity room chunk piece large big fit buffer batch block",
    "maxsize": "size hold keep contain store capacity room entries",
    "capacity": "size hold keep contain store capacity room entries",
    "interval": "interval every each period wait apart",
    "depth": "depth deep level",
    "width": "width wide column",
    "height": "height high tall row",
    "length": "length long character",
    "delay": "delay wait pause sleep",
    "timeout": "timeout wait",
    "port": "port listen",
    "leeway": "leeway skew tolerate drift",
    "ttl": "ttl live expire lifetime keep",
    "quota": "quota allow limit",
    "workers": "worker process thread",
}
"""Words of names, and the words by which sentences speak of the same thing."""

_MEASURED = {
    "time": "timeout delay interval ttl wait period age expiry expiration expires leeway duration deadline backoff"
    " lifetime sleep pause retention grace keepalive time refresh",
    "bytes": "size length limit memory buffer body chunk capacity packet quota entropy maximum storage disk heap line",
}
_MEASURES = {kind: frozenset(map(stem, words.split())) for kind, words in _MEASURED.items()}
_NOT_COUNTED = _MEASURES["time"] | frozenset(map(stem, "size length depth width height port level".split()))
_CONTAINER = re.compile(
    r"\b(?:class|struct|interface|trait|impl|enum|object|type)\s{1,4}(?:[A-Z]\w{0,20} for )?([A-Za-z_]\w{0,60})"
)
_KEY = re.compile(
    r"^(?P<indent>\s{0,80})(?:\[\[?(?P<table>[\w.-]{1,80})\]|[\"']?(?P<key>[\w-]{1,80})[\"']?:\s{0,4}\{?\s{0,4}$)"
)


@lru_cache(maxsize=1)
def _hints() -> dict[str, frozenset[str]]:
    return {stem(word): frozenset(map(stem, others.split())) for word, others in _HINTS.items()}


def named(clause: Clause, reading: Reading) -> list[Fact]:
    """Give the facts about what the clause names."""
    return [fact for fact in reading.facts if is_about(clause, fact, reading)]


def is_about(clause: Clause, fact: Fact, reading: Reading) -> bool:
    """Say whether the clause speaks of the thing that a fact gives a value."""
    if spelled_by(clause, fact):
        return True
    if any(not reading.spells(name.text) for name in clause.names):
        return False
    if any(is_part_of(fact, name) for name in clause.names):
        return False
    told = [word for word in fact.words if word not in _GENERIC and not word.isdigit()]
    literal = [word for word in told if word in clause.stems]
    hinted = [word for word in told if word not in clause.stems and _hints().get(word, frozenset()) & clause.stems]
    if len(literal) + len(hinted) < len(told) or not told:
        return False
    if not literal and not _in_container(clause, fact, reading):
        return False
    return not narrowed(clause, literal, reading)


def spelled_by(clause: Clause, fact: Fact) -> bool:
    """Say whether the clause spells the fact's name, in whatever style."""
    return any(same_name(name, fact) for name in clause.names) or _spelled(clause, fact)


def _spelled(clause: Clause, fact: Fact) -> bool:
    """Whether the fact's name stands in the clause letter by letter, and is no plain word."""
    return not fact.name.islower() and bool(re.search(rf"(?<![\w.-]){re.escape(fact.name)}(?![\w-])", clause.text))


def same_name(name: Name, fact: Fact) -> bool:
    """Say whether a name of the claim is the fact's, in whatever style."""
    last = re.split(r"[.:>]", name.text)[-1].lstrip("-")
    return flat(last) == flat(re.split(r"[.:>]", fact.name)[-1])


def is_part_of(fact: Fact, name: Name) -> bool:
    """Say whether a name is of a thing of which the fact's words are a part: `read_timeout` and `timeout`."""
    words = set(name.words)
    return bool(words & set(fact.words)) and words != set(fact.words)


def _in_container(clause: Clause, fact: Fact, reading: Reading) -> bool:
    """Whether the claim speaks of the type, or of the key, that the fact stands in."""
    lines = [line.code for line in reading.lines] + list(reading.context)
    names = [match[1] for line in lines for match in _CONTAINER.finditer(line[:300])]
    names += _keys_above(fact, reading)
    return any(name_words(name)[-1:] and name_words(name)[-1] in clause.stems for name in names)


def _keys_above(fact: Fact, reading: Reading) -> list[str]:
    """Give the key or table of a configuration file that holds the fact."""
    indent = len(fact.line.text) - len(fact.line.text.lstrip())
    above = [line.text for line in reading.lines if line.number < fact.line.number]
    for text in [*reversed(above), *reading.context]:
        match = _KEY.match(text[:200])
        if match is not None and (match["table"] or len(match["indent"]) < indent):
            return [match["table"] or match["key"]]
    return []


def narrowed(clause: Clause, told: list[str], reading: Reading) -> bool:
    """Say whether the word before the thing's own says which one is meant, and the lines say nothing of it."""
    words = plain_words(clause.text)
    joined = {second for first, second in pairwise(words) if stem(first + second) in told}
    for before, word in pairwise(words):
        if stem(word) not in told or before in joined or stem(before) in told:
            continue
        if before in GLUE or before in SOFT or is_number_word(before):
            continue
        if stem(before) not in reading.words | reading.context_words | _GENERIC:
            return True
    return False


def measured_alike(clause: Clause, value: Value, fact: Fact) -> bool:
    """Say whether both are of one measure: no count of things against a time, no delay against how often."""
    if not value.comparable(fact.value):
        return False
    if value.kind == "percent":
        return fact.value.kind == "percent" or 0 < fact.value.raw <= 1
    if value.kind == fact.value.kind:
        return value.kind != "number" or not _counts_things(clause, value, fact)
    if fact.value.kind == "number":
        return bool(_MEASURES.get(value.kind, frozenset()) & set(fact.words))
    return spelled_by(clause, fact)


def measures(piece: str, value: Value) -> bool:
    """Say whether a piece of a name says no more than that it holds such a value: `timeout`, of seconds."""
    return stem(piece) in _MEASURES.get(value.kind, frozenset())


def hinted(piece: str, words: frozenset[str]) -> bool:
    """Say whether words speak of a piece of a name as sentences do: of a `size` as of room."""
    return bool(_hints().get(stem(piece), frozenset()) & set(map(stem, words)))


def measured_in(clause: Clause, value: Value, fact: Fact) -> bool:
    """Say whether a number of the clause is what a fact measures, where both have one kind of unit or none."""
    if value.kind == fact.value.kind:
        return value.kind != "number" or not _counts_things(clause, value, fact)
    if fact.value.kind != "number" or value.kind not in _MEASURES:
        return False
    return bool(_MEASURES[value.kind] & set(fact.words))


def _counts_things(clause: Clause, value: Value, fact: Fact) -> bool:
    """Whether the claim counts what the fact measures: "two timeouts" says nothing against `timeout = 30`."""
    behind = {stem(word) for word in plain_words(clause.text[value.end : value.end + 60])[:2]}
    return bool(behind & set(fact.words) & _NOT_COUNTED)
