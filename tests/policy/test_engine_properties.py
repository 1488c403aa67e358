"""What holds of every run, whatever the source, the options and the faults: by hypothesis."""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.policy import ClientError, Report, judge, source
from cite_lsp.policy.estimating import estimate
from cite_lsp.policy.gather import gather
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.passages import Source
from cite_lsp.policy.ruling import Ruling
from tests.policy.answering import (
    RIDDLES,
    WHOLE,
    Rule,
    Shelf,
    async_client,
    drawn,
    screening,
    sync_client,
    texts_of,
)

WORDS = st.sampled_from(["a", "b", "c", "lone", "wolf", "é", "𝒳 \n"])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), max_size=14)


@dataclass(frozen=True)
class Faults:
    """What goes wrong, by what is asked alone, so that it is the same whoever asks when."""

    seed: str
    share: float
    largest: int
    lasts: int

    def __call__(self, request: dict[str, Any], times: int) -> Any:
        if screening(request) and len(texts_of(request)) > self.largest:
            return {"error": "request_too_large", "usage": {"input_tokens": 1, "output_tokens": 0}}
        name = f"{self.seed} {json.dumps(request)}"
        if times > self.lasts or drawn(name) >= self.share:
            return None
        keys = list(request["questions"])
        answers = {key: {"noul": 0.5} for key in keys}
        kinds: list[Any] = [
            {"error": "server_error", "message": "it is down"},
            {"error": ["rate_limited", 10]},
            {"error": "unauthorized"},
            {"error": "request_too_large"},
            {"answers": {key: answers[key] for key in keys[1:]}, "usage": {"input_tokens": 3, "output_tokens": 2}},
            {"answers": {**answers, keys[-1]: {"noul": 1.5}}, "model": "failed"},
            ClientError(["request_error", "reset"], "the connection was reset"),
        ]
        return kinds[round(drawn(name, "kind") * (len(kinds) - 1))]


FAULTS = st.builds(
    Faults,
    seed=st.text("abc", max_size=3),
    share=st.sampled_from([0, 0.2, 0.5, 1]),
    largest=st.integers(1, 8),
    lasts=st.sampled_from([1, 2, 99]),
)


@st.composite
def chosen_options(draw: st.DrawFn) -> dict[str, Any]:
    window = draw(st.integers(1, 6))
    return {
        "window": window,
        "overlap": draw(st.integers(0, window - 1)),
        "strict_threshold": draw(st.booleans()),
        "retries": draw(st.integers(0, 2)),
        "threshold": draw(st.sampled_from([0.2, 0.5, 0.8])),
    }


def plain(report: Report) -> dict[str, Any]:
    return report.as_data()


@given(TEXTS, FAULTS, chosen_options(), st.integers(2, 9))
@settings(max_examples=150)
def test_the_report_is_the_same_at_any_concurrency_and_in_threads(
    texts: list[str], faults: Faults, chosen: dict[str, Any], concurrency: int
) -> None:
    async def runs() -> list[Report]:
        made = source(texts)
        clients = [(sync_client(Rule(faults)), 1), (async_client(Rule(faults)), concurrency)]
        clients += [(sync_client(Rule(faults)), concurrency)]
        return [await judge(client, made, WHOLE, concurrency=count, **chosen) for client, count in clients]

    first, *others = asyncio.run(runs())
    for other in others:
        assert plain(other) == plain(first)
        assert list(other.screen) == list(first.screen)


@given(TEXTS, FAULTS, chosen_options())
@settings(max_examples=150)
def test_no_passage_is_lost_and_no_failure_is_read_as_no(
    texts: list[str], faults: Faults, chosen: dict[str, Any]
) -> None:
    made, rule = source(texts), Rule(faults)
    report = asyncio.run(judge(async_client(rule), made, WHOLE, concurrency=3, **chosen))
    lacking = [name for error in report.errors if error.concern is None for name in error.passage_ids]
    assert len(lacking) == len(set(lacking))
    assert [each.id for each in made.passages if each.id not in lacking] == list(report.screen)
    assert sorted(lacking, key=names(made).index) == lacking
    assert tuple(lacking) == report.unchecked
    answered = asyncio.run(judge(sync_client(Rule()), made, WHOLE, **chosen))
    assert all(row == answered.screen[name] for name, row in report.screen.items())
    options = RunOptions(**chosen)
    expected = [each.concern.name for each in gather(made, report.screen, WHOLE, Ruling(options))]
    told = [each.concern for each in report.findings]
    failed = [error.concern for error in report.errors if error.concern is not None]
    assert sorted([*told, *failed], key=expected.index) == expected
    assert report.requests == len(rule.requests)


def names(made: Source) -> list[str]:
    return [each.id for each in made.passages]


