"""How something is done: awaited or not, needed or left out, sorted upwards or downwards."""

import re

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.guards import NOT, WHEN, facts_of_kind
from cite_lsp.judges.embedded.lines.code_reading import Told
from cite_lsp.judges.embedded.lines.reading import Reading

_SYNCHRONOUS = re.compile(
    r"\b(?:is|are|runs|stays) (?:entirely |fully |purely )?(?P<sync>synchronous|blocking|sync)\b(?! if| when)",
    re.IGNORECASE,
)
_ASYNCHRONOUS = re.compile(
    r"\b(?:is|are) (?:an? )?(?:async|asynchronous|coroutines?|awaitable)\b|\bmust be awaited\b|\bhas to be awaited\b",
    re.IGNORECASE,
)
_REQUIRED = re.compile(
    r"\b(?:is|are) (?:an? )?(?:always )?(?:required|mandatory)\b|\b(?:must|has to"
    r"|have to) (?:always )?be (?:given|passed|provided|supplied)\b",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(
    r"\b(?:is|are) (?:an? )?(?:entirely |always )?optional\b|\b(?:may|can) be (?:omitted|left out)\b"
    r"|\bneed not be (?:given|passed|provided)\b",
    re.IGNORECASE,
)
_DESCENDS = re.compile(
    r"\b(?:descending|(?:newest|latest|highest|largest|biggest|longest|most recent|best|greatest|last) first"
    r"|decreasing)\b",
    re.IGNORECASE,
)
_ASCENDS = re.compile(
    r"\b(?:ascending|(?:oldest|earliest|lowest|smallest|shortest|least recent|worst) first|increasing order)\b",
    re.IGNORECASE,
)
_DESCENDING_CODE = re.compile(
    r"\breverse\s?=\s?True\b|\bDESC\b|\bdescending\b|\breverse\(\)|\.rev\(\)|\bsort\.Reverse\b|\breversed\(",
    re.IGNORECASE,
)
_SORTS = re.compile(r"\bsort(?:ed)?\b|\border(?:ed)?[_ ]?by\b", re.IGNORECASE)
_PLAIN_SORT = re.compile(r"\bsorted\((?:[^()]|\([^()]*\)){1,120}\)|\.sort\(\s?\)|\bASC\b")


def awaited(clause: Clause, reading: Reading) -> Told | None:
    """Whether a definition is asynchronous."""
    sync, awaited = _SYNCHRONOUS.search(clause.text), _ASYNCHRONOUS.search(clause.text)
    if (sync is None) == (awaited is None) or NOT.search(clause.text):
        return None
    words = re.findall(r"[\w$]+", clause.text)
    facts = facts_of_kind(reading, "async", "definition")
    named = [
        fact
        for fact in facts
        if fact.name in words and len(fact.name) > 2 and (fact.kind == "async" or fact.value == "function")
    ]
    if not named or len({fact.name for fact in named}) > 1:
        return None
    is_async = any(fact.kind == "async" for fact in named)
    if not is_async and awaited is not None:
        return None  # it may give a promise
    fact = named[0]
    line = next((line for line in reading.code_lines if re.search(rf"\b{re.escape(fact.name)}\b", line.code)), None)
    if line is None:
        return None
    return Told(
        is_async == bool(awaited),
        f"{(sync or awaited or [''])[0]!r}",
        f"line {line.number} says {clipped(line.code)}",
        (line.number,),
    )


def needed(clause: Clause, reading: Reading) -> Told | None:
    """Whether something may be left out."""
    required, optional = _REQUIRED.search(clause.text), _OPTIONAL.search(clause.text)
    if (
        (required is None) == (optional is None)
        or NOT.search(clause.text.replace("need not", "need"))
        or WHEN.search(clause.text)
    ):
        return None
    says = required or optional
    before = clause.text[: says.start()] if says else ""
    names = {name.text.strip("`") for name in Clause(before).names}
    if len(names) != 1:
        return None
    name = next(iter(names)).split(".")[-1]
    spelled = re.compile(
        rf"(?<![\w.$-])(?:--)?{re.escape(name.lstrip('-'))}(?:(?P<optional>\?\s?:|\s?:\s?Option<"
        rf"|\s?:\s?Optional\[|\s?:\s?[\w\[\], .]{{1,40}}\s=\s|\$?=(?!=))"
        rf"|(?P<required>:\?|[\"']?,[^\n]{{0,120}}\brequired\s?=\s?True))"
    )
    definite = [
        (line, match) for line in reading.code_lines for match in [spelled.search(line.code[:300])] if match is not None
    ]
    if not definite or not reading.stated:
        return None
    parameters = {fact.first for fact in facts_of_kind(reading, "parameter") if fact.name == name}
    found = [
        (line, match)
        for line, match in definite
        if match["required"]
        or line.number in parameters
        or "?" in (match["optional"] or "")
        or "Option" in (match["optional"] or "")
    ]
    if len(found) != 1:
        return None
    line, match = found[0]
    shown = f"line {line.number} says {clipped(line.code)}"
    return Told(bool(match["required"]) == bool(required), f"{name} {says[0] if says else ''}", shown, (line.number,))


def sorted_order(clause: Clause, reading: Reading) -> Told | None:
    """In which order something is sorted."""
    down, up = _DESCENDS.search(clause.text), _ASCENDS.search(clause.text)
    if (down is None) == (up is None) or NOT.search(clause.text):
        return None
    sorts = [line for line in reading.lines if _SORTS.search(line.code[:300])]
    if len(sorts) != 1:
        return None
    turned = _DESCENDING_CODE.search(sorts[0].code[:300])
    if turned is None and not _PLAIN_SORT.search(sorts[0].code[:300]):
        return None
    by_time = re.search(r"newest|latest|oldest|earliest|recent|last|best|worst", (down or up or [""])[0], re.IGNORECASE)
    if (by_time and turned is None) or not reading.stated:
        return None
    said = turned[0] if turned else clipped(sorts[0].code)
    shown = f"line {sorts[0].number} sorts with {said}"
    return Told(bool(turned) == bool(down), f"{(down or up or [''])[0]!r}", shown, (sorts[0].number,))
