"""Answers that were recorded, so that labelled examples can be tried without asking anybody.

They stand beside a policy file as `NAME.answers.json`, an answer a line:
`{"schema": 1, "given_by": who answered, "recorded_at": when, "answers": {hash of the request: reply}}`. A request is
named by the hash of all that was sent, order included: where one word changes, it has no recorded answer any more.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cite_lsp.policy.asking import TOO_LARGE, Client, Reply, Request
from cite_lsp.policy.calling import Heard, called, read
from cite_lsp.policy.hashes import digest

SCHEMA: Final = 1
ENDING: Final = ".answers.json"
"""Of the file beside a policy file, in place of its `.toml`."""
NOT_RECORDED: Final = "not_recorded"
"""The reason of a request that has no recorded answer."""

_DIGITS: Final = 32
_WHY = "there is no recorded answer to this request"


class RecordingsError(ValueError):
    """A file of recorded answers that is none; the message says what is wrong, without naming the file."""


@dataclass(frozen=True, slots=True)
class Recordings:
    """Recorded answers.

    Attributes:
        given_by: The identity of the client that gave them.
        recorded_at: The day, as in 2026-11-30.
        answers: Replies by `request_hash`: those with answers, and refusals of requests that are too large.
    """

    given_by: str
    recorded_at: str
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def request_hash(request: Request) -> str:
    """Give the name under which the answer to a request is recorded: 32 hexadecimal digits."""
    return digest(request, _DIGITS)


class RecordedClient:
    """Gives recorded answers, and `"not_recorded"` as the reason where there is none.

    Attributes:
        unknown: How many requests had no answer.
    """

    def __init__(self, recordings: Recordings) -> None:
        """Take the answers."""
        self._recordings = recordings
        self.unknown = 0

    @property
    def identity(self) -> str:
        """Who gave the answers."""
        return self._recordings.given_by

    async def __call__(self, request: Request) -> Reply:
        """Give the answer to a request."""
        reply = self._recordings.answers.get(request_hash(request))
        if reply is None:
            self.unknown += 1
            return {"error": NOT_RECORDED, "message": _WHY}
        return reply


class Recorder:
    """Passes requests on to a client and keeps its answers; of a request that was asked twice, the last."""

    def __init__(self, client: Client) -> None:
        """Take the client."""
        self._client = client
        self._answers: dict[str, dict[str, Any]] = {}

    async def __call__(self, request: Request) -> Reply:
        """Ask the client; what it raises is raised."""
        heard = await called(self._client, request)
        reply = _reply(heard)
        if heard.answers is not None or heard.reason == TOO_LARGE:
            self._answers[request_hash(request)] = reply
        return reply

    def recordings(self, given_by: str, recorded_at: str) -> Recordings:
        """Give what was kept, as given by that client on that day."""
        return Recordings(given_by, recorded_at, dict(self._answers))


def _reply(heard: Heard) -> dict[str, Any]:
    """Give a reply as a file holds it: what the client said beside it is left out."""
    usage = heard.usage and {"input_tokens": heard.usage.input_tokens, "output_tokens": heard.usage.output_tokens}
    if heard.answers is None:
        message = {"message": heard.message} if heard.message else {}
        return {"error": heard.reason, **message, **({"usage": usage} if usage else {})}
    model = {"model": heard.model} if heard.model else {}
    return {"answers": dict(heard.answers), "usage": usage, **model}


# --- as a file


def recordings_text(recordings: Recordings) -> str:
    """Give the text of a file, an answer a line and sorted, so that two recordings can be compared."""
    head = {"schema": SCHEMA, "given_by": recordings.given_by, "recorded_at": recordings.recorded_at}
    lines = [f" {json.dumps(name)}: {_json(value)}," for name, value in head.items()]
    answers = [f'  "{name}": {_json(reply)}' for name, reply in sorted(recordings.answers.items())]
    return "\n".join(["{", *lines, ' "answers": {', ",\n".join(answers), " }", "}", ""])


def read_recordings(text: str) -> Recordings:
    """Read the text of a file.

    Raises:
        RecordingsError: It is none.
    """
    data = _data(text)
    schema = data.get("schema")
    if schema != SCHEMA:
        raise RecordingsError(
            f"it is of form {schema!r}, and this version reads form {SCHEMA}; record the answers again"
        )
    answers = data.get("answers")
    if not isinstance(answers, dict):
        raise RecordingsError("answers has to be a map from hashes to replies")
    for name, reply in answers.items():
        _check(name, reply)
    return Recordings(_text(data, "given_by"), _text(data, "recorded_at"), answers)


def _data(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise RecordingsError(f"it is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise RecordingsError("it has to be a map with schema, given_by, recorded_at and answers")
    return data


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value:
        raise RecordingsError(f"{name} has to be a text that is not empty")
    return value


def _check(name: str, reply: object) -> None:
    try:
        read(reply)
    except TypeError as error:
        faults = str(error).replace("the client gave", "the reply is")
        raise RecordingsError(f"answer {name}: {faults}") from error


def _json(value: object) -> str:
    return json.dumps(value, allow_nan=False)
