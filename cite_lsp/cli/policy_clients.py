"""Who answers the questions of policies: the judge of the settings, with what it answered before."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from cite_lsp.cli.judges import Judges
from cite_lsp.cli.run import Run, UsageError
from cite_lsp.judges.making import Unavailable
from cite_lsp.judges.policies import Booking, PolicyClient, cause_of, in_words, policy_client, why_not_asked

if TYPE_CHECKING:
    from cite_lsp.config import Settings
    from cite_lsp.policy.asking import Reply, Request
    from cite_lsp.policy.files import PolicyFile
    from cite_lsp.policy.memory import Memory
    from cite_lsp.policy.options import RunOptions
    from cite_lsp.store import Answers

_HOPELESS: Mapping[str, int] = {"unauthorized": 1, "setting": 1, "request_error": 8, "timeout": 8, "server_error": 8}
"""After so many failures of a kind, and no answer ever, nobody is asked any more: the next one would fail too."""


@dataclass
class Clients:
    """The clients of a run, one for all documents whose settings mean the same."""

    run: Run
    judges: Judges
    cached: bool = True
    """Whether what was answered before is looked up, and what is answered is kept."""
    _made: dict[str, "GivingUp"] = field(default_factory=dict)
    _answers: "Answers | None" = None

    @property
    def concurrency(self) -> int | None:
        """How many requests the settings let run at a time; None where they do not say."""
        return self.judges.settled(self.run.settings).judge.limits.concurrency

    def options(self, file: "PolicyFile") -> "RunOptions":
        """Give how a policy is asked, with as many requests at a time as the settings let run."""
        limit = self.concurrency
        return file.options if limit is None else replace(file.options, concurrency=limit)

    def why_not(self, settings: "Settings") -> str:
        """Say why the judge of the settings cannot be asked, a sentence without a full stop; "" where it can."""
        return why_not_asked(self.judges.settled(settings).judge)

    def make(self, settings: "Settings") -> None:
        """Make the client of a document's settings, where their judge can be asked. Raises `UsageError`."""
        if settings.judge.run != "off" and not self.why_not(settings):
            self.of(settings)

    def of(self, settings: "Settings") -> "GivingUp":
        """Give the client of a document's settings. Raises `UsageError` where it cannot be made."""
        judge = self.judges.settled(settings).judge
        key = judge.model_dump_json(exclude={"run", "exclude"})
        if key not in self._made:
            try:
                self._made[key] = GivingUp(policy_client(judge))
            except Unavailable as error:
                raise UsageError(error.message) from error
        return self._made[key]

    def memory(self, settings: "Settings") -> "Memory | None":
        """Give what the client of a document's settings answered before; None where that does not count."""
        if not self.cached:
            return None
        from cite_lsp.store import Answers  # noqa: PLC0415

        if self._answers is None:
            cache = self.run.settings.cache
            self._answers = Answers(cache.folder, max_rows=cache.max_rows, shared=self.judges.shared())
        return self._answers.of(self.of(settings).identity)

    def booking(self, settings: "Settings") -> Booking:
        """Give where requests under a document's settings are booked: the limits of a day are those of all runs."""
        from cite_lsp.judges.cached import BookedLedger  # noqa: PLC0415

        judge = self.judges.settled(settings).judge
        return Booking(BookedLedger(self.judges.store(), judge.limits), judge.name, judge.est_cost)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should be told of settings and of what is kept, sentences without a full stop."""
        said = [f"{name} of the settings is meant for another judge or address: not used" for name in self.judges.unset]
        said += [self.judges.message, self._answers.message if self._answers is not None else ""]
        return tuple(filter(None, said))

    async def close(self) -> None:
        """End connections, and close the files."""
        for client in self._made.values():
            await client.close()
        await self.judges.close()
        if self._answers is not None:
            self._answers.close()


class GivingUp:
    """A client that knows when it is clear that nobody will answer: a server that hangs is not waited for for ever.

    Attributes:
        lost: Reason and sentence of the failure that everything else would meet too; None while there is hope.
    """

    def __init__(self, asked: PolicyClient) -> None:
        """Take who is asked."""
        self.lost: tuple[str, str] | None = None
        self._asked = asked
        self._failures: Counter[str] = Counter()
        self._answered = False

    @property
    def identity(self) -> str:
        """That of who is asked."""
        return self._asked.identity

    async def __call__(self, request: "Request") -> "Reply":
        """Ask."""
        reply: Reply = await self._asked(request)
        self._note(reply)
        return reply

    async def close(self) -> None:
        """End the connections of who is asked."""
        await self._asked.close()

    def _note(self, reply: "Reply") -> None:
        if "error" not in reply:
            self._answered = True
            return
        cause = cause_of(reply["error"])
        self._failures[cause] += 1
        if not self._answered and self._failures[cause] >= _HOPELESS.get(cause, math.inf):
            self.lost = cause, str(reply.get("message") or in_words(reply["error"]))


class Counted:
    """A client of one run of one policy, with how many requests it was sent.

    Attributes:
        sent: All of them; those that no limit of the day admitted are not among them.
        screened: Those of the first round; None while that is not over.
    """

    def __init__(self, asked: GivingUp) -> None:
        """Take who is asked."""
        self.sent = 0
        self.screened: int | None = None
        self._asked = asked

    @property
    def identity(self) -> str:
        """That of who is asked."""
        return self._asked.identity

    async def __call__(self, request: "Request") -> "Reply":
        """Ask."""
        self.sent += 1
        return await self._asked(request)

    async def close(self) -> None:
        """Leave who is asked, whom others ask too, as it is."""
