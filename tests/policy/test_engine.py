"""A policy asked of a client: what is sent, what is made of replies, what is refused before anything is asked."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import cite_lsp.policy
from cite_lsp.policy import (
    ClientError,
    ContractError,
    OptionsError,
    Report,
    judge,
    source,
)
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.run import run
from tests.policy.answering import (
    RIDDLES,
    WHOLE,
    Rule,
    Shelf,
    async_client,
    screening,
    sync_client,
    texts_of,
    yes_to,
)

EXAMPLE = """\
from cite_lsp.policy import Policy, Concern, YesNo, judge, source

riddles = Policy(concerns=[Concern("riddle", detect=YesNo(
    "Does {passage} pose a riddle?",
    yes="A question asked to be puzzled over, whether or not it has an answer.",
    no="A plain question, a statement, or a remark."))])

report = await judge(client, source(["What has keys and opens no door?", "The shop shuts at six."]), riddles)
"""


async def as_printed(client: Any) -> Report:
    """Run the example of the design page, word for word."""
    names: dict[str, Any] = {"client": client}
    code = compile(EXAMPLE, "policy.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    await eval(code, names)  # noqa: S307 - the text above
    return names["report"]


def test_the_example_is_the_one_of_the_design(shared: Path) -> None:
    page = (shared / "design" / "policy.md").read_text(encoding="utf-8")
    assert f"```python\n{EXAMPLE}```\n" in page


def riddler(request: dict[str, Any]) -> dict[str, Any]:
    keys = [(key, question["instructions"]["inspect"]) for key, question in request["questions"].items()]
    return {"answers": {key: {"noul": 0.94 if "P000" in path else 0.03} for key, path in keys}, "usage": None}


async def async_riddler(request: dict[str, Any]) -> dict[str, Any]:
    return riddler(request)


def given_by_another(request: dict[str, Any]) -> Any:
    """A plain function that gives an awaitable."""
    return async_riddler(request)


class Riddler:
    async def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        return riddler(request)


@pytest.mark.parametrize("client", [riddler, async_riddler, Riddler(), given_by_another])
async def test_the_example_runs_as_printed(client: Any) -> None:
    report = await as_printed(client)
    (found,) = report.findings
    assert (found.concern, found.category, found.verdict) == ("riddle", "riddle", "holds")
    (cited,) = found.evidence
    assert (cited.passage.id, cited.passage.text) == ("P000", "What has keys and opens no door?")
    assert (cited.verdict, cited.answer) == ("holds", {"noul": 0.94})
    assert report.screen == {"P000": {"riddle": 0.94}, "P001": {"riddle": 0.03}}
    assert (report.errors, report.usage, report.models, report.requests, report.unchecked) == ((), None, (), 2, ())


@pytest.mark.parametrize("raised", [True, False])
async def test_a_client_that_fails_leaves_everything_not_checked(raised: bool) -> None:
    def client(request: dict[str, Any]) -> dict[str, Any]:
        if raised:
            raise ClientError(["rate_limited", 7000], "the server asks to wait 7 seconds")
        return {"error": ["rate_limited", 7000], "message": "the server asks to wait 7 seconds"}

    report = await as_printed(client)
    assert (report.findings, report.screen, report.unchecked) == ((), {}, ("P000", "P001"))
    assert report.as_data()["errors"] == [
        {
            "concern": None,
            "passage_ids": ["P000", "P001"],
            "reason": ["rate_limited", 7000],
            "message": "the server asks to wait 7 seconds",
        }
    ]


# ------------------------------------------------------------------------------------------------ what is sent


async def test_each_part_of_a_policy_is_asked_in_its_order() -> None:
    rule = Rule(answer=lambda question, _: yes_to(question))
    made = source([{"id": "U1", "text": "a", "meta": {"who": "A", "at": 3}}, "b", "c"], as_="lines", show=["who"])
    report = await judge(sync_client(rule), made, WHOLE, window=2, concurrency=1)
    first, second, plain, confirmed, built = rule.requests
    names = ("said", "plain", "confirmed", "first", "second", "third")
    assert list(first["questions"]) == [f"{one}:{name}" for one in ("U1", "P001") for name in names]
    assert list(second["questions"]) == [f"P002:{name}" for name in names]
    assert first["state"] == {
        "lines": {"U1": {"who": "A", "id": "U1", "text": "a"}, "P001": {"id": "P001", "text": "b"}}
    }
    ids = ("U1", "P001", "P002")
    assert list(plain["questions"]) == [*(f"confirm:{one}" for one in ids), "severity", "lasting"]
    assert plain["questions"]["confirm:U1"] == first["questions"]["U1:plain"]
    told = confirmed["questions"]["confirm:U1"]["instructions"]
    assert told == {"question": "Does `lines.U1.text` say again?", "inspect": "`lines.U1.text`"}
    assert list(built["state"]) == ["one", "two", "three"]
    assert [each["id"] for each in built["state"].values()] == ["U1", "P001", "U1"]
    assert list(built["questions"]) == ["agree", "severity", "lasting"]
    assert built["questions"]["severity"] == {
        "type": "score",
        "instructions": {"question": "How severe is it?", "compare": ["`one.text`", "`two.text`", "`three.text`"]},
        "criteria": ["low", "middle", "high"],
    }
    assert list(built["questions"]["lasting"]["criteria"]) == ["yes", "no"]
    assert [each.verdict for each in report.findings] == ["holds"] * 3
    assert report.findings[2].roles == {"one": "U1", "two": "P001", "three": "U1"}
    assert [each.category for each in report.findings] == ["plain", "kind", "built"]


async def test_what_a_client_says_beside_the_answer_is_kept_and_can_be_written() -> None:
    def client(request: dict[str, Any]) -> dict[str, Any]:
        return {"answers": {key: {"noul": 0.9, "by": object()} for key in request["questions"]}}

    report = await judge(client, source(["x"]), RIDDLES)
    answer = json.loads(json.dumps(report.as_data()))["findings"][0]["evidence"][0]["answer"]
    assert answer["noul"] == 0.9
    assert isinstance(answer["by"], str)


async def test_a_client_may_change_what_it_is_given_and_gave() -> None:
    given: dict[str, Any] = {}

    def client(request: dict[str, Any]) -> dict[str, Any]:
        given.clear()
        given.update({key: {"noul": 0.9} for key in request["questions"]})
        request["questions"].clear()
        return {"answers": given}

    report = await judge(client, source(["x", "y"]), RIDDLES, window=1, concurrency=1)
    assert report.screen == {"P000": {"riddle": 0.9}, "P001": {"riddle": 0.9}}
    assert report.findings[0].verdict == "holds"


# ------------------------------------------------------------------------------------------------ replies

NO_REPLIES: list[Any] = [
    None,
    [],
    "yes",
    {},
    {"usage": None},
    {"answers": []},
    {"answers": None},
    {"answers": {}, "error": "timeout"},
    {"answers": {}, "usage": {}},
    {"answers": {}, "usage": {"input_tokens": -1, "output_tokens": 0}},
    {"answers": {}, "usage": {"input_tokens": True, "output_tokens": 0}},
    {"answers": {}, "usage": {"input_tokens": 1.5, "output_tokens": 0}},
    {"answers": {}, "usage": [1, 2]},
    {"answers": {}, "model": ""},
    {"answers": {}, "model": 3},
    {"error": "timeout", "message": 3},
    {"error": "timeout", "usage": "many"},
]


@pytest.mark.parametrize("reply", NO_REPLIES, ids=repr)
@pytest.mark.parametrize("form", [sync_client, async_client])
async def test_what_is_no_reply_is_a_mistake_of_the_client(reply: Any, form: Any) -> None:
    class Wrong(Rule):
        def reply(self, request: Any) -> Any:
            return reply

    with pytest.raises(ContractError, match="client gave"):
        await judge(form(Wrong()), source(["x"]), RIDDLES)


@pytest.mark.parametrize("error", [ValueError("broken"), KeyError("x"), StopIteration(), ContractError("no")])
@pytest.mark.parametrize("form", [sync_client, async_client])
async def test_what_a_client_raises_ends_the_run(error: Exception, form: Any) -> None:
    expected = RuntimeError if isinstance(error, StopIteration) else type(error)
    with pytest.raises(expected):
        await judge(form(Rule(fault=lambda *_: error)), source(["x"]), RIDDLES)


HOLDS_ITSELF: list[Any] = []
HOLDS_ITSELF.append(HOLDS_ITSELF)
REASONS: list[Any] = [
    *["timeout", None, {"tag": "a"}, ("bad_request", "x"), 7, ["request_error", "refused"], object()],
    *["half a character \ud800", ["\ud800"], float("nan"), HOLDS_ITSELF, ValueError()],
]


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: type(reason).__name__)
async def test_any_reason_is_reported_and_never_read_as_no(reason: Any) -> None:
    refused = {"error": reason, "message": "as \ud800 told"}
    report = await judge(sync_client(Rule(fault=lambda *_: refused)), source(["x"]), RIDDLES)
    assert report.errors[0].reason is reason
    assert report.unchecked == ("P000",)
    (error,) = report.as_data()["errors"]
    assert (error["message"], error["reason"] == "") == ("as ? told", False)
    json.dumps(error, ensure_ascii=False, allow_nan=False).encode()


async def test_usage_is_counted_of_replies_that_fail_too() -> None:
    def fault(request: dict[str, Any], times: int) -> dict[str, Any] | None:
        usage = {"input_tokens": 100, "output_tokens": 10}
        match texts_of(request):
            case ["missing"]:
                return {"answers": {}, "usage": usage}
            case ["malformed"]:
                return {"answers": {key: {"noul": 2} for key in request["questions"]}, "usage": usage}
            case ["refused"]:
                return {"error": "server_error", "usage": usage}
        return {"error": "request_too_large", "usage": usage} if len(texts_of(request)) > 1 else None

    rule = Rule(fault, answer=lambda *_: {"noul": 0}, usage=False)
    report = await judge(sync_client(rule), source(["missing", "malformed", "refused", "fine"]), RIDDLES, concurrency=1)
    assert [error.reason for error in report.errors] == [
        ["missing_answers", ["P000:riddle"]],
        ["malformed_answers", ["P001:riddle"]],
        "server_error",
    ]
    assert [error.message for error in report.errors] == [
        "1 of 1 questions were left without an answer",
        "1 of 1 answers are not in the form asked",
        "",
    ]
    assert list(report.screen) == ["P003"]
    assert (report.usage.input_tokens, report.usage.output_tokens) == (600, 60)  # type: ignore[union-attr]
    assert report.requests == 7


# ------------------------------------------------------------------------------------------------ refused before


async def test_every_bad_option_is_named_and_nothing_is_asked() -> None:
    rule = Rule()
    with pytest.raises(OptionsError) as raised:
        await judge(
            sync_client(rule),
            source(["x"]),
            RIDDLES,
            threshold=True,
            review_band=(0.6, 0.4),
            window=2,
            overlap=2,
            concurrency=0,
            strict_threshold=1,  # type: ignore[arg-type]
            retries=-1,
            deadline=0,
        )
    names = ["threshold", "review_band", "concurrency", "overlap", "strict_threshold", "retries", "deadline"]
    assert list(raised.value.faults) == names
    assert all(f"{name} is " in str(raised.value) for name in names)
    assert rule.requests == []


BAD: list[dict[str, Any]] = [
    {"threshold": float("nan")},
    {"threshold": "high"},
    {"threshold": -0.1},
    {"review_band": (0.4, 0.4)},
    {"review_band": (0.4,)},
    {"review_band": "ab"},
    {"review_band": (float("nan"), 1)},
    {"window": 1.0},
    {"window": True},
    {"deadline": float("inf")},
    {"deadline": "soon"},
    {"overlap": 40},
    {"retries": None},
]


@pytest.mark.parametrize("chosen", BAD, ids=repr)
def test_a_bad_option_is_told(chosen: dict[str, Any]) -> None:
    assert list(RunOptions(**chosen).faults()) == list(chosen)


@pytest.mark.parametrize("band", [(0.6, 0.4), (0, 2), 0.5, (0.1, 0.2, 0.3)])
async def test_a_bad_band_is_told_by_its_label(band: Any) -> None:
    with pytest.raises(OptionsError, match="detect:riddle"):
        await judge(riddler, source(["x"]), RIDDLES, bands={"detect:riddle": band})


@pytest.mark.parametrize("bands", [{"detect:riddel": (0.1, 0.2)}, [("detect:riddle", (0.1, 0.2))]])
async def test_a_band_of_no_question_is_told(bands: Any) -> None:
    with pytest.raises(OptionsError, match=r"there is a band of detect:riddel|bands is list"):
        await judge(riddler, source(["x"]), RIDDLES, bands=bands)


@pytest.mark.parametrize(
    ("client", "given", "policy"),
    [("yes", source(["x"]), RIDDLES), (riddler, ["x"], RIDDLES), (riddler, source(["x"]), {"concerns": []})],
)
async def test_what_is_of_another_kind_is_told(client: Any, given: Any, policy: Any) -> None:
    with pytest.raises(TypeError, match="is "):
        await judge(client, given, policy)


# ------------------------------------------------------------------------------------------------ overlap


async def test_windows_overlap_and_every_passage_is_asked_about_once() -> None:
    rule = Rule(answer=lambda *_: {"noul": 0})
    await judge(
        sync_client(rule), source([str(each) for each in range(7)]), RIDDLES, window=3, overlap=2, concurrency=1
    )
    assert [texts_of(each) for each in rule.requests] == [
        ["0", "1", "2"],
        ["1", "2", "3", "4", "5"],
        ["4", "5", "6"],
    ]
    asked = [list(each["questions"]) for each in rule.requests]
    assert asked == [[f"P00{one}:riddle" for one in own] for own in ([0, 1, 2], [3, 4, 5], [6])]


async def test_halves_carry_no_neighbours_and_a_last_passage_is_asked_about_alone() -> None:
    def too_large(request: dict[str, Any], times: int) -> dict[str, Any] | None:
        return {"error": "request_too_large"} if len(request["state"]["passages"]) > 1 else None

    rule = Rule(too_large, answer=lambda *_: {"noul": 0})
    made = source([str(each) for each in range(5)])
    report = await judge(sync_client(rule), made, RIDDLES, window=4, overlap=1, concurrency=1)
    sent = ["".join(texts_of(each)) for each in rule.requests]
    assert sent == ["0123", "01", "0", "1", "23", "2", "3", "34", "4"]
    assert (list(report.screen), report.errors) == ([each.id for each in made.passages], ())


# ------------------------------------------------------------------------------------------------ retries

PASSING: list[Any] = [
    {"error": "server_error"},
    {"error": ["rate_limited", 10]},
    {"error": ("request_error", "reset")},
    {"error": "timeout"},
    {"error": ["malformed_reply", "<html>"]},
    {"answers": {}},
    ClientError("server_error"),
]
LASTING: list[Any] = [{"error": each} for each in ("unauthorized", "declined", None, ["bad_request", "x"], 7, [])]


@pytest.mark.parametrize("fault", PASSING, ids=repr)
async def test_what_may_pass_is_asked_again_after_the_others(fault: Any) -> None:
    rule = Rule(lambda request, times: fault if times <= 2 and "b" in texts_of(request) else None)
    report = await judge(sync_client(rule), source(["a", "b", "c"]), RIDDLES, window=1, concurrency=1, retries=2)
    first_round = [texts_of(each) for each in rule.requests if screening(each)]
    assert first_round == [["a"], ["b"], ["c"], ["b"], ["b"]]
    assert list(report.screen) == ["P000", "P001", "P002"]
    assert report.errors == ()
    again = await judge(sync_client(Rule(rule.fault)), source(["a", "b", "c"]), RIDDLES, window=1, retries=1)
    assert [error.passage_ids for error in again.errors if error.concern is None] == [("P001",)]


async def test_where_nobody_was_ever_there_nobody_is_asked_again() -> None:
    """The client has tried more than once by itself: a person waits to hear that the server is down."""
    rule = Rule(lambda *_: {"error": ["request_error", "refused"]})
    report = await judge(sync_client(rule), source(["a", "b"]), RIDDLES, window=1, retries=3)
    assert (len(rule.requests), report.unchecked) == (2, ("P000", "P001"))


@pytest.mark.parametrize("fault", LASTING, ids=repr)
async def test_what_does_not_pass_is_not_asked_again(fault: Any) -> None:
    rule = Rule(lambda *_: fault)
    report = await judge(sync_client(rule), source(["a"]), RIDDLES, retries=3)
    assert (len(rule.requests), report.unchecked) == (1, ("P000",))


@pytest.mark.parametrize("fault", LASTING, ids=repr)
async def test_what_does_not_pass_is_not_asked_again_in_the_second_round(fault: Any) -> None:
    rule = Rule(
        lambda request, times: None if screening(request) else fault, answer=lambda question, _: yes_to(question)
    )
    report = await judge(sync_client(rule), source(["a", "b"]), WHOLE, retries=3)
    assert (report.requests, report.findings) == (4, ())
    assert [error.concern for error in report.errors] == ["plain", "confirmed", "built"]
    assert {error.passage_ids for error in report.errors} == {("P000", "P001")}


async def test_the_second_round_is_asked_again_too() -> None:
    rule = Rule(
        lambda request, times: {"error": "server_error"} if not screening(request) and times == 1 else None,
        answer=lambda question, _: yes_to(question),
    )
    report = await judge(sync_client(rule), source(["a", "b"]), WHOLE, retries=1)
    assert [each.verdict for each in report.findings] == ["holds"] * 3
    assert (report.errors, report.requests) == ((), 7)


async def test_a_window_that_is_asked_again_may_turn_out_too_large() -> None:
    def fault(request: dict[str, Any], times: int) -> dict[str, Any] | None:
        if len(texts_of(request)) == 1:
            return None
        return {"error": "server_error" if times == 1 else "request_too_large"}

    rule = Rule(fault, answer=lambda *_: {"noul": 0})
    report = await judge(sync_client(rule), source(["a", "b", "c"]), RIDDLES, retries=2, concurrency=1)
    assert ["".join(texts_of(each)) for each in rule.requests] == ["abc", "abc", "a", "bc", "bc", "b", "c"]
    assert (list(report.screen), report.errors) == (["P000", "P001", "P002"], ())


# ------------------------------------------------------------------------------------------------ progress


async def test_progress_is_told_of_each_request() -> None:
    told: list[Any] = []
    rule = Rule(
        lambda request, times: {"error": "request_too_large"} if len(texts_of(request)) > 2 else None,
        answer=lambda question, _: yes_to(question),
    )
    await judge(sync_client(rule), source(["a", "b", "c", "d"]), RIDDLES, window=3, concurrency=1, progress=told.append)
    seen = [(each.round, each.requests_done, each.requests, each.passages_done, each.passages) for each in told]
    assert seen == [
        ("screen", 0, 2, 0, 4),
        ("screen", 1, 4, 0, 4),
        ("screen", 2, 4, 1, 4),
        ("screen", 3, 4, 3, 4),
        ("screen", 4, 4, 4, 4),
        ("judge", 0, 1, 0, 4),
        ("judge", 1, 1, 4, 4),
    ]


async def test_nothing_to_ask_is_nothing_done() -> None:
    rule = Rule()
    report = await run(sync_client(rule), source([]), WHOLE, RunOptions(), memory=Shelf())
    assert (report, rule.requests) == (Report(source=source([])), [])


def test_the_public_names_are_what_they_are_called() -> None:
    assert all(getattr(cite_lsp.policy, name).__name__ == name for name in cite_lsp.policy.__all__)
    with pytest.raises(AttributeError):
        _ = cite_lsp.policy.nothing  # type: ignore[attr-defined]
