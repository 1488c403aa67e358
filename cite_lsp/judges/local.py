"""The embedded judge, asked as the others are."""

import asyncio
import time
from collections.abc import Sequence

from cite_lsp.audit.judgement import Heard, Judged, Judgement
from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.judges.embedded import EmbeddedJudge


class LocalJudge:
    """Asks the embedded judge in a thread of this process; the server asks it in its worker instead."""

    def __init__(self, judge: EmbeddedJudge | None = None) -> None:
        """Make one.

        Args:
            judge: The embedded judge; by text rules only where None.
        """
        self._judge = judge or EmbeddedJudge()

    @property
    def identity(self) -> str:
        """That of the embedded judge."""
        return self._judge.identity

    @property
    def reads_file(self) -> bool:
        """That of the embedded judge."""
        return self._judge.reads_file

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Judge rows one by one; cancelling ends after the one that is under way."""
        answers: list[Judged] = []
        for index, row in enumerate(rows):
            judged = Judged(await asyncio.to_thread(self._judge.judge_row, row), time.time())
            answers.append(judged)
            if heard is not None:
                heard(index, judged)
        return Judgement(tuple(answers))

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row."""
        return (await self.ask(rows)).verdicts

    async def close(self) -> None:
        """Do nothing: there is nothing to end."""
