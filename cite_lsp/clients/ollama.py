"""Ollama, by its own wire: the schema is the format."""

from collections.abc import Mapping
from typing import Any

from cite_lsp.clients.asking import AskingClient, Question, count
from cite_lsp.clients.client import Completion
from cite_lsp.clients.means import Habits, with_schema
from cite_lsp.clients.wire import Wire

_EFFORTS: dict[str | None, tuple[object, ...]] = {
    None: (None,),
    "low": ("low", True, None),
    "medium": ("medium", True, None),
    "high": ("high", True, None),
    "max": ("high", True, None),
}
_LEAST_CONTEXT = 4096
_MOST_CONTEXT = 131_072
_USUAL_REPLY = 2048


class OllamaClient(AskingClient):
    """`POST {base}/api/chat`."""

    path = "/api/chat"

    def __init__(self, wire: Wire, model: str, effort: str | None = None) -> None:
        """Take the wire, the model's name and the effort: low, medium, high, max."""
        super().__init__(wire, model, Habits(("json_schema", "json_object", "text"), efforts=_EFFORTS[effort]))
        self._context = _LEAST_CONTEXT

    def body(self, question: Question, habits: Habits) -> dict[str, Any]:
        """As in `AskingClient`."""
        means = habits.means[0]
        system = question.system if means == "json_schema" else with_schema(question.system, question.schema)
        options: dict[str, Any] = {"num_ctx": self._context_for(system, question)}
        if question.max_tokens is not None:
            options["num_predict"] = question.max_tokens
        if habits.temperature:
            options["temperature"] = 0
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": question.user}],
            "stream": False,
            "options": options,
        }
        if means != "text":
            body["format"] = question.schema if means == "json_schema" else "json"
        if habits.efforts[0] is not None:
            body["think"] = habits.efforts[0]
        return body

    def read(self, data: Mapping[str, Any]) -> Completion:
        """As in `AskingClient`."""
        message = data.get("message")
        text = message.get("content") if isinstance(message, dict) else None
        if not isinstance(text, str):
            raise self.not_ours()
        return Completion(
            text, count(data, "prompt_eval_count"), count(data, "eval_count"), data.get("done_reason") == "length"
        )

    def _context_for(self, system: str, question: Question) -> int:
        """Room for the question and the reply: Ollama cuts off what is too long without a word.

        It only grows, and by doubling, since the model is loaded anew for another size.
        """
        # five bytes make two tokens or fewer, in code and in the scripts of East Asia too
        need = (len(system.encode()) + len(question.user.encode())) * 2 // 5 + (question.max_tokens or _USUAL_REPLY)
        while self._context < min(need, _MOST_CONTEXT):
            self._context *= 2
        return self._context
