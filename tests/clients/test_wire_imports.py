"""Asking a server loads what asking takes, and not the command line of the library that asks."""

import subprocess
import sys

from tests.clients.systemone_server import rule, serving

ASKED = """
import asyncio, sys
from cite_lsp.clients.failures import StatusError
from cite_lsp.clients.address import Address
from cite_lsp.clients.keys import Keys
from cite_lsp.clients.wire import Wire

async def ask():
    wire = Wire(sys.argv[1], keys=lambda address: Keys("ollama", address), key_headers=lambda key: {})
    try:
        await wire.post("/nowhere", {})
    except StatusError as error:
        print(error.cause)
    await wire.close()

asyncio.run(ask())
print(*sys.modules)
"""


def test_a_request_does_not_load_the_librarys_command_line() -> None:
    with serving(rule(0.9)) as server:
        done = subprocess.run([sys.executable, "-c", ASKED, server.url], capture_output=True, text=True, check=True)
    cause, modules = done.stdout.splitlines()
    assert cause
    loaded = set(modules.split())
    assert "httpx" in loaded
    assert loaded.isdisjoint({"httpx._main", "rich", "click", "pygments"})
