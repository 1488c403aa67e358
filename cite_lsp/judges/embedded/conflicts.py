"""Named conflicts: the claim gives a thing one value or name, and the cited lines give it another."""

import builtins
import re
from dataclasses import dataclass

from cite_lsp.audit.verdicts import Kind
from cite_lsp.judges.embedded.claims import Claim, Clause, Name
from cite_lsp.judges.embedded.facts import Fact, Line, facts_of, lines_of
from cite_lsp.judges.embedded.reading import Reading, flat
from cite_lsp.judges.embedded.subjects import named, same_name
from cite_lsp.judges.embedded.values import Value
from cite_lsp.judges.embedded.words import stem
from cite_lsp.snapshot.excerpt import Excerpt

NEAR = 60
"""Lines around the cited ones in which another value of the same name holds a verdict back."""

_UPPER = re.compile(r"\b(?:at most|up to|no more than|maximum|max|limit(?:s|ed)?|caps?|capped)\b", re.IGNORECASE)
_LOWER = re.compile(
    r"\b(?:at least|or (?:newer|later|higher|above|more)|minimum|min|no (?:less|fewer) than)\b", re.IGNORECASE
)
_COMPARED = re.compile(
    r"\b(?:more than|less than|fewer than|greater than|longer than|shorter than|larger than|over|under|below"
    r"|above|beyond|exceed\w*"
    r"|within|past|older than|newer than)\b",
    re.IGNORECASE,
)
_ON = re.compile(
    r"\b(?P<not>not |never |n['’]t )?(?:(?P<on>enabled|turned on|switched on|true|on(?= by default"
    r"| out of the box| unless| initially|[.,]?$))"
    r"|(?P<off>disabled|turned off|switched off|false|off(?= by default| out of the box| unless| until| initially"
    r"|[.,]?$)))(?![\w-])",
    re.IGNORECASE,
)
_INITIAL = re.compile(
    r"\b(?:by default|defaults?|out of the box|unless|until|initially|in a fresh|from the start|is|are|stays?)\b",
    re.IGNORECASE,
)
_TURNING = re.compile(r"(?:^|[^a-z])(?:no|not|non|dis\w*|skip|ignore|without|omit|exclude|off|never)(?:[^a-z]|$)")
_IS_TEXT = re.compile(
    r"[`\"'“]?(?P<name>[A-Za-z_$][\w$.-]{0,80})[`\"'”]?\s+(?:(?:is|are)(?: set)?(?: by default)?(?: to)?"
    r"|defaults? to|equals?|=)\s+"
    r"[`\"'“](?P<text>[^`\"'”\n]{1,80})[`\"'”]"
)
_READS_ENV = re.compile(
    r"\b(?:environment|env|variable|reads?|read from|taken from|comes from|loaded from)\b", re.IGNORECASE
)
_ENV = re.compile(
    r"(?:environ(?:\.get)?|getenv|process\.env|env|LookupEnv|Getenv)[\[(.]\s?[\"']?([A-Z][A-Z0-9_]{2,60})"
)
_FEW_WORDS = 5
_BY_DEFAULT = re.compile(r"\b(?:by default|out of the box|unless (?:it is |they are )?told)\b", re.IGNORECASE)
_RAISES = re.compile(
    r"\b(?:raises?|throws?)\s+(?:an? |the )?`?(?P<after>[A-Z]\w{2,60}(?:Error|Exception))\b|\b`?"
    r"(?P<before>[A-Z]\w{2,60}(?:Error|Exception))`?\s+"
    r"is (?:raised|thrown)\b"
)
_RAISED = re.compile(r"\b(?:raise|throw(?:\s+new)?)\s+([A-Z]\w{2,60})\b")
_CONSTANT = re.compile(r"^[A-Z][A-Z0-9]*_[A-Z0-9_]+$")


@dataclass(frozen=True, slots=True)
class Conflict:
    """What contradicts a claim: where, in which clause, and a sentence that names both sides."""

    basis: str
    lines: list[Line]
    clause: Clause
    kind: Kind = "contradicted"


def conflict(claim: Claim, reading: Reading) -> Conflict | None:
    """Give the first named conflict of a claim with the cited lines."""
    for clause in claim.clauses:
        for check in (_number, _truth, _habit, _text, _environment, _exception, _family):
            found = check(clause, reading)
            if found is not None:
                return found
    return _elsewhere(claim, reading)


