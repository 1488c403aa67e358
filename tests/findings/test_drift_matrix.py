"""Drift over real git histories: class, places and fix of a citation after each kind of change (drift.md)."""

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from cite_lsp.config import Settings
from cite_lsp.findings.check import Checked, examine
from cite_lsp.findings.drifting import lost_names
from cite_lsp.findings.reading import as_of_setting, parse_document
from cite_lsp.snapshot.baselines import Asked, Baselines
from cite_lsp.snapshot.snapshot import Snapshot

HEAD = ["import time", "", "LIMIT = 3", "PAUSE = 0.25", ""]
BLOCK = [
    "def retry(call):",
    "    for attempt in range(LIMIT):",
    "        time.sleep(PAUSE * attempt)",
    "        call()",
]
TAIL = ["", "def close(pool):", "    pool.shutdown(wait=True)", "    return pool.statistics()"]
CODE = [*HEAD, *BLOCK, *TAIL]
PROSE = "# Retries\n\nEach call is tried `LIMIT` times, with a pause (`src/pool.py:6-9`).\n"
MORE = ["", "class Pool:", "    size = 8", ""]


class History:
    """A repository in which a document cites lines 6 to 9 of a file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.minutes = 0
        self.git("init", "-q")
        self.code(CODE)
        self.write("docs/retries.md", PROSE)
        self.commit("start")

    def git(self, *arguments: str) -> str:
        self.minutes += 1
        when = f"2026-03-{1 + self.minutes // 1440:02}T{self.minutes // 60 % 24:02}:{self.minutes % 60:02}:00Z"
        environment = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, check=True, capture_output=True, env={**os.environ, **environment}
        )
        return done.stdout.decode().strip()

    def write(self, path: str, text: str) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")

    def code(self, lines: Sequence[str], path: str = "src/pool.py") -> None:
        self.write(path, "\n".join(lines) + "\n")

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")


@dataclass(frozen=True)
class Seen:
    """What is said of the one citation."""

    status: str
    places: list[tuple[str, int, int]]
    reformatted: bool
    codes: list[str]
    fixed: str | None
    """The citation after the preferred fix; None where there is none."""
    offered: int
    checked: Checked


def examined(root: Path, path: str = "docs/retries.md", settings: Settings | None = None) -> Checked:
    settings = settings or Settings(records=())
    snapshot = Snapshot.open(str(root))
    text = (root / path).read_text(encoding="utf-8")
    document = parse_document(text, path, snapshot.known, settings)
    baselines = Baselines.of(str(root))
    assert isinstance(baselines, Baselines)
    snapshot.commits = baselines
    (written,) = baselines.written([Asked(document, as_of_setting(settings, path))])
    checked = examine(document, snapshot, settings, path, written)
    baselines.close()
    return checked


def look(root: Path, path: str = "docs/retries.md", settings: Settings | None = None) -> Seen:
    settings = settings or Settings(records=())
    checked = examined(root, path, settings)
    text = (root / path).read_text(encoding="utf-8")
    snapshot = Snapshot.open(str(root))
    ((drift,),) = checked.drifts
    preferred = [fix for finding in checked.findings for fix in finding.fixes if fix.preferred]
    fixed = text
    for edit in sorted((edit for fix in preferred[:1] for edit in fix.edits), key=lambda each: -each.start):
        fixed = fixed[: edit.start] + edit.text + fixed[edit.end :]
    shown = parse_document(fixed, path, snapshot.known, settings).anchors[0].text if preferred else None
    return Seen(
        drift.status,
        [(place.path, place.first, place.last) for place in drift.places],
        drift.reformatted,
        [finding.code for finding in checked.findings],
        shown,
        sum(len(finding.fixes) for finding in checked.findings),
        checked,
    )


@pytest.fixture
def history(tmp_path: Path, person: Path) -> History:
    root = tmp_path / "w"
    root.mkdir()
    return History(root)


Change = Callable[[History], object]


def _committed(lines: Sequence[str]) -> Change:
    return lambda history: (history.code(lines), history.commit("change"))


MOVED = [*HEAD, *TAIL[1:], "", *BLOCK]
INDENTED = [*HEAD, "if True:", *(f"    {line}" for line in BLOCK), *TAIL]

CASES: dict[str, tuple[Change, str, list[tuple[str, int, int]], bool, list[str], str | None]] = {
    "nothing": (lambda _: None, "same", [], False, [], None),
    "insert above": (
        _committed([*HEAD, *MORE, *BLOCK, *TAIL]), "moved", [("src/pool.py", 10, 13)], False, ["moved"],
        "src/pool.py:10-13",
    ),
    "delete above": (
        _committed([*HEAD[2:], *BLOCK, *TAIL]), "moved", [("src/pool.py", 4, 7)], False, ["moved"], "src/pool.py:4-7",
    ),
    "insert below": (_committed([*CODE, *MORE]), "same", [], False, [], None),
    "move block": (
        _committed(MOVED), "moved", [("src/pool.py", 10, 13)], False, ["moved"], "src/pool.py:10-13",
    ),
    "duplicate block elsewhere": (_committed([*CODE, "", *BLOCK]), "same", [], False, [], None),
    "edit inside": (
        _committed([*HEAD, BLOCK[0], BLOCK[1], "        time.sleep(PAUSE * 2**attempt)", BLOCK[3], *TAIL]), "edited",
        [("src/pool.py", 6, 9)], False, [], None,
    ),
    "edit inside what the sentence names": (
        _committed([*HEAD, BLOCK[0], "    for attempt in range(5):", *BLOCK[2:], *TAIL]), "edited",
        [("src/pool.py", 6, 9)], False, ["edited"], None,
    ),
    "re-indent in place": (
        _committed([*HEAD, *(f"    {line}" for line in BLOCK), *TAIL]), "same", [], True, [], None,
    ),
    "re-indent and move": (
        _committed(INDENTED), "moved", [("src/pool.py", 7, 10)], True, ["moved"], "src/pool.py:7-10",
    ),
    "a name changed throughout": (
        _committed([*MORE, *HEAD, *(line.replace("attempt", "turn") for line in BLOCK), *TAIL]), "moved",
        [("src/pool.py", 10, 13)], True, ["moved"], "src/pool.py:10-13",
    ),
    "delete": (_committed([*HEAD, *TAIL]), "gone", [], False, ["gone"], None),
    "delete, the rest too short": (_committed(HEAD), "gone", [], False, ["line-out-of-range"], None),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_one_change(history: History, name: str) -> None:
    change, status, places, reformatted, codes, fixed = CASES[name]
    change(history)
    seen = look(history.root)
    assert (seen.status, seen.places, seen.reformatted) == (status, places, reformatted)
    assert (seen.codes, seen.fixed) == (codes, fixed)


def test_a_block_that_was_copied_and_shifted_has_several_places(history: History) -> None:
    history.code([*HEAD, *MORE, *BLOCK, *TAIL, "", *BLOCK])
    history.commit("copy")
    seen = look(history.root)
    assert seen.status == "moved"
    assert sorted(seen.places) == [("src/pool.py", 10, 13), ("src/pool.py", 19, 22)]
    assert seen.places[0] == ("src/pool.py", 10, 13), "its neighbours are the old ones"
    assert (seen.codes, seen.fixed, seen.offered) == (["moved"], None, 2)


def test_renamed_once_and_twice(history: History) -> None:
    history.git("mv", "src/pool.py", "src/pools.py")
    history.commit("rename")
    seen = look(history.root)
    assert (seen.status, seen.places) == ("moved", [("src/pools.py", 6, 9)])
    assert (seen.codes, seen.fixed) == (["moved"], "src/pools.py:6-9")
    (history.root / "lib").mkdir()
    history.git("mv", "src/pools.py", "lib/pools.py")
    history.code([*MORE, *CODE], "lib/pools.py")
    history.commit("rename again")
    seen = look(history.root)
    assert (seen.status, seen.places) == ("moved", [("lib/pools.py", 10, 13)])
    assert (seen.codes, seen.fixed) == (["moved"], "lib/pools.py:10-13")


def test_deleted_file(history: History) -> None:
    history.git("rm", "-q", "src/pool.py")
    history.commit("delete")
    seen = look(history.root)
    assert (seen.status, seen.fixed) == ("gone", None)
    assert seen.codes == ["missing"]


def test_the_commit_that_removed_the_text_is_named(history: History) -> None:
    history.code([*CODE, *MORE])
    history.commit("below")
    history.code([*HEAD, *TAIL, *MORE])
    removed = history.commit("remove")
    history.code([*MORE, *HEAD, *TAIL, *MORE])
    history.commit("later")
    seen = look(history.root)
    (finding,) = seen.checked.findings
    assert finding.code == "gone"
    assert removed[:7] in finding.message


def test_revert_brings_it_back(history: History) -> None:
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    history.commit("shift")
    assert look(history.root).status == "moved"
    history.git("revert", "--no-edit", "HEAD")
    seen = look(history.root)
    assert (seen.status, seen.codes) == ("same", [])


def test_a_citation_that_came_with_a_merge_is_compared_with_its_own_branch(history: History) -> None:
    history.git("checkout", "-q", "-b", "side")
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    history.write("docs/retries.md", PROSE.replace("6-9", "10-13"))
    history.commit("side: shift and cite")
    history.git("checkout", "-q", "main")
    history.write("other.txt", "x")
    history.commit("main goes on")
    history.git("merge", "-q", "--no-edit", "side")
    assert look(history.root).status == "same"
    history.code([*HEAD, *MORE, *MORE, *BLOCK, *TAIL])
    history.commit("shift again")
    seen = look(history.root)
    assert (seen.status, seen.places) == ("moved", [("src/pool.py", 14, 17)])


def test_both_sides_of_a_merge_touched_the_document(history: History) -> None:
    history.git("checkout", "-q", "-b", "side")
    history.write("docs/retries.md", PROSE + "\nA last word.\n")
    history.commit("side")
    history.git("checkout", "-q", "main")
    history.write("docs/retries.md", "Preface.\n\n" + PROSE)
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    history.commit("main")
    history.git("merge", "-q", "--no-edit", "side")
    seen = look(history.root)
    assert (seen.status, seen.places) == ("moved", [("src/pool.py", 10, 13)])


def test_squash(history: History) -> None:
    history.git("checkout", "-q", "-b", "side")
    for number in range(3):
        history.code([*HEAD, *MORE * (number + 1), *BLOCK, *TAIL])
        first = 6 + 4 * (number + 1)
        history.write("docs/retries.md", PROSE.replace("6-9", f"{first}-{first + 3}"))
        history.commit(f"step {number}")
    history.git("checkout", "-q", "main")
    history.git("merge", "--squash", "side")
    squashed = history.commit("squashed")
    seen = look(history.root)
    assert seen.status == "same"
    assert seen.checked.written[0] is not None
    assert seen.checked.written[0].baselines[0].commit == squashed


def test_a_reflow_of_the_prose_hides_nothing(history: History) -> None:
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    history.commit("shift")
    flowed = "Each call is tried\n`LIMIT` times, with\na pause\n(`src/pool.py:6-9`)."
    history.write("docs/retries.md", f"# Retries\n\n{flowed}\n")
    history.commit("re-flow")
    seen = look(history.root)
    assert (seen.status, seen.places) == ("moved", [("src/pool.py", 10, 13)])


def test_put_right_by_hand(history: History) -> None:
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    history.commit("shift")
    history.write("docs/retries.md", PROSE.replace("6-9", "10-13"))
    history.commit("put right")
    seen = look(history.root)
    assert (seen.status, seen.codes) == ("same", [])


def test_uncommitted_edits_on_both_sides(history: History) -> None:
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    seen = look(history.root)
    assert (seen.status, seen.places, seen.fixed) == ("moved", [("src/pool.py", 10, 13)], "src/pool.py:10-13")
    history.write("docs/retries.md", "A preface.\n\n" + PROSE.replace("with a pause", "after a pause"))
    seen = look(history.root)
    assert (seen.status, seen.places) == ("moved", [("src/pool.py", 10, 13)])
    history.write("docs/retries.md", PROSE.replace("6-9", "10-13"))
    seen = look(history.root)
    assert (seen.status, seen.codes) == ("unknown", []), "git does not have this citation yet"


def test_shallow_clone(history: History, tmp_path: Path) -> None:
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    history.commit("shift")
    clone = tmp_path / "shallow"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{history.root}", str(clone)], check=True, capture_output=True
    )
    seen = look(clone)
    assert (seen.status, seen.codes) == ("unknown", [])
    ((drift,),) = seen.checked.drifts
    assert "shallow" in drift.reason
    assert "fetch-depth: 0" in drift.reason


def test_worktree(history: History, tmp_path: Path) -> None:
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    history.commit("shift")
    other = tmp_path / "other"
    history.git("worktree", "add", "-q", "-b", "other", str(other))
    seen = look(other)
    assert (seen.status, seen.places) == ("moved", [("src/pool.py", 10, 13)])


def test_a_record_is_read_as_of_its_commit(history: History) -> None:
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    history.commit("shift")
    seen = look(history.root, settings=Settings(records=("docs/**",)))
    assert (seen.status, seen.codes, seen.places) == ("moved", [], [("src/pool.py", 10, 13)])
    (resolution,) = seen.checked.resolutions
    assert resolution.status == "found"
    assert resolution.as_of == history.git("rev-parse", "HEAD~1")
    ((drift,),) = seen.checked.drifts
    assert drift.as_of == resolution.as_of


def test_a_record_whose_file_is_gone_is_told_nothing(history: History) -> None:
    history.git("rm", "-q", "src/pool.py")
    history.commit("delete")
    seen = look(history.root, settings=Settings(records=("docs/**",)))
    assert seen.codes == []


def test_born_past_the_end(history: History) -> None:
    history.write("docs/retries.md", PROSE.replace("6-9", "60-63"))
    history.commit("a slip")
    assert look(history.root).codes == ["line-out-of-range"]
    history.git("commit", "-q", "--allow-empty", "-m", "months later", "--date", "2026-09-01T00:00:00Z")
    history.minutes += 60 * 24 * 20
    history.code([*CODE, *(f"x{number} = {number}" for number in range(80))])
    history.commit("grows")
    seen = look(history.root)
    assert (seen.status, seen.codes) == ("born-wrong", ["born-wrong"])
    assert "13 lines" in seen.checked.findings[0].message


def test_a_permalink_is_read_as_of_its_own_commit(history: History) -> None:
    commit = history.git("rev-parse", "HEAD")
    history.write("docs/retries.md", f"See [the loop](../blob/{commit}/src/pool.py#L6-L9).\n")
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    history.commit("link")
    seen = look(history.root)
    assert (seen.status, seen.codes, seen.fixed) == ("moved", [], None)
    assert seen.checked.resolutions[0].as_of == commit
    assert seen.checked.resolutions[0].status == "found"


def test_a_path_that_led_nowhere_when_it_was_written_is_not_repaired_unasked(history: History) -> None:
    history.git("mv", "src/pool.py", "src/tank.py")
    history.commit("rename")
    history.code(TAIL, "src/tank.py")
    history.commit("cut")
    history.write("docs/more.md", PROSE.replace("6-9", "2-3"))
    history.commit("cites the old name, nobody knows which lines")
    seen = look(history.root, "docs/more.md")
    assert (seen.codes, seen.fixed, seen.offered) == (["missing"], None, 1)


def test_each_span_that_moved_is_told(history: History) -> None:
    history.write("docs/more.md", PROSE.replace("6-9", "6-7,12-13"))
    history.commit("two spans")
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    history.commit("shift")
    (finding,) = examined(history.root, "docs/more.md").findings
    assert finding.message == "the text cited as lines 6-7 moved to lines 10-11, that of lines 12-13 to lines 16-17"


def test_of_a_brace_that_is_gone_its_surroundings_are_told(history: History) -> None:
    code = ["fn refill() {", "    tokens += rate;", "    cap();", "}", "", "fn drain() {", "    stop();", "}"]
    history.code(code, "src/a.rs")
    history.write("docs/more.md", "It ends there (`src/a.rs:4`).\n")
    history.commit("cites a brace")
    history.code(["mod other {", "    pub use elsewhere::*;", "}", "struct Empty {", "}"], "src/a.rs")
    history.commit("all new")
    (finding,) = examined(history.root, "docs/more.md").findings
    assert (finding.code, finding.message) == ("gone", "what stood around the cited `}` no longer stands in `src/a.rs`")


@pytest.mark.parametrize(
    ("claim", "lost"),
    [
        ("shows `Audio link lost`", ("Audio link lost",)),
        ("is `limit = 3` there", ("limit = 3",)),
        ("is `limit = 9` there", ("limit",)),
        ("calls `stop_all`", ("stop_all",)),
        ("is `Audio link lost` and `stays`", ("Audio link lost",)),
    ],
)
def test_what_an_edit_took_from_a_claim_is_named_as_the_claim_writes_it(claim: str, lost: tuple[str, ...]) -> None:
    before = ["<p>Audio link lost</p>", "limit = 3", "stop_all()", "stays"]
    assert lost_names(claim, before, ["<p>{text}</p>", "stays"]) == lost


def test_a_claim_of_a_record_that_names_other_lines_says_as_of_when(history: History) -> None:
    history.code([*CODE, *(f"step_{number}()" for number in range(20)), "def drain_pool(pool):", "    return 1"])
    history.write("docs/more.md", "Then `drain_pool` empties it at once (`src/pool.py:1-3`).\n")
    commit = history.commit("a slip in a record")
    history.code([*HEAD, *MORE, *BLOCK, *TAIL])
    history.commit("shift")
    checked = examined(history.root, "docs/more.md", Settings(records=("docs/**",)))
    told = [each.message for each in checked.findings if each.code == "wrong-lines"]
    assert told == [
        f"`drain_pool` does not stand in the cited lines 1-3; it is defined on line 34 (as of {commit[:7]}, 1 Mar)"
    ]
