"""The shape of the JSON output as models: `cite-lsp schema output` prints their schema, and tests hold us to it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from cite_lsp.document.anchors import FORMS
from cite_lsp.snapshot.resolve import PRECEDENCE

Form = Annotated[str, Field(json_schema_extra={"enum": list(FORMS)})]
Status = Annotated[str, Field(json_schema_extra={"enum": list(PRECEDENCE)})]
Count = Annotated[int, Field(ge=0)]
Span = Annotated[list[Count], Field(min_length=2, max_length=2, description="First and last line, 1-based, inclusive.")]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Position(_Shape):
    """A place in a text: 0-based line, and UTF-16 units from its start."""

    line: Count
    character: Count


class Range(_Shape):
    """From `start` up to, without, `end`."""

    start: Position
    end: Position


class ResolutionOutput(_Shape):
    """What an anchor means."""

    status: Status = Field(description="The worst of its spans: found, foreign, or a finding's code.")
    spans: list[Status] = Field(description="A status for each span of the anchor.")
    path: str | None = Field(description="The file, relative to the root; of `outside` an absolute path.")
    via: str | None = Field(description="The rung of the ladder that found the file.")
    candidates: list[str] = Field(description="Of `ambiguous`: up to five files.")
    line_count: Count | None = Field(description="Number of lines of the file, where it was read.")


class DriftPlace(_Shape):
    """Where cited text stands now."""

    path: str
    span: Span


class DriftOutput(_Shape):
    """How the cited text differs from what stood there when the citation was written."""

    status: Literal["same", "moved", "edited", "gone", "born-wrong", "unknown"]
    places: list[DriftPlace]
    baseline: str | None
    reformatted: bool
    as_of: str | None
    reason: str | None = Field(description="Why, of `unknown` and `born-wrong`.")


class ClaimOutput(_Shape):
    """What an anchor stands behind; each text is cut after 2,000 characters."""

    text: str
    sentence: str
    section: str


class ExcerptOutput(_Shape):
    """The cited lines as the bounded logical unit."""

    start_line: Count
    end_line: Count
    unit: Literal[
        "window",
        "paragraph",
        "section",
        "table-row",
        "list-item",
        "comment-declaration",
        "definition",
        "statement",
        "key",
    ]
    truncated: bool
    text: str


class EvidenceOutput(_Shape):
    """A line that a verdict rests on."""

    line: Count
    text: str


class VerdictOutput(_Shape):
    """The judge's word on a citation."""

    label: Literal["supported", "partial", "unsupported", "review", "unchecked"]
    kind: Literal["contradicted", "off-topic", "unresolved"] | None
    basis: str | None
    reason: str
    confidence: float | None
    evidence: list[EvidenceOutput]
    judge: str
    judged_at: str | None = Field(description="In UTC; null where nobody answered.")
    cached: bool = Field(description="Whether it was known from an earlier run.")


class AnchorOutput(_Shape):
    """One citation, with all that is known of it."""

    range: Range
    text: str
    form: Form
    path: str
    spans: list[Span]
    resolution: ResolutionOutput
    drift: list[DriftOutput] | None = Field(description="One for each span; null where drift was not looked for.")
    claim: ClaimOutput
    excerpts: list[ExcerptOutput | None] | None = Field(default=None, description="Only with --excerpts; one a span.")
    verdict: VerdictOutput | None = Field(description="Null where no judge was asked.")


class EditOutput(_Shape):
    """A replacement of text."""

    range: Range
    text: str


class FixOutput(_Shape):
    """A change that answers a finding."""

    title: str
    edits: list[EditOutput]
    preferred: bool


class FindingOutput(_Shape):
    """What a person is told."""

    code: str
    severity: Literal["error", "warning", "information", "hint"]
    message: str
    range: Range
    anchor: Count | None = Field(description="Index into the document's anchors.")
    fixes: list[FixOutput]


class TallyOutput(_Shape):
    """Verdicts of a section by label; `sampled` is all of them."""

    sampled: Count
    supported: Count
    partial: Count
    unsupported: Count
    review: Count
    unchecked: Count