# --- values


def _number(clause: Clause, reading: Reading) -> Conflict | None:
    values = [value for value in clause.values if value.kind != "percent"]
    if len(values) != 1 or clause.unsaid:
        return None
    value = values[0]
    if _COMPARED.search(clause.text):
        return None
    facts = [fact for fact in named(clause, reading) if fact.value.comparable(value)]
    against = [fact for fact in facts if not _satisfied(clause.text, value, fact)]
    if not against or len(against) < len(facts) or len({fact.name for fact in against}) > 1:
        return None
    if _elsewhere_given(against[0], value, reading) or _among(value, against[0], reading):
        return None
    return _says(value.shown, against[0], clause)


def _among(value: Value, fact: Fact, reading: Reading) -> bool:
    """Whether the claimed number stands in the cited lines for something else than the fact."""
    wanted = {value.raw, *value.amounts, *(amount * 1000 for amount in value.amounts)}
    own = {fact.value.raw} if fact.value.kind == value.kind != "number" else set()
    return bool((wanted - own) & reading.numbers)


def _satisfied(text: str, value: Value, fact: Fact) -> bool:
    if value.agrees(fact.value):
        return True
    words = set(fact.words)
    lower = stem("minimum") in words or fact.least
    if _LOWER.search(text):
        return not lower
    if _UPPER.search(text):
        return lower
    return fact.least


def _elsewhere_given(fact: Fact, value: Value, reading: Reading) -> bool:
    """Whether lines near the cited ones give the same name the claimed value."""
    file = reading.row.file
    if file is None:
        return False
    start = max(0, fact.line.number - 1 - NEAR)
    near = tuple(enumerate(file[start : fact.line.number + NEAR], start + 1))
    if not near:
        return False
    around = facts_of(lines_of((Excerpt(near[0][0], near[-1][0], "window", False, near),)))
    return any(flat(other.name) == flat(fact.name) and other.value.agrees(value) for other in around)


def _says(claimed: str, fact: Fact, clause: Clause, kind: Kind = "contradicted") -> Conflict:
    return Conflict(f"the claim says {claimed}, line {fact.line.number} says {fact.shown}", [fact.line], clause, kind)


# --- truth


def _truth(clause: Clause, reading: Reading) -> Conflict | None:
    said = list(_ON.finditer(clause.text))
    if (
        len(said) != 1
        or not _INITIAL.search(clause.text)
        or re.search(r"\b(?:if|when|once|with|where|while)\b", clause.text, re.IGNORECASE)
    ):
        return None
    match = said[0]
    value = float(bool(match["on"]) != bool(match["not"]))
    before = clause.text[: match.start()]
    if re.search(
        r"\b(?:not|never|no|neither|nor|without|only)\b|n['’]t\b", before + clause.text[match.end() :], re.IGNORECASE
    ):
        return None
    facts = [fact for fact in named(clause, reading) if fact.value.kind == "truth"]
    facts = [fact for fact in facts if not _TURNING.search(_spaced(fact.name))]
    if len(facts) != 1 or facts[0].value.amounts[0] == value or any(other is not facts[0] for other in facts):
        return None
    claimed = Value("truth", (value,), match[0].strip())
    return None if _elsewhere_given(facts[0], claimed, reading) else _says(claimed.shown, facts[0], clause)


def _habit(clause: Clause, reading: Reading) -> Conflict | None:
    """What something does by default, against the truth value of its own switch."""
    if not _BY_DEFAULT.search(clause.text) or _ON.search(clause.text):
        return None
    if clause.values or len(clause.content) > _FEW_WORDS:
        return None
    facts = [fact for fact in named(clause, reading) if fact.value.kind == "truth"]
    if len(facts) != 1 or _TURNING.search(_spaced(facts[0].name)):
        return None
    value = float(not clause.negated)
    if facts[0].value.amounts[0] == value:
        return None
    claimed = Value("truth", (value,), f"{clause.text.strip().rstrip('.')!r}")
    return None if _elsewhere_given(facts[0], claimed, reading) else _says(claimed.shown, facts[0], clause)


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_|-", " ", name).lower()


# --- texts and names


