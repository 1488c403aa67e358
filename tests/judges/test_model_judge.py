"""The model judge over a real HTTP server: what is asked, asked again, believed, and what faults come to."""

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.audit.verdicts import Row
from cite_lsp.clients.client import Completion
from cite_lsp.judges.model import ModelJudge, ModelOptions
from cite_lsp.judges.prompt import SCHEMA, SYSTEM
from cite_lsp.judges.quotes import find_quote
from cite_lsp.judges.shown_lines import KEPT_BACK, shown_lines
from tests.clients.scripted import ScriptedServer, asked, by_request, error_for, hang, reply, reply_for
from tests.judges.asked_model import ask, judge_over, labels, model, row, rows_of, speaking, user_of
from tests.judges.put_rows import Answer, PutRow, agree, answer_rows, put_rows, said

if TYPE_CHECKING:
    from cite_lsp.audit.judgement import Judged

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CONFLICT = Row.of(claim="`MAX_ATTEMPTS` is five.", lines=[(3, "MAX_ATTEMPTS = 3")], path="a.py")


# --- what is asked ----------------------------------------------------------------------------------------------------


async def test_rows_go_out_together_by_file() -> None:
    rows = [row(number, path="b.py" if number % 2 else "a.py") for number in range(12)]
    with ScriptedServer(model(agree)) as server:
        judgement, heard = await ask(server, rows)
        assert [len(rows_of(request)) for request in server.requests] == [8, 4]
        put = [each.claim for request in server.requests for each in rows_of(request)]
    assert put == [rows[index].claim for index in (0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11)]
    assert labels(judgement) == ["supported"] * 12
    assert sorted(index for index, _ in heard) == list(range(12))
    assert judgement.usage.requests == 2
    assert judgement.usage.tokens_in == 22
    assert judgement.usage.tokens_out == 14
    assert judgement.usage.cost is None
    assert judgement.troubles == ()
    assert not judgement.declined


async def test_what_a_request_holds() -> None:
    cited = Row.of(
        claim="The cap is ten.",
        sentence="The cap is ten, and more.",
        lines=[(7, "CAP = 10"), (8, f'KEY = "{SECRET}"')],
        path="secret/place.py",
        file=["the whole file"],
    )
    with ScriptedServer(model(agree)) as server:
        await ask(server, [cited], max_output_tokens_per_turn=4000)
        (request,) = server.requests
    put = asked("openai", request)
    assert put.system.startswith(SYSTEM.strip())
    assert put.schema == SCHEMA
    assert put.max_tokens == 4000
    assert "L7| CAP = 10" in put.user
    assert f"L8| {KEPT_BACK}" in put.user
    assert "sentence| The cap is ten, and more." in put.user
    assert "language| python" in put.user
    for kept in (SECRET, "secret/place", "the whole file"):
        assert kept not in request.raw.decode()


async def test_the_order_and_the_code_of_the_fence_are_new_each_time() -> None:
    rows = [row(number) for number in range(4)]
    with ScriptedServer(model(agree)) as server:
        for _ in range(12):
            await ask(server, rows)
        codes = {user_of(request).split("<row_")[1].split(" ")[0] for request in server.requests}
        places = {[each.canary for each in put_rows(user_of(request))].index(True) for request in server.requests}
    assert len(codes) == 12
    assert len(places) > 1


@pytest.mark.parametrize(
    ("claim", "lines", "why"),
    [
        ("  ", [(1, "a = 1")], "there is no claim to check"),
        ("The cap is ten.", [], "no lines are cited"),
        (f"The key is {SECRET}.", [(1, "a = 1")], "kept back"),
        ("The key is set.", [(1, f"KEY = {SECRET}")], "kept back"),
    ],
)
async def test_what_cannot_be_sent_is_unchecked_and_costs_nothing(claim: str, lines: Any, why: str) -> None:
    with ScriptedServer(model(agree)) as server:
        judgement, heard = await ask(server, [Row.of(claim=claim, lines=lines)])
        assert server.requests == []
    assert labels(judgement) == ["unchecked"]
    assert why in judgement.verdicts[0].reason
    assert len(heard) == 1
    assert not judgement.declined


async def test_no_rows_ask_nothing() -> None:
    with ScriptedServer(model(agree)) as server:
        judgement, _ = await ask(server, [])
        assert server.requests == []
    assert judgement.answers == ()


