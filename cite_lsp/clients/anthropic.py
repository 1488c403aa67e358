"""Anthropic's wire: the answer is the input of a tool that has to be called."""

from collections.abc import Mapping
from typing import Any

from cite_lsp.clients.asking import AskingClient, Question, count
from cite_lsp.clients.client import Completion
from cite_lsp.clients.means import Habits, with_schema, written
from cite_lsp.clients.wire import Wire

VERSION = "2023-06-01"

_EFFORTS: dict[str | None, tuple[object, ...]] = {
    None: (None,),
    "low": ("low", None),
    "medium": ("medium", None),
    "high": ("high", None),
    "max": ("max", "high", None),
}
_MOST_TOKENS = 8192
"""The most tokens of a reply where nobody says how many: this wire wants a number."""
_CUT_OFF = ("max_tokens", "model_context_window_exceeded")


class AnthropicClient(AskingClient):
    """`POST {base}/v1/messages`."""

    path = "/v1/messages"

    def __init__(self, wire: Wire, model: str, effort: str | None = None) -> None:
        """Take the wire, the model's name and the effort: low, medium, high, max."""
        habits = Habits(
            # some models think before they answer, and cannot be made to call a tool
            means=("tool", "json_schema", "text"),
            efforts=_EFFORTS[effort],
            temperature=effort is None,
        )
        super().__init__(wire, model, habits)

    def body(self, question: Question, habits: Habits) -> dict[str, Any]:
        """As in `AskingClient`."""
        means = habits.means[0]
        system = with_schema(question.system, question.schema) if means == "text" else question.system
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": question.max_tokens or _MOST_TOKENS,
            # what stands up to this mark, the tool before it, is the same for all questions
            "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": question.user}],
        }
        config: dict[str, Any] = {}
        if means == "tool":
            strict = {"strict": True} if habits.strict else {}
            tool = {"name": question.name, "description": "Takes the answer.", "input_schema": question.schema}
            body["tools"] = [{**tool, **strict}]
            body["tool_choice"] = {"type": "tool", "name": question.name, "disable_parallel_tool_use": True}
        elif means == "json_schema":
            config["format"] = {"type": "json_schema", "schema": question.schema}
        if habits.efforts[0] is not None:
            config["effort"] = habits.efforts[0]
        if config:
            body["output_config"] = config
        if habits.temperature:
            body["temperature"] = 0
        return body

    def read(self, data: Mapping[str, Any]) -> Completion:
        """As in `AskingClient`."""
        content = data.get("content")
        if not isinstance(content, list):
            raise self.not_ours()
        parts = [part for part in content if isinstance(part, dict)]
        text = "".join(
            part["text"] for part in parts if part.get("type") == "text" and isinstance(part.get("text"), str)
        )
        ended = data.get("stop_reason")
        if ended == "refusal":
            raise self.refused(text)
        usage = data.get("usage")
        return Completion(
            _called(parts) or text,
            count(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
            count(usage, "output_tokens"),
            ended in _CUT_OFF,
        )


def _called(parts: list[dict[str, Any]]) -> str:
    """The input of the tool that was called; "" for none."""
    for part in parts:
        if part.get("type") == "tool_use" and isinstance(part.get("input"), dict):
            return written(part["input"])
    return ""
