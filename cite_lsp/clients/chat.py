"""Servers that speak as OpenAI's do: OpenAI itself, vLLM, llama.cpp, LM Studio and many others."""

from collections.abc import Mapping
from typing import Any

from cite_lsp.clients.asking import AskingClient, Question, count
from cite_lsp.clients.client import ClientError, Completion
from cite_lsp.clients.means import Habits, with_schema, written
from cite_lsp.clients.reply import message_in
from cite_lsp.clients.wire import Wire

_HOME = "https://api.openai.com/"

_EFFORTS: dict[str | None, tuple[object, ...]] = {
    None: (None,),
    "low": ("low", None),
    "medium": ("medium", None),
    "high": ("high", None),
    "max": ("xhigh", "high", None),
}


class OpenAIClient(AskingClient):
    """`POST {base}/chat/completions`."""

    path = "/chat/completions"

    def __init__(self, wire: Wire, model: str, effort: str | None = None) -> None:
        """Take the wire, the model's name and the effort: low, medium, high, max."""
        caps = ("max_completion_tokens", "max_tokens")
        at_home = wire.shown.startswith(_HOME)
        habits = Habits(
            means=("json_schema", "tool", "json_object", "text"),
            caps=caps if at_home else caps[::-1],  # the older name is the one that all other servers know
            efforts=_EFFORTS[effort],
            temperature=effort is None,  # models that reason take no temperature
        )
        super().__init__(wire, model, habits)

    def body(self, question: Question, habits: Habits) -> dict[str, Any]:
        """As in `AskingClient`."""
        means = habits.means[0]
        written_out = means in ("json_object", "text")
        system = with_schema(question.system, question.schema) if written_out else question.system
        body: dict[str, Any] = {
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": question.user}],
            "stream": False,
            **_held(question, habits),
        }
        if self.model:
            body["model"] = self.model
        if question.max_tokens is not None:
            body[habits.caps[0]] = question.max_tokens
        if habits.efforts[0] is not None:
            body["reasoning_effort"] = habits.efforts[0]
        if habits.temperature:
            body["temperature"] = 0
        return body

    def read(self, data: Mapping[str, Any]) -> Completion:
        """As in `AskingClient`."""
        choices = data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise self._no_choice(data)
        ended = choice.get("finish_reason")
        if message.get("refusal") or ended == "content_filter":
            raise self.refused(message.get("refusal"))
        usage = data.get("usage")
        return Completion(
            _called(message) or _text(message.get("content")),
            count(usage, "prompt_tokens"),
            count(usage, "completion_tokens"),
            ended == "length",
        )

    def _no_choice(self, data: Mapping[str, Any]) -> ClientError:
        said = message_in(data.get("error"))  # some servers fail with the status of a success
        if not said:
            return self.not_ours()
        return ClientError("server-error", f"{self._wire.named} failed: {self._wire.clean(said)}")


def _held(question: Question, habits: Habits) -> dict[str, Any]:
    """What holds the reply to the schema."""
    strict = {"strict": True} if habits.strict else {}
    match habits.means[0]:
        case "json_schema":
            # nested: llama.cpp takes the flat form too, and does not keep to it
            held = {"name": question.name, "schema": question.schema, **strict}
            return {"response_format": {"type": "json_schema", "json_schema": held}}
        case "tool":
            function = {"name": question.name, "description": "Takes the answer.", "parameters": question.schema}
            # there is one tool only, and few servers read a choice that names it
            return {"tools": [{"type": "function", "function": {**function, **strict}}], "tool_choice": "required"}
        case "json_object":
            return {"response_format": {"type": "json_object"}}
        case _:
            return {}


def _called(message: Mapping[str, Any]) -> str:
    """The arguments of the first call of a tool; "" for none."""
    calls = message.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and calls else None
    function = call.get("function") if isinstance(call, dict) else None
    given = function.get("arguments") if isinstance(function, dict) else None
    if isinstance(given, dict):
        return written(given)
    return given if isinstance(given, str) else ""


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))