# --- asked again ------------------------------------------------------------------------------------------------------


async def test_partial_and_unsupported_are_said_twice() -> None:
    rows = [row(0), row(1), row(2), row(3)]
    answers = {
        rows[0].claim: said("supported", "LIMIT_0 = 0"),
        rows[1].claim: said("partial", "LIMIT_1 = 10", missing="that it is documented"),
        rows[2].claim: said("unsupported_contradicted", "LIMIT_2 = 20"),
        rows[3].claim: said("unsupported_off_topic"),
    }
    with ScriptedServer(model(answers)) as server:
        judgement, _ = await ask(server, rows)
        asked_for = [[each.claim for each in rows_of(request)] for request in server.requests]
        turned = [each.turned for request in server.requests for each in rows_of(request)]
    assert labels(judgement) == ["supported", "partial", "unsupported", "unsupported"]
    assert [each.kind for each in judgement.verdicts] == [None, None, "contradicted", "off-topic"]
    assert asked_for[0] == [each.claim for each in rows]
    assert sorted(asked_for[1:]) == sorted([each.claim] for each in rows[1:])
    assert turned == [False] * 4 + [True] * 3
    assert "missing: that it is documented" in judgement.verdicts[1].basis
    assert [each.text for each in judgement.verdicts[2].evidence] == ["LIMIT_2 = 20"]


async def test_two_answers_that_differ_ask_a_person() -> None:
    def answer(put: PutRow) -> Answer:
        return said("supported", put.lines[0]) if put.turned else said("unsupported_off_topic")

    with ScriptedServer(model(answer)) as server:
        judgement, _ = await ask(server, [row(1)])
        assert len(server.requests) == 2
    assert labels(judgement) == ["review"]
    assert "unsupported" in judgement.verdicts[0].reason
    assert "supported" in judgement.verdicts[0].reason


async def test_asked_once_only_an_answer_stands() -> None:
    with ScriptedServer(model(lambda put: said("unsupported_off_topic"))) as server:
        judgement, _ = await ask(server, [row(1)], max_turns=1)
        assert len(server.requests) == 1
    assert labels(judgement) == ["unsupported"]


async def test_a_quote_that_is_not_there_is_asked_for_once_more() -> None:
    with ScriptedServer(model(lambda put: said("supported", "LIMIT = 11"))) as server:
        judgement, _ = await ask(server, [row(1)])
        assert len(server.requests) == 2
    assert labels(judgement) == ["unchecked"]
    assert judgement.verdicts[0].reason == "Not checked: the judge quoted text that is not there."


async def test_a_true_quote_the_second_time_will_do() -> None:
    with ScriptedServer(model(lambda put: said("supported", "LIMIT_1 = 10" if put.turned else "no"))) as server:
        judgement, _ = await ask(server, [row(1)])
    assert labels(judgement) == ["supported"]
    assert [each.text for each in judgement.verdicts[0].evidence] == ["LIMIT_1 = 10"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (said("supported"), "quoted no line"),
        (said("partial", "LIMIT_1 = 10"), "did not say what is missing"),
        (said("unsupported_contradicted", "LIMIT_1 = 12"), "not there"),
    ],
)
async def test_answers_that_lack_what_they_need_are_unchecked(answer: Answer, why: str) -> None:
    with ScriptedServer(model(lambda put: answer)) as server:
        judgement, _ = await ask(server, [row(1)])
        assert len(server.requests) == 2
    assert labels(judgement) == ["unchecked"]
    assert why in judgement.verdicts[0].reason


async def test_who_cannot_tell_is_asked_once() -> None:
    with ScriptedServer(model(lambda put: said("cannot_tell", reason="Too little is shown"))) as server:
        judgement, heard = await ask(server, [row(1)])
        assert len(server.requests) == 1
    assert labels(judgement) == ["unchecked"]
    assert judgement.verdicts[0].reason == "Not checked: the judge could not tell: Too little is shown."
    assert len(heard) == 1


async def test_a_named_conflict_turns_supported_into_review() -> None:
    with ScriptedServer(model(agree)) as server:
        judgement, _ = await ask(server, [CONFLICT])
        assert len(server.requests) == 2
    assert labels(judgement) == ["review"]
    assert "MAX_ATTEMPTS" in judgement.verdicts[0].basis


