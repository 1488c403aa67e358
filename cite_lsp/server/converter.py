"""Between JSON and the protocol's types, lenient where a client is newer than we are."""

import enum
from typing import Any

from cattrs import Converter, transform_error
from lsprotocol import types
from pygls.protocol import default_converter


def lenient_converter() -> Converter:
    """Make the converter. A value that an enumeration does not know stays as it came."""
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    for kind in vars(types).values():
        if isinstance(kind, type) and issubclass(kind, enum.Enum) and kind is not enum.Enum:
            converter.register_structure_hook(kind, _known_or_as_it_is)
    return converter


def _known_or_as_it_is(value: object, kind: type[enum.Enum]) -> object:
    try:
        return kind._value2member_map_.get(value, value)
    except TypeError:  # a list or an object is no member of any
        return value


def structured_or_why(converter: Converter, data: object, kind: type) -> tuple[Any, str | None]:
    """Give the object, or None and one line that says what is wrong where; values are not part of that line."""
    try:
        return converter.structure(data, kind), None
    except Exception as error:  # noqa: BLE001 - whatever a generated function raises on foreign data
        return None, _why(error)


def _why(error: Exception) -> str:
    try:
        told = transform_error(error, format_exception=_kind_of_fault)
    except Exception:  # noqa: BLE001 - it is written for cattrs' own errors
        told = []
    return told[0] if told else type(error).__name__


def _kind_of_fault(error: BaseException, kind: type | None) -> str:
    expected = getattr(kind, "__name__", "")
    if isinstance(error, KeyError):
        return f"missing {error}"
    return f"not a {expected}" if expected else "not what is expected"


def without_broken_capabilities(converter: Converter, params: object) -> object:
    """Give the params of `initialize` without the capabilities that are not as the protocol says.

    A client that describes one feature wrongly loses that feature, and not the server.
    """
    if not isinstance(params, dict) or not isinstance(params.get("capabilities"), dict):
        return params
    return {**params, "capabilities": _sound(converter, params["capabilities"])}


def _sound(converter: Converter, capabilities: dict[str, Any]) -> dict[str, Any]:
    """Keep the sections ("textDocument") that can be read; of the others, their features ("hover") that can."""
    kept = {}
    for section, features in capabilities.items():
        if _is_sound(converter, {section: features}):
            kept[section] = features
        elif isinstance(features, dict):
            kept[section] = {
                name: feature for name, feature in features.items() if _is_sound(converter, {section: {name: feature}})
            }
    return kept


def _is_sound(converter: Converter, capabilities: dict[str, Any]) -> bool:
    return structured_or_why(converter, capabilities, types.ClientCapabilities)[1] is None
