"""`$/logTrace`: what passes between client and server, for a client that wants to see it.

Told are the names of methods, the numbers of requests, milliseconds, and in the wordy form sizes and error codes. Never
a message's content: documents, settings and keys pass through here.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lsprotocol import types

_LOG_TRACE = types.LOG_TRACE
_OWN = frozenset({"cite-lsp/status"})
_KNOWN: frozenset[str] = frozenset(types.METHOD_TO_TYPES) | _OWN
_PLAIN_ID = re.compile(r"[A-Za-z0-9-]{1,40}\Z")
_MOST_OPEN = 10_000

_Id = int | str


class Tracing:
    """Of one connection. `send` is given the name and the params of a notification.

    It costs one comparison a message while nobody wants to see anything.
    """

    def __init__(self, send: Callable[[str, dict[str, str]], None]) -> None:
        self._send = send
        self._level = "off"
        self._asked: dict[_Id, tuple[str, float]] = {}
        """Requests of the client that are not answered yet: name, and when they came."""
        self._asking: dict[_Id, tuple[str, float]] = {}
        """Requests of ours."""

    @property
    def level(self) -> str:
        """One of `off`, `messages`, `verbose`."""
        return self._level

    @level.setter
    def level(self, value: object) -> None:
        """Take a value of the protocol; what is none of its three is `off`."""
        plain = getattr(value, "value", value)
        self._level = plain if plain in ("messages", "verbose") else "off"
        if self._level == "off":
            self._asked, self._asking = {}, {}

    def received(self, data: Mapping[str, Any]) -> None:
        """Take note of a request of the client."""
        if self._level != "off":
            name = _name(data.get("method"))
            number = data.get("id")
            if isinstance(number, (int, str)) and len(self._asked) < _MOST_OPEN:
                self._asked[number] = (name, time.monotonic())
            self._tell(f"received request {name}{_number(number)}")

    @contextmanager
    def of_notification(self, data: Mapping[str, Any]) -> Iterator[None]:
        """Tell of a notification of the client once it is handled."""
        wanted, began = self._level != "off", time.monotonic()
        yield
        if wanted:
            self._tell(f"received notification {_name(data.get('method'))}, handled in {_since(began)}")

    def answered(self, number: object, *, error: bool) -> None:
        """Take note of the client's answer to a request of ours."""
        if self._level != "off" and isinstance(number, (int, str)) and number in self._asking:
            name, began = self._asking.pop(number)
            how = "an error" if error else "the answer"
            self._tell(f"received {how} to {name}{_number(number)} after {_since(began)}")

    def sent(self, data: object, size: int) -> None:
        """Take note of a message of ours, a map or an object of the protocol, of so many bytes."""
        if self._level == "off":
            return
        method, number = _field(data, "method"), _field(data, "id")
        if method == _LOG_TRACE:
            return
        verbose = f"{size:,} bytes"
        if method is None:
            self._tell_answer(number, _field(data, "error"), verbose)
        elif number is None:
            self._tell(f"sent notification {_name(method)}", verbose)
        else:
            if isinstance(number, (int, str)) and len(self._asking) < _MOST_OPEN:
                self._asking[number] = (_name(method), time.monotonic())
            self._tell(f"sent request {_name(method)}{_number(number)}", verbose)

    def _tell_answer(self, number: object, error: object, verbose: str) -> None:
        known = self._asked.pop(number, None) if isinstance(number, (int, str)) else None
        name, after = (known[0], f" after {_since(known[1])}") if known is not None else ("a request", "")
        if error is None:
            self._tell(f"sent the answer to {name}{_number(number)}{after}", verbose)
        else:
            code = _field(error, "code")
            verbose = f"error {code}, {verbose}" if isinstance(code, int) else verbose
            self._tell(f"sent an error to {name}{_number(number)}{after}", verbose)

    def _tell(self, message: str, verbose: str = "") -> None:
        params = {"message": message}
        if self._level == "off":
            return
        if verbose and self._level == "verbose":
            params["verbose"] = verbose
        self._send(_LOG_TRACE, params)


def _name(method: object) -> str:
    """Give the name of a method of the protocol; another one may be anything, and is not repeated."""
    return method if isinstance(method, str) and method in _KNOWN else "of an unknown method"


def _number(number: object) -> str:
    plain = isinstance(number, int) or (isinstance(number, str) and _PLAIN_ID.match(number) is not None)
    return f" ({number})" if plain else ""


def _since(began: float) -> str:
    return f"{(time.monotonic() - began) * 1000:.0f} ms"


def _field(data: object, name: str) -> object:
    return data.get(name) if isinstance(data, dict) else getattr(data, name, None)
