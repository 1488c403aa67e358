"""The judge that asks a model, over any client."""

from collections.abc import Sequence

from cite_lsp.audit.judgement import Heard, Judgement
from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.clients.client import ChatClient
from cite_lsp.judges.asking import Asking
from cite_lsp.judges.options import Ledger, ModelOptions
from cite_lsp.judges.prompt import PROMPT_VERSION

__all__ = ["Ledger", "ModelJudge", "ModelOptions"]


class ModelJudge:
    """Asks a model whether cited lines carry their claims (judge.md, The model judge).

    A verdict rests on more than the model's word: what it quotes has to stand in the lines, *partial* and *unsupported*
    are said twice, and *supported* asks a person where a named check is against it or the text holds an order.
    """

    reads_file = False

    def __init__(self, client: ChatClient, options: ModelOptions, ledger: Ledger | None = None) -> None:
        """Take who is asked, how, and who keeps the limits of the day (None: there are none)."""
        self._client = client
        self._options = options
        self._ledger = ledger

    @property
    def identity(self) -> str:
        """One line: name, model, address, effort and the version of the prompt."""
        effort = f" effort={self._options.effort}" if self._options.effort else ""
        model = self._client.model or "(default model)"
        return f"{self._options.name} {model} at {self._client.address}{effort} prompt={PROMPT_VERSION}"

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Ask about rows, `heard` as answers come (under `strict` when all have come).

        Cancelling aborts the requests that are under way; what was told to `heard` stays.
        """
        run = Asking(self._client, self._options, self.identity, self._ledger, rows, heard)
        return await run.answer()

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row; a row that was not answered is *unchecked* and says why."""
        return (await self.ask(rows)).verdicts

    async def close(self) -> None:
        """End the connections; another question opens them again."""
        await self._client.close()
