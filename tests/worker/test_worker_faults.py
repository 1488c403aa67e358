"""Children that die, hang, babble or cannot be started: the caller is told, and nothing is left behind."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cite_lsp.audit.row_data import row_to_data
from cite_lsp.audit.verdicts import Row
from cite_lsp.worker.client import COMMAND, Worker, WorkerLost
from cite_lsp.worker.frames import encoded, read_message

ROW = row_to_data(Row.of(claim="MAX_ATTEMPTS is 3.", lines=[(24, "MAX_ATTEMPTS = 5")], path="retry.py"))
MINUTE = 60.0


@pytest.fixture
def workers() -> Iterator[list[Worker]]:
    made: list[Worker] = []
    yield made
    for each in made:
        each.close()
    for thread in threading.enumerate():
        if thread.name == "worker pipe":
            thread.join(MINUTE)
            assert not thread.is_alive(), "a pipe of the worker is still open"
    gc.collect()


def script(tmp_path: Path, body: str) -> list[str]:
    """A child that is not ours; `read()` gives its next request, `send(map)` answers."""
    head = """
        import json, os, sys, time
        def read():
            size = sys.stdin.buffer.read(4)
            if len(size) < 4:
                os._exit(0)
            return json.loads(sys.stdin.buffer.read(int.from_bytes(size, "big")))
        def send(message):
            body = json.dumps(message).encode()
            sys.stdout.buffer.write(len(body).to_bytes(4, "big") + body)
            sys.stdout.buffer.flush()
        def started():
            with open(TALLY, "a") as tally:
                tally.write("x")
            return os.path.getsize(TALLY)
    """
    path = tmp_path / "child.py"
    tally = f"TALLY = {str(tmp_path / 'tally')!r}\n"
    path.write_text(tally + textwrap.dedent(head) + textwrap.dedent(body))
    return [sys.executable, str(path)]


def starts(tmp_path: Path) -> int:
    return (tmp_path / "tally").stat().st_size


async def child_of(worker: Worker) -> int:
    await worker.call("judge", rows=[])
    assert worker.pid is not None
    return worker.pid


async def gone(pid: int) -> None:
    async with asyncio.timeout(MINUTE):
        while _exists(pid):  # noqa: ASYNC110 - a process tells nobody that it is gone
            await asyncio.sleep(0.01)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_killed_in_the_middle_of_a_judgement_it_is_judged_again(workers: list[Worker]) -> None:
    if os.name == "nt":
        pytest.skip("not run: kill -9 absent on Windows")
    worker = Worker()
    workers.append(worker)
    pid = await child_of(worker)
    parts: list[int] = []

    def taken(part: dict[str, int]) -> None:
        parts.append(part["index"])
        if len(parts) == 3:
            os.kill(pid, signal.SIGKILL)

    done = await worker.call("judge", rows=[ROW] * 3_000, on_part=taken)
    assert done == {"rows": 3_000}
    assert worker.restarts == 1
    assert parts[-3_000:] == list(range(3_000))
    assert len(parts) > 3_000
    await gone(pid)


async def test_what_kills_the_child_twice_is_given_up_and_others_are_answered(
    workers: list[Worker], tmp_path: Path
) -> None:
    command = script(
        tmp_path,
        """
        started()
        while True:
            request = read()
            if request["do"] == "poison":
                os._exit(3)
            send({"id": request["id"], "done": request["do"]})
        """,
    )
    worker = Worker(command)
    workers.append(worker)
    assert await worker.call("hello") == "hello"
    poison, other = await asyncio.gather(worker.call("poison"), worker.call("other"), return_exceptions=True)
    assert isinstance(poison, WorkerLost)
    assert "twice" in str(poison)
    assert other == "other" or isinstance(other, WorkerLost)
    assert await worker.call("after") == "after"
    assert starts(tmp_path) == 3


async def test_a_hanging_child_is_killed_and_the_others_are_sent_again(workers: list[Worker], tmp_path: Path) -> None:
    command = script(
        tmp_path,
        """
        if started() == 1:
            while True:
                read()
        while True:
            request = read()
            send({"id": request["id"], "done": request["do"]})
        """,
    )
    worker = Worker(command, deadline=MINUTE)
    workers.append(worker)
    hanging, waiting = await asyncio.gather(
        worker.call("hang", deadline=0.2), worker.call("wait"), return_exceptions=True
    )
    assert isinstance(hanging, WorkerLost)
    assert "0.2 seconds" in str(hanging)
    assert waiting == "wait"
    assert worker.restarts == 1


async def test_a_child_that_reads_nothing_holds_nobody(workers: list[Worker], tmp_path: Path) -> None:
    """A request larger than any pipe: neither the loop nor `close` waits for it to be written."""
    worker = Worker(script(tmp_path, "time.sleep(3600)"))
    workers.append(worker)
    with pytest.raises(WorkerLost, match="no answer"):
        await worker.call("judge", rows=["x" * 1_000_000] * 20, deadline=0.2)


@pytest.mark.parametrize(
    "babble",
    [
        "sys.stdout.buffer.write(b'hello, I am no frame' * 99)",
        "sys.stdout.buffer.write(bytes([0, 0, 0, 9]) + b'{\"id\": 1'); sys.stdout.flush(); os._exit(0)",
        "send({'id': [1], 'done': 1}); os._exit(0)",
        "send([1, 2])",
        "send({'id': 'one', 'done': 1}); send({'done': 1}); os._exit(0)",
    ],
)
async def test_rubbish_is_no_answer(workers: list[Worker], tmp_path: Path, babble: str) -> None:
    worker = Worker(script(tmp_path, f"started()\nread()\n{babble}\nsys.stdout.flush()\nread()"))
    workers.append(worker)
    with pytest.raises(WorkerLost, match="twice"):
        await worker.call("judge", rows=[])
    assert starts(tmp_path) == 2


async def test_one_that_cannot_be_started_is_said_once_and_tried_once(workers: list[Worker], tmp_path: Path) -> None:
    missing = tmp_path / "no-such-program"
    worker = Worker([str(missing)])
    workers.append(worker)
    with pytest.raises(WorkerLost, match=r"cannot be started: .*no-such-program: No such file") as first:
        await worker.call("judge", rows=[])
    missing.write_text("#!/bin/sh\nsleep 3600\n")  # though it is there now, the next call does not try at once
    missing.chmod(0o755)
    with pytest.raises(WorkerLost) as second:
        await worker.call("judge", rows=[])
    assert str(first.value) == str(second.value)


async def test_one_that_ends_at_once_is_not_started_for_ever(workers: list[Worker], tmp_path: Path) -> None:
    worker = Worker(script(tmp_path, "started()"))
    workers.append(worker)
    for _ in range(20):
        with pytest.raises(WorkerLost):
            await worker.call("judge", rows=[])
    assert starts(tmp_path) == 4
    with pytest.raises(WorkerLost, match="ends as soon as it is started"):
        await worker.call("judge", rows=[])


async def test_a_cancelled_judgement_is_dropped_before_its_next_row(workers: list[Worker]) -> None:
    worker = Worker()
    workers.append(worker)
    pid = await child_of(worker)
    begun = asyncio.Event()
    parts: list[object] = []

    def taken(part: object) -> None:
        parts.append(part)
        begun.set()

    running = asyncio.create_task(worker.call("judge", rows=[ROW] * 20_000, on_part=taken))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    seen = len(parts)
    assert await worker.call("judge", rows=[ROW], on_part=parts.append) == {"rows": 1}
    assert len(parts) == seen + 1, "no part comes for a call that nobody waits for"
    assert seen < 20_000
    assert worker.restarts == 0
    assert worker.pid == pid


def test_a_drop_comes_before_the_next_item_and_reaches_queued_requests(workers: list[Worker], tmp_path: Path) -> None:
    """By the child's own answers: rows judged of a dropped request are fewer than were sent."""
    process = subprocess.Popen(list(COMMAND), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write(encoded({"id": 1, "do": "judge", "rows": [ROW] * 20_000}))
        process.stdin.write(encoded({"id": 2, "do": "judge", "rows": [ROW] * 20_000}))
        process.stdin.write(encoded({"drop": 2}))
        process.stdin.flush()
        assert read_message(process.stdout)["id"] == 1
        process.stdin.write(encoded({"drop": 1}) + encoded({"id": 3, "do": "judge", "rows": []}))
        process.stdin.flush()
        parts = 1
        while (message := read_message(process.stdout))["id"] != 3:
            assert message["id"] == 1, "a request dropped while it was queued is never begun"
            parts += "part" in message
        assert parts < 20_000
        process.stdin.close()
        assert process.wait(MINUTE) == 0


async def test_close_while_busy_is_at_once_and_leaves_no_process(workers: list[Worker], repository_of: Path) -> None:
    worker = Worker()
    workers.append(worker)
    pid = await child_of(worker)
    busy = [asyncio.create_task(worker.call("judge", rows=[ROW] * 20_000)) for _ in range(3)]
    busy.append(asyncio.create_task(worker.call("history", root=str(repository_of))))
    await asyncio.sleep(0.05)
    worker.close()
    for ended in await asyncio.gather(*busy, return_exceptions=True):
        assert isinstance(ended, WorkerLost)
    await gone(pid)
    with pytest.raises(WorkerLost, match="closed"):
        await worker.call("judge", rows=[])
    worker.close()


@pytest.fixture
def repository_of(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


def test_closed_as_the_loop_ends_nothing_is_complained_about() -> None:
    """In a process that turns every warning into an error and prints what asyncio and the collector say."""
    code = """
        import asyncio, gc
        from cite_lsp.worker.client import Worker
        async def main():
            worker = Worker()
            busy = asyncio.create_task(worker.call("judge", rows=[]))
            await asyncio.sleep(0.05)
            worker.close()
            await asyncio.gather(busy, return_exceptions=True)
        asyncio.run(main(), debug=True)
        gc.collect()
    """
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MINUTE)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Warning" not in done.stderr
    assert "Traceback" not in done.stderr


def child_of_killed(command: list[str]) -> int:
    """Start a process that says the number of its worker, and kill it."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    return pid


async def test_the_child_ends_with_its_parent_even_while_busy(tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("not run: kill -9 absent on Windows")
    code = """
        import asyncio, sys
        from cite_lsp.worker.client import Worker
        async def main():
            worker = Worker()
            await worker.call("judge", rows=[])
            print(worker.pid, flush=True)
            await worker.call("closest", root=sys.argv[1], paths=[f"a/{n}{'y' * 40}" for n in range(200_000)])
        asyncio.run(main())
    """
    for n in range(100):
        (tmp_path / f"{n}{'y' * 38}").write_text("")
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path)]
    pid = child_of_killed(command)
    await gone(pid)


async def test_an_interrupt_is_the_parents_affair(workers: list[Worker]) -> None:
    if os.name == "nt":
        pytest.skip("not run: signals of POSIX absent on Windows")
    worker = Worker()
    workers.append(worker)
    pid = await child_of(worker)
    os.kill(pid, signal.SIGINT)
    assert await worker.call("judge", rows=[ROW]) == {"rows": 1}
    assert worker.restarts == 0


async def test_no_module_of_the_working_folder_is_loaded(
    workers: list[Worker], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An untrusted project may hold a package of our name, or one named like a library."""
    for name in ("cite_lsp", "orjson", "rapidfuzz", "signal"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    worker = Worker()
    workers.append(worker)
    assert await worker.call("judge", rows=[ROW]) == {"rows": 1}
    await worker.call("paths", root=str(tmp_path))
    assert not (tmp_path / "ran").exists()


async def test_many_calls_in_both_lanes_all_come_back(workers: list[Worker], tmp_path: Path) -> None:
    worker = Worker()
    workers.append(worker)
    (tmp_path / "a.md").write_text("")
    judged = [worker.call("judge", rows=[ROW] * (n % 4)) for n in range(100)]
    listed = [worker.call("paths", root=str(tmp_path)) for _ in range(20)]
    answers = await asyncio.gather(*judged, *listed)
    assert [answer["rows"] for answer in answers[:100]] == [n % 4 for n in range(100)]
    assert all(answer["paths"] == ["a.md"] for answer in answers[100:])
