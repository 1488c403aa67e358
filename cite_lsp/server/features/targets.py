"""Where a citation leads: files and lines that exist."""

from collections.abc import Sequence
from typing import NamedTuple

from cite_lsp.server.hits import Hit
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.uris import to_uri
from cite_lsp.snapshot.ladder import joined


class Target(NamedTuple):
    """Lines of a file."""

    uri: str
    first: int
    """1-based."""
    last: int
    """1-based, inclusive; within the file."""
    lines: Sequence[str]
    """Of the whole file."""


def targets_of(document: OpenDocument, hit: Hit) -> list[Target]:
    """Give the lines that each span of a citation names, cut at the end of the file; none where there are none.

    A citation that is read as of a commit leads to where its text stands now: what was cannot be opened.
    """
    place, resolution = document.place, hit.present
    if place is None or not resolution.resolved or not resolution.root:
        return []
    file = place.snapshot.file(resolution)
    if file is None:
        return []
    uri = to_uri(joined(resolution.root, resolution.path))
    count = len(file.lines)
    cited = list(hit.block.anchors[hit.number].spans)
    if hit.resolution.as_of:
        for number, (drift, _) in enumerate(hit.drifts):
            if drift.places and drift.places[0].path == resolution.path:
                cited[number] = (drift.places[0].first, drift.places[0].last)
    return [Target(uri, first, min(max(first, last), count), file.lines) for first, last in cited if 0 < first <= count]
