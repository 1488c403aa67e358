"""Which word of a claim is, by form and place, what it says of something."""

import re

from cite_lsp.judges.embedded.claim.terms import Term

_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|be|been|being|gets?|must|will|can|may|does|do|should|cannot|not|never)(?:\s+(?:not|also|then|always|still|never))?\s+$",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"\s+with (?:each|every)\b"
    r"|\s+(?!(?:of|to|in|on|by|for|from|with|at|as|is|are|was|were|be|and|or|that|which|has|have|may|must|can|will|do|does|into|per)\b)\w",
    re.IGNORECASE,
)


def is_predicate(term: Term, text: str) -> bool:
    """Whether a word of a claim is, by form and place, what it says of something: "is kept", "drops events"."""
    behind = text[term.start + len(term.text) :]
    if term.text.endswith("s") and term.text.lower() not in term.lemmas and _OBJECT.match(behind):
        return True
    return bool(_AUXILIARY.search(text[: term.start]))
