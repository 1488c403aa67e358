"""What is loaded when, and clients in more than one event loop."""

import asyncio
import subprocess
import sys

import pytest

from cite_lsp.clients.making import ClientOptions, default_base, make_client
from tests.clients.conftest import GOOD, ask
from tests.clients.scripted import WIRES, ScriptedServer, Wire, reply_for


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import cite_lsp.clients.client", "httpx asyncio pydantic ssl"),
        ("import cite_lsp.clients.redaction", "httpx asyncio pydantic ssl"),
        ("import cite_lsp.clients.making", "httpx urllib.request keyring"),
        (
            "from cite_lsp.clients.making import *; [make_client(n, ClientOptions()).address for n in CLIENT_NAMES]",
            "httpx httpcore anyio keyring",
        ),
        ("import cite_lsp.__main__, cite_lsp.cli.app", "httpx keyring"),
    ],
)
def test_the_library_is_loaded_for_the_first_question_only(code: str, unwanted: str) -> None:
    program = f"import sys\n{code}\nprint([name for name in {unwanted.split()!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("wire", WIRES)
def test_where_a_provider_is_asked(wire: Wire) -> None:
    client = make_client(wire, ClientOptions(model="m"), environment={})
    assert client.address == default_base(wire)


@pytest.mark.parametrize("wire", WIRES)
def test_a_client_in_one_event_loop_after_another(wire: Wire) -> None:
    async def twice(close: bool) -> int:
        requests = (await ask(client)).requests
        await client.close()
        if not close:
            requests += (await ask(client)).requests
            await client.close()
        return requests

    with ScriptedServer(reply_for(wire, GOOD)) as server:
        client = make_client(wire, ClientOptions(model="m", base_url=server.base(wire)), environment={})
        assert asyncio.run(twice(close=True)) == 1
        assert asyncio.run(twice(close=False)) == 2


async def test_closing_what_was_never_opened() -> None:
    client = make_client("openai", ClientOptions(), environment={})
    await client.close()
    await client.close()


def test_options_show_no_secret() -> None:
    options = ClientOptions(
        base_url="http://me:secret-of-mine@h", headers={"X": "secret-of-mine"}, api_key_env="secret-of-mine"
    )
    assert "secret-of-mine" not in repr(options)