async def test_a_named_conflict_and_the_second_answer_are_two_of_three() -> None:
    def answer(put: PutRow) -> Answer:
        return said("unsupported_contradicted" if put.turned else "supported", put.lines[0])

    with ScriptedServer(model(answer)) as server:
        judgement, _ = await ask(server, [CONFLICT])
    assert labels(judgement) == ["unsupported"]
    assert judgement.verdicts[0].kind == "contradicted"


async def test_an_unsupported_whose_second_answer_cannot_be_used_asks_a_person() -> None:
    def answer(put: PutRow) -> Answer:
        return said("unsupported_contradicted", put.lines[0] if not put.turned and len(asks) < 2 else "made up")

    asks: list[int] = []

    def text(request: Any) -> str:
        asks.append(1)
        return answer_rows(user_of(request), answer)

    with ScriptedServer(speaking(text)) as server:
        judgement, _ = await ask(server, [row(1)])
        assert len(server.requests) == 3
    assert labels(judgement) == ["review"]


# --- replies that lack something --------------------------------------------------------------------------------------


async def test_rows_that_a_reply_lacks_are_asked_for_alone() -> None:
    rows = [row(number) for number in range(4)]

    def text(request: Any) -> str:
        results = json.loads(answer_rows(user_of(request), agree))["results"]
        if len(rows_of(request)) == 1:
            return json.dumps({"results": results})
        by_claim = {each.id: each.claim for each in rows_of(request)}
        numbers = {claim: number for number, claim in by_claim.items()}
        kept = [each for each in results if each["id"] != numbers[rows[1].claim]]  # missing
        doubled = next(each for each in kept if each["id"] == numbers[rows[2].claim])
        return json.dumps({"results": [*kept, {**doubled, "label": "partial"}, {**doubled, "id": 77}]})

    with ScriptedServer(speaking(text)) as server:
        judgement, heard = await ask(server, rows)
        asked_for = [sorted(each.claim for each in rows_of(request)) for request in server.requests]
    assert labels(judgement) == ["supported"] * 4
    assert asked_for[0] == sorted(each.claim for each in rows)
    assert sorted(asked_for[1:]) == [[rows[1].claim], [rows[2].claim]]
    assert Counter(index for index, _ in heard) == Counter(range(4))
    assert judgement.troubles == ()


async def test_rows_that_are_never_answered_have_one_trouble() -> None:
    rows = [row(number) for number in range(3)]

    def text(request: Any) -> str:
        data = json.loads(answer_rows(user_of(request), agree))
        put = put_rows(user_of(request))
        wanted = {each.id for each in put if each.canary or each.claim == rows[0].claim}
        return json.dumps({"results": [each for each in data["results"] if each["id"] in wanted]})

    with ScriptedServer(speaking(text)) as server:
        judgement, heard = await ask(server, rows)
        assert len(server.requests) == 3
    assert labels(judgement) == ["supported", "-", "-"]
    assert [index for index, _ in heard] == [0]
    (trouble,) = judgement.troubles
    assert (trouble.cause, trouble.rows) == ("missing-rows", 2)
    assert server.base("openai") in trouble.message
    assert judgement.verdicts[1].label == "unchecked"


async def test_a_reply_that_is_no_json_is_asked_for_again_and_then_no_more() -> None:
    rows = [row(number) for number in range(20)]
    with ScriptedServer(reply_for("openai", "I would rather not.")) as server:
        judgement, heard = await ask(server, rows)
        requests = len(server.requests)
    assert requests == 3
    assert judgement.usage.requests == requests
    assert labels(judgement) == ["-"] * 20
    assert heard == []
    (trouble,) = judgement.troubles
    assert (trouble.cause, trouble.rows) == ("not-json", 20)


async def test_the_rows_before_a_cut_are_kept() -> None:
    rows = [row(number) for number in range(3)]

    def text(request: Any) -> str:
        put = answer_rows(user_of(request), agree)
        if len(rows_of(request)) == 1:
            return put
        # whatever stands last is cut off, and the canary may be anything but that
        data = sorted(json.loads(put)["results"], key=lambda each: each["label"] == "supported")
        return json.dumps({"results": data})[:-40]

    def step(request: Any) -> Any:
        return reply_for("openai", text(request), cut_off=len(rows_of(request)) > 1)

    with ScriptedServer(by_request(step)) as server:
        judgement, _ = await ask(server, rows)
        assert [len(rows_of(request)) for request in server.requests] == [3, 1]
    assert labels(judgement) == ["supported"] * 3


