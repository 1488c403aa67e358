"""What only the user may set is refused from a project's files and from the editor, each row with its message."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.config.settings import USER_ONLY, Settings
from cite_lsp.server.settings_reports import _MOST_SAID
from tests.server.at_rest import shown_at_rest
from tests.server.harness import CAPABILITIES, Session

ROWS: dict[str, Any] = {
    "name": "openai",
    "base_url": "http://127.0.0.1:9/v1",
    "api_key_env": "MY_KEY",
    "headers": {"x": "y"},
    "command": ["touch", "ran"],
    "effort": "high",
    "batch": False,
    "run": "save",
    "trusted": False,
    "repositories": {"other": "/etc"},
    "path": "/srv/cache",
    "model": "text",
    "url": "redis://127.0.0.1:9/0",
}
"""A legal value by the last word of a row; 9 for the others, which are numbers."""
NO_PULL = {**CAPABILITIES, "workspace": {**CAPABILITIES["workspace"], "configuration": False}}


def value_of(row: str) -> Any:
    return ROWS.get(row.rpartition(".")[2], 9)


def as_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {json.dumps(each)}" for name, each in value.items()) + " }"
    return json.dumps(value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.py").write_text("LIMIT = 3\n")
    (folder / "a.md").write_text("`LIMIT` is 3 (`a.py:1`).\n")
    return folder


def write_all(folder: Path, name: str) -> None:
    prefix = "tool.cite-lsp." if name == "pyproject.toml" else ""
    rows = [f"{prefix}{row} = {as_toml(value_of(row))}" for row in sorted(USER_ONLY)]
    (folder / name).write_text("\n".join(rows) + "\n")


@pytest.mark.parametrize("name", ["cite-lsp.toml", "pyproject.toml"])
def test_a_project_file_is_refused_row_by_row_on_the_command_line(folder: Path, name: str) -> None:
    write_all(folder, name)
    command = [sys.executable, "-m", "cite_lsp", "judge"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 2, said
    for number, row in enumerate(sorted(USER_ONLY), start=1):
        assert f"{name}:{number}:" in said, said
        assert f"{row}:" in said
    assert not (folder / "ran").exists()
    assert "127.0.0.1" not in said


@pytest.mark.parametrize("name", ["cite-lsp.toml", "pyproject.toml"])
async def test_a_project_file_is_refused_row_by_row_in_the_editor(folder: Path, name: str) -> None:
    write_all(folder, name)
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], ignored=QUIET) as session:
        session.open(uri, (folder / "a.md").read_text())
        shown = await shown_at_rest(session)
        session.save(uri)
        await shown_at_rest(session, shown)
        used = session.server.session.documents[uri].place.settings
        assert used == Settings()
    told = shown[(folder / name).as_uri()]
    assert [each["range"]["start"]["line"] for each in told] == list(range(len(USER_ONLY)))
    for row, each in zip(sorted(USER_ONLY), told, strict=True):
        assert each["code"] == "setting"
        assert each["message"].startswith(f"{row}: ")
        assert "user" in each["message"]
        assert "127.0.0.1" not in each["message"]
    assert not (folder / "ran").exists()


@pytest.mark.parametrize("way", ["pushed", "pulled", "options"])
async def test_the_editor_is_refused_row_by_row(folder: Path, way: str) -> None:
    tree = {row: value_of(row) for row in sorted(USER_ONLY)}
    uri = (folder / "a.md").as_uri()
    async with Session(
        folders=[folder],
        capabilities=CAPABILITIES if way == "pulled" else NO_PULL,
        options=tree if way == "options" else None,
        settings=tree if way == "pulled" else None,
    ) as session:
        session.open(uri, (folder / "a.md").read_text())
        if way == "pushed":
            session.configure(tree)
        await shown_at_rest(session)
        said = [each["message"] for each in session.discard("window/showMessage")]
        assert session.server.session.documents[uri].place.settings == Settings()
    told = [row for row in sorted(USER_ONLY) if any(f" {row}: " in each for each in said)]
    assert len(told) == len(said) == min(len(USER_ONLY), _MOST_SAID), said
    assert all("CITE_LSP_" in each for each in said)
    assert not any("127.0.0.1" in each for each in said)
    assert not (folder / "ran").exists()


QUIET = ("cite-lsp/status", "window/showMessage", "$/progress")
PROGRAMS = (
    "core.fsmonitor core.pager core.sshCommand core.editor core.askPass core.alternateRefsCommand filter.x.clean "
    "filter.x.smudge filter.x.process gpg.program gpg.ssh.program diff.external diff.x.textconv diff.x.command "
    "merge.x.driver pager.ls-files uploadpack.packObjectsHook credential.helper"
).split()
HOOKS = "post-index-change pre-commit post-checkout reference-transaction fsmonitor-watchman".split()


@pytest.fixture
def trapped(folder: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A repository whose configuration names a program wherever git takes one; each run of it leaves a mark."""

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)

    (folder / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    (folder / "old.py").write_text("".join(f"value_{number} = {number}\n" for number in range(1, 51)))
    (folder / "a.md").write_text("`LIMIT` is 3 (`a.py:1`), `old.py:3`, `never.py:1`.\n")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"], ["mv", "old.py", "new.py"]):
        git(*arguments)
    git("commit", "-qm", "y")
    (folder / "a.py").write_text("# moved\nLIMIT = 3\n")
    mark, evil = tmp_path / "mark", tmp_path / "evil"
    evil.write_text(f'#!/bin/sh\necho "$0 $@" >> {mark}\nexit 1\n')
    evil.chmod(0o755)
    for name in PROGRAMS:
        git("config", name, str(evil))
    for name, value in (("core.hooksPath", str(folder / "hooks")), ("log.showSignature", "true")):
        git("config", name, value)
    (folder / "hooks").mkdir()
    for hook in HOOKS:
        for place in ("hooks", ".git/hooks"):
            shutil.copy(evil, folder / place / hook)
    mark.unlink(missing_ok=True)
    return folder, mark


async def test_a_folder_that_is_opened_runs_nothing(trapped: tuple[Path, Path]) -> None:
    folder, mark = trapped
    uri, code = (folder / "a.md").as_uri(), (folder / "a.py").as_uri()
    options = {"trusted": False, "server": {"code_lens": True}}
    async with Session(folders=[folder], options=options, ignored=QUIET) as session:
        session.open(uri, (folder / "a.md").read_text())
        session.open(code, (folder / "a.py").read_text(), language="python")
        shown = await shown_at_rest(session)
        session.save(uri)
        session.save(code)
        await shown_at_rest(session, shown)
        await session.request("textDocument/codeLens", {"textDocument": {"uri": code}})
        renamed = {"files": [{"oldUri": code, "newUri": code.replace("a.py", "b.py")}]}
        await session.request("workspace/willRenameFiles", renamed)
        await session.command("cite-lsp.server.judgeWorkspace")
        await shown_at_rest(session, shown)
    codes = {each["code"] for each in shown[uri]}
    assert "moved" in codes, "its history was asked"
    assert not mark.exists(), mark.read_text()


def test_what_was_planted_would_run(trapped: tuple[Path, Path]) -> None:
    """The test above would show nothing otherwise."""
    folder, mark = trapped
    subprocess.run(["git", "status"], cwd=folder, capture_output=True, check=False)
    assert mark.exists()
