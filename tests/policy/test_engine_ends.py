"""How runs end: in the order of the work, at a deadline, by a stop, by being cancelled; what was answered is kept.

No test measures a time: clients wait for events that the test sets, or for ever, and hours pass when they are told to.
"""

import asyncio
import inspect
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from cite_lsp.policy import judge, source
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.progress import Stop
from cite_lsp.policy.run import run
from cite_lsp.policy.slots import in_slots
from tests.policy.answering import RIDDLES, Clock, Rule, Shelf, screening, texts_of

UNITS = source([f"passage {number}" for number in range(10)])


class Waiting:
    """Answers what holds none of some words, and waits for ever at the rest."""

    def __init__(self, *words: str, at_judging: bool = False, rule: Rule | None = None) -> None:
        self.words = words
        self.at_judging = at_judging
        self.rule = rule or Rule(answer=lambda *_: {"noul": 0.9})
        self.waiting = 0
        self.cancelled = 0
        self.reached = asyncio.Event()
        self.clock: Clock | None = None

    def until_it_waits(self) -> "Waiting":
        """An hour passes as soon as it waits."""
        self.clock = Clock()
        return self

    async def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0)
        if screening(request):
            stuck = any(word in text for word in self.words for text in texts_of(request))
        else:
            stuck = self.at_judging
        if not stuck:
            return self.rule.reply(request)
        self.waiting += 1
        self.reached.set()
        if self.clock is not None:
            self.clock.an_hour_passes()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        raise AssertionError("waited for ever, and it ended")


# ------------------------------------------------------------------------------------------------ deadline


@pytest.mark.parametrize("concurrency", [1, 2, 8])
async def test_at_the_deadline_what_is_not_answered_is_an_error(concurrency: int) -> None:
    client = Waiting("passage 4").until_it_waits()
    report = await judge(client, UNITS, RIDDLES, window=2, concurrency=concurrency, deadline=60)
    answered = set(report.screen)
    assert {"P000", "P001", "P002", "P003"} <= answered
    assert not {"P004", "P005"} & answered
    lacking = [error for error in report.errors if error.concern is None]
    assert sorted(name for error in lacking for name in error.passage_ids) == sorted(report.unchecked)
    assert [error.passage_ids for error in lacking] == sorted(error.passage_ids for error in lacking)
    assert {error.reason for error in report.errors} == {"deadline"}
    assert {error.message for error in report.errors} == {"the run came to its deadline of 60 seconds"}
    assert client.cancelled == client.waiting == 1
    assert [(error.concern, error.passage_ids) for error in report.errors if error.concern is not None] == [
        ("riddle", tuple(report.screen))
    ]
    assert report.findings == ()


async def test_a_deadline_in_the_second_round_keeps_the_first() -> None:
    client = Waiting(at_judging=True).until_it_waits()
    report = await judge(client, UNITS, RIDDLES, deadline=60)
    assert len(report.screen) == 10
    assert [(error.concern, error.reason) for error in report.errors] == [("riddle", "deadline")]


async def test_a_half_that_was_answered_before_the_deadline_counts() -> None:
    def too_large(request: dict[str, Any], times: int) -> dict[str, Any] | None:
        return {"error": "request_too_large"} if len(texts_of(request)) > 2 and screening(request) else None

    class Slow(Waiting):
        async def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
            self.words = ("passage 3",) if len(texts_of(request)) <= 2 else ()
            return await super().__call__(request)

    client = Slow(rule=Rule(too_large, answer=lambda *_: {"noul": 0.9})).until_it_waits()
    report = await judge(client, UNITS, RIDDLES, window=8, concurrency=1, deadline=60)
    assert list(report.screen) == ["P000", "P001"]
    lacking = [error.passage_ids for error in report.errors if error.concern is None]
    assert lacking == [("P002", "P003"), ("P004", "P005", "P006", "P007"), ("P008", "P009")]


async def test_a_deadline_that_is_not_reached_changes_nothing() -> None:
    report = await judge(Waiting(), UNITS, RIDDLES, deadline=600)
    assert (len(report.screen), report.errors, report.findings[0].verdict) == (10, (), "holds")


@pytest.fixture
def released() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.parametrize("count", [1, 40])
async def test_a_client_in_threads_that_hangs_is_left_behind_at_the_deadline(
    released: threading.Event, count: int
) -> None:
    """So many of them do not keep the memory from its threads."""
    clock = Clock()

    class Timed(Shelf):
        def keep(self, known: Mapping[str, Mapping[str, Any]]) -> None:
            super().keep(known)
            clock.an_hour_passes()

    shelf = Timed()

    def client(request: dict[str, Any]) -> dict[str, Any]:
        if "passage 0" not in texts_of(request):
            released.wait()
        return {"answers": {key: {"noul": 0} for key in request["questions"]}}

    made = source([f"passage {number}" for number in range(count + 1)])
    report = await judge(client, made, RIDDLES, window=1, concurrency=count + 1, deadline=60, memory=shelf)
    assert list(report.screen) == ["P000"]
    assert {error.reason for error in report.errors} == {"deadline"}
    assert len(report.unchecked) == count
    assert len(shelf.kept) == 1


