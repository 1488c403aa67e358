"""What passes between the server and its worker: a frame is 4 bytes, big-endian, and so many bytes of a JSON map.

To the child go `{"id": n, "do": name, …}` and `{"drop": n}`; back come `{"id": n, "part": …}`, any number of them,
then `{"id": n, "done": …}` or `{"id": n, "failed": "message"}`.
"""

import json
from typing import Any, Protocol

import orjson

MAX_FRAME = 1 << 29
"""Bytes of the largest frame that is read; what claims to be longer is no frame."""

LANES = {
    "paths": "git",
    "history": "git",
    "renamed": "git",
    "closest": "git",
    "judge": "judge",
    "better": "judge",
    "grounding": "judge",
    "watch": "watch",
    "baselines": "drift",
    "departed": "drift",
    "offering": "offer",
    "offered": "offer",
    "places": "offer",
    "citing": "citing",
    "renaming": "citing",
    "symbols": "citing",
}
"""What is done one after the other: a long walk of git holds up no judgement."""


class BadFrame(Exception):  # noqa: N818 - it names what was read
    """The bytes read are no frame."""


class Source(Protocol):
    """What bytes are read from; like a binary file it gives fewer than asked for, and none at its end."""

    def read(self, size: int, /) -> bytes | None:
        """Give at most `size` bytes."""


def encoded(message: dict[str, Any]) -> bytes:
    """Give the frame of a message. Lone surrogates, which open buffers can hold, go through."""
    try:
        body = orjson.dumps(message)
    except orjson.JSONEncodeError:
        body = json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    if len(body) > MAX_FRAME:
        raise BadFrame(f"a message of {len(body):,} bytes is too large for the worker")
    return len(body).to_bytes(4, "big") + body


def read_message(source: Source) -> dict[str, Any] | None:
    """Read one message; None at the end of the source.

    Raises:
        BadFrame: What was read is no frame, or ends in the middle of one.
    """
    head = _read(source, 4)
    if not head:
        return None
    size = int.from_bytes(head, "big")
    if len(head) < 4 or size > MAX_FRAME:
        raise BadFrame("the start of a frame is wrong")
    body = _read(source, size)
    if len(body) < size:
        raise BadFrame("a frame was cut off")
    message = _decoded(body)
    if not isinstance(message, dict):
        raise BadFrame("a frame holds no map")
    return message


def _read(source: Source, size: int) -> bytes:
    pieces: list[bytes] = []
    while size:
        piece = source.read(min(size, 1 << 20))
        if not piece:
            break
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _decoded(body: bytes) -> object:
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    else:
        return value
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadFrame("a frame holds no JSON") from error
    return value
