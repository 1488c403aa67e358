"""Claims cut into what they say, each part with its role."""

from time import process_time

import pytest

from cite_lsp.judges.embedded.claim.claims import MAX_CLAIM, Claim
from cite_lsp.judges.embedded.claim.terms import slight, terms_of
from tests.growth import growth

CUT: dict[str, list[tuple[str, str]]] = {
    "Old files are deleted, and the directory is kept.": [
        ("claim", "Old files are deleted"),
        ("claim", "the directory is kept"),
    ],
    "Wheels are small, whereas the source archive carries the tests.": [
        ("claim", "Wheels are small"),
        ("claim", "the source archive carries the tests"),
    ],
    "The buffer is doubled because copies are slow.": [
        ("claim", "The buffer is doubled"),
        ("cause", "copies are slow"),
    ],
    "The clock is read once, as each call costs a switch.": [
        ("claim", "The clock is read once"),
        ("cause", "each call costs a switch"),
    ],
    "The lock is taken first so that readers never wait.": [
        ("claim", "The lock is taken first"),
        ("purpose", "readers never wait"),
    ],
    "The queue is bounded to keep memory flat.": [
        ("claim", "The queue is bounded"),
        ("purpose", "to keep memory flat"),
    ],
    "Signals are forwarded on every platform.": [("claim", "Signals are forwarded"), ("scope", "on every platform")],
    "Signals are forwarded on every platform, Windows included.": [
        ("claim", "Signals are forwarded"),
        ("scope", "on every platform, Windows included"),
    ],
    "Signals are forwarded, Windows included.": [("claim", "Signals are forwarded"), ("scope", "Windows included")],
    "Input is checked no matter whether it was typed.": [
        ("claim", "Input is checked"),
        ("scope", "no matter whether it was typed"),
    ],
    "A typing error is forgiven within three edits.": [
        ("claim", "A typing error is forgiven"),
        ("quantity", "within three edits"),
    ],
    "The server stops, leaving its socket behind.": [
        ("claim", "The server stops"),
        ("claim", "leaving its socket behind"),
    ],
    "The job is killed and is never started again.": [
        ("claim", "The job is killed"),
        ("claim", "is never started again"),
    ],
}


@pytest.mark.parametrize("text", CUT)
def test_parts(text: str) -> None:
    assert [(part.role, part.text) for part in Claim(text).parts] == CUT[text]


@pytest.mark.parametrize(
    "text",
    [
        "If the caller names no limit and nothing is set, a default is used.",
        "When the cache is full, the oldest entry is dropped.",
        "The option has been there since 3.2.",
        "It is as fast as the other one.",
        "Nothing was sent since the last start.",
        "Bread and butter are served.",
        "Each of the files is read.",
    ],
)
def test_what_is_one_statement_stays_one(text: str) -> None:
    assert [part.role for part in Claim(text).parts] == ["claim"]


def test_nothing_gets_lost_but_what_joins() -> None:
    for text, cut in CUT.items():
        said = {term.lemmas for _, part in cut for term in terms_of(Claim(part))}
        whole = {term.lemmas for term in terms_of(Claim(text)) if not slight(term)}
        assert whole <= said, text


def test_places_that_a_claim_names() -> None:
    assert Claim("It is read (`src/a.py:3`).").cited == 1
    assert not Claim("It is read (`src/a.py:3`).").goes_on
    assert Claim("It is read (`src/a.py:3`) and written (`:14`).").cited == 2
    assert Claim("It is read (`src/a.py:3`), which takes a long while.").goes_on
    assert Claim("It is read once.").cited == 0


def test_rows_of_tables() -> None:
    assert Claim("Knob: idle; Default: 30 s; Used for: sweeping").of_table
    assert not Claim("Note: the rest is kept; nothing is lost.").of_table


@pytest.mark.parametrize(
    "piece", [" ", ", ", "and ", "so that ", ", which keeps ", "in every ", "1, ", "; a: ", "\t,\t"]
)
def test_parts_are_cut_in_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = (piece * MAX_CLAIM)[:size]
        start = process_time()
        assert Claim(text).parts is not None
        return process_time() - start

    assert growth(seconds, MAX_CLAIM // 4, MAX_CLAIM, 8, least=1e-3) < 14
