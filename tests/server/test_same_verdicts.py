"""The command line and the server say the same of every citation: label, kind, basis and the lines relied on."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.config import load_settings
from cite_lsp.judges.embedded.identity import IDENTITY
from cite_lsp.worker.parser import LANGUAGES
from tests.mdtest.test_judge_examples import examples_in
from tests.server.at_rest import rest, shown
from tests.server.harness import Session

pytestmark = pytest.mark.usefixtures("person")

TESTS = Path(__file__).resolve().parents[1]
SAMPLES, EXAMPLES = TESTS / "samples", TESTS / "mdtest" / "judge"
_STATED = re.compile(
    r"\b(?P<name>[A-Za-z_][A-Za-z_]{3,40})(?:\s?:\s?[\w.<>]+)?\s?:?=\s?(?P<value>[0-9]{1,6}|true|false)\b"
)
_CALLED = re.compile(r"\b(?P<name>[a-z][A-Za-z_]{4,40})\(")
_AROUND = 4

Said = dict[tuple[str, int, int], tuple[Any, ...]]
"""By document, line and column: label, kind, basis and evidence, whose lines are 1-based."""


def claims_about(path: str, lines: list[str]) -> Iterator[str]:
    """Sentences about a file of code, right and wrong ones, a list item each."""
    for number, line in enumerate(lines, 1):
        first, last = max(1, number - _AROUND), min(len(lines), number + _AROUND)
        cited = f"(`{path}:{first}-{last}`)"
        if stated := _STATED.search(line):
            yield f"- `{stated['name']}` is {stated['value']} {cited}."
            yield f"- `{stated['name']}` is {stated['value']}7 {cited}." if stated["value"].isdigit() else ""
        elif called := _CALLED.search(line):
            yield f"- `{called['name']}` is called when nothing was found {cited}."


def written_examples(folder: Path) -> None:
    """The worked examples as documents of a workspace, each with the files that it cites."""
    for source in sorted(EXAMPLES.glob("*.md")):
        files: dict[tuple[str, ...], str] = {}
        sentences = []
        for example in examples_in(source.read_text(encoding="utf-8")):
            path = files.setdefault((example.path, *example.file), f"{source.stem}/{len(files)}/{example.path}")
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text("\n".join(example.file) + "\n", encoding="utf-8")
            cited = example.lines or f"1-{len(example.file)}"
            sentences.append(f"{example.claim.rstrip('.')} (`{path}:{cited}`).\n")
        (folder / f"{source.stem}.md").write_text("\n".join(["# Examples\n", *sentences]), encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, the worked examples and code in each language that is parsed, in one folder."""
    folder = tmp_path_factory.mktemp("same") / "w"
    shutil.copytree(SAMPLES / "throttle", folder)
    written_examples(folder)
    (folder / "code").mkdir()
    claims: list[str] = []
    for sample in sorted(SAMPLES.glob("parsing/sample.*")):
        if sample.suffix != ".facts":
            shutil.copy(sample, folder / "code")
            claims += claims_about(f"code/{sample.name}", sample.read_text(encoding="utf-8").split("\n"))
    (folder / "code.md").write_text("# Code\n\n" + "\n".join(filter(None, claims)) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def folder(made: Path, person: Path) -> Path:
    if not (made / ".git").exists():
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "All"]):
            subprocess.run(["git", *command], cwd=made, check=True)
    return made


def by_command_line(folder: Path) -> Said:
    command = [sys.executable, "-m", "cite_lsp", "judge", "--format", "json", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    said: Said = {}
    for document in json.loads(done.stdout)["documents"]:
        for anchor in document["anchors"]:
            verdict, start = anchor["verdict"], anchor["range"]["start"]
            if verdict["judge"]:
                evidence = tuple((each["line"], each["text"]) for each in verdict["evidence"])
                place = (document["path"], start["line"], start["character"])
                said[place] = (verdict["label"], verdict["kind"], verdict["basis"], evidence, verdict["judge"])
    return said


def documents(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.md"))


async def by_server(folder: Path, session: Session) -> Said:
    said: Said = {}
    for path in documents(folder):
        uri = path.as_uri()
        session.open(uri, path.read_text(encoding="utf-8"))
        await session.command("cite-lsp.server.judgeDocument", {"uri": uri})
        await rest(session)
        shown(session)
        said |= read_off(session, uri, path.relative_to(folder).as_posix())
    return said


def read_off(session: Session, uri: str, name: str) -> Said:
    inner = session.server.session
    assert inner is not None
    document = inner.find(uri)
    assert document is not None
    assert document.place is not None
    said: Said = {}
    for hit in document.hits:
        judged = document.verdicts.of(hit.block)[hit.number]
        if judged is None or not judged.verdict.judge:
            continue
        verdict = judged.verdict
        excerpts = document.place.snapshot.excerpts(hit.resolution, hit.block.anchors[hit.number])
        starts = [excerpt.start_line for excerpt in excerpts if excerpt is not None]
        evidence = tuple((starts[each.excerpt] + each.offset, each.text) for each in verdict.evidence)
        start = hit.range(document.encoding)["start"]
        place = (name, start["line"], start["character"])
        said[place] = (verdict.label, verdict.kind, verdict.basis or None, evidence, verdict.judge)
    return said


def parsers() -> list[int]:
    """The numbers of the parsers that run below this process, on a system that tells."""
    found, parents = [], [os.getpid()]
    while parents:
        parent = parents.pop()
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            for child in map(int, task.read_text().split()):
                parents.append(child)
                if b"cite_lsp.worker.parsing" in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.append(child)
    return found


async def test_the_command_line_and_the_server_say_the_same(folder: Path) -> None:
    once, again = by_command_line(folder), by_command_line(folder)
    assert once == again
    assert {said[-1] for said in once.values()} == {IDENTITY}
    assert {said[0] for said in once.values()} >= {"supported", "partial", "unsupported", "unchecked"}
    assert len(once) > 200
    async with Session(folders=[folder]) as session:
        told = await by_server(folder, session)
        assert told.keys() == once.keys()
        assert {place: (told[place], said) for place, said in once.items() if told[place] != said} == {}


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="not run: /proc absent")
async def test_a_parser_that_is_killed_changes_no_verdict(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        before = await by_server(folder, session)
        killed = parsers()
        assert killed, "no parser has been asked"
        for number in killed:
            os.kill(number, signal.SIGKILL)
        for path in documents(folder):
            session.close(path.as_uri())
        await rest(session)
        shown(session)
        await session.command("cite-lsp.server.clearCache")
        assert await by_server(folder, session) == before
        assert set(parsers()).isdisjoint(killed)
        assert parsers()


def test_each_language_that_is_parsed_is_among_them(made: Path) -> None:
    endings = {path.suffix for path in (made / "code").iterdir()}
    assert len(endings) > len(LANGUAGES)
    assert load_settings(str(made)).settings.judge.name == "embedded"
