"""Which key goes to which address.

A key goes where the user sent it and nowhere else: the one that a program hands in, the one that the setting
`api_key_env` names, the one that was kept for the server's host in the editor or in the system keyring, and a
provider's own variable at the provider's own address only.
"""

import asyncio
import os
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from cite_lsp.clients.address import Address
from cite_lsp.clients.client import ClientError
from cite_lsp.clients.redaction import is_random, kept_back

SERVICE = "cite-lsp"
"""The service under which the system keyring keeps keys; the user name is `Address.key_name`."""

KEYRING_SECONDS = 2.0

_OWN = {
    "openai": ("https://api.openai.com", "OPENAI_API_KEY"),
    "anthropic": ("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "decision": ("https://api.typesafe.ai", "TYPESAFE_API_KEY"),
}
"""A provider's own address, and the variable its key is commonly kept in."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key ("" where the server is asked without one), and where it was found, for messages."""

    value: str = field(default="", repr=False)
    origin: str = ""


class Keys:
    """Looks for the key of one server, once."""

    def __init__(
        self,
        provider: str,
        address: Address,
        *,
        given: str | None = None,
        variable: str | None = None,
        environment: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        """Take what may be asked.

        Args:
            provider: `openai`, `anthropic`, `ollama` or `decision`.
            address: The server.
            given: The key itself, from the program that makes the client; no other is looked for then.
            variable: The setting `api_key_env`.
            environment: In place of the process's.
            secrets: Keys that the editor keeps, by `Address.key_name`; read anew at every look.
        """
        self._provider = provider
        self._address = address
        self._given = given
        self._variable = variable
        self._environment = os.environ if environment is None else environment
        self._secrets = {} if secrets is None else secrets
        self._found: Key | None = None

    async def find(self) -> Key:
        """Give the key; the system keyring is asked last, for two seconds at most.

        Raises:
            ClientError: `no-key` where the server needs one and there is none, or it cannot be one.
        """
        if self._found is None and self._given is not None:
            self._found = _usable(self._given, "the key that was given") or _no_key(self._address)
        if self._found is None:
            self._found = self._named() or self._kept_by_editor() or await self._in_keyring() or self._of_provider()
        return self._found

    def forget(self) -> None:
        """Look again next time: the server did not like the key."""
        self._found = None

    def _named(self) -> Key | None:
        value = self._environment.get(self._variable, "") if self._variable else ""
        return _usable(value, _variable(self._variable or ""))

    def _kept_by_editor(self) -> Key | None:
        name = self._address.key_name
        return _usable(self._secrets.get(name, ""), f"the editor's secret for {name}")

    async def _in_keyring(self) -> Key | None:
        if self._provider == "ollama" and self._address.loopback:
            return None  # has no keys, and the keyring may ask the person for a password
        name = self._address.key_name
        value = await _ask_keyring(name)
        return _usable(value or "", f"the system keyring's entry for {name}")

    def _of_provider(self) -> Key:
        origin, variable = _OWN.get(self._provider, ("", ""))
        at_home = self._address.origin == origin
        if at_home and not self._variable:
            found = _usable(self._environment.get(variable, ""), f"the environment variable {variable}")
            if found is not None:
                return found
        if self._variable:
            raise ClientError(
                "no-key",
                f"there is no key for {self._address.shown}: {_variable(self._variable)}, which api_key_env names, is"
                " not set, or is empty",
                0,
            )
        if at_home:
            raise ClientError(
                "no-key",
                f"there is no key for {self._address.shown}: set the environment variable {variable}, or name another"
                " one with api_key_env",
                0,
            )
        return Key()


def _no_key(address: Address) -> Key:
    raise ClientError("no-key", f"the key that was given for {address.shown} is empty", 0)


def _variable(name: str) -> str:
    """Name a variable of the environment, unless it may be the key itself that somebody has put there."""
    hidden = kept_back(name) or is_random(name)
    return "the environment variable" if hidden else f"the environment variable {name}"


def _usable(value: str, origin: str) -> Key | None:
    value = value.strip()
    if not value:
        return None
    if re.fullmatch(r"[\x21-\x7e]+", value) is None:
        raise ClientError("no-key", f"{origin} holds spaces, line breaks or letters that no key has", 0)
    return Key(value, origin)


async def _ask_keyring(name: str) -> str | None:
    """Ask in a thread that nobody waits for at the end of the process: a locked keyring may hang for ever."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str | None] = loop.create_future()

    def tell(value: str | None) -> None:
        if not answer.done():
            answer.set_result(value)

    def ask() -> None:
        value = keyring_entry(name)
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(tell, value)

    threading.Thread(target=ask, name="cite-lsp keyring", daemon=True).start()
    try:
        async with asyncio.timeout(KEYRING_SECONDS):
            return await answer
    except TimeoutError:
        return None


def keyring_entry(name: str) -> str | None:
    """Give what the system keyring keeps for a server, by its host and port; None where there is none. May hang."""
    try:
        import keyring  # noqa: PLC0415  # an extra, and slow to load
    except ImportError:
        return None
    try:
        value = keyring.get_password(SERVICE, name)
    except Exception:  # noqa: BLE001  # backends raise whatever they like: no keyring, a locked one, no session bus
        return None
    return value if isinstance(value, str) else None
