"""The index of paths: how it is made, with git and without, and how paths are looked up."""

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.snapshot.paths import PathIndex, Tracked, list_paths, too_wide
from cite_lsp.snapshot.walk import walk
from cite_lsp.worker.answers import index_data, index_of
from tests.growth import growth

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def no_git(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "home"))


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)


def tree(folder: Path, *names: str, **texts: str) -> Path:
    for name, text in {**dict.fromkeys(names, "x"), **texts}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def repository(folder: Path, *names: str, **texts: str) -> Path:
    tree(folder, *names, **texts)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    return folder


# Look-up

INDEX = PathIndex.of([
    "src/retry.ts", "src/client/retry.ts", "lib/src/retry.ts", "docs/README.md", "README.md", "Makefile",
    "tools/Makefile", "app/[slug]/(auth)/page.tsx", "src-old/a.py", "src/xretry.ts", "src.py",
])  # fmt: skip


def test_a_path_is_in_the_index_as_it_is_spelled():
    assert "src/retry.ts" in INDEX
    for other in ("retry.ts", "src/Retry.ts", "src", "", "src/", "zzz", None, 3, "src/retry.ts/"):
        assert other not in INDEX
    assert INDEX.paths == tuple(sorted(INDEX.paths))


def test_suffixes_begin_at_a_separator():
    assert INDEX.with_suffix("retry.ts") == ("lib/src/retry.ts", "src/client/retry.ts", "src/retry.ts")
    assert INDEX.with_suffix("src/retry.ts") == ("lib/src/retry.ts", "src/retry.ts")
    assert INDEX.with_suffix("rc/retry.ts") == ()
    assert INDEX.with_suffix("lib/src/retry.ts") == ("lib/src/retry.ts",)
    assert INDEX.with_suffix("/retry.ts") == ()
    assert INDEX.with_suffix("") == ()
    assert INDEX.with_suffix("src/") == ()


NAMES = st.sampled_from(["a", "b", "ab", "...", "é"])
PATHS = st.lists(NAMES, min_size=1, max_size=5).map("/".join)


@given(st.lists(PATHS, max_size=12), PATHS)
def test_suffixes_agree_with_the_definition(paths, suffix):
    index = PathIndex.of(paths)
    expected = tuple(sorted({path for path in paths if ("/" + path).endswith("/" + suffix)}))
    assert index.with_suffix(suffix) == expected
    assert (suffix in index) == (suffix in paths)
    assert (suffix in index.known()) == bool(expected)


@given(st.lists(st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=6).map("/".join), max_size=12), PATHS)
def test_left_out_folders_agree_with_the_definition(paths, pattern):
    *folders, name = pattern.split("/")
    expression = "".join("(?:[^/]+/)*" if folder == "..." else re.escape(folder) + "/" for folder in folders)
    pattern_of_all = re.compile(f".*/{expression}{re.escape(name)}")
    if pattern.endswith("..."):
        expected: tuple[str, ...] = ()
    else:
        expected = tuple(sorted({path for path in paths if pattern_of_all.fullmatch("/" + path)}))
    assert PathIndex.of(paths).matching(pattern) == expected


def test_left_out_folders_stand_for_any_number_of_folders():
    assert INDEX.matching("src/.../retry.ts") == ("lib/src/retry.ts", "src/client/retry.ts", "src/retry.ts")
    assert INDEX.matching("lib/…/retry.ts") == ("lib/src/retry.ts",)
    assert INDEX.matching(".../client/.../retry.ts") == ("src/client/retry.ts",)
    assert INDEX.matching("docs/...") == ()
    assert INDEX.matching("client/.../src/.../retry.ts") == ()


def test_folders():
    for folder in ("src", "src/client", "src/", "app/[slug]", "", "."):
        assert INDEX.has_folder(folder), folder
    for folder in ("sr", "src/retry.ts", "client", "src/cli", "Src", "zzz"):
        assert not INDEX.has_folder(folder), folder
    assert not PathIndex.of([]).has_folder("")


def test_other_spellings():
    composed, decomposed = normalize("NFC", "docs/Ünï.md"), normalize("NFD", "docs/Ünï.md")
    index = PathIndex.of(["README.md", "docs/README.md", "docs/Guide.md", "DOCS/guide.md", decomposed, "Straße.md"])
    assert index.spelled("Readme.md") == ("README.md", "docs/README.md")
    assert index.spelled("README.md") == ()
    assert index.spelled("docs/guide.md") == ("DOCS/guide.md", "docs/Guide.md")
    assert index.spelled("docs/Guide.md") == ("DOCS/guide.md",)
    assert index.spelled(composed) == (decomposed,)
    assert index.spelled(composed.upper()) == (decomposed,)
    assert composed not in index
    assert index.spelled("STRASSE.md") == ("Straße.md",)
    assert index.spelled("uides.md") == ()


