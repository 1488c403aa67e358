"""Conflicts of names and texts: another variable is read, another exception raised, another thing defined."""

import builtins
import re

from cite_lsp.judges.embedded.claim.claims import Claim, Clause, Name
from cite_lsp.judges.embedded.claim.values import Value
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.conflict import Conflict, another_case, given_elsewhere, says
from cite_lsp.judges.embedded.conflicts.subjects import same_name
from cite_lsp.judges.embedded.lines.reading import Reading

_MOST_LINES = 20_000
_MOST_NAMES = 8
_KEYWORDS = "def|class|function|fn|func|fun|interface|struct|enum|trait"
_DEFINES = re.compile(
    rf"\b(?:{_KEYWORDS})\s+[A-Za-z_]\w*|\w\s?=\s?(?:async\s)?function\b"
    r"|^\s+(?:async\s)?(?!if|for|while|switch|catch|return|with)[A-Za-z_]\w*\([^;]*\)[^;()=]*\{\s*$"
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{3,80}")
_BEGINS = re.compile(
    r"\s*+(?:(?:the|an?|calling|each|every|this)\s++)?[`*_(]*(?:method|function|class)?\s*`?$", re.IGNORECASE
)
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
_RAISES = re.compile(
    r"\b(?:raises?|throws?)\s+(?:an? |the )?`?(?P<after>[A-Z]\w{2,60}(?:Error|Exception))\b|\b`?"
    r"(?P<before>[A-Z]\w{2,60}(?:Error|Exception))`?\s+"
    r"is (?:raised|thrown)\b"
)
_RAISED = re.compile(r"\b(?:raise|throw(?:\s+new)?)\s+([A-Z]\w{2,60})\b")
_CONSTANT = re.compile(r"^[A-Z][A-Z0-9]*_[A-Z0-9_]+$")


def text_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """Another text than the only one that the lines give a name."""
    match = _IS_TEXT.search(clause.text)
    if match is None or clause.negated or clause.unsaid or another_case(clause, reading):
        return None
    if reading.names(match["text"]):
        return None
    name = Name(match["name"], ())
    facts = [fact for fact in reading.facts if fact.value.kind == "text" and same_name(name, fact)]
    if len(facts) != 1 or facts[0].value.shown.strip().lower() == match["text"].strip().lower():
        return None
    if given_elsewhere(facts[0], Value("text", (), match["text"]), reading):
        return None
    return says(repr(match["text"]), facts[0], clause)


def environment_conflict(clause: Clause, reading: Reading) -> Conflict | None:
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


def exception_conflict(clause: Clause, reading: Reading) -> Conflict | None:
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
    return Conflict(f"the claim says {name}, line {line.number} says {clipped(line.code)}", [line], clause)


def _apart(claimed: str, raised: str) -> bool:
    """Whether what is raised is surely no kind of what the claim names: only of the built-in ones is that known."""
    kinds = [getattr(builtins, name, None) for name in (claimed, raised)]
    known = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseException)]
    if len(known) == 2:
        return not issubclass(known[1], known[0])
    return kinds[1] in known and claimed not in ("Error", "Exception")


def family_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """A name that stands elsewhere in the file, where the cited lines have another one of its family."""
    file = reading.row.file
    if file is None or clause.negated or reading.prose or reading.truncated:
        return None
    absent = [name.text for name in clause.names if "." in name.text and not reading.names(name.text)]
    if len(absent) != 1:
        return None
    family = absent[0].rpartition(".")[0] + "."
    there = next((number for number, text in enumerate(file[:_MOST_LINES], 1) if absent[0] in text), 0)
    quoted = re.compile(rf"[\"'`]({re.escape(family)}[\w.-]{{1,80}})[\"'`]")
    here = [(line, name) for line in reading.code_lines for name in quoted.findall(line.code[:600])]
    if not there or len({name for _, name in here}) != 1:
        return None
    line, name = here[0]
    basis = f"the claim says {absent[0]}, line {line.number} says {name}; {absent[0]} stands on line {there}"
    return Conflict(basis, [line], clause)


def defined_elsewhere(claim: Claim, reading: Reading) -> Conflict | None:
    """What the claim begins with is defined elsewhere in the file, and the cited lines define something else.

    A name that merely stands elsewhere says nothing: sentences name much that their lines need not repeat.
    """
    file = reading.row.file
    if file is None or not 0 < len(claim.names) <= _MOST_NAMES or reading.truncated or reading.prose:
        return None
    subject = claim.names[0].text
    if not _BEGINS.match(claim.text[: claim.text.find(subject)]):
        return None
    if reading.row.sentence and subject not in reading.row.sentence:
        return None  # borrowed from a heading or from the sentence before
    if any(reading.names(_last(name.text)) or reading.enclosed_by(_last(name.text)) for name in claim.names):
        return None
    last = _last(subject)
    other = next((line for line in reading.code_lines if _DEFINES.search(line.code[:300])), None)
    if other is None or not _IDENTIFIER.fullmatch(last):
        return None
    defines = _definition_of(last)
    near = enumerate(file[:_MOST_LINES], 1)
    place = next((number for number, text in near if last in text and defines.search(text[:300])), 0)
    if not place:
        return None
    basis = f"{subject} is defined on line {place}; line {other.number} says {clipped(other.code)}"
    return Conflict(basis, [other], claim, "off-topic")


def _last(name: str) -> str:
    """Give the last part of a dotted name."""
    return next((part for part in reversed(re.split(r"\.|::|->|\(\)", name)) if part), name)


def _definition_of(name: str) -> re.Pattern[str]:
    spelled = re.escape(name)
    return re.compile(
        rf"\b(?:{_KEYWORDS})\s+{spelled}\b|\b{spelled}\s?=\s?(?:async\s)?function\b|^\s+(?:async\s)?{spelled}\([^;]*\)[^;()=]*\{{\s*$"
    )
