"""The reference's lint of cited lines against ours: all cases of its group agree, and there are no departures."""

import json
from pathlib import Path
from typing import Any

from cite_lsp.audit.grounding import besides, ground
from cite_lsp.audit.rows import row_of
from cite_lsp.document.document import Document
from cite_lsp.snapshot.snapshot import Snapshot

SHOWN = 120


def ours(text: str, snapshot: Snapshot) -> list[dict[str, Any]]:
    """The findings of a sentence in the reference's form; whether clause or sentence told it is not told apart here."""
    document = Document.parse(text, "d.md", known=snapshot.known)
    rows = [row_of(anchor, snapshot.resolve(anchor, document), snapshot) for anchor in document.anchors]
    told: list[dict[str, Any]] = []
    for anchor, row, beside in zip(document.anchors, rows, besides(document.anchors, rows), strict=True):
        found = ground(row, anchor.spans, beside) if row is not None else None
        if found is not None:
            told.append(
                {
                    "anchor": anchor.text,
                    "tokens": list(found.tokens),
                    "win": list(found.looked),
                    "sugg": [[place.line, place.token, place.text[:SHOWN]] for place in found.places],
                }
            )
    return told


def test_grounding(shared: Path) -> None:
    group = json.loads((shared / "vectors" / "rulvar.json").read_text(encoding="utf-8"))["grounding"]
    snapshot = Snapshot.of({path: "\n".join(lines) + "\n" for path, lines in group["files"].items()})
    assert len(group["cases"]) == 9
    for text, expected in group["cases"]:
        without_scope = [{key: value for key, value in each.items() if key != "scope"} for each in expected]
        assert ours(text, snapshot) == without_scope, text