def test_known_paths():
    known = INDEX.known()
    for path in ("Makefile", "tools/Makefile", "./Makefile", "../tools/Makefile", "/src/retry.ts", "src\\retry.ts"):
        assert path in known, path
    for other in ("makefile", "src", "file", "", "./", "a/Makefile", None):
        assert other not in known, other


def test_known_is_asked_for_odd_paths(ends):
    with ends():
        for odd in ("/" * 150_000, "../" * 50_000, "." * 150_000, "\\" * 150_000, "a/" * 75_000):
            assert odd not in INDEX.known()


def test_the_closest_paths():
    assert INDEX.close_to("src/rerty.ts")[0] == "src/retry.ts"
    assert INDEX.close_to("src/clinet/retry.ts")[0] == "src/client/retry.ts"
    assert INDEX.close_to("source/retry.ts", limit=1) == ("src/retry.ts",)
    assert INDEX.close_to("READNE.md")[0] == "README.md"
    assert len(INDEX.close_to("retry.tsx", limit=2)) == 2
    assert PathIndex.of(["b.py", "src/z.py"]).close_to("a.py") == ()
    for far in ("kubernetes.yaml", "src/queue/dispatch.go", "", "src/", "x" * 5_000):
        assert INDEX.close_to(far) == (), far


def test_a_name_that_many_files_have_is_near_only_in_folders_alike():
    index = PathIndex.of([f"packages/p{number}/index.ts" for number in range(50)] + ["web/app/routes/index.ts"])
    assert index.close_to("zebra/quagga/index.ts") == ()
    assert index.close_to("web/app/route/index.ts") == ("web/app/routes/index.ts",)


def many_paths() -> list[str]:
    chance = random.Random(7)
    words = "retry client server parser token build index utils model route handler schema cache store queue".split()
    return [
        "/".join(chance.choices(words, k=3)) + f"/{chance.choice(words)}_{chance.choice(words)}{number % 9973}.py"
        for number in range(100_000)
    ]


def test_look_ups_do_not_grow_with_the_index():
    paths = many_paths()
    small, large = PathIndex.of(paths[:10_000]), PathIndex.of(paths)
    path = small.paths[5_000]

    def best(call, argument) -> float:
        times = []
        for _ in range(5):
            began = time.perf_counter()
            for _ in range(20):
                call(argument)
            times.append(time.perf_counter() - began)
        return min(times[1:])

    def grown(name: str, argument: str, enough: float) -> float:
        return growth(lambda size: best(getattr(large if size else small, name), argument), 0, 1, enough)

    assert grown("with_suffix", path, 10) <= 10
    assert grown("spelled", path.upper(), 10) <= 10
    assert grown("close_to", path.replace("_", "-"), 30) <= 30, "ten times the names, about ten times the work"


# With git


def test_git_says_what_is_listed(tmp_path):
    root = repository(tmp_path / "r", "src/a.py", "gone.py", **{".gitignore": "*.log\n/out/\n"})
    tree(root, "x.log", "out/y.py", "new.py")
    (root / "gone.py").unlink()
    (root / "to-folder").symlink_to("src")
    (root / "to-file").symlink_to("src/a.py")
    (root / "to-nothing").symlink_to("nothing")
    (root / "loop").symlink_to("loop")
    index = list_paths(str(root))
    assert index.paths == (".gitignore", "new.py", "src/a.py", "to-file")
    assert index.tracked is not None
    assert [path for path in index.paths if path not in index.tracked] == ["new.py", "to-file"]
    assert index.notes == ()
    git(root, "add", "-A")
    assert list_paths(str(root)).paths == index.paths


def test_a_part_of_a_work_tree_a_link_to_it_and_an_ignored_folder(tmp_path):
    root = repository(tmp_path / "r", "src/deep/a.py", "b.py", **{".gitignore": "/out/\n*.log\n"})
    tree(root, "out/gen/c.py", "out/d.log", **{"out/.gitignore": "d.*"})
    (tmp_path / "link").symlink_to(root / "src")
    assert list_paths(str(root / "src")).paths == ("deep/a.py",)
    linked = list_paths(str(tmp_path / "link"))
    assert (linked.root, linked.paths, linked.tracked) == (str(tmp_path / "link"), ("deep/a.py",), {"deep/a.py"})
    ignored = list_paths(str(root / "out"))
    assert ignored.paths == (".gitignore", "gen/c.py")
    assert ignored.tracked is None