async def test_a_reply_that_is_always_cut_off_says_which_limit() -> None:
    with ScriptedServer(reply_for("openai", '{"results": [{"id', cut_off=True)) as server:
        judgement, _ = await ask(server, [row(1)], max_output_tokens_per_turn=700)
        assert len(server.requests) == 2
    (trouble,) = judgement.troubles
    assert trouble.cause == "cut-off"
    assert "700" in trouble.message


# --- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "cause"), [(401, "unauthorised"), (404, "not-found")])
async def test_what_the_next_request_would_meet_too_is_met_once(status: int, cause: str) -> None:
    rows = [row(number) for number in range(40)]
    with ScriptedServer(error_for("openai", status, "no such thing")) as server:
        judgement, heard = await ask(server, rows)
        sent = len(server.requests)
    assert judgement.usage.requests == sent
    assert sent <= 4  # a server may be asked by other means; the rows go out in five requests otherwise
    assert heard == []
    (trouble,) = judgement.troubles
    assert (trouble.cause, trouble.rows) == (cause, 40)
    assert trouble.message in judgement.verdicts[0].reason


async def test_a_server_that_is_not_there() -> None:
    with ScriptedServer(hang()) as server:
        pass  # its port is free now
    judgement, _ = await ask(server, [row(number) for number in range(20)])
    (trouble,) = judgement.troubles
    assert (trouble.cause, trouble.rows) == ("unreachable", 20)
    assert not judgement.declined


@pytest.mark.parametrize(
    ("step", "cause"),
    [
        (error_for("openai", 400, "the request is too long for this model"), "refused"),
        (reply(200, "<html>"), "not-json"),
        (hang(), "timeout"),
    ],
)
async def test_three_requests_in_a_row_that_come_to_nothing_are_enough(step: Any, cause: str) -> None:
    rows = [row(number) for number in range(80)]
    with ScriptedServer(step) as server:
        judgement, heard = await ask(server, rows, timeout=0.3)
        assert len(server.requests) == 3
    assert judgement.usage.requests == 3
    assert heard == []
    (trouble,) = judgement.troubles
    assert (trouble.cause, trouble.rows) == (cause, 80)


async def test_a_refusal_costs_its_own_rows_only() -> None:
    rows = [row(number) for number in range(24)]
    bad = rows[9].claim

    def step(request: Any) -> Any:
        if any(each.claim == bad for each in rows_of(request)):
            return reply_for("openai", "", refusal="I cannot help with that.")
        return reply_for("openai", answer_rows(user_of(request), agree))

    with ScriptedServer(by_request(step)) as server:
        judgement, _ = await ask(server, rows)
        assert len(server.requests) == 3
    assert labels(judgement) == ["supported"] * 8 + ["-"] * 8 + ["supported"] * 8
    (trouble,) = judgement.troubles
    assert (trouble.cause, trouble.rows) == ("refused", 8)


async def test_one_message_for_each_cause() -> None:
    rows = [row(number) for number in range(32)]
    steps = itertools.cycle([reply_for("openai", "", refusal="No."), reply(200, "no json at all")])

    with ScriptedServer(by_request(lambda request: next(steps))) as server:
        judgement, _ = await ask(server, rows, max_turns=1)
    assert sorted(trouble.cause for trouble in judgement.troubles) == ["not-json", "refused"]
    assert sum(trouble.rows for trouble in judgement.troubles) == 32


async def test_a_second_answer_that_does_not_come_leaves_the_row_unanswered() -> None:
    def step(request: Any) -> Any:
        if any(each.turned for each in rows_of(request)):
            return reply_for("openai", "", refusal="No.")
        return reply_for("openai", answer_rows(user_of(request), lambda put: said("unsupported_off_topic")))

    with ScriptedServer(by_request(step)) as server:
        judgement, heard = await ask(server, [row(1)])
    assert labels(judgement) == ["-"]
    assert heard == []
    assert [trouble.cause for trouble in judgement.troubles] == ["refused"]


# --- limits -----------------------------------------------------------------------------------------------------------


class Book:
    """A ledger that admits so many requests."""

    def __init__(self, requests: int) -> None:
        self.left = requests
        self.booked: list[tuple[str, int, float]] = []

    def admit(self, judge: str, rows: int, cost: float) -> str:
        if not self.left:
            return "the 3 requests of a day are spent"
        self.left -= 1
        self.booked.append((judge, rows, cost))
        return ""


