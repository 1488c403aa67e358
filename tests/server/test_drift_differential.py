"""Drift while cited files are typed in: what a server says that lived through it is what a fresh one says.

All citations are committed, and only cited files and the prose around the citations are edited, so that a fresh server
knows the same past.
"""

import asyncio
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

import cite_lsp.server.session as session_module
from cite_lsp.server.protocol import make_server
from cite_lsp.worker.client import Worker
from tests.server.at_rest import SharedWorker, shown_at_rest, troubles
from tests.server.living import Life

LIVES = 40
ROUNDS = 4
STEPS = 12
AT_ONCE = 10

CODE = {
    "src/pool.py": [f"def step_{number}(value):\n    return value + {number}\n\n" for number in range(40)],
    "src/app.py": [f"LIMIT_{number} = {number}\n" for number in range(60)],
}
DOCUMENTS = {
    "docs/a.md": "".join(
        f"Step {number} adds (`src/pool.py:{1 + 3 * number}-{2 + 3 * number}`).\n\n" for number in range(0, 40, 2)
    ),
    "docs/b.md": "".join(f"- The limit `LIMIT_{number}` (`app.py:{number + 1}`)\n" for number in range(0, 60, 3)),
}


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drifting")
    for name, text in {**{name: "".join(parts) for name, parts in CODE.items()}, **DOCUMENTS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return folder


def _edited(rng: random.Random, text: str) -> str:
    """A cited file after an edit as people make them."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    end = min(len(lines), at + rng.randint(1, 6))
    kind = rng.choice(("insert", "insert", "delete", "change", "move", "copy", "indent"))
    if kind == "insert":
        lines[at:at] = [f"new_{rng.randrange(1000)} = {rng.randrange(9)}" for _ in range(rng.randint(1, 4))]
    elif kind == "delete":
        del lines[at:end]
    elif kind == "change":
        lines[at] = lines[at] + "  # changed"
    elif kind == "indent":
        lines[at:end] = [f"    {line}" for line in lines[at:end]]
    else:
        block = lines[at:end]
        if kind == "move":
            del lines[at:end]
        to = rng.randrange(len(lines) + 1)
        lines[to:to] = block
    return "\n".join(lines)


def _typed(rng: random.Random, text: str) -> str:
    """A document after something was typed between its citations."""
    blocks = text.split("\n")
    blocks.insert(rng.randrange(len(blocks) + 1), rng.choice(("", "Some words.", "## A heading", "And more words,")))
    return "\n".join(blocks)


async def _live(folder: Path, seed: int) -> str:
    rng = random.Random(seed)
    life = Life(folder, "utf-16", False, make_server, base={"judge": {"run": "off"}, "drift": {"enabled": True}})
    texts: dict[str, list[str]] = {}
    async with life.session() as session:
        await session.settled()
        for name in (*CODE, *DOCUMENTS):
            life.open[name] = (folder / name).read_text()
            texts[name] = [life.open[name]]
            session.open(life.uri(name), life.open[name], language="python" if name in CODE else "markdown")
        for _ in range(ROUNDS):
            for _ in range(STEPS):
                name = rng.choice((*CODE, *CODE, *DOCUMENTS))
                before = texts[name]
                if len(before) > 1 and rng.random() < 0.3:  # undo
                    before.pop()
                    new = before[-1]
                else:
                    new = (_edited if name in CODE else _typed)(rng, life.open[name])
                    before.append(new)
                life.open[name] = new
                session.change_all(life.uri(name), new)
                if rng.random() < 0.3:
                    await asyncio.sleep(rng.choice((0.0, 0.03, 0.3)))
            await shown_at_rest(session, life.shown)
            assert troubles(session) == []
            fresh = await life.fresh()
            for name in DOCUMENTS:
                uri = life.uri(name)
                now, then = life.shown.get(uri, []), fresh.get(uri, [])
                if now != then:
                    return "\n".join(
                        [f"seed {seed}, {name}", *(f"  shown {each}" for each in now if each not in then)]
                        + [f"  fresh {each}" for each in then if each not in now]
                    )
    return ""


async def test_lived_and_fresh_servers_say_the_same_of_drift(
    committed: Path, monkeypatch: pytest.MonkeyPatch, person: Path
) -> None:
    worker = Worker()
    monkeypatch.setattr(session_module, "Worker", lambda: SharedWorker(worker))
    told: list[Any] = []
    try:
        for low in range(0, LIVES, AT_ONCE):
            told += await asyncio.gather(*(_live(committed, seed) for seed in range(low, min(low + AT_ONCE, LIVES))))
    finally:
        worker.close()
    assert [each for each in told if each] == []
