"""The reference policy engine against ours: the same requests, the same verdicts, the same reports.

Every row where ours departs is named with its rule, and a named row that agrees is an error too. `ELSEWHERE` names the
groups that are compared beside the part they belong to, `LEFT_OUT` those without a counterpart here, with the reason.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.policy import (
    Check,
    Choice,
    Concern,
    Factor,
    Filter,
    OptionsError,
    Policy,
    Report,
    Role,
    Score,
    SourceError,
    YesNo,
    judge,
    source,
)
from cite_lsp.policy.answers import answers_to, lacking
from cite_lsp.policy.gather import Gathered, gather
from cite_lsp.policy.judging import judge_request
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.passages import Source
from cite_lsp.policy.placeholders import names_in
from cite_lsp.policy.report import Unanswered
from cite_lsp.policy.ruling import Ruling
from cite_lsp.policy.windows import Windows
from cite_lsp.policy.wording import described, instructions, yes_no

LEFT_OUT = {
    "policies": "the policies that the other groups are about: HOUSEHOLD, RIDDLES and TWO_CONCERNS below",
    "rag_tutorial_example": "sentences as people labelled them, without the input that they were read with: nothing "
    "that could be computed",
}
ELSEWHERE = {
    "http": "tests/clients/test_systemone.py",
    "sentence_split": "tests/policy/test_splitting.py",
    "proposed_support_mapping": "tests/judges/test_directions.py",
    "policy_errors": "tests/conformance/test_policy_errors.py",
}
HERE = {
    "source_ok",
    "source_error",
    "placeholder",
    "answers",
    "gather",
    "judge",
    "judge_request_keys",
    "screen_request",
    "halving",
    "report",
    "end_to_end",
    "options",
    "error_json",
}
TESTS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Departure:
    rule: str
    ours: Any


@pytest.fixture(scope="module")
def vectors(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "vectors" / "cite.json").read_text(encoding="utf-8"))


def hold(expected: Mapping[str, Any], ours: Mapping[str, Any], departures: Mapping[str, Departure]) -> None:
    assert set(ours) == set(expected)
    assert {name for name in expected if ours[name] != expected[name]} == set(departures)
    for name, departure in departures.items():
        assert departure.rule
        assert ours[name] == departure.ours, name


def test_every_group_is_compared_or_left_out_with_a_reason(vectors: dict[str, Any]) -> None:
    assert set(vectors) - {"_about"} == HERE | set(ELSEWHERE) | set(LEFT_OUT)
    for group, name in ELSEWHERE.items():
        assert f'"{group}"' in (TESTS.parent / name).read_text(encoding="utf-8"), group


def asked_about(placeholder: str = "passage", **named: Any) -> YesNo:
    return YesNo(f"Is {{{placeholder}}} one?", yes="One.", no="None.", **named)


RIDDLES = Policy(
    [
        Concern(
            "riddle",
            detect=YesNo(
                "Does {passage} pose a riddle?",
                yes="A question asked to be puzzled over.",
                no="A plain question, a statement, or a remark.",
            ),
        )
    ]
)
HOUSEHOLD = Policy(
    concerns=[
        Concern("cashflow_stress", detect=asked_about(), confirm=asked_about(focus="Again."), category="resilience"),
        Concern(
            "household_income",
            category="resilience",
            roles=[
                Role("household", "dependents"),
                Role("income", "primary_income"),
                Role("other_earner", "other_household_income", optional=True, distinct=True),
            ],
            checks=[
                Check(
                    "same_household",
                    YesNo("Do {household} and {income} agree?", yes="They do.", no="They do not."),
                    distinct=True,
                ),
                Check(
                    "concentrated_income",
                    YesNo("Do {household} and {income} show one income?", yes="They do.", no="They do not."),
                ),
            ],
        ),
    ],
    filters=[Filter("client_speaking", asked_about())],
    factors=[Factor(name, asked_about()) for name in ("dependents", "primary_income", "other_household_income")],
    descriptors=[
        Score("severity", "How severe is it?", ["mild", "serious", "grave"]),
        Choice("temporal", "How long?", {"transient": "Passes.", "persistent": "Stays.", "unknown": "Unsaid."}),
    ],
)
TWO_CONCERNS = Policy(
    [Concern("health", detect=asked_about()), Concern("life_event", detect=asked_about())],
    filters=[Filter("client_speaking", asked_about())],
)
POLICIES = {"household": HOUSEHOLD, "riddles": RIDDLES, "two_concerns": TWO_CONCERNS}
REFERENCE = Ruling(RunOptions(strict_threshold=True))


def named_source(*ids: str, as_: str = "utterances") -> Source:
    return source([{"id": name, "text": f"text of {name}"} for name in ids], as_=as_)


# ------------------------------------------------------------------------------------------------ sources


def test_source_ok(vectors: dict[str, Any]) -> None:
    assert len(vectors["source_ok"]) == 6
    for row in vectors["source_ok"]:
        made = source(row.get("units", ["x"] * row.get("n_units", 0)))
        found = {
            "ids": [each.id for each in made.passages],
            "texts": [each.text for each in made.passages],
            "meta": [dict(each.meta) for each in made.passages],
            "as": made.as_,
            "show": list(made.show),
            "last_id": made.passages[-1].id if made.passages else None,
        }
        compared = set(row) & set(found)
        assert compared, row
        assert {name: found[name] for name in compared} == {name: row[name] for name in compared}


def test_source_error(vectors: dict[str, Any]) -> None:
    assert len(vectors["source_error"]) == 24
    for row in vectors["source_error"]:
        units = row.get("units") or [bytes.fromhex(each) for each in row["units_bytes_hex"]]
        units = [_with_a_date(each) for each in units]
        chosen = {"as_" if name == "as" else name: row[name] for name in ("as", "show") if name in row}
        if "opts" in row:
            with pytest.raises(TypeError):
                source(units, **row["opts"])
            continue
        with pytest.raises(SourceError) as raised:
            source(units, **chosen)
        assert all(name in str(raised.value) for name in row.get("names", ()))


def _with_a_date(unit: Any) -> Any:
    if isinstance(unit, dict) and unit.get("meta") == {"at": "<a date object>"}:
        return {**unit, "meta": {"at": object()}}
    return unit


def test_what_is_not_shown_may_be_anything() -> None:
    assert source([{"text": "a", "meta": {"at": object()}}]).passages[0].text == "a"


# ------------------------------------------------------------------------------------------------ wording


def test_placeholder(vectors: dict[str, Any]) -> None:
    assert len(vectors["placeholder"]) == 7
    for row in vectors["placeholder"]:
        if "names" in row:
            assert list(names_in(row["text"])) == row["names"]
        else:
            made = instructions(row["question"], row["focus"], row["paths"], row["fallback"])
            assert list(made.items()) == list(row["instructions"].items())


def test_screen_request(vectors: dict[str, Any]) -> None:
    """Requests are compared with the order of what the model reads, which is the source's and the policy's."""
    row = vectors["screen_request"]
    made = source(row["source"]["units"], as_=row["source"]["as"], show=row["source"]["show"])
    windows = Windows(made, POLICIES[row["policy"]], RunOptions())
    (piece,) = windows
    request = windows.request(piece)
    assert list(request) == ["state", "questions"]
    assert [list(each) for each in request["state"]["lines"].items()] == row["state"]["lines"]
    assert json.dumps(request["questions"]) == json.dumps(row["questions"])


def test_judge_request_keys(vectors: dict[str, Any]) -> None:
    assert len(vectors["judge_request_keys"]) == 4
    for row in vectors["judge_request_keys"]:
        concern = next(each for each in HOUSEHOLD.concerns if each.name == row["concern"])
        ids = list(dict.fromkeys([*row.get("passages", ()), *row.get("roles", {}).values()]))
        made = named_source(*ids)
        by_id = {each.id: each for each in made.passages}
        roles = {role: by_id[name] for role, name in row.get("roles", {}).items()}
        gathered = Gathered(concern, made.passages, roles=roles)
        request = judge_request(made, HOUSEHOLD, gathered, {name: name for name in ids})
        found = {
            "question_keys": list(request["questions"]),
            "state_keys": list(request["state"]),
            "descriptor_compare": request["questions"]["temporal"]["instructions"]["compare"],
        }
        assert {name: found[name] for name in found if name in row} == {
            name: row[name] for name in found if name in row
        }
        assert request["questions"]["severity"]["instructions"]["compare"] == found["descriptor_compare"]


# ------------------------------------------------------------------------------------------------ answers


def test_answers(vectors: dict[str, Any]) -> None:
    group = vectors["answers"]
    levels = [str(each) for each in range(group["score_levels"])]
    options = {name: name for name in group["choice_options"]}
    questions = {
        "noul": yes_no(asked_about(), {}),
        "score": described(Score("severity", "How?", levels), []),
        "choice": described(Choice("temporal", "Which?", options), []),
    }
    assert (len(group["ok"]), len(group["malformed"]), len(group["set"])) == (7, 15, 4)
    for kind, answer in group["ok"]:
        assert answers_to(questions[kind], answer), (kind, answer)
    for kind, answer in group["malformed"]:
        assert not answers_to(questions[kind], answer), (kind, answer)
    kinds = {"severity": "score", "temporal": "choice"}
    for row in group["set"]:
        asked = {name: questions[kinds.get(name, "noul")] for name in row["asked"]}
        fault = lacking(asked, row["answered"])
        assert (fault[0] if fault else "ok") == row["result"], row


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), True, False, "0.5", None, 10**400])
def test_what_python_takes_for_a_number_is_none(value: object) -> None:
    assert not answers_to(yes_no(asked_about(), {}), {"noul": value})


# ------------------------------------------------------------------------------------------------ gather

IN_THE_BAND = "Past the reference: a score below the threshold is not dropped when it is inside the band"
GATHERED_IN_THE_BAND = {
    "strictly greater than threshold": Departure(IN_THE_BAND, [["cashflow_stress", ["U1", "U2", "U3"], {}]]),
}
"""With the options as they are by default; with `strict_threshold` there is no departure."""


def gathered_of(case: dict[str, Any], ruling: Ruling) -> list[Any]:
    policy = POLICIES[case.get("policy", "household")]
    made = named_source(*case.get("source_ids", case["screen"]))
    screen = {name: {"client_speaking": 0.95} | row for name, row in case["screen"].items()}
    return [
        [each.concern.name, [one.id for one in each.passages], {role: one.id for role, one in each.roles.items()}]
        for each in gather(made, screen, policy, ruling)
    ]


def test_gather(vectors: dict[str, Any]) -> None:
    cases = {case.get("why", json.dumps(case["screen"])): case for case in vectors["gather"]["cases"]}
    assert len(cases) == len(vectors["gather"]["cases"]) == 11
    assert vectors["gather"]["threshold"] == RunOptions().threshold
    expected = {name: case["findings"] for name, case in cases.items()}
    hold(expected, {name: gathered_of(case, REFERENCE) for name, case in cases.items()}, {})
    ours = {name: gathered_of(case, Ruling(RunOptions())) for name, case in cases.items()}
    hold(expected, ours, GATHERED_IN_THE_BAND)


# ------------------------------------------------------------------------------------------------ verdicts


def test_verdicts(vectors: dict[str, Any]) -> None:
    group = vectors["judge"]
    assert tuple(group["band"]) == RunOptions().review_band
    assert (len(group["confirm"]), len(group["direct"]), len(group["built"])) == (6, 3, 5)
    for score, standing in group["confirm"]:
        assert REFERENCE.standing("confirm:riddle", score) == standing
    for row in group["direct"]:
        made = named_source(*row["confirms"])
        answers = {f"confirm:{name}": {"noul": score} for name, score in row["confirms"].items()}
        found = REFERENCE.finding(RIDDLES, Gathered(RIDDLES.concerns[0], made.passages), answers)
        assert found.verdict == row["verdict"]
        assert [[each.passage.id, each.verdict] for each in found.evidence] == row["evidence"]
        assert [each.passage.id for each in found.dropped] == row["dropped"]
    for row in group["built"]:
        found = built_finding(row)
        assert found.verdict == row["verdict"], row
        assert {name: each["noul"] for name, each in found.checks.items()} == row["checks"]
        assert {each.verdict for each in found.evidence} == {"holds"}
        assert {each.answer for each in found.evidence} == {None}
        if "evidence" in row:
            assert [[each.passage.id, each.verdict] for each in found.evidence] == row["evidence"]


def built_finding(row: dict[str, Any]) -> Any:
    roles = row.get("roles", {"household": "U1", "income": "U2"})
    made = named_source(*dict.fromkeys(roles.values()))
    by_id = {each.id: each for each in made.passages}
    gathered = Gathered(HOUSEHOLD.concerns[1], made.passages, roles={role: by_id[name] for role, name in roles.items()})
    answers = {name: {"noul": score} for name, score in row["checks"].items()}
    described_as = {
        "severity": {"score": 1, "confidence": 1},
        "temporal": {"choice": "transient", "confidence": 1},
    }
    return REFERENCE.finding(HOUSEHOLD, gathered, answers | described_as)


# ------------------------------------------------------------------------------------------------ whole runs


class Answering:
    """A client that answers by rule and notes what it is asked."""

    def __init__(self, answer: Callable[[str], float], **reply: Any) -> None:
        self.answer = answer
        self.reply = reply
        self.requests: list[dict[str, Any]] = []

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        self.requests.append(request)
        return {"answers": {key: {"noul": self.answer(key)} for key in request["questions"]}, **self.reply}

    def round2(self) -> list[dict[str, Any]]:
        return [each for each in self.requests if any(key.startswith("confirm:") for key in each["questions"])]


TOO_LARGE: dict[str, Callable[[list[int]], bool]] = {
    "never": lambda _: False,
    "len>2": lambda places: len(places) > 2,
    "len>1": lambda places: len(places) > 1,
    "contains 1 or 3": lambda places: bool({1, 3} & set(places)),
}


async def test_halving(vectors: dict[str, Any]) -> None:
    assert len(vectors["halving"]) == 4
    for row in vectors["halving"]:
        refused = TOO_LARGE[row["too_large"]]
        sent: list[list[int]] = []

        def client(
            request: dict[str, Any], refused: Callable[[list[int]], bool] = refused, sent: list[list[int]] = sent
        ) -> dict[str, Any]:
            places = [int(name[1:]) for name in request["state"]["passages"]]
            sent.append(places)
            if refused(places):
                return {"error": "request_too_large"}
            return {"answers": {key: {"noul": 0.1} for key in request["questions"]}, "usage": None}

        report = await judge(client, source(["x"] * row["n"]), RIDDLES, window=row["window"], concurrency=1)
        assert sent == row["sent"], row
        failed = [[int(name[1:]) for name in error.passage_ids] for error in report.errors]
        assert failed == row["errors"]
        assert {error.reason for error in report.errors} <= {"request_too_large"}
        assert len(report.screen) == row["n"] - len(failed)


async def test_report(vectors: dict[str, Any]) -> None:
    assert len(vectors["report"]) == 5
    for row in vectors["report"]:
        if "empty_source" in row:
            client = Answering(lambda _: 0.1)
            report = await judge(client, source([]), RIDDLES)
            assert len(client.requests) == row["requests"]
            assert {name: report.as_data()[name] for name in row["report"]} == row["report"]
            continue
        told = row.get("usages", row.get("models"))
        key = "usage" if "usages" in row else "model"
        replies = iter(told)

        def client_of(request: dict[str, Any], replies: Any = replies, key: str = key) -> dict[str, Any]:
            return {"answers": {name: {"noul": 0.1} for name in request["questions"]}, key: next(replies)}

        report = await judge(client_of, source(["x"] * len(told)), RIDDLES, window=1, concurrency=1)
        data = report.as_data()
        assert data["usage"] == row.get("usage")
        assert data["models"] == row.get("report_models", [])


FROM_END_TO_END = ("findings", "screen", "usage", "models", "errors")


async def test_end_to_end(vectors: dict[str, Any]) -> None:
    assert len(vectors["end_to_end"]) == 4
    for row in vectors["end_to_end"]:
        units = ["x"] * row["units"] if isinstance(row["units"], int) else row["units"]
        client = client_of_row(row)
        report = await judge(client, source(units), POLICIES[row["policy"]])
        expected = row["expect"]
        found = summed_up(report, client)
        unknown = set(expected) - set(found)
        assert not unknown, unknown
        assert {name: found[name] for name in expected} == expected


def client_of_row(row: dict[str, Any]) -> Answering:
    nouls = row.get("nouls", {})
    if nouls == "all screen 0.9":
        return Answering(lambda key: row["default_noul"] if key.startswith("confirm:") else 0.9)
    usage = (
        {"input_tokens": row["usage_each"][0], "output_tokens": row["usage_each"][1]} if "usage_each" in row else None
    )
    named = {"model": row["model"]} if "model" in row else {}
    client = Answering(lambda key: nouls.get(key, row.get("default_noul", 0.1)), usage=usage, **named)
    if "reply" in row:
        client.reply = row["reply"]
    return Refusing(client, row["round2"]) if "round2" in row else client


class Refusing(Answering):
    """Answers the first round as another does, and refuses the second."""

    def __init__(self, client: Answering, reason: str) -> None:
        super().__init__(client.answer, **client.reply)
        self.reason = reason

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        reply = super().__call__(request)
        return {"error": self.reason} if request in self.round2() else reply


def summed_up(report: Report, client: Answering) -> dict[str, Any]:
    data = report.as_data()
    return {
        "requests": len(client.requests),
        "round2_requests": len(client.round2()),
        "round2_questions": sum(len(each["questions"]) for each in client.round2()),
        "findings": [
            [
                each["concern"],
                each["verdict"],
                [[one["passage"]["id"], one["verdict"], one["answer"]["noul"]] for one in each["evidence"]],
            ]
            for each in data["findings"]
        ],
        "dropped": sum(len(each["dropped"]) for each in data["findings"]),
        "screen": data["screen"],
        "errors": [{name: each[name] for name in ("concern", "passage_ids", "reason")} for each in data["errors"]],
        "usage": data["usage"] and [data["usage"]["input_tokens"], data["usage"]["output_tokens"]],
        "models": data["models"],
    }


async def test_usage_of_failed_replies_is_counted() -> None:
    """Past the reference, which drops it (1.12, accounting gap); no vector holds it."""

    def client(request: dict[str, Any]) -> dict[str, Any]:
        return {"answers": {}, "usage": {"input_tokens": 7, "output_tokens": 1}}

    report = await judge(client, source(["x"]), RIDDLES)
    assert report.usage is not None
    assert (report.usage.input_tokens, report.usage.output_tokens) == (7, 1)


async def test_what_is_not_shown_stays_out_of_the_report() -> None:
    """Past the reference, whose reports hold all meta (1.1); no vector holds it."""
    units = [{"text": "x", "meta": {"who": "A", "at": object()}}]
    report = await judge(Answering(lambda _: 0.9), source(units, show=["who"]), RIDDLES)
    assert report.as_data()["findings"][0]["evidence"][0]["passage"]["meta"] == {"who": "A"}


# ------------------------------------------------------------------------------------------------ options


async def test_options(vectors: dict[str, Any]) -> None:
    group = vectors["options"]
    defaults = RunOptions()
    assert defaults.threshold == group["defaults"]["threshold"]
    assert list(defaults.review_band) == group["defaults"]["review_band"]
    assert defaults.window == group["defaults"]["window"]
    assert group["defaults"]["concurrency"].startswith(f"{defaults.concurrency} ")
    assert (len(group["bad"]), len(group["ok"])) == (8, 4)
    client = Answering(lambda _: 0)
    for chosen in group["bad"]:
        with pytest.raises((OptionsError, TypeError)) as raised:
            await judge(client, source(["x"]), RIDDLES, **chosen)
        assert next(iter(chosen)) in str(raised.value)
    assert client.requests == []
    for chosen in group["ok"]:
        await judge(client, source(["x"]), RIDDLES, **chosen)
    assert len(client.requests) == len(group["ok"])


# ------------------------------------------------------------------------------------------------ reasons in JSON

REASONS = {
    "timeout (symbol)": "timeout",
    "tuple(bad_request,'max_tokens_exceeded')": ("bad_request", "max_tokens_exceeded"),
}
ERROR_JSON = {
    "tuple(bad_request,'max_tokens_exceeded')": Departure(
        "a tuple is a list in JSON, as everywhere in Python", ["bad_request", "max_tokens_exceeded"]
    )
}


def test_error_json(vectors: dict[str, Any]) -> None:
    assert len(vectors["error_json"]) == 5
    expected, ours = {}, {}
    for reason, data in vectors["error_json"]:
        name = reason if isinstance(reason, str) else json.dumps(reason)
        report = Report(errors=(Unanswered(None, ("P000",), REASONS.get(name, reason)),))
        expected[name] = data
        ours[name] = json.loads(json.dumps(report.as_data()))["errors"][0]["reason"]
    hold(expected, ours, ERROR_JSON)


def test_a_reason_that_is_no_json_is_a_text() -> None:
    report = Report(errors=(Unanswered(None, ("P000",), {"why": object()}),))
    assert isinstance(json.loads(json.dumps(report.as_data()))["errors"][0]["reason"], str)
