"""Which key goes to which address, and addresses that are meant to be read in two ways."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from cite_lsp.clients import keys as keys_module
from cite_lsp.clients.address import Address
from cite_lsp.clients.client import ChatClient, ClientError
from cite_lsp.clients.keys import Key, Keys
from cite_lsp.clients.making import key_name
from tests.clients.conftest import GOOD, ask
from tests.clients.scripted import WIRES, ScriptedServer, Wire, reply_for

Make = Callable[..., ChatClient]
HOME = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
BOTH = {"OPENAI_API_KEY": "key-of-openai", "ANTHROPIC_API_KEY": "key-of-anthropic"}


async def found(
    provider: str,
    address: str,
    variable: str | None = None,
    environment: dict[str, str] | None = None,
    secrets: dict[str, str] | None = None,
) -> Key:
    given = {} if environment is None else environment
    keys = Keys(provider, Address.parse(address), variable=variable, environment=given, secrets=secrets)
    return await keys.find()


@pytest.mark.parametrize(("provider", "home"), HOME.items())
async def test_a_providers_own_key_goes_home(provider: str, home: str) -> None:
    assert (await found(provider, home, environment=BOTH)).value == f"key-of-{provider}"
    assert (await found(provider, home.upper(), environment=BOTH)).value == f"key-of-{provider}"
    assert (await found(provider, home.replace(".com", ".com:443"), environment=BOTH)).value == f"key-of-{provider}"


ELSEWHERE = [
    "http://api.openai.com/v1",
    "https://api.openai.com:8443/v1",
    "https://api.openai.com.evil.example/v1",
    "https://evil.example/api.openai.com",
    "https://api.openai.com@evil.example/v1",
    "https://api.openai.com:443@evil.example/v1",
    "https://api.openai.com./v1",
    "https://eu.api.openai.com/v1",
    "https://api.anthropic.com/v1",
    "http://127.0.0.1:8080/v1",
    "http://localhost/v1",
]


@pytest.mark.parametrize("address", ELSEWHERE)
async def test_a_providers_own_key_goes_nowhere_else(address: str) -> None:
    assert await found("openai", address, environment=BOTH) == Key()
    assert await found("ollama", address, environment=BOTH) == Key()
    assert (await found("openai", address, "MINE", environment={**BOTH, "MINE": "named"})).value == "named"


@pytest.mark.parametrize("wire", WIRES)
async def test_no_key_is_sent_where_none_is_meant(
    wire: Wire, make: Callable[..., ChatClient], monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    for name, value in BOTH.items():
        monkeypatch.setenv(name, value)
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password pass-of-netrc\ndefault login a password b\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with ScriptedServer(reply_for(wire, GOOD)) as server:
        await ask(make(wire, server, environment=None))
        sent = server.requests[0].headers
        assert "authorization" not in sent
        assert "x-api-key" not in sent
        assert "key-of-" not in str(sent)


@pytest.mark.parametrize("wire", WIRES)
async def test_each_server_is_sent_its_own_key(wire: Wire, make: Callable[..., ChatClient]) -> None:
    with ScriptedServer(reply_for(wire, GOOD)) as one, ScriptedServer(reply_for(wire, GOOD)) as other:
        secrets = {f"127.0.0.1:{one.port}": "key-of-one", f"127.0.0.1:{other.port}": "key-of-other", "127.0.0.1": "no"}
        for server, key in ((one, "key-of-one"), (other, "key-of-other")):
            await ask(make(wire, server, secrets=secrets))
            header = ("x-api-key", key) if wire == "anthropic" else ("authorization", f"Bearer {key}")
            assert server.requests[0].headers[header[0]] == header[1]


async def test_what_comes_first() -> None:
    address, secrets = "https://llm.example/v1", {"llm.example": "from-editor"}
    assert (await found("openai", address, "K", {"K": "from-variable"}, secrets)).value == "from-variable"
    assert (await found("openai", address, "K", {}, secrets)).value == "from-editor"
    own = await found("openai", HOME["openai"], None, BOTH, {"api.openai.com": "from-editor"})
    assert own.value == "from-editor"


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://llm.example/v1", "llm.example"),
        ("https://LLM.example:443", "llm.example"),
        ("https://llm.example:8443", "llm.example:8443"),
        ("http://llm.example", "llm.example:80"),
        ("http://llm.example:443", "llm.example:443"),
        ("http://[::1]:8080/", "[::1]:8080"),
    ],
)
def test_the_name_of_a_key(address: str, name: str) -> None:
    assert key_name("openai", address) == name


def test_the_names_of_the_providers_keys() -> None:
    assert [key_name(wire) for wire in WIRES] == ["api.openai.com", "127.0.0.1:11434", "api.anthropic.com"]


@pytest.mark.parametrize(
    ("provider", "address", "variable", "told"),
    [
        ("openai", HOME["openai"], None, "OPENAI_API_KEY"),
        ("anthropic", HOME["anthropic"], None, "ANTHROPIC_API_KEY"),
        ("openai", "http://127.0.0.1:1/v1", "MY_KEY", "MY_KEY"),
        ("openai", HOME["openai"], "MY_KEY", "MY_KEY"),
    ],
)
async def test_a_key_that_is_not_there(provider: str, address: str, variable: str | None, told: str) -> None:
    environment = {"OPENAI_API_KEY": "another"} if variable else {"OPENAI_API_KEY": " "}
    with pytest.raises(ClientError, match=told) as caught:
        await found(provider, address, variable, environment)
    assert (caught.value.cause, caught.value.requests) == ("no-key", 0)


@pytest.mark.parametrize("key", ["gsk_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vWXYZ", "hf_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vWXYZ"])
async def test_a_key_in_the_place_of_its_variables_name_is_not_shown(key: str) -> None:
    with pytest.raises(ClientError, match="api_key_env") as caught:
        await found("openai", "https://llm.example", key, {})
    assert key not in caught.value.message


@pytest.mark.parametrize("value", ["two words", "line\nbreak", "ключ", "a\0b", "a\x7f"])
async def test_a_key_that_cannot_be_one(value: str) -> None:
    with pytest.raises(ClientError) as caught:
        await found("openai", "https://llm.example", "K", {"K": value})
    assert caught.value.cause == "no-key"
    assert value not in caught.value.message


async def test_white_space_around_a_key_is_no_part_of_it() -> None:
    assert (await found("openai", "https://llm.example", "K", {"K": " abc\r\n"})).value == "abc"


async def test_nothing_is_sent_without_the_key(make: Callable[..., ChatClient]) -> None:
    with ScriptedServer(reply_for("openai", GOOD)) as server:
        client = make("openai", server, api_key_env="NOT_SET")
        with pytest.raises(ClientError) as caught:
            await ask(client)
        assert (caught.value.cause, caught.value.requests, server.connections) == ("no-key", 0, 0)


# --- the system keyring ----------------------------------------------------------------------------------------------


@pytest.fixture
def ring():
    """A keyring in memory, and what it was asked."""
    keyring = pytest.importorskip("keyring", reason="not run: the extra keyring is not installed")
    from keyring.backend import KeyringBackend

    class Ring(KeyringBackend):
        priority = 1

        def __init__(self) -> None:
            super().__init__()
            self.entries: dict[tuple[str, str], str] = {}
            self.asked: list[tuple[str, str]] = []
            self.called = threading.Event()
            self.wait = threading.Event()
            self.wait.set()
            self.fault: Exception | None = None

        def get_password(self, service: str, username: str) -> str | None:
            self.asked.append((service, username))
            self.called.set()
            self.wait.wait(30)
            if self.fault is not None:
                raise self.fault
            return self.entries.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self.entries[service, username] = password

    made = Ring()
    keyring.set_keyring(made)  # the fixture `no_keyring` puts back what was there
    yield made
    made.wait.set()


async def test_the_keyring_is_asked_for_the_host(ring) -> None:
    ring.entries["cite-lsp", "llm.example:8443"] = "from-keyring"
    key = await found("openai", "https://llm.example:8443/v1")
    assert (key.value, key.origin) == ("from-keyring", "the system keyring's entry for llm.example:8443")
    assert await found("openai", "https://llm.example/v1") == Key()
    assert ring.asked == [("cite-lsp", "llm.example:8443"), ("cite-lsp", "llm.example")]


async def test_the_keyring_is_asked_last_and_once(ring) -> None:
    await found("openai", "https://llm.example", "K", {"K": "named"})
    await found("openai", "https://llm.example", None, {}, {"llm.example": "editor"})
    await found("ollama", "http://127.0.0.1:11434")
    assert ring.asked == []
    keys = Keys("openai", Address.parse("https://llm.example"), environment={})
    for _ in range(3):
        await keys.find()
    assert len(ring.asked) == 1


@pytest.mark.parametrize("fault", [RuntimeError("locked"), OSError("no bus"), ValueError()])
async def test_a_keyring_that_fails(ring, fault: Exception) -> None:
    ring.fault = fault
    assert await found("openai", "https://llm.example") == Key()
    assert (await found("openai", HOME["openai"], environment=BOTH)).value == "key-of-openai"


async def test_a_keyring_that_hangs_is_not_waited_for(ring, monkeypatch: pytest.MonkeyPatch) -> None:
    assert keys_module.KEYRING_SECONDS == 2.0
    monkeypatch.setattr(keys_module, "KEYRING_SECONDS", 0.1)
    ring.wait.clear()
    assert await found("openai", "https://llm.example") == Key()
    ring.wait.set()
    await asyncio.sleep(0.05)  # its late answer finds nobody


async def test_while_the_keyring_is_asked_the_loop_goes_on(ring) -> None:
    ring.wait.clear()
    asking = asyncio.ensure_future(found("openai", "https://llm.example"))
    assert await asyncio.to_thread(ring.called.wait, 30)
    ring.entries["cite-lsp", "llm.example"] = "late"
    ring.wait.set()
    assert (await asking).value == "late"


def test_a_keyring_that_hangs_does_not_keep_the_process() -> None:
    pytest.importorskip("keyring", reason="not run: the extra keyring is not installed")
    code = """