class AuditOutput(TallyOutput):
    """How the audit of a document was made, and what it came to in numbers."""

    unresolved: Count = Field(description="Of the unsupported: citations that lead to no lines, known without a judge.")
    per_section: dict[str, TallyOutput] = Field(description='By the heading of level 2; "" before the first.')
    judge_invoked: bool
    judge_failed: bool
    judge_declined: bool = Field(description="Whether the limits of the day admitted no request.")
    audited_hash: str = Field(description="sha256, in hexadecimal, of the canonical JSON of the document's text.")
    sample_per_section: Count
    max_sampled: Count
    resolver_version: Literal[1, 2]
    audit_scope: Literal["all", "sample"]
    passes: Count
    first_pass_findings: Count | None = Field(description="Citations that were carried into a round of repair.")
    citation_repair_rounds: Count
    cached: Count
    requests: Count
    tokens_in: Count
    tokens_out: Count
    cost: float | None
    seconds: float


class DocumentOutput(_Shape):
    """One document, or a settings file in which something is wrong."""

    path: str
    sha256: str | None
    outcome: Literal["not-judged", "findings", "accepted", "partial", "review", "vacuous", "clean", "unread"]
    unattached: Count = Field(description="Line words and bare `:line` that have no path to go with.")
    anchors: list[AnchorOutput]
    findings: list[FindingOutput]
    audit: AuditOutput | None = Field(description="Null where no judge was asked.")
    reason: str | None = Field(default=None, description="Of an unread document: why.")


class FindingCounts(_Shape):
    """Findings by severity."""

    error: Count
    warning: Count
    information: Count
    hint: Count


class DriftCounts(_Shape):
    """Cited spans by how their text drifted."""

    same: Count
    moved: Count
    edited: Count
    gone: Count
    born_wrong: Count = Field(alias="born-wrong")
    unknown: Count


class VerdictCounts(_Shape):
    """Verdicts by label."""

    supported: Count
    partial: Count
    unsupported: Count
    review: Count
    unchecked: Count


class TroubleOutput(_Shape):
    """Why some citations have no verdict."""

    cause: str = Field(description="The same word for the same cause: unauthorised, declined, unreachable, …")
    message: str
    rows: Count


class JudgingOutput(_Shape):
    """What a run of judges took."""

    judges: list[str] = Field(description="The identities of the judges.")
    judged: Count = Field(description="Citations that a judge decided.")
    cached: Count = Field(description="Verdicts that were known from before.")
    requests: Count
    tokens_in: Count
    tokens_out: Count
    cost: float | None = Field(description="In the unit of judge.est_cost; null where none is declared.")
    outcomes: dict[str, Count] = Field(description="Documents by their outcome.")
    troubles: list[TroubleOutput]
    interrupted: bool = Field(description="Whether documents are left out since the run was interrupted.")


class SummaryOutput(_Shape):
    """Counts over all documents."""

    documents: Count
    unread: Count
    anchors: Count
    resolved: Count
    foreign: Count
    unattached: Count
    findings: FindingCounts
    accepted: Count = Field(description="Findings that are not among these because they are accepted.")
    drift: DriftCounts = Field(description="Outside records; all zero where drift was not looked for.")
    drift_in_records: DriftCounts = Field(description="Of citations that are read as of a commit.")
    verdicts: VerdictCounts
    judging: JudgingOutput | None = Field(default=None, description="Only of `cite-lsp judge`.")
    seconds: float


class ToolOutput(_Shape):
    """Who wrote the output."""

    name: Literal["cite-lsp"]
    version: str


class CheckOutput(_Shape):
    """What `cite-lsp check --format json` and `cite-lsp judge --format json` print."""

    model_config = ConfigDict(extra="forbid", title="cite-lsp output")

    schema_: Literal[1] = Field(alias="schema")
    tool: ToolOutput
    root: str
    documents: list[DocumentOutput]
    notes: list[str] = Field(description="What a person should know about the index of files.")
    summary: SummaryOutput


def output_schema() -> dict[str, Any]:
    """Give the JSON schema of the output (draft 2020-12)."""
    schema = CheckOutput.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
