"""After whatever a client did, the server says what a fresh one says: nothing is left over, nothing is missing."""

import asyncio
import itertools
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

import cite_lsp.server.protocol as protocol_module
import cite_lsp.server.session as session_module
from cite_lsp.server.protocol import make_server
from cite_lsp.worker.client import Worker
from tests.server.at_rest import SharedWorker, shown_at_rest, troubles
from tests.server.living import ENCODINGS, VERDICTS, Life, Step, make_folder, steps

LIVES = 250
SEQUENCES = 4  # of each life; after each it is compared
AT_ONCE = 40


@pytest.fixture(scope="session")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A work tree with a little history."""
    folder = tmp_path_factory.mktemp("committed")
    (folder / "src").mkdir()
    (folder / "docs").mkdir()
    (folder / "src/old.py").write_text("a = 1\nb = 2\nc = 3\n")
    (folder / "docs/plan.md").write_text("See `src/old.py:2`.\n")
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        [*who, "commit", "-qm", "one"],
        ["mv", "src/old.py", "src/gone.py"],
        [*who, "commit", "-qm", "two"],
        ["mv", "src/gone.py", "src/pool.py"],
        [*who, "commit", "-qm", "three"],
    ):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return folder


def faults(life: Life, fresh: dict[str, Any], without: frozenset[str] = frozenset()) -> str:
    """Where the two differ; "" where they do not."""
    lines = []
    for name in life.open:
        uri = life.uri(name)
        now, then = (
            [each for each in side.get(uri, ()) if each.get("code") not in without] for side in (life.shown, fresh)
        )
        if now != then:
            lines += [name, f"  text   {life.open[name]!r}", f"  shown  {now}", f"  fresh  {then}"]
    return "\n".join(lines)


async def live(folder: Path, encoding: str, pulls: bool, judges: bool, plan: list[list[Step]]) -> str:
    """Live through sequences of steps; say where the server's view and a fresh one's differ."""
    run = "save" if judges else "manual"
    life = Life(folder, encoding, pulls, make_server, base={"judge": {"run": run}, "drift": {"enabled": False}})
    without = VERDICTS | {"unused-ignore"} if judges else frozenset()
    done: list[Step] = []
    async with life.session() as session:
        await session.settled()
        for sequence in plan:
            for step in sequence:
                done.append(step)
                await life.do(session, step)
            await shown_at_rest(session, life.shown)
            assert troubles(session) == []
            for name, text in life.open.items():
                kept = session.server.session.documents[life.uri(name)].buffer.text
                assert kept == text, (done, name, kept, text)
            found = faults(life, await life.fresh(), without)
            if found:
                return f"{found}\n  settings {life.tree}\n  steps {done}"
        if judges:
            for name in life.open:
                life.save(session, name)
            await shown_at_rest(session, life.shown)
            # the files are what the buffers hold: those that a save made appear are listed by both
            found = faults(life, await life.fresh(save=True))
            if found:
                return f"after saving all\n{found}\n  settings {life.tree}\n  steps {done}"
    return ""


def plan_of(seed: int) -> tuple[random.Random, str, bool, bool, bool, list[list[Step]]]:
    """What a seed stands for: the way of the client, and its steps."""
    rng = random.Random(seed)
    encoding = ENCODINGS[seed % 3]
    pulls, judges, git = rng.random() < 0.5, seed % 5 == 0, seed % 8 == 0
    return rng, encoding, pulls, judges, git, [steps(rng, rng.randint(3, 20)) for _ in range(SEQUENCES)]


async def test_the_server_says_what_a_fresh_one_says(
    tmp_path: Path, committed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = [Worker() for _ in range(4)]
    turn = itertools.cycle(workers)
    monkeypatch.setattr(session_module, "Worker", lambda: SharedWorker(next(turn)))
    converter = protocol_module.lenient_converter()
    monkeypatch.setattr(protocol_module, "lenient_converter", lambda: converter)
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(seed: int) -> str:
        async with gate:
            rng, encoding, pulls, judges, git, plan = plan_of(seed)
            folder = tmp_path / f"life{seed}"
            make_folder(folder, rng, committed if git else None)
            found = await live(folder, encoding, pulls, judges, plan)
            return f"seed {seed}, {encoding}\n{found}" if found else ""

    found = [each for each in await asyncio.gather(*map(one, range(LIVES))) if each]
    for worker in workers:
        worker.close()
    assert not found, f"{len(found)} of {LIVES} {[each.split(chr(10))[0] for each in found]}\n" + "\n\n".join(found[:3])
