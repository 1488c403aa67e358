"""Policies tried on labelled examples: what came, what was not checked, and what that says of single questions."""

import asyncio
import json
from collections import Counter

import pytest

from cite_lsp.policy import ClientError, ContractError
from cite_lsp.policy.calibration import LabelledScore
from cite_lsp.policy.examples import Confusion, ExampleReport, Tried, run_examples
from cite_lsp.policy.labelled_lines import read_labelled
from cite_lsp.policy.labelled_rows import rows_of
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.progress import Stop
from tests.policy.answering import Clock, Request, Rule, Shelf, async_client, screening, sync_client
from tests.policy.telling import policy_file, round_two, telling


async def tried(*tests: str, rule: Rule | None = None, options: RunOptions | None = None) -> ExampleReport:
    return await run_examples(async_client(rule or telling()), policy_file(*tests), options=options)


async def outcome(test: str, rule: Rule | None = None) -> Tried:
    return (await tried(f'name = "it"\n{test}', rule=rule)).tried[0]


# --- what came, against what was labelled


@pytest.mark.parametrize(
    ("text", "labels", "wrong"),
    [
        ("What has keys? riddle=0.9", 'found = { riddle = ["L1"] }', ()),
        ("What has keys? riddle=0.9", 'found = { riddle = ["keys"] }', ()),
        ("The shop is shut.", "", ()),
        ("The shop is shut.", "found = { riddle = [] }", ()),
        (
            "What has keys? riddle=0.9",
            "",
            ("riddle: L1 (What has keys? riddle=0.9) is not expected to hold, and it holds",),
        ),
        (
            "The shop is shut.",
            'found = { riddle = ["L1"] }',
            ("riddle: L1 (The shop is shut.) is expected to hold, and it does not hold",),
        ),
        (
            "A doubtful one: riddle=0.55",
            'found = { riddle = ["L1"] }',
            ("riddle: L1 (A doubtful one: riddle=0.55) is expected to hold, and it is for review",),
        ),
        ("A doubtful one: riddle=0.55", 'verdicts = { riddle = "review" }', ()),
        ("A doubtful one: riddle=0.55", "", ()),
        ("No. riddle=0.9 said=0.1", "", ()),
        ("Ha. joke=0.9 punchline=0.8", 'found = { joke = ["L1"] }', ()),
        ("Ha. joke=0.9 punchline=0.1", 'verdicts = { joke = "fails" }', ()),
        ("Ha. joke=0.9 punchline=0.1", 'verdicts = { joke = "absent" }', ("joke: expected absent, came fails",)),
        ("Ha.", 'verdicts = { joke = "fails" }', ("joke: expected fails, came absent",)),
        ("Q ask=0.9 match=0.9\\nA tell=0.9", 'found = { pair = ["L1", "L2"] }', ()),
        ("Q ask=0.9 match=0.1\\nA tell=0.9", 'verdicts = { pair = "fails" }', ()),
        ("Q ask=0.9 match=0.5\\nA tell=0.9", 'verdicts = { pair = "review" }', ()),
        (
            "Q ask=0.9 match=0.1\\nA tell=0.9",
            'found = { pair = ["L2"] }',
            ("pair: L2 (A tell=0.9) is expected to hold, and it does not hold",),
        ),
    ],
)
async def test_what_came_otherwise_than_labelled_is_said(text: str, labels: str, wrong: tuple[str, ...]) -> None:
    found = await outcome(f'text = "{text}"\n{labels}')
    assert found.wrong == wrong
    assert found.outcome == ("failed" if wrong else "passed")


async def test_a_table_for_each_concern() -> None:
    report = await tried(
        'name = "a"\ntext = "one riddle=0.9\\ntwo riddle=0.5\\nthree"\nfound = { riddle = ["one", "two", "three"] }',
        'name = "b"\ntext = "four riddle=0.9\\nfive riddle=0.5\\nsix"',
    )
    assert report.tables["riddle"] == Confusion(held=1, review=1, missed=1, found=1, doubted=1, left=1)
    assert report.tables["joke"] == Confusion(left=6)
    assert report.tables["riddle"].precision == 1 / 2
    assert report.tables["riddle"].recall == 1 / 3
    assert report.tables["joke"].precision is None
    assert report.tables["joke"].recall is None


