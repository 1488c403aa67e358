"""After whatever a client did while a judge over HTTP was asked, the verdicts are those of a fresh server and cache."""

import asyncio
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import cite_lsp.server.protocol as protocol_module
import cite_lsp.server.session as session_module
from cite_lsp.worker.client import Worker
from tests.clients.scripted import ScriptedServer, after
from tests.server.at_rest import SharedWorker, shown_at_rest, troubles
from tests.server.harness import Session
from tests.server.judged import answering

LIVES = 12
SEQUENCES = 2  # of each life; after each all is saved and compared
_NAMES = ("a.md", "b.md", "docs/c.md")
_LINES = 12
_SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"judge": {"name": "embedded"}},
    {"judge": {"exclude": ["limits.py"]}},
    {"judge": {"run": "manual"}},
    {"judge": {"run": "off"}},
    {"audit": {"scope": "sample", "sample_per_section": 2}},
    {"files": {"exclude": ["docs/**"]}},
)
_CODE = ("limits.py", "more.py")

pytestmark = pytest.mark.usefixtures("person")


def _code(rng: random.Random) -> str:
    return "".join(f"LIMIT_{number} = {rng.randint(1, 4)}\n" for number in range(_LINES))


def _paragraph(rng: random.Random) -> str:
    line = rng.randint(1, _LINES)
    return f"The limit of part {rng.choice('xyz')} is {rng.randint(1, 4)} (`{rng.choice(_CODE)}:{line}`).\n\n"


@dataclass
class _Author:
    """A client, and what is on its screen."""

    folder: Path
    rng: random.Random
    open: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    """Texts as they were before the last edit."""
    tree: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)

    def session(self) -> Session:
        ignored = ("cite-lsp/status", "window/showMessage", "$/progress")
        return Session(folders=[self.folder], settings=lambda _: self.editor, ignored=ignored)

    @property
    def editor(self) -> dict[str, Any]:
        return {"drift": {"enabled": False}, **self.tree}

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    async def step(self, session: Session) -> None:
        kind = self.rng.choice(("edit",) * 6 + ("save",) * 4 + ("undo", "again", "rename", "code", "buffer", "tree")
                               + ("wait",) * 3 + ("command", "cancel", "clear"))  # fmt: skip
        names = [name for name in self.open if name.endswith(".md")]
        name = self.rng.choice(names) if names else ""
        self.done.append(f"{kind} {name}")
        if name or kind in ("code", "buffer", "tree", "wait", "clear"):
            outcome = getattr(self, f"_{kind}")(session, name)
            if outcome is not None:
                await outcome

    def _edit(self, session: Session, name: str) -> None:
        parts = self.open[name].split("\n\n")
        at = self.rng.randrange(len(parts))
        parts[at : at + self.rng.randint(0, 1)] = [_paragraph(self.rng).strip()] if self.rng.random() < 0.8 else []
        self._set(session, name, "\n\n".join(parts))

    def _set(self, session: Session, name: str, text: str) -> None:
        old = self.before[name] = self.open[name]
        self.open[name] = text
        same = 0
        while same < min(len(old), len(text)) and old[same] == text[same]:
            same += 1
        line, column = old.count("\n", 0, same), same - (old.rfind("\n", 0, same) + 1)
        session.change(self.uri(name), (line, column), (old.count("\n") + 1, 0), text[same:])

    def _undo(self, session: Session, name: str) -> None:
        if name in self.before:
            self._set(session, name, self.before[name])

    def _save(self, session: Session, name: str) -> None:
        for _ in range(self.rng.choice((1, 1, 3))):
            (self.folder / name).write_text(self.open[name])
            session.save(self.uri(name))

    def _again(self, session: Session, name: str) -> None:
        self._save(session, name)
        session.close(self.uri(name))
        session.open(self.uri(name), self.open[name])

    def _rename(self, session: Session, name: str) -> None:
        new = f"{name[:-3]}x.md"
        self._save(session, name)
        session.close(self.uri(name))
        (self.folder / name).rename(self.folder / new)
        self.open[new] = self.open.pop(name)
        self.before.pop(name, None)
        self.shown.pop(self.uri(name), None)
        session.open(self.uri(new), self.open[new])
        session.files_changed((self.uri(name), 3), (self.uri(new), 1))

    def _code(self, session: Session, _: str) -> None:
        name = self.rng.choice(_CODE)
        if name not in self.open:
            (self.folder / name).write_text(_code(self.rng))
            session.files_changed((self.uri(name), 2))

    def _buffer(self, session: Session, _: str) -> None:
        name = self.rng.choice(_CODE)
        if name in self.open:
            self.open[name] = _code(self.rng)
            session.change_all(self.uri(name), self.open[name])
        else:
            self.open[name] = (self.folder / name).read_text()
            session.open(self.uri(name), self.open[name], language="python")

    def _tree(self, session: Session, _: str) -> None:
        self.tree = self.rng.choice(_SETTINGS)
        session.configure(None)

    async def _wait(self, session: Session, _: str) -> None:
        await asyncio.sleep(self.rng.choice((0.0, 0.01, 0.03, 0.25)))

    async def _command(self, session: Session, name: str, *, cancel: bool = False) -> None:
        arguments = [{"uri": self.uri(name)}]
        command = {"command": "cite-lsp.server.judgeDocument", "arguments": arguments}
        number = session.start("workspace/executeCommand", command)
        await asyncio.sleep(self.rng.choice((0.0, 0.01)))
        if cancel:
            session.cancel(number)
        if self.rng.random() < 0.5:
            self._save(session, name)
        answer = await session.answer(number)
        assert cancel or answer.get("error", {}).get("code") != -32800, answer  # nobody has cancelled it

    async def _cancel(self, session: Session, name: str) -> None:
        await self._command(session, name, cancel=True)

    async def _clear(self, session: Session, _: str) -> None:
        await session.command("cite-lsp.server.clearCache")

    async def judged(self, session: Session) -> None:
        """Save all that is open, under settings that have it judged."""
        if self.tree.get("judge", {}).get("run"):
            self.tree = {}
            session.configure(None)
        await shown_at_rest(session, self.shown)
        for name in self.open:
            (self.folder / name).write_text(self.open[name])
            session.save(self.uri(name))
            session.files_changed((self.uri(name), 2))
        await shown_at_rest(session, self.shown)

    async def fresh(self) -> tuple[dict[str, list[dict[str, Any]]], int]:
        """What a server that is started now shows once all is saved, and how many citations it has judged."""
        other = _Author(self.folder, self.rng, dict(self.open), tree=self.tree)
        async with other.session() as session:
            await session.settled()
            for name, text in other.open.items():
                session.open(other.uri(name), text, language="python" if name.endswith(".py") else "markdown")
            await other.judged(session)
            documents = session.server.session.documents.values()
            return other.shown, sum(document.judged_count for document in documents)


