"""The soak in small: a minute in place of an hour, hundreds of files in place of thousands; and what it notices."""

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench import soak
from tests.bench.soak import Soak
from tests.bench.soak_client import SoakClient
from tests.bench.soak_ground import Repository
from tests.bench.soak_life import Life

_LIMIT = "--minutes 1 --seed 8 --rate 12 --files 300 --idle 15 --look 0.5"
_SERVER = """
import json, sys, time

def tell(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
    sys.stdout.flush()

def read():
    line = sys.stdin.buffer.readline()
    sys.stdin.buffer.readline()
    return json.loads(sys.stdin.buffer.read(int(line.split(b":")[1]))) if line else None

while asked := read():
    if asked["method"] == "edit":
        time.sleep(0.2)
        tell(id=900, method="workspace/applyEdit", params={"edit": {}})
        assert read()["id"] == 900
    tell(id=asked["id"], result=1)
    if asked["method"] == "twice":
        tell(id=asked["id"], result=2)
    if asked["method"] == "fault":
        tell(id=asked["id"] + 100, result=2)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="not run: what is left behind is read from /proc, which is Linux's")
def test_a_server_lives_through_a_short_soak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = tmp_path / "told.json"
    status = soak.main([*_LIMIT.split(), "--json", str(told)])
    assert status == 0, capsys.readouterr().out
    seen: dict[str, Any] = json.loads(told.read_text())
    assert sum(seen["steps"].values()) > 50
    assert seen["judge"]["asked"] > 0
    assert all(each["holds"] for each in seen["checks"])


def a_soak(minutes: float = 30.0) -> Soak:
    return Soak(minutes, seed=1, rate=1.0, files=1, idle=1.0, look=1.0)


@pytest.mark.parametrize(("last", "holds"), [(100.0, True), (104.0, True), (106.0, False), (90.0, True)])
def test_growth_is_told_by_the_medians(last: float, *, holds: bool) -> None:
    this = a_soak()
    this.samples = [(at, {"server": 100.0 if at < 1500 else last, "git": 0.0}) for at in range(1800)]
    this.samples[1700] = (1700, {"server": 900.0, "git": 0.0})  # one peak is no growth
    soak._check_memory(this)
    assert [each.holds for each in this.checks] == [holds]


def test_growth_of_a_short_run_is_shown_and_not_judged() -> None:
    this = a_soak(minutes=2.0)
    this.samples = [(at, {"server": 100.0 + at}) for at in range(120)]
    soak._check_memory(this)
    assert [each.holds for each in this.checks] == [True]
    assert "not judged" in this.checks[0].figure


def finding(line: int, code: str, message: str = "so") -> dict[str, Any]:
    start = {"line": line, "character": 0}
    return {"range": {"start": start, "end": start}, "code": code, "message": message}


@pytest.mark.parametrize(
    ("ours", "theirs", "without", "holds"),
    [
        ([finding(1, "missing")], [finding(1, "missing")], frozenset(), True),
        ([finding(1, "missing")], [], frozenset(), False),
        ([], [finding(1, "missing")], frozenset(), False),
        ([finding(1, "missing")], [finding(1, "missing", "other")], frozenset(), False),
        (
            [finding(1, "missing"), finding(2, "missing")],
            [finding(2, "missing"), finding(1, "missing")],
            frozenset(),
            False,
        ),
        ([finding(1, "moved")], [finding(1, "blank-line")], frozenset({"moved"}), True),
        ([finding(1, "moved")], [finding(2, "blank-line")], frozenset({"moved"}), False),
    ],
)
def test_a_difference_from_a_fresh_server_is_told(
    tmp_path: Path, ours: list[Any], theirs: list[Any], without: frozenset[str], *, holds: bool
) -> None:
    this, ground = a_soak(), Repository(tmp_path, 1)
    life = Life(None, ground, tmp_path, "utf-16", None)  # type: ignore[arg-type] - nothing is done, it has a name only
    life.open["README.md"] = ""
    uri = life.uri("README.md")
    soak._tell_differences(this, "same", life, {uri: ours}, {uri: theirs}, without)
    assert [each.holds for each in this.checks] == [holds]


@pytest.mark.parametrize(("method", "fault"), [("once", ""), ("twice", "2 times"), ("fault", "nothing that was asked")])
def test_an_answer_too_many_is_told(tmp_path: Path, method: str, fault: str) -> None:
    program = tmp_path / "server.py"
    program.write_text(_SERVER)
    command = [sys.executable, str(program)]
    with SoakClient(command, tmp_path, {}, tmp_path / "errors") as client:
        assert client.ask(method) in (1, 2)  # of two answers either may be the one that is read
        assert client.ask("more") == 1
        assert [fault in each for each in client.faults] == ([True] if fault else [])


def test_an_edit_is_applied_while_all_answers_are_waited_for(tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    program.write_text(_SERVER)
    with SoakClient([sys.executable, str(program)], tmp_path, {}, tmp_path / "errors") as client:
        life = Life(client, Repository(tmp_path, 1), tmp_path, "utf-16", random.Random(1))
        client.begin("edit")
        life.apply_wanted()
        client.all_answered(life.apply_wanted, 10.0)
        assert not client.open_requests
