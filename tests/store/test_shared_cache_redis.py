"""What a team shares in a real Redis server: it comes back, it is bounded, it is not trusted, and it may be away."""

import hashlib
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.audit.judgement import Judged
from cite_lsp.audit.verdicts import Evidence, Row, Verdict
from cite_lsp.config import CacheSettings, load_settings
from cite_lsp.config.cache_address import CacheAddress
from cite_lsp.judges.cached import CachedJudge
from cite_lsp.store import Answers, Verdicts, shared_contents
from cite_lsp.store.shared import SharedCache
from cite_lsp.store.shared_server import KEPT_SECONDS, PASSWORD, SharedError
from cite_lsp.store.transfer import judged_of, line_of
from tests.clients.test_tls import written_certificate
from tests.judges.test_cached import ROWS, Rules
from tests.store.redis_process import RedisProcess, needed, until

AT = 1_700_000_000.0
GOOD = Judged(Verdict("supported", reason="it is 3", evidence=(Evidence(0, 0, "x = 3"),), judge="openai m"), AT)
ME = "systemone m at http://127.0.0.1"
VERDICTS, ANSWERS = "cite-lsp:verdicts-1:", "cite-lsp:answers-1:"
HANG = 20.0
"""Seconds in which all that is awaited here happens, on the slowest machine."""
SECRET = "corr3ct-h0rse"  # noqa: S105 - of servers that end with the test


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("CITE_LSP_"):
            monkeypatch.delenv(name)


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Callable[..., RedisProcess]]:
    """Begin servers, which end with the test."""
    needed()
    servers: list[RedisProcess] = []

    def begin(*, tls: bool = False, **options: str) -> RedisProcess:
        told = {name.replace("_", "-"): value for name, value in options.items()}
        servers.append(RedisProcess(tmp_path, told, tls=tls))
        return servers[-1]

    yield begin
    for server in servers:
        server.kill()


@pytest.fixture
def redis(begun: Callable[..., RedisProcess]) -> RedisProcess:
    return begun()


class Person:
    """Somebody with a machine of their own."""

    def __init__(self, folder: Path, url: str, patience: float = HANG, **more: Any) -> None:
        shared = SharedCache.of(CacheSettings(url=url), patience=patience, **more)
        assert shared is not None
        self.shared = shared
        self.verdicts = Verdicts(str(folder), shared=self.shared)
        self.answers = Answers(str(folder), shared=self.shared)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        self.verdicts.close()
        self.answers.close()
        self.shared.close()


