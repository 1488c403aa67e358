"""A decision model over its own wire: the questions go as they are, and the answers come as they are kept."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from cite_lsp.clients.client import ClientError
from cite_lsp.clients.failures import StatusError
from cite_lsp.clients.making import ClientOptions
from cite_lsp.clients.means import says_twice, written
from cite_lsp.clients.reasons import failed, reason_of
from cite_lsp.clients.reply import Reply, whole_wait
from cite_lsp.clients.wire import Tries, Wire
from cite_lsp.policy.asking import TOO_LARGE

MODEL = "jev-1.13.0"
"""The model where nobody names one. It is pinned: wording and bands of a policy hold for one model."""
PATH = "/v1/systemone"
SECONDS = 120.0
"""How long one request may take where nobody says."""
LONGEST_WAIT = 30.0
"""The longest wait before another try where nobody says, in seconds."""
AGAIN = frozenset({429, 500, 501, 502, 503, 504, 529})
"""Statuses that are worth another try."""

_AT_ONCE = 64
"""How many requests run at a time where nobody says: who asks has a limit of their own, and this is beyond it."""
_TOO_LARGE = "max_tokens_exceeded"
_FORMS = frozenset({"noul", "score", "choice", "confidence"})
"""Names in an answer."""
_MOST_TOKENS = 10**12
"""What is more is no count."""


def with_defaults(options: ClientOptions) -> tuple[ClientOptions, Tries]:
    """Give options with what is usual for this wire where nothing is set, and how often a request is tried.

    Four times in all, after 1, 2 and 4 seconds or what the server asks for. A connection that breaks is tried again; a
    request that ran out of time is not: the server may still answer it, and it would be paid for twice.
    """
    longest = LONGEST_WAIT if options.longest_wait is None else options.longest_wait
    told = replace(options, timeout=options.timeout or SECONDS, concurrency=options.concurrency or _AT_ONCE)
    return told, Tries(
        most=4,
        again=lambda reply: reply.status in AGAIN,
        asked=whole_wait,
        pauses=lambda sent: 2.0 ** (sent - 1),
        longest=longest,
        capped=True,
        broken=True,
    )


class SystemOneClient:
    """`POST {base}/v1/systemone`."""

    def __init__(self, wire: Wire, model: str) -> None:
        """Take the wire and the model's name."""
        self._wire = wire
        self._model = model

    @property
    def identity(self) -> str:
        """As in `DecisionClient`."""
        return f"systemone {self._model} at {self.address}"

    @property
    def address(self) -> str:
        """As in `DecisionClient`."""
        return self._wire.shown

    @property
    def model(self) -> str:
        """As in `DecisionClient`."""
        return self._model

    @property
    def requests(self) -> int:
        """As in `DecisionClient`."""
        return self._wire.sent

    async def __call__(self, request: dict[str, Any]) -> Mapping[str, Any]:
        """As in `DecisionClient`."""
        body = {"model": self._model, "state": request["state"], "questions": request["questions"]}
        try:
            reply, _ = await self._wire.fetch(PATH, body)
        except StatusError as error:
            return failed(error, self._refused(error))
        except ClientError as error:
            return failed(error, reason_of(error, ""))
        return self._read(reply, request["questions"])

    async def close(self) -> None:
        """As in `DecisionClient`."""
        await self._wire.close()

    def _refused(self, error: StatusError) -> object:
        kind = _error_type(error.reply) if error.status in (400, 422) else None
        if kind == _TOO_LARGE:
            return TOO_LARGE
        if kind is not None:
            return ["bad_request", self._wire.kept(kind)]
        return reason_of(error, self._text(error.reply))

    def _read(self, reply: Reply, questions: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        data = _json(reply)
        usage = _usage(data.get("usage")) if isinstance(data, dict) else None
        fault = _fault(reply, data)
        if fault:
            message = f"the reply of {self._wire.named} {fault}"
            told = {"error": ["malformed_reply", self._text(reply)], "message": message}
            return told if usage is None else {**told, "usage": usage}
        ours = {*questions, *_FORMS, *(key for each in questions.values() for key in each["criteria"])}
        read = {"answers": self._wire.without_keys(data["answers"], ours), "usage": usage}
        said = data.get("model")
        model = self._wire.kept(said) if isinstance(said, str) else ""
        return {**read, "model": model} if model else read

    def _text(self, reply: Reply) -> str:
        """The beginning of a body, without keys."""
        return self._wire.kept(reply.content.decode("utf-8", "replace"))


def _json(reply: Reply) -> Any:  # noqa: ANN401  # JSON
    try:
        return orjson.loads(reply.content.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return None


def _fault(reply: Reply, data: object) -> str:
    """Say why a reply holds no answers, "" where it does."""
    if data is None:
        return "is no JSON; check base_url"
    if not isinstance(data, dict) or not isinstance(data.get("answers"), dict):
        return "is no reply of a decision model: it has no answers; check base_url"
    if not written(data):
        return "is nested deeper than any answer"
    return "says something twice, and can be read either way" if says_twice(reply.content) else ""


def _error_type(reply: Reply) -> str | None:
    data = _json(reply)
    detail = data.get("detail") if isinstance(data, dict) else None
    kind = detail.get("error_type") if isinstance(detail, dict) else None
    return kind if isinstance(kind, str) and kind else None


def _usage(usage: object) -> dict[str, int] | None:
    """Give what a reply says of its tokens; None where that is no two counts."""
    if not isinstance(usage, dict):
        return None
    counts = {name: usage.get(name) for name in ("input_tokens", "output_tokens")}
    known = {name: each for name, each in counts.items() if type(each) is int and 0 <= each <= _MOST_TOKENS}
    return known if len(known) == len(counts) else None
