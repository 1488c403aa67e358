"""The options of an audit, and how a wrong value of a setting is named (audit.md, Options)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

_CENSUS_NEEDS = "resolver_1_census"
_CLOSE_ENOUGH = 65.0


def _whole_number(given: object) -> object:
    # True == 1 == 1.0, and a Literal compares by equality.
    if isinstance(given, (bool, float)):
        raise PydanticCustomError("literal_error", "legal is 1 or 2")
    return given


class AuditOptions(BaseModel):
    """What an audit looks at and what follows from what it finds.

    Nothing is converted: "2", 1.5 and true are no integers. None counts as not given.

    Raises:
        ValidationError: names every wrong value at once; `faults` gives them in plain words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    scope: Literal["all", "sample"] = Field(
        default="all",
        description="Which citations are judged: all of them (a census), or the deterministic stratified sample.",
    )
    sample_per_section: int = Field(
        default=2, ge=1, description="How many citing sentences of each level-2 section a sample takes."
    )
    max_sampled: int = Field(default=24, ge=1, description="The most rows that a sample has.")
    window: int = Field(
        default=3, ge=0, description="How many lines after the cited one resolver 1 shows; 0 is the cited line only."
    )
    resolver: Annotated[Literal[1, 2], BeforeValidator(_whole_number)] = Field(
        default=2,
        description=(
            "How the excerpt is chosen. 1: a fixed window below the cited line, first citation of a sentence only "
            '(scope "sample" only). 2: the logical unit, every citation with its clause.'
        ),
    )
    on_found: Literal["report", "fail", "repair"] = Field(
        default="report",
        description="What follows from a finding: a report, a failing exit status, or one round of repair.",
    )
    fail_on_partial: bool = Field(
        default=False, description='Whether a partial verdict fails too, where on_found is "fail".'
    )
    section_minimum: int = Field(
        default=1,
        ge=1,
        description="How many citations a level-2 section needs where the rule section-citations is switched on.",
    )
    judge_output_cap_guard: Literal["fail", "warn"] = Field(
        default="fail",
        description=(
            "What happens when a declared output cap is below 70 tokens a row plus 500: refuse before the request, "
            "or log and ask."
        ),
    )
    strict: bool = Field(default=False, description="Whether one bad row of a reply voids the whole pass.")

    @model_validator(mode="before")
    @classmethod
    def _absent(cls, given: object) -> object:
        if isinstance(given, Mapping):
            return {name: value for name, value in given.items() if value is not None}
        return given

    @field_validator("resolver")
    @classmethod
    def _census(cls, resolver: int, info: ValidationInfo) -> int:
        if resolver == 1 and info.data.get("scope") == "all":
            raise PydanticCustomError(
                _CENSUS_NEEDS, 'resolver 1 sees one citation of a sentence, so scope "all" needs resolver 2'
            )
        return resolver


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong value: where (`("limits", "max_turns")`), what was given, and what is legal there."""

    place: tuple[str | int, ...]
    given: str
    legal: str

    @property
    def message(self) -> str:
        """`window: -1 was given; legal is an integer, 0 or more`."""
        name = ".".join(str(part) for part in self.place)
        said = f"{self.given} was given; {self.legal}" if self.given else self.legal
        return f"{name}: {said}" if name else said


def faults(error: ValidationError, model: type[BaseModel]) -> tuple[Fault, ...]:
    """Every wrong value that pydantic found in an instance of `model`, in plain words."""
    properties = _properties(model)
    return tuple(_fault(details, properties, tuple(model.model_fields)) for details in error.errors())


def _fault(details: ErrorDetails, properties: Mapping[str, Any], names: tuple[str, ...]) -> Fault:
    place = details["loc"]
    if details["type"] == "extra_forbidden":
        return Fault(place, "", f"there is no such option; there are {', '.join(names)}")
    if details["type"] in {_CENSUS_NEEDS, "value_error"} or not place:
        return Fault(place, shown(details["input"]), details["msg"].removeprefix("Value error, "))
    return Fault(place, shown(details["input"]), f"legal is {legal(properties.get(str(place[0]), {}))}")


@cache
def _properties(model: type[BaseModel]) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = model.model_json_schema().get("properties", {})
    return properties


def shown(value: object, limit: int = 60) -> str:
    """A given value as a person would write it, cut when long."""
    if isinstance(value, (str, bool, int, float)):
        # An int of thousands of digits cannot be printed at all.
        text = "a very large number" if type(value) is int and value.bit_length() > 200 else _written(value)
    elif isinstance(value, Mapping):
        text = "a table"
    elif isinstance(value, (list, tuple)):
        text = "a list"
    else:
        text = str(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _written(value: object) -> str:
    # A lone surrogate, which an editor may send, cannot be printed.
    return json.dumps(value, ensure_ascii=False).encode(errors="replace").decode()


def legal(schema: Mapping[str, Any]) -> str:
    """What a JSON schema allows, in words: `an integer, 1 or more`."""
    options = [part for part in schema.get("anyOf", ()) if part.get("type") != "null"]
    if options:
        return " or ".join(dict.fromkeys(legal(part) for part in options))
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return _either([json.dumps(value) for value in schema["enum"]])
    kind = schema.get("type")
    if kind == "array":
        return f"a list, each item {legal(schema.get('items', {}))}"
    if kind in {"integer", "number"}:
        return _number_words("an integer" if kind == "integer" else "a number", schema)
    return {"boolean": "true or false", "string": "a text", "object": "a table"}.get(str(kind), "another value")


def _number_words(noun: str, schema: Mapping[str, Any]) -> str:
    least, most, above = schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMinimum")
    if least is not None and most is not None:
        return f"{noun} from {least} to {most}"
    if least is not None:
        return f"{noun}, {least:g} or more"
    return noun if above is None else f"{noun} above {above:g}"


def _either(values: list[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}"


def nearest(name: str, among: Iterable[str]) -> str | None:
    """The one of these names that a name looks like; None when it looks like none."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - 3 MB that few need

    found = process.extractOne(name[:100], list(among), scorer=fuzz.ratio, score_cutoff=_CLOSE_ENOUGH)
    return str(found[0]) if found else None


def closest(name: str, among: Iterable[str]) -> str:
    """`; did you mean "…"?` for a name that looks like one of these, else nothing."""
    found = nearest(name, among)
    return f"; did you mean {found!r}?" if found else ""