def key(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


def several(*numbers: int) -> dict[str, Judged]:
    return {key(number): GOOD for number in numbers}


def on_disk(folder: Path) -> set[str]:
    """The keys that a machine has of its own."""
    verdicts = Verdicts(str(folder))
    found = set(verdicts.shareable())
    verdicts.close()
    return found


# --- what is shared


def test_what_one_has_asked_another_one_knows_and_keeps(tmp_path: Path, redis: RedisProcess) -> None:
    with Person(tmp_path / "a", redis.url) as a:
        assert a.verdicts.keep(several(*range(450)))
        a.answers.of(ME).keep({"k": {"row": {"riddle": 0.75}}})
    with Person(tmp_path / "b", redis.url) as b:
        found = b.verdicts.recall(map(key, range(451)))
        assert set(found) == set(several(*range(450)))
        assert {(each.verdict, each.at, each.cached) for each in found.values()} == {(GOOD.verdict, AT, True)}
        assert b.answers.of(ME).recall(["k", "l"]) == {"k": {"row": {"riddle": 0.75}}}
        assert b.answers.of("another client").recall(["k"]) == {}
        assert b.shared.message == ""
    redis.kill()
    with Person(tmp_path / "b", redis.url) as b:
        assert set(b.verdicts.recall(map(key, range(450)))) == set(found)
        assert b.answers.of(ME).recall(["k"]) == {"k": {"row": {"riddle": 0.75}}}


async def test_a_judge_is_not_asked_what_somebody_else_has_asked_it(tmp_path: Path, redis: RedisProcess) -> None:
    first, second = Rules(), Rules()
    for name, judge in (("a", first), ("b", second)):
        with Person(tmp_path / name, redis.url) as person:
            cached = CachedJudge(judge, person.verdicts)
            judgement = await cached.ask(ROWS)
            assert [each.verdict.reason for each in judgement.answers if each] == [row.claim for row in ROWS]
            await cached.close()
    assert (len(first.asked), second.asked) == (5, [])


async def test_lines_that_do_not_stand_in_the_row_are_not_believed(tmp_path: Path, redis: RedisProcess) -> None:
    judge = Rules()
    with Person(tmp_path / "a", redis.url) as person:
        person.verdicts.keep({ROWS[0].key(judge.identity): GOOD})
    with Person(tmp_path / "b", redis.url) as person:
        cached = CachedJudge(judge, person.verdicts)
        await cached.ask(ROWS[:1])
        await cached.close()
        assert judge.asked == [ROWS[0].claim]


def test_names_values_and_how_long_they_stay(tmp_path: Path, redis: RedisProcess) -> None:
    row = Row.of(claim="The limit is 3.", lines=[(7, "limit = 3"), (8, "unquoted()")], path="src/secret_name.py")
    said = Judged(Verdict("supported", reason="it says so", evidence=(Evidence(0, 0, "limit = 3"),), judge="m"), AT)
    with Person(tmp_path / "a", redis.url) as person:
        person.verdicts.keep({row.key("m"): said})
        person.answers.of(ME).keep({"k": {"row": {}}})
    client = redis.client()
    names = sorted(client.keys("*"))
    assert [name.decode()[:-64] for name in names] == [ANSWERS, VERDICTS]
    assert names[1].decode() == VERDICTS + row.key("m")
    value = client.get(names[1])
    assert " ".join(orjson.loads(value)) == "key at label kind reason basis evidence confidence judge"
    assert b"The limit is" not in value
    assert b"unquoted" not in value
    assert b"secret_name" not in value
    assert KEPT_SECONDS - 60 < client.ttl(names[1]) <= KEPT_SECONDS
    client.expire(names[1], 100)
    with Person(tmp_path / "b", redis.url) as person:
        assert person.verdicts.recall([row.key("m")])
    assert client.ttl(names[1]) > KEPT_SECONDS - 60


def test_what_looks_like_a_key_or_is_too_long_is_kept_here_only(tmp_path: Path, redis: RedisProcess) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    quoting = Judged(Verdict("supported", evidence=(Evidence(0, 0, f'token = "{token}"'),), judge="command"), AT)
    long = Judged(Verdict("review", reason="many words\n" * 7_000, judge="command"), AT)
    with Person(tmp_path / "a", redis.url) as person:
        person.verdicts.keep({key(1): quoting, key(2): GOOD, key(3): long})
        person.answers.of(ME).keep({"k": {"row": {"quote": token}}})
        assert set(person.verdicts.recall([key(1), key(2), key(3)])) == {key(1), key(2), key(3)}
    assert redis.client().keys("*") == [(VERDICTS + key(2)).encode()]


def test_many_ask_and_write_at_once(tmp_path: Path, redis: RedisProcess) -> None:
    with Person(tmp_path / "a", redis.url) as a, Person(tmp_path / "b", redis.url) as b, ThreadPoolExecutor(16) as pool:

        def there_and_back(number: int) -> bool:
            a.answers.of(ME).keep({str(number): {"row": {"n": number}}})
            end = time.monotonic() + HANG
            while time.monotonic() < end:
                if b.answers.of(ME).recall([str(number)]) == {str(number): {"row": {"n": number}}}:
                    return True
            return False

        assert all(pool.map(there_and_back, range(200)))
        assert (a.shared.message, b.shared.message) == ("", "")


# --- what is there is not trusted


def spoilt(client: Any) -> dict[str, int]:
    """Put values there that are no verdicts; give how many of each kind are counted."""
    line = orjson.loads(line_of(key(0), GOOD))
    wrong = [
        b"", b"\xff\xfe", b"null", b"[]", b"{" * 60_000, b"supported", line_of(key(99), GOOD),
        *(orjson.dumps({**line, "key": key(number), **change}) for number, change in enumerate([
            {"label": "certain"}, {"evidence": []}, {"evidence": [[0, -1, "x"]]}, {"at": 4e9}, {"at": -1.0},
            {"kind": "contradicted"}, {"confidence": 2}, {"more": 1}, {"reason": None},
        ], 7)),
    ]  # fmt: skip
    for number, value in enumerate(wrong):
        client.set(VERDICTS + key(number), value)
    client.set(VERDICTS + key(50), b"x" * 3_000_000)
    client.lpush(VERDICTS + key(51), "a")
    client.set(VERDICTS + key(52), line_of(key(52), GOOD))
    return {key(52): len(wrong) - 1 + 2}  # an empty one is as good as absent


def test_what_is_no_verdict_is_counted_and_not_used_and_goes(tmp_path: Path, redis: RedisProcess) -> None:
    ((good, count),) = spoilt(redis.client()).items()
    with Person(tmp_path / "a", redis.url) as person:
        assert set(person.verdicts.recall(map(key, range(60)))) == {good}
        assert person.shared.unusable == count
        assert "holds values that are no verdicts" in person.shared.message
        person.verdicts.keep(several(*range(60)))
    with Person(tmp_path / "b", redis.url) as person:
        assert len(person.verdicts.recall(map(key, range(60)))) == 60
        assert (person.shared.unusable, person.shared.message) == (0, "")


def test_what_is_no_answer_is_not_used(tmp_path: Path, redis: RedisProcess) -> None:
    with Person(tmp_path / "a", redis.url) as person:
        person.answers.of(ME).keep({"k": {"row": {}}})
    client = redis.client()
    (name,) = client.keys(ANSWERS + "*")
    whole = orjson.loads(client.get(name))
    wrong = [
        b"1",
        b"[" * 5_000,
        *({**whole, **change} for change in ({"key": "0"}, {"value": 1}, {"at": 4e9}, {"at": True})),
    ]
    for number, value in enumerate(wrong):
        client.set(name, value if isinstance(value, bytes) else orjson.dumps(value))
        with Person(tmp_path / f"b{number}", redis.url) as person:
            assert person.answers.of(ME).recall(["k"]) == {}
            assert person.shared.unusable == 1


@settings(max_examples=60)
@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.integers() | st.text(max_size=5), st.lists).map(repr).map(str.encode)
)
def test_no_bytes_raise_or_are_a_verdict(value: bytes) -> None:
    assert judged_of(key(1), value) is None


