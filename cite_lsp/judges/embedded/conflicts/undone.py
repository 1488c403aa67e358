"""What the cited lines take away, or leave undone, and the claim says is kept, or done all the same."""

import re

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.conflicts.branches import same_case
from cite_lsp.judges.embedded.conflicts.conflict import Conflict
from cite_lsp.judges.embedded.conflicts.guards import NOT, SHOWN_CHARS, facts_of_kind
from cite_lsp.judges.embedded.lines.code_reading import said_words
from cite_lsp.judges.embedded.lines.reading import Reading

_KEPT = re.compile(
    r"\b(?:keep|keeps|kept|retain\w*|preserv\w*|surviv\w*|remain\w*|stays?|stayed|carried (?:over|on|along)"
    r"|carries over|passed (?:on|along|through)"
    r"|handed (?:on|over|to)|forwarded|still|(?:is|are) left (?:in|as|where|alone|untouched)"
    r"|untouched|unchanged|travels? along|goes along|included)\b",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\b(?:remov\w*|delet\w*|drop\w*|strip\w*|clear\w*|discard\w*|pop\w*|take\w* (?:out|away|off)|taken"
    r"|clean\w*|forg[eo]t\w*|wip\w*|eras\w*|purg\w*"
    r"|unset\w*|only|except|unless|until|other than|rest|others?|rather|instead"
    r"|without|los\w*|expir\w*|evict\w*|cancel\w*)\b",
    re.IGNORECASE,
)
_REMOVES = re.compile(
    r"(?P<of>[\w$.\[\]\"']{0,80})\.(?:pop|remove|delete|discard|removeItem|unset|remove_header|removeHeader|delete_cookie)\(\s?(?P<what>[\"'`\w$.-]{2,80})"
    r"|\bdel(?:ete)?\s(?P<gone>[\w$.\[\]\"'-]{2,80})"
)
_STILL = re.compile(
    r"\b(?:even (?:if|when|with|where|though|while)|despite|in spite of|regardless of)\s(?P<case>[^,;]{3,100})",
    re.IGNORECASE,
)
_LEAVES = re.compile(
    r"^\s{0,80}(?:return(?:\s(?:None|null|undefined|false|nil|\w{1,40}))?|continue|pass|break)\s?;?\s?$"
)
_LEFT_OUT = re.compile(
    r"\b(?:skip\w*|ignor\w*|return\w*|nothing|left|unchanged|stop\w*|exit\w*|give\w* up|bypass\w*"
    r"|omit\w*|avoid\w*|leav\w*|drop\w*|abort\w*"
    r"|untouched|bail\w*|disabl\w*|prevent\w*|only|unless)\b",
    re.IGNORECASE,
)
_MOST_LINES = 8


def removed(clause: Clause, reading: Reading) -> Conflict | None:
    """Something that a cited line removes by name, and that the claim says is kept."""
    text = clause.text
    if reading.prose or not _KEPT.search(text) or _GONE.search(text) or NOT.search(text):
        return None
    said = said_words(text)
    for line in reading.code_lines[:_MOST_LINES]:
        match = _REMOVES.search(line.code[:400])
        if match is None:
            continue
        what = said_words(re.split(r"\.|\[", match["what"] or match["gone"])[-1])
        if what and what <= said:
            shown = line.code.strip()[:SHOWN_CHARS]
            basis = f"the claim says {text.strip(' .,;')!r}, line {line.number} removes it: {shown!r}"
            return Conflict(basis, [line], clause)
    return None


def left_undone(clause: Clause, reading: Reading) -> Conflict | None:
    """Something that the claim says is done even in a case in which the cited lines leave at once."""
    match = _STILL.search(clause.text)
    if match is None or reading.prose or len(reading.code_lines) > _MOST_LINES:
        return None
    rest = clause.text[: match.start()] + " " + clause.text[match.end() :]
    if NOT.search(rest) or _LEFT_OUT.search(rest):
        return None
    for guard in facts_of_kind(reading, "guard"):
        inside = [
            line
            for line in reading.code_lines
            if guard.first <= line.number <= guard.last and not line.code.strip().startswith(("if", "}"))
        ]
        if (
            guard.sign == "if"
            and len(inside) == 1
            and _LEAVES.match(inside[0].code)
            and same_case(match["case"], guard.value)
        ):
            leaves = f"line {inside[0].number} leaves with {inside[0].code.strip()!r} if {guard.value[:SHOWN_CHARS]}"
            basis = f"the claim says {clause.text.strip(' .,;')!r}, {leaves}"
            return Conflict(basis, inside, clause)
    return None
