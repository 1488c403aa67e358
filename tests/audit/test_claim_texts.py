"""What of a claim stands at one of its citations: words and code spans whole, without what held the citation."""

import pytest

from cite_lsp.audit.rows import row_of
from cite_lsp.document.document import Document
from cite_lsp.snapshot.snapshot import Snapshot

CODE = "".join(f"line {number}\n" for number in range(1, 31))


def parts(text: str) -> list[str]:
    """What stands at each citation of a text; the claim itself where that is all of it."""
    snapshot = Snapshot.of({"src/a.py": CODE})
    document = Document.parse(text, path="a.md", known=snapshot.known)
    rows = [row_of(anchor, snapshot.resolve(anchor, document), snapshot) for anchor in document.anchors]
    assert all(row is not None for row in rows)
    return [row.part or row.claim for row in rows if row is not None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`wait` gives the seconds (`src/a.py:3`).", ["`wait` gives the seconds"]),
        ("`wait` gives what `held` said (`src/a.py:3`).", ["`wait` gives what `held` said"]),
        ("`wait` gives the seconds ([a.py:3](src/a.py)).", ["`wait` gives the seconds"]),
        (
            "`wait` gives the seconds (`src/a.py:3`), `take` raises an error (`src/a.py:4`).",
            ["`wait` gives the seconds", "`take` raises an error"],
        ),
        (
            "`wait` gives the seconds `src/a.py:3` and `take` raises an error `src/a.py:4`.",
            ["`wait` gives the seconds", "`take` raises an error"],
        ),
        ("*Waiting* takes long (`src/a.py:3`).", ["*Waiting* takes long"]),
        ("`src/a.py:3` sets the limit of `take`.", ["sets the limit of `take`"]),
    ],
)
def test_a_code_span_at_its_beginning_stays_whole(text: str, expected: list[str]) -> None:
    assert [part.rstrip(".") for part in parts(text)] == expected
