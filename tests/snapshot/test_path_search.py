"""Which paths somebody means who has typed a part of one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.snapshot.path_search import LIMIT, Asked, PathSearch
from cite_lsp.snapshot.paths import PathIndex

PATHS = (
    ".github/workflows/ci.yml",
    "README.md",
    "app/[slug]/page.tsx",
    "docs/a.md",
    "docs/deep/b.md",
    "src/Session.ts",
    "src/retry.ts",
    "src/retry/policy.ts",
    "src/server/session_book.py",
    "src/server/retry_policy.py",
    "tests/retry.test.ts",
    "web/Überblick.md",
)


def found(typed: str, folder: str = "docs", cited: tuple[str, ...] = (), **more: object) -> list[str]:
    search = PathSearch(PathIndex.of(PATHS))
    return [each.path for each in search.find(Asked(typed, folder, cited, **more))]  # type: ignore[arg-type]


def test_before_anything_is_typed_what_is_near_comes_first_then_what_is_cited() -> None:
    paths = found("", cited=("src/retry.ts", "gone.ts"))
    assert paths[:2] == ["docs/a.md", "src/retry.ts"]
    assert sorted(paths) == sorted(PATHS)
    assert paths[-1] == ".github/workflows/ci.yml"  # hidden ones are seldom meant


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("retry", "src/retry.ts"),
        ("ses", "src/Session.ts"),
        ("SESSION_b", "src/server/session_book.py"),
        ("policy", "src/retry/policy.ts"),
        ("src/re", "src/retry.ts"),
        ("server/re", "src/server/retry_policy.py"),
        ("src/retry/", "src/retry/policy.ts"),
        ("deep/", "docs/deep/b.md"),
        ("book", "src/server/session_book.py"),
        ("bo", "src/server/session_book.py"),
        ("ssnbook", "src/server/session_book.py"),
        ("src/sbook", "src/server/session_book.py"),
        ("app/[", "app/[slug]/page.tsx"),
        ("über", "web/Überblick.md"),
        ("U\u0308ber", "web/Überblick.md"),
        (".git", ".github/workflows/ci.yml"),
    ],
)
def test_the_best_answer_comes_first(typed: str, first: str) -> None:
    assert found(typed)[0] == first


def test_a_files_name_goes_before_folders_and_those_before_the_middle_of_words() -> None:
    paths = found("retry")
    assert paths == [
        "src/retry.ts",
        "tests/retry.test.ts",
        "src/server/retry_policy.py",
        "src/retry/policy.ts",
    ]


def test_of_those_that_answer_alike_the_cited_one_comes_first() -> None:
    assert found("retry", cited=("src/server/retry_policy.py",))[0] == "src/server/retry_policy.py"
    assert found("retry", "tests")[0] == "tests/retry.test.ts"


def test_strictly_only_the_beginnings_of_names_count() -> None:
    assert found("etry", strict=True) == []
    assert found("book", strict=True) == []
    assert found("and/", strict=True) == []
    assert sorted(found("server/", strict=True)) == ["src/server/retry_policy.py", "src/server/session_book.py"]


def test_below_a_folder() -> None:
    assert found("", below="src/server") == ["src/server/retry_policy.py", "src/server/session_book.py"]
    assert found("re", below="src/server") == ["src/server/retry_policy.py"]
    assert found("README", below="src") == []


@pytest.mark.parametrize("typed", ["zzz", "x" * 500, "src/\n", "retry.ts/", "//"])
def test_what_no_path_answers(typed: str) -> None:
    assert found(typed) == []


def test_at_most_so_many_and_the_near_and_cited_ones_are_among_them() -> None:
    many = [f"lib/p{number // 100:02}/module_{number:05}.ts" for number in range(9_000)]
    search = PathSearch(PathIndex.of([*many, "zoo/module_last.ts", "zoo/a.md"]))
    for typed in ("", "m", "module", "lib/", "ts", "mod"):
        paths = [each.path for each in search.find(Asked(typed, "zoo", ("lib/p89/module_08999.ts",)))]
        assert len(paths) == len(set(paths)) <= LIMIT
        if "module".startswith(typed):
            assert "zoo/module_last.ts" in paths[:2]
            assert "lib/p89/module_08999.ts" in paths[:3]
    assert search.find(Asked("module_085"))[0].path == "lib/p85/module_08500.ts"


@given(
    st.lists(st.text(alphabet="ab/._-Aé", min_size=1, max_size=12), max_size=30),
    st.lists(st.text(alphabet="ab/._-Aé", max_size=6), min_size=1, max_size=4),
)
def test_what_is_remembered_from_the_last_question_changes_no_answer(paths: list[str], asked: list[str]) -> None:
    index = PathIndex.of(path.strip("/") or "a" for path in paths)
    kept = PathSearch(index)
    for typed in asked:
        for end in range(len(typed) + 1):
            question = Asked(typed[:end], "a", index.paths[:1])
            assert kept.find(question) == PathSearch(index).find(question)


@given(st.lists(st.text(alphabet="abc/_.", min_size=1, max_size=12), min_size=1, max_size=20), st.data())
def test_a_path_is_found_by_each_of_its_beginnings_and_by_its_name(paths: list[str], data: st.DataObject) -> None:
    index = PathIndex.of("/".join(filter(None, path.split("/"))) or "a" for path in paths)
    search = PathSearch(index)
    path = data.draw(st.sampled_from(index.paths))
    for end in range(len(path) + 1):
        assert path in [each.path for each in search.find(Asked(path[:end]))]
    assert path in [each.path for each in search.find(Asked(path.rpartition("/")[2]))]


@given(
    paths=st.lists(st.text("abz_/.", min_size=1, max_size=12), min_size=1, max_size=40),
    typed=st.text("abz_.", min_size=3, max_size=5),
)
def test_letters_that_are_seldom_are_looked_for_by_themselves_and_found_alike(paths: list[str], typed: str) -> None:
    index = PathIndex.of(path.strip("/") or "a" for path in paths)
    asked = Asked(typed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("cite_lsp.snapshot.path_search._SELDOM", 0)  # any letter is
        seldom = PathSearch(index).find(asked)
        patched.setattr("cite_lsp.snapshot.path_search._SELDOM", 1_000_000)  # none is that stands anywhere
        assert PathSearch(index).find(asked) == seldom


def test_texts_that_are_made_ahead_change_no_answer() -> None:
    index = PathIndex.of(PATHS)
    ready = PathSearch(index)
    for _ in ready.prepare():
        pass
    for typed in ("", "re", "retry", "src/re", "ssnbook", "über", "src/sbook", "nothing", "deep/"):
        assert ready.find(Asked(typed, "docs")) == PathSearch(index).find(Asked(typed, "docs"))


def test_nothing_is_left_to_be_made_once_texts_were_made_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    search = PathSearch(PathIndex.of(PATHS))
    assert len(list(search.prepare())) == 4
    monkeypatch.setattr("cite_lsp.snapshot.path_search._joined", None)
    assert [each.path for each in search.find(Asked("ssnbook"))] == ["src/server/session_book.py"]
    assert search.find(Asked("src/sbook"))
