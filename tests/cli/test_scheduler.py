"""`cite-lsp judge --scheduler`: on a real Dask cluster of processes on this machine, one of which is killed."""

import asyncio
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from cite_lsp.cli import dask_cluster
from cite_lsp.config import user_file_path
from cite_lsp.judges.parcels import Parcel
from cite_lsp.judges.shown_lines import KEPT_BACK
from tests.clients.scripted import Exchange, Gone, ScriptedServer, Step, asked, by_request, reply_for
from tests.judges.put_rows import agree, answer_rows, put_rows

pytest.importorskip("distributed", reason="not run: Dask is not installed; pip install 'cite-lsp[dask]'")
MACHINES = Path(__file__).with_name("dask_machines.py")
KEY = "AKIAIOSFODNN7ABCDEFG"
"""Looks like one."""


@dataclass
class Machine:
    """A process of a cluster."""

    process: subprocess.Popen[str]
    address: str
    more: str = ""
    home: Path = Path()

    @property
    def workers(self) -> list[int]:
        return [int(each) for each in self.more.split()]


@contextmanager
def machine(*role: str, lines: int = 1, **environment: str) -> Iterator[Machine]:
    """A machine while it is needed; its lines of log are kept, and shown where it does not start."""
    command = [sys.executable, str(MACHINES), *role]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **environment},
        cwd=Path(__file__).parents[2],
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        told = [process.stdout.readline().strip() for _ in range(lines)]
        assert told[0].startswith("tcp://127.0.0."), told
        yield Machine(process, told[0], *told[1:])
    finally:
        process.stdin.close()
        if role[0] != "local":  # it has no children of its own, and would say goodbye to who has gone
            process.kill()
        process.wait(30)
        process.stdout.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[Machine]:
    """Two workers, with an environment and a home of their own."""
    home = tmp_path_factory.mktemp("elsewhere")
    with machine("local", "2", lines=2, HOME=str(home), TEAM_KEY="the-key-of-the-workers", XDG_CONFIG_HOME="") as found:
        found.home = home
        yield found


@pytest.fixture(autouse=True)
def _own_key(monkeypatch):
    monkeypatch.setenv("TEAM_KEY", "the-key-of-this-machine")


def corpus(documents: int, citations: int = 1, wrong: float = 0.3, lines: int = 6) -> dict[str, str]:
    """So many documents about a few modules; some of their claims are wrong."""
    drawn = random.Random(7)
    files = {"cite-lsp.toml": ""}
    for number in range(20):
        files[f"src/m{number}.py"] = "".join(f"LIMIT_{number}_{line} = {line * 3}\n" for line in range(lines))
    for number in range(documents):
        claims = []
        for _ in range(citations):
            module, line = drawn.randrange(20), drawn.randrange(lines)
            value = line * 3 + (drawn.random() < wrong)
            claims.append(f"`LIMIT_{module}_{line}` is {value} (`src/m{module}.py:{line + 1}`).\n")
        files[f"docs/d{number:04}.md"] = f"# Document {number}\n\n" + "\n".join(claims)
    return files


def told(raw: bytes) -> dict:
    """A report without what time it is, and how long it took."""
    text = re.sub(r'"(judged_at|seconds)":("[^"]*"|[0-9.]+)', r'"\1":0', raw.decode())
    return json.loads(text)


def parcels(monkeypatch) -> list[bytes]:
    """All that is sent from now on by this process."""
    sent: list[bytes] = []
    packed = Parcel.packed

    def noted(self: Parcel) -> bytes:
        sent.append(packed(self))
        return sent[-1]

    monkeypatch.setattr(Parcel, "packed", noted)
    return sent


# The same as here


