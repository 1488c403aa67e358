"""The embedded judge in several processes (`judge --jobs`): what it says of a row hangs on that row alone."""

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context

from cite_lsp.audit.judgement import Heard, Judged, Judgement
from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.cli.jobs import begin_child
from cite_lsp.cli.run import UnfinishedError
from cite_lsp.judges.embedded import EmbeddedJudge
from cite_lsp.worker.parser import Parser

WORTH_A_PROCESS = 500
"""So many rows take one process as long as it takes to start another one, and more."""
MOST_PROCESSES = 8
_AT_ONCE = 64
"""Rows that a process is given at a time, all of one document."""

_QUIET = "ignore:resource_tracker:UserWarning"
"""Nobody can mend what Python warns of when it clears away behind a process that was ended."""

_judge: EmbeddedJudge | None = None
"""Of such a process: who judges."""


def processes_for(rows: int, asked: int) -> int:
    """Give the number of processes: as many as were asked for; unasked as many as have something to do."""
    if asked:
        return min(asked, max(1, rows))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, MOST_PROCESSES, rows // WORTH_A_PROCESS))


class JudgeProcesses:
    """Asks the embedded judge in processes of its own, each with a parser."""

    identity = EmbeddedJudge.identity
    reads_file = EmbeddedJudge.reads_file

    def __init__(self, processes: int) -> None:
        if _QUIET not in sys.warnoptions:  # which the process that does so inherits
            sys.warnoptions.append(_QUIET)
        # not forked: a thread may hold a lock at that moment
        self._pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (os.getpid(),))

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Judge rows, some at a time. Raises `UnfinishedError` when a process dies."""
        loop = asyncio.get_running_loop()
        parts = [rows[at : at + _AT_ONCE] for at in range(0, len(rows), _AT_ONCE)]
        answers: list[Judged] = []
        try:
            for part in [loop.run_in_executor(self._pool, _work, part) for part in parts]:
                for verdict in await part:
                    judged = Judged(verdict, time.time())
                    if heard is not None:
                        heard(len(answers), judged)
                    answers.append(judged)
        except BrokenProcessPool as error:
            message = "a process ended before its citations were judged, for lack of memory perhaps; try --jobs 1"
            raise UnfinishedError(message) from error
        return Judgement(tuple(answers))

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row."""
        return (await self.ask(rows)).verdicts

    async def close(self) -> None:
        """End the processes; nobody waits for what they are busy with."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in active_children():
            child.terminate()


def _begin(parent: int) -> None:
    """Begin a process; an interrupt is its parent's matter, whose end it does not outlive."""
    global _judge  # noqa: PLW0603 - a process has one judge
    begin_child(parent)
    _judge = EmbeddedJudge(Parser())


def _work(rows: Sequence[Row]) -> list[Verdict]:
    if _judge is None:
        raise UnfinishedError("a process was given citations before it was prepared")
    return [_judge.judge_row(row) for row in rows]