async def _live(author: _Author, monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """Work for a while; say where what is shown and what a fresh server shows differ, and how much was judged."""
    folder, rng = author.folder, author.rng
    (folder / "docs").mkdir(parents=True)
    for name in _CODE:
        (folder / name).write_text(_code(rng))
    for name in _NAMES:
        (folder / name).write_text("".join(_paragraph(rng) for _ in range(rng.randint(1, 12))))
    own, count = f"{folder}-cache", 0
    monkeypatch.setenv("CITE_LSP_CACHE_PATH", own)
    async with author.session() as session:
        await session.settled()
        for name in _NAMES:
            author.open[name] = (folder / name).read_text()
            session.open(author.uri(name), author.open[name])
        for sequence in range(SEQUENCES):
            for _ in range(rng.randint(5, 20)):
                await author.step(session)
            await author.judged(session)
            assert troubles(session) == [], author.done
            assert session.server.session.judging.queued == 0
            monkeypatch.setenv("CITE_LSP_CACHE_PATH", f"{own}{sequence}")
            fresh, judged = await author.fresh()
            monkeypatch.setenv("CITE_LSP_CACHE_PATH", own)
            count += judged
            for name in author.open:
                uri = author.uri(name)
                if author.shown.get(uri, []) != fresh.get(uri, []):
                    both = f"  shown {author.shown.get(uri)}\n  fresh {fresh.get(uri)}"
                    return f"{name} {author.open[name]!r}\n{both}\n  {author.tree}\n  {author.done}", count
    return "", count


async def test_verdicts_are_those_of_a_fresh_server(
    tmp_path: Path, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker()
    monkeypatch.setattr(session_module, "Worker", lambda: SharedWorker(worker))
    converter = protocol_module.lenient_converter()
    monkeypatch.setattr(protocol_module, "lenient_converter", lambda: converter)
    found, judged = [], 0
    with ScriptedServer(answering(lambda step: after(0.005, step))) as judge:
        (person / ".config" / "cite-lsp").mkdir(parents=True)
        table = f'[judge]\nname = "openai"\nmodel = "gpt-test"\nbase_url = "{judge.base("openai")}"\n'
        table += "[judge.limits]\nconcurrency = 4\nmax_turns = 2\n"
        (person / ".config" / "cite-lsp" / "cite-lsp.toml").write_text(table)
        for seed in range(LIVES):
            fault, count = await _live(_Author(tmp_path / f"life{seed}", random.Random(seed)), monkeypatch)
            found += [f"seed {seed}\n{fault}"] if fault else []
            judged += count
    worker.close()
    assert not found, f"{len(found)} of {LIVES}\n" + "\n\n".join(found[:3])
    assert judged > 10 * LIVES  # it is verdicts that were compared