def test_a_thousand_documents_while_a_worker_is_killed(cluster, process, workspace):
    folder = workspace(corpus(1000))
    here = process(folder, "judge", "--format", "json")
    command = [sys.executable, "-m", "cite_lsp", "judge", "--scheduler", cluster.address, "--format", "json"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as there:
        assert there.stdout is not None
        assert there.stderr is not None
        begun = b"".join(there.stdout.readline() for _ in range(100))
        os.kill(cluster.workers[0], signal.SIGKILL)
        raw = begun + there.stdout.read()
        assert (there.wait(60), there.stderr.read()) == (0, b"")
    assert told(raw) == told(here.raw)
    summary = told(raw)["summary"]
    assert (summary["documents"], summary["judging"]["judged"]) == (1000, 1000)
    assert summary["verdicts"]["unsupported"] > 100
    assert [each["path"] for each in told(raw)["documents"]] == sorted(
        f"docs/d{number:04}.md" for number in range(1000)
    )


def test_the_text_is_the_same_too(cluster, process, workspace):
    folder = workspace(corpus(2, citations=130))
    here, there = (process(folder, "judge", *more) for more in ([], ["--scheduler", cluster.address]))
    assert re.sub(r" in [0-9.]+ s", "", there.out) == re.sub(r" in [0-9.]+ s", "", here.out)
    assert (there.code, there.err) == (here.code, here.err) == (0, "")


def test_an_estimate_sends_nothing(cli, workspace):
    ran = cli(workspace(corpus(2)), "judge", "--estimate", "--scheduler", "tcp://127.0.0.1:9")
    assert "judge: embedded/2 (on the cluster at tcp://127.0.0.1:9)\n" in ran.out
    assert "nothing was sent\n" in ran.out
    assert (ran.code, ran.err) == (0, "")


# A judge over HTTP


def answering() -> Step:
    return by_request(lambda request: reply_for("openai", answer_rows(asked("openai", request).user, agree), (100, 20)))


def claims(server: ScriptedServer) -> list[str]:
    rows = [row for request in server.requests for row in put_rows(asked("openai", request).user)]
    return [row.claim for row in rows if not row.canary]


def to(server: ScriptedServer, cluster: Machine, *more: str) -> list[str]:
    base = server.base("openai")
    user = Path(user_file_path())
    user.parent.mkdir(parents=True, exist_ok=True)
    if not user.exists():
        user.write_text(f'[judge]\nname = "openai"\nmodel = "m"\nbase_url = "{base}"\napi_key_env = "TEAM_KEY"\n')
    return ["judge", "--scheduler", cluster.address, *more]


def test_workers_take_their_own_key_and_nothing_is_asked_twice(cluster, cli, workspace, monkeypatch):
    folder = workspace(corpus(6, wrong=0))
    sent = parcels(monkeypatch)
    with ScriptedServer(answering()) as server:
        ran = cli(folder, *to(server, cluster, "--format", "json"))
        assert (ran.code, ran.err) == (0, "")
        assert len(claims(server)) == 6
        assert {each.headers["authorization"] for each in server.requests} == {"Bearer the-key-of-the-workers"}
        assert len(sent) == 6
        assert not any(b"the-key-of-this-machine" in each for each in sent)
        summary = told(ran.raw)["summary"]["judging"]
        assert (summary["judged"], summary["requests"], summary["tokens_in"]) == (6, 6, 600)
        server.requests.clear()
        sent.clear()
        again = cli(folder, *to(server, cluster, "--format", "json"))
        assert told(again.raw)["summary"]["judging"]["cached"] == 6
        assert (server.requests, sent) == ([], [])
        assert told(cli(folder, "judge", "--format", "json").raw) == told(again.raw), "known to a run without a cluster"


def test_headers_are_not_sent(cluster, cli, workspace, monkeypatch):
    folder = workspace(corpus(3))
    sent = parcels(monkeypatch)
    with ScriptedServer(answering()) as server:
        arguments = to(server, cluster)
        user = Path(user_file_path())
        user.write_text(user.read_text() + 'headers = { "X-Pass" = "open-sesame" }\n')
        ran = cli(folder, *arguments)
        assert ran.code == 3
        assert "3 citations not judged: judge.headers are not sent to a cluster, and a worker has no X-Pass" in ran.err
        assert server.requests == []
        theirs = cluster.home / user.relative_to(os.environ["HOME"])
        theirs.parent.mkdir(parents=True)
        theirs.write_text(user.read_text().replace("open-sesame", "knock-knock"))
        ran = cli(folder, *arguments)
        theirs.unlink()
        assert (ran.code, ran.err) == (0, "")
        assert {each.headers["x-pass"] for each in server.requests} == {"knock-knock"}
    assert len(sent) == 6
    assert not any(b"open-sesame" in each for each in sent)


def test_the_limits_of_a_day_hold_for_all_workers_together(cluster, cli, workspace):
    folder = workspace(corpus(8, wrong=0))
    with ScriptedServer(answering()) as server:
        arguments = to(server, cluster)
        user = Path(user_file_path())
        user.write_text(user.read_text() + "limits = { max_rows_per_day = 5, max_turns = 1 }\n")
        ran = cli(folder, *arguments)
        assert len(claims(server)) == 5
        assert ran.code == 3
        assert "3 citations not judged: judge.limits.max_rows_per_day is 5" in ran.err
        assert len(claims(server)) == 5


# What stays on this machine


def test_what_is_excluded_ignored_or_looks_like_a_key_is_judged_here(cluster, cli, workspace, monkeypatch):
    files = corpus(3)
    files["cite-lsp.toml"] = '[judge]\nexclude = ["src/closed.py", "docs/closed.md"]\n'
    files[".gitignore"] = "src/ignored.py\n"
    files |= {f"src/{name}.py": f"{name.upper()}_CAP = 3\n" for name in ("closed", "ignored", "open")}
    files["src/key.py"] = f'KEY_CAP = 3\nKEY = "{KEY}"\n'
    names = ("closed", "ignored", "open", "key")
    files["docs/all.md"] = "\n".join(f"`{name.upper()}_CAP` is 4 (`src/{name}.py:1`).\n" for name in names)
    files["docs/closed.md"] = "`OPEN_CAP` is 3 in closed quarters (`src/open.py:1`).\n"
    folder = workspace(files)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    here = cli(folder, "judge", "--format", "json")
    sent = parcels(monkeypatch)
    there = cli(folder, "judge", "--format", "json", "--scheduler", cluster.address)
    assert told(there.raw) == told(here.raw)
    assert all(any(name.encode() in each for each in sent) for name in ("CLOSED_CAP", KEY)), "it is all this machine"
    sent.clear()
    monkeypatch.setattr(dask_cluster, "_is_loopback", lambda host: False)
    there = cli(folder, "judge", "--format", "json", "--scheduler", cluster.address)
    assert told(there.raw) == told(here.raw)
    assert any(b"OPEN_CAP" in each for each in sent)
    for text in ("CLOSED_CAP", "IGNORED_CAP", "KEY_CAP", KEY, "closed quarters"):
        assert not any(text.encode() in each for each in sent), text


def test_the_end_of_a_tunnel_is_not_this_machine(cli, workspace, monkeypatch):
    files = corpus(3) | {"cite-lsp.toml": '[judge]\nexclude = ["src/closed.py"]\n', "src/closed.py": "CLOSED_CAP = 3\n"}
    files["docs/all.md"] = "`CLOSED_CAP` is 4 (`src/closed.py:1`).\n"
    folder = workspace(files)
    sent = parcels(monkeypatch)
    with machine("scheduler") as scheduler, machine("worker", scheduler.address, "other-host"):
        assert cli(folder, "judge", "--scheduler", scheduler.address).code == 0
    assert any(b"LIMIT_" in each for each in sent)
    assert not any(b"CLOSED_CAP" in each for each in sent)


async def test_whoever_joins_later_from_elsewhere_is_given_nothing():
    async def packed() -> bytes:
        return b"no parcel"

    def opened_by(dask_worker: object) -> int:
        """How many tasks a worker was given, as its log says; a local name, so that it travels without this module."""
        return sum(str(each).count("compute-task") for each in dask_worker.state.stimulus_log)  # type: ignore[attr-defined]

    with machine("scheduler") as scheduler, machine("worker", scheduler.address) as worker:
        cluster = dask_cluster.DaskCluster(scheduler.address)
        try:
            assert not await cluster.leaves()
            with machine("worker", scheduler.address, "later") as later:
                assert later.address.startswith("tcp://127.0.0.2:")
                await asyncio.gather(*(cluster.answer(packed) for _ in range(12)))
                who = await cluster._client.scheduler.identity()
                tasks = {name: each["metrics"]["task_counts"] for name, each in who["workers"].items()}
                assert set(tasks) == {worker.address, later.address}
                opened = await cluster._client.run(opened_by, workers=[later.address, worker.address])
                assert opened[later.address] == 0
                assert opened[worker.address] > 0
        finally:
            await cluster.close()


def test_no_line_that_looks_like_a_key_goes_to_a_worker_that_asks_a_model(cluster, cli, workspace, monkeypatch):
    text = f'CAP = 3\nKEY = "{KEY}"\nLAST = 5\n'
    claim = f"The key is {KEY} (`src/a.py:1`)."
    folder = workspace(
        {"cite-lsp.toml": "", "src/a.py": text, "docs/a.md": f"The cap is 3 (`src/a.py:1-3`).\n\n{claim}\n"}
    )
    sent = parcels(monkeypatch)
    with ScriptedServer(answering()) as server:
        there = cli(folder, *to(server, cluster, "--format", "json", "--no-cache"))
        here = cli(folder, "judge", "--format", "json", "--no-cache")
    assert told(there.raw) == told(here.raw)
    assert [anchor["verdict"]["label"] for anchor in told(here.raw)["documents"][0]["anchors"]] == [
        "supported",
        "unchecked",
    ]
    assert len(sent) == 1
    assert KEY.encode() not in sent[0]
    one, other = ([row for row in put_rows(asked("openai", each).user) if not row.canary] for each in server.requests)
    assert [(row.claim, row.sentence, row.lines) for row in one] == [
        ("The cap is 3.", "", ("CAP = 3", KEPT_BACK, "LAST = 5"))
    ]
    assert [(row.claim, row.lines) for row in other] == [(row.claim, row.lines) for row in one]


# How it fails


def not_judged(ran, message: str, documents: int = 3) -> None:
    """One line says so, the exit status too, and nothing is called good."""
    assert ran.code == 3
    lines = ran.err.splitlines()
    assert len(lines) == 1, ran.err
    assert lines[0].startswith(f"cite-lsp: {documents} citations not judged: "), ran.err
    assert message in lines[0], ran.err
    assert f"0 judged, {documents} not judged" in ran.out


def test_an_address_that_is_none(cli, workspace):
    folder = workspace(corpus(1))
    for address in ("127.0.0.1:8786", "http://127.0.0.1:8786", "tcp://:1", "tcp://a:99999", ""):
        ran = cli(folder, "judge", "--scheduler", address)
        assert (ran.code, ran.out) == (2, "")
        assert "legal is tcp://host:port or tls://host:port" in ran.err


def test_without_dask(workspace):
    code = "import sys; sys.modules['distributed'] = None; from cite_lsp.cli.app import main; main()"
    command = [sys.executable, "-c", code, "judge", "--scheduler", "tcp://127.0.0.1:9"]
    ran = subprocess.run(command, cwd=workspace(corpus(1)), capture_output=True, text=True, check=False)
    told = "cite-lsp: --scheduler needs Dask, which is not installed here: pip install 'cite-lsp[dask]'\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", told)