def test_submodules_are_included(tmp_path):
    inner = repository(tmp_path / "inner", "x.c")
    root = repository(tmp_path / "r", "a.py")
    git(root, "submodule", "add", "-q", str(inner), "vendor/inner")
    git(root, "commit", "-qm", "x")
    index = list_paths(str(root))
    assert index.paths == (".gitmodules", "a.py", "vendor/inner/x.c")
    assert index.tracked == set(index.paths)


def test_names_that_cannot_be_cited_are_left_out_and_told_once(tmp_path):
    for root in (
        repository(tmp_path / "r", "a.py", "new\nline.py", "tab\t.py", "ö.py"),
        tree(tmp_path / "w", "a\nb", "ö.py"),
    ):
        with open(os.fsencode(root) + b"/\xff\xfe.py", "wb"):  # noqa: PTH123
            pass
        index = list_paths(str(root))
        assert "ö.py" in index
        assert not [path for path in index.paths if not path.isprintable()]
        assert len(index.notes) == 1
        assert index.notes[0].startswith("3 file names" if root.name == "r" else "2 file names")


@pytest.mark.usefixtures("no_git")
def test_without_git_a_repository_is_walked_and_told(tmp_path):
    root = tree(tmp_path / "r", "a.py", ".git/config", ".git/HEAD")
    index = list_paths(str(root))
    assert index.paths == ("a.py",)
    assert index.tracked is None
    assert "git is not installed" in index.notes[0]
    assert list_paths(str(tree(tmp_path / "plain", "b.py"))).notes == ()


def test_a_refusal_of_git_is_told_and_the_folder_is_walked(tmp_path, monkeypatch):
    root = repository(tmp_path / "r", "a.py", **{".gitignore": "*.log"})
    tree(root, "x.log")
    real = shutil.which("git")
    tree(tmp_path / "bin", git=f'#!/bin/sh\nexport GIT_TEST_ASSUME_DIFFERENT_OWNER=1\nexec "{real}" "$@"\n')
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    index = list_paths(str(root))
    assert index.paths == (".gitignore", "a.py")
    assert "safe.directory" in index.notes[0]


# Without git


def test_ignore_rules_at_every_level(tmp_path):
    root = tree(
        tmp_path / "w",
        "a.log", "keep.log", "src/b.log", "src/keep.log", "src/c.py", "src/gen/d.py", "build/e.py", "src/build/f.py",
        "deep/x/y.py", "deep/x/z.py", "deep/keep/me.log", "sp ace.py", "#hash.py",
        **{
            ".gitignore": "*.log\r\n!keep.log\r\n/build/\r\n# comment\r\n\\#hash.py\r\n",
            "src/.gitignore": "gen/\n!b.log\nkeep.log",
            "deep/.gitignore": "*\n!x/\n!x/y.py\n!.gitignore\n",
        },
    )  # fmt: skip
    assert list_paths(str(root)).paths == (
        ".gitignore", "deep/.gitignore", "deep/x/y.py", "keep.log", "sp ace.py", "src/.gitignore", "src/b.log",
        "src/build/f.py", "src/c.py",
    )  # fmt: skip


RULES = [
    *"a b *.c a/ /a **/b a/** b/*.c !b !a/b !*.c [ab] ?.c a/**/b /**/b/ !a/ \\!a a*/ *b/c.c !/b/c.c".split(),
    *"* !* */ !*/ /* !/a/ !a/** c.c/ #x .git b/a !**/a ** b/ !b/ [!a]* a/*/ /**".split(),
]


@pytest.mark.parametrize("seed", range(8))
def test_a_walk_lists_what_git_lists(tmp_path, seed):
    chance = random.Random(seed)
    parts = ["a", "b", "a.c", "b.c", "c.c", "!a"]
    for round_number in range(8):
        root = tmp_path / f"r{round_number}"
        root.mkdir()
        for _ in range(25):
            path = root.joinpath(*chance.choices(parts, k=chance.randint(1, 4)))
            if not any(parent.is_file() for parent in path.parents) and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("x")
        folders = [root, *sorted(path for path in root.rglob("*") if path.is_dir())]
        for folder in chance.sample(folders, min(3, len(folders))):
            (folder / ".gitignore").write_text("\n".join(chance.choices(RULES, k=chance.randint(1, 5))))
        git(root, "init", "-q")
        by_git = list_paths(str(root))
        assert by_git.tracked == frozenset()
        assert sorted(walk(str(root), 1000).paths) == list(by_git.paths), [
            (str(path.relative_to(root)), path.read_text()) for path in root.rglob(".gitignore")
        ]


