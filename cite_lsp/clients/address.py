"""Where a server is: an address as the user wrote it, taken apart in one place so that nothing reads it differently."""

import base64
import ipaddress
import re
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import unquote

from cite_lsp.clients.client import ClientError

_ADDRESS = re.compile(
    r"(?P<scheme>https?)://"
    r"(?:(?P<user>[^\s/?#@:\\]*)(?::(?P<password>[^\s/?#@\\]*))?@)?"
    r"(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[^\s?#\\]*)?"
    r"(?:\?(?P<query>[^\s#\\]*))?",
    re.IGNORECASE,
)
_PORTS = {"http": 80, "https": 443}
_SECRET_NAMES = re.compile(r"key|token|secret|sig|code|pass|auth", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server.

    Attributes:
        scheme: `http` or `https`.
        host: In lower case; an IPv6 address in brackets.
        port: The one that is meant, named or not.
        path: Without a slash at its end; "" for none.
        query, user, password: As written; "" for none. They are never shown.
        role: What stands there, for messages: `judge`.
    """

    scheme: str
    host: str
    port: int
    path: str = ""
    query: str = field(default="", repr=False)
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    role: str = "server"

    @classmethod
    def parse(cls, text: str, role: str = "server") -> Self:
        """Take an address apart; `ClientError` (setting) where it is none."""
        found = _ADDRESS.fullmatch(text.strip())
        if found is None:
            raise ClientError(
                "setting",
                f"the address {_without_credentials(text)!r} cannot be used: legal is http:// or https://, a host in"
                " ASCII, perhaps a port and a path",
                0,
            )
        scheme = found["scheme"].lower()
        port = int(found["port"] or _PORTS[scheme])
        if not 0 < port < 65536:
            raise ClientError("setting", f"the address {_without_credentials(text)!r} names a port there is not", 0)
        return cls(
            scheme,
            found["host"].lower(),
            port,
            (found["path"] or "").rstrip("/"),
            found["query"] or "",
            unquote(found["user"] or ""),
            unquote(found["password"] or ""),
            role,
        )

    @property
    def origin(self) -> str:
        """Scheme, host and port, the port only where it is not the scheme's own."""
        return f"{self.scheme}://{self.host}" + ("" if self.port == _PORTS[self.scheme] else f":{self.port}")

    @property
    def shown(self) -> str:
        """The address as people may see it: without credentials and query."""
        return self.origin + self.path

    @property
    def named(self) -> str:
        """What stands there, and where."""
        return f"the {self.role} at {self.shown}"

    @property
    def key_name(self) -> str:
        """Under which name a key for this server is kept: the host, and the port unless it is https on its own."""
        own = self.scheme == "https" and self.port == _PORTS["https"]
        return self.host if own else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether the server is this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False

    def at(self, path: str) -> str:
        """The whole address of a path under this one, without credentials."""
        return self.shown + path + (f"?{self.query}" if self.query else "")

    @property
    def secrets(self) -> tuple[str, ...]:
        """What of the address must not be shown."""
        pairs = [pair.partition("=") for pair in self.query.split("&")]
        values = [unquote(value) for name, _, value in pairs if _SECRET_NAMES.search(name)]
        own = (self.password, self.basic) if self.password else ()
        return tuple([each for each in (*own, *values) if each])

    @property
    def basic(self) -> str:
        """User and password as a header carries them."""
        return base64.b64encode(f"{self.user}:{self.password}".encode()).decode()


def _without_credentials(text: str) -> str:
    """An address that could not be read, with what may be a password or a key taken out."""
    shown = re.sub(r"//.*@", "//…@", text[:500])
    return re.sub(r"[?#].*", "?…", shown, flags=re.DOTALL)[:100]
