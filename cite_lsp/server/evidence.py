"""The lines that a verdict relies on, as places that an editor can open beside its finding."""

from collections.abc import Iterator, Sequence
from typing import Any

from cite_lsp.audit.judgement import Judged
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.columns import Encoding, to_units
from cite_lsp.server.checks import Placed
from cite_lsp.server.convert import range_of
from cite_lsp.server.uris import to_uri
from cite_lsp.snapshot.ladder import joined
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

_MOST_LINES = 5
_WIDEST = 200


class EvidenceBook:
    """The evidence of the findings of one document, looked up once for each.

    A finding is placed anew where its verdict or the cited file changed; until then what was found for it stands.
    """

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._shown = False
        self._known: dict[int, tuple[Placed, list[dict[str, Any]]]] = {}
        self._before = self._known

    def begin(self, *, shown: bool) -> None:
        """Begin a publish, after which only what it asks for is known; `shown`: whether the client shows any of it."""
        self._shown = shown
        self._before, self._known = self._known, {}

    def of(
        self, placed: Placed, judged: Judged, anchor: Anchor, resolution: Resolution, snapshot: Snapshot
    ) -> list[dict[str, Any]]:
        """Give the lines that the verdict of a finding relies on, as `relatedInformation` of its diagnostic."""
        if not self._shown:
            return []
        known = self._before.get(id(placed))
        if known is None:  # what is kept is held, so that its id is nobody else's
            known = placed, related_lines(judged, anchor, resolution, snapshot, self._encoding)
        self._known[id(placed)] = known
        return known[1]


def related_lines(
    judged: Judged, anchor: Anchor, resolution: Resolution, snapshot: Snapshot, encoding: Encoding
) -> list[dict[str, Any]]:
    """Give the lines of a verdict's evidence: location and message of each.

    None of what is read as of a commit, since that cannot be opened, nor of a line that reads otherwise by now.
    """
    if resolution.as_of or not resolution.root:
        return []
    uri = to_uri(joined(resolution.root, resolution.path))
    shown = [excerpt for excerpt in snapshot.excerpts(resolution, anchor) if excerpt is not None]
    texts = [dict(excerpt.lines) for excerpt in shown]
    found = (
        (shown[each.excerpt].start_line + each.offset, each.text)
        for each in judged.verdict.evidence
        if 0 <= each.excerpt < len(shown)
        and texts[each.excerpt].get(shown[each.excerpt].start_line + each.offset) == each.text
    )
    return list(_places(uri, sorted(set(found))[:_MOST_LINES], encoding))


def _places(uri: str, lines: Sequence[tuple[int, str]], encoding: Encoding) -> Iterator[dict[str, Any]]:
    for number, text in lines:
        start = len(text) - len(text.lstrip())
        ends = [to_units(text, column, encoding) for column in (start, len(text.rstrip()))]
        yield {
            "location": {"uri": uri, "range": range_of((number - 1, ends[0]), (number - 1, ends[1]))},
            "message": f"line {number}: {text.strip()[:_WIDEST]}",
        }