import asyncio, threading
import keyring
from keyring.backend import KeyringBackend
class Ring(KeyringBackend):
    priority = 1
    def get_password(self, service, username):
        threading.Event().wait()
    def set_password(self, service, username, password):
        pass
keyring.set_keyring(Ring())
from cite_lsp.clients import keys
from cite_lsp.clients.address import Address
keys.KEYRING_SECONDS = 0.2
print(asyncio.run(keys.Keys("openai", Address.parse("https://llm.example"), environment={}).find()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "origin=''" in done.stdout


def test_without_the_extra_there_is_no_keyring() -> None:
    code = """
import asyncio, sys
sys.modules["keyring"] = None
from cite_lsp.clients.keys import Keys
from cite_lsp.clients.address import Address
print(asyncio.run(Keys("openai", Address.parse("https://llm.example"), environment={}).find()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "Key(origin='')\n")


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown", "loopback"),
    [
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1", True),
        ("http://127.9.9.9", "http://127.9.9.9", True),
        ("http://localhost:1", "http://localhost:1", True),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1", True),
        ("https://LLM.Example:443/A/", "https://llm.example/A", False),
        ("https://me:p%40ss@llm.example/v1?api-version=2&key=k", "https://llm.example/v1", False),
        ("http://localhost.evil.example", "http://localhost.evil.example", False),
        ("http://127.0.0.1.evil.example", "http://127.0.0.1.evil.example", False),
        ("http://10.0.0.1", "http://10.0.0.1", False),
    ],
)
def test_addresses(text: str, shown: str, loopback: bool) -> None:
    address = Address.parse(text)
    assert (address.shown, address.loopback) == (shown, loopback)
    assert "p@ss" not in repr(address)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "llm.example",
        "ftp://llm.example",
        "http://",
        "http://a b",
        "https://evil.example\\@api.openai.com/v1",
        "https://api.openai.com\\.evil.example",
        "https://a@b@c",
        "https://api.openai.com#@evil.example",
        "https://api.openai.com:99999",
        "https://api.openai.com:0",
        "https://api.openai.com:44x3",
        "http://пример.example",
        "http://api.openai.com\u2024evil",
        "http://a\nb",
        "http://me:secret-of-mine@[bad]:x/",
    ],
)
async def test_addresses_that_cannot_be_used(text: str, make: Callable[..., ChatClient]) -> None:
    with pytest.raises(ClientError) as caught:
        Address.parse(text)
    assert (caught.value.cause, caught.value.requests) == ("setting", 0)
    assert "secret-of-mine" not in caught.value.message
    with ScriptedServer(reply_for("openai", GOOD)) as server:
        client = make("openai", server, base_url=text or "x")  # making it says nothing
        with pytest.raises(ClientError):
            await ask(client)
        assert client.address == ""


async def test_what_an_address_carries_is_sent_and_not_shown(make: Callable[..., ChatClient]) -> None:
    with ScriptedServer(reply_for("openai", GOOD)) as server:
        base = f"http://me:p%40ss@127.0.0.1:{server.port}/deep/v1?api-version=2"
        client = make("openai", server, base_url=base)
        await ask(client)
        assert client.address == f"{server.url}/deep/v1"
        assert server.requests[0].path == "/deep/v1/chat/completions?api-version=2"
        assert server.requests[0].headers["authorization"] == "Basic bWU6cEBzcw=="


# --- proxies ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.usefixtures("no_proxies")
async def test_no_proxy_for_this_machine(make: Callable[..., ChatClient], monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(reply_for("openai", GOOD)) as proxy, ScriptedServer(reply_for("openai", GOOD)) as server:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        await ask(make("openai", server))
        assert (proxy.connections, len(server.requests)) == (0, 1)


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("name", ["http_proxy", "all_proxy"])
async def test_a_proxy_of_the_environment(
    name: str, make: Callable[..., ChatClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(reply_for("openai", GOOD)) as proxy:
        monkeypatch.setenv(name, proxy.url)
        await ask(make("openai", proxy, base_url="http://llm.invalid/v1"))
        assert proxy.requests[0].path == "http://llm.invalid/v1/chat/completions"
        monkeypatch.setenv("no_proxy", "llm.invalid")
        monkeypatch.setattr("cite_lsp.clients.wire._FIRST_PAUSE", 0.01)
        with pytest.raises(ClientError, match="no connection"):
            await ask(make("openai", proxy, base_url="http://llm.invalid/v1"))
        assert len(proxy.requests) == 1


@pytest.mark.usefixtures("no_proxies")
async def test_a_proxy_that_cannot_be_used(make: Callable[..., ChatClient], monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(reply_for("openai", GOOD)) as server:
        monkeypatch.setenv("all_proxy", "socks5://me:secret-of-mine@127.0.0.1:1")
        with pytest.raises(ClientError, match="proxy") as caught:
            await ask(make("openai", server, base_url="http://llm.invalid/v1"))
        assert caught.value.cause == "setting"
        assert "secret-of-mine" not in caught.value.message
