"""Findings of the layer *verdict*: what a judge said of a citation."""

from collections.abc import Iterator

from cite_lsp.audit.verdicts import Verdict
from cite_lsp.document.anchors import Anchor
from cite_lsp.findings.told import Told

_TOLD = {
    "unsupported": "the cited lines do not say this",
    "partial": "the cited lines say only a part of this",
    "review": "a person should compare this with the cited lines",
}
"""Labels that are told; *supported* needs no word, and *unchecked* is a state that is shown, never a finding."""


def tell_verdict(verdict: Verdict, anchor: Anchor, number: int) -> Iterator[Told]:
    """Tell a verdict on an anchor, its offsets and its `number` being relative to the same text."""
    said = _TOLD.get(verdict.label)
    if said is not None:
        why = verdict.basis or verdict.reason
        message = f"{said}: {why}" if why else said
        yield Told(verdict.label, message, anchor.start, anchor.end, number)
