"""What a citation is found again by in a later version of its document: its text, and the sentence it stands in."""

from collections import OrderedDict

from cite_lsp.document.claims import ALONE, Claims
from cite_lsp.document.document import Block

Sentence = tuple[str, str]
"""An anchor's text, and the sentence it stands in as the block alone tells it."""

_MOST_KEPT = 1_024
"""Blocks: each key typed in a citing one makes another, which is so kept alive; those of one step are far fewer."""
_kept: OrderedDict[int, tuple[Block, tuple[Sentence, ...]]] = OrderedDict()
"""By the identity of the block: blocks that an edit leaves alone stay the same objects."""


def sentences_of(block: Block) -> tuple[Sentence, ...]:
    """Give what each anchor of a block is found again by."""
    known = _kept.get(id(block))
    if known is None or known[0] is not block:
        claims = Claims(block, ALONE)
        found = tuple([(anchor.text, claims.sentence(number)) for number, anchor in enumerate(block.anchors)])
        known = _kept[id(block)] = (block, found)
        if len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return known[1]
