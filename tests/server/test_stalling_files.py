"""Cited files that crash or stall a parser: verdicts come by text rules, hovers come meanwhile, and the next save is
judged as ever."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from cite_lsp.snapshot.excerpt import language_of
from cite_lsp.worker.parser import LANGUAGES, MAX_BYTES
from tests.server.at_rest import codes, shown_at_rest
from tests.server.harness import Session, at

pytestmark = pytest.mark.usefixtures("person")

ENDINGS = {
    "python": "py", "javascript": "js", "typescript": "ts", "rust": "rs", "go": "go", "java": "java",
    "c": "c", "cpp": "cpp", "csharp": "cs", "ruby": "rb", "shell": "sh",
}  # fmt: skip
TOKENS = {
    "python": "(", "javascript": "{", "typescript": "<", "rust": "[", "go": "if ", "java": "a.",
    "c": "*", "cpp": "<", "csharp": "x?", "ruby": "<<A\n", "shell": "x?",
}  # fmt: skip
HEAD = "LIMIT = 3\n"
"""What the sentences are about: text rules read it, whatever stands behind it."""
HANG = 60.0
BUDGET = 5.0
"""Seconds in which a hover comes, however busy the machine: who waits for the judge of these files takes longer."""


def stalling_files() -> dict[str, bytes]:
    files = {
        f"src/{language}.{ending}": (HEAD + (TOKENS[language] * (30 << 10))[: 30 << 10] + "\n").encode()
        for language, ending in ENDINGS.items()
    }
    files["src/list.yaml"] = ("LIMIT: 3\n" + "- " * 256 + "\n").encode()
    files["src/bare.yaml"] = ("- " * 256 + "\n").encode()
    files["src/large.py"] = (HEAD + "a = (1, 2)\n" * (MAX_BYTES // 10)).encode()
    files["src/zeros.py"] = HEAD.encode() + b"\0\0a = \0 2\n" * 20
    files["src/halves.py"] = HEAD.encode() + b"name = '\xed\xa0\x80 \xff\xfe'\n" * 20
    return files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    (folder / "docs").mkdir(parents=True)
    (folder / "src").mkdir()
    sentences = []
    for path, data in stalling_files().items():
        (folder / path).write_bytes(data)
        sentences.append(f"`LIMIT` is 7 (`{path}:1-2`).\n")
    (folder / "docs/a.md").write_text("\n".join(sentences), encoding="utf-8")
    (folder / "src/good.py").write_text("def wait(seconds=4):\n    return seconds\n")
    (folder / "docs/good.md").write_text("The default of `seconds` is 5 (`src/good.py:1-2`).\n")
    return folder


def test_there_is_a_file_for_each_language() -> None:
    assert set(ENDINGS) == set(TOKENS) == LANGUAGES
    assert {language_of(f"a.{ending}") for ending in ENDINGS.values()} == LANGUAGES


def test_the_command_line_ends_with_verdicts(folder: Path) -> None:
    command = [sys.executable, "-m", "cite_lsp", "judge", "--format", "json", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=5 * HANG)
    assert (done.returncode, done.stderr) == (0, b"")
    labels = {}
    for document in json.loads(done.stdout)["documents"]:
        for anchor in document["anchors"]:
            labels[anchor["resolution"]["path"]] = anchor["verdict"]["label"]
            assert anchor["verdict"]["judge"] or anchor["verdict"]["label"] == "unchecked", anchor
    assert labels.pop("src/bare.yaml") == "unchecked", "nothing of it stands there"
    unread = labels.pop("src/zeros.py"), labels.pop("src/halves.py")
    assert set(unread) <= {"unsupported", "unchecked"}
    assert labels.pop("src/good.py") == "unsupported"
    assert set(labels.values()) == {"unsupported"}, labels
    assert len(labels) == len(ENDINGS) + 2


async def test_hovers_come_while_the_judge_is_busy_and_the_next_save_is_judged(folder: Path) -> None:
    uri, good = (folder / "docs/a.md").as_uri(), (folder / "docs/good.md").as_uri()
    text = (folder / "docs/a.md").read_text(encoding="utf-8")
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        session.open(good, (folder / "docs/good.md").read_text(encoding="utf-8"))
        await shown_at_rest(session)
        session.save(uri)
        inner = session.server.session
        assert inner is not None
        shown_while_busy = 0
        column = text.index("src/")
        for line in range(0, text.count("\n"), 2):
            answer = await asyncio.wait_for(session.request("textDocument/hover", at(uri, line, column)), BUDGET)
            assert any(word in answer["contents"]["value"] for word in ("LIMIT", "- - -", "holds NUL bytes"))
            shown_while_busy += inner.judging.busy
        assert shown_while_busy, "the judge was done before the first hover"
        now = await shown_at_rest(session)
        assert codes(now[uri]).count("unsupported") >= len(ENDINGS) + 2
        session.save(good)
        (found,) = (await shown_at_rest(session, now))[good]
        assert found["message"] == "the cited lines say otherwise: the claim says 5, line 1 says seconds=4"
        assert inner.judging.error == ""
