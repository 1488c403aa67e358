"""Frames of the Language Server Protocol on a byte stream: headers, a blank line, a JSON body.

Specification: the base protocol of LSP 3.17. What is broken is reported and the stream goes on with the next frame,
which is found by its `Content-Length` line: a line end cannot stand inside a JSON string, so no body contains one.
"""

import json
import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson

MAX_BODY = 256 * 1024 * 1024
"""Bytes of the longest body that is read; a longer one is taken for a broken header."""
MAX_LOST = 4 * 1024 * 1024
"""Bytes without any header after which a stream is no LSP stream."""
_CHUNK = 1 << 18
_MARK = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]{1,10})[ \t]*\r?\n", re.IGNORECASE)
_MARK_LENGTH = 64  # bytes; a mark is shorter, so this much of what was searched is searched again
_HEADER = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*:[^\r\n]*\r?\n|\r?\n")
_HEADERS_ONLY = re.compile(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*:[^\r\n]*\r?\n|\r?\n)*")


@dataclass(frozen=True, slots=True)
class Broken:
    """Bytes that are no message; `reason` says why, without their text."""

    reason: str


class LostError(Exception):
    """No frame can be found in the stream any more."""


Json = Any
"""Any JSON value."""
Item = Any
"""A decoded body, a `Json`, or `Broken`."""


def decode(body: bytes | bytearray | memoryview) -> Json:
    """Read a body. Raises ValueError where it is no JSON.

    orjson refuses the lone surrogates that JavaScript clients send; the standard library takes them.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        try:
            return json.loads(bytes(body), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise ValueError(str(error)) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def encode(message: object, default: Callable[[Any], Any] | None = None) -> bytes:
    """Write a whole frame. Raises TypeError where `default` cannot make JSON of a value."""
    try:
        body = orjson.dumps(message, default=default)
    except TypeError:  # a lone surrogate, or a number of more than 64 bits
        body = json.dumps(message, default=default, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Frames:
    """Cuts a stream into messages, whatever pieces it comes in."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._body: int | None = None  # bytes of the body that stands at the beginning of the data
        self._searched = 0
        self._in_garbage = False

    def feed(self, chunk: bytes) -> list[Item]:
        """Take bytes; give what they complete, in order. Raises LostError where no frame will be found."""
        self._data += chunk
        items: list[Item] = []
        while self._body_item(items) if self._body is not None else self._header_item(items):
            pass
        return items

    def _header_item(self, items: list[Item]) -> bool:
        """Read the headers; False where more bytes are needed."""
        mark = _MARK.search(self._data, max(0, self._searched - _MARK_LENGTH))
        if mark is None:
            self._searched = len(self._data)
            if len(self._data) > MAX_LOST:
                raise LostError
            return False
        end = self._end_of_headers(mark.end())
        if end is None:
            return False
        length = int(mark[1])
        headers = _HEADERS_ONLY.match(self._data, 0, mark.start())
        lost = headers is None or headers.end() != mark.start()
        if end < 0 or length > MAX_BODY:
            self._cut(mark.end())
            lost = True
        else:
            self._cut(end)
            self._body = length
        if lost and not self._in_garbage:
            items.append(Broken("bytes between messages, or a header without a usable Content-Length"))
        self._in_garbage = end < 0 or length > MAX_BODY
        return True

    def _end_of_headers(self, at: int) -> int | None:
        """Where the body begins; None if it has not come yet, -1 if there is none."""
        while at < len(self._data):
            line = _HEADER.match(self._data, at)
            if line is None:
                rest = self._data[at:]
                return None if b"\n" not in rest and len(rest) < _CHUNK and not rest.startswith(b"{") else -1
            at = line.end()
            if not line[0].strip():
                return at
        return None

    def _body_item(self, items: list[Item]) -> bool:
        """Read the body; False where more bytes are needed."""
        length = self._body or 0
        if len(self._data) >= length:
            try:
                items.append(decode(bytes(memoryview(self._data)[:length])))
            except ValueError as error:
                self._salvage(_MARK.search(self._data), length, f"the body is no JSON: {error}", items)
            else:
                self._cut(length)
            return True
        mark = _MARK.search(self._data, max(0, self._searched - _MARK_LENGTH))
        self._searched = len(self._data)
        if mark is None:
            return False
        self._salvage(mark, length, "the body is shorter than its Content-Length", items)
        return True

    def _salvage(self, mark: re.Match[bytes] | None, length: int, reason: str, items: list[Item]) -> None:
        """Go on behind a broken body: a header inside it shows that its length was too long, and ends it."""
        end = mark.start() if mark is not None and mark.start() < length else 0
        try:
            items.append(decode(bytes(memoryview(self._data)[:end])))
        except ValueError:
            items.append(Broken(reason))
            self._in_garbage = True
        self._cut(end)

    def _cut(self, at: int) -> None:
        del self._data[:at]
        self._searched = 0
        self._body = None


class Output:
    """The one writer to the client; whole frames, from any thread.

    A write waits while the client does not read: what is not taken yet is not piled up here. `gone` is called when
    there is no reader any more.
    """

    def __init__(self, descriptor: int, gone: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._gone = gone
        self._lock = threading.Lock()

    def write(self, data: bytes) -> None:
        """Write one frame."""
        try:
            with self._lock, memoryview(data) as view:
                at = 0
                while at < len(data):
                    at += os.write(self._descriptor, view[at:])
        except OSError:
            self._gone()

    def close(self) -> None:
        """Nothing is kept back, so there is nothing to close."""


def read_messages(descriptor: int, deliver: Callable[[list[Item]], None], ended: Callable[[], None]) -> None:
    """Read until the end of the stream, in the calling thread; what one read completes is delivered together.

    `ended` is called once: at the end, or where no further frame can be found.
    """
    frames = Frames()
    try:
        while chunk := os.read(descriptor, _CHUNK):
            items = frames.feed(chunk)
            if items:
                deliver(items)
    except (OSError, LostError):
        pass
    ended()
