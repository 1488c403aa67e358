"""The embedded judge in several processes: the same verdicts in order, and one clear word when one dies."""

import asyncio
import os
import signal
import subprocess
import sys
from multiprocessing import active_children

import pytest

from cite_lsp.audit.verdicts import Row
from cite_lsp.cli.judge_processes import MOST_PROCESSES, JudgeProcesses, processes_for
from cite_lsp.cli.run import UnfinishedError
from cite_lsp.judges.embedded import EmbeddedJudge

LINES = ("def limit():", "    retries = 3", "    return retries")


def rows(count: int) -> list[Row]:
    return [
        Row.of(claim=f"The number of `retries` is {number % 5}.", lines=[(2, LINES[1])], path="a.py", file=LINES)
        for number in range(count)
    ]


def test_how_many():
    assert processes_for(1_000_000, 0) <= MOST_PROCESSES
    assert processes_for(10, 0) == 1
    assert (processes_for(10, 4), processes_for(2, 4), processes_for(0, 4)) == (4, 2, 1)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_the_program(workspace, end):
    claims = "".join(f"The number of `retries` is {number} (`a.py:2`).\n\n" for number in range(300))
    files = {"cite-lsp.toml": "", "a.py": "\n".join(LINES)} | {f"docs/{number}.md": claims for number in range(30)}
    command = [sys.executable, "-m", "cite_lsp", "judge", "--jobs", "2", "--format", "json"]
    with subprocess.Popen(
        command, cwd=workspace(files), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as run:
        assert run.stdout is not None
        run.stdout.readline()
        run.stdout.readline()
        run.send_signal(end)
        try:
            _, errors = run.communicate(timeout=30)  # the children have the ends of the pipes, too
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            raise
    assert run.returncode == (130 if end == signal.SIGINT else -end)
    assert b"leaked" not in errors


async def test_rows_are_answered_in_order_and_a_dead_process_is_said():
    asked = rows(130)
    judge = JudgeProcesses(2)
    heard: list[int] = []
    try:
        found = await judge.ask(asked, lambda index, _: heard.append(index))
        assert heard == list(range(130))
        assert [each.label for each in found.verdicts] == [EmbeddedJudge().judge_row(row).label for row in asked]
        assert {each.label for each in found.verdicts} >= {"supported", "unsupported"}
        under_way = asyncio.create_task(judge.ask(rows(20_000)))
        await asyncio.sleep(0.2)
        for child in active_children():
            os.kill(child.pid or 0, signal.SIGKILL)
        with pytest.raises(UnfinishedError, match="try --jobs 1"):
            await under_way
    finally:
        await judge.close()
    for child in active_children():
        child.join(10)
    assert not active_children()
