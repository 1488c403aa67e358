"""Whom policies are asked of, and where their answers are kept: made when first needed, one for what means the same."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from cite_lsp.server.closing import Closing

if TYPE_CHECKING:
    from cite_lsp.config import Settings
    from cite_lsp.judges.policies import Booking, PolicyClient
    from cite_lsp.server.judges import Judges
    from cite_lsp.store.answers import Answers
    from cite_lsp.store.shared import SharedCache

log = logging.getLogger(__name__)

_ABOUT_WHEN = frozenset({"run", "exclude", "batch", "est_cost"})
"""Rows of the judge's settings that say when, about what and at what cost it is asked, not who is."""
_ASKED = frozenset({"decision", "openai"})
"""Judges that policies are asked of (`judges.policy_clients.JUDGES`, which is not loaded to look at it)."""
_POLICIES = (
    "cite_lsp.findings.policing",
    "cite_lsp.judges.cached",
    "cite_lsp.judges.policies",
    "cite_lsp.policy.bands",
    "cite_lsp.policy.files",
    "cite_lsp.store.answers",
    "cite_lsp.store.verdicts",
)
"""Modules that only policies need."""
_WIRES = ("cite_lsp.clients.decision_chat", "cite_lsp.clients.systemone")
"""Modules that only asking needs."""


class NotAsked(Exception):  # noqa: N818 - it says what happened
    """Nobody can be asked; the message is a sentence without a full stop."""


class PolicyClients:
    """The clients of a session.

    `secrets`: keys by the host they are for.
    """

    def __init__(self, judges: "Judges", *, secrets: Mapping[str, str] | None = None) -> None:
        """Take the judges: they know whether the workspace is trusted, and where requests are booked."""
        self._judges = judges
        self._secrets = dict(secrets or {})
        self._made: dict[str, PolicyClient] = {}
        self._answers: dict[tuple[str, int, SharedCache | None], Answers] = {}
        self.closing = Closing(log, "the client of policies")
        self._loaded: set[str] = set()

    async def load(self, settings: "Settings") -> None:
        """Load, in a thread, what asking takes: some tenths of a second that nobody is kept waiting for."""
        wanted = (*_POLICIES, *(_WIRES if settings.judge.name in _ASKED else ()))
        wanted += ("cite_lsp.store.shared",) if settings.cache.url is not None else ()
        if not self._loaded.issuperset(wanted):
            await asyncio.to_thread(_load, wanted)
            self._loaded.update(wanted)

    def of(self, settings: "Settings") -> "PolicyClient":
        """Give the client that the settings mean; to be called behind `load`.

        Raises:
            NotAsked: It may not be asked here, or cannot be made.
        """
        from cite_lsp.judges.making import Unavailable  # noqa: PLC0415 - it is loaded by now
        from cite_lsp.judges.policies import policy_client, why_not_asked  # noqa: PLC0415

        why = why_not_asked(settings.judge) or self._judges.why_untrusted(settings)
        if why:
            raise NotAsked(why)
        key = _key_of(settings)
        if key not in self._made:
            try:
                self._made[key] = policy_client(settings.judge, secrets=self._secrets)
            except Unavailable as error:
                raise NotAsked(str(error)) from error
            log.info("policies are asked of %s", self._made[key].identity)
        return self._made[key]

    def identity_of(self, settings: "Settings") -> str:
        """Give who the settings mean, if that client is made already; "" where it is not: nothing is loaded."""
        made = self._made.get(_key_of(settings)) if self._made else None
        return made.identity if made is not None else ""

    def booking(self, settings: "Settings") -> "Booking":
        """Give where requests are booked before they are sent."""
        from cite_lsp.judges.cached import BookedLedger  # noqa: PLC0415 - it is loaded by now
        from cite_lsp.judges.policies import Booking  # noqa: PLC0415

        judge = settings.judge
        return Booking(BookedLedger(self._judges.verdicts(settings), judge.limits), judge.name, judge.est_cost)

    def answers(self, settings: "Settings") -> "Answers":
        """Give the store of the settings' cache, where what was answered is kept."""
        from cite_lsp.store.answers import Answers  # noqa: PLC0415 - few sessions need it

        cache, shared = settings.cache, self._judges.shared(settings)
        key = cache.folder, cache.max_rows, shared
        if key not in self._answers:
            self._answers[key] = Answers(cache.folder, max_rows=cache.max_rows, shared=shared)
        return self._answers[key]

    @property
    def messages(self) -> list[str]:
        """What a person should be told about the stores that are open, sentences without a full stop."""
        return [store.message for store in self._answers.values() if store.message]

    def close_others(self, wanted: "Iterable[Settings]") -> None:
        """Close the clients that none of these settings mean."""
        kept = {_key_of(settings) for settings in wanted} if self._made else set()
        for key in [key for key in self._made if key not in kept]:
            self.closing.begin(self._made.pop(key).close())

    def close(self) -> None:
        """Close all, without waiting; the process may end before they have."""
        for client in self._made.values():
            self.closing.begin(client.close())
        for store in self._answers.values():
            self.closing.begin(asyncio.to_thread(store.close))
        self._made, self._answers = {}, {}


def _load(names: Iterable[str]) -> None:
    for name in names:
        import_module(name)


def _key_of(settings: "Settings") -> str:
    judge = settings.judge.model_dump_json(exclude=set(_ABOUT_WHEN))
    return f"{judge}\n{settings.cache.model_dump_json()}"
