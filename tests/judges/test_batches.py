"""Which rows go out together, and what that would take."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.audit.guard import estimated_tokens
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.tokens import tokens_of
from cite_lsp.audit.verdicts import Row
from cite_lsp.config.settings import JudgeSettings
from cite_lsp.judges.batches import batches, rows_per_request
from cite_lsp.judges.making import estimate, model_options
from cite_lsp.judges.options import ModelOptions
from tests.clients.scripted import ScriptedServer, asked
from tests.judges.asked_model import ask, model, row
from tests.judges.put_rows import agree


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("gpt-5.2", 8),
        ("gpt-4o-mini", 8),
        ("claude-sonnet-4-5", 8),
        ("gemini-2.5-flash", 8),
        ("deepseek-chat", 8),
        ("mistral-large-latest", 8),
        ("minimax-m2", 8),
        ("llama-3.3-70b-versatile", 8),
        ("qwen3:235b-a22b", 8),
        ("mixtral-8x7b", 8),
        ("openai/gpt-oss-120b", 8),
        ("llama3.2:3b", 1),
        ("llama3.2", 1),
        ("Qwen2.5-7B-Instruct-Q4_K_M.gguf", 1),
        ("gemma3:270m", 1),
        ("qwen2.5-coder:1.5b", 1),
        ("phi4", 1),
        ("tinyllama", 1),
        ("gpt-oss:8b", 1),
        ("mistral", 1),
        ("", 1),
        ("our-own-model", 8),
    ],
)
def test_how_many_rows_a_model_is_given(name: str, rows: int) -> None:
    assert rows_per_request(name) == rows


rows_drawn = st.lists(
    st.builds(
        lambda claim, path, lines: Row.of(claim=claim, path=path, lines=list(enumerate(lines, 1))),
        st.text(max_size=2000),
        st.sampled_from(["a.py", "b.py", "c.md"]),
        st.lists(st.text(max_size=1500), max_size=3),
    ),
    max_size=20,
)


@given(rows_drawn, st.integers(1, 12) | st.none(), st.integers(1, 3000) | st.none(), st.booleans())
def test_every_row_goes_out_once_and_no_batch_is_too_large(
    rows: list[Row], most: int | None, cap: int | None, batch: bool
) -> None:
    options = ModelOptions("openai", "gpt-5", batch=batch, max_rows_per_request=most, max_output_tokens_per_turn=cap)
    made = batches(rows, range(len(rows)), options)
    assert sorted(index for each in made for index in each) == list(range(len(rows)))
    assert all(made)
    if not batch:
        assert len(made) <= 1
        return
    for each in made:
        assert len(each) <= (most or 8)
        assert cap is None or len(each) == 1 or estimated_tokens(len(each)) <= cap
    order = [rows[index].path for each in made for index in each]
    changes = sum(before != after for before, after in pairwise(order))
    assert changes == max(0, len(set(order)) - 1)


def test_long_rows_go_out_in_more_requests() -> None:
    rows = [Row.of(claim="c", lines=[(1, "word " * 4000)]) for _ in range(4)]
    assert batches(rows, range(4), ModelOptions("openai", "gpt-5")) == [[0], [1], [2], [3]]


def test_tokens() -> None:
    assert tokens_of("a" * 35) == 11
    assert tokens_of("漢字") == 3


@pytest.mark.parametrize(("name", "requests"), [("openai", 3), ("anthropic", 3), ("command", 1), ("embedded", 0)])
def test_an_estimate(name: str, requests: int) -> None:
    settings = JudgeSettings(name=name, model="gpt-5", est_cost=0.5)  # type: ignore[arg-type]
    rows = [*(row(number) for number in range(20)), Row.of(claim="No lines.", lines=[])]
    found = estimate(rows, model_options(settings, AuditOptions()))
    assert (found.rows, found.requests) == (20, requests)
    assert found.cost == (0.5 * requests if requests else None)
    assert (found.tokens_in > 0) == (found.tokens_out > 0) == (requests == 3)


async def test_the_estimate_is_what_is_then_sent() -> None:
    rows = [row(number) for number in range(20)]
    found = estimate(rows, ModelOptions("openai", "some-70b"))
    with ScriptedServer(model(agree)) as server:
        await ask(server, rows)
        put = [asked("openai", request) for request in server.requests]
    assert found.requests == len(put)
    sent = sum(tokens_of(each.system) + tokens_of(each.user) for each in put)
    assert abs(found.tokens_in - sent) < 0.05 * sent