async def test_each_request_is_booked_before_it_is_sent() -> None:
    book = Book(9)
    rows = [row(number) for number in range(10)]
    answers = {each.claim: said("supported", each.excerpts[0].lines[0][1]) for each in rows[1:]}
    answers[rows[0].claim] = said("unsupported_off_topic")
    with ScriptedServer(model(answers)) as server:
        judgement, _ = await ask(server, rows, book, est_cost=0.25)
        assert len(server.requests) == len(book.booked) == 3
    assert sorted(book.booked) == [("openai", 1, 0.25), ("openai", 2, 0.25), ("openai", 8, 0.25)]
    assert judgement.usage.cost == 0.75


async def test_what_is_declined_is_not_sent() -> None:
    rows = [row(number) for number in range(24)]
    with ScriptedServer(model(agree)) as server:
        judgement, _ = await ask(server, rows, Book(2))
        assert len(server.requests) == 2
    assert labels(judgement) == ["supported"] * 16 + ["-"] * 8
    assert not judgement.declined
    (trouble,) = judgement.troubles
    assert (trouble.cause, trouble.message, trouble.rows) == ("declined", "the 3 requests of a day are spent", 8)


async def test_nothing_admitted_is_declined() -> None:
    with ScriptedServer(model(agree)) as server:
        judgement, _ = await ask(server, [row(1)], Book(0))
        assert server.requests == []
    assert judgement.declined
    assert judgement.usage.cost is None


async def test_all_rows_in_one_request_must_fit_the_cap() -> None:
    rows = [row(number) for number in range(10)]
    with ScriptedServer(model(agree)) as server:
        refused, _ = await ask(server, rows, batch=False, max_output_tokens_per_turn=1199)
        assert server.requests == []
        fits, _ = await ask(server, rows, batch=False, max_output_tokens_per_turn=1200)
        assert len(server.requests) == 1
    assert labels(refused) == ["-"] * 10
    assert not refused.declined
    (trouble,) = refused.troubles
    assert trouble.cause == "output-cap"
    assert "1,199" in trouble.message
    assert "1,200" in trouble.message
    assert labels(fits) == ["supported"] * 10


async def test_a_guard_that_warns_asks_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    rows = [row(number) for number in range(10)]
    with ScriptedServer(model(agree)) as server:
        judgement, _ = await ask(server, rows, batch=False, max_output_tokens_per_turn=600, guard="warn")
        assert len(server.requests) == 1
    assert labels(judgement) == ["supported"] * 10
    assert "1,200" in caplog.text


async def test_batches_are_made_small_enough_for_the_cap() -> None:
    rows = [row(number) for number in range(10)]
    with ScriptedServer(model(agree)) as server:
        judgement, _ = await ask(server, rows, max_output_tokens_per_turn=500 + 3 * 70)
        assert [len(rows_of(request)) for request in server.requests] == [3, 3, 3, 1]
    assert labels(judgement) == ["supported"] * 10


async def test_a_cap_below_a_single_row_is_refused() -> None:
    with ScriptedServer(model(agree)) as server:
        judgement, _ = await ask(server, [row(1), row(2)], max_output_tokens_per_turn=100)
        assert server.requests == []
    assert [trouble.cause for trouble in judgement.troubles] == ["output-cap"]


async def test_so_many_requests_run_at_a_time() -> None:
    rows = [row(number) for number in range(40)]
    with ScriptedServer(model(agree)) as server:
        judgement, _ = await ask(server, rows, concurrency=3)
        assert len(server.requests) == 5
        assert 1 <= server.most <= 3
    assert labels(judgement) == ["supported"] * 40


# --- strict -----------------------------------------------------------------------------------------------------------


async def test_strict_voids_the_pass_for_one_bad_row() -> None:
    rows = [row(number) for number in range(16)]

    def text(request: Any) -> str:
        data = json.loads(answer_rows(user_of(request), agree))
        if any(each.claim == rows[12].claim for each in rows_of(request)):
            data["results"].append({**data["results"][0], "id": 99})
        return json.dumps(data)

    with ScriptedServer(speaking(text)) as server:
        judgement, heard = await ask(server, rows, strict=True)
        assert len(server.requests) == 2
    assert labels(judgement) == ["-"] * 16
    assert heard == []
    (trouble,) = judgement.troubles
    assert (trouble.cause, trouble.rows) == ("strict", 16)
    assert "99" in trouble.message