def test_rules_that_would_take_for_ever_are_not_followed_and_told(tmp_path, ends):
    root = tree(
        tmp_path / "w", "a" * 250, **{".gitignore": "*a*a*a*a*a*a*a*b\n/**/a/**/a/**/a/**/a/**/b\nx.py\n", "x.py": ""}
    )
    with ends():
        index = list_paths(str(root))
    assert index.paths == (".gitignore", "a" * 250)
    assert [note[:7] for note in index.notes] == ["line 1 ", "line 2 "]


def test_rule_files_that_are_no_files_or_no_rules(tmp_path):
    root = tree(tmp_path / "w", "a.py", "b/c.py", "d/e.py", "f/g.py", **{"f/.gitignore": "!\n/\n//\n[\n\\\ng.py\n"})
    os.mkfifo(root / "b/.gitignore")
    (root / "d/.gitignore").symlink_to("/dev/zero")
    (root / ".gitignore").write_bytes(b"\xff\xfe\x00")
    index = list_paths(str(root))
    assert {"a.py", "b/c.py", "d/e.py"} <= set(index.paths)
    assert "f/g.py" not in index


def test_links_are_not_followed_into_folders(tmp_path):
    root = tree(tmp_path / "w", "real/a.py")
    (root / "real/up").symlink_to("..")
    (root / "again").symlink_to("real")
    (root / "file").symlink_to("real/a.py")
    (root / "nothing").symlink_to("no")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    (root / "zero").symlink_to("/dev/zero")
    assert list_paths(str(root)).paths == ("file", "real/a.py")


def test_no_more_files_than_the_limit(tmp_path):
    plain = tree(tmp_path / "w", "a.py", "z.py", *(f"deep/er/{number}.py" for number in range(20)))
    index = list_paths(str(plain), limit=5)
    assert len(index.paths) == 5
    assert {"a.py", "z.py"} <= set(index.paths)
    assert "5 files" in index.notes[0]
    assert list_paths(str(plain), limit=22).notes == ()
    tracked = list_paths(str(repository(tmp_path / "r", *(f"{number}.py" for number in range(9)))), limit=5)
    assert len(tracked.paths) == 5
    assert "5 files" in tracked.notes[0]


def test_folders_without_permission_are_passed_over_and_told():
    root = Path(tempfile.mkdtemp())
    privileged = os.geteuid() == 0
    try:
        tree(root, "open/a.py", "closed/b.py")
        git(root, "init", "-q")
        git(root, "add", "open")
        for path in (root, *root.rglob("*")):
            if privileged:
                os.chown(path, 65534, 65534)
        (root / "closed").chmod(0)
        if privileged:
            os.seteuid(65534)
        os.environ["HOME"] = str(root / "nobody")  # the fixture puts the person's back
        for index in (list_paths(str(root)), PathIndex.of(walk(str(root), 10).paths)):
            assert index.paths == ("open/a.py",)
        assert list_paths(str(root)).notes == ("no permission to read closed",)
        assert walk(str(root), 10).notes == ["no permission to read closed"]
    finally:
        if privileged:
            os.seteuid(0)
        (root / "closed").chmod(0o700)
        shutil.rmtree(root)


# What is no root


def test_the_file_system_and_the_home_directory_are_refused(tmp_path, ends):
    home = tmp_path / "home"
    (tmp_path / "way").symlink_to(home)
    for root in ("/", "//", "/tmp/..", str(home), str(tmp_path / "way"), f"{home}/../home"):
        with ends():
            index = list_paths(root)
        assert index.paths == ()
        assert index.tracked is None
        assert "name the project's folder" in index.notes[0]
        assert too_wide(root) == index.notes[0]
    assert too_wide(str(tmp_path)) is None
    assert list_paths(str(tree(home / "project", "a.py"))).paths == ("a.py",)
    (home / "cite-lsp.toml").write_text("")
    assert too_wide(str(home)) is None
    (home / "cite-lsp.toml").unlink()
    git(home, "init", "-q")
    assert "project/a.py" in list_paths(str(home))


def test_a_root_that_is_no_folder(tmp_path):
    for root in (str(tmp_path / "no"), str(tree(tmp_path, "file") / "file"), f"{tmp_path}/\0", "\ud800"):
        index = list_paths(root)
        assert index.paths == ()
        assert "is not a folder" in index.notes[0]


