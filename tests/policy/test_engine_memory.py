"""What was answered before is not asked again; what a run will cost is told before it is made."""

import hashlib
import json
import tracemalloc
from collections.abc import Mapping
from typing import Any

import pytest

from cite_lsp.policy import Concern, OptionsError, Policy, YesNo, judge, source
from cite_lsp.policy.estimating import Estimate, estimate
from cite_lsp.policy.hashes import digest, labelled, policy_hash, wording_hash
from cite_lsp.policy.language import Side
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.passages import Source
from tests.policy.answering import RIDDLES, WHOLE, Rule, Shelf, asks, screening, sync_client, texts_of

OPTIONS = RunOptions(window=3)


def units(count: int = 10, **changed: str) -> Source:
    texts = {f"P{number:03d}": f"passage {number}" for number in range(count)} | changed
    return source(list(texts.values()))


async def asked(shelf: Shelf, made: Source, policy: Policy = WHOLE, **chosen: Any) -> tuple[Any, list[list[str]]]:
    """The report, and the texts of the requests that were sent; what was estimated was sent."""
    rule = Rule()
    options = RunOptions(**{"window": 3, "concurrency": 1, **chosen})
    expected = estimate(made, policy, options, shelf)
    report = await judge(sync_client(rule), made, policy, memory=shelf, **{"window": 3, "concurrency": 1, **chosen})
    assert expected.screen_requests == sum(screening(each) for each in rule.requests)
    return report, [texts_of(each) for each in rule.requests if screening(each)]


async def test_a_second_run_asks_nothing_and_says_the_same() -> None:
    shelf = Shelf()
    first, _ = await asked(shelf, units())
    second, sent = await asked(shelf, units())
    assert (sent, second.requests, second.recalled) == ([], 0, 4 + len(first.findings))
    assert first.recalled == 0
    assert second.findings == first.findings
    assert second.screen == first.screen
    assert list(second.screen) == list(first.screen)
    assert (second.usage, second.models) == (None, ())


async def test_only_windows_with_something_unknown_are_asked_and_those_whole() -> None:
    shelf = Shelf()
    await asked(shelf, units())
    report, sent = await asked(shelf, units(P004="new"))
    assert sent == [["passage 3", "new", "passage 5"]]
    assert len(report.screen) == 10
    _, sent = await asked(shelf, units(P004="new"))
    assert sent == []


async def test_what_passages_are_called_is_no_part_of_what_is_known() -> None:
    shelf = Shelf()
    first, _ = await asked(shelf, units(3))
    renamed = source([{"id": f"L{each.id}", "text": each.text} for each in units(3).passages])
    second, sent = await asked(shelf, renamed)
    assert (sent, second.requests) == ([], 0)
    named = [[f"L{one.passage.id}" for one in each.evidence] for each in first.findings]
    assert named == [[one.passage.id for one in each.evidence] for each in second.findings]
    assert [each.verdict for each in first.findings] == [each.verdict for each in second.findings]
    assert second.findings


