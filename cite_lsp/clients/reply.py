"""A reply of a server, as bytes that nobody vouches for: unpacked, parsed, and put into words that people may see."""

import re
import time
import unicodedata
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import orjson

from cite_lsp.clients.address import Address
from cite_lsp.clients.client import ClientError

LONGEST_SAID = 200
"""How many characters of a server's own words a message holds."""
_SAYS = ("error", "message", "detail", "msg", "error_type")
"""Where servers say what is wrong; the last is but a name for it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, headers (looked up in lower case) and content of a reply."""

    status: int
    headers: Mapping[str, str]
    content: bytes


def unpacker(encoding: str, address: Address) -> Callable[[bytes, int], bytes]:
    """What unpacks a body, to a number of bytes at most. We ask for none, but some send it packed all the same."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return lambda chunk, _: chunk
    if name not in ("gzip", "x-gzip", "deflate"):
        raise ClientError("not-json", f"{address.named} packed its reply in a way nobody asked for")
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)

    def unpack(chunk: bytes, most: int) -> bytes:
        try:
            return unpacking.decompress(chunk, most)
        except zlib.error:
            message = f"the reply of {address.named} cannot be unpacked"
            raise ClientError("not-json", message) from None

    return unpack


def parsed(reply: Reply, address: Address) -> Any:  # noqa: ANN401  # JSON
    """Read the JSON of a reply; `ClientError` (not-json) where it is none, or no UTF-8."""
    try:
        return orjson.loads(reply.content.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        message = f"the reply of {address.named} is no JSON; is this the address of a model server?"
        raise ClientError("not-json", message) from None


def again(reply: Reply) -> bool:
    """Whether the same request may fare better soon."""
    if reply.status == 429:
        return b"insufficient_quota" not in reply.content  # an empty account stays empty
    return reply.status >= 500 and reply.status not in (501, 505)


def asked_wait(reply: Reply) -> float | None:
    """How many seconds the server asks to wait; None where it does not say, or says what means nothing."""
    text = reply.headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def whole_wait(reply: Reply) -> float | None:
    """The same where only whole seconds and dates count, as HTTP has it; a date that has passed is 0."""
    text = reply.headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,15}", text):
        return float(text)
    if re.match(r"[A-Za-z]{3}", text) is None:
        return None
    try:
        date = parsedate_to_datetime(text)
        zone = date.tzinfo or UTC  # dates of HTTP mean Greenwich, said or not
        return max(0.0, date.replace(tzinfo=zone).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def destination(reply: Reply, address: Address) -> str:
    """Where a redirect leads: scheme, host and port."""
    try:
        parts = urlsplit(reply.headers.get("location", ""))
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "an address that cannot be read"
    if not parts.hostname:
        return f"another path of {address.host}" if parts.path else "an address that it does not name"
    return printable(f"{parts.scheme or address.scheme}://{parts.hostname}{port}")[:LONGEST_SAID]


def server_message(reply: Reply) -> str:
    """The words of an error: the message that the JSON holds, or the text; nothing of a web page."""
    try:
        data = orjson.loads(reply.content)
    except ValueError:
        text = reply.content.decode("utf-8", "replace")
        return "" if "<html" in text[:2_000].lower() or "<!doctype" in text[:2_000].lower() else text
    return message_in(data)


def message_in(data: object) -> str:
    """The message that the JSON of an error holds, whichever server wrote it; "" for none."""
    for _ in range(6):
        if isinstance(data, str):
            return data
        if isinstance(data, list) and data:
            data = data[0]
        elif isinstance(data, dict):
            data = next((data[name] for name in _SAYS if data.get(name)), None)
        else:
            return ""
    return ""


def printable(text: str) -> str:
    """One line without control characters and what cannot be seen."""
    kept = [" " if each.isspace() else each for each in text if each.isspace() or unicodedata.category(each)[0] != "C"]
    return " ".join("".join(kept).split())


def shortened(text: str) -> str:
    """Cut to 200 characters, without a full stop."""
    text = text.rstrip(". ")
    return text if len(text) <= LONGEST_SAID else text[: LONGEST_SAID - 1].rstrip() + "…"
