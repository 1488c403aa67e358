"""Where a shared cache is: the setting `cache.url`, taken apart in one place."""

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import unquote

_ADDRESS = re.compile(
    r"(?P<scheme>redis|valkey)(?P<tls>s?)://"
    r"(?:(?P<user>[^\s/?#@:\\]*)(?::(?P<password>[^\s/?#@\\]*))?@)?"
    r"(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?:/(?P<database>[0-9]{0,4}))?",
    re.IGNORECASE,
)
_PORT = 6379


@dataclass(frozen=True, slots=True)
class CacheAddress:
    """The address of a Redis or Valkey server.

    Attributes:
        tls: Whether the connection is encrypted; the server has to prove who it is then.
        host: In lower case, without brackets.
        port: The one that is meant, named or not.
        database: Its number.
        user, password: As meant, "" for none. They are never shown.
    """

    tls: bool
    host: str
    port: int = _PORT
    database: int = 0
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @classmethod
    def parse(cls, text: str) -> "CacheAddress":
        """Take an address apart. Raises `ValueError` where it is none; the message does not repeat it."""
        found = _ADDRESS.fullmatch(text.strip())
        if found is None:
            raise ValueError(
                "legal is redis:// or rediss:// (encrypted), perhaps user:password@, a host, perhaps a port and the"
                " number of a database: rediss://cache.example.org:6380/0; in a password / ? # @ are written %2F %3F"
                " %23 %40, and CITE_LSP_CACHE_PASSWORD is the better place for it"
            )
        port = int(found["port"] or _PORT)
        if not 0 < port < 65536:
            raise ValueError(f"there is no port {port}")
        return cls(
            bool(found["tls"]),
            found["host"].lower().strip("[]"),
            port,
            int(found["database"] or 0),
            unquote(found["user"] or ""),
            unquote(found["password"] or ""),
        )

    @property
    def shown(self) -> str:
        """The address as people may see it: without user and password."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"redis{'s' if self.tls else ''}://{host}:{self.port}/{self.database}"

    @property
    def key_name(self) -> str:
        """Under which name a password for it is kept in the editor or in the system keyring."""
        return f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether the server is this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False
