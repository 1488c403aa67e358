"""Clients by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from cite_lsp.clients.address import Address
from cite_lsp.clients.client import ChatClient
from cite_lsp.clients.keys import Keys

ClientName = Literal["openai", "ollama", "anthropic"]
CLIENT_NAMES: tuple[ClientName, ...] = ("openai", "ollama", "anthropic")


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
    """

    model: str | None = None
    base_url: str | None = field(default=None, repr=False)
    api_key_env: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    effort: str | None = None
    timeout: float | None = None
    concurrency: int | None = None
    role: str = "judge"


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
    from cite_lsp.clients.wire import Wire  # noqa: PLC0415

    base = options.base_url or default_base(name)
    headers: dict[str, str] = {}
    if name == "anthropic":
        headers = {"anthropic-version": VERSION}
        base = base.rstrip("/").removesuffix("/v1")  # people write either
    wire = Wire(
        base,
        keys=lambda address: Keys(
            name, address, variable=options.api_key_env, environment=environment, secrets=secrets
        ),
        key_headers=_key_as_anthropic_reads if name == "anthropic" else _key_as_bearer,
        headers={**headers, **options.headers},
        role=options.role,
        timeout=options.timeout,
        concurrency=options.concurrency,
    )
    makers: dict[str, Callable[[Wire, str, str | None], ChatClient]] = {
        "openai": OpenAIClient,
        "ollama": OllamaClient,
        "anthropic": AnthropicClient,
    }
    return makers[name](wire, options.model or "", options.effort)


def _key_as_bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _key_as_anthropic_reads(key: str) -> dict[str, str]:
    return {"x-api-key": key}


def key_name(name: ClientName, base_url: str | None = None) -> str:
    """Under which name the editor and the system keyring keep the key for an address: `api.openai.com`, `host:8000`.

    Raises:
        ClientError: The address cannot be used.
    """
    return Address.parse(base_url or default_base(name)).key_name


def default_base(name: ClientName) -> str:
    """The address of a provider where the user names none."""
    return {
        "openai": "https://api.openai.com/v1",
        "ollama": "http://127.0.0.1:11434",
        "anthropic": "https://api.anthropic.com",
    }[name]
