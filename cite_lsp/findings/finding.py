"""What a person is told about one place of a document."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

DEFAULT_LIMIT = 500


class Severity(StrEnum):
    """How loudly a finding is told. The names are those of the settings and of the JSON output."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"

    @property
    def rank(self) -> int:
        """0 for error, 3 for hint: smaller is louder."""
        return _RANKS[self]

    def at_least(self, other: "Severity") -> bool:
        """Whether this severity is as loud as `other`, or louder."""
        return self.rank <= other.rank


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}

Level: TypeAlias = Severity | Literal["off"]
"""What a setting may give a code: a severity, or "off"."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of a document from `start` up to `end` (code-point offsets) by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that answers a finding. `preferred`: the one answer, which may be applied unasked."""

    title: str
    edits: tuple[Edit, ...]
    preferred: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    `code` is a name of the catalogue; `start` and `end` are code-point offsets into the document, `end`
    exclusive; `anchor` is the index of the anchor in `document.anchors`, None when it is about no anchor.
    """

    code: str
    severity: Severity
    message: str
    start: int
    end: int
    anchor: int | None = None
    fixes: tuple[Fix, ...] = ()


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors first, then by position (findings.md, "Order in a list"); equal places go by severity.

    Warnings, information and hints stand together in the order of the text: only errors are moved up.
    """
    return tuple(sorted(findings, key=_order))


def _order(finding: Finding) -> tuple[bool, int, int, int, str, str]:
    return (
        finding.severity is not Severity.ERROR,
        finding.start,
        finding.end,
        finding.severity.rank,
        finding.code,
        finding.message,
    )


def cap(findings: Iterable[Finding], limit: int = DEFAULT_LIMIT) -> tuple[tuple[Finding, ...], int]:
    """The first `limit` findings in list order, and how many are left out.

    The caller says the second number in one line; it is no finding, since it has no code and no place.
    """
    ordered = sort_findings(findings)
    shown = ordered[: max(limit, 0)]
    return shown, len(ordered) - len(shown)
