"""The rows of the settings, one a dotted name, and how a value is checked for one of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from cite_lsp.audit.options import legal, shown
from cite_lsp.config.settings import SECRET, USER_ONLY, Settings

_STRICT = ConfigDict(strict=True)


@dataclass(frozen=True, slots=True)
class Row:
    """One setting: its dotted name, the field that holds it, and what checks a value for it."""

    name: str
    field: FieldInfo
    adapter: TypeAdapter[Any]

    @property
    def user_only(self) -> bool:
        """Whether a project file or an editor may not set it."""
        return self.name in USER_ONLY

    @property
    def variable(self) -> str:
        """The environment variable of a user row."""
        return "CITE_LSP_" + self.name.upper().replace(".", "_")

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of its values; made once."""
        return _schema_of(self.adapter)

    def checked(self, value: object) -> "Value | tuple[Wrong, ...]":
        """The value as the settings hold it, or all that is wrong with it."""
        try:
            return Value(self.adapter.validate_python(value))
        except ValidationError as error:
            return tuple(self._wrong(details) for details in error.errors(include_url=False))

    def _wrong(self, details: ErrorDetails) -> "Wrong":
        place = tuple(part for part in details["loc"] if isinstance(part, int) or _is_key(part))
        if details["type"] == "value_error":
            return Wrong(place, details["msg"].removeprefix("Value error, "))
        schema = self.schema()
        if place:
            schema = schema.get("items" if isinstance(place[0], int) else "additionalProperties", schema)
        said = f"legal is {legal(schema)}"
        given = "" if self.name in SECRET else f"{shown(details['input'])} was given; "
        return Wrong(place, given + said)


@dataclass(frozen=True, slots=True)
class Value:
    """A checked value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Wrong:
    """A fault at a place inside a row's value: indices and keys."""

    place: tuple[str | int, ...]
    message: str


@cache
def _schema_of(adapter: TypeAdapter[Any]) -> Mapping[str, Any]:
    return adapter.json_schema()


def _is_key(part: object) -> bool:
    """Whether a part of pydantic's location is a key, not the name of a check inside a union."""
    return isinstance(part, str) and not any(mark in part for mark in "[]()") and part not in {"str", "tuple"}


def section_of(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a section, None for a field that is a row."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _rows(model: type[BaseModel], prefix: str) -> Iterator[Row]:
    for name, field in model.model_fields.items():
        section = section_of(field)
        if section is not None:
            yield from _rows(section, f"{prefix}{name}.")
            continue
        annotation: Any = field.annotation
        for part in field.metadata:
            annotation = Annotated[annotation, part]
        yield Row(prefix + name, field, TypeAdapter(annotation, config=_STRICT))


@cache
def all_rows() -> Mapping[str, Row]:
    """Every row of the settings by its dotted name, in the order of the table."""
    return MappingProxyType({row.name: row for row in _rows(Settings, "")})
