"""The judge that asks a decision model: one that answers questions with probabilities, and says nothing else."""

import hashlib
from collections.abc import Sequence
from dataclasses import astuple

from cite_lsp.audit.judgement import Heard, Judgement
from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.clients.client import DecisionClient
from cite_lsp.judges.deciding import Deciding, Sent
from cite_lsp.judges.directions import Bands
from cite_lsp.judges.options import Ledger, ModelOptions
from cite_lsp.judges.sides import WORDING


class DecisionJudge:
    """Asks of each row twice: the claim read against the cited lines, and the lines read for the claim.

    A verdict is what both directions come to (`directions.ruled`); inside the band of a question, and where the two
    disagree, a person is asked. A row of which either request came to nothing is not checked, and never *unsupported*.

    What protects: nothing that comes back is text. An answer is a number to a question of ours under a key of ours, so
    that no quote can be made up, and evidence is taken from our own bytes of the cited lines. Each line is asked about
    by itself, too, and a claim of which no line is held to be a part is never *supported*. Text that reads like an
    order can still move a number, and there is no row whose answer is known: so *supported* asks a person where the
    claim or the lines hold such a text, or where an embedded check names what is against it.

    Limits of the day are booked for a whole row, both of its requests at once, before either is sent.
    """

    reads_file = False

    def __init__(
        self,
        client: DecisionClient,
        options: ModelOptions,
        ledger: Ledger | None = None,
        *,
        bands: Bands | None = None,
    ) -> None:
        """Take who is asked, how, who keeps the limits of the day (None: there are none), and where *yes* begins.

        Of the options, `concurrency`, `est_cost`, `strict` and the name count; the others are about chats.
        """
        self._client = client
        self._sent = Sent(client)
        self._options = options
        self._ledger = ledger
        self._bands = bands or Bands()

    @property
    def identity(self) -> str:
        """One line: name, model, address, and the wording of the questions with their bands."""
        digest = hashlib.sha256(repr(astuple(self._bands)).encode()).hexdigest()[:8]
        model = self._client.model or "(default model)"
        return f"{self._options.name} {model} at {self._client.address} questions={WORDING} bands={digest}"

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Ask about rows, `heard` as both answers to a row have come (under `strict` when all have).

        Cancelling aborts the requests that are under way; what was told to `heard` stays.
        """
        run = Deciding(self._client, self._sent, self._options, self._bands, self.identity, self._ledger, rows, heard)
        return await run.answer()

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row; a row that was not answered is *unchecked* and says why."""
        return (await self.ask(rows)).verdicts

    async def close(self) -> None:
        """End the connections; another question opens them again."""
        await self._client.close()