@pytest.mark.parametrize(
    ("cited", "now"),
    [
        ("src/pool.rs", "src/pool/mod.rs"),
        ("pool.rs", "src/pool/mod.rs"),
        ("app/models.py", "app/models/__init__.py"),
        ("web/api.ts", "web/api/index.ts"),
        ("src/net.go", "src/net/net.go"),
    ],
)
def test_a_file_that_became_a_folder_is_close_to_its_main_file(cited: str, now: str) -> None:
    assert PathIndex.of([now, "src/other.rs", "src/fool.rs"]).close_to(cited)[0] == now


@pytest.mark.parametrize(
    ("cited", "there"),
    [("chain.rs", "chown.rs"), ("spill.rs", "stall.rs"), ("src/state-adapter.ts", "src/scope-adapter.ts")],
)
def test_a_name_that_only_rhymes_is_not_near(cited: str, there: str) -> None:
    assert PathIndex.of([there]).close_to(cited) == ()


# What travels and what is kept of an index


NAMES = st.lists(st.sampled_from("aB/cÉé9."), min_size=1, max_size=6).map("".join)


@given(st.sets(NAMES), st.sets(NAMES))
def test_tracked_paths_are_a_set_that_knows_how_it_differs(paths, tracked):
    listed = tuple(sorted(paths))
    made = Tracked(listed, frozenset(paths - tracked), frozenset(tracked - paths))
    assert made == tracked
    assert len(made) == len(tracked)
    assert {path for path in paths | tracked if path in made} == tracked
    assert made & paths == tracked & paths
    assert paths - made == paths - tracked
    assert None not in made


@given(st.sets(NAMES), st.sets(NAMES))
def test_an_index_says_the_same_after_its_way(paths, loose):
    listed = tuple(sorted(paths))
    index = PathIndex("/w", listed, Tracked(listed, frozenset(paths & loose), frozenset(loose - paths)), ("a note",))
    data = json.loads(json.dumps(index_data(index)))
    other = index_of("/w", data)
    assert other.says_the_same(index)
    assert other.orders() == index.orders()
    assert other.orders() == PathIndex("/w", listed).orders()
    for path in paths:
        assert other.spelled(path) == index.spelled(path)
        assert other.with_suffix(path) == index.with_suffix(path)


@given(st.sets(NAMES), st.sets(NAMES), st.sets(NAMES))
def test_an_index_says_the_same_after_only_what_is_other_was_told(before, paths, loose):
    known = PathIndex("/w", tuple(sorted(before)))
    listed = tuple(sorted(paths))
    index = PathIndex("/w", listed, Tracked(listed, frozenset(paths & loose)))
    data = json.loads(json.dumps(index_data(index, known)))
    assert set(data["added"]) | set(data["removed"]) == before ^ paths
    other = index_of("/w", data, known)
    assert other.says_the_same(index)
    assert other.orders() == index.orders()
    kept = {path: path for path in known.paths}
    assert all(path is kept[path] for path in other.paths if path in kept)


def test_what_is_said_of_an_index_counts_in_full():
    listed = ("a.py", "b.py")
    index = PathIndex("/w", listed, Tracked(listed))
    assert index.says_the_same(PathIndex("/w", ("a.py", "b.py"), Tracked(("a.py", "b.py"))))
    assert not index.says_the_same(PathIndex("/w", listed))
    assert not index.says_the_same(PathIndex("/w", listed, Tracked(listed, missing=frozenset({"a.py"}))))
    assert not index.says_the_same(PathIndex("/w", listed, Tracked(listed, more=frozenset({"c.py"}))))
    assert not index.says_the_same(PathIndex("/w", listed, Tracked(listed), ("a note",)))
    assert not index.says_the_same(PathIndex("/w", ("a.py",), Tracked(("a.py",))))
    orders = index.orders()
    again = index.again()
    assert again is not index
    assert again.paths is index.paths
    assert again.orders()[0] is orders[0]


def test_tracked_files_that_are_left_out_stay_known_to_be_tracked(tmp_path):
    root = repository(tmp_path / "r", "a.py", "b.py", "odd\nname.py")
    tree(root, "c.py", "worse\nname.py")
    (root / "broken").symlink_to("nothing")
    git(root, "add", "broken")
    index = list_paths(str(root), limit=1)
    assert index.paths == ("a.py",)
    assert index.tracked == {"a.py", "b.py", "odd\nname.py", "broken"}
    assert index.tracked is not None
    assert index.tracked.missing == frozenset()
