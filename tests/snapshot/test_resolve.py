"""Resolution: from a citation in a document to a file and its lines, or the reason why none."""

import os
import subprocess
from pathlib import Path
from unicodedata import normalize

import pytest

from cite_lsp.document.document import Document
from cite_lsp.findings.catalogue import CATALOGUE
from cite_lsp.snapshot.lines import Reader
from cite_lsp.snapshot.paths import PathIndex, Tracked
from cite_lsp.snapshot.resolve import PRECEDENCE, RESOLVED, Resolution, worst
from cite_lsp.snapshot.snapshot import Scope, Snapshot

TEN = "".join(f"line {number}\n" for number in range(1, 11))
DOCUMENT = "docs/d.md"


@pytest.fixture(autouse=True)
def _alone(person, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True, text=True)
    return done.stdout.strip()


def tree(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def repository(folder: Path, **files: str) -> Path:
    tree(folder, **files)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    return folder


def resolutions(snapshot: Snapshot, text: str, path: str = DOCUMENT) -> list[Resolution]:
    document = Document.parse(text, path, snapshot.known)
    return [snapshot.resolve(anchor, document) for anchor in document.anchors]


def resolve(snapshot: Snapshot, text: str, path: str = DOCUMENT) -> Resolution:
    (resolution,) = resolutions(snapshot, text, path)
    return resolution


def of_lines(text: str, **files: str) -> Resolution:
    return resolve(Snapshot.of({"src/a.py": TEN, DOCUMENT: "", **files}), text)


# Lines


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("`src/a.py:1`", "found"),
        ("`src/a.py:10`", "found"),
        ("`src/a.py:1-10`", "found"),
        ("`src/a.py:11`", "line-out-of-range"),
        ("`src/a.py:11-12`", "line-out-of-range"),
        ("`src/a.py:10-11`", "end-out-of-range"),
        ("`src/a.py:~11`", "end-out-of-range"),
        ("`src/a.py:11+`", "end-out-of-range"),
        ("`src/a.py:999999999`", "line-out-of-range"),
        ("`src/a.py:0`", "malformed"),
        ("`src/a.py:5-3`", "malformed"),
        ("`src/a.py:1-2-3`", "malformed"),
        ("`src/a.py:1234567890`", "malformed"),
        ("`src/a.py:4:80`", "found"),
        ("`src/gone.py:5-3`", "malformed"),
    ],
)
def test_a_span_has_a_status(text, status):
    resolution = of_lines(text)
    assert resolution.status == status
    assert resolution.spans == (status,)


def test_a_continuation_past_the_end_may_be_a_port():
    snapshot = Snapshot.of({"src/a.py": TEN, DOCUMENT: ""})
    assert [each.status for each in resolutions(snapshot, "`src/a.py:1` listens on `:8080`")] == [
        "found",
        "end-out-of-range",
    ]


def test_each_span_of_a_list_has_its_own_status_and_the_worst_is_the_anchors():
    resolution = of_lines("`src/a.py:1,3,9-12,40`", **{"src/a.py": "one\ntwo\n\n" + "x\n" * 7})
    assert resolution.spans == ("found", "blank-line", "end-out-of-range", "line-out-of-range")
    assert resolution.status == "line-out-of-range"
    assert resolution.line_count == 10
    assert not resolution.resolved


def test_a_malformed_list_has_no_other_status():
    resolution = of_lines("`src/a.py:1,5-3,40`")
    assert resolution.spans == ("malformed",) * 3
    assert resolution.line_count == 10


@pytest.mark.parametrize(
    ("lines", "span", "near"),
    [
        ("a\n\nb\n", "2", (1, 3)),
        ("a\n \t\n\nb\n", "2-3", (1, 4)),
        ("\n\n\nb\n", "1", (4,)),
        ("a\n\n\n", "3", (1,)),
        ("\n\n", "1", ()),
        ("a\n" + "\n" * 200 + "b\n", "100", ()),
        ("a\n\x0c\nb\n", "2", (1, 3)),
    ],
)
def test_blank_lines_name_the_nearest_text(lines, span, near):
    resolution = of_lines(f"`src/b.py:{span}`", **{"src/b.py": lines})
    assert (resolution.status, resolution.near) == ("blank-line", near)
    assert resolution.resolved


