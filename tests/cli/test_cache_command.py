"""`cite-lsp cache`: what is kept, forgetting it, and verdicts from machine to machine."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cite_lsp.audit.judgement import Judged
from cite_lsp.audit.verdicts import Evidence, Verdict
from cite_lsp.store import Answers, Store, Verdicts

GOOD = Judged(
    Verdict("supported", evidence=(Evidence(0, 0, "x = 3"),), judge="openai m http://127.0.0.1"), 1_700_000_000.0
)


def key(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """The cache folder that the user's environment names."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(folder))
    return folder


def fill(folder: Path, *numbers: int) -> None:
    verdicts = Verdicts(str(folder))
    verdicts.keep({key(number): GOOD for number in numbers})
    verdicts.close()


def known(folder: Path, *numbers: int) -> int:
    verdicts = Verdicts(str(folder))
    found = verdicts.recall([key(number) for number in numbers])
    verdicts.close()
    return len(found)


def test_info_before_anything_is_kept_makes_nothing(cli, workspace, cache):
    folder = workspace({})
    ran = cli(folder, "cache", "info")
    assert (ran.code, ran.err) == (0, "")
    assert f"{cache}/verdicts-1.db: 0 verdicts of at most 200,000, 0 bytes" in ran.out
    assert not cache.exists()


def test_info_tells_what_is_kept_and_where(cli, workspace, cache):
    folder = workspace({"docs/a.md": "See `src/a.py:1`.\n", "src/a.py": "x = 3\n"})
    fill(cache, 1, 2, 3)
    verdicts = Verdicts(str(cache))
    verdicts.admit("openai m http://127.0.0.1", 12, 0.5)
    verdicts.close()
    assert cli(folder, "check").code == 0
    store = Store(str(cache))
    store.remember("p", "h", {"k": b"x" * 5000})
    store.close()
    answers = Answers(str(cache), clock=lambda: 1_700_000_000.0)
    answers.of("systemone m at http://127.0.0.1").keep({"k": {"row": {"riddle": 0.75}}, "l": {"row": {}}})
    answers.close()
    (cache / "verdicts-1.db.corrupt-17").write_bytes(b"x" * 2500)
    out = cli(folder, "cache", "info").out
    for part in (
        "3 verdicts of at most 200,000",
        "given from 2023-11-14 to 2023-11-14",
        "openai m http://127.0.0.1: 3\n",
        "asked today (UTC) of openai m http://127.0.0.1: 12 rows, at a cost of 0.5",
        f"{cache}/answers-1.db: 2 answers to policies of at most 200,000, ",
        "systemone m at http://127.0.0.1: 2\n",
        f"{cache}/baselines-1.db: ",
        f"{cache}/checks-1.db: ",
        f"{cache}/verdicts-1.db.corrupt-17: was damaged and put aside, 2.5 KB",
    ):
        assert part in out
    told = json.loads(cli(folder, "cache", "info", "--format", "json").raw)
    assert told["folder"] == str(cache)
    assert told["verdicts"]["rows"] == 3
    assert told["verdicts"]["judges"] == {"openai m http://127.0.0.1": 3}
    assert told["verdicts"]["spent"] == [{"judge": "openai m http://127.0.0.1", "rows": 12, "cost": 0.5}]
    assert told["verdicts"]["bytes"] >= (cache / "verdicts-1.db").stat().st_size
    assert told["answers"]["rows"] == 2
    assert told["answers"]["clients"] == {"systemone m at http://127.0.0.1": 2}
    assert told["checks"]["bytes"] >= (cache / "checks-1.db").stat().st_size > 0
    assert told["baselines"]["bytes"] > 5000
    assert told["set_aside"] == [{"path": f"{cache}/verdicts-1.db.corrupt-17", "bytes": 2500}]


def test_clear_forgets_what_is_kept_and_leaves_what_was_damaged(cli, workspace, cache):
    folder = workspace({"docs/a.md": "See `src/a.py:1` and `src/a.py:9`.\n", "src/a.py": "x = 3\n"})
    fill(cache, 1, 2)
    store = Store(str(cache))
    store.remember("p", "h", {"k": b"secret"})
    store.close()
    answers = Answers(str(cache))
    answers.of("m").keep({"k": {"row": {"secret": 0.75}}})
    answers.close()
    checked = cli(folder, "check")
    (cache / "verdicts-1.db.corrupt-17").write_bytes(b"x")
    ran = cli(folder, "cache", "clear")
    assert (ran.code, ran.err) == (0, "")
    assert "forgot 2 verdicts, 1 answer to policies, and what" in ran.out
    assert "corrupt-17 (1 byte) was damaged and stays" in ran.out
    assert (cache / "verdicts-1.db.corrupt-17").exists()
    assert known(cache, 1, 2) == 0
    store = Store(str(cache))
    assert store.recall("p", ["k"]) == {}
    store.close()
    for file in cache.glob("*.db*"):
        for text in (b"secret", b"x = 3", b"src/a.py"):
            assert text not in file.read_bytes(), file
    again = cli(folder, "check")
    assert (again.code, again.out.splitlines()[:-1]) == (checked.code, checked.out.splitlines()[:-1])
    assert cli(folder, "cache", "clear").out.startswith("forgot 0 verdicts")


def test_clear_where_nothing_is_kept_makes_nothing(cli, workspace, cache):
    assert cli(workspace({}), "cache", "clear").code == 0
    assert not cache.exists()


