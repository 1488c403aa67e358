"""What of a claim stands at one of its citations: words and code spans whole, without what held the citation."""

import time

import pytest

from cite_lsp.audit.claim_texts import behind
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


LIST = ("lib/one.py:3", "lib/two.py:3", "lib/three.py:3", "lib/four.py:3")


@pytest.mark.parametrize("between", ["`, `", "` and `", "`; see `", "`, and at `"])
@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("The limit of callers is five (", "The limit of callers is five"),
        ("The limit of callers is five (see ", "The limit of callers is five"),
        ("The limit of callers is five — cf. ", "The limit of callers is five"),
        ("It waits a second (`a.py:1`), then raises an error in ", "raises an error"),
    ],
)
def test_each_citation_of_a_list_has_what_stands_before_the_list(head: str, expected: str, between: str) -> None:
    """Words of the paths in between are no words of the sentence."""
    text = f"{head}`{between.join(LIST)}`)."
    for own in LIST:
        assert behind(text, {"a.py:1", *LIST}, own) == expected


def test_a_citation_that_stands_twice_has_no_part() -> None:
    assert behind("It waits long (`a.py:1`), it stops soon (`a.py:1`).", ["a.py:1"], "a.py:1") == ""
    assert behind("It waits long (`a.py:1`).", ["a.py:1"], "b.py:1") == ""
    assert behind("It waits long.", [], "b.py:1") == ""


def seconds_of(text: str, citations: list[str]) -> float:
    started = time.process_time()
    for own in citations:
        behind(text, frozenset(citations), own)
    return time.process_time() - started


@pytest.mark.parametrize("between", [" ", ", ", " and ", " calls ", " is the value of it; "])
def test_thousands_of_citations_take_no_quadratic_time(between: str) -> None:
    citations = [f"lib/a{number}.py:3" for number in range(4_000)]
    assert seconds_of(f"It is here: {between.join(f'`{each}`' for each in citations)}.", citations) < 5


@pytest.mark.parametrize("repeated", ["a", " ", "(", "[", "`", "*", ", ", "- ", " .", "and ", "see ", "[a](", "(`"])
def test_long_claims_take_no_quadratic_time(repeated: str) -> None:
    long = repeated * (500_000 // len(repeated))
    assert seconds_of(f"{long}`a.py:1`", ["a.py:1"]) + seconds_of(f"`a.py:1`{long}", ["a.py:1"]) < 5
