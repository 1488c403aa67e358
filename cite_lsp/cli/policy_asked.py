"""What is wished of `policy run`, whom it asks about what, and what came of a document, as the formats show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cite_lsp.cli.policy_account import Unchecked
from cite_lsp.document.document import Document
from cite_lsp.findings.finding import Finding, Severity
from cite_lsp.findings.policing import Beside, PolicyTold
from cite_lsp.judges.policies import Plan, PolicyOutcome

if TYPE_CHECKING:
    from cite_lsp.config import Settings
    from cite_lsp.policy.files import PolicyFile
    from cite_lsp.policy.report import Report
    from cite_lsp.policy.splitting import Piece


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person wants of `policy run`."""

    policies: tuple[str, ...] = ()
    given: str | None = None
    """The file that `input = "given"` means."""
    command_line: Mapping[str, Any] = field(default_factory=dict)
    """Settings that the command line gives, by their dotted names."""
    window: int | None = None
    concurrency: int | None = None
    deadline: float | None = None
    ignored: bool = False
    """Whether documents that were named are asked about though git ignores them."""
    estimate: bool = False
    output: str = "text"
    """The format."""
    fail_level: Severity = Severity.ERROR
    level: Severity = Severity.HINT
    cached: bool = True
    quiet: bool = False

    @property
    def json(self) -> bool:
        """Whether a program reads the output as JSON of ours."""
        return self.output == "json"


@dataclass(frozen=True, slots=True)
class Telling:
    """What is told of one passage, under the settings of its document."""

    finding: Finding
    told: PolicyTold

    @property
    def related(self) -> tuple[Beside, ...]:
        """The other passages that it rests on."""
        return self.told.related


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of one document under one policy, as the formats show it.

    Attributes:
        path: Relative to the root.
        file: The policy.
        text: The document's; "" where it was not read.
        sha256: Of its bytes.
        outcome: What was answered; None where nobody was asked about any passage.
        told: In the order of the text.
        unchecked: What was not checked, an entry for each reason.
    """

    path: str
    file: "PolicyFile"
    text: str = ""
    sha256: str = ""
    outcome: PolicyOutcome | None = None
    told: tuple[Telling, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()

    @property
    def report(self) -> "Report | None":
        """What was answered."""
        return None if self.outcome is None else self.outcome.report

    @property
    def pieces(self) -> "Sequence[Piece]":
        """The passages, in the order of the text."""
        return () if self.outcome is None else tuple(self.outcome.plan.pieces.values())


@dataclass(frozen=True, slots=True)
class Job:
    """One document under one policy."""

    path: str
    file: "PolicyFile"


@dataclass(frozen=True, slots=True)
class Subject:
    """A document as a policy is asked about it."""

    text: str
    sha256: str
    document: Document
    settings: "Settings"
    inside: str
    """Its path relative to the folder of its settings."""
    plan: Plan