async def test_examples_as_data() -> None:
    report = await tried('name = "a"\ntext = "riddle=0.9"', 'name = "b"\ntext = "x"')
    data = json.loads(json.dumps(report.as_data()))
    assert [data[name] for name in ("passed", "failed", "unchecked")] == [1, 1, 0]
    assert data["examples"][0]["wrong"] == ["riddle: L1 (riddle=0.9) is not expected to hold, and it holds"]
    assert data["concerns"]["riddle"]["not_expected"] == {"held": 1, "review": 0, "not_held": 1}
    assert data["usage"]["output_tokens"] > 0
    assert data["models"] == list(report.models)


# --- what nobody answered


async def test_a_failed_window_is_neither_found_nor_not() -> None:
    rule = telling(fault=lambda request, times: {"error": "server_error", "message": "the server failed"})
    for labels in ('found = { riddle = ["L1"] }', "found = { riddle = [] }", 'verdicts = { riddle = "absent" }'):
        found = await outcome(f'text = "riddle=0.9"\n{labels}', rule)
        assert (found.outcome, found.wrong, found.unanswered) == ("unchecked", (), ("the server failed",))
        assert {each.came for each in found.cells} == {"unchecked"}
    report = await tried('name = "a"\ntext = "one\\ntwo"', rule=rule)
    assert report.tables["riddle"] == Confusion(unchecked=2)
    assert report.tables["riddle"].recall is None


async def test_a_failed_second_round_leaves_only_what_was_gathered_open() -> None:
    def fault(request: Request, times: int) -> ClientError | None:
        return ClientError("timeout") if round_two(request) else None

    found = await outcome('text = "one riddle=0.9\\ntwo"\nfound = { riddle = ["one"] }', telling(fault=fault))
    came = {(each.concern, each.passage_id): each.came for each in found.cells}
    assert came["riddle", "L1"] == "unchecked"
    assert came["riddle", "L2"] == "not"
    assert came["joke", "L1"] == "not"
    assert (found.outcome, found.unanswered) == ("unchecked", ("timeout",))


async def test_roles_are_unknown_where_a_passage_is() -> None:
    """It may have filled a role better than the one that did."""

    def fault(request: Request, times: int) -> ClientError | None:
        return ClientError("server_error") if screening(request) and "third" in json.dumps(request) else None

    test = 'text = "Q ask=0.9 match=0.9\\nA tell=0.9\\nthird"\nfound = { pair = ["L1", "L2"] }'
    report = await tried(f'name = "a"\n{test}', rule=telling(fault=fault), options=RunOptions(window=1))
    came = Counter(each.came for each in report.tried[0].cells if each.concern == "pair")
    assert came == {"unchecked": 3}
    assert Counter(each.came for each in report.tried[0].cells if each.concern == "riddle") == {
        "not": 2,
        "unchecked": 1,
    }


async def test_what_is_wrong_is_wrong_whatever_else_is_unknown() -> None:
    def fault(request: Request, times: int) -> ClientError | None:
        return ClientError("server_error") if "second" in json.dumps(request) else None

    report = await tried(
        'name = "a"\ntext = "riddle=0.9\\nsecond"', rule=telling(fault=fault), options=RunOptions(window=1)
    )
    assert report.tried[0].outcome == "failed"
    assert report.count("failed") == 1


# --- how they are asked


@pytest.mark.parametrize("concurrency", [1, 3, 20])
async def test_the_report_is_the_same_at_any_concurrency(concurrency: int) -> None:
    tests = [f'name = "n{at}"\ntext = "a riddle=0.{at}\\nb joke=0.{at} punchline=0.{9 - at}"' for at in range(10)]
    report = await tried(*tests, options=RunOptions(concurrency=concurrency))
    assert report == await run_examples(sync_client(telling()), policy_file(*tests))
    assert [each.example.name for each in report.tried] == [f"n{at}" for at in range(10)]


