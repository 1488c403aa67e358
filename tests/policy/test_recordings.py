"""Answers that were recorded give the same report as those who gave them."""

import json

import pytest

from cite_lsp import decision_client
from cite_lsp.policy import ClientError, ContractError, judge, source
from cite_lsp.policy.asking import Client
from cite_lsp.policy.examples import ExampleReport, run_examples
from cite_lsp.policy.recordings import (
    RecordedClient,
    Recorder,
    Recordings,
    RecordingsError,
    read_recordings,
    recordings_text,
    request_hash,
)
from tests.clients.systemone_server import failing, rule, serving, too_large
from tests.policy.answering import RIDDLES, WHOLE, Request, Rule, async_client, sync_client
from tests.policy.telling import policy_file, telling

TESTS = (
    'name = "a"\ntext = "one riddle=0.9\\ntwo riddle=0.5\\nthree ask=0.9 match=0.8"\nfound = { riddle = ["one"] }',
    'name = "b"\ntext = "four joke=0.9 punchline=0.7\\nfünf tell=0.9"\nfound = { joke = ["four"] }',
)


def replayed(recordings: Recordings) -> RecordedClient:
    """What a file of them gives."""
    return RecordedClient(read_recordings(recordings_text(recordings)))


async def recorded(client: Client, file: object = None) -> tuple[Recorder, ExampleReport]:
    recorder = Recorder(client)
    return recorder, await run_examples(recorder, policy_file(*TESTS))


@pytest.mark.parametrize("client", [sync_client, async_client])
async def test_recorded_answers_give_the_same_report(client: object) -> None:
    recorder, report = await recorded(client(telling()))  # type: ignore[operator]
    again = replayed(recorder.recordings("model-1 at home", "2026-11-30"))
    assert await run_examples(again, policy_file(*TESTS)) == report
    assert again.unknown == 0
    assert again.identity == "model-1 at home"


async def test_answers_to_questions_of_every_kind() -> None:
    recorder = Recorder(async_client(Rule()))
    passages = source([f"passage {at}" for at in range(30)])
    report = await judge(recorder, passages, WHOLE, window=7)
    assert report.findings
    assert await judge(replayed(recorder.recordings("m", "d")), passages, WHOLE, window=7) == report


async def test_a_real_server_recorded() -> None:
    file = policy_file(*TESTS)
    with serving(rule(0.9, question="riddle", text="one"), default=0.1) as server:
        client = decision_client(base_url=server.url)
        recorder = Recorder(client)
        report = await run_examples(recorder, file)
        identity = client.identity
        await client.close()
    assert report.count("unchecked") == 0
    again = replayed(recorder.recordings(identity, "2026-11-30"))
    assert await run_examples(again, file) == report
    assert again.identity == identity


async def test_what_was_too_large_is_recorded_and_what_failed_is_not() -> None:
    with serving(default=0.1) as server:
        client = decision_client(base_url=server.url, max_retry_delay=0)
        server.script(faults=[too_large(over=1, times=None), failing(503, holds="two", times=None)])
        recorder = Recorder(client)
        report = await judge(recorder, source(["one", "two"]), RIDDLES)
        await client.close()
    assert list(report.screen) == ["P000"]
    recordings = recorder.recordings("m", "d")
    assert sorted("answers" in reply for reply in recordings.answers.values()) == [False, True]
    again = await judge(replayed(recordings), source(["one", "two"]), RIDDLES)
    assert again.screen == report.screen
    assert [(each.passage_ids, each.reason) for each in again.errors] == [(("P001",), "not_recorded")]


async def test_another_word_has_no_recorded_answer_and_is_not_checked() -> None:
    recorder, _ = await recorded(async_client(telling()))
    client = replayed(recorder.recordings("m", "d"))
    report = await run_examples(client, policy_file(TESTS[0].replace("three", "drei"), TESTS[1]))
    assert [each.outcome for each in report.tried] == ["unchecked", "passed"]
    assert report.tried[0].unanswered == ("there is no recorded answer to this request",)
    assert client.unknown == 1


async def test_what_a_client_raises_goes_through() -> None:
    def raising(request: Request) -> dict[str, object]:
        raise ClientError(["rate_limited", 7000], "wait seven seconds")

    recorder = Recorder(raising)
    assert await recorder({"state": {}, "questions": {}}) == {
        "error": ["rate_limited", 7000],
        "message": "wait seven seconds",
    }
    assert recorder.recordings("m", "d").answers == {}
    with pytest.raises(ContractError):
        await Recorder(lambda request: {})({"state": {}, "questions": {}})


async def test_only_what_a_reply_consists_of_is_kept() -> None:
    reply = {"answers": {"a": {"noul": 1}}, "usage": None, "model": "m", "headers": {"authorization": "secret"}}
    recorder = Recorder(lambda request: reply)
    await recorder({"state": {}, "questions": {}})
    text = recordings_text(recorder.recordings("m", "d"))
    assert "secret" not in text
    assert json.loads(text)["answers"] == {
        request_hash({"state": {}, "questions": {}}): {"answers": {"a": {"noul": 1}}, "usage": None, "model": "m"}
    }


def test_a_request_is_named_by_all_that_is_sent_in_its_order() -> None:
    one = {"state": {"passages": {"a": 1, "b": 2}}, "questions": {"q": 1}}
    assert request_hash(one) == request_hash(json.loads(json.dumps(one)))
    assert len(request_hash(one)) == 32
    others = [
        {"state": {"passages": {"b": 2, "a": 1}}, "questions": {"q": 1}},
        {"state": {"passages": {"a": 1, "b": 2}}, "questions": {"q": 2}},
        {"state": {"passages": {"a": 1, "b": 2, "ä": "ü"}}, "questions": {"q": 1}},
    ]
    assert len({request_hash(each) for each in (one, *others)}) == 4


def test_a_file_is_the_same_whatever_the_order_of_asking_and_has_an_answer_a_line() -> None:
    answers = {f"{at:032x}": {"answers": {"é": {"noul": at / 10}}, "usage": None} for at in range(5)}
    text = recordings_text(Recordings("me \ud800", "2026-11-30", answers))
    assert recordings_text(Recordings("me \ud800", "2026-11-30", dict(reversed(answers.items())))) == text
    assert text.encode().isascii()
    assert len([line for line in text.splitlines() if "noul" in line]) == 5
    assert read_recordings(text) == Recordings("me \ud800", "2026-11-30", answers)
    assert read_recordings(recordings_text(Recordings("me", "d"))) == Recordings("me", "d")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "has to be a map"),
        ('{"schema": 2}', "of form 2, and this version reads form 1"),
        ('{"schema": 1, "answers": []}', "answers has to be a map"),
        ('{"schema": 1, "answers": {}, "recorded_at": "d"}', "given_by has to be a text"),
        ('{"schema": 1, "answers": {"x": {}}, "given_by": "m", "recorded_at": "d"}', "answer x: "),
        ('{"schema": 1, "answers": {"x": 3}, "given_by": "m", "recorded_at": "d"}', "answer x: "),
        ('{"schema": 1, "answers": {"x": {"answers": {"q": {"noul": NaN}}}}}', "NaN is no number"),
    ],
)
def test_what_is_no_file_of_answers_is_said(text: str, fault: str) -> None:
    with pytest.raises(RecordingsError) as caught:
        read_recordings(text)
    assert fault in str(caught.value)