@given(st.integers(0, 20), st.integers(1, 9), st.integers(0, 8), st.integers(1, 12), st.integers(1, 4))
def test_too_large_windows_are_halved_until_all_is_answered(
    count: int, window: int, overlap: int, largest: int, concurrency: int
) -> None:
    rule = Rule(Faults("", 0, largest, 0), answer=lambda *_: {"noul": 0})
    made = source([f"passage {number}" for number in range(count)])
    chosen = {"window": window, "overlap": min(overlap, window - 1), "concurrency": concurrency}
    report = asyncio.run(judge(async_client(rule), made, RIDDLES, **chosen))
    assert (list(report.screen), report.errors) == (names(made), ())
    good = [each for each in rule.requests if len(texts_of(each)) <= largest]
    asked = Counter(key for each in good for key in each["questions"])
    assert asked == Counter(f"{name}:riddle" for name in names(made))
    if largest >= window + chosen["overlap"]:
        assert len(rule.requests) == estimate(made, RIDDLES, RunOptions(**chosen)).screen_requests


@given(st.integers(1, 20), st.integers(1, 9), st.data())
def test_neighbours_are_those_before_and_are_not_asked_about(count: int, window: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, window - 1))
    rule = Rule(answer=lambda *_: {"noul": 0})
    made = source([str(number) for number in range(count)])
    asyncio.run(judge(sync_client(rule), made, RIDDLES, window=window, overlap=overlap, concurrency=1))
    for number, request in enumerate(rule.requests):
        first, last = number * window, min((number + 1) * window, count)
        assert texts_of(request) == [str(each) for each in range(max(0, first - overlap), last)]
        assert list(request["questions"]) == [f"P{each:03d}:riddle" for each in range(first, last)]


SCORES = st.sampled_from([0, 0.2, 0.4, 0.45, 0.5, 0.55, 0.6, 1])
ROWS = st.lists(
    st.none() | st.fixed_dictionaries({name: SCORES for name, _ in WHOLE.detects()}), min_size=1, max_size=8
)


@given(ROWS, st.sampled_from([0.3, 0.5, 0.7]))
@settings(max_examples=300)
def test_what_the_reference_gathers_is_gathered(rows: list[dict[str, float] | None], threshold: float) -> None:
    """Past the reference things are added, and those are for a person to see: nothing that it finds is changed."""
    made = source(["x"] * len(rows))
    screen = {passage.id: row for passage, row in zip(made.passages, rows, strict=True) if row is not None}
    strict = RunOptions(threshold=threshold, strict_threshold=True)
    reference = {each.concern.name: each for each in gather(made, screen, WHOLE, Ruling(strict))}
    ours = {each.concern.name: each for each in gather(made, screen, WHOLE, Ruling(RunOptions(threshold=threshold)))}
    assert set(reference) <= set(ours)
    for name, found in ours.items():
        if name not in reference:
            assert found.unsure
            continue
        sure = tuple(each for each in found.passages if each.id not in found.unsure)
        assert sure == reference[name].passages
        assert found.roles == reference[name].roles
        assert not (found.roles and found.unsure)


@given(TEXTS, chosen_options(), st.integers(1, 4))
@settings(max_examples=60)
def test_a_run_that_is_remembered_says_the_same_and_asks_nothing(
    texts: list[str], chosen: dict[str, Any], concurrency: int
) -> None:
    async def both() -> tuple[Report, Report, int]:
        shelf, made = Shelf(), source(texts)
        first = await judge(async_client(Rule()), made, WHOLE, memory=shelf, concurrency=concurrency, **chosen)
        rule = Rule()
        second = await judge(async_client(rule), made, WHOLE, memory=shelf, concurrency=concurrency, **chosen)
        return first, second, len(rule.requests)

    first, second, requests = asyncio.run(both())
    assert requests == second.requests == 0
    apart = ("usage", "models", "requests", "recalled")
    assert {**plain(first), **dict.fromkeys(apart)} == {**plain(second), **dict.fromkeys(apart)}
    assert second.recalled == first.requests


@given(TEXTS, FAULTS, chosen_options())
@settings(max_examples=60)
def test_what_was_answered_in_a_run_with_faults_is_not_asked_again(
    texts: list[str], faults: Faults, chosen: dict[str, Any]
) -> None:
    async def both() -> tuple[Report, Report]:
        shelf, made = Shelf(), source(texts)
        first = await judge(async_client(Rule(faults)), made, WHOLE, memory=shelf, **chosen)
        expected = estimate(made, WHOLE, RunOptions(**chosen), shelf)
        rule = Rule()
        second = await judge(async_client(rule), made, WHOLE, memory=shelf, **chosen)
        assert expected.screen_requests == sum(screening(each) for each in rule.requests)
        return first, second

    first, second = asyncio.run(both())
    assert second.errors == ()
    assert all(second.screen[name] == row for name, row in first.screen.items())
