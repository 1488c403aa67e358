"""Clients by name."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from cite_lsp.clients.address import Address
from cite_lsp.clients.client import ChatClient, ClientError, DecisionClient
from cite_lsp.clients.keys import Keys

if TYPE_CHECKING:
    from cite_lsp.clients.wire import Tries, Wire

ClientName = Literal["openai", "ollama", "anthropic"]
CLIENT_NAMES: tuple[ClientName, ...] = ("openai", "ollama", "anthropic")
DecisionName = Literal["decision", "openai"]
"""Judges that answer the questions of policies."""
ServerName = Literal["openai", "ollama", "anthropic", "decision"]


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """What the user has set for a client.

    Attributes:
        model: The model's name; None where the server has one only.
        base_url: The address; None means the provider's own.
        api_key_env: The name of the environment variable that holds the key.
        headers: Sent with every request.
        effort: How hard the model thinks: low, medium, high, max.
        timeout: How long one request may take, in seconds; None means 120, or 300 on this machine.
        concurrency: How many requests run at a time; None means four, or one on this machine.
        role: What the model is asked for, as messages name it.
        api_key: The key itself, where a program hands it in; it goes to `base_url` and nowhere else.
        longest_wait: The longest wait before another try, in seconds, however long a server asks for; None means what
            is usual for the wire.
    """

    model: str | None = None
    base_url: str | None = field(default=None, repr=False)
    api_key_env: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    effort: str | None = None
    timeout: float | None = None
    concurrency: int | None = None
    role: str = "judge"
    api_key: str | None = field(default=None, repr=False)
    longest_wait: float | None = None


def make_client(
    name: ClientName,
    options: ClientOptions,
    *,
    environment: Mapping[str, str] | None = None,
    secrets: Mapping[str, str] | None = None,
) -> ChatClient:
    """Make a client. Nothing is opened, and nothing is checked before the first question.

    Args:
        name: Whose wire: `openai` (and all that speak as it does), `ollama`, `anthropic`.
        options: What the user has set.
        environment: In place of the process's.
        secrets: Keys that the editor keeps, by the name that `key_name` gives for an address.
    """
    # loaded when a client is made: a check that asks no model has no use for them
    from cite_lsp.clients.anthropic import VERSION, AnthropicClient  # noqa: PLC0415
    from cite_lsp.clients.chat import OpenAIClient  # noqa: PLC0415
    from cite_lsp.clients.ollama import OllamaClient  # noqa: PLC0415

    headers = {"anthropic-version": VERSION} if name == "anthropic" else {}
    told = replace(options, headers={**headers, **options.headers})
    wire = _wire(name, told, _tries(options), environment, secrets)
    makers: dict[str, Callable[[Wire, str, str | None], ChatClient]] = {
        "openai": OpenAIClient,
        "ollama": OllamaClient,
        "anthropic": AnthropicClient,
    }
    return makers[name](wire, options.model or "", options.effort)


def make_decision_client(
    name: DecisionName,
    options: ClientOptions,
    *,
    environment: Mapping[str, str] | None = None,
    secrets: Mapping[str, str] | None = None,
) -> DecisionClient:
    """Make a client for policies. Nothing is opened, and nothing is checked before the first question.

    Args:
        name: `decision` (a decision model, asked over its own wire), or `openai` (a chat model, asked the same).
        options: What the user has set.
        environment: In place of the process's.
        secrets: Keys that the editor keeps, by the name that `key_name` gives for an address.
    """
    if name == "openai":
        from cite_lsp.clients.chat import OpenAIClient  # noqa: PLC0415
        from cite_lsp.clients.decision_chat import DecisionChat  # noqa: PLC0415

        wire = _wire(name, options, _tries(options), environment, secrets)
        return DecisionChat(OpenAIClient(wire, options.model or "", options.effort), wire.kept, options.effort)
    from cite_lsp.clients.systemone import MODEL, SystemOneClient, with_defaults  # noqa: PLC0415

    told, tries = with_defaults(options)
    return SystemOneClient(_wire(name, told, tries, environment, secrets), options.model or MODEL)


def decision_client(
    *,
    wire: Literal["systemone", "openai"] = "systemone",
    base_url: str | None = None,
    model: str | None = None,
    api_key: str | None = None,
    api_key_env: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float | None = None,
    max_retry_delay: float = 30.0,
    concurrency: int | None = None,
) -> DecisionClient:
    """Make a client that answers the questions of policies, for `cite_lsp.policy.judge`. Nothing is opened or asked.

    Args:
        wire: `systemone`: a decision model at `POST {base_url}/v1/systemone`; `openai`: a chat model, asked the same
            questions through a JSON schema, at `POST {base_url}/chat/completions`.
        base_url: The address; None means https://api.typesafe.ai, or https://api.openai.com/v1.
        model: Its name; None means jev-1.13.0, or on a chat server its only one.
        api_key: The key; it goes to this address and nowhere else, and is never shown.
        api_key_env: The environment variable that holds it. Without either it is TYPESAFE_API_KEY or OPENAI_API_KEY at
            the provider's own address only, or what the system keyring keeps for the host.
        headers: Sent with every request.
        timeout: How long one request may take, in seconds; None means 120, and 300 for a chat model on this machine.
        max_retry_delay: The longest wait before another try, in seconds, however long a server asks for.
        concurrency: How many requests run at a time; None leaves that to who asks, and means four for a chat model, or
            one on this machine.

    Raises:
        ValueError: Something of this cannot be; the message names all of it.
    """
    options = ClientOptions(
        model=model,
        base_url=base_url,
        api_key_env=api_key_env,
        headers=headers or {},
        timeout=timeout,
        concurrency=concurrency,
        role="model",
        api_key=api_key,
        longest_wait=max_retry_delay,
    )
    faults = [*([] if wire in ("systemone", "openai") else ["wire is systemone or openai"]), *_faults(options)]
    if faults:
        raise ValueError("; ".join(faults))
    return make_decision_client("openai" if wire == "openai" else "decision", options)


def _faults(options: ClientOptions) -> Iterator[str]:
    """What of options cannot be; nothing that is secret is repeated."""
    if options.api_key is not None and not options.api_key.strip():
        yield "api_key is empty"
    if options.api_key is not None and options.api_key_env is not None:
        yield "api_key and api_key_env are both given; one is enough"
    if options.timeout is not None and not 0 < options.timeout < math.inf:
        yield f"timeout is {options.timeout!r}; it has to be more than 0 seconds"
    if options.longest_wait is not None and not 0 <= options.longest_wait < math.inf:
        yield f"max_retry_delay is {options.longest_wait!r}; it has to be 0 seconds or more"
    if options.concurrency is not None and options.concurrency < 1:
        yield f"concurrency is {options.concurrency!r}; it has to be 1 or more"
    if options.base_url is not None:
        try:
            Address.parse(options.base_url)
        except ClientError as error:
            yield error.message


def _tries(options: ClientOptions) -> "Tries":
    from cite_lsp.clients.wire import Tries  # noqa: PLC0415

    return Tries() if options.longest_wait is None else Tries(longest=options.longest_wait, capped=True)


def _wire(
    name: ServerName,
    options: ClientOptions,
    tries: "Tries",
    environment: Mapping[str, str] | None,
    secrets: Mapping[str, str] | None,
) -> "Wire":
    from cite_lsp.clients.wire import Wire  # noqa: PLC0415

    base = options.base_url or default_base(name)
    if name in ("anthropic", "decision"):
        base = base.rstrip("/").removesuffix("/v1")  # people write either
    return Wire(
        base,
        keys=lambda address: Keys(
            name,
            address,
            given=options.api_key,
            variable=options.api_key_env,
            environment=environment,
            secrets=secrets,
        ),
        key_headers=_key_as_anthropic_reads if name == "anthropic" else _key_as_bearer,
        headers=options.headers,
        role=options.role,
        timeout=options.timeout,
        concurrency=options.concurrency,
        tries=tries,
    )


def _key_as_bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _key_as_anthropic_reads(key: str) -> dict[str, str]:
    return {"x-api-key": key}


def key_name(name: ServerName, base_url: str | None = None) -> str:
    """Under which name the editor and the system keyring keep the key for an address: `api.openai.com`, `host:8000`.

    Raises:
        ClientError: The address cannot be used.
    """
    return Address.parse(base_url or default_base(name)).key_name


def default_base(name: ServerName) -> str:
    """The address of a provider where the user names none."""
    return {
        "openai": "https://api.openai.com/v1",
        "ollama": "http://127.0.0.1:11434",
        "anthropic": "https://api.anthropic.com",
        "decision": "https://api.typesafe.ai",
    }[name]
