"""The shape of the JSON of `cite-lsp policy run` as models: `cite-lsp schema policy-output`; tests hold us to it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from cite_lsp.cli.output_schema import Count, DocumentOutput, FindingCounts, FindingOutput, Range, ToolOutput

Share = Annotated[float, Field(ge=0, le=1)]
Answer = Annotated[dict[str, Any], Field(description="As the judge gave it: noul, or score or choice with confidence.")]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FaultOutput(_Shape):
    """What is wrong in a policy file."""

    code: Literal["policy-file"]
    severity: Literal["error"]
    message: str
    range: Range


class RefusedOutput(_Shape):
    """A policy that cannot be asked."""

    name: str
    path: str
    findings: list[FaultOutput]


class RelatedOutput(_Shape):
    """Another passage that a finding rests on."""

    range: Range
    message: str


class PolicyFindingOutput(FindingOutput):
    """What a person is told of one passage."""

    concern: str
    verdict: Literal["holds", "review"]
    passage: str = Field(description="Its id.")
    related: list[RelatedOutput]


class NotCheckedOutput(_Shape):
    """What was not checked, for one reason."""

    passages: list[str] = Field(description="Their ids; empty where that is the whole document.")
    lines: list[Count] = Field(description="The 1-based lines that they begin at.")
    concern: str | None = Field(description="What was found and not looked at again; null where nothing was asked.")
    why: str
    wished: bool = Field(description="Whether the settings want it so: the exit status is not 3 for it.")


class PassageOutput(_Shape):
    """A passage as it was sent."""

    id: str
    text: str
    meta: dict[str, Any]


class CitationOutput(_Shape):
    """A passage in a finding."""

    passage: PassageOutput
    verdict: Literal["holds", "review", "dropped"]
    answer: Answer | None = Field(description="Null of one that fills a role.")


class ConcernOutput(_Shape):
    """What was found of one concern."""

    concern: str
    category: str
    verdict: Literal["holds", "review", "fails"]
    checks: dict[str, Answer]
    descriptors: dict[str, Answer]
    evidence: list[CitationOutput]
    dropped: list[CitationOutput]
    roles: dict[str, str] = Field(description="The id of the passage that fills each role.")


class UnansweredOutput(_Shape):
    """A request that came to nothing."""

    concern: str | None = Field(description="Null of the first round.")
    passage_ids: list[str]
    reason: Any = Field(description="A word, or a list that begins with one.")
    message: str | None = Field(default=None, description="The same for a person, where there is more to say.")


class UsageOutput(_Shape):
    """Tokens, as those who answered counted them."""

    input_tokens: Count
    output_tokens: Count


class ReportOutput(_Shape):
    """What was answered of one document."""

    findings: list[ConcernOutput]
    screen: dict[str, dict[str, Share]] = Field(
        description="By the id of the passage, by question; of a passage without a row nothing is known."
    )
    errors: list[UnansweredOutput]
    usage: UsageOutput | None
    models: list[str]
    requests: Count
    recalled: Count
    ranges: dict[str, Range] = Field(description="Where each passage stands, by its id.")


class PolicyDocumentOutput(_Shape):
    """One document under one policy."""

    path: str
    sha256: str | None = Field(description="Null of one that was not read.")
    passages: Count
    findings: list[PolicyFindingOutput]
    not_checked: list[NotCheckedOutput]
    report: ReportOutput | None = Field(description="Null of a document that was not read.")


class PolicyOutput(_Shape):
    """One policy, and the documents that were asked about."""

    name: str
    path: str
    documents: list[PolicyDocumentOutput]
    stale: list[str] = Field(description="What of its calibration does not count any more, and why.")


class PolicyVerdictCounts(_Shape):
    """Findings by verdict."""

    holds: Count
    review: Count
    fails: Count


class RequestCounts(_Shape):
    """Requests."""

    estimated: Count | None = Field(description="Of the first round; null where that was not worked out.")
    screen: Count
    judge: Count
    saved: Count = Field(description="Those that answers from before saved.")


class PolicySummaryOutput(_Shape):
    """Counts over all documents; a document counts its passages once for each policy."""

    documents: Count
    unread: Count = Field(description="Documents that were not read, or not begun with before an interrupt.")
    policies: Count
    passages: Count
    checked: Count
    not_checked: Count
    findings: FindingCounts
    verdicts: PolicyVerdictCounts
    judges: list[str]
    models: list[str]
    requests: RequestCounts
    tokens_in: Count | None = Field(description="Null where nobody counted.")
    tokens_out: Count | None
    interrupted: bool
    seconds: float


class PolicyRunOutput(_Shape):
    """What `cite-lsp policy run --format json` prints."""

    model_config = ConfigDict(extra="forbid", title="cite-lsp policy run")

    schema_: Literal[1] = Field(alias="schema")
    tool: ToolOutput
    root: str
    settings: list[DocumentOutput] = Field(description="Settings files in which something is wrong.")
    refused: list[RefusedOutput] = Field(description="Policies with faults; while there are any, nothing is asked.")
    policies: list[PolicyOutput]
    notes: list[str] = Field(description="What a person should know of the run.")
    summary: PolicySummaryOutput


def policy_output_schema() -> dict[str, Any]:
    """Give the JSON schema of the output (draft 2020-12)."""
    schema = PolicyRunOutput.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