def test_an_approximate_line_is_never_blank():
    for text in ("`src/b.py:~2`", "`src/b.py:2+`"):
        assert of_lines(text, **{"src/b.py": "a\n\nb\n"}).status == "found"


def test_a_range_with_one_line_of_text_is_not_blank():
    assert of_lines("`src/b.py:2-3`", **{"src/b.py": "a\n\nb\n"}).status == "found"


def test_an_empty_file_has_no_line():
    resolution = of_lines("`src/b.py:1`", **{"src/b.py": ""})
    assert (resolution.status, resolution.line_count) == ("line-out-of-range", 0)


def test_only_the_three_line_ends_end_a_line():
    text = "a\x0cb\u2028c\x0bd\x85e\r\nf\rg\n"
    assert of_lines("`src/b.py:3`", **{"src/b.py": text}).line_count == 3


def test_a_very_long_range_is_not_called_blank_and_many_of_them_cost_little():
    files = {"src/b.py": "\n" * 200_000}
    assert of_lines("`src/b.py:1-9000`", **files).status == "blank-line"
    assert of_lines("`src/b.py:1-199000`", **files).status == "found"


# Precedence


def test_precedence_is_the_catalogues_and_ends_with_what_is_no_finding():
    codes = [code.name for code in CATALOGUE.values() if code.layer == "resolve"]
    assert (*codes, "foreign", "found") == PRECEDENCE
    assert set(PRECEDENCE) >= RESOLVED


@pytest.mark.parametrize("rank", range(len(PRECEDENCE) - 1))
def test_the_first_of_two_statuses_wins(rank):
    assert worst((PRECEDENCE[rank + 1], PRECEDENCE[rank])) == PRECEDENCE[rank]
    assert worst((PRECEDENCE[rank], *PRECEDENCE[rank:])) == PRECEDENCE[rank]


def test_the_status_of_the_path_and_of_the_lines_are_weighed():
    snapshot = Snapshot.of({"src/Retry.py": "a\n\nb\n", DOCUMENT: ""})
    found = [
        (each.status, each.spans)
        for each in resolutions(snapshot, "`src/retry.py:1`, `src/retry.py:2`, `src/retry.py:9`, `src/retry.py:3-1`")
    ]
    assert found == [
        ("case-differs", ("found",)),
        ("blank-line", ("blank-line",)),
        ("line-out-of-range", ("line-out-of-range",)),
        ("malformed", ("malformed",)),
    ]


# Paths that are not here


def test_missing_and_elsewhere_without_git(tmp_path):
    snapshot = Snapshot.open(str(tree(tmp_path / "w", **{"src/a.py": TEN, "docs/img/x.py": "", DOCUMENT: ""})))
    text = "`src/gone.py:1` `img/gone.py:1` `./gone.py:1` `../gone.py:1` `net/a/b.c:1` `gone.py:1` `../net/x.c:1`"
    assert [each.status for each in resolutions(snapshot, text)] == [
        "missing",
        "missing",
        "missing",
        "missing",
        "elsewhere",
        "elsewhere",
        "elsewhere",
    ]


def test_an_absolute_path_into_the_root_that_is_gone_is_missing(tmp_path):
    root = tree(tmp_path / "w", **{"src/a.py": TEN, DOCUMENT: ""})
    snapshot = Snapshot.open(str(root))
    for path in (f"{root}/src/gone.py", "/src/gone.py"):
        assert resolve(snapshot, f"`{path}:1`").status == "missing"
    assert resolve(snapshot, f"`{root}/src/A.py:1`").status == "case-differs"