async def test_strict_tells_all_at_the_end() -> None:
    rows = [row(number) for number in range(16)]
    with ScriptedServer(model(agree)) as server:
        judgement, heard = await ask(server, rows, strict=True)
    assert labels(judgement) == ["supported"] * 16
    assert [index for index, _ in heard] == list(range(16))


async def test_strict_fails_with_the_request() -> None:
    with ScriptedServer(model(agree), reply_for("openai", "", refusal="No.")) as server:
        judgement, heard = await ask(server, [row(number) for number in range(24)], strict=True)
        assert len(server.requests) == 2
    assert labels(judgement) == ["-"] * 24
    assert heard == []


# --- the end of a run -------------------------------------------------------------------------------------------------


async def test_what_was_heard_before_a_cancel_stays() -> None:
    rows = [row(number) for number in range(24)]
    heard: list[tuple[int, Judged]] = []
    with ScriptedServer(model(agree), hang()) as server:
        async with judge_over(server) as judge:
            run = asyncio.create_task(judge.ask(rows, lambda index, judged: heard.append((index, judged))))
            assert await asyncio.to_thread(server.wait_for, lambda each: len(each.requests) == 2)
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            assert await asyncio.to_thread(server.wait_for, lambda each: each.gone == 1)
        assert len(server.requests) == 2
    assert sorted(index for index, _ in heard) == list(range(8))


async def test_a_judge_may_be_asked_again_after_it_was_closed() -> None:
    with ScriptedServer(model(agree)) as server:
        async with judge_over(server) as judge:
            first = await judge.judge([row(1)])
            await judge.close()
            second = await judge.judge([row(1)])
    assert [each.label for each in (*first, *second)] == ["supported", "supported"]


async def test_the_identity_is_one_line_of_all_that_counts() -> None:
    with ScriptedServer(model(agree)) as server:
        async with judge_over(server) as judge, judge_over(server, effort="high") as other:
            for part in ("openai", "some-70b", server.base("openai"), "prompt="):
                assert part in judge.identity
            assert "\n" not in judge.identity
            assert judge.identity != other.identity
            assert not judge.reads_file
            verdict = (await judge.judge([row(1)]))[0]
            assert verdict.judge == judge.identity


# --- whatever is replied ----------------------------------------------------------------------------------------------


class Speaking:
    """A client whose model says a text that was drawn."""

    address = "http://127.0.0.1:9/v1"
    model = "some-70b"

    def __init__(self, texts: Sequence[Any]) -> None:
        self._texts = itertools.cycle(texts)

    async def complete(
        self, system: str, user: str, schema: Mapping[str, Any], *, name: str, max_tokens: int | None = None
    ) -> Completion:
        text = next(self._texts)
        return Completion(text if isinstance(text, str) else json.dumps({"results": text}))

    async def close(self) -> None:
        pass


LINES = ["CAP = 10", "# the cap is ten", "retries = 3"]
entries = st.fixed_dictionaries(
    {
        "id": st.integers(0, 4) | st.just("1"),
        "reason": st.text(max_size=5),
        "quote": st.sampled_from([*LINES, "CAP = 1", "cap", "", "CAP = 10\n# the cap is ten", "the cap is"])
        | st.text(),
        "missing": st.text(max_size=3),
        "label": st.sampled_from([*SCHEMA["properties"]["results"]["items"]["properties"]["label"]["enum"], "yes"]),
    }
)


@given(st.lists(st.text() | st.lists(entries, max_size=5), min_size=1, max_size=4))
async def test_no_reply_raises_and_nothing_is_supported_without_a_true_quote(replies: list[Any]) -> None:
    rows = [Row.of(claim=f"There is a cap, {number}.", lines=list(enumerate(LINES, 3))) for number in range(3)]
    heard: dict[int, Judged] = {}
    judge = ModelJudge(Speaking(replies), ModelOptions("openai", "some-70b"))
    judgement = await judge.ask(rows, heard.__setitem__)
    assert heard == {index: each for index, each in enumerate(judgement.answers) if each is not None}
    for each, verdict in zip(rows, judgement.verdicts, strict=True):
        assert verdict.reason
        if verdict.label == "supported":
            assert verdict.evidence
        for evidence in verdict.evidence:
            assert LINES[evidence.offset] == evidence.text
            assert find_quote(evidence.text, shown_lines(each))
