"""Findings of the layer *document*: what the text alone tells, without a look at any file."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Block
from cite_lsp.findings.finding import Edit, Fix
from cite_lsp.findings.told import Told, lines_in_words
from cite_lsp.snapshot.rewrite import retarget

_FORMAT = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")

_MOST_NAMED = 3


def block_findings(block: Block) -> Iterator[Told]:
    """Find links that disagree with themselves and invisible characters; offsets are into the block's text."""
    for number, anchor in enumerate(block.anchors):
        if anchor.target is not None and anchor.target.disagrees:
            yield _link_disagrees(number, anchor)
    if block.anchors and not block.text.isascii() and _FORMAT.search(block.text):
        yield from _format_characters(block.anchors, block.text)


def whole_findings(*, overrun: bool, cites: bool, must_cite: bool) -> Iterator[Told]:
    """Find what is to be said of a document as a whole: that it was not read to its end, or that it cites nothing."""
    if overrun:
        message = "the expression in anchors.pattern took too long here: citations of this document may be missing"
        yield Told("setting", message, 0, 0, None)
    elif must_cite and not cites:
        message = "this document cites nothing, though files.must_cite says that it must"
        yield Told("vacuous", message, 0, 0, None)


def _link_disagrees(number: int, anchor: Anchor) -> Told:
    target = anchor.target
    if target is not None and target.disagrees == "lines":
        cited = anchor.text[target.start - anchor.start : target.end - anchor.start]
        said = lines_in_words(anchor.spans[0])
        message = f"the link's text says {said}, its target {cited}; the text counts"
        edits = retarget(anchor) if len(anchor.spans) == 1 and not anchor.defect else ()
        fixes = (Fix(f"Let the target name {said}", edits, preferred=True),) if edits else ()
        return Told("link-disagrees", message, anchor.start, anchor.end, number, fixes)
    message = f"the link's text names another file than its target, `{anchor.path}`; the target counts"
    return Told("link-disagrees", message, anchor.start, anchor.end, number)


def _format_characters(anchors: Sequence[Anchor], text: str) -> Iterator[Told]:
    """Find invisible characters in a citation or right beside it, where they cut its path or its number short.

    A citation has one finding of them, whose fix removes all.
    """
    done = 0
    for number, anchor in enumerate(anchors):
        start, end = max(done, anchor.start), anchor.end
        while start > done and _FORMAT.match(text[start - 1]):
            start -= 1
        while end < len(text) and _FORMAT.match(text[end]):
            end += 1
        done = end
        found = list(_FORMAT.finditer(text, start, end))
        if not found:
            continue
        edits = tuple(Edit(match.start(), match.end(), "") for match in found)
        several = len(found) > 1
        message = f"invisible character{'s' if several else ''} {_named(found)} in or beside a citation"
        fix = Fix(f"Remove the invisible character{'s' if several else ''}", edits, preferred=True)
        yield Told("format-character", message, found[0].start(), found[-1].end(), number, (fix,))


def _named(found: Sequence[re.Match[str]]) -> str:
    characters = list(dict.fromkeys(match.group() for match in found))
    names = [f"U+{ord(each):04X} ({unicodedata.name(each, 'no name')})" for each in characters]
    return ", ".join(names[:_MOST_NAMED]) + (" and others" if len(names) > _MOST_NAMED else "")