def test_a_name_in_the_history_is_missing_and_another_is_elsewhere(tmp_path):
    root = repository(tmp_path / "w", **{"old/was_here.py": TEN, DOCUMENT: "d"})
    git(root, "rm", "-q", "old/was_here.py")
    git(root, "commit", "-qm", "y")
    snapshot = Snapshot.open(str(root))
    text = "`was_here.py:1` `lib/deep/was_here.py:1` `never.py:1`"
    assert [each.status for each in resolutions(snapshot, text)] == ["missing", "missing", "elsewhere"]


def test_git_says_where_a_missing_file_went(tmp_path):
    root = repository(tmp_path / "w", **{"src/old.py": TEN, "docs/near.py": TEN + "x\n", DOCUMENT: "d"})
    (root / "lib").mkdir()
    git(root, "mv", "src/old.py", "lib/new.py")
    git(root, "mv", "docs/near.py", "docs/nearer.py")
    git(root, "commit", "-qm", "moved")
    snapshot = Snapshot.open(str(root))
    document = Document.parse("`src/old.py:3` `near.py:3` `./near.py:4` `src/never.py:3`", DOCUMENT, snapshot.known)
    found = [snapshot.renamed_to(snapshot.resolve(anchor, document), document) for anchor in document.anchors]
    assert found == ["lib/new.py", "docs/nearer.py", "docs/nearer.py", None]


@pytest.mark.parametrize(("part", "offered"), [("tests.py", False), ("__init__.py", True), ("pool.py", True)])
def test_a_part_of_a_file_that_was_split_is_not_its_new_name(tmp_path, part, offered):
    root = repository(tmp_path / "w", **{"src/pool.py": TEN, DOCUMENT: "d"})
    (root / "src/pool").mkdir()
    git(root, "mv", "src/pool.py", f"src/pool/{part}")
    git(root, "commit", "-qm", "split")
    snapshot = Snapshot.open(str(root))
    document = Document.parse("`src/pool.py:3`", DOCUMENT, snapshot.known)
    resolution = snapshot.resolve(document.anchors[0], document)
    assert snapshot.renamed_to(resolution, document) == (f"src/pool/{part}" if offered else None)


def test_an_ambiguous_name_says_how_many_more_files_there_are():
    files = {f"p{number:02}/mod.rs": "x\n" for number in range(12)}
    resolution = resolve(Snapshot.of({**files, DOCUMENT: ""}), "`mod.rs:1`")
    assert (len(resolution.candidates), resolution.left_out) == (5, 7)


def test_a_rename_in_a_root_that_is_a_part_of_a_repository(tmp_path):
    top = repository(tmp_path / "w", **{"pkg/src/old.py": TEN, "pkg/docs/d.md": "d", "pkg/src/gone.py": TEN * 3})
    git(top, "mv", "pkg/src/old.py", "pkg/src/new.py")
    git(top, "mv", "pkg/src/gone.py", "outside.py")
    git(top, "commit", "-qm", "moved")
    snapshot = Snapshot.open(str(top / "pkg"))
    document = Document.parse("`src/old.py:3` `src/gone.py:3`", DOCUMENT, snapshot.known)
    found = [snapshot.renamed_to(snapshot.resolve(anchor, document), document) for anchor in document.anchors]
    assert found == ["src/new.py", None], "what left the root is not offered"


def test_the_closest_paths(tmp_path):
    snapshot = Snapshot.of({"src/retry.py": TEN, ".github/workflows/release.yml": TEN, DOCUMENT: ""})
    for text, closest in (
        ("`src/retrys.py:1`", ("src/retry.py",)),
        ("`./retrry.py:1`", ("src/retry.py",)),
        ("`.github/workflows/relaese.yml:1`", (".github/workflows/release.yml",)),
        ("`src/wholly_other.py:1`", ()),
    ):
        assert snapshot.closest(resolve(snapshot, text)) == closest, text


# Files that are not read


