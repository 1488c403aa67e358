"""Sentences that state a fact about code and cite nothing: rather too few than one too many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp import Document
from cite_lsp.audit.factual import uncited


def told(text: str) -> list[str]:
    blocks = list(Document.parse(text, "d.md").blocks)
    return [block.text[each.start : each.end] for block in blocks for each in uncited(block)]


@pytest.mark.parametrize(
    "sentence",
    [
        "The queue holds at most `512` entries.",
        "`retry` returns the number of attempts.",
        "A failed call is retried by `RetryPolicy` three times.",
        "The flag `--fast` skips the checks of the index.",
    ],
)
def test_a_fact_is_told(sentence: str) -> None:
    assert told(sentence) == [sentence]
    assert told(f"- {sentence}\n- And this `x` is cited (`a.py:1`).") == [sentence]
    assert told(f"Before that. {sentence} Behind that.") == [sentence]
    cited = sentence.removesuffix(".") + " (`a.py:3`)."
    assert told(cited) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Run `make test` to start the tests.",
        "Use `--fast` where the index is old.",
        "Does `retry` return the number of attempts?",
        "`RetryPolicy` has three modes of its own:",
        "`retry` should return the number of attempts.",
        "You set `limit` to a number of calls.",
        "If `limit` is reached, the call fails.",
        "For example, `limit` is three in tests.",
        "The tests are in `tests/test_retry.py` of course.",
        "The queue holds at most 512 entries.",
        "The `retry` module.",
        "See how [`retry`](src/retry.py) returns early.",
        "It is `so`.",
        "The front-end `ATT` and the `PRE` of the read-only sweep.",
        "This line, wrong at `c87c59c3`, was put right and is shipped.",
        "- [ ] Keys of metrics are `&'static str` in all cases.",
        "3. [x] Keys of metrics are `&'static str` in all cases.",
    ],
)
def test_what_is_no_fact_is_not(sentence: str) -> None:
    assert told(sentence) == []


def test_a_sentence_that_the_next_one_goes_on_about_is_borne_by_it() -> None:
    assert told("The queue holds `512` entries. It is set in `src/queue.py:12`.") == []
    assert told("The queue holds `512` entries. Others are in `src/queue.py:12`.") == ["The queue holds `512` entries."]
    assert told("The queue holds `512` entries. It is set somewhere.") == ["The queue holds `512` entries."]


@pytest.mark.parametrize(
    "text",
    [
        "## The `queue` holds many entries",
        "```\nthe `queue` holds many entries\n```",
        "| the `queue` holds many entries |",
    ],
)
def test_headings_code_and_tables_are_left_out(text: str) -> None:
    assert told(text) == []


def test_it_is_found_where_it_stands_in_a_quotation() -> None:
    text = "> The queue\n> holds at most `512` entries. More\n> follows.\n"
    assert told(text) == ["The queue\n> holds at most `512` entries."]


@given(st.text(st.characters() | st.sampled_from("`.?: aIs"), max_size=80))
def test_nothing_is_raised(text: str) -> None:
    for block in Document.parse(text, "d.md").blocks:
        for each in uncited(block):
            assert 0 <= each.start < each.end <= len(block.text)
