"""Findings of the layer *grounding*: what a claim names stands on other lines of the cited file (findings.md)."""

from cite_lsp.audit.grounding import Grounding, Place
from cite_lsp.document.anchors import Anchor
from cite_lsp.findings.finding import Fix
from cite_lsp.findings.told import Told, as_written, lines_in_words
from cite_lsp.snapshot.rewrite import renumber

CODE = "wrong-lines"

_MOST_NAMED = 3
_STANDS = {
    "quote": "stands",
    "definition": "is defined",
    "assignment": "is set",
    "use": "stands",
}


def tell_grounding(grounding: Grounding, anchor: Anchor, number: int, index: int = 0) -> Told:
    """Tell that other lines carry what a claim names.

    The fixes are offered, none is preferred, for what is preferred is applied unasked: that the names are missing is
    certain, which lines the author meant is not. A claim about a use of a name is not served by the line defining it.

    Args:
        grounding: What `ground` found.
        anchor: The citation.
        number: Of the anchor; its offsets and this are relative to the same text.
        index: The span that `ground` was asked about.
    """
    span = anchor.spans[index]
    message = f"{_missing(grounding.tokens)} in the cited {lines_in_words(span)}; {_elsewhere(grounding)}"
    return Told(CODE, message, anchor.start, anchor.end, number, _fixes(grounding, anchor, index))


def _missing(tokens: tuple[str, ...]) -> str:
    shown = [f"`{as_written(token)}`" for token in tokens[:_MOST_NAMED]]
    left = len(tokens) - len(shown)
    if left:
        return f"{', '.join(shown)} and {left} more names of this claim do not stand"
    return f"{_listed(shown)} {'does' if len(shown) == 1 else 'do'} not stand"


def _elsewhere(grounding: Grounding) -> str:
    best = grounding.places[0]
    lines = [f"line {place.line}" for place in _alike(grounding)]
    subject = "it" if len(grounding.tokens) == 1 else f"`{as_written(best.token)}`"
    return f"{subject} {_STANDS[best.role]} on {_listed(sorted(lines, key=lambda line: int(line[5:])))}"


def _alike(grounding: Grounding) -> list[Place]:
    """Give the places that are as good as the best one: the same name in the same role."""
    best = grounding.places[0]
    return [place for place in grounding.places if (place.token, place.role) == (best.token, best.role)]


def _fixes(grounding: Grounding, anchor: Anchor, index: int) -> tuple[Fix, ...]:
    """Offer each place; of several cited spans it is not known which one should give way."""
    if len(anchor.spans) > 1:
        return ()
    fixes = []
    for place in grounding.places:
        edits = renumber(anchor, index, (place.first, place.last))
        if edits:
            lines = lines_in_words((place.first, place.last))
            fixes.append(Fix(f"Cite {lines}, where `{as_written(place.token)}` {_STANDS[place.role]}", edits))
    return tuple(fixes)


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