def test_files_that_are_not_read_say_why(tmp_path):
    root = tree(tmp_path / "w", **{DOCUMENT: "", "src/a.py": TEN, "lfs.py": ""})
    (root / "nul.py").write_bytes(b"a\0b\n")
    (root / "big.py").write_bytes(b"x\n" * 600)
    (root / "lfs.py").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n")
    os.mkfifo(root / "pipe.py")
    (root / "loop.py").symlink_to("loop.py")
    (root / "zero.py").symlink_to("/dev/zero")
    (tmp_path / "secret.py").write_text("s\n")
    (root / "out.py").symlink_to(tmp_path / "secret.py")
    (root / "folder.py").mkdir()
    snapshot = Snapshot.open(str(root), scope=Scope(max_bytes=1000))
    for name, status, reason in (
        ("nul.py", "not-text", "holds NUL bytes, so it is not text"),
        ("big.py", "too-large", "has 1,200 bytes or more, over the limit of 1,000"),
        ("lfs.py", "not-available", "is a Git LFS pointer; `git lfs pull` fetches its content"),
        ("pipe.py", "unreadable", "is a named pipe, not a file"),
        ("loop.py", "unreadable", "is a symbolic link that leads to itself"),
        ("folder.py", "unreadable", "is a folder, not a file"),
        ("zero.py", "outside", "lies outside the workspace folders"),
        ("out.py", "outside", "lies outside the workspace folders"),
    ):
        resolution = resolve(snapshot, f"`{name}:1`")
        assert (resolution.status, resolution.reason, resolution.path) == (status, reason, name)
        assert resolution.spans == (status,)
        assert not resolution.resolved
        assert snapshot.file(resolution) is None


def test_a_path_out_of_the_workspace_is_not_read(tmp_path):
    root = tree(tmp_path / "w", **{DOCUMENT: ""})
    tree(tmp_path, **{"other/x.py": TEN})
    snapshot = Snapshot.open(str(root))
    assert resolve(snapshot, "`../../other/x.py:1`").status == "outside"
    resolution = resolve(snapshot, f"`{tmp_path}/other/x.py:1`")
    assert (resolution.status, resolution.path) == ("outside", f"{tmp_path}/other/x.py")


# What others will have


def test_tracked_untracked_and_ignored_targets(tmp_path):
    root = repository(tmp_path / "w", **{"src/a.py": TEN, DOCUMENT: "d", ".gitignore": "build/\n*.log.txt\n"})
    tree(root, **{"src/new.py": TEN, "build/out.py": TEN, "x.log.txt": TEN})
    snapshot = Snapshot.open(str(root))
    text = "`src/a.py:1` `src/new.py:1` `build/out.py:1` `x.log.txt:1` `build/out.py:99` `src/new.py:99`"
    found = resolutions(snapshot, text)
    assert [each.status for each in found] == [
        "found",
        "untracked-target",
        "ignored-target",
        "ignored-target",
        "line-out-of-range",
        "line-out-of-range",
    ]
    assert [each.spans for each in found[:3]] == [("found",)] * 3
    assert all(each.resolved for each in found[:4])


def test_a_file_is_judged_where_it_really_lies(tmp_path):
    root = repository(tmp_path / "w", **{"src/deep/a.py": TEN, DOCUMENT: "d", ".gitignore": "build/\n"})
    (root / "short").symlink_to("src/deep")
    tree(root, **{"build/out.py": TEN})
    (root / "made").symlink_to("build")
    snapshot = Snapshot.open(str(root))
    assert resolve(snapshot, "`short/a.py:1`").status == "found"
    assert resolve(snapshot, "`made/out.py:1`").status == "ignored-target"


def test_without_git_nothing_is_untracked(tmp_path):
    root = tree(tmp_path / "w", **{"src/a.py": TEN, DOCUMENT: "", ".gitignore": "build/\n", "build/o.py": TEN})
    snapshot = Snapshot.open(str(root))
    assert [each.status for each in resolutions(snapshot, "`src/a.py:1` `build/o.py:1`")] == [
        "found",
        "ignored-target",
    ]


