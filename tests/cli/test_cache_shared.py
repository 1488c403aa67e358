"""The command line over a shared cache: nobody asks what another one has asked, and nobody waits when it is away."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
import pytest

from cite_lsp.cli.output_schema import output_schema
from tests.cli.test_policy_command import FILES as LOGS
from tests.cli.test_policy_command import RULES
from tests.clients.scripted import ScriptedServer
from tests.clients.systemone_server import serving
from tests.server.judged import answering, choose, claims_in
from tests.store.redis_process import RedisProcess, needed

CITING = "The limit {0} is {0} (`src/limits.py:{1}`).\n\n"
FILES = {
    "src/limits.py": "".join(f"LIMIT_{number} = {number}\n\n" for number in range(9)),
    "docs/a.md": "".join(CITING.format(number, 2 * number + 1) for number in range(5)),
    "cite-lsp.toml": "",
}
SECRET = "s3cretly"  # noqa: S105 - of a server that ends with the test


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisProcess]:
    needed()
    server = RedisProcess(tmp_path)
    yield server
    server.kill()


@pytest.fixture
def judge() -> Iterator[ScriptedServer]:
    with ScriptedServer(answering()) as server:
        yield server


@pytest.fixture
def at(monkeypatch, tmp_path, judge, redis) -> Callable[[str], None]:
    """Be somebody with a machine of their own, and the team's cache."""

    def sit(name: str) -> None:
        choose(monkeypatch, judge, tmp_path / name)
        monkeypatch.setenv("CITE_LSP_CACHE_URL", redis.url.replace("//", f"//:{SECRET}@"))

    redis.client().config_set("requirepass", SECRET)
    return sit


def told(ran) -> dict:
    data = json.loads(ran.raw)
    jsonschema.Draft202012Validator(output_schema()).validate(data)
    return data


def test_what_one_machine_has_asked_another_one_does_not_ask(cli, workspace, at, judge, redis):
    folder = workspace(FILES)
    at("one")
    assert told(cli(folder, "judge", "--format", "json"))["summary"]["verdicts"]["supported"] == 5
    assert len(claims_in(judge.requests)) == 5
    at("two")
    ran = cli(folder, "judge", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    found = [anchor["verdict"] for document in told(ran)["documents"] for anchor in document["anchors"]]
    assert [(each["label"], each["cached"]) for each in found] == [("supported", True)] * 5
    assert len(claims_in(judge.requests)) == 5
    redis.kill()
    ran = cli(folder, "judge", "--format", "json")  # all is on this machine by now: nobody even looks
    assert (ran.code, ran.err) == (0, "")
    assert len(claims_in(judge.requests)) == 5


def test_without_the_cache_everything_goes_on_and_it_is_said_once(cli, workspace, at, judge, redis):
    folder = workspace(FILES)
    at("one")
    redis.kill()
    ran = cli(folder, "judge")
    assert ran.code == 0
    assert "5 supported" in ran.out
    assert ran.err.count("the shared cache at") == 1
    assert f"redis://127.0.0.1:{redis.port}/0 cannot be reached" in ran.err
    assert SECRET not in ran.err + ran.out
    ran = cli(folder, "judge", "--no-cache")
    assert "shared cache" not in ran.err


def test_what_is_not_cached_is_not_shared(cli, workspace, at, redis):
    at("one")
    assert cli(workspace(FILES), "judge", "--no-cache").code == 0
    assert redis.client(password=SECRET).dbsize() == 0


def test_policies_are_not_asked_again(cli, workspace, at, monkeypatch):
    folder = workspace(LOGS)
    with serving() as model:
        model.script(rules=RULES, default=0.1, faults=[], delay=0.0, key=None, usage=True)
        command = ["policy", "run", "--judge", "decision", "--base-url", model.url]
        found = []
        for name in ("one", "two"):
            at(name)
            for row in ("NAME", "MODEL", "BASE_URL"):
                monkeypatch.delenv(f"CITE_LSP_JUDGE_{row}")
            ran = cli(folder, *command)
            assert "shared cache" not in ran.err
            found.append((ran.code, ran.out.split("\n1 document")[0], model.counts()["requests"]))
        assert found[0] == found[1]
        assert found[0][2] > 0


def test_info_clear_and_import(cli, process, workspace, at, redis):
    folder = workspace(FILES)
    at("one")
    assert cli(folder, "judge").code == 0
    out = cli(folder, "cache", "info").out
    assert f"redis://127.0.0.1:{redis.port}/0: shared with others, 5 verdicts, 0 answers to policies" in out
    assert "the connection is not encrypted" in out
    assert json.loads(cli(folder, "cache", "info", "--format", "json").raw)["shared"]["verdicts"] == 5
    assert cli(folder, "cache", "export", "kept.jsonl").code == 0
    ran = cli(folder, "cache", "clear")
    assert f"what is shared in redis://127.0.0.1:{redis.port}/0 stays; --shared forgets that as well" in ran.out
    client = redis.client(password=SECRET)
    assert client.dbsize() == 5
    assert "forgot 5 verdicts and answers of everybody in redis://" in cli(folder, "cache", "clear", "--shared").out
    assert client.dbsize() == 0
    assert "wrote 5 verdicts to redis://" in cli(folder, "cache", "import", "kept.jsonl", "--shared").out
    assert client.dbsize() == 5
    redis.kill()
    ran = cli(folder, "cache", "info")
    assert (ran.code, "not in use" in ran.out, "cannot be reached" in ran.out) == (0, True, True)
    ran = process(folder, "cache", "clear", "--shared")
    assert (ran.code, "cannot be reached" in ran.err) == (3, True)
    assert SECRET not in ran.err + ran.out


def test_shared_without_a_shared_cache_is_a_question_of_settings(cli, workspace, monkeypatch, tmp_path):
    monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(tmp_path / "cache"))
    folder = workspace({})
    for command in (["clear", "--shared"], ["import", "a.jsonl", "--shared"]):
        ran = cli(folder, "cache", *command)
        assert (ran.code, "CITE_LSP_CACHE_URL" in ran.err) == (2, True)
    assert json.loads(cli(folder, "cache", "info", "--format", "json").raw)["shared"] is None
