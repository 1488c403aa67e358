"""What a citation is found again by in a later version of its document: its text, and the sentence it stands in."""

from cite_lsp.document.claims import ALONE, Claims
from cite_lsp.document.document import Block

Sentence = tuple[str, str]
"""An anchor's text, and the sentence it stands in as the block alone tells it."""


def sentences_of(block: Block) -> list[Sentence]:
    """Give what each anchor of a block is found again by."""
    claims = Claims(block, ALONE)
    return [(anchor.text, claims.sentence(number)) for number, anchor in enumerate(block.anchors)]
