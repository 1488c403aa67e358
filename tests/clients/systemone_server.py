"""A decision model that is none: a real HTTP process on loopback that speaks `POST /v1/systemone`, answers by rules,
fails by script, and remembers what it was asked.

In a test:

    from tests.clients.systemone_server import rate_limited, rule, serving, too_large

    with serving(rule(0.9, text="riddle"), default=0.1) as server:
        client = decision_client(base_url=server.url)
        ...
        assert server.counts()["requests"] == 2
        assert server.requests()[0]["body"]["questions"]
        server.script(faults=[rate_limited(1), too_large(over=10, times=None)])   # the rest of the script stays

From elsewhere (a test of an editor, by hand; `--script FILE` holds the JSON that `PUT /script` takes):

    python tests/clients/systemone_server.py [--script FILE] [--stay]

says its address in one line and serves until its standard input ends, with `--stay` until it is killed.

Rules are tried in order, the first that fits answers; where none does, the default of the script. Faults are looked at
in order too: the first that fits a request and is not used up (`times`, once unless told otherwise) befalls it.
Regular expressions are searched for, whatever the case. `GET /requests` gives what was asked, `GET /counts` numbers,
`DELETE /requests` forgets, `PUT /script` replaces those parts of the script that it holds. None of these is counted.
"""

import argparse
import asyncio
import hashlib
import http.client
import json
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path
from typing import Any

PATH = "/v1/systemone"
_TICK = 0.02
_SCRIPT: dict[str, Any] = {
    "rules": [],
    "default": 0.1,
    "model": "systemone-by-rules",
    "confidence": 0.9,
    "faults": [],
    "delay": 0.0,
    "key": None,
    "usage": True,
}


# --- what a script is made of ----------------------------------------------------------------------------------------


def rule(
    answer: float | str | Mapping[str, Any],
    *,
    text: str | None = None,
    key: str | None = None,
    question: str | None = None,
    state: str | None = None,
    kind: str = "noul",
) -> dict[str, Any]:
    """Answer questions of a kind so, where all of the expressions given are found.

    Args:
        answer: The probability of *yes*, the level of a score, the key of a choice; a whole answer as it goes over the
            wire; or "drawn": a probability that hangs on nothing but the question and the texts asked about.
        text: In the texts that the question points at.
        key: In the question's key: `P000:riddle`, `confirm:P000`, `severity`.
        question: In its question, its focus and its criteria.
        state: In the JSON of all that is shown.
        kind: `noul`, `score` or `choice`.
    """
    found = {"text": text, "key": key, "question": question, "state": state}
    return {"answer": answer, "kind": kind, **{name: each for name, each in found.items() if each is not None}}


