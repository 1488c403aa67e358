"""The lane of what is offered while a citation is typed, in the real worker."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.worker.client import Worker, WorkerFailed
from cite_lsp.worker.parser import LANGUAGES, Parser

TYPESCRIPT = """\
// Waits.
export class Retry {
  /** How long. */
  @memoized
  delay(): number {
    return 3
  }
}

export const run = async (task: string) => {
  return task
}
"""


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    worker = Worker()
    yield worker
    worker.close()


def places(folder: Path, path: str, typed: str = "", **more: Any) -> dict[str, Any]:
    params = {"path": str(folder / path), "roots": [str(folder)], "max_bytes": 10_000, "typed": typed}
    return {**params, **more}


async def test_paths_of_the_index(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("retry.ts", "session.ts"):
        (tmp_path / "src" / name).write_text("x\n")
    (tmp_path / ".gitignore").write_text("session.ts\n")
    root = str(tmp_path)
    assert await worker.call("offered", root=root, typed="src/") == [[1, "src/retry.ts"]]
    (tmp_path / "src/later.ts").write_text("x\n")
    await worker.call("paths", root=root)
    assert await worker.call("offered", root=root, typed="later") == [[0, "src/later.ts"]]
    assert await worker.call("offered", root=root, typed="ter", strict=True) == []
    with pytest.raises(WorkerFailed):
        await worker.call("offered", root=root)


async def test_what_was_made_ready_is_that_of_the_last_index(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "retry.ts").write_text("x\n")
    root = str(tmp_path)
    await worker.call("paths", root=root)
    assert await worker.call("offering", root=root) is None
    assert await worker.call("offered", root=root, typed="retr") == [[0, "retry.ts"]]
    (tmp_path / "later.ts").write_text("x\n")
    await worker.call("paths", root=root)
    assert await worker.call("offered", root=root, typed="lat") == [[0, "later.ts"]]


async def test_a_worker_that_was_started_anew_lists_the_files_once(worker: Worker, tmp_path: Path) -> None:
    """Nobody asks it for the paths again until something changes, and a letter is to wait for no listing."""
    (tmp_path / "retry.ts").write_text("x\n")
    root = str(tmp_path)
    await worker.call("paths", root=root)
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    assert await worker.call("offered", root=root, typed="retr") == [[0, "retry.ts"]]
    (tmp_path / "retried.ts").write_text("x\n")
    assert await worker.call("offered", root=root, typed="retr") == [[0, "retry.ts"]]
    await worker.call("paths", root=root)
    assert len(await worker.call("offered", root=root, typed="retr")) == 2


async def test_names_and_lines_of_a_file(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text(TYPESCRIPT)
    found = await worker.call("places", **places(tmp_path, "a.ts"))
    assert found[:3] == [
        ["class", "Retry", "", 2, 8, "export class Retry {"],
        ["function", "delay", "Retry", 4, 7, "@memoized"],
        ["function", "run", "", 10, 12, "export const run = async (task: string) => {"],
    ]
    assert found[3] == ["line", "", "", 1, 1, "// Waits."]
    typed = await worker.call("places", **places(tmp_path, "a.ts", "del"))
    assert [each[1] for each in typed] == ["delay", ""]


async def test_the_open_buffer_counts(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text(TYPESCRIPT)
    found = await worker.call("places", **places(tmp_path, "a.ts", text="function fresh() {\n}\n"))
    assert found[0][1] == "fresh"
    found = await worker.call("places", **places(tmp_path, "a.ts"))
    assert found[0][1] == "Retry"


async def test_what_is_no_text_or_outside_gives_nothing(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/binary.ts").write_bytes(b"\0\1\2")
    (tmp_path / "in/large.ts").write_text("x" * 20_000)
    (tmp_path / "out.ts").write_text(TYPESCRIPT)
    (tmp_path / "in/link.ts").symlink_to(tmp_path / "out.ts")
    for path in ("binary.ts", "large.ts", "link.ts", "../out.ts", "none.ts", "."):
        assert await worker.call("places", **places(tmp_path / "in", path)) is None, path


async def test_a_file_that_no_parser_takes_is_read_by_text_rules(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "a.kt").write_text("fun one() {\n}\n")
    (tmp_path / "b.py").write_text("def two():\n    return (\n" + "# x\n" * 100_000)
    assert (await worker.call("places", **places(tmp_path, "a.kt")))[0][1] == "one"
    found = await worker.call("places", **places(tmp_path, "b.py", max_bytes=10_000_000))
    assert found[0][1] == "two"


SAMPLES = {
    "python": ("class A:\n    def b(self): pass\n", ["A", "b"]),
    "javascript": ("class A { b() {} }\nfunction c() {}\n", ["A", "b", "c"]),
    "typescript": ("interface A { b: number }\nfunction c(): void {}\n", ["A", "c"]),
    "rust": ("struct A;\nimpl A {\n    fn b() {}\n}\n", ["A", "b"]),
    "go": ("package a\n\ntype A struct{}\n\nfunc (a *A) B() {}\n", ["A", "B"]),
    "java": ("class A { void b() {} }\n", ["A", "b"]),
    "c": ("int b(void) { return 1; }\n", ["b"]),
    "cpp": ("class A { public: void b() {} };\n", ["A", "b"]),
    "csharp": ("class A { void B() {} }\n", ["A", "B"]),
    "ruby": ("class A\n  def b\n  end\nend\n", ["A", "b"]),
    "shell": ("b() {\n  echo\n}\n", ["b"]),
}


def test_the_parser_knows_what_files_of_each_language_define() -> None:
    assert SAMPLES.keys() == LANGUAGES
    with Parser() as parser:
        for language, (text, names) in SAMPLES.items():
            found = parser.outline(language, tuple(text.split("\n")))
            assert found is not None, language
            assert set(names) <= {each.name for each in found}, language
        assert parser.losses == 0
        assert parser.outline("python", ()) == ()
        assert parser.outline("markdown", ("# x",)) is None
    assert parser.outline("python", ("x",)) is None
