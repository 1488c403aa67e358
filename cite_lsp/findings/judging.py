"""Findings of the layer *verdict*: what a judge said of a citation."""

from collections.abc import Iterator

from cite_lsp.audit.verdicts import Verdict
from cite_lsp.document.anchors import Anchor
from cite_lsp.findings.told import Told

_TOLD = {
    ("unsupported", "contradicted"): "the cited lines say otherwise",
    ("unsupported", "off-topic"): "the citation leads to something else",
    ("unsupported", None): "the cited lines do not say this",
    ("partial", None): "only a part of this stands there",
    ("review", None): "a person should compare this with the cited lines",
}
"""What is told by label and kind, in words that a basis can follow; *supported* needs no word, and *unchecked* is a
state that is shown, never a finding."""


def tell_verdict(verdict: Verdict, anchor: Anchor, number: int) -> Iterator[Told]:
    """Tell a verdict on an anchor, its offsets and its `number` being relative to the same text."""
    said = _TOLD.get((verdict.label, verdict.kind)) or _TOLD.get((verdict.label, None))
    if said is not None:
        why = verdict.basis or verdict.reason
        message = f"{said}: {why}" if why else said
        yield Told(verdict.label, message, anchor.start, anchor.end, number)
