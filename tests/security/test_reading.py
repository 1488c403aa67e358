"""Whatever a document cites, no byte outside the workspace is read, shown, linked to or judged, and nothing waits."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.at_rest import shown_at_rest
from tests.server.harness import Session, at, range_of

CANARY = "canary_of_the_secret_file"
SECRET = f"first\n{CANARY} = 1\nthird\n"
INSIDE = "first\nsecond = 2\nthird\n"

QUIET = ("cite-lsp/status", "window/showMessage", "$/progress")

WAYS = {
    "up": "../secret/key.py",
    "up and down": "src/../../secret/key.py",
    "many up": "../../../../../../../../../../{outside}/key.py",
    "absolute": "/{outside}/key.py",
    "address": "file:///{outside}/key.py",
    "percent": "%2e%2e/secret/key.py",
    "percent slash": "..%2fsecret%2fkey.py",
    "backslashes": "..\\secret\\key.py",
    "linked file": "src/link.py",
    "linked folder": "linked/key.py",
    "link to a link": "src/again.py",
    "through git": ".git/../../secret/key.py",
    "dot": "./../secret/key.py",
    "double slash": "..//secret//key.py",
    "name only": "key.py",
}
"""Ways out of the workspace; `{outside}` is the absolute folder without its first slash."""

FORMS = {
    "path-line": "See `{path}:2`.\n",
    "path-line-range": "See `{path}:1-3`.\n",
    "list": "See `{path}:1,2-3`.\n",
    "continuation": "See `{path}:1` and `:2-3`.\n",
    "markdown-link": "See [the code]({path}#L2).\n",
    "link text": "See [`{path}:2`]({path}).\n",
    "words": "See line 2 of `{path}`.\n",
    "permalink": "See https://example.org/a/b/blob/HEAD/{path}#L2.\n",
    "path-line-column": "See `{path}:2:1`.\n",
    "approximate": "See `{path}:~2`.\n",
    "bare": "See {path}:2.\n",
    "parentheses": "The canary of the secret file is 1 ({path}:2).\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder beside one that is nobody's business, with links into it."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/key.py").write_text(SECRET)
    folder = tmp_path / "work"
    for name in ("src", "docs"):
        (folder / name).mkdir(parents=True)
    (folder / "src/a.py").write_text(INSIDE)
    (folder / "src/link.py").symlink_to(tmp_path / "secret/key.py")
    (folder / "src/again.py").symlink_to("link.py")
    (folder / "linked").symlink_to(tmp_path / "secret", target_is_directory=True)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        person = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *person, *command], cwd=folder, check=True, capture_output=True)
    return folder


def document_of(folder: Path) -> str:
    """Every form with every way out."""
    outside = (folder.parent / "secret").as_posix().lstrip("/")
    ways = [way.replace("{outside}", outside) for way in WAYS.values()]
    return "\n".join(form.replace("{path}", way) for form in FORMS.values() for way in ways)


def run(folder: Path, *arguments: str) -> str:
    """What the program prints, on both ways; a hang ends the test."""
    command = [sys.executable, "-m", "cite_lsp", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("command", ["check", "judge"])
def test_the_command_line_shows_nothing_from_outside(workspace: Path, command: str) -> None:
    (workspace / "docs/a.md").write_text(document_of(workspace))
    printed = run(workspace, command, "--format", "json", *(["--excerpts"] if command == "check" else []))
    assert CANARY not in printed
    report = json.loads(printed[: printed.rindex("}") + 1])
    anchors = [anchor for each in report["documents"] for anchor in each["anchors"]]
    assert len(anchors) > len(WAYS) * 6
    assert {anchor["resolution"]["status"] for anchor in anchors} <= {
        "outside",
        "missing",
        "elsewhere",
        "foreign",
        "malformed",
        "not-available",
        "unreadable",
    }
    assert any(anchor["resolution"]["status"] == "outside" for anchor in anchors)


def test_the_same_forms_show_what_is_inside(workspace: Path) -> None:
    """The test above would show nothing otherwise."""
    (workspace / "docs/a.md").write_text("\n".join(form.replace("{path}", "src/a.py") for form in FORMS.values()))
    report = json.loads(run(workspace, "check", "--format", "json", "--excerpts"))
    anchors = [anchor for each in report["documents"] for anchor in each["anchors"]]
    found = [anchor["form"] for anchor in anchors if anchor["resolution"]["status"] == "found"]
    assert len(found) >= len(FORMS) - 2
    assert json.dumps(report).count("second = 2") >= len(FORMS) - 2


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_of(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_of(each)


async def answers(session: Session, uri: str, text: str) -> list[Any]:
    """Ask for everything that shows, leads to, or completes a citation, on every line."""
    found: list[Any] = [await session.request("textDocument/documentLink", {"textDocument": {"uri": uri}})]
    for line, content in enumerate(text.split("\n")):
        for column in sorted({content.find("key.py"), content.find(".py"), content.rfind("2"), len(content) - 3}):
            if column < 0:
                continue
            where = at(uri, line, column)
            found += [await session.request(f"textDocument/{name}", where) for name in ("hover", "definition")]
            if not line % 5:
                found.append(await session.request("textDocument/completion", where))
        params = {"textDocument": {"uri": uri}, "range": range_of((line, 0), (line, len(content)))}
        found.append(await session.request("textDocument/codeAction", {**params, "context": {"diagnostics": []}}))
    return found


async def test_the_server_shows_and_leads_to_nothing_outside(workspace: Path) -> None:
    text = document_of(workspace)
    uri = (workspace / "docs/a.md").as_uri()
    outside = (workspace.parent / "secret").as_uri()
    async with Session(folders=[workspace], ignored=QUIET) as session:
        session.open(uri, text)
        shown = await shown_at_rest(session)
        session.save(uri)
        await shown_at_rest(session, shown)
        seen = list(texts_of([await answers(session, uri, text), shown]))
    assert shown[uri]
    assert not [each for each in seen if CANARY in each]
    typed = set(text.split())  # what the document says itself is repeated in messages
    assert not [each for each in seen if each.startswith(outside) and each not in typed]


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "folder", "huge", "binary", "loop"])
def test_nothing_that_is_no_plain_text_file_is_read(
    workspace: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = workspace / "src/odd.py"
    match kind:
        case "pipe":
            os.mkfifo(target)
        case "socket":
            with socket.socket(socket.AF_UNIX) as listener:
                monkeypatch.chdir(workspace / "src")  # names of sockets are short
                listener.bind("odd.py")
        case "device":
            target.symlink_to("/dev/zero")
        case "folder":
            target.mkdir()
        case "huge":
            with target.open("wb") as file:
                file.truncate(3 << 30)
        case "binary":
            target.write_bytes(b"\x00\x01" * 200)
        case "loop":
            target.symlink_to("odd.py")
    (workspace / "docs/a.md").write_text("`src/odd.py:1` /dev/zero:1 `/dev/stdin:1` `/proc/self/environ:1`\n")
    report = json.loads(run(workspace, "check", "--format", "json", "--excerpts"))
    anchors = report["documents"][0]["anchors"]
    assert anchors
    assert not [anchor for anchor in anchors if anchor["resolution"]["status"] == "found"]
    assert not [anchor for anchor in anchors if any(anchor.get("excerpts") or ())]