@pytest.mark.parametrize("name", ["v.jsonl", "v.jsonl.gz"])
def test_verdicts_go_from_one_cache_to_another(cli, workspace, cache, monkeypatch, tmp_path, name):
    folder = workspace({})
    fill(cache, 1, 2, 3)
    ran = cli(folder, "cache", "export", name)
    assert (ran.code, ran.out, ran.err) == (0, f"wrote 3 verdicts to {name}\n", "")
    monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(tmp_path / "other"))
    fill(tmp_path / "other", 3, 4)
    ran = cli(folder, "cache", "import", name)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"read 3 verdicts from {name}: 2 new, 0 newer than ours, 1 known already\n"
    assert known(tmp_path / "other", 1, 2, 3, 4) == 4


def test_a_wrong_line_is_named_and_nothing_is_imported(cli, workspace, cache):
    folder = workspace({})
    fill(cache, 1, 2, 3)
    cli(folder, "cache", "export", "v")
    cli(folder, "cache", "clear")
    lines = (folder / "v").read_text().splitlines()
    lines[3] = lines[3].replace("supported", "fine")
    (folder / "v").write_text("\n".join(lines))
    ran = cli(folder, "cache", "import", "v")
    assert ran.code == 2
    assert f"{folder}/v:4: label: " in ran.err
    assert "nothing was imported" in ran.err
    assert len(ran.err.splitlines()) == 1
    assert known(cache, 1, 2, 3) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("import", "none"), "none cannot be read: No such file or directory"),
        (("import", "README.md"), "README.md:1: this is no file that `cite-lsp cache export` wrote"),
        (("import", "."), "cannot be read: Is a directory"),
        (("export", "README.md"), "README.md is there already and is no export of verdicts; name another file"),
        (("export", "no/such/file"), "no/such/file cannot be written: No such file or directory"),
        (("export", "."), "is no plain file; name a file for the verdicts"),
    ],
)
def test_a_file_that_will_not_do_is_named(cli, workspace, cache, arguments, message):
    folder = workspace({"README.md": "# Mine\n"})
    ran = cli(folder, "cache", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.splitlines()) == 1
    assert (folder / "README.md").read_text() == "# Mine\n"


def test_the_most_is_that_of_the_settings(cli, workspace, cache, monkeypatch):
    folder = workspace({})
    fill(cache, *range(30))
    cli(folder, "cache", "export", "v")
    cli(folder, "cache", "clear")
    monkeypatch.setenv("CITE_LSP_CACHE_MAX_ROWS", "10")
    assert cli(folder, "cache", "import", "v").code == 0
    assert "9 verdicts of at most 10," in cli(folder, "cache", "info").out


def test_a_wrong_setting_of_the_cache_stops_it(cli, workspace, cache, monkeypatch):
    folder = workspace({})
    fill(cache, 1)
    monkeypatch.setenv("CITE_LSP_CACHE_MAX_ROWS", "none")
    for arguments in (("info",), ("clear",), ("export", "v"), ("import", "v")):
        ran = cli(folder, "cache", *arguments)
        assert ran.code == 2
        assert "CITE_LSP_CACHE_MAX_ROWS" in ran.err
    assert known(cache, 1) == 1


def test_a_project_cannot_say_which_cache_is_cleared(cli, workspace, cache, tmp_path):
    fill(tmp_path / "victim", 1)
    folder = workspace({"cite-lsp.toml": f'[cache]\npath = "{tmp_path}/victim"\n'})
    ran = cli(folder, "cache", "clear")
    assert ran.code == 2
    assert "cite-lsp.toml:2" in ran.err
    assert known(tmp_path / "victim", 1) == 1


def test_a_folder_that_cannot_be_used_is_said(process, workspace, tmp_path, monkeypatch):
    folder = workspace({"file": ""})
    monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(folder / "file" / "cache"))
    ran = process(folder, "cache", "export", "v")
    assert ran.code == 3
    assert "cannot be used" in ran.err
    assert not (folder / "v").exists()


def test_a_damaged_cache_is_said_once_and_put_aside(process, workspace, cache):
    folder = workspace({})
    cache.mkdir()
    (cache / "verdicts-1.db").write_bytes(b"no database" * 1000)
    ran = process(folder, "cache", "info")
    assert ran.code == 3
    assert "was damaged and was put aside as" in ran.err
    ran = process(folder, "cache", "info")
    assert ran.code == 0
    assert "put aside" in ran.out


def test_a_check_loads_nothing_of_it(workspace, cache):
    folder = workspace({"docs/a.md": "See `src/a.py:1`.\n", "src/a.py": "x = 3\n"})
    code = (
        "import sys\nfrom cite_lsp.cli.app import main\nsys.argv = ['cite-lsp', 'check']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in sys.modules if name in ("
        "'cite_lsp.store.verdicts', 'cite_lsp.store.transfer', 'cite_lsp.judges.cached', 'cite_lsp.cli.caching')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=os.environ, capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[-1] == "[]"


def test_the_program_itself(process, workspace, cache):
    folder = workspace({})
    ran = process(folder, "cache")
    for command in ("info", "clear", "export", "import"):
        assert command in ran.out + ran.err
    fill(cache, 1)
    assert process(folder, "cache", "export", "v.gz").code == 0
    assert process(folder, "cache", "import", "v.gz").out.startswith("read 1 verdict from v.gz")