async def test_no_more_requests_are_under_way_than_allowed() -> None:
    rule, under_way, most = telling(), 0, 0

    async def client(request: Request) -> dict[str, object]:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001)
        under_way -= 1
        return rule.reply(request)

    tests = [f'name = "n{at}"\ntext = "a riddle=0.9\\nb\\nc"' for at in range(8)]
    await run_examples(client, policy_file(*tests), options=RunOptions(concurrency=3, window=1))
    assert most == 3


async def test_a_memory_answers_the_second_time_and_progress_is_told() -> None:
    file = policy_file('name = "a"\ntext = "riddle=0.9"', 'name = "b"\ntext = "joke=0.9"')
    rule, shelf = telling(), Shelf()
    told: list[int] = []
    first = await run_examples(async_client(rule), file, memory=shelf, told=told.append)
    asked = len(rule.requests)
    second = await run_examples(async_client(rule), file, memory=shelf)
    assert told == [1, 2]
    assert len(rule.requests) == asked
    assert [each.cells for each in second.tried] == [each.cells for each in first.tried]


async def test_bands_of_single_questions_count() -> None:
    file = policy_file('name = "a"\ntext = "riddle=0.7"\nfound = { riddle = ["L1"] }')
    assert (await run_examples(async_client(telling()), file)).count("passed") == 1
    report = await run_examples(async_client(telling()), file, bands={"confirm:riddle": (0.2, 0.8)})
    assert [each.came for each in report.tried[0].cells if each.concern == "riddle"] == ["review"]


@pytest.mark.parametrize("how", ["stop", "deadline"])
async def test_examples_that_were_not_reached_are_unchecked(how: str) -> None:
    rule, stop, clock = telling(), Stop(), Clock()

    async def client(request: Request) -> dict[str, object]:
        if "second" in json.dumps(request):
            if how == "stop":
                stop.end()
            else:
                clock.an_hour_passes()
            await asyncio.Event().wait()
        return rule.reply(request)

    options = RunOptions(concurrency=1, deadline=1800 if how == "deadline" else None)
    file = policy_file(*[f'name = "{name}"\ntext = "{name}"' for name in ("first", "second", "third")])
    report = await run_examples(client, file, options=options, stop=stop)
    assert [each.outcome for each in report.tried] == ["passed", "unchecked", "unchecked"]
    assert report.tried[2].unanswered
    assert len(rule.requests) == 1


async def test_a_client_that_is_wrong_ends_it() -> None:
    with pytest.raises(ContractError):
        await run_examples(lambda request: {"answer": 1}, policy_file('name = "a"\ntext = "b"'))


# --- rows of single questions


async def rows(*tests: str, rule: Rule | None = None) -> list[tuple[str, str, float, bool]]:
    report = await tried(*tests, rule=rule)
    return [(each.label, each.group, each.score, each.truth) for each in rows_of(report, RunOptions())]


async def test_what_labels_settle_becomes_rows() -> None:
    found = await rows(
        'name = "a"\ntext = "one riddle=0.9\\ntwo riddle=0.7\\nthree"\nfound = { riddle = ["one", "three"] }'
    )
    assert [each for each in found if each[0] == "detect:riddle"] == [
        ("detect:riddle", "a", 0.9, True),
        ("detect:riddle", "a", 0.7, False),
        ("detect:riddle", "a", 0.05, True),
    ]
    assert [each for each in found if each[0] == "confirm:riddle"] == [
        ("confirm:riddle", "a", 0.9, True),
        ("confirm:riddle", "a", 0.7, False),
    ]
    assert {each[0] for each in found} == {"detect:riddle", "confirm:riddle"}


async def test_passages_that_a_filter_keeps_back_say_nothing_of_a_detect() -> None:
    found = await rows('name = "a"\ntext = "one riddle=0.9 said=0.1\\ntwo"\nfound = { riddle = ["one"] }')
    assert found == [("detect:riddle", "a", 0.05, False)]


