"""What is kept from run to run changes nothing but the time: each run says what a run with an empty cache says."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("person")

CODE = (
    "".join(f"def step_{number}():\n    return {number}\n\n" for number in range(1, 21))
    + "def drain_pool():\n    pass\n"
)
DOC = """# Steps

The pool is emptied by `drain_pool` (`src/a.py:4-5`).

It ends with `step_9` (`src/a.py:25`); `src/a.py:28-29`, `b.py:1` and `gone.py:3` follow.
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "w"
    for path, text in {"src/a.py": CODE, "src/b.py": CODE, "docs.md": DOC, "plans/old.md": DOC, "more.md": DOC}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "write")
    return root


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


def look(root: Path, cache: Path, *arguments: str) -> Any:
    command = [sys.executable, "-m", "cite_lsp", "check", "--format", "json", *arguments]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)
    del found["summary"]["seconds"]
    return found


def test_every_run_says_what_a_run_with_an_empty_cache_says(root: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    count = 0

    def both(what: str) -> Any:
        nonlocal count
        count += 1
        found = look(root, kept)
        assert found == look(root, tmp_path / f"fresh-{count}"), what
        assert found == look(root, kept), f"{what}, again"
        return found

    first = both("as written")
    assert "wrong-lines" in {each["code"] for each in first["documents"][0]["findings"]}
    (root / "src/a.py").write_text("import os\n" + CODE)
    both("cited lines moved")
    (root / "src/a.py").write_text(CODE.replace("return 9", "return 99").replace("return 2\n", "return drain_pool()\n"))
    both("cited lines were edited")
    git(root, "commit", "-q", "-a", "-m", "change")
    both("that was committed")
    (root / "docs.md").write_text(DOC.replace("is emptied by `drain_pool`", "is full"))
    both("another claim")
    (root / "docs.md").write_text("One more: `src/a.py:5`.\n\n" + DOC)
    both("another citation")
    (root / "lib").mkdir()
    (root / "lib/b.py").write_text(CODE)
    both("a file of the same name")
    (root / "gone.py").write_text(CODE)
    both("a file that was missing")
    git(root, "add", "-A")
    both("which git tracks now")
    (root / "gone.py").unlink()
    both("and it is gone again")
    (root / "cite-lsp.toml").write_text('records = ["docs.md"]\n[rules]\nmoved = "error"\n')
    both("other settings")
    (root / "cite-lsp.toml").unlink()
    subprocess.run([sys.executable, "-m", "cite_lsp", "accept", "-q"], cwd=root, check=True, capture_output=True)
    both("all is accepted")
    (root / "src/a.py").write_text("import sys\n" + CODE)
    both("and lapses")
    git(root, "mv", "src/a.py", "src/c.py")
    git(root, "commit", "-q", "-a", "-m", "rename")
    both("a renamed file")
    git(root, "commit", "-q", "--amend", "-m", "the same files, another commit")
    both("another commit of the same files")
    git(root, "checkout", "-q", "HEAD~1")
    both("an older commit")
