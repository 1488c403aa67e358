"""A judge whose answers are kept: whom it asks, what it tells, and what stays when a run ends half way."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cite_lsp.audit.judgement import Heard, Judged, Judgement, Trouble, Usage
from cite_lsp.audit.verdicts import Evidence, Row, Verdict
from cite_lsp.clients.making import ClientOptions, make_client
from cite_lsp.config import LimitSettings
from cite_lsp.judges.cached import BookedLedger, CachedJudge
from cite_lsp.judges.model import ModelJudge, ModelOptions
from cite_lsp.store import Verdicts

LABELS = ("supported", "partial", "unsupported", "review", "unchecked")


def row(claim: str, start: int = 10, file: Sequence[str] | None = None) -> Row:
    return Row.of(claim=claim, lines=[(start, f"about {claim}"), (start + 1, "}")], path="src/a.py", file=file)


ROWS = [row(f"claim {number}") for number in range(5)]


@dataclass
class Rules:
    """A judge that answers by the length of the claim, and notes what it was asked."""

    identity: str = "rules 1"
    reads_file: bool = False
    stop_after: int = 1_000_000
    """It stops at this row and waits for ever."""
    silent_on: frozenset[str] = frozenset()
    """Claims that it has no answer for."""
    tells: bool = True
    """Whether it tells each answer as it finds it."""
    asked: list[str] = field(default_factory=list)
    asks: int = 0
    closed: int = 0
    waits: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(self, asked: Row) -> Judged | None:
        if asked.claim in self.silent_on:
            return None
        evidence = (Evidence(0, 0, asked.excerpts[0].lines[0][1]),)
        verdict = Verdict(LABELS[len(asked.claim) % 5], reason=asked.claim, evidence=evidence, judge=self.identity)
        return Judged(verdict, 1_700_000_000.0)

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        self.asks += 1
        self.asked += [each.claim for each in rows]
        answers: list[Judged | None] = []
        for number, each in enumerate(rows):
            if number == self.stop_after:
                self.waits.set()
                await asyncio.Event().wait()
            answers.append(self.answer(each))
            if answers[-1] is not None and heard is not None and self.tells:
                heard(number, answers[-1])
            await asyncio.sleep(0)
        silent = answers.count(None)
        troubles = (Trouble("unreachable", "nobody is there", silent),) if silent else ()
        return Judgement(tuple(answers), Usage(1, 100, 10), troubles)

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        return (await self.ask(rows)).verdicts

    async def close(self) -> None:
        self.closed += 1


class Run:
    """A run of the program: what it asks for is kept in a folder, and it ends."""

    def __init__(self, folder: Path, judge: Rules) -> None:
        self.verdicts = Verdicts(str(folder))
        self.judge = judge
        self.cached = CachedJudge(judge, self.verdicts)
        self.heard: list[tuple[int, Judged]] = []

    async def ask(self, rows: Sequence[Row]) -> Judgement:
        return await self.cached.ask(rows, lambda number, judged: self.heard.append((number, judged)))

    async def end(self) -> None:
        await self.cached.close()
        assert self.verdicts.message == ""
        self.verdicts.close()


async def asked(folder: Path, judge: Rules, rows: Sequence[Row]) -> tuple[Judgement, list[str]]:
    """Ask in a run of its own; the second value is what the judge was asked in it."""
    judge.asked = []
    run = Run(folder, judge)
    judgement = await run.ask(rows)
    await run.end()
    assert len(judgement.answers) == len(rows)
    told = dict(run.heard)
    assert len(told) == len(run.heard)
    assert told == {number: each for number, each in enumerate(judgement.answers) if each is not None}
    return judgement, judge.asked


# Whom it asks


async def test_unchanged_rows_are_not_asked_again(tmp_path):
    judge = Rules()
    first, claims = await asked(tmp_path, judge, ROWS)
    assert claims == [each.claim for each in ROWS]
    assert not any(each.cached for each in first.answers)
    assert first.usage == Usage(1, 100, 10)
    second, claims = await asked(tmp_path, judge, ROWS)
    assert claims == []
    assert judge.asks == 1
    assert second.usage == Usage()
    assert all(each.cached for each in second.answers)
    assert [(each.verdict, each.at) for each in second.answers] == [(each.verdict, each.at) for each in first.answers]


async def test_of_rows_of_which_one_changed_one_is_asked(tmp_path):
    judge = Rules()
    await asked(tmp_path, judge, ROWS)
    changed = [*ROWS[:2], row("another claim"), *ROWS[3:]]
    judgement, claims = await asked(tmp_path, judge, changed)
    assert claims == ["another claim"]
    assert [each.cached for each in judgement.answers] == [True, True, False, True, True]
    assert [each.verdict.reason for each in judgement.answers] == [each.claim for each in changed]


async def test_lines_that_moved_are_not_asked_again(tmp_path):
    judge = Rules()
    await asked(tmp_path, judge, ROWS)
    judgement, claims = await asked(tmp_path, judge, [row(each.claim, 400) for each in reversed(ROWS)])
    assert claims == []
    assert judgement.answers[0].verdict.reason == "claim 4"


async def test_rows_that_are_the_same_are_asked_once(tmp_path):
    judge = Rules()
    rows = [ROWS[0], ROWS[1], row("claim 0", 99), ROWS[1], ROWS[0]]
    judgement, claims = await asked(tmp_path, judge, rows)
    assert claims == ["claim 0", "claim 1"]
    assert [each.verdict.reason for each in judgement.answers] == [each.claim for each in rows]
    assert (await asked(tmp_path, judge, rows))[1] == []


async def test_another_judge_is_asked_itself(tmp_path):
    await asked(tmp_path, Rules(), ROWS)
    judgement, claims = await asked(tmp_path, Rules("rules 2"), ROWS)
    assert len(claims) == 5
    assert {each.verdict.judge for each in judgement.answers} == {"rules 2"}


@pytest.mark.parametrize("reads_file", [True, False])
async def test_the_file_counts_for_who_reads_it(tmp_path, reads_file):
    judge = Rules(reads_file=reads_file)
    await asked(tmp_path, judge, [row("x", file=["a", "b"])])
    assert (await asked(tmp_path, judge, [row("x", file=["a", "b"])]))[1] == []
    assert (await asked(tmp_path, judge, [row("x", file=["a", "c"])]))[1] == (["x"] if reads_file else [])


async def test_the_embedded_judge_is_asked_always_and_nothing_is_kept(tmp_path):
    judge = Rules("embedded/1")
    for _ in range(2):
        _, claims = await asked(tmp_path, judge, ROWS)
        assert len(claims) == 5
    assert list(tmp_path.iterdir()) == []


async def test_a_judge_that_tells_nothing_on_the_way(tmp_path):
    judge = Rules(tells=False)
    assert len((await asked(tmp_path, judge, ROWS))[1]) == 5
    assert (await asked(tmp_path, judge, ROWS))[1] == []


async def test_no_rows_ask_nobody(tmp_path):
    judge = Rules()
    assert (await asked(tmp_path, judge, []))[0] == Judgement(())
    assert judge.asks == 0


async def test_verdicts_one_a_row(tmp_path):
    run = Run(tmp_path, Rules())
    verdicts = await run.cached.judge([*ROWS, ROWS[0]])
    assert [each.reason for each in verdicts] == [*[each.claim for each in ROWS], "claim 0"]
    assert (run.cached.identity, run.cached.reads_file) == ("rules 1", False)
    await run.end()
    assert run.judge.closed == 1


# What is kept


async def test_what_nobody_answered_is_asked_again(tmp_path):
    judge = Rules(silent_on=frozenset({"claim 1", "claim 3"}))
    rows = [*ROWS, ROWS[1]]
    judgement, _ = await asked(tmp_path, judge, rows)
    assert [each is None for each in judgement.answers] == [False, True, False, True, False, True]
    assert judgement.troubles == (Trouble("unreachable", "nobody is there", 3),)
    assert [each.label for each in judgement.verdicts].count("unchecked") >= 3
    judge.silent_on = frozenset()
    assert (await asked(tmp_path, judge, rows))[1] == ["claim 1", "claim 3"]


async def test_unchecked_is_an_answer_that_was_paid_for(tmp_path):
    judge = Rules()
    unchecked = [row("four")]
    judgement, _ = await asked(tmp_path, judge, unchecked)
    assert judgement.answers[0].verdict.label == "unchecked"
    again, claims = await asked(tmp_path, judge, unchecked)
    assert claims == []
    assert again.answers[0].verdict.label == "unchecked"


async def test_a_kept_quote_that_is_not_there_is_not_believed(tmp_path):
    judge = Rules()
    await asked(tmp_path, judge, ROWS)
    for text, excerpt, offset in [("never written", 0, 0), ("}", 0, 7), ("}", 3, 1)]:
        odd = Judged(Verdict("supported", evidence=(Evidence(excerpt, offset, text),)), 4e9)
        verdicts = Verdicts(str(tmp_path))
        verdicts.keep({ROWS[2].key("rules 1"): odd})
        verdicts.close()
        assert (await asked(tmp_path, judge, ROWS))[1] == ["claim 2"]
        assert (await asked(tmp_path, judge, ROWS))[1] == [], "though it says that it was given in the future"


async def test_a_run_that_is_cancelled_keeps_what_was_heard(tmp_path):
    judge = Rules(stop_after=3)
    run = Run(tmp_path, judge)
    task = asyncio.create_task(run.ask(ROWS))
    await judge.waits.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await run.end()
    assert [number for number, _ in run.heard] == [0, 1, 2]
    judge.stop_after = 1_000_000
    assert (await asked(tmp_path, judge, ROWS))[1] == ["claim 3", "claim 4"]


async def test_after_a_cancelled_run_the_next_one_knows_without_a_pause(tmp_path):
    judge = Rules(stop_after=3)
    run = Run(tmp_path, judge)
    task = asyncio.create_task(run.ask(ROWS))
    await judge.waits.wait()
    task.cancel()
    judge.stop_after, judge.asked = 1_000_000, []
    await run.ask(ROWS)
    assert judge.asked == ["claim 3", "claim 4"]
    await run.end()


@pytest.mark.parametrize("count", [1, 40])
async def test_what_is_heard_is_written_while_the_run_goes_on(tmp_path, ends, count):
    rows = [row(f"long run {number}") for number in range(50)]
    run = Run(tmp_path, Rules(stop_after=count))
    task = asyncio.create_task(run.ask(rows))
    other = Verdicts(str(tmp_path))
    keys = [each.key("rules 1") for each in rows]
    with ends():
        while len(other.recall(keys)) < count:  # noqa: ASYNC110 - as another process would see it
            await asyncio.sleep(0.01)
    other.close()
    task.cancel()
    await asyncio.wait([task])
    await run.end()


async def test_two_questions_at_a_time(tmp_path):
    run = Run(tmp_path, Rules())
    one, other = await asyncio.gather(run.ask(ROWS[:3]), run.ask(ROWS[2:]))
    assert [each.verdict.reason for each in one.answers] == ["claim 0", "claim 1", "claim 2"]
    assert [each.verdict.reason for each in other.answers] == ["claim 2", "claim 3", "claim 4"]
    await run.end()
    assert (await asked(tmp_path, Rules(), ROWS))[1] == []


async def test_what_is_being_asked_is_not_asked_at_the_same_time(tmp_path):
    run = Run(tmp_path, Rules())
    judgements = await asyncio.gather(run.ask(ROWS[:3]), run.ask(ROWS[1:]), run.ask(ROWS))
    reasons = [[each.verdict.reason for each in judgement.answers] for judgement in judgements]
    assert reasons == [[each.claim for each in rows] for rows in (ROWS[:3], ROWS[1:], ROWS)]
    assert sorted(run.judge.asked) == [each.claim for each in ROWS]
    assert sum((each.usage for each in judgements), Usage()) == Usage(2, 200, 20)
    assert len(run.heard) == 3 + 4 + 5
    await run.end()


async def test_who_waits_for_a_run_that_is_cancelled_asks_for_what_it_did_not_hear(tmp_path):
    judge = Rules(stop_after=3)
    run = Run(tmp_path, judge)
    first = asyncio.create_task(run.ask(ROWS))
    await judge.waits.wait()
    judge.stop_after, judge.asked = 1_000_000, []
    others = [asyncio.create_task(run.ask(ROWS)) for _ in range(3)]
    await asyncio.sleep(0)
    while run.cached._watching:  # noqa: ASYNC110 - until they have looked up what is known
        await asyncio.sleep(0.001)
    others[0].cancel()
    first.cancel()
    _, *rest = await asyncio.gather(*others, return_exceptions=True)
    assert [[each.verdict.reason for each in each.answers] for each in rest] == [[each.claim for each in ROWS]] * 2
    assert judge.asked == ["claim 3", "claim 4"]
    assert run.cached._asked == {}
    await run.end()


async def test_who_waits_for_a_run_that_has_no_answer_asks_for_it(tmp_path):
    run = Run(tmp_path, Rules(silent_on=frozenset({"claim 1"})))
    judgements = await asyncio.gather(run.ask(ROWS), run.ask(ROWS))
    assert run.judge.asked == [*[each.claim for each in ROWS], "claim 1"]
    assert [each.troubles for each in judgements] == [(Trouble("unreachable", "nobody is there", 1),)] * 2
    await run.end()


async def test_after_closing_another_question_begins_anew(tmp_path):
    run = Run(tmp_path, Rules())
    await run.ask(ROWS)
    await run.end()
    assert all(each.cached for each in (await run.ask(ROWS)).answers)
    await run.end()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("verdicts") and gone(thread)]


def gone(thread: threading.Thread) -> bool:
    thread.join(10)
    return thread.is_alive()


async def test_what_cannot_be_written_is_known_all_the_same_and_written_later(tmp_path, monkeypatch):
    monkeypatch.setattr("cite_lsp.store.table._BUSY_SECONDS", 0.05)
    run = Run(tmp_path, Rules())
    await run.ask(ROWS[:1])
    await run.cached.close()
    holder = sqlite3.connect(tmp_path / "verdicts-1.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    await run.ask(ROWS)
    await run.ask(ROWS)
    assert run.judge.asks == 2
    await run.cached.close()
    assert "new verdicts are not kept" in run.verdicts.message
    holder.execute("ROLLBACK")
    holder.close()
    await run.ask([*ROWS, row("one more")])
    await run.end()
    assert run.judge.asked.count("claim 4") == 1
    assert (await asked(tmp_path, Rules(), ROWS))[1] == []


async def test_a_loop_goes_on_while_another_process_holds_the_file(tmp_path, ends):
    run = Run(tmp_path, Rules())
    await run.ask(ROWS[:1])
    await run.cached.close()
    holder = sqlite3.connect(tmp_path / "verdicts-1.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    done: list[str] = []
    await run.ask(ROWS[1:3])  # what was heard of them waits to be written

    async def ask() -> None:
        await run.ask(ROWS)
        done.append("asked")

    task = asyncio.create_task(ask())
    for _ in range(50):
        await asyncio.sleep(0.001)
    done.append("the loop went on")
    holder.execute("ROLLBACK")
    holder.close()
    with ends():
        await task
    assert done == ["the loop went on", "asked"]
    await run.end()


# The limits of a day


@dataclass
class Metered(Rules):
    """A judge that asks its ledger once for each row."""

    ledger: BookedLedger | None = None

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        assert self.ledger is not None
        refusals = [await asyncio.to_thread(self.ledger.admit, self.identity, 1, 0.5) for _ in rows]
        answers = tuple([None if refused else self.answer(each) for each, refused in zip(rows, refusals, strict=True)])
        declined = [each for each in refusals if each]
        troubles = (Trouble("declined", declined[0], len(declined)),) if declined else ()
        return Judgement(answers, Usage(), troubles, declined=len(declined) == len(rows))


LIMITS: dict[str, Callable[[], LimitSettings]] = {
    "max_rows_per_day": lambda: LimitSettings(max_rows_per_day=3),
    "max_cost_per_day": lambda: LimitSettings(max_cost_per_day=1.5),
}


@pytest.mark.parametrize("name", LIMITS)
async def test_what_is_known_costs_nothing_and_the_rest_keeps_to_the_limits(tmp_path, name):
    verdicts = Verdicts(str(tmp_path))
    judge = Metered(ledger=BookedLedger(verdicts, LIMITS[name]()))
    cached = CachedJudge(judge, verdicts)
    first = await cached.ask(ROWS)
    assert [each is None for each in first.answers] == [False, False, False, True, True]
    assert f"judge.limits.{name}" in first.troubles[0].message
    again = await cached.ask(ROWS)
    assert [each is None for each in again.answers] == [False, False, False, True, True]
    assert again.declined
    assert again.troubles[0].rows == 2
    assert not (await cached.ask(ROWS[:3])).troubles
    assert BookedLedger(verdicts, LimitSettings(), "repair.limits").admit("rules 1", 1, 0.0) == ""
    await cached.close()
    verdicts.close()


async def test_a_limit_of_cost_without_a_declared_cost_admits_nothing(tmp_path):
    verdicts = Verdicts(str(tmp_path))
    limits = LimitSettings(max_cost_per_day=1.0)
    said = BookedLedger(verdicts, limits).admit("openai", 1, None)
    assert "judge.limits.max_cost_per_day is set and judge.est_cost" in said
    assert "repair.est_cost" in BookedLedger(verdicts, limits, "repair.limits").admit("repair openai", 1, None)
    assert BookedLedger(verdicts, limits).admit("openai", 1, 0.0) == ""
    assert BookedLedger(verdicts, LimitSettings(max_rows_per_day=9)).admit("openai", 1, None) == ""
    assert [each.rows for each in verdicts.info().spent] == [2]
    verdicts.close()


async def test_what_could_not_be_sent_is_not_counted_against_the_day(tmp_path):
    verdicts = Verdicts(str(tmp_path))
    ledger = BookedLedger(verdicts, LimitSettings(max_rows_per_day=5, max_cost_per_day=1.0))
    client = make_client(
        "openai", ClientOptions(model="m", base_url="http://127.0.0.1:9/v1", api_key_env="NO"), environment={}
    )
    judge = ModelJudge(client, ModelOptions("openai", "m", est_cost=1.0), ledger)
    for _ in range(3):
        judgement = await judge.ask(ROWS)
        assert [each.cause for each in judgement.troubles] == ["no-key"]
        assert [(each.rows, each.cost) for each in verdicts.info().spent] == [(0, 0.0)]
    await judge.close()
    verdicts.close()
