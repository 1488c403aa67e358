"""Frames: the same messages in whatever pieces they come, and none lost behind rubbish."""

import json
import os
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.server.stdio import MAX_LOST, Broken, Frames, LostError, Output, decode, encode, read_messages

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(categories=None), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
GOOD = {"jsonrpc": "2.0", "method": "good"}


def fed(data: bytes, sizes: list[int]) -> list[Any]:
    frames, items, at = Frames(), [], 0
    for size in [*sizes, len(data)]:
        items += frames.feed(data[at : at + size])
        at += size
    return items


@given(st.lists(JSON, max_size=5), st.lists(st.integers(1, 40), max_size=60))
def test_messages_are_the_same_in_whatever_pieces(messages: list[Any], sizes: list[int]) -> None:
    data = b"".join(encode(message) for message in messages)
    assert fed(data, sizes) == messages


@given(st.binary(max_size=200), st.lists(st.integers(1, 40), max_size=20))
def test_a_message_behind_rubbish_is_read(rubbish: bytes, sizes: list[int]) -> None:
    items = fed(rubbish + encode(GOOD), sizes)
    assert items[-1] == GOOD
    assert all(isinstance(item, Broken) for item in items[:-1])


@given(st.integers(0, 200), st.lists(st.integers(1, 40), max_size=20))
def test_a_message_behind_one_with_a_wrong_length_is_read(length: int, sizes: list[int]) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "first", "params": {"text": "x" * 40}}).encode()
    data = b"Content-Length: %d\r\n\r\n%b" % (length, body) + encode(GOOD) + encode(GOOD)
    assert fed(data, sizes)[-2:] == [GOOD, GOOD]


def test_a_text_that_quotes_a_header_is_a_text() -> None:
    message = {"text": "Content-Length: 5\r\n\r\nabcde", "\nContent-Length: 7\n": "\r\nContent-Length: 1\r\n\r\n"}
    assert fed(encode(message), [1] * 30) == [message]


def test_a_stream_without_frames_is_given_up() -> None:
    frames = Frames()
    for _ in range(MAX_LOST // 1000):
        assert frames.feed(b"x" * 999 + b"\n") == []
    with pytest.raises(LostError):
        frames.feed(b"x" * 1000)


@pytest.mark.parametrize("body", [b"", b"{", b"NaN", b"[Infinity]", b"\xff", b"{'a': 1}", b"[" * 200_000])
def test_what_is_no_json_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of its kinds
        decode(body)


def test_lengths_are_bytes_and_half_pairs_go_through() -> None:
    for text in ("é日😀", "\ud83d half"):
        head, body = encode({"text": text}).split(b"\r\n\r\n")
        assert head == b"Content-Length: %d" % len(body)
        assert decode(body) == {"text": text}


def test_threads_that_write_do_not_mix_their_frames() -> None:
    given, taken = os.pipe()
    gone: list[int] = []
    output = Output(taken, lambda: gone.append(1))
    messages = [[number, "x" * 50_000] for number in range(8)]
    threads = [threading.Thread(target=output.write, args=(encode(message),)) for message in messages]
    got: list[Any] = []

    def read() -> None:
        read_messages(given, got.extend, lambda: got.append("ended"))

    reader = threading.Thread(target=read)
    reader.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.close(taken)
    reader.join()
    os.close(given)
    assert got.pop() == "ended"
    assert sorted(got) == messages
    assert gone == []


def test_who_writes_to_nobody_is_told() -> None:
    given, taken = os.pipe()
    os.close(given)
    gone: list[int] = []
    Output(taken, lambda: gone.append(1)).write(encode(GOOD))
    os.close(taken)
    assert gone == [1]