CHANGES: dict[str, tuple[Source, Policy]] = {
    "the key that holds the passages": (source(["a"], as_="lines"), RIDDLES),
    "what is shown": (source([{"text": "a", "meta": {"who": "A"}}], show=["who"]), RIDDLES),
    "the question": (source(["a"]), Policy([Concern("riddle", detect=asks("puzzles"))])),
    "the criteria": (
        source(["a"]),
        Policy([Concern("riddle", detect=YesNo("Does {passage} say riddles?", yes="It does.", no="It doesn't."))]),
    ),
    "the name of the question": (source(["a"]), Policy([Concern("puzzle", detect=asks("riddles"))])),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_what_is_asked_is_part_of_what_is_known(change: str) -> None:
    shelf = Shelf()
    await asked(shelf, source(["a"]), RIDDLES)
    _, sent = await asked(shelf, *CHANGES[change])
    assert sent == [["a"]]


async def test_meta_that_is_not_shown_is_no_part_of_it() -> None:
    shelf = Shelf()
    await asked(shelf, source([{"text": "a", "meta": {"at": object()}}]), RIDDLES)
    _, sent = await asked(shelf, source(["a"]), RIDDLES)
    assert sent == []


async def test_passages_that_are_alike_are_told_apart_by_their_order() -> None:
    """Each is recalled with its own answer, so that a second run says the same as the first."""
    shelf = Shelf()

    class ByPlace(Rule):
        def reply(self, request: dict[str, Any]) -> dict[str, Any]:
            self.requests.append(request)
            return {"answers": {key: {"noul": int(key[3]) / 10} for key in request["questions"] if key[0] == "P"}}

    alike = source(["same"] * 5)
    first = await judge(sync_client(ByPlace()), alike, RIDDLES, memory=shelf, threshold=1, strict_threshold=True)
    rule = ByPlace()
    second = await judge(sync_client(rule), alike, RIDDLES, memory=shelf, threshold=1, strict_threshold=True)
    assert rule.requests == []
    assert first.screen == second.screen
    assert len({row["riddle"] for row in first.screen.values()}) == 5


@pytest.mark.parametrize(
    "reply", [{"error": "server_error"}, {"answers": {}}, {"error": "request_too_large"}], ids=repr
)
async def test_what_failed_is_not_kept(reply: dict[str, Any]) -> None:
    shelf = Shelf()
    await judge(sync_client(Rule(lambda *_: reply)), units(), WHOLE, memory=shelf)
    assert shelf.kept == {}


async def test_answers_that_are_no_json_are_not_kept_and_do_no_harm() -> None:
    shelf = Shelf()
    odd = Rule(answer=lambda *_: {"noul": 1, "by": object()})
    report = await judge(sync_client(odd), source(["a"]), RIDDLES, memory=shelf)
    assert report.findings[0].verdict == "holds"
    assert [list(value) for value in kept(shelf).values()] == [["row"]]


async def test_a_window_that_fails_loses_nothing_that_is_known() -> None:
    shelf = Shelf()
    first, _ = await asked(shelf, units())
    refusing = Rule(lambda *_: {"error": "server_error"})
    report = await judge(sync_client(refusing), units(P004="new"), WHOLE, window=3, memory=shelf, retries=1)
    screened = {name: row for name, row in first.screen.items() if name != "P004"}
    assert report.screen == screened
    assert [error.passage_ids for error in report.errors if error.concern is None] == [("P004",)]


VALUES: list[Any] = [{}, {"row": None}, {"row": {"riddle": 2}}, {"row": {}}, {"row": {"riddle": True}}, {"answers": {}}]


@pytest.mark.parametrize("value", VALUES, ids=repr)
async def test_what_is_kept_and_cannot_be_read_is_not_known(value: Any) -> None:
    shelf = Shelf()
    await asked(shelf, source(["a"]), RIDDLES)
    shelf.kept = {key: json.dumps(value) for key in shelf.kept}
    report, sent = await asked(shelf, source(["a"]), RIDDLES)
    assert (sent, len(report.screen)) == ([["a"]], 1)


async def test_a_memory_may_say_more_than_it_was_asked_for() -> None:
    class Talkative(Shelf):
        def recall(self, keys: Any) -> dict[str, Any]:
            return super().recall(list(self.kept))

    shelf = Talkative()
    await asked(shelf, units())
    _, sent = await asked(shelf, units(4))
    assert sent == []


async def test_many_passages_are_recalled_in_parts() -> None:
    sizes: list[int] = []

    class Counting(Shelf):
        def recall(self, keys: Any) -> dict[str, Any]:
            sizes.append(len(keys))
            return super().recall(keys)

    rule = Rule(answer=lambda *_: {"noul": 0})
    await judge(sync_client(rule), units(2500), RIDDLES, memory=Counting(), window=500)
    assert sizes == [1000, 1000, 500]


# ------------------------------------------------------------------------------------------------ estimate


def test_an_estimate_says_what_a_run_will_ask() -> None:
    made = source(["12345678"] * 7)
    told = estimate(made, WHOLE, OPTIONS)
    assert (told.passages, told.screen_requests, told.judge_requests_at_most, told.questions) == (7, 3, 3, 42)
    assert 42 * 20 < told.tokens_in < 42 * 200
    assert estimate(source([]), WHOLE, OPTIONS) == Estimate(0, 0, 0, 0, 0)
    with pytest.raises(OptionsError):
        estimate(made, WHOLE, RunOptions(window=0))


def test_neighbours_cost_tokens_and_no_questions() -> None:
    made = units()
    plain, overlapping = (estimate(made, WHOLE, RunOptions(window=3, overlap=each)) for each in (0, 2))
    assert overlapping.tokens_in > plain.tokens_in
    assert overlapping.questions == plain.questions


def test_what_is_not_ascii_costs_a_token_a_character() -> None:
    plain, other = (estimate(source([char * 100]), RIDDLES, OPTIONS).tokens_in for char in ("a", "字"))
    assert 60 < other - plain < 80


async def test_ten_thousand_passages_are_not_all_made_requests_at_once() -> None:
    long = Policy([Concern("riddle", detect=YesNo("Does {passage} " + "say so " * 300 + "?", yes="a", no="b"))])
    made, answered = source([f"line {number}" for number in range(10_000)]), 0

    async def client(request: dict[str, Any]) -> dict[str, Any]:
        nonlocal answered
        answered += 1
        return {"answers": {key: {"noul": 0} for key in request["questions"]}}

    tracemalloc.start()
    try:
        report = await judge(client, made, long, concurrency=8, memory=Shelf())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (answered, len(report.screen)) == (250, 10_000)
    assert most < 10_000 * 2100 * 0.8  # the questions alone, if all were there at once, are more


# ------------------------------------------------------------------------------------------------ hashes


def test_labels_name_every_question() -> None:
    assert list(labelled(WHOLE)) == [
        "filter:said",
        "detect:plain",
        "confirm:plain",
        "detect:confirmed",
        "confirm:confirmed",
        "check:built/agree",
        "check:built/apart",
        "factor:first",
        "factor:second",
        "factor:third",
    ]
    with pytest.raises(KeyError):
        wording_hash("detect:nothing", WHOLE)


def test_a_hash_changes_with_what_a_client_is_told_and_with_nothing_else() -> None:
    def hashed(detect: YesNo, **named: Any) -> tuple[str, str]:
        policy = Policy([Concern("riddle", detect=detect, **named)])
        return wording_hash("detect:riddle", policy), policy_hash(policy)

    plain = YesNo("Is {passage}?", yes="Yes.", no="No.")
    word, whole = hashed(plain)
    assert (len(word), len(whole), int(word, 16) > 0) == (16, 16, True)
    assert hashed(YesNo("Is {passage}?", yes=Side("Yes."), no=Side("No.", examples=()))) == (word, whole)
    assert hashed(plain, category="kind") == (word, hashed(plain, category="kind")[1])
    others = [
        YesNo("Is {passage} so?", yes="Yes.", no="No."),
        YesNo("Is {passage}?", yes="Yes!", no="No."),
        YesNo("Is {passage}?", yes="No.", no="Yes."),
        YesNo("Is {passage}?", yes="Yes.", no="No.", focus="Look."),
        YesNo("Is {passage}?", yes=Side("Yes.", not_for="Perhaps."), no="No."),
        YesNo("Is {passage}?", yes=Side("Yes.", examples=["Aye."]), no="No."),
    ]
    seen = [hashed(each) for each in (plain, *others)]
    assert len({word for word, _ in seen}) == len({whole for _, whole in seen}) == len(seen)


def test_hashes_are_the_same_in_every_process() -> None:
    expected = hashlib.sha256(b'{"b":["\\u00e9",1,null],"a":true}').hexdigest()
    assert digest({"b": ["é", 1, None], "a": True}) == expected
    assert digest({"b": ("é", 1, None), "a": True}, 16) == expected[:16]
    assert policy_hash(RIDDLES) == policy_hash(Policy([Concern("riddle", detect=asks("riddles"))]))


def test_half_a_character_has_a_hash() -> None:
    assert len(digest("\ud800")) == 64


def kept(shelf: Shelf) -> Mapping[str, Any]:
    return {key: json.loads(value) for key, value in shelf.kept.items()}


async def test_what_is_kept_names_no_passage() -> None:
    shelf = Shelf()
    await asked(shelf, units(3))
    assert "P00" not in json.dumps(kept(shelf))
    assert {tuple(each) for each in kept(shelf).values()} == {("row",), ("answers",)}


def spoilt(request: dict[str, Any], how: str) -> None:
    """Do what clients do to a request while they work on it."""
    match how:
        case "renames":
            request["questions"] = {f"q{number}": each for number, each in enumerate(request["questions"].values())}
        case "adds":
            request["questions"]["mine"] = {"type": "noul"}
        case "takes apart":
            for question in request["questions"].values():
                question["criteria"].clear()
                question.pop("instructions")
        case _:
            request.clear()


@pytest.mark.parametrize("how", ["renames", "adds", "takes apart", "clears"])
async def test_a_request_is_its_client_s(how: str) -> None:
    rule, plain = Rule(), Shelf()

    def client(request: dict[str, Any]) -> Any:
        reply = rule.reply(json.loads(json.dumps(request)))
        spoilt(request, how)
        return reply

    expected = await judge(sync_client(Rule()), units(), WHOLE, memory=plain)
    shelf = Shelf()
    report = await judge(client, units(), WHOLE, memory=shelf)
    assert report.as_data() == expected.as_data()
    assert shelf.kept == plain.kept
