"""The JSON schema of the settings, for editors (findings.md, Settings)."""

from typing import Any

from pydantic import BaseModel, TypeAdapter

from cite_lsp.config.rows import all_rows, section_of
from cite_lsp.config.settings import LEVELS, PROJECT_MAY, USER_ONLY, Override, Settings
from cite_lsp.findings.catalogue import CATALOGUE, POLICY_CODE

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def settings_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of `cite-lsp.toml` and of the tree that editors pass.

    Every row has its default and a description; rows of the user's own say so at its end.
    """
    return {
        "$schema": _DIALECT,
        "title": "cite-lsp settings",
        **_section(Settings, ""),
    }


def _section(model: type[BaseModel], prefix: str) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        section = section_of(field)
        properties[name] = _row(prefix + name) if section is None else _section(section, f"{prefix}{name}.")
    summary = (model.__doc__ or "").strip().splitlines()[0]
    return {"type": "object", "description": summary, "properties": properties, "additionalProperties": False}


def _row(name: str) -> dict[str, Any]:
    field = all_rows()[name].field
    default = field.get_default(call_default_factory=True)
    plain = TypeAdapter(type(default)).dump_python(default, mode="json")
    return {**_values(name), "default": plain, "description": (field.description or "") + _whose(name)}


def _values(name: str) -> dict[str, Any]:
    if name == "rules":
        return _rules()
    if name == "overrides":
        globs = Override.model_fields["globs"].description
        properties = {
            "globs": {**all_rows()["records"].schema(), "minItems": 1, "description": globs},
            "rules": {**_rules(), "description": Override.model_fields["rules"].description},
        }
        entry = {
            "type": "object",
            "properties": properties,
            "required": ["globs", "rules"],
            "additionalProperties": False,
        }
        return {"type": "array", "items": entry}
    return dict(all_rows()[name].schema())


def _rules() -> dict[str, Any]:
    levels = list(LEVELS)
    codes = {
        code.name: {
            "enum": levels,
            "default": str(code.default_severity),
            "description": f"{code.summary[0].upper()}{code.summary[1:]}.",
        }
        for code in CATALOGUE.values()
    }
    return {
        "type": "object",
        "properties": codes,
        "patternProperties": {f"^{POLICY_CODE}$": {"enum": levels, "description": "A concern of a policy."}},
        "additionalProperties": False,
    }


def _whose(name: str) -> str:
    if name not in USER_ONLY:
        return ""
    allowed = PROJECT_MAY.get(name)
    beside = f", except {' or '.join(map(repr, sorted(allowed)))}" if allowed else ""
    return f" (user settings only{beside})"