async def test_a_detect_with_a_confirm_of_its_own_has_no_rows() -> None:
    found = await rows(
        'name = "a"\ntext = "one joke=0.9 punchline=0.3\\ntwo joke=0.8 punchline=0.7"\nfound = { joke = ["two"] }'
    )
    assert [each for each in found if "riddle" not in each[0]] == [
        ("confirm:joke", "a", 0.7, True),
        ("confirm:joke", "a", 0.3, False),
    ]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ('found = { pair = ["L1", "L2"] }', [("check:pair/fits", "a", 0.8, True)]),
        ("", [("check:pair/fits", "a", 0.8, False)]),
        ('verdicts = { pair = "fails" }', [("check:pair/fits", "a", 0.8, False)]),
        ('verdicts = { pair = "absent" }', []),
        ('verdicts = { pair = "review" }', []),
        ('found = { pair = ["L1", "L3"] }', []),
    ],
)
async def test_a_check_is_settled_where_the_right_passages_fill_its_roles(labels: str, expected: list[object]) -> None:
    found = await rows(f'name = "a"\ntext = "Q ask=0.9 match=0.8\\nA tell=0.9\\nother"\n{labels}')
    assert [each for each in found if each[0].startswith("check")] == expected


async def test_a_verdict_labelled_review_leaves_it_open() -> None:
    assert await rows('name = "a"\ntext = "riddle=0.5"\nverdicts = { riddle = "review" }') == []


async def test_what_was_not_answered_is_no_row() -> None:
    rule = telling(fault=lambda request, times: {"error": "server_error"})
    assert await rows('name = "a"\ntext = "riddle=0.9"', rule=rule) == []


# --- more of them, as lines

FILE = policy_file('name = "known"\ntext = "riddle=0.9"')


def test_lines_are_examples_or_rows() -> None:
    lines = [
        {"text": "one riddle=0.9\ntwo", "found": {"riddle": ["one"]}},
        {"name": "written", "passages": ["one", {"id": "x", "text": "two"}], "found": {"joke": ["x"]}},
        {"question": "filter:said", "score": 0.83, "answer": True, "group": "report-12"},
        {"question": "check:pair/fits", "score": 1, "answer": False},
    ]
    text = "\ufeff" + "\n\n".join(json.dumps(each) for each in lines) + "\r\n"
    read = read_labelled(text, FILE)
    assert read.faults == ()
    assert [(each.name, each.line, dict(each.found)) for each in read.examples] == [
        ("line 1", 1, {"riddle": ("L1",)}),
        ("written", 3, {"joke": ("x",)}),
    ]
    assert read.rows == (
        LabelledScore("filter:said", "report-12", 0.83, True),
        LabelledScore("check:pair/fits", "line 7", 1.0, False),
    )


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "this line is no JSON"),
        ("[1]", "a line is a map"),
        ('{"text": "a", "passages": ["b"]}', "not both"),
        ('{"text": "a", "fond": {}}', 'no key "fond"'),
        ('{"text": "a", "found": {"ridle": []}}', 'there is no concern "ridle"'),
        ('{"text": "a", "found": {"riddle": ["b"]}}', "no passage of this test"),
        ('{"name": "known", "text": "a"}', "is the name of another example"),
        ('{"question": "filter:sad", "score": 0.5, "answer": true}', "the policy has no question"),
        ('{"question": ["x"], "score": 0.5, "answer": true}', "the policy has no question"),
        ('{"question": "filter:said", "score": 1.5, "answer": true}', "score has to be a number from 0 to 1"),
        ('{"question": "filter:said", "score": NaN, "answer": true}', "score has to be a number from 0 to 1"),
        ('{"question": "filter:said", "score": true, "answer": true}', "score has to be a number from 0 to 1"),
        ('{"question": "filter:said", "score": 0.5, "answer": 1}', "answer has to be true or false"),
        ('{"question": "filter:said", "score": 0.5, "answer": true, "group": 3}', "group has to be a text"),
        ('{"question": "filter:said", "score": 0.5, "anser": true, "answer": true}', 'no key "anser"'),
    ],
)
def test_what_is_wrong_with_a_line_is_said_at_its_number(line: str, fault: str) -> None:
    read = read_labelled(f'{{"text": "fine"}}\n{line}\n{{"text": "fine too"}}', FILE)
    assert [(each.line, fault in each.message) for each in read.faults] == [(2, True)]
    assert [each.line for each in read.examples] == [1, 3]


def test_two_lines_of_one_name() -> None:
    read = read_labelled('{"name": "a", "text": "b"}\n{"name": "a", "text": "c"}', FILE)
    assert [each.line for each in read.faults] == [2]