def _text(clause: Clause, reading: Reading) -> Conflict | None:
    if clause.negated:
        return None
    match = _IS_TEXT.search(clause.text)
    if match is None or reading.names(match["text"]):
        return None
    name = Name(match["name"], ())
    facts = [fact for fact in reading.facts if fact.value.kind == "text" and same_name(name, fact)]
    if len(facts) != 1 or facts[0].value.shown.strip().lower() == match["text"].strip().lower():
        return None
    if _elsewhere_given(facts[0], Value("text", (), match["text"]), reading):
        return None
    return _says(repr(match["text"]), facts[0], clause)


def _environment(clause: Clause, reading: Reading) -> Conflict | None:
    """Another environment variable than the one that is read."""
    if clause.negated or reading.prose or not _READS_ENV.search(clause.text):
        return None
    claimed = [name for name in clause.names if _CONSTANT.match(name.text)]
    if len(claimed) != 1 or reading.names(claimed[0].text):
        return None
    if reading.row.file is not None and any(claimed[0].text in line for line in reading.row.file):
        return None
    read = [(line, name) for line in reading.code_lines for name in _ENV.findall(line.code[:600])]
    if len(read) != 1:
        return None
    line, name = read[0]
    return Conflict(f"the claim says {claimed[0].text}, line {line.number} reads {name}", [line], clause)


def _exception(clause: Clause, reading: Reading) -> Conflict | None:
    """Another exception than the only one that is raised, where neither can be a kind of the other."""
    claimed = _RAISES.search(clause.text)
    if claimed is None or clause.negated or reading.prose or reading.truncated:
        return None
    name = claimed["after"] or claimed["before"]
    raised = {match[1]: line for line in reading.code_lines for match in _RAISED.finditer(line.code[:600])}
    if len(raised) != 1 or reading.names(name):
        return None
    other, line = next(iter(raised.items()))
    if not _apart(name, other):
        return None
    return Conflict(f"the claim says {name}, line {line.number} says {line.code.strip()[:80]}", [line], clause)


def _apart(claimed: str, raised: str) -> bool:
    """Whether what is raised is surely no kind of what the claim names: only of the built-in ones is that known."""
    kinds = [getattr(builtins, name, None) for name in (claimed, raised)]
    known = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseException)]
    if len(known) == 2:
        return not issubclass(known[1], known[0])
    return kinds[1] in known and claimed not in ("Error", "Exception")


def _family(clause: Clause, reading: Reading) -> Conflict | None:
    """A name that stands elsewhere in the file, where the cited lines have another one of its family."""
    file = reading.row.file
    if file is None or clause.negated or reading.prose or reading.truncated:
        return None
    absent = [name.text for name in clause.names if "." in name.text and not reading.names(name.text)]
    if len(absent) != 1:
        return None
    family = absent[0].rpartition(".")[0] + "."
    there = next((number for number, text in enumerate(file[:20_000], 1) if absent[0] in text), 0)
    quoted = re.compile(rf"[\"'`]({re.escape(family)}[\w.-]{{1,80}})[\"'`]")
    here = [(line, name) for line in reading.code_lines for name in quoted.findall(line.code[:600])]
    if not there or len({name for _, name in here}) != 1:
        return None
    line, name = here[0]
    basis = f"the claim says {absent[0]}, line {line.number} says {name}; {absent[0]} stands on line {there}"
    return Conflict(basis, [line], clause)


def _elsewhere(claim: Claim, reading: Reading) -> Conflict | None:
    """All that the claim names stands elsewhere in the file, and the cited lines define something else."""
    file = reading.row.file
    if file is None or not claim.names or reading.truncated:
        return None
    if any(
        reading.names(name.text) or reading.enclosed_by(name.text) or len(flat(name.text)) < 4 for name in claim.names
    ):
        return None
    shared = {stem(word) for word in claim.content} & (reading.words | reading.context_words)
    if len(shared) * 2 > len(claim.content):
        return None
    places = []
    for name in claim.names:
        wanted = flat(re.split(r"[.:>]", name.text)[-1])
        place = next((number for number, text in enumerate(file[:20_000], 1) if wanted in flat(text[:400])), 0)
        if not place:
            return None
        places.append(f"{name.text} stands on line {place}")
    first = reading.lines[0]
    return Conflict(
        f"{' and '.join(places)}, and nowhere in the cited lines ({first.number}–{reading.lines[-1].number})",
        [first],
        claim,
        "off-topic",
    )