# --- it may be away


def test_one_that_is_not_there_is_said_once_and_nobody_waits(tmp_path: Path) -> None:
    needed()
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # and never listens
        with Person(tmp_path / "a", f"redis://:{SECRET}@127.0.0.1:{unused.getsockname()[1]}") as person:
            person.verdicts.keep(several(1))
            assert set(person.verdicts.recall([key(1), key(2)])) == {key(1)}
            said = person.shared.message
            assert said.startswith(
                f"the shared cache at redis://127.0.0.1:{unused.getsockname()[1]}/0 cannot be reached"
            )
            assert said.endswith("what is found out is kept on this machine only")
            assert SECRET not in said
            for _ in range(100):
                assert person.verdicts.recall([key(2)]) == {}
            assert person.shared.message == said
            assert person.verdicts.message == ""


def test_one_that_hangs_is_waited_for_once(tmp_path: Path, redis: RedisProcess, ends: Callable[..., Any]) -> None:
    with Person(tmp_path / "other", redis.url) as other:
        other.verdicts.keep(several(*range(10)))
    with Person(tmp_path / "a", redis.url, patience=0.3) as person:
        person.shared.begin()
        until(lambda: person.verdicts.recall([key(0)]), "it was not connected")
        redis.stop()
        assert person.verdicts.recall([key(1)]) == {}
        person.shared._patience = 3600.0
        with ends():
            for number in range(2, 10):
                assert person.verdicts.recall([key(number)]) == {}
        person.shared._patience = HANG
        until(lambda: "does not answer within" in person.shared.message, "that was not said")
        redis.go_on()
        until(lambda: not person.shared.message, "it did not come back")
        assert set(person.verdicts.recall(map(key, range(1, 10)))) == set(several(*range(1, 10)))


def test_what_is_found_out_while_it_is_away_is_shared_when_it_is_back(tmp_path: Path, redis: RedisProcess) -> None:
    with Person(tmp_path / "a", redis.url) as person:
        person.verdicts.keep(several(1))
        until(lambda: redis.client().exists(VERDICTS + key(1)), "it was not written")
        redis.kill()
        assert person.verdicts.recall([key(7)]) == {}
        assert "cannot be reached" in person.shared.message
        person.verdicts.keep(several(2, 3))
        redis.start()
        until(lambda: not person.shared.message, "it did not come back")
        until(lambda: redis.client().dbsize() == 2, "what waited was not written")
    with Person(tmp_path / "b", redis.url) as person:
        assert set(person.verdicts.recall([key(1), key(2), key(3)])) == {key(2), key(3)}  # the first died with it


