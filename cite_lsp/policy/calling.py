"""A client is called, and what it gives is read (reference-policy.md, 1.11)."""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cite_lsp.policy.asking import Client, ClientError, ContractError, Request
from cite_lsp.policy.report import Usage

_FORMS = "a reply is {'answers': …, 'usage': … or None, 'model': … (optional)} or {'error': …}"


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of one request.

    Attributes:
        answers: By key, as they came; None where the request failed.
        reason, message: Why it failed, as data and for a person.
        usage: Of the reply, of a failed one too; None where it did not tell.
        model: Who answered; "" where the reply did not tell.
    """

    answers: Mapping[str, Any] | None
    reason: Any = None
    message: str = ""
    usage: Usage | None = None
    model: str = ""


async def called(client: Client, request: Request) -> Heard:
    """Call a client: one that is a coroutine function on this loop, any other in a thread of its own.

    Raises:
        ContractError: What it gave is no reply.
        BaseException: What the client raised, `ClientError` apart.
    """
    try:
        given = client(request) if _is_async(client) else await _in_thread(client, request)
        reply = await given if inspect.isawaitable(given) else given
    except ClientError as error:
        return Heard(None, error.reason, error.message)
    return read(reply)


def read(reply: object) -> Heard:
    """Read a reply.

    Raises:
        ContractError: It has neither form.
    """
    if not isinstance(reply, Mapping):
        raise ContractError(f"the client gave {type(reply).__name__}: {_FORMS}")
    if ("answers" in reply) == ("error" in reply):
        raise ContractError(f"the client gave a map with {_keys(reply)}: {_FORMS}")
    usage = _usage(reply.get("usage"))
    if "error" in reply:
        message = reply.get("message") or ""
        if not isinstance(message, str):
            raise ContractError(f"the client gave {type(message).__name__} as message: it has to be a text")
        return Heard(None, reply["error"], message, usage)
    answers, model = reply["answers"], reply.get("model")
    if not isinstance(answers, Mapping):
        raise ContractError(f"the client gave {type(answers).__name__} as answers: they have to be a map")
    if model is not None and not (isinstance(model, str) and model):
        raise ContractError(f"the client gave {model!r} as model: it has to be a text that is not empty")
    return Heard(answers, usage=usage, model=model or "")


def _usage(given: object) -> Usage | None:
    if given is None:
        return None
    counts = [given.get(name) for name in ("input_tokens", "output_tokens")] if isinstance(given, Mapping) else []
    numbers = [each for each in counts if isinstance(each, int) and not isinstance(each, bool) and each >= 0]
    if len(numbers) != 2:
        raise ContractError(
            "the client gave a usage without input_tokens and output_tokens, whole numbers of 0 or more"
        )
    return Usage(*numbers)


def _keys(reply: Mapping[Any, Any]) -> str:
    return ", ".join(sorted(repr(key) for key in reply)) or "nothing in it"


def _is_async(client: Client) -> bool:
    call = getattr(type(client), "__call__", None)  # noqa: B004 - it is asked what it is, not whether it is there
    return inspect.iscoroutinefunction(client) or inspect.iscoroutinefunction(call)


async def _in_thread(client: Client, request: Request) -> object:
    """Call a client in a thread that nobody waits for where the run ends early: the loop's own pool would be."""
    loop = asyncio.get_running_loop()
    told: asyncio.Future[tuple[object, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def tell(given: object, error: BaseException | None) -> None:
        if told.done():
            _drop(given)
        else:
            told.set_result((given, error))

    def work() -> None:
        given: object = None
        error: BaseException | None = None
        try:
            given = context.run(client, request)
        except StopIteration:  # which no coroutine may raise
            error = RuntimeError("the client raised StopIteration")
        except BaseException as raised:  # noqa: BLE001 - it is raised where the run waits for it
            error = raised
        try:
            loop.call_soon_threadsafe(tell, given, error)
        except RuntimeError:  # the loop was closed meanwhile
            _drop(given)

    threading.Thread(target=work, name="policy-client", daemon=True).start()
    given, error = await told
    if error is not None:
        raise error
    return given


def _drop(given: object) -> None:
    """Let go of what came when nobody waited any more."""
    if inspect.iscoroutine(given):
        given.close()
