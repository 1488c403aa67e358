"""The lines that a judge of the name `command` reads and writes, as models: `cite-lsp schema judge`."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Number = Annotated[int, Field(ge=0)]
Line = Annotated[tuple[Number, str], Field(description="Its 1-based number in the cited file, and its text.")]


class JudgeExcerpt(BaseModel):
    """Cited lines that belong together."""

    model_config = ConfigDict(extra="forbid")

    unit: str = Field(description="What the lines are: paragraph, definition, table-row, …")
    truncated: bool = Field(description="Whether the unit goes on behind the last line.")
    lines: list[Line]


class JudgeRow(BaseModel):
    """A line of the program's standard input: one claim and the lines that are cited for it."""

    model_config = ConfigDict(extra="forbid")

    id: Number = Field(description="To be given back.")
    claim: str
    sentence: str = Field(description='The whole sentence that the claim is a part of; "" where it is not known.')
    language: str | None
    excerpts: list[JudgeExcerpt]


class JudgeAnswer(BaseModel):
    """A line of the program's standard output: what it says of one row. Other keys are passed over."""

    id: Number
    label: Literal[
        "supported", "partial", "unsupported", "unsupported_contradicted", "unsupported_off_topic", "cannot_tell"
    ] = Field(description="cannot_tell leaves the citation unchecked.")
    reason: str = Field(description="One sentence for a person.")
    quote: str = Field(
        default="",
        description="The deciding line, or lines that follow each other, byte for byte; supported needs one.",
    )
    missing: str = Field(default="", description="Of partial: what the lines do not say.")
    kind: Literal["contradicted", "off-topic"] | None = Field(default=None, description="Of unsupported.")


def judge_schema() -> dict[str, Any]:
    """Give the JSON schema (draft 2020-12) of a line of either side; `$defs` has each by its name."""
    definitions: dict[str, Any] = {}
    for model in (JudgeRow, JudgeAnswer):
        shape = model.model_json_schema(ref_template="#/$defs/{model}")
        definitions |= {**shape.pop("$defs", {}), model.__name__: shape}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cite-lsp judge",
        "description": "JudgeRow: a line that the program reads; JudgeAnswer: a line that it writes.",
        "anyOf": [{"$ref": "#/$defs/JudgeRow"}, {"$ref": "#/$defs/JudgeAnswer"}],
        "$defs": definitions,
    }