def test_the_same_name_in_another_normal_form(tmp_path):
    on_disk, written = normalize("NFD", "src/café.py"), normalize("NFC", "src/café.py")
    snapshot = Snapshot.open(str(tree(tmp_path / "w", **{on_disk: TEN, DOCUMENT: ""})))
    resolution = resolve(snapshot, f"`{written}:1`")
    assert (resolution.status, resolution.path) == ("case-differs", on_disk)


# Buffers


def test_an_open_buffer_wins_over_the_disk(tmp_path):
    root = repository(tmp_path / "w", **{"src/a.py": TEN, DOCUMENT: "d"})
    overlay = {f"{root}/src/a.py": "one\n", f"{root}/src/unsaved.py": "one\ntwo\n"}
    snapshot = Snapshot.open(str(root), overlay=overlay)
    assert resolve(snapshot, "`src/a.py:2`").line_count == 1
    resolution = resolve(snapshot, "`src/unsaved.py:2`")
    assert (resolution.status, resolution.line_count) == ("untracked-target", 2)


def test_in_memory():
    snapshot = Snapshot.of({"src/a.py": TEN, DOCUMENT: ""})
    assert resolve(snapshot, "`src/a.py:3`") == Resolution("found", ("found",), "", "src/a.py", "root", (), 10)
    assert resolve(snapshot, "`src/b.py:3`").status == "missing"
    assert resolve(snapshot, "`lib/b.py:3`").status == "elsewhere"
    excerpt = snapshot.excerpts(resolve(snapshot, "`src/a.py:3`"), Document.parse("`src/a.py:3`").anchors[0], 1)[0]
    assert excerpt is not None
    assert "line 3" in excerpt.text


# Other repositories


def test_a_prefix_of_another_tree_is_foreign():
    snapshot = Snapshot.of({"src/a.py": TEN})
    snapshot.scope = Scope(foreign=("linux/",))
    assert resolve(snapshot, "`linux/net/core.c:3`").status == "foreign"
    assert resolve(snapshot, "`./linux/net/core.c:3`").status == "foreign"
    assert resolve(snapshot, "`src/a.py:3`").status == "found"


def test_a_prefix_of_another_tree_is_whole_folders():
    snapshot = Snapshot.of({"linuxfb/a.py": TEN, "b.py": TEN})
    for prefix in ("linux", "linux/", "./linux/"):
        snapshot.scope = Scope(foreign=("", prefix))
        assert resolve(snapshot, "`linux/net/core.c:3`").status == "foreign"
        assert resolve(snapshot, "`linuxfb/a.py:3`").status == "found"
        assert resolve(snapshot, "`b.py:3`").status == "found"


def test_a_prefix_of_another_tree_leads_to_its_checkout(tmp_path):
    root = tree(tmp_path / "w", **{DOCUMENT: "", "net/core.c": "not this one\n"})
    checkout = tree(tmp_path / "checkout", **{"net/core.c": TEN})
    for name in ("linux", "torvalds/linux/"):
        scope = Scope(foreign=(name,), repositories={"linux": str(checkout)})
        snapshot = Snapshot.open(str(root), scope=scope)
        path = f"{name.rstrip('/')}/net/core.c"
        found = resolve(snapshot, f"`{path}:3`")
        assert (found.status, found.root, found.path, found.line_count) == ("found", str(checkout), "net/core.c", 10)
        assert resolve(snapshot, f"`{path}:30`").status == "line-out-of-range"
        assert resolve(snapshot, f"`{name.rstrip('/')}/net/gone.c:3`").status == "foreign"


ADDRESS = "https://host.example/owner/name"


