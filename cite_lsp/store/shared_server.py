"""One connection to a Redis or Valkey server, each call bounded in time and in what it may bring back.

Values are read by `GETRANGE`, many in one round trip: one that somebody made huge is not fetched. A lost connection is
begun again once; all else that goes wrong is a `SharedError` in words that hold no password.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from cite_lsp.store.table import StoreError

if TYPE_CHECKING:
    from cite_lsp.config.cache_address import CacheAddress

PASSWORD = "CITE_LSP_CACHE_PASSWORD"  # noqa: S105 - the variable's name
LONGEST = 65_536
"""Bytes of a value; a longer one is neither written nor read."""
KEPT_SECONDS = 90 * 24 * 3600
"""How long a value stays after it was written or read last."""
AT_ONCE = 200
"""Keys of one round trip."""
_SECONDS = 2.0
"""How long connecting and one answer may take."""
_LONGEST_WORDS = 200

_Value = TypeVar("_Value")


class SharedError(StoreError):
    """The shared cache could not be used; the message is a clause that follows "the shared cache at ADDRESS".

    Attributes:
        lasting: Whether another try would end the same way until this program is started anew.
    """

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        """Take the clause."""
        super().__init__(message)
        self.lasting = lasting


class SharedServer:
    """The connection; for one thread at a time. It is made by the first call."""

    def __init__(
        self,
        address: "CacheAddress",
        *,
        secrets: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
        seconds: float = _SECONDS,
    ) -> None:
        """Take where the server is.

        Args:
            address: The server.
            secrets: Passwords that the editor keeps, by `CacheAddress.key_name`.
            environment: In place of the process's.
            seconds: How long connecting and one answer may take.
        """
        self.address = address
        self._secrets = secrets or {}
        self._environment = os.environ if environment is None else environment
        self._seconds = seconds
        self._client: Any = None
        self._password = ""

    def read(self, names: Sequence[str]) -> tuple[dict[str, bytes], int]:
        """Give what there is under some names, at most `AT_ONCE`; and how many values are too long or no texts.

        Raises:
            SharedError: The server cannot be used, as in all that follow.
        """

        def ask(client: Any) -> list[Any]:  # noqa: ANN401 - the client's types differ by its version
            with client.pipeline(transaction=False) as pipe:
                for name in names:
                    pipe.getrange(name, 0, LONGEST)
                answers: list[Any] = pipe.execute(raise_on_error=False)
                return answers

        found: dict[str, bytes] = {}
        unusable = 0
        for name, answer in zip(names, self._call(ask), strict=True):
            if isinstance(answer, Exception):
                if not str(answer).startswith("WRONGTYPE"):
                    raise SharedError(self._why(answer))
                unusable += 1
            elif answer and len(answer) <= LONGEST:
                found[name] = answer
            else:
                unusable += bool(answer)
        return found, unusable

    def write(self, values: Mapping[str, bytes], renewed: Sequence[str] = ()) -> str:
        """Write values, and let others stay for as long as if they were new; give why some were refused, else ""."""

        def ask(client: Any) -> list[Any]:  # noqa: ANN401
            with client.pipeline(transaction=False) as pipe:
                for name, value in values.items():
                    pipe.set(name, value, ex=KEPT_SECONDS)
                for name in renewed:
                    pipe.expire(name, KEPT_SECONDS)
                answers: list[Any] = pipe.execute(raise_on_error=False)
                return answers

        answers = self._call(ask)[: len(values)]
        refused = next((each for each in answers if isinstance(each, Exception)), None)
        return "" if refused is None else f"takes no new values: {self._words(refused)}"

    def names(self, prefix: str, seconds: float) -> Iterator[list[str]]:
        """Give the names that begin with a prefix of ours, some at a time; ends with `SharedError` after `seconds`."""
        end = time.monotonic() + seconds
        cursor = 0
        while True:
            at = cursor
            cursor, found = self._call(lambda client: client.scan(at, match=f"{prefix}*", count=1000))  # noqa: B023
            yield [name.decode("utf-8", "replace") for name in found]
            if not cursor:
                return
            if time.monotonic() > end:
                raise SharedError(f"holds more than could be gone through in {seconds:g} seconds")

    def forget(self, names: Sequence[str]) -> int:
        """Take values away; give how many there were."""
        count: int = self._call(lambda client: client.unlink(*names)) if names else 0
        return count

    def close(self) -> None:
        """End the connection; another call begins it again."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):  # it is gone either way
                client.close()

    # --- connecting

    def _call(self, ask: Callable[[Any], _Value]) -> _Value:
        try:
            if self._client is None:
                self._client = self._made()
            return ask(self._client)
        except SharedError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a server makes the library raise, no verdict is lost by it
            self.close()
            raise SharedError(self._why(error)) from None

    def _made(self) -> Any:  # noqa: ANN401 - an extra, which may be absent where types are checked
        try:
            import redis  # noqa: PLC0415 - an extra, and slow to load
            from redis.backoff import NoBackoff  # noqa: PLC0415
            from redis.retry import Retry  # noqa: PLC0415
        except ImportError:
            missing = "is not used: the package redis is not installed (python -m pip install 'cite-lsp[redis]')"
            raise SharedError(missing, lasting=True) from None
        self._password = self._found_password()
        again: Any = Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,))
        tls = {"ssl": True, "ssl_cert_reqs": "required", "ssl_check_hostname": True} if self.address.tls else {}
        options: dict[str, Any] = {
            "host": self.address.host,
            "port": self.address.port,
            "db": self.address.database,
            "username": self.address.user or None,
            "password": self._password or None,
            "socket_timeout": self._seconds,
            "socket_connect_timeout": self._seconds,
            "socket_keepalive": True,
            "protocol": 2,  # what every server since 2.6 speaks, Valkey among them
            "client_name": "cite-lsp",
            "retry": again,
            **tls,
        }
        return redis.Redis(**options)

    def _found_password(self) -> str:
        address = self.address
        name = address.key_name
        given = address.password or self._environment.get(PASSWORD, "").strip() or self._secrets.get(name, "")
        if given or address.loopback:  # a keyring may ask the person for its own password
            return given
        from cite_lsp.clients.keys import keyring_entry  # noqa: PLC0415 - only here

        return keyring_entry(name) or ""

    # --- in words

    def _why(self, error: Exception) -> str:
        words = self._words(error)
        kinds = {each.__name__ for each in type(error).__mro__}  # the library's own, which may not be loaded
        if kinds & {"AuthenticationError", "AuthenticationWrongNumberOfArgsError"}:
            return f"asks for another user or password ({words}); {PASSWORD} is one place for it"
        if kinds & {"NoPermissionError"}:
            return f"gives this user no right to it ({words})"
        if kinds & {"MovedError", "AskError", "ClusterDownError", "ClusterCrossSlotError"}:
            return "is one node of a cluster, and a single server is needed"
        if kinds & {"TimeoutError"}:
            return f"does not answer within {self._seconds:g} seconds"
        if kinds & {"ConnectionError", "OSError"}:
            return f"cannot be reached: {words}"
        return f"cannot be used: {words}"

    def _words(self, error: Exception) -> str:
        """Give what an error says, in one line without secrets."""
        from cite_lsp.clients.redaction import redacted  # noqa: PLC0415 - only when something is wrong

        said = " ".join("".join(each if each.isprintable() else " " for each in str(error)).split())
        secrets = [each for each in (self._password, self.address.password) if each]
        return redacted(said, secrets)[:_LONGEST_WORDS].rstrip(". ") or type(error).__name__
