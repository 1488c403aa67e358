"""What the clients of all wires have in common: what a server turns down is left out, and that is remembered."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cite_lsp.clients.client import ClientError, Completion
from cite_lsp.clients.failures import StatusError
from cite_lsp.clients.means import Habits, json_in, keeps_to, loaded
from cite_lsp.clients.wire import Wire

_ABOUT_THE_REQUEST = (400, 404, 405, 415, 422, 500, 501)
"""Statuses by which servers turn down a parameter."""
_MOST_COUNTED = 10**12


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked: see `ChatClient.complete`."""

    system: str
    user: str
    schema: Mapping[str, Any]
    name: str
    max_tokens: int | None


class AskingClient(ABC):
    """A `ChatClient` over a wire; each kind of server says what a request looks like and how a reply is read."""

    path = ""
    """Where questions go, under the base address."""

    def __init__(self, wire: Wire, model: str, habits: Habits) -> None:
        """Take the wire, the model's name ("" for the server's only one), and how to ask at first."""
        self._wire = wire
        self._model = model
        self._habits = habits

    @property
    def address(self) -> str:
        """As in `ChatClient`."""
        return self._wire.shown

    @property
    def model(self) -> str:
        """As in `ChatClient`."""
        return self._model

    async def complete(
        self, system: str, user: str, schema: Mapping[str, Any], *, name: str, max_tokens: int | None = None
    ) -> Completion:
        """As in `ChatClient`."""
        question = Question(_whole(system), _whole(user), schema, name, max_tokens)
        started = habits = self._habits
        first: StatusError | None = None
        sent = 0
        while True:
            try:
                answer = await self._wire.post(self.path, self.body(question, habits))
            except StatusError as error:
                sent += error.requests
                changed = (
                    habits.after(error.said, failed=error.status >= 500) if error.status in _ABOUT_THE_REQUEST else None
                )
                first = first or error
                if changed is None:
                    told = first if error.status in _ABOUT_THE_REQUEST else error
                    told.requests = sent
                    raise told from None
                habits = changed
            except ClientError as error:
                error.requests += sent
                raise
            else:
                if habits != started and len(habits.means) <= len(self._habits.means):
                    self._habits = habits
                return self._completed(question, habits, answer.data, sent + answer.requests)

    async def close(self) -> None:
        """As in `ChatClient`."""
        await self._wire.close()

    @abstractmethod
    def body(self, question: Question, habits: Habits) -> dict[str, Any]:
        """The JSON of a request."""

    @abstractmethod
    def read(self, data: Mapping[str, Any]) -> Completion:
        """The text of a reply, and what it took.

        Raises:
            ClientError: The model refused, or the reply is not what this kind of server sends.
        """

    def not_ours(self) -> ClientError:
        """The error of a reply that is JSON, but not of this kind of server."""
        return ClientError("not-json", f"{self._wire.named} sent JSON that is no reply of a model; check base_url")

    def refused(self, said: object) -> ClientError:
        """The error of a model that would not answer."""
        words = self._wire.clean(said) if isinstance(said, str) else ""
        return ClientError(
            "refused", f"the model at {self.address} refused to answer" + (f": {words}" if words else "")
        )

    def _completed(self, question: Question, habits: Habits, data: object, requests: int) -> Completion:
        try:
            if not isinstance(data, dict):
                raise self.not_ours()
            read = self.read(data)
        except ClientError as error:
            error.requests = requests
            raise
        text = json_in(read.text, question.schema)
        if not keeps_to(loaded(text), question.schema):
            if read.cut_off:
                text = read.text  # what stands before the cut may be of use, all of it
            else:
                # accepted, and not kept to: the next question takes other means
                self._step_down(habits)
        return Completion(text, read.tokens_in, read.tokens_out, read.cut_off, requests)

    def _step_down(self, habits: Habits) -> None:
        lower = habits.lower()
        if lower is not None and self._habits == habits:
            self._habits = lower


def count(data: object, *names: str) -> int:
    """The sum of counts that a server sent; what is no count, or more than anything takes, is 0."""
    if not isinstance(data, dict):
        return 0
    found = [data.get(name) for name in names]
    counts = [each for each in found if isinstance(each, int) and not isinstance(each, bool)]
    return sum(each for each in counts if 0 < each <= _MOST_COUNTED)


def _whole(text: str) -> str:
    """A text without halves of characters, which JSON cannot hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