def test_a_connection_that_the_server_closed_is_begun_again(tmp_path: Path, redis: RedisProcess) -> None:
    with Person(tmp_path / "a", redis.url) as person:
        for number in range(5):
            redis.client().set(VERDICTS + key(number), line_of(key(number), GOOD))
            assert set(person.verdicts.recall([key(number)])) == {key(number)}
            redis.client().client_kill_filter(_type="normal")
        assert person.shared.message == ""


def test_a_server_that_takes_no_more_is_read_all_the_same(tmp_path: Path, begun: Callable[..., RedisProcess]) -> None:
    redis = begun(maxmemory="3mb", maxmemory_policy="noeviction")
    redis.client().set(VERDICTS + key(0), line_of(key(0), GOOD))
    redis.client().config_set("maxmemory", "1")
    with Person(tmp_path / "a", redis.url) as person:
        person.verdicts.keep(several(1))
        until(lambda: person.shared.message, "nothing was said")
        assert "takes no new values: command not allowed when used memory" in person.shared.message
        assert set(person.verdicts.recall([key(0)])) == {key(0)}


def test_what_answers_and_is_no_such_server(tmp_path: Path) -> None:
    needed()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(100)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        with Person(tmp_path / "a", f"redis://127.0.0.1:{server.getsockname()[1]}") as person:
            assert person.verdicts.recall([key(1)]) == {}
            assert "the shared cache at" in person.shared.message
        server.shutdown(socket.SHUT_RDWR)