def fault(
    kind: str,
    *,
    times: int | None = 1,
    after: int = 0,
    over: int | None = None,
    holds: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Let something go wrong.

    Args:
        kind: See the functions below, which name each.
        times: How often; None: always.
        after: Only after so many requests since the script or the log was begun.
        over: Only in requests of more than so many passages.
        holds: Only in requests whose JSON holds the expression.
        more: What the kind takes.
    """
    return {"kind": kind, "times": times, "after": after, "over": over, "holds": holds, **more}


def failing(status: int, body: object = "", headers: Mapping[str, str] | None = None, **when: Any) -> dict[str, Any]:
    """Answer with a status; a body that is no text is written as JSON."""
    return fault("status", status=status, body=body, headers=dict(headers or {}), **when)


def rate_limited(seconds: float | str | None = None, *, date: bool = False, **when: Any) -> dict[str, Any]:
    """Answer 429; `seconds` is what Retry-After says, as it is or as the date that it comes to."""
    return fault("rate-limited", seconds=seconds, date=date, **when)


def overloaded(**when: Any) -> dict[str, Any]:
    """Answer 529."""
    return failing(529, {"detail": "overloaded"}, **when)


def too_large(status: int = 400, **when: Any) -> dict[str, Any]:
    """Refuse a request as too large."""
    return failing(status, {"detail": {"error_type": "max_tokens_exceeded", "message": "too many tokens"}}, **when)


def redirect(to: str, status: int = 307, **when: Any) -> dict[str, Any]:
    """Send the client somewhere else."""
    return failing(status, "", {"Location": to}, **when)


def reset(**when: Any) -> dict[str, Any]:
    """Reset the connection without a word."""
    return fault("reset", **when)


def hang_up(**when: Any) -> dict[str, Any]:
    """Close the connection without a word."""
    return fault("hang-up", **when)


def cut_off(**when: Any) -> dict[str, Any]:
    """Send half of a good reply and close the connection."""
    return fault("cut-off", **when)


def hang(**when: Any) -> dict[str, Any]:
    """Never answer."""
    return fault("hang", **when)


def slow(seconds: float, **when: Any) -> dict[str, Any]:
    """Send the head at once and a good body bit by bit, over so many seconds."""
    return fault("slow", seconds=seconds, **when)


def late(seconds: float, **when: Any) -> dict[str, Any]:
    """Answer well after so many seconds."""
    return fault("late", seconds=seconds, **when)


def not_json(body: str = '{"answers": {"P000', **when: Any) -> dict[str, Any]:
    """Answer 200 with a text that is no JSON."""
    return failing(200, body, **when)


def other_json(body: object, **when: Any) -> dict[str, Any]:
    """Answer 200 with this JSON."""
    return fault("json", body=body, **when)


def missing(key: str = "", **when: Any) -> dict[str, Any]:
    """Leave out the answers to questions whose key holds the expression."""
    return fault("missing", key=key, **when)


def malformed(key: str = "", answer: object = None, **when: Any) -> dict[str, Any]:
    """Give this answer to questions whose key holds the expression; `{"noul": "high"}` unless told otherwise."""
    return fault("malformed", key=key, answer={"noul": "high"} if answer is None else answer, **when)


# --- for tests -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class SystemOne:
    """The server, as tests see it."""

    process: subprocess.Popen[bytes]
    port: int

    @property
    def url(self) -> str:
        """`http://127.0.0.1:port`, the base address of a client."""
        return f"http://127.0.0.1:{self.port}"

    def script(self, **parts: Any) -> None:
        """Replace parts of the script: `rules` `default` `faults` `delay` `key` `model` `confidence` `usage`."""
        self._call("PUT", "/script", parts)

    def requests(self) -> list[dict[str, Any]]:
        """What was asked, in the order it came: `path` `headers` (names in lower case) `body` `passages`
        `connection` `status` (None: no answer was sent in full) `gone` (the client left before)."""
        found: list[dict[str, Any]] = self._call("GET", "/requests")
        return found

    def counts(self) -> dict[str, int]:
        """`requests` `passages` `questions` `connections` `gone`, `running` now and `most` at the same time."""
        found: dict[str, int] = self._call("GET", "/counts")
        return found

    def forget(self) -> None:
        """Begin the log and the counts anew."""
        self._call("DELETE", "/requests")

    def wait_for(self, true: Callable[[dict[str, int]], bool], seconds: float = 60.0) -> bool:
        """Wait until something is true of the counts; False when it does not come true in time. Blocks."""
        end = time.monotonic() + seconds
        while not true(self.counts()):
            if time.monotonic() > end:
                return False
            time.sleep(_TICK)
        return True

    def stop(self) -> None:
        """End the process; nobody listens at the address from then on."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _call(self, method: str, path: str, body: object = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            reply = connection.getresponse()
            content = reply.read()
            assert reply.status == 200, content
            return json.loads(content)
        finally:
            connection.close()


@contextmanager
def serving(*rules: Mapping[str, Any], **parts: Any) -> Iterator[SystemOne]:
    """Run the server with these rules and parts of a script (see `SystemOne.script`); it ends with the block."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve())], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    said = process.stdout.readline().decode().strip()
    assert said, f"the server ended with status {process.wait(10)}"
    server = SystemOne(process, int(said.rpartition(":")[2]))
    try:
        server.script(rules=list(rules), **parts)
        yield server
    finally:
        server.stop()


# --- the model that is none ------------------------------------------------------------------------------------------


def answers(script: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """The answers to the questions of a request."""
    state, shown = body["state"], json.dumps(body["state"], ensure_ascii=False)
    return {key: _answer(script, key, question, state, shown) for key, question in body["questions"].items()}


def _answer(script: Mapping[str, Any], key: str, question: Mapping[str, Any], state: Any, shown: str) -> dict[str, Any]:
    kind, asks = question["type"], question["instructions"]
    about = {
        "text": "\n".join(_texts(asks, state)),
        "key": key,
        "question": json.dumps([asks, question["criteria"]], ensure_ascii=False),
        "state": shown,
    }
    for each in script["rules"]:
        if each["kind"] == kind and all(_found(each[name], text) for name, text in about.items() if name in each):
            return _as_answer(each["answer"], kind, script, about)
    if kind == "noul":
        return _as_answer(script["default"], kind, script, about)
    return _as_answer(0 if kind == "score" else next(iter(question["criteria"])), kind, script, about)


def _as_answer(answer: Any, kind: str, script: Mapping[str, Any], about: Mapping[str, str]) -> dict[str, Any]:
    if isinstance(answer, dict):
        return answer
    if answer == "drawn" and kind == "noul":
        name = about["key"].replace("confirm:", "").rpartition(":")[2] + about["question"]
        digest = hashlib.sha256(f"{name}\0{about['text']}".encode()).digest()
        answer = int.from_bytes(digest[:4], "big") / 2**32
    return {kind: answer} if kind == "noul" else {kind: answer, "confidence": script["confidence"]}


def _texts(asks: Mapping[str, Any], state: Any) -> Iterator[str]:
    """The texts that a question points at."""
    for path in [asks["inspect"]] if "inspect" in asks else asks.get("compare", []):
        found = state
        for part in path.strip("`").split("."):
            found = found[part]
        yield found


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def passages(body: Any) -> int:
    """How many passages a request shows."""
    values = body["state"].values()
    return sum(1 if isinstance(each.get("text"), str) else len(each) for each in values)


# --- the server ------------------------------------------------------------------------------------------------------


class Gone(Exception):  # noqa: N818 - no error: the other side has hung up
    """The client closed the connection."""


@dataclass(slots=True)
class Asked:
    """One request to the model."""

    path: str
    headers: Mapping[str, str]
    body: Any
    raw: str
    passages: int
    connection: int
    status: int | None = None
    gone: bool = False

    def as_data(self) -> dict[str, Any]:
        """What `GET /requests` says of it."""
        names = ("path", "headers", "body", "passages", "connection", "status", "gone")
        return {name: getattr(self, name) for name in names}


@dataclass(slots=True)
class Server:
    """What the process knows."""

    script: dict[str, Any]
    log: list[Asked] = field(default_factory=list)
    used: dict[int, int] = field(default_factory=dict)
    connections: int = 0
    running: int = 0
    most: int = 0

    def befalls(self, asked: Asked) -> Mapping[str, Any] | None:
        """The fault that befalls a request, which is used by it."""
        for place, each in enumerate(self.script["faults"]):
            times, over, holds = each.get("times", 1), each.get("over"), each.get("holds")
            fits = (
                (times is None or self.used.get(place, 0) < times)
                and len(self.log) > each.get("after", 0)
                and (over is None or asked.passages > over)
                and (holds is None or _found(holds, asked.raw))
            )
            if fits:
                self.used[place] = self.used.get(place, 0) + 1
                return each
        return None

    def counts(self) -> dict[str, int]:
        """What `GET /counts` says."""
        return {
            "requests": len(self.log),
            "passages": sum(each.passages for each in self.log),
            "questions": sum(len(each.body["questions"]) for each in self.log if isinstance(each.body, dict)),
            "connections": self.connections,
            "gone": sum(each.gone for each in self.log),
            "running": self.running,
            "most": self.most,
        }

    def control(self, method: str, path: str, raw: bytes) -> Any:
        """Do what a test wants; None where there is no such thing."""
        if (method, path) == ("GET", "/requests"):
            return [each.as_data() for each in self.log]
        if (method, path) == ("GET", "/counts"):
            return self.counts()
        if (method, path) == ("DELETE", "/requests"):
            self.log, self.used, self.connections, self.most = [], {}, 0, self.running
            return {}
        if (method, path) == ("PUT", "/script"):
            parts = json.loads(raw)
            unknown = sorted(set(parts) - set(_SCRIPT))
            assert not unknown, f"a script has no {unknown}"
            self.script |= parts
            if "faults" in parts:
                self.used = {}
            return {}
        return None


@dataclass(slots=True)
class Connection:
    """One connection."""

    server: Server
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    number: int = 0

    async def serve(self) -> None:
        """Answer its requests, one after the other."""
        try:
            while (read := await self._read()) is not None:
                if not await self._answer(*read):
                    break
        except (Gone, OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.writer.close()

    async def _read(self) -> tuple[str, str, dict[str, str], bytes] | None:
        try:
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except (asyncio.IncompleteReadError, OSError):
            return None
        first, *lines = head.rstrip("\r\n").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return method, path, headers, await self.reader.readexactly(int(headers.get("content-length", "0")))

    async def _answer(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> bool:
        if method != "POST":
            done = self.server.control(method, path, raw)
            await self._reply(404 if done is None else 200, json.dumps(done).encode())
            return True
        if not self.number:
            self.server.connections += 1
            self.number = self.server.connections
        asked = _asked(path, headers, raw, self.number)
        server = self.server
        server.log.append(asked)
        server.running += 1
        server.most = max(server.most, server.running)
        try:
            return await self._decide(asked)
        except Gone:
            asked.gone = True
            return False
        finally:
            server.running -= 1

    async def _decide(self, asked: Asked) -> bool:
        script = self.server.script
        befalls = self.server.befalls(asked)
        await self._pause(script["delay"])
        if script["key"] is not None and asked.headers.get("authorization") != f"Bearer {script['key']}":
            return await self._fail(asked, 401, {"detail": "no such key"})
        if asked.path.partition("?")[0] != PATH:
            return await self._fail(asked, 404, {"detail": "Not Found"})
        if befalls is not None:
            return await self._befall(asked, befalls)
        if asked.body is None or "state" not in asked.body or "questions" not in asked.body:
            return await self._fail(asked, 422, {"detail": {"error_type": "invalid_request"}})
        return await self._good(asked, self._body(asked))

    def _body(self, asked: Asked) -> dict[str, Any]:
        script = self.server.script
        given = answers(script, asked.body)
        usage = {"input_tokens": max(1, len(asked.raw) // 4), "output_tokens": len(given)}
        return {"answers": given, "model": script["model"], "usage": usage if script["usage"] else None}

    async def _befall(self, asked: Asked, befalls: Mapping[str, Any]) -> bool:
        kind = befalls["kind"]
        if kind in ("reset", "hang-up"):
            if kind == "reset":
                held = self.writer.get_extra_info("socket")
                held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if kind == "status":
            return await self._fail(asked, befalls["status"], befalls["body"], befalls["headers"])
        if kind == "rate-limited":
            return await self._fail(asked, 429, {"detail": "slow down"}, _retry_after(befalls))
        if kind == "json":
            return await self._good(asked, befalls["body"])
        if kind in ("hang", "late"):
            await self._pause(befalls.get("seconds", 3600))
        return await self._spoilt(asked, befalls)

    async def _spoilt(self, asked: Asked, befalls: Mapping[str, Any]) -> bool:
        kind, body = befalls["kind"], self._body(asked)
        hit = [key for key in body["answers"] if _found(befalls.get("key", ""), key)]
        if kind == "missing":
            body["answers"] = {key: each for key, each in body["answers"].items() if key not in hit}
        if kind == "malformed":
            body["answers"] |= dict.fromkeys(hit, befalls["answer"])
        if kind in ("slow", "cut-off"):
            return await self._part_by_part(asked, json.dumps(body).encode(), befalls)
        return await self._good(asked, body)

    async def _part_by_part(self, asked: Asked, content: bytes, befalls: Mapping[str, Any]) -> bool:
        await self._send(_head(200, len(content), {}))
        if befalls["kind"] == "cut-off":
            await self._send(content[: len(content) // 2])
            return False
        parts = max(1, int(befalls["seconds"] / 0.05))
        size = len(content) // parts + 1
        for start in range(0, len(content), size):
            await self._pause(befalls["seconds"] / parts)
            await self._send(content[start : start + size])
        asked.status = 200
        return True

    async def _good(self, asked: Asked, body: object) -> bool:
        await self._reply(200, json.dumps(body).encode())
        asked.status = 200
        return True

    async def _fail(self, asked: Asked, status: int, body: object, headers: Mapping[str, str] | None = None) -> bool:
        await self._reply(status, (body if isinstance(body, str) else json.dumps(body)).encode(), headers)
        asked.status = status
        return True

    async def _reply(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        await self._send(_head(status, len(content), headers or {}) + content)

    async def _send(self, content: bytes) -> None:
        self._look()
        self.writer.write(content)
        await self.writer.drain()

    async def _pause(self, seconds: float) -> None:
        """Wait, noticing a closed connection within a moment."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._look()
            await asyncio.sleep(min(_TICK, left))

    def _look(self) -> None:
        if self.reader.at_eof() or self.reader.exception() is not None or self.writer.is_closing():
            raise Gone


def _asked(path: str, headers: Mapping[str, str], raw: bytes, connection: int) -> Asked:
    body, count = None, 0
    with suppress(ValueError, KeyError, AttributeError, TypeError):
        body = json.loads(raw)
        count = passages(body)
    text = raw.decode("utf-8", "replace")
    return Asked(path, headers, body if isinstance(body, dict) else None, text, count, connection)


def _retry_after(befalls: Mapping[str, Any]) -> dict[str, str]:
    seconds = befalls["seconds"]
    if seconds is None:
        return {}
    return {"Retry-After": formatdate(time.time() + float(seconds), usegmt=True) if befalls["date"] else str(seconds)}


def _head(status: int, length: int, headers: Mapping[str, str]) -> bytes:
    all_headers = {"Content-Type": "application/json", "Content-Length": str(length), **headers}
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in all_headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def serve(script: Mapping[str, Any], *, stay: bool) -> None:
    """Serve until standard input ends, or for ever."""
    server = Server({**_SCRIPT, **script})

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await Connection(server, reader, writer).serve()

    listening = await asyncio.start_server(connected, "127.0.0.1", 0, limit=1 << 24)
    port = listening.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}", flush=True)
    ended = asyncio.Event()
    if not stay:
        loop = asyncio.get_running_loop()

        def watch() -> None:
            sys.stdin.buffer.read()
            loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=watch, daemon=True).start()
    await ended.wait()
    listening.close()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Answers questions of policies by rules.")
    parser.add_argument("--script", type=Path)
    parser.add_argument("--stay", action="store_true")
    given = parser.parse_args(arguments)
    script = json.loads(given.script.read_text(encoding="utf-8")) if given.script else {}
    asyncio.run(serve(script, stay=given.stay))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
