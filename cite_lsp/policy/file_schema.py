"""The JSON schema of policy files, for editors; made of the description that they are read by."""

from typing import Any

from cite_lsp.policy.file_keys import SHAPES, Either, Flag, Key, ListOf, MapOf, Number, Table, Text, Value

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NOT_BLANK = r"\S"


def file_schema() -> dict[str, Any]:
    """Give the JSON schema (draft 2020-12) of a policy file. What names have to do with each other it does not say."""
    definitions = {shape: _table(shape) for shape in SHAPES if shape != "policy"}
    return {"$schema": _DIALECT, "title": "cite-lsp policy", **_table("policy"), "$defs": definitions}


def _table(shape: str) -> dict[str, Any]:
    keys = SHAPES[shape]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: _key(key) for name, key in keys.items()},
        "additionalProperties": False,
    }
    required = [name for name, key in keys.items() if key.required]
    return {**schema, "required": required} if required else schema


def _key(key: Key) -> dict[str, Any]:
    schema = {**_value(key.value), "description": key.meaning}
    return schema if key.default is None else {**schema, "default": key.default}


def _value(value: Value) -> dict[str, Any]:
    match value:
        case Text():
            return _text(value)
        case Number():
            bounds = {"minimum": value.least, "maximum": value.most}
            kind = "integer" if value.whole else "number"
            return {"type": kind, **{name: bound for name, bound in bounds.items() if bound is not None}}
        case Flag():
            return {"type": "boolean"}
        case ListOf():
            return _list(value)
        case Table():
            return {"$ref": f"#/$defs/{value.shape}"}
        case MapOf():
            return {"type": "object", "additionalProperties": _value(value.item)}
        case Either():
            return {"anyOf": [_value(value.text), _value(value.table)]}
    return {}


def _text(value: Text) -> dict[str, Any]:
    if value.words:
        return {"enum": list(value.words)}
    pattern = f"^{value.pattern}$" if value.pattern else _NOT_BLANK
    return {"type": "string"} if value.blank else {"type": "string", "pattern": pattern}


def _list(value: ListOf) -> dict[str, Any]:
    bounds = {"minItems": value.least or None, "maxItems": value.most, "uniqueItems": value.unique or None}
    return {
        "type": "array",
        "items": _value(value.item),
        **{name: bound for name, bound in bounds.items() if bound is not None},
    }
