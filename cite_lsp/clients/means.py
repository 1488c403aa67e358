"""By which means a model is held to a schema, and what its reply is worth: JSON is looked for, never assumed."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import orjson

Means = Literal["json_schema", "tool", "json_object", "text"]

_TELLS: dict[Means, str] = {
    "json_schema": r"\b(?:response_format|json_schema|schema|grammar|structured|output_config|format)\b",
    "tool": r"\b(?:tools?|tool_choice|function|schema)\b",
    "json_object": r"\b(?:response_format|json_object|json|format)\b",
    "text": r"(?!)",
}
"""Words of a complaint about each means."""
_REFUSING = ("support", "unrecogni", "unknown", "unexpected", "extra", "permitted", "instead", "allowed", "invalid")
_MOST_STARTS = 20
_MOST_LOOKED_AT = 200_000
_THOUGHT = "</think>"


@dataclass(frozen=True, slots=True)
class Habits:
    """How a server is asked: what it has turned down is not tried again.

    Attributes:
        means: What holds it to the schema; the first is used, the others are what is left to try.
        caps: Names of the parameter that bounds the reply, likewise.
        efforts: Values that say how hard the model thinks, likewise; None leaves it out.
        temperature: Whether it is asked for the likeliest words.
        strict: Whether a schema is said to be strict.
    """

    means: tuple[Means, ...]
    caps: tuple[str, ...] = ("max_tokens",)
    efforts: tuple[object, ...] = (None,)
    temperature: bool = True
    strict: bool = True

    def after(self, said: str, *, failed: bool = False) -> "Habits | None":
        """How to ask after a complaint; None where nothing of ours is complained about.

        A server that fails without a word has its reasons; one that refuses so does not like something of ours.
        """
        words = said.lower()
        turned_down = any(each in words for each in _REFUSING)
        if "tool_choice" in words and self.means[0] == "tool" and len(self.means) > 1:
            return replace(self, means=self.means[1:])
        if turned_down and self.caps[0] in words and len(self.caps) > 1:
            return replace(self, caps=self.caps[1:])
        if "temperature" in words and self.temperature:
            return replace(self, temperature=False)
        if any(each in words for each in ("effort", "think", "reasoning", "output_config")) and len(self.efforts) > 1:
            return replace(self, efforts=self.efforts[1:])
        if "strict" in words and self.strict:
            return replace(self, strict=False)
        told = re.search(_TELLS[self.means[0]], words) is not None
        return self.lower() if told or not (words or failed) else None

    def lower(self) -> "Habits | None":
        """The next means; None where this is the last."""
        return replace(self, means=self.means[1:]) if len(self.means) > 1 else None


def with_schema(system: str, schema: Mapping[str, Any]) -> str:
    """The system text for a server that takes no schema: it is written out."""
    written = orjson.dumps(schema).decode()
    return f"{system}\n\nAnswer with one JSON object and nothing else. It keeps to this JSON schema:\n{written}"


def json_in(text: str, schema: Mapping[str, Any] | None = None) -> str:
    """The JSON object in a reply: the whole of it, else a balanced one; the text itself where there is none.

    Of several it is the one that keeps to the schema, or else the first; where several keep to it and are not the same,
    there is none, since a model that writes down what it was shown may have written down an answer to itself. What it
    thought aloud is passed over, and so is the fence around a block of code. Objects are looked for in the first
    200,000 characters.
    """
    text = text.strip()
    if _is_object(text):
        return text
    _, thought, said = text.rpartition(_THOUGHT)
    first = ""
    for part in (said if thought else "", text):
        found = list(_objects(part))
        kept = [each for each in found if schema is None or keeps_to(loaded(each), schema)]
        if kept:
            several = schema is not None and any(loaded(each) != loaded(kept[0]) for each in kept)
            return text if several else kept[0]
        first = first or next(iter(found), "")
    return first or text


def _objects(text: str) -> Iterator[str]:
    """Give the balanced objects of a text in order; what stands inside one is not looked at."""
    text = text[:_MOST_LOOKED_AT]
    start = text.find("{")
    for _ in range(_MOST_STARTS):
        if start < 0:
            return
        end = _balanced(text, start)
        if end and _is_object(text[start:end]):
            yield text[start:end]
            start = text.find("{", end)
        else:
            start = text.find("{", start + 1)


def _balanced(text: str, start: int) -> int:
    """The index behind the brace that closes the one at `start`; 0 where none does."""
    depth = 0
    quoted = escaped = False
    for index in range(start, len(text)):
        each = text[index]
        if quoted:
            if escaped:
                escaped = False
            elif each == "\\":
                escaped = True
            elif each == '"':
                quoted = False
        elif each == '"':
            quoted = True
        elif each == "{":
            depth += 1
        elif each == "}":
            depth -= 1
            if depth == 0:
                return index + 1
    return 0


def _is_object(text: str) -> bool:
    return isinstance(loaded(text), dict)


def loaded(text: str) -> Any:  # noqa: ANN401  # JSON
    """Read JSON; None where it is none."""
    try:
        return orjson.loads(text.encode("utf-8", "replace"))
    except ValueError:
        return None


def says_twice(text: str | bytes) -> bool:
    """Whether an object in JSON that can be read, and written again, has two values under one name."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise _TwiceError
        return found

    try:
        json.loads(text.removeprefix(b"\xef\xbb\xbf") if isinstance(text, bytes) else text, object_pairs_hook=once)
    except _TwiceError:
        return True
    return False


class _TwiceError(Exception):
    """A name stands twice in an object."""


def encoded(value: object) -> bytes:
    """Write JSON of our own, whole numbers of any size among it."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def written(data: Mapping[str, Any]) -> str:
    """Write JSON that was read; "" for what is nested deeper than can be written."""
    try:
        return orjson.dumps(data).decode()
    except orjson.JSONEncodeError:
        return ""


def keeps_to(value: object, schema: Mapping[str, Any]) -> bool:
    """Whether a value keeps to a schema, as far as the keywords go that our schemas have; others are passed over."""
    if "enum" in schema and value not in schema["enum"]:
        return False
    kinds = schema.get("type", ())
    if kinds and not any(_is_kind(value, kind) for kind in ((kinds,) if isinstance(kinds, str) else kinds)):
        return False
    if isinstance(value, dict):
        return _keeps_keys(value, schema)
    if isinstance(value, list) and "items" in schema:
        return all(keeps_to(each, schema["items"]) for each in value)
    return True


def _keeps_keys(value: Mapping[str, object], schema: Mapping[str, Any]) -> bool:
    properties: Mapping[str, Any] = schema.get("properties", {})
    required: Sequence[str] = schema.get("required", ())
    if any(name not in value for name in required):
        return False
    if schema.get("additionalProperties") is False and any(name not in properties for name in value):
        return False
    return all(keeps_to(value[name], under) for name, under in properties.items() if name in value)


def _is_kind(value: object, kind: str) -> bool:
    if kind == "null":
        return value is None
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, int):
        return kind in ("integer", "number")
    named: dict[str, type] = {"string": str, "number": float, "array": list, "object": dict}
    return kind in named and isinstance(value, named[kind])
