"""Several processes keep verdicts at once, and some of them are killed."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cite_lsp.audit.judgement import Judged
from cite_lsp.audit.verdicts import Evidence, Row, Verdict
from cite_lsp.store import Verdicts

pytestmark = pytest.mark.usefixtures("person")

SECONDS = float(os.environ.get("CITE_LSP_TEST_SECONDS", "8"))
"""How long the writers write. A minute of it is run by hand before a release."""

JUDGING = """
import asyncio, sys, time
from cite_lsp.audit.judgement import Judged, Judgement
from cite_lsp.audit.verdicts import Evidence, Row, Verdict
from cite_lsp.judges.cached import CachedJudge
from cite_lsp.store import Verdicts


def row(name, number):
    return Row.of(claim=f"{name} {number}", lines=[(1, "x = 3")])


class Judge:
    identity, reads_file = "rules 1", False

    async def ask(self, rows, heard=None):
        answers = []
        for number, each in enumerate(rows):
            answers.append(Judged(Verdict("supported", evidence=(Evidence(0, 0, "x = 3"),)), time.time()))
            heard(number, answers[-1])
            await self.between(number)
        return Judgement(tuple(answers))

    async def between(self, number):
        await asyncio.sleep(0)

    async def close(self):
        pass
"""

WRITER = (
    JUDGING
    + """
async def write(folder, name, seconds):
    verdicts = Verdicts(folder, max_rows=1_000_000_000)  # nothing is to go because there is too much
    judge = CachedJudge(Judge(), verdicts)
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        rows = [row(name, number) for number in range(count, count + 50)]
        assert not any(each.cached for each in (await judge.ask(rows)).answers)
        assert all(each.cached for each in (await judge.ask(rows[::7])).answers)
        count += 50
        await asyncio.sleep(0.01)
    await judge.close()
    print(count, verdicts.message)

asyncio.run(write(sys.argv[1], sys.argv[2], float(sys.argv[3])))
"""
)

KILLED = (
    JUDGING
    + """
class Slow(Judge):
    async def between(self, number):
        if number % 32 == 31:  # the answers of one write; go on when another process can see them
            keys = [row(sys.argv[2], each).key(self.identity) for each in range(number - 31, number + 1)]
            while len(other.recall(keys)) < 32:
                await asyncio.sleep(0.001)
            print(number + 1, flush=True)

other = Verdicts(sys.argv[1])
rows = [row(sys.argv[2], number) for number in range(100_000)]
asyncio.run(CachedJudge(Slow(), Verdicts(sys.argv[1])).ask(rows))
"""
)


def key(name: str, number: int) -> str:
    return Row.of(claim=f"{name} {number}", lines=[(1, "x = 3")]).key("rules 1")


def is_sound(folder: Path) -> bool:
    database = sqlite3.connect(folder / "verdicts-1.db")
    try:
        return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        database.close()


def test_two_writers_and_imports_at_once_lose_nothing(tmp_path):
    cache = tmp_path / "cache"
    theirs = Verdicts(str(tmp_path / "theirs"))
    program = [sys.executable, "-m", "cite_lsp", "cache"]
    environment = {**os.environ, "CITE_LSP_CACHE_PATH": str(cache), "CITE_LSP_CACHE_MAX_ROWS": "1000000000"}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(cache), name, str(SECONDS)], stdout=subprocess.PIPE)
        for name in "ab"
    ]
    imported = 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        verdict = Verdict("supported", evidence=(Evidence(0, 0, "x = 3"),))
        theirs.keep({key("c", number): Judged(verdict, 5.0) for number in range(imported, imported + 200)})
        theirs.export_to(str(tmp_path / "v.jsonl.gz"))
        done = subprocess.run([*program, "import", "v.jsonl.gz"], cwd=tmp_path, env=environment, check=True)
        assert done.returncode == 0
        imported += 200
        subprocess.run([*program, "info"], cwd=tmp_path, env=environment, check=True, stdout=subprocess.DEVNULL)
    theirs.close()
    wrote = [writer.communicate(timeout=SECONDS + 60)[0].decode().split(maxsplit=1) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert [message for _, *message in wrote] == [[], []]
    counts = {"c": imported, **{name: int(count) for name, (count, *_) in zip("ab", wrote, strict=True)}}
    print(counts)
    assert min(counts.values()) > 0
    verdicts = Verdicts(str(cache))
    for name, count in counts.items():
        assert len(verdicts.recall(key(name, number) for number in range(count))) == count
    assert verdicts.info().rows == sum(counts.values())
    verdicts.close()
    assert is_sound(cache)
    assert [path.name for path in cache.glob("*.corrupt-*")] == []


def test_a_process_that_is_killed_loses_its_last_answers_at_most(tmp_path):
    for round_ in range(4):
        command = [sys.executable, "-c", KILLED, str(tmp_path), f"r{round_}"]
        child = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert child.stdout is not None
        for _ in range(2 + round_):
            child.stdout.readline()
        time.sleep(0.003 * round_)
        child.send_signal(signal.SIGKILL)
        told = [2 + round_, *[int(line) // 32 for line in child.communicate()[0].split()]][-1] * 32
        verdicts = Verdicts(str(tmp_path))
        found = verdicts.recall(key(f"r{round_}", number) for number in range(told + 96))
        assert len(found) in (told, told + 32)
        assert {key(f"r{round_}", number) for number in range(len(found))} == found.keys()
        assert verdicts.keep({key("after", round_): Judged(Verdict("unchecked"), 1.0)})
        assert verdicts.message == ""
        verdicts.close()
        assert is_sound(tmp_path)
    assert [path.name for path in tmp_path.glob("*.corrupt-*")] == []