@pytest.mark.parametrize(
    "target",
    [
        f"{ADDRESS}/blob/main/src/a.py#L3",
        f"{ADDRESS}/-/blob/main/src/a.py#L3-L4",
        f"{ADDRESS}/blob/feature/x/src/a.py#L3",
        f"{ADDRESS}/blob/0123456789abcdef0123456789abcdef01234567/src/a.py#L3",
    ],
)
def test_a_permalink_is_foreign_unless_its_repository_is_mapped(tmp_path, target):
    root = tree(tmp_path / "w", **{DOCUMENT: "", "src/a.py": "not this one\n"})
    checkout = tree(tmp_path / "checkout", **{"src/a.py": TEN})
    assert resolve(Snapshot.open(str(root)), f"[x]({target})").status == "foreign"
    for name in ("owner/name", ADDRESS):
        snapshot = Snapshot.open(str(root), scope=Scope(repositories={name: str(checkout)}))
        resolution = resolve(snapshot, f"[x]({target})")
        assert (resolution.status, resolution.root, resolution.path, resolution.via, resolution.line_count) == (
            "found",
            str(checkout),
            "src/a.py",
            "permalink",
            10,
        )
        assert snapshot.file(resolution) is not None


def test_a_file_that_a_mapped_checkout_lacks_is_foreign(tmp_path):
    root = tree(tmp_path / "w", **{DOCUMENT: ""})
    checkout = tree(tmp_path / "checkout", **{"src/a.py": TEN})
    snapshot = Snapshot.open(str(root), scope=Scope(repositories={"owner/name": str(checkout)}))
    assert resolve(snapshot, f"[x]({ADDRESS}/blob/main/src/b.py#L3)").status == "foreign"
    assert resolve(snapshot, f"[x]({ADDRESS}/blob/main/src/a.py#L30)").status == "line-out-of-range"


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("../../blob/main/src/a.py#L3", "found"),
        ("../../blob/feature/x/src/a.py#L3", "found"),
        ("../../blob/main/src/gone.py#L3", "foreign"),
        ("../../blob/0123456789abcdef/src/a.py#L3", "foreign"),
    ],
)
def test_a_link_to_a_ref_of_this_repository(target, status):
    snapshot = Snapshot.of({"src/a.py": TEN, DOCUMENT: ""})
    resolution = resolve(snapshot, f"[x]({target})")
    assert (resolution.status, resolution.via) == (status, "permalink")


# Several roots, and documents that are links


def test_several_roots(tmp_path):
    one = tree(tmp_path / "one", **{"src/a.py": TEN, DOCUMENT: ""})
    two = tree(tmp_path / "two", **{"lib/b.py": TEN, "guide/e.md": ""})
    snapshot = Snapshot.open(str(one), str(two))
    assert resolve(snapshot, "`lib/b.py:3`").root == str(two)
    assert resolve(snapshot, "`src/a.py:3`", "guide/e.md").root == str(one)
    assert resolve(snapshot, "`../../two/lib/b.py:3`").root == str(two)


def test_a_document_that_is_a_link_cites_from_its_real_folder(tmp_path):
    root = tree(tmp_path / "w", **{"x/y/a.md": "", "x/s.ts": TEN, "s.ts": "other\n"})
    (root / "docs").mkdir()
    (root / "docs/a.md").symlink_to("../x/y/a.md")
    resolution = resolve(Snapshot.open(str(root)), "`../s.ts:3`", "docs/a.md")
    assert (resolution.status, resolution.path) == ("found", "x/s.ts")


def test_a_tracked_file_that_a_cut_index_leaves_out_is_no_ignored_one(tmp_path):
    root = tree(tmp_path / "w", **{"a.py": TEN, "b.py": TEN, "c.py": TEN, DOCUMENT: ""})
    listed = ("a.py", DOCUMENT)
    index = PathIndex(str(root), listed, Tracked(listed, more=frozenset({"b.py"})))
    snapshot = Snapshot([index], Reader([str(root)]), Scope(), {})
    assert resolve(snapshot, "`b.py:3`").status == "found"
    assert resolve(snapshot, "`c.py:3`").status == "ignored-target"
