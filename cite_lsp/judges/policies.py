"""A policy is asked of a document: which passages, what of them stays on this machine, whom, and what was not checked.

`plan` says which passages are asked about, `policy_client` makes whom the settings mean, `run_policy` asks, and its
outcome has the report beside what was not checked, and why.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cite_lsp.audit.judgement import Trouble
from cite_lsp.config.files import PROJECT_FILE, PYTHON_FILE
from cite_lsp.judges.policy_clients import (
    BookedClient,
    Booking,
    PolicyClient,
    cause_of,
    in_words,
    policy_client,
    why_not_asked,
)
from cite_lsp.judges.policy_plans import (
    NO_INPUT,
    CitedLines,
    Plan,
    Withheld,
    applies,
    cited_by,
    cited_lines,
    plan,
)
from cite_lsp.policy.files import SHIPPED
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.report import Report
from cite_lsp.policy.run import run
from cite_lsp.policy.splitting import Piece
from cite_lsp.snapshot.lines import DocumentText

if TYPE_CHECKING:
    from cite_lsp.policy.bands import BandsRead
    from cite_lsp.policy.files import PolicyFile
    from cite_lsp.policy.memory import Memory
    from cite_lsp.policy.progress import Progressed, Stop
    from cite_lsp.snapshot.lines import Unread

__all__ = [
    "NO_INPUT",
    "BookedClient",
    "Booking",
    "CitedLines",
    "Plan",
    "PolicyClient",
    "PolicyOutcome",
    "Unchecked",
    "Withheld",
    "applies",
    "bands_of",
    "cause_of",
    "cited_by",
    "cited_lines",
    "in_words",
    "likely_paths",
    "not_asked",
    "plan",
    "policy_client",
    "run_policy",
    "why_not_asked",
]

# --- which policies, and how they are calibrated

_TOML = ".toml"


def likely_paths(globs: Sequence[str], paths: Sequence[str]) -> Sequence[str]:
    """Leave out paths that no glob of `policies.files` can mean, where that is quick to say: there may be many."""
    own = [glob for glob in globs if not glob.startswith(SHIPPED)]
    if not own:
        return ()
    return [path for path in paths if path.endswith(_TOML)] if all(each.endswith(_TOML) for each in own) else paths


def bands_of(file: "PolicyFile", identity: str, read: Callable[[str], "DocumentText | Unread"]) -> "BandsRead | None":
    """Give the bands that stand beside a policy file; None where there are none, as of ours. Reads a file.

    Args:
        file: The policy; the bands of one in a table of the settings stand beside those, by its name.
        identity: Of the client that is going to answer.
        read: Gives the text of a path relative to the root, as `PolicyFile.path` is.
    """
    from cite_lsp.policy.bands import ENDING, BandsRead, read_bands  # noqa: PLC0415 - where there are some

    if file.path.startswith(SHIPPED):
        return None
    folder, _, name = file.path.rpartition("/")
    table = not name.endswith(_TOML) or name in (PROJECT_FILE, PYTHON_FILE)
    path = f"{file.name}{ENDING}" if table else f"{folder}/{name.removesuffix(_TOML)}{ENDING}".lstrip("/")
    text = read(path)
    if isinstance(text, DocumentText):
        return read_bands(text.text, path, file.policy, identity)
    return None if text.status == "missing" else BandsRead(stale=(f"{path} {text.reason}, so no band counts",))


# --- asking


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A passage of which nothing is known, or not all.

    Attributes:
        piece: The passage.
        why: A sentence without a full stop.
        concern: The concern that nothing is known of; None where that is all of them.
        cause: A word that is the same for the same cause: `withheld`, `declined`, `rate_limited`, …
    """

    piece: Piece
    why: str
    concern: str | None = None
    cause: str = "withheld"


@dataclass(frozen=True, slots=True)
class PolicyOutcome:
    """What asking came to.

    Attributes:
        plan: What was asked.
        report: What was answered; of passages that it has no row of nothing is known.
        identity: Of the client.
        stale: What is wrong with the policy's calibration, sentences.
        unchecked: What was not checked, in the order of the text: passages withheld, not screened, or not judged by a
            concern. A passage may stand there for several concerns.
    """

    plan: Plan
    report: Report
    identity: str = ""
    stale: tuple[str, ...] = ()
    unchecked: tuple[Unchecked, ...] = field(default=())

    @property
    def complete(self) -> bool:
        """Whether everything was checked."""
        return not self.unchecked

    @property
    def passages_unchecked(self) -> int:
        """How many passages were not checked, or not by every concern."""
        return len({each.piece.id for each in self.unchecked})

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """Why passages were not checked: one for each cause and sentence, with how many it left out."""
        counted = Counter(dict.fromkeys((each.cause, each.why, each.piece.id) for each in self.unchecked))
        rows = Counter((cause, why) for cause, why, _ in counted)
        return tuple([Trouble(cause, why, count) for (cause, why), count in rows.items()])


async def run_policy(
    client: PolicyClient,
    planned: Plan,
    *,
    options: RunOptions | None = None,
    memory: "Memory | None" = None,
    bands: "BandsRead | None" = None,
    booking: Booking | None = None,
    progress: "Progressed | None" = None,
    stop: "Stop | None" = None,
) -> PolicyOutcome:
    """Ask about the passages of a plan that may be sent.

    Args:
        client: Who is asked; not closed.
        planned: Which passages.
        options: How it is asked; None means as the policy says.
        memory: Where its answers are kept (`store.Answers.of(client.identity)`).
        bands: Those that the policy was calibrated with for this client (`bands_of`).
        booking: Where requests are booked; None: there are no limits.
        progress: Is told how far it is.
        stop: Ends the run early, with what is known by then.

    Raises:
        ContractError: What the client gave is no reply.
    """
    options = planned.file.options if options is None else options
    asked: Any = client if booking is None else BookedClient(client, booking, planned.source.as_)
    report = await run(
        asked,
        planned.source,
        planned.file.policy,
        options,
        bands=None if bands is None else bands.bands,
        memory=memory,
        progress=progress,
        stop=stop,
    )
    unchecked = sorted(_unchecked(planned, report), key=lambda each: (each.piece.start, each.concern or ""))
    return PolicyOutcome(
        planned, report, client.identity, () if bands is None else tuple(bands.stale), tuple(unchecked)
    )


def not_asked(planned: Plan, why: str, cause: str = "not-asked") -> PolicyOutcome:
    """Give the outcome of a plan that nobody was asked about: none of its passages was checked."""
    withheld = [Unchecked(each.piece, each.why) for each in planned.withheld]
    others = {each.piece.id for each in planned.withheld}
    left = [Unchecked(piece, why, None, cause) for name, piece in planned.pieces.items() if name not in others]
    unchecked = sorted((*withheld, *left), key=lambda each: each.piece.start)
    return PolicyOutcome(planned, Report(source=planned.source), unchecked=tuple(unchecked))


def _unchecked(planned: Plan, report: Report) -> Iterator[Unchecked]:
    for each in planned.withheld:
        yield Unchecked(each.piece, each.why)
    told: set[str] = set()
    for error in report.errors:
        cause, why = cause_of(error.reason), error.message or in_words(error.reason)
        for name in error.passage_ids:
            if error.concern is not None or name not in report.screen:
                told.add(name if error.concern is None else "")
                yield Unchecked(planned.pieces[name], why, error.concern, cause)
    for name in report.unchecked:
        if name not in told:
            yield Unchecked(planned.pieces[name], "it was not asked about", None, "not-asked")