def test_without_the_package_one_message_says_how_to_get_it(tmp_path: Path) -> None:
    code = (
        "import sys\nsys.modules['redis'] = None\n"
        "from cite_lsp.config import CacheSettings\nfrom cite_lsp.store import Verdicts\n"
        "from cite_lsp.store.shared import SharedCache\n"
        "shared = SharedCache.of(CacheSettings(url='redis://127.0.0.1:1'))\n"
        "verdicts = Verdicts(sys.argv[1], shared=shared)\n"
        "print(verdicts.recall(['a']), verdicts.recall(['b']), verdicts.keep({}))\n"
        "print(shared.message)\nshared.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    known, said = done.stdout.splitlines()
    assert known == "{} {} True"
    assert "python -m pip install 'cite-lsp[redis]'" in said
    assert done.stderr == ""


def test_what_does_not_need_it_does_not_load_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("See `a.py:1`.\n")
    (tmp_path / "a.py").write_text("x = 3\n")
    code = (
        "import sys\nfrom cite_lsp.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'redis' or '.shared' in name])\n"
    )
    command = [sys.executable, "-c", code, "judge"]  # the embedded judge: nothing of it is kept
    environment = {**os.environ, "CITE_LSP_CACHE_URL": "redis://127.0.0.1:1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=True)
    assert "1 citation recognised" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


# --- who is asked for a password, and who sees it


def test_a_password_from_each_place_and_never_shown(
    tmp_path: Path,
    begun: Callable[..., RedisProcess],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    redis = begun(requirepass=SECRET)
    said = []
    with Person(tmp_path / "a", redis.url) as person:
        person.verdicts.recall([key(1)])
        said.append(person.shared.message)
    with Person(tmp_path / "a", redis.url.replace("//", "//:wr0ng-h0rse@")) as person:
        person.verdicts.recall([key(1)])
        said.append(person.shared.message)
    assert all("asks for another user or password" in each and PASSWORD in each for each in said)
    secrets = {f"127.0.0.1:{redis.port}": SECRET}
    with Person(tmp_path / "a", redis.url.replace("//", f"//default:{SECRET}@")) as person:
        person.verdicts.keep(several(1))
    with Person(tmp_path / "b", redis.url, secrets=secrets) as person:
        assert person.verdicts.recall([key(1)])
        said.append(person.shared.message)
    monkeypatch.setenv(PASSWORD, SECRET)
    with Person(tmp_path / "c", redis.url) as person:
        assert person.verdicts.recall([key(1)])
        said += [repr(person.shared.address), repr(CacheSettings(url=redis.url.replace("//", f"//:{SECRET}@")))]
    shown = "\n".join([*said, caplog.text])
    assert SECRET not in shown
    assert "wr0ng" not in shown


def test_a_user_with_no_right_to_read_is_told(tmp_path: Path, redis: RedisProcess) -> None:
    redis.client().acl_setuser("bot", enabled=True, passwords=["+" + SECRET], keys=["other:*"], commands=["+@all"])
    with Person(tmp_path / "a", redis.url.replace("//", f"//bot:{SECRET}@")) as person:
        assert person.verdicts.recall([key(1)]) == {}
        assert "gives this user no right to it" in person.shared.message
    redis.client().acl_setuser("bot", enabled=True, keys=["cite-lsp:*"])
    with Person(tmp_path / "a", redis.url.replace("//", f"//bot:{SECRET}@")) as person:
        person.verdicts.keep(several(1))
    assert redis.client().exists(VERDICTS + key(1))


def test_an_encrypted_server_has_to_prove_who_it_is(
    tmp_path: Path, begun: Callable[..., RedisProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, private = written_certificate(tmp_path)
    redis = begun(
        tls=True, tls_cert_file=str(certificate), tls_key_file=str(private), tls_auth_clients="no", requirepass=SECRET
    )
    named = f"rediss://:{SECRET}@localhost:{redis.port}"
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with Person(tmp_path / "a", named) as person:
        assert person.verdicts.recall([key(1)]) == {}
        assert "certificate" in person.shared.message.lower()
        assert SECRET not in person.shared.message
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with Person(tmp_path / "a", named.replace("localhost", "127.0.0.1")) as person:
        assert person.verdicts.recall([key(1)]) == {}
        assert "certificate" in person.shared.message.lower()
    with Person(tmp_path / "a", named) as person:
        person.verdicts.keep(several(1))
    with Person(tmp_path / "b", named) as person:
        assert person.verdicts.recall([key(1)])
        assert person.shared.message == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("redis://localhost", "redis://localhost:6379/0"),
        ("valkey://Cache.Example.org:7000/3", "redis://cache.example.org:7000/3"),
        ("rediss://bot:p%40ss@[::1]:6380/", "rediss://[::1]:6380/0"),
        ("valkeys://:x@10.0.0.1", "rediss://10.0.0.1:6379/0"),
    ],
)
def test_addresses(text: str, shown: str) -> None:
    address = CacheAddress.parse(text)
    assert address.shown == shown
    assert address.password in ("", "p@ss", "x")


@pytest.mark.parametrize(
    "text",
    ["", "localhost", "http://localhost", "redis://", "unix:///tmp/redis.sock", "redis://h:99999", "redis://h?ssl_cert_reqs=none",
     "redis://:hunter2@ss@h", "redis://h/zero", "redis://h:1/0#x", "redis://hunter2/../0"],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_showing_it(text: str, tmp_path: Path) -> None:
    loaded = load_settings(str(tmp_path), environment={"CITE_LSP_CACHE_URL": text} if text else {})
    assert loaded.settings.cache.url is None
    if text:
        (problem,) = loaded.problems
        assert "hunter2" not in problem.message
        assert problem.name == "cache.url"


def test_only_the_user_says_where_it_is(tmp_path: Path, person: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "cite-lsp.toml").write_text('[cache]\nurl = "redis://:hunter2@evil.example/0"\n')
    loaded = load_settings(str(tmp_path / "w"), editor={"cache": {"url": "redis://evil.example"}}, environment={})
    assert loaded.settings.cache.shared is None
    assert len([each for each in loaded.problems if each.name == "cache.url"]) == 2
    assert not any("hunter2" in each.message for each in loaded.problems)
    environment = {"CITE_LSP_CACHE_URL": "redis://127.0.0.1", PASSWORD: "x"}
    loaded = load_settings(str(tmp_path), environment=environment)
    assert loaded.problems == ()
    assert loaded.settings.cache.shared == CacheAddress(False, "127.0.0.1")


# --- what a person asks of it


def test_it_is_counted_filled_and_cleared_and_the_rest_of_the_server_stays(tmp_path: Path, redis: RedisProcess) -> None:
    address = CacheAddress.parse(redis.url)
    redis.client().set("somebody:else", "1")
    lines = {key(number): line_of(key(number), GOOD) for number in range(1_500)}
    assert shared_contents.fill(address, lines) == 1_500
    with Person(tmp_path / "a", redis.url) as person:
        person.answers.of(ME).keep({"k": {"row": {}}})
    info = shared_contents.look(address)
    assert (info.verdicts, info.answers, info.why, info.encrypted) == (1_500, 1, "", False)
    with Person(tmp_path / "b", redis.url) as person:
        assert len(person.verdicts.recall(lines)) == 1_500
    assert len(on_disk(tmp_path / "b")) == 1_500
    assert shared_contents.clear(address) == 1_501
    assert redis.client().keys("*") == [b"somebody:else"]
    redis.kill()
    assert "cannot be reached" in shared_contents.look(address).why
    with pytest.raises(SharedError, match="cannot be reached"):
        shared_contents.clear(address)
