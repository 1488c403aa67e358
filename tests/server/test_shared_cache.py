"""Two servers and the command line keep verdicts in one file, over one judge: nothing is lost, little is asked twice.

Each process has a key of its own, by which the judge knows who asks.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import pytest

from tests.bench.client import Arrived, Client
from tests.clients.scripted import Request, ScriptedServer, Step, after, hang
from tests.server.judged import answering, choose, claims_in

SECONDS = float(os.environ.get("CITE_LSP_TEST_SECONDS", "6"))
"""How long everybody writes. A minute of it is run by hand before a release."""
PROGRAM = [sys.executable, "-m", "cite_lsp"]
STEPS = range(3, 15)
"""What each document is about, a paragraph a step."""
HANG = 60.0

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "limits.py").write_text("".join(f"LIMIT_{number} = {number}\n\n" for number in range(99)))
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return folder


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(answering(slowly)) as server:
        choose(monkeypatch, server, tmp_path / "cache", API_KEY_ENV="ASKER", LIMITS_CONCURRENCY="2")
        yield server


def slowly(then: Step) -> Step:
    return after(0.03, then)


def sentence(document: str, edit: int, step: int) -> str:
    """A claim that is true, and another one after each edit; the edit is told in letters, since numbers are judged."""
    word = "".join(chr(ord("b") + int(digit)) for digit in str(edit))
    return f"In {document} {word} says that the limit of step {step} is {step} (`limits.py:{2 * step + 1}`)."


def asker_of(request: Request) -> str:
    return request.headers["authorization"].removeprefix("Bearer ")


def asked_by(requests: list[Request]) -> dict[str, Counter[str]]:
    """The claims that each process asked about, and how often."""
    asked: dict[str, Counter[str]] = {}
    for request in requests:
        asked.setdefault(asker_of(request), Counter()).update(claims_in([request]))
    return asked


def as_asker(name: str) -> Mapping[str, str]:
    return {**os.environ, "ASKER": name}


def judged_by_command(folder: Path, name: str) -> tuple[Counter[str], dict[str, int], str]:
    """Run `cite-lsp judge`; give its labels, what it says of judging, and its errors."""
    done = subprocess.run(
        [*PROGRAM, "judge", "--format", "json"],
        cwd=folder,
        env=as_asker(name),
        capture_output=True,
        check=False,
        timeout=HANG,
    )
    assert done.returncode == 0, done.stderr.decode()
    told = orjson.loads(done.stdout)
    labels = Counter(anchor["verdict"]["label"] for document in told["documents"] for anchor in document["anchors"])
    return labels, told["summary"]["judging"], done.stderr.decode()


def is_sound(cache: Path) -> bool:
    database = sqlite3.connect(cache / "verdicts-1.db")
    try:
        return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        database.close()


def count_kept(cache: Path) -> int:
    """How many verdicts another process finds."""
    path = cache / "verdicts-1.db"
    if not path.exists():
        return 0
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return sum(count for (count,) in database.execute("SELECT count(*) FROM verdicts"))
    except sqlite3.OperationalError:  # the table is being made
        return 0
    finally:
        database.close()


@dataclass
class Editor:
    """Somebody who has documents open in a server of their own, and edits and saves them."""

    folder: Path
    name: str
    documents: Mapping[str, str]
    """By path the word that its claims begin with."""
    log: Path
    lines: dict[str, list[str]] = field(default_factory=dict)
    edits: Counter[str] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)
    status: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        command = [*PROGRAM, "serve", "--log-file", str(self.log), "--log-level", "warning"]
        self.client = Client(command, self.folder, as_asker(self.name))
        self.client.on_other = self._see

    def _see(self, arrived: Arrived) -> None:
        method = arrived.message.get("method")
        if method == "cite-lsp/status":
            self.status = arrived.params
            if arrived.params["lastError"]:
                self.troubles.append(str(arrived.params["lastError"]))
        elif method == "window/showMessage" or (method == "window/logMessage" and arrived.params["type"] <= 2):
            self.troubles.append(arrived.params["message"])

    def begin(self) -> None:
        """Open all documents, save them and wait for their verdicts."""
        self.client.initialize({"trusted": True})
        self.client.initialized()
        for path, word in self.documents.items():
            self.lines[path] = [line for step in STEPS for line in (sentence(word, 0, step), "")]
            self._write(path)
            self.client.open(path, "\n".join(self.lines[path]))
            self.save(path)
        for path in self.documents:
            for line in range(0, 2 * len(STEPS), 2):
                self.wait_for(path, line)

    def edit(self, path: str) -> int:
        """Say something else in one line of a document, and save it; give the line."""
        self.edits[path] += 1
        place = self.edits[path] % len(STEPS)
        line, text = 2 * place, sentence(self.documents[path], self.edits[path], STEPS[place])
        old = len(self.lines[path][line])
        self.lines[path][line] = text
        ends = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": old}}
        self.client.change(path, [{"range": ends, "text": text}])
        self._write(path)
        self.save(path)
        return line

    def _write(self, path: str) -> None:
        part = self.folder / f"{path}.part"
        part.write_text("\n".join(self.lines[path]))
        part.replace(self.folder / path)

    def save(self, path: str) -> None:
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.client.uri_of(path)}})

    def wait_for(self, path: str, line: int) -> None:
        """Wait until hover says that a citation is supported."""
        at = {"line": line, "character": self.lines[path][line].index("(`") + 3}
        end = time.monotonic() + HANG
        while time.monotonic() < end:
            _, hover = self.client.ask(
                "textDocument/hover", {"textDocument": {"uri": self.client.uri_of(path)}, "position": at}
            )
            if hover is not None and "**supported**" in hover["contents"]["value"]:
                return
            time.sleep(0.02)
        raise AssertionError(f"{self.name}: no verdict of {path}:{line + 1}; {self.status}; {self.troubles}")

    def leave(self) -> None:
        self.client.leave()


class Patient(Editor):
    """Waits for the verdict of an edit before the next one: no run of this server is ever cut off."""

    def work(self, end: float) -> None:
        while time.monotonic() < end:
            for path in self.documents:
                self.wait_for(path, self.edit(path))


class Hasty(Editor):
    """Saves twice in a row: the second save ends what the first one asks."""

    saves = 0

    def work(self, end: float) -> None:
        while time.monotonic() < end:
            for path in self.documents:
                lines = []
                for pause in (0.02 * (self.saves % 4), 0):
                    lines.append(self.edit(path))
                    time.sleep(pause)
                self.saves += 1
                for line in lines:
                    self.wait_for(path, line)


def test_two_servers_and_the_command_line_share_what_was_said(
    folder: Path, judge: ScriptedServer, tmp_path: Path
) -> None:
    """The claims of both editors are the same, so that they are in each other's way as much as can be.

    Who may ask what, and how often:

    - An editor that waits asks about no claim twice, though two of its documents hold the same claims.
    - One that does not wait loses at a second save what the first one has asked and not heard, at most one row.
    - Runs of the command follow each other and end when all is written: what one of them knows, none asks later.
    - So a claim is asked by no more than the three processes that may not have known of each other: two servers,
      and the one run of the command that was there at that moment.
    """
    cache = tmp_path / "cache"
    patient = Patient(folder, "patient", {"a.md": "x", "b.md": "y", "e.md": "x"}, tmp_path / "patient.log")
    hasty = Hasty(folder, "hasty", {"c.md": "x", "d.md": "y"}, tmp_path / "hasty.log")
    failures: list[BaseException] = []

    def work(editor: Patient | Hasty, end: float) -> None:
        try:
            editor.begin()
            editor.work(max(end, time.monotonic() + SECONDS / 2))
            editor.leave()
        except BaseException as error:  # noqa: BLE001 - told below, in the thread of the test
            failures.append(error)

    with patient.client, hasty.client:
        end = time.monotonic() + SECONDS
        threads = [threading.Thread(target=work, args=(editor, end)) for editor in (patient, hasty)]
        for thread in threads:
            thread.start()
        runs = 0
        while any(thread.is_alive() for thread in threads):
            runs += 1
            _, account, errors = judged_by_command(folder, f"run-{runs}")
            assert (account["troubles"], errors) == ([], "")
        for thread in threads:
            thread.join()
    assert failures == []
    asked = asked_by(judge.requests)
    requests = len(judge.requests)

    # nothing is lost: neither the file nor what was said of the last texts
    labels, account, errors = judged_by_command(folder, "afterwards")
    assert len(judge.requests) == requests
    assert (labels, errors) == ({"supported": 5 * len(STEPS)}, "")
    assert account["cached"] == sum(labels.values())
    assert is_sound(cache)
    assert list(cache.glob("*.corrupt-*")) == []
    claims = set().union(*asked.values())
    assert count_kept(cache) == len(claims)

    # and nobody complained
    assert [*patient.troubles, *hasty.troubles] == []
    assert [editor.log.read_text() for editor in (patient, hasty)] == ["", ""]

    of_runs = [name for name in asked if name.startswith("run-")]
    assert set(asked["patient"].values()) == {1}
    assert asked["hasty"].total() - len(asked["hasty"]) <= hasty.saves
    assert [claim for claim, count in sum((asked[name] for name in of_runs), Counter[str]()).items() if count > 1] == []
    by_how_many = Counter(sum(claim in each for each in asked.values()) for claim in claims)
    assert max(by_how_many) <= 3
    print(
        f"{runs} runs of the command, of which {len(of_runs)} asked; saves: {patient.edits.total()} and "
        f"{hasty.edits.total()}; {requests} requests; claims: {len(claims)}; asked: {asked['patient'].total()} and "
        f"{asked['hasty'].total()}, {sum(asked[name].total() for name in of_runs)} by runs; "
        f"by how many processes: {dict(by_how_many)}; twice by the hasty: "
        f"{asked['hasty'].total() - len(asked['hasty'])}; kept: {count_kept(cache)}"
    )


@pytest.mark.parametrize("wait", ["until it is written", "no longer"])
def test_what_a_killed_server_had_written_is_not_asked_again(
    folder: Path, judge: ScriptedServer, tmp_path: Path, wait: str
) -> None:
    """Answers are written 32 at a time, so of 40 that were heard 32 are there for whoever comes afterwards."""
    cache = tmp_path / "cache"
    text = "\n".join(line for step in range(3, 67) for line in (sentence("x", 0, step), ""))
    (folder / "a.md").write_text(text)
    judge.script(*[answering()] * 5, hang())
    with Client([*PROGRAM, "serve"], folder, as_asker("killed")) as client:
        client.initialize({"trusted": True})
        client.initialized()
        client.open("a.md", text)
        client.notify("textDocument/didSave", {"textDocument": {"uri": client.uri_of("a.md")}})
        client.wait(lambda arrived: arrived.message.get("method") == "cite-lsp/status" and queued(arrived) == 24, HANG)
        end = time.monotonic() + HANG
        while wait == "until it is written" and count_kept(cache) < 32:
            assert time.monotonic() < end, "nothing is written"
            time.sleep(0.01)
        os.kill(client.pid, signal.SIGKILL)
    assert judge.wait_for(lambda server: server.running == 0)
    kept = count_kept(cache)
    assert kept in (32, 40) if wait == "until it is written" else kept in (0, 32, 40)
    assert is_sound(cache)
    before = len(judge.requests)
    judge.script(answering())
    labels, account, errors = judged_by_command(folder, "afterwards")
    assert (labels, account["cached"], errors) == ({"supported": 64}, kept, "")
    assert len(claims_in(judge.requests[before:])) == 64 - kept
    assert list(cache.glob("*.corrupt-*")) == []


def queued(arrived: Arrived) -> int:
    count: int = arrived.params["queued"]
    return count