async def test_a_reply_after_the_deadline_is_not_waited_for_and_not_missed(released: threading.Event) -> None:
    """A plain function may give a coroutine after the run is over: it is closed, not left unawaited."""
    clock = Clock()

    async def reply() -> dict[str, Any]:
        return {"error": "late"}

    given: list[Any] = []

    def client(request: dict[str, Any]) -> Any:
        clock.an_hour_passes()
        released.wait()
        given.append(reply())
        return given[0]

    report = await judge(client, UNITS, RIDDLES, deadline=60)
    assert {error.reason for error in report.errors} == {"deadline"}
    released.set()
    for thread in threading.enumerate():
        if thread.name == "policy-client":
            await asyncio.to_thread(thread.join)
    await turns()
    assert inspect.getcoroutinestate(given[0]) == inspect.CORO_CLOSED


class Slow(Shelf):
    """Keeps nothing before it is let to."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()

    def keep(self, known: Mapping[str, Mapping[str, Any]]) -> None:
        self.released.wait()
        super().keep(known)


def test_what_was_answered_is_kept_although_the_run_ends_while_it_is() -> None:
    """More is to be kept than there are threads, so most of it waits for its turn when the run is stopped."""
    shelf, stop, made = Slow(), Stop(), source([f"passage {number}" for number in range(100)])

    async def client(request: dict[str, Any]) -> dict[str, Any]:
        if "passage 99" in texts_of(request):
            stop.end()
        return {"answers": {key: {"noul": 0} for key in request["questions"]}}

    async def whole() -> int:
        report = await run(client, made, RIDDLES, RunOptions(window=1, concurrency=100), memory=shelf, stop=stop)
        shelf.released.set()
        return len(report.screen)

    assert asyncio.run(whole()) == 100
    assert len(shelf.kept) == 100


async def test_the_run_after_a_cancelled_one_does_not_ask_for_what_was_just_answered() -> None:
    """A newer save takes the place of a run whose last answer is still on its way into the memory."""
    keeping, asked = asyncio.Event(), []
    loop = asyncio.get_running_loop()

    class Late(Shelf):
        def keep(self, known: Mapping[str, Mapping[str, Any]]) -> None:
            loop.call_soon_threadsafe(keeping.set)
            asyncio.run_coroutine_threadsafe(turns(), loop).result()
            super().keep(known)

    async def client(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(texts_of(request))
        return {"answers": {key: {"noul": 0} for key in request["questions"]}}

    shelf, made = Late(), source(["passage"])
    first = asyncio.create_task(run(client, made, RIDDLES, RunOptions(), memory=shelf))
    await keeping.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    await run(client, made, RIDDLES, RunOptions(), memory=shelf)
    assert asked == [["passage"]]


# ------------------------------------------------------------------------------------------------ stop and cancel


async def test_a_stop_ends_a_run_with_what_is_known() -> None:
    client, stop = Waiting("passage 4"), Stop()
    task = asyncio.create_task(run(client, UNITS, RIDDLES, RunOptions(window=2, concurrency=1), stop=stop))
    await client.reached.wait()
    stop.end()
    stop.end("later", "which does not count")
    report = await task
    assert list(report.screen) == ["P000", "P001", "P002", "P003"]
    assert [(error.concern, error.reason, error.message) for error in report.errors] == [
        *[(None, "cancelled", "the run was cancelled")] * 3,
        ("riddle", "cancelled", "the run was cancelled"),
    ]
    assert client.cancelled == 1


async def test_a_run_that_is_stopped_before_it_begins_asks_nothing() -> None:
    client, stop = Waiting(), Stop()
    stop.end()
    report = await run(client, UNITS, RIDDLES, RunOptions(), stop=stop)
    assert (report.requests, len(report.unchecked), client.rule.requests) == (0, 10, [])


async def test_what_a_client_does_when_it_is_stopped_is_no_failure_of_the_run() -> None:
    class Grumbling(Waiting):
        async def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
            try:
                return await super().__call__(request)
            except asyncio.CancelledError:
                raise ValueError("while cleaning up") from None

    client = Grumbling("passage 4").until_it_waits()
    report = await judge(client, UNITS, RIDDLES, window=2, deadline=60)
    assert "P004" in report.unchecked


class Stubborn(Waiting):
    async def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return await super().__call__(request)
        except asyncio.CancelledError:
            return self.rule.reply(request)


async def test_a_client_that_answers_although_it_is_stopped_is_heard_and_asked_nothing_more() -> None:
    client = Stubborn("passage 4").until_it_waits()
    report = await judge(client, UNITS, RIDDLES, window=2, concurrency=1, deadline=60)
    assert list(report.screen) == [f"P00{number}" for number in range(6)]
    assert len(client.rule.requests) == 3


async def test_the_other_half_of_a_window_is_not_asked_about_after_a_stop() -> None:
    def too_large(request: dict[str, Any], times: int) -> dict[str, Any] | None:
        return {"error": "request_too_large"} if len(texts_of(request)) > 5 else None

    class AtTheHalf(Stubborn):
        async def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
            self.words = ("passage 0",) if len(texts_of(request)) <= 5 else ()
            return await super().__call__(request)

    client = AtTheHalf(rule=Rule(too_large, answer=lambda *_: {"noul": 0.9})).until_it_waits()
    report = await judge(client, UNITS, RIDDLES, deadline=60)
    assert list(report.screen) == [f"P00{number}" for number in range(5)]
    assert [error.passage_ids for error in report.errors if error.concern is None] == [report.unchecked]
    assert [len(texts_of(each)) for each in client.rule.requests] == [10, 5]


@pytest.mark.parametrize("at_judging", [False, True])
async def test_a_cancelled_run_cancels_every_request(at_judging: bool) -> None:
    client = Waiting(*() if at_judging else ("passage",), at_judging=at_judging)
    task = asyncio.create_task(judge(client, UNITS, RIDDLES, window=2, concurrency=3))
    await client.reached.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert client.cancelled == client.waiting
    assert client.waiting == (1 if at_judging else 3)
    assert len(asyncio.all_tasks()) == 1


async def test_a_client_that_raises_what_means_cancelled_ends_the_run() -> None:
    async def client(request: dict[str, Any]) -> dict[str, Any]:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await judge(client, UNITS, RIDDLES)


# ------------------------------------------------------------------------------------------------ slots


class Work:
    """Work on numbers, each of which ends when it is let to, and as it is told to."""

    def __init__(self, **ends: BaseException) -> None:
        self.gates: dict[int, asyncio.Event] = {}
        self.ends = {int(name[1:]): error for name, error in ends.items()}
        self.started: list[int] = []
        self.ended: list[int] = []
        self.killed: list[int] = []

    async def __call__(self, number: int) -> None:
        self.started.append(number)
        try:
            await self.gate(number).wait()
        except asyncio.CancelledError:
            self.killed.append(number)
            raise
        if number in self.ends:
            raise self.ends[number]
        self.ended.append(number)

    def gate(self, number: int) -> asyncio.Event:
        return self.gates.setdefault(number, asyncio.Event())

    async def end(self, number: int) -> None:
        self.gate(number).set()
        await turns()


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_items_are_taken_when_their_turn_comes() -> None:
    work, taken = Work(), []

    def items() -> Iterator[int]:
        for number in range(5):
            taken.append(number)
            yield number

    task = asyncio.create_task(in_slots(items(), work, 2, Stop()))
    await turns()
    assert (work.started, taken) == ([0, 1], [0, 1])
    await work.end(1)
    assert (work.started, taken) == ([0, 1, 2], [0, 1, 2])
    for number in (0, 2, 3, 4):
        await work.end(number)
    await task
    assert work.ended == [1, 0, 2, 3, 4]


async def test_a_failure_lets_those_before_end_and_kills_those_after() -> None:
    work = Work(n2=ValueError("third"))
    task = asyncio.create_task(in_slots(range(9), work, 4, Stop()))
    await turns()
    await work.end(2)
    assert (work.started, work.killed) == ([0, 1, 2, 3], [3])
    assert not task.done()
    await work.end(1)
    await work.end(0)
    with pytest.raises(ValueError, match="third"):
        await task
    assert (work.started, work.ended) == ([0, 1, 2, 3], [1, 0])


async def test_the_first_failure_in_the_order_of_the_items_is_raised() -> None:
    work = Work(n1=ValueError("second"), n2=ValueError("third"))
    task = asyncio.create_task(in_slots(range(4), work, 4, Stop()))
    await turns()
    await work.end(2)
    await work.end(1)
    await work.end(0)
    with pytest.raises(ValueError, match="second"):
        await task
    assert work.killed == [3]


async def test_a_stop_kills_what_is_under_way_and_raises_nothing() -> None:
    work, stop = Work(), Stop()
    task = asyncio.create_task(in_slots(range(4), work, 2, stop))
    await turns()
    await work.end(0)
    stop.end()
    await task
    assert (work.ended, sorted(work.killed), work.started) == ([0], [1, 2], [0, 1, 2])


async def test_a_failure_before_a_stop_is_raised() -> None:
    work, stop = Work(n1=ValueError("second")), Stop()
    task = asyncio.create_task(in_slots(range(4), work, 2, stop))
    await turns()
    await work.end(1)
    stop.end()
    with pytest.raises(ValueError, match="second"):
        await task


async def test_items_that_cannot_be_taken_end_the_work() -> None:
    def items() -> Iterator[int]:
        yield 0
        raise KeyError("no second")

    work = Work()
    with pytest.raises(KeyError):
        await in_slots(items(), work, 2, Stop())
    assert work.ended == []
    assert len(asyncio.all_tasks()) == 1