def test_nobody_at_the_address(process, workspace):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        code = "from cite_lsp.cli import app, dask_cluster; dask_cluster.CONNECT_SECONDS = 1.0; app.main()"
        command = [sys.executable, "-c", code, "judge", "--scheduler", address]
        ran = subprocess.run(command, cwd=workspace(corpus(3)), capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 3
    (line,) = ran.stderr.splitlines()
    assert re.search(
        rf"3 citations not judged: the scheduler at {address} cannot be reached \(.+\), so nothing was", line
    )
    assert "0 judged, 3 not judged" in ran.stdout


def test_jobs_are_of_this_machine(cli, workspace):
    ran = cli(workspace(corpus(1)), "judge", "--scheduler", "tcp://127.0.0.1:9", "--jobs", "2")
    assert (ran.code, ran.out) == (2, "")
    assert "give one of them" in ran.err


def test_a_scheduler_that_takes_the_connection_and_says_nothing(workspace):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        code = "from cite_lsp.cli import app, dask_cluster; dask_cluster.CONNECT_SECONDS = 1.0; app.main()"
        command = [sys.executable, "-c", code, "judge", "--scheduler", address]
        ran = subprocess.run(command, cwd=workspace(corpus(3)), capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 3
    (line,) = ran.stderr.splitlines()
    assert f"the scheduler at {address} cannot be reached (no answer within 1 s), so nothing was sent" in line
    assert "0 judged, 3 not judged" in ran.stdout


def test_a_scheduler_that_stops_while_they_judge(workspace):
    folder = workspace(corpus(30, citations=8, lines=40))
    timed = "dask_cluster.PATIENCE = dask_cluster.CONNECT_SECONDS = 2.0"
    code = f"from cite_lsp.cli import app, dask_cluster; {timed}; app.main()"
    with machine("scheduler") as scheduler, machine("worker", scheduler.address):
        command = [sys.executable, "-c", code, "judge", "--scheduler", scheduler.address, "--format", "json"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            assert run.stdout is not None
            assert run.stderr is not None
            begun = b"".join(run.stdout.readline() for _ in range(3))
            scheduler.process.send_signal(signal.SIGSTOP)
            raw = begun + run.stdout.read()
            errors = run.stderr.read().decode()
            assert run.wait(60) == 3, errors
    assert f"the scheduler at {scheduler.address} has not answered for 2 s; what was" in errors
    assert told(raw)["summary"]["verdicts"]["unchecked"] > 0


def test_workers_that_are_not_there_or_not_the_same(cli, workspace, monkeypatch):
    folder = workspace(corpus(3))
    sent = parcels(monkeypatch)
    monkeypatch.setattr(dask_cluster, "PATIENCE", 1.0)
    with machine("scheduler") as scheduler:
        judge = ("judge", "--scheduler", scheduler.address)
        not_judged(cli(folder, *judge), "has had no worker for 1 s, so nothing was sent: start one with dask worker")
        with machine("worker", scheduler.address, "without-package") as worker:
            ran = cli(folder, *judge)
            not_judged(ran, f"the worker at {worker.address} cannot load cite-lsp (")
            assert "so nothing was sent: install cite-lsp==" in ran.err
        with machine("worker", scheduler.address, "other-version") as worker:
            not_judged(cli(folder, *judge), f"the worker at {worker.address} has cite-lsp 0.0.9, and here it is ")
        assert sent == []
        with machine("worker", scheduler.address):
            assert cli(folder, *judge).code == 0


def test_all_workers_or_the_scheduler_die_while_they_judge(workspace, tmp_path):
    folder = workspace(corpus(30, citations=8, lines=40))
    code = "from cite_lsp.cli import app, dask_cluster; dask_cluster.PATIENCE = 1.0; app.main()"
    for dies, message in (("worker", "has had no worker for 1 s"), ("scheduler", "the connection to the scheduler at")):
        with machine("scheduler") as scheduler, machine("worker", scheduler.address) as worker:
            command = [sys.executable, "-c", code, "judge", "--scheduler", scheduler.address, "--format", "json"]
            with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                assert run.stdout is not None
                assert run.stderr is not None
                begun = b"".join(run.stdout.readline() for _ in range(3))
                {"worker": worker, "scheduler": scheduler}[dies].process.kill()
                report = told(begun + run.stdout.read())
                errors = run.stderr.read().decode()
                assert run.wait(60) == 3, errors
        assert len(errors.splitlines()) == 1, errors
        assert message in errors
        assert "what was answered is kept, and a second run asks for the rest" in errors
        verdicts = report["summary"]["verdicts"]
        assert report["summary"]["documents"] == 30
        assert verdicts["unchecked"] > 0
        assert 0 < report["summary"]["judging"]["judged"] < 240


def test_an_interrupt_ends_what_workers_ask(cluster, workspace):
    folder = workspace(corpus(6))
    left: list[int] = []

    def hangs(exchange: Exchange) -> None:
        try:
            exchange.wait(60)
        except Gone:
            left.append(1)
            raise

    with ScriptedServer(hangs) as server:
        command = [sys.executable, "-m", "cite_lsp", *to(server, cluster)]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            until(lambda: len(server.requests) == 2)
            run.send_signal(signal.SIGINT)
            out, errors = run.communicate(timeout=60)
        assert run.returncode == 130
        left_over = "6 documents are left; what was answered is kept, and a second run asks for the rest"
        assert errors.decode() == f"cite-lsp: interrupted: {left_over}\n"
        assert out.startswith(b"0 documents, ")
        until(lambda: len(left) == 2)
        assert len(server.requests) == 2, "the others were taken back before a worker began with them"


def until(happened: Callable[[], bool]) -> None:
    """Wait for something that comes about by itself."""
    end = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)
