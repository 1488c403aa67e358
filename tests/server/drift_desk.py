"""A desk at which a person works: a repository, a server on it, and what it says, for tests of drift."""

import asyncio
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from cite_lsp.server.session import Session as Inner
from cite_lsp.worker.client import WorkerLost
from tests.server.at_rest import rest, shown
from tests.server.harness import Session
from tests.server.living import apply_edits

GIT = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main")


def lines(*names: str, end: str = "\n") -> str:
    """A text of such lines, each long enough to be found again."""
    return "".join(f"{name} = compute_{name}(1){end}" for name in names)


class Desk:
    """A folder, an editor session in it, and what the editor shows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.session: Session
        self.seen: dict[str, list[dict[str, Any]]] = {}
        self.texts: dict[str, str] = {}
        self.calls: Counter[str] = Counter()
        """Questions to the worker, by name."""
        self._gates: dict[str, tuple[asyncio.Event, bool]] = {}
        self._losses: Counter[str] = Counter()
        self._put: dict[str, asyncio.Event] = {}

    # --- the repository

    def git(self, *arguments: str) -> str:
        """Run git in the folder."""
        command = ["git", "-C", str(self.folder), *GIT, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def write(self, name: str, text: str) -> "Desk":
        """Write a file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return self

    def commit(self, message: str = "a commit") -> "Desk":
        """Commit all there is."""
        if not (self.folder / ".git").exists():
            self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self

    # --- the editor

    def uri(self, name: str) -> str:
        """The address of a file."""
        return (self.folder / name).as_uri()

    @asynccontextmanager
    async def at_work(self, **more: Any) -> AsyncIterator["Desk"]:
        """Start the server."""
        more.setdefault("folders", [self.folder])
        more.setdefault("options", {"judge": {"run": "off"}})
        more.setdefault("ignored", ("cite-lsp/status", "window/showMessage"))
        async with Session(**more) as session:
            self.session = session
            await session.settled()
            self._count(session.server.session)
            yield self
            await self.rest()

    def _count(self, inner: Inner) -> None:
        call = inner.worker.call

        async def counted(do: str, **params: Any) -> Any:
            self.calls[do] += 1
            self._put.setdefault(do, asyncio.Event()).set()
            if self._losses[do]:
                self._losses[do] -= 1
                raise WorkerLost("the worker ended twice over this request")
            gate, after = self._gates.pop(do, (None, False))
            if gate is not None and not after:
                await gate.wait()
            found = await call(do, **params)
            if gate is not None and after:
                await gate.wait()
            return found

        inner.worker.call = counted  # type: ignore[method-assign]

    def hold(self, do: str, gate: asyncio.Event, *, after: bool = False) -> None:
        """Hold the next question of a name until the gate is open; or only its answer."""
        self._gates[do] = gate, after

    def lose(self, do: str, times: int) -> None:
        """Have the worker die over the next questions of a name."""
        self._losses[do] = times

    async def until(self, look: Callable[[], Awaitable[str | list[str]]], wanted: str) -> None:
        """Look until something is there."""
        for _ in range(400):
            if wanted in await look():
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"{wanted!r} did not come: {await look()}")

    async def asked(self, do: str) -> None:
        """Wait until a question of a name is put."""
        await self._put.setdefault(do, asyncio.Event()).wait()

    async def watched(self) -> None:
        """Wait until the worker watches, where the client does not."""
        await asyncio.sleep(0.7)

    @property
    def inner(self) -> Inner:
        """The server's side."""
        found: Inner = self.session.server.session
        return found

    def open(self, *names: str) -> "Desk":
        """Open files as they are on disk."""
        for name in names:
            self.texts[name] = (self.folder / name).read_bytes().decode()
            language = "markdown" if name.endswith(".md") else "python"
            self.session.open(self.uri(name), self.texts[name], language=language)
        return self

    def type(self, name: str, new: str, old: str | None = None) -> "Desk":
        """Replace the first `old` of an open file with one edit; all of it where that is None."""
        text = self.texts[name]
        if old is None:
            self.texts[name] = new
            self.session.change_all(self.uri(name), new)
            return self
        at = text.index(old)
        self.texts[name] = text[:at] + new + text[at + len(old) :]
        self.session.change(self.uri(name), _position(text, at), _position(text, at + len(old)), new)
        return self

    async def type_slowly(self, name: str, new: str, after: str) -> "Desk":
        """Type behind `after`, key by key, the server having its say after each."""
        for at in range(len(new)):
            self.type(name, after + new[: at + 1], after + new[:at])
            await self.session.settled()
        return self

    def save(self, name: str) -> "Desk":
        """Write an open file to disk and tell of it."""
        self.write(name, self.texts[name])
        self.session.save(self.uri(name))
        self.session.files_changed((self.uri(name), 2))
        return self

    def close(self, name: str) -> "Desk":
        """Close a file without saving it."""
        del self.texts[name]
        self.session.close(self.uri(name))
        return self

    def changed(self, *names: str) -> "Desk":
        """Tell that files changed on disk."""
        self.session.files_changed(*((self.uri(name), 2 if (self.folder / name).exists() else 3) for name in names))
        return self

    def head_moved(self, *more: str) -> "Desk":
        """Tell what an editor tells after git did something."""
        return self.changed(".git/index", ".git/logs/HEAD", *more)

    async def rest(self) -> None:
        """Wait until nothing is under way, and see what is shown."""
        await rest(self.session)
        shown(self.session, self.seen)

    async def says(self, name: str = "a.md") -> list[str]:
        """What is shown of a file at rest: the text that is underlined, the code, and the message's words."""
        await self.rest()
        text = self.texts[name]
        return [f"{_within(text, each['range'])} {each['code']}" for each in self.seen.get(self.uri(name), ())]

    async def messages(self, name: str = "a.md") -> list[str]:
        """The messages that are shown of a file at rest."""
        await self.rest()
        return [each["message"] for each in self.seen.get(self.uri(name), ())]

    async def hover(self, at: str, name: str = "a.md") -> str:
        """The hover over the first place of a text."""
        line, column = _position(self.texts[name], self.texts[name].index(at) + 1)
        where = {"textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": column}}
        found = await self.session.request("textDocument/hover", where)
        return found["contents"]["value"] if found else ""

    async def definition(self, at: str, name: str = "a.md") -> list[int]:
        """The first lines, 1-based, that a citation leads to."""
        line, column = _position(self.texts[name], self.texts[name].index(at) + 1)
        where = {"textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": column}}
        found = await self.session.request("textDocument/definition", where)
        return [each["targetRange"]["start"]["line"] + 1 for each in found or ()]

    async def actions(self, at: str, name: str = "a.md") -> list[dict[str, Any]]:
        """The actions at a text."""
        line, column = _position(self.texts[name], self.texts[name].index(at) + 1)
        spot = {"line": line, "character": column}
        params = {
            "textDocument": {"uri": self.uri(name)},
            "range": {"start": spot, "end": spot},
            "context": {"diagnostics": []},
        }
        found: list[dict[str, Any]] = await self.session.request("textDocument/codeAction", params)
        return found

    async def fix_all(self, name: str = "a.md") -> int:
        """Run the command that fixes all; the editor applies the edit."""
        self.session.answers["workspace/applyEdit"] = lambda params: self._apply(name, params)
        found: int = await self.session.command("cite-lsp.server.fixAll", {"uri": self.uri(name)})
        return found

    async def accept(self, at: str, name: str = "a.md") -> dict[str, Any]:
        """Run the command of *Still right* that is offered at a text."""
        (action,) = [each for each in await self.actions(at, name) if each["title"].startswith("Still right")]
        found: dict[str, Any] = await self.session.command("cite-lsp.server.accept", *action["command"]["arguments"])
        return found

    def _apply(self, name: str, params: dict[str, Any]) -> dict[str, Any]:
        (change,) = params["edit"]["documentChanges"]
        text = self.texts[name]
        made = sorted(change["edits"], key=lambda each: _pair(each["range"]["start"]), reverse=True)
        self.texts[name] = apply_edits(text, change["edits"])
        edits = [(_pair(each["range"]["start"]), _pair(each["range"]["end"]), each["newText"]) for each in made]
        self.session.changes(self.uri(name), edits)  # from the end to the beginning: each sees the ones before it
        return {"applied": True}


def _position(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n"), len(before) - before.rfind("\n") - 1


def _pair(position: dict[str, int]) -> tuple[int, int]:
    return position["line"], position["character"]


def _within(text: str, where: dict[str, Any]) -> str:
    rows = text.split("\n")
    start, end = where["start"], where["end"]
    if start["line"] != end["line"]:
        return "…"
    return rows[start["line"]][start["character"] : end["character"]]
