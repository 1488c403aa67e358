"""What tests of clients may ask for."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from cite_lsp.clients.client import ChatClient, Completion
from cite_lsp.clients.making import ClientOptions, make_client
from tests.clients.scripted import ScriptedServer, Wire

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
GOOD = '{"a": 1}'


async def ask(client: ChatClient, max_tokens: int | None = 100) -> Completion:
    async with asyncio.timeout(60):  # notices what hangs, measures nothing
        return await client.complete("Be a judge.", "Is it so?", SCHEMA, name="answer", max_tokens=max_tokens)


async def happens(server: ScriptedServer, true: Callable[[ScriptedServer], bool]) -> bool:
    """Wait for the server without holding the loop."""
    return await asyncio.to_thread(server.wait_for, true)


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The keyring of whoever runs this is left alone."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    try:
        import keyring
        from keyring.backends.null import Keyring
    except ImportError:
        yield
        return
    before = keyring.get_keyring()
    keyring.set_keyring(Keyring())
    yield
    keyring.set_keyring(before)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another try comes soon, where it is not the pause that is tested."""
    monkeypatch.setattr("cite_lsp.clients.wire._FIRST_PAUSE", 0.01)


Make = Callable[..., Awaitable[ChatClient]]


@pytest.fixture
async def make() -> AsyncIterator[Callable[..., ChatClient]]:
    """Makes clients of a server, and closes them."""
    made: list[ChatClient] = []

    def one(
        wire: Wire,
        server: ScriptedServer,
        *,
        environment: dict[str, str] | None = None,
        secrets: dict[str, str] | None = None,
        **options: Any,
    ) -> ChatClient:
        given = ClientOptions(**{"model": "m", "base_url": server.base(wire), **options})
        made.append(make_client(wire, given, environment=environment or {}, secrets=secrets))
        return made[-1]

    yield one
    for client in made:
        await client.close()
