"""Who cites what, on real files."""

import os
import subprocess
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cite_lsp.config import load_settings
from cite_lsp.findings.citing import Citing, needles_of
from cite_lsp.findings.gathering import Gathering
from cite_lsp.findings.renaming import Moves, Renaming, snapshot_after
from cite_lsp.snapshot.paths import list_paths

CODE = "".join(f"line {number}\n" for number in range(1, 41))


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[Mapping[str, str]], Path]:
    """Make a folder of files."""

    def make(files: Mapping[str, str]) -> Path:
        root = tmp_path / "work"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, newline="")
        return root

    return make


def index_of(root: Path, citing: Citing | None = None, **overlay: str) -> Citing:
    """The index of a folder as it is now."""
    citing = citing or Citing("utf-16")
    before = {gathering.root: gathering for gathering in citing.gatherings}
    new = list_paths(str(root))
    old = before.get(str(root))
    index = old.index if old is not None and old.index.paths == new.paths else new
    citing.renew([Gathering.of(index, load_settings)], {f"{root}/{path}": text for path, text in overlay.items()})
    return citing


def cited(citing: Citing, path: Path | str, *spans: tuple[int, int]) -> list[tuple[str, str]]:
    """Document and text of each citation."""
    found = citing.who_cites({str(path): list(spans) or None})
    return [(document.path, each.text) for document in found for each in document.citations]


def test_every_way_to_cite_a_file_is_found(folder):
    root = folder(
        {
            "src/retry.py": CODE,
            "README.md": "It waits (`src/retry.py:3`), and [again](src/retry.py#L5-L9).\n",
            "docs/a.md": "See `retry.py:8` and `../src/retry.py:20-22`.\n\nAnd `src/retry.py:2, 30`.\n",
            "docs/b.md": "Nothing of it: `README.md:1`.\n",
        }
    )
    citing = index_of(root)
    assert cited(citing, root / "src/retry.py") == [
        ("README.md", "src/retry.py:3"),
        ("README.md", "[again](src/retry.py#L5-L9)"),
        ("docs/a.md", "retry.py:8"),
        ("docs/a.md", "../src/retry.py:20-22"),
        ("docs/a.md", "src/retry.py:2, 30"),
    ]
    assert cited(citing, root / "src/retry.py", (8, 8)) == [
        ("README.md", "[again](src/retry.py#L5-L9)"),
        ("docs/a.md", "retry.py:8"),
    ]
    assert cited(citing, root / "src/retry.py", (30, 35), (21, 21)) == [
        ("docs/a.md", "../src/retry.py:20-22"),
        ("docs/a.md", "src/retry.py:2, 30"),
    ]
    assert cited(citing, root / "src/other.py") == []
    assert cited(citing, f"{root}/src/", (3, 3)) == [("README.md", "src/retry.py:3")]


def test_columns_count_in_the_units_asked_for(folder):
    root = folder({"a.py": CODE, "a.md": "x\r\n😀 é `a.py:3`\r\n"})
    for encoding, column in (("utf-8", 9), ("utf-16", 6), ("utf-32", 5)):
        citing = index_of(root, Citing(encoding))
        ((document,),) = [list(citing.who_cites({str(root / "a.py"): None}))]
        assert document.citations[0][:4] == (1, column, 1, column + 6), encoding


def test_only_what_may_cite_it_is_read_until_all_is(folder):
    root = folder({"src/retry.py": CODE, "a.md": "`src/retry.py:1`\n", "b.md": "`src/other.py:1`\n"})
    citing = index_of(root)
    assert cited(citing, root / "src/retry.py") == [("a.md", "src/retry.py:1")]
    assert citing.citations_of(str(root / "b.md")) is None
    assert citing.read_all()
    assert citing.citations_of(str(root / "b.md")) is not None


def test_an_escaped_spelling_is_not_passed_over(folder):
    root = folder(
        {
            "src/re_try.py": CODE,
            "src/pool.py": CODE,
            "a.md": "See src/re\\_try.py:3 here.\n",
            "c.md": "`SRC/POOL.py:4`\n",
        }
    )
    assert cited(index_of(root), root / "src/re_try.py") == [("a.md", "src/re\\_try.py:3")]
    assert [path for path, _ in cited(index_of(root), root / "src/pool.py")] == ["c.md"]
    assert needles_of(["é.py"]) is None
    assert needles_of(["re_try.py", "Pool.rs"]) == ["pool", "try"]


def test_a_document_that_changes_is_read_again_and_no_other(folder):
    root = folder({"a.py": CODE, "a.md": "`a.py:1`\n", "b.md": "`a.py:2`\n"})
    citing = index_of(root)
    assert cited(citing, root / "a.py") == [("a.md", "a.py:1"), ("b.md", "a.py:2")]
    kept = citing.citations_of(str(root / "b.md"))
    (root / "a.md").write_text("`a.py:7` and `a.py:8`\n")
    index_of(root, citing)
    assert cited(citing, root / "a.py") == [("a.md", "a.py:7"), ("a.md", "a.py:8"), ("b.md", "a.py:2")]
    assert citing.citations_of(str(root / "b.md")) is kept


def test_files_that_come_and_go_change_what_is_meant(folder):
    root = folder({"src/a.py": CODE, "lib/x.py": CODE, "a.md": "`a.py:1`\n", "b.md": "`lib/x.py:2`\n"})
    citing = index_of(root)
    assert cited(citing, root / "src/a.py") == [("a.md", "a.py:1")]
    kept = citing.citations_of(str(root / "b.md"))
    (root / "lib/a.py").write_text(CODE)  # now it may be either
    index_of(root, citing)
    assert cited(citing, root / "src/a.py") == []
    (root / "src/a.py").unlink()
    (root / "src/y.py").write_text(CODE)
    index_of(root, citing)
    assert cited(citing, root / "lib/a.py") == [("a.md", "a.py:1")]
    citing.read_all()
    assert citing.citations_of(str(root / "b.md")) is kept or kept is None
    (root / "new").mkdir()
    (root / "new/c.md").write_text("`lib/x.py:9`\n")
    (root / "b.md").unlink()
    index_of(root, citing)
    assert cited(citing, root / "lib/x.py") == [("new/c.md", "lib/x.py:9")]


def test_the_text_of_an_open_document_wins(folder):
    root = folder({"a.py": CODE, "a.md": "`a.py:1`\n"})
    citing = index_of(root, **{"a.md": "`a.py:5`\n"})
    assert cited(citing, root / "a.py") == [("a.md", "a.py:5")]
    index_of(root, citing)
    assert cited(citing, root / "a.py") == [("a.md", "a.py:1")]


def test_a_link_is_the_file_that_it_leads_to(folder):
    root = folder({"AGENTS.md": CODE, "src/a.py": CODE, "a.md": "`CLAUDE.md:3` `there/a.py:4`\n"})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / "there").symlink_to("src")
    assert cited(index_of(root), root / "AGENTS.md") == [("a.md", "CLAUDE.md:3")]
    assert cited(index_of(root), root / "src/a.py") == [("a.md", "there/a.py:4")]
    other = root.parent / "other"
    other.symlink_to(root.name)
    assert cited(index_of(other), root / "AGENTS.md") == [("a.md", "CLAUDE.md:3")]


def test_settings_say_what_is_a_document_and_what_a_citation(folder):
    root = folder(
        {
            "cite-lsp.toml": '[files]\nexclude = ["drafts/**"]\n',
            "a.py": CODE,
            "a.md": "```\na.py:3\n```\n",
            "drafts/a.md": "`a.py:1`\n",
            "inner/cite-lsp.toml": "[anchors]\nin_fences = true\n",
            "inner/a.md": "```\na.py:2\n```\n",
        }
    )
    citing = index_of(root)
    assert cited(citing, root / "a.py") == [("inner/a.md", "a.py:2")]
    (root / "cite-lsp.toml").write_text("[anchors]\nin_fences = true\n")
    index_of(root, citing)
    assert [path for path, _ in cited(citing, root / "a.py")] == ["a.md", "drafts/a.md", "inner/a.md"]


def test_reading_stops_where_nobody_waits_and_goes_on_later(folder):
    root = folder({"a.py": CODE, **{f"d{number}.md": "`a.py:1`\n" for number in range(9)}})
    citing = index_of(root)
    asked = iter([False, False, True])
    assert not citing.read_all(dropped=lambda: next(asked))
    assert citing.count == 2
    assert citing.read_all()
    assert citing.count == 9


def test_permalinks_to_a_branch_count_and_those_to_a_commit_do_not(folder):
    commit = "a" * 40
    text = f"/blob/main/a.py#L3 https://github.com/o/r/blob/{commit}/a.py#L4\n"
    root = folder({"a.py": CODE, "a.md": "https://github.com/o/r" + text})
    found = [each for document in index_of(root).who_cites({str(root / "a.py"): None}) for each in document.citations]
    assert all(commit not in each.text for each in found)


def test_malformed_lines_cite_none(folder):
    root = folder({"a.py": CODE, "a.md": "`a.py:9-4`\n"})
    assert cited(index_of(root), root / "a.py", (1, 40)) == []
    assert cited(index_of(root), root / "a.py") == [("a.md", "a.py:9-4")]


# --- renaming


def renamed(root: Path, document: str, *pairs: tuple[str, str]) -> str:
    """The text of a document after files were renamed."""
    citing = index_of(root)
    moves = Moves((f"{root}/{old}", os.path.join(root, new)) for old, new in pairs)
    renaming = Renaming(moves, citing.snapshot(), snapshot_after(citing.snapshot(), moves))
    parsed = citing.parsed(str(root / document))
    assert parsed is not None
    text = parsed.text
    for edit in reversed(renaming.edits(parsed, str(root))):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@pytest.mark.parametrize(
    ("document", "before", "after"),
    [
        ("README.md", "`src/retry.py:3`", "`lib/again.py:3`"),
        ("README.md", "`/src/retry.py:3`", "`/lib/again.py:3`"),
        ("README.md", "`./src/retry.py:3-5`", "`./lib/again.py:3-5`"),
        ("README.md", "`src\\retry.py:3`", "`lib\\again.py:3`"),
        ("README.md", "[retry.py:3](src/retry.py#L3)", "[again.py:3](lib/again.py#L3)"),
        ("README.md", "`retry.py:3`", "`again.py:3`"),
        ("README.md", "`src/retry.py:3, 7` and `src/retry.py:8`", "`lib/again.py:3, 7` and `lib/again.py:8`"),
        ("docs/a.md", "`../src/retry.py:3`", "`../lib/again.py:3`"),
        ("docs/a.md", "[it](../src/retry.py#L3-L4)", "[it](../lib/again.py#L3-L4)"),
        ("docs/a.md", "`src/pool.py:3`", "`src/pool.py:3`"),
    ],
)
def test_a_renamed_file_takes_its_citations_along_in_their_authors_form(folder, document, before, after):
    root = folder({"src/retry.py": CODE, "src/pool.py": CODE, document: f"It is {before}.\n"})
    assert renamed(root, document, ("src/retry.py", "lib/again.py")) == f"It is {after}.\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("`src/core/retry.py:3`", "`source/core/retry.py:3`"),
        ("`core/retry.py:3`", "`core/retry.py:3`"),  # still the only path that ends so
        ("`retry.py:3`", "`retry.py:3`"),
        ("`src/core/retry.py:3`, then `retry.py:9`", "`source/core/retry.py:3`, then `retry.py:9`"),
    ],
)
def test_a_renamed_folder_takes_along_what_names_it(folder, before, after):
    root = folder({"src/core/retry.py": CODE, "README.md": f"{before}\n"})
    assert renamed(root, "README.md", ("src", "source")) == f"{after}\n"


def test_what_would_become_ambiguous_gets_its_whole_path(folder):
    root = folder({"src/retry.py": CODE, "lib/pool.py": CODE, "a.md": "`retry.py:3`\n"})
    assert renamed(root, "a.md", ("src/retry.py", "src/pool.py")) == "`src/pool.py:3`\n"


def test_a_moved_document_still_leads_to_the_same_files(folder):
    text = "`../src/a.py:1` [x](../src/a.py#L2) `./b.py:3` [y](b.py#L4) `src/a.py:5` `a.py:6`\n"
    root = folder({"src/a.py": CODE, "docs/b.py": CODE, "docs/a.md": text})
    assert renamed(root, "docs/a.md", ("docs/a.md", "more/deep/a.md")) == (
        "`../../src/a.py:1` [x](../../src/a.py#L2) `../../docs/b.py:3` [y](../../docs/b.py#L4) `src/a.py:5` `a.py:6`\n"
    )
    # what moves along keeps its place beside the document
    assert renamed(root, "docs/a.md", ("docs", "texts")) == text


def test_exchanged_names_are_exchanged_in_citations(folder):
    root = folder({"a.py": CODE, "b.py": CODE, "a.md": "`a.py:1` `b.py:2`\n"})
    assert renamed(root, "a.md", ("a.py", "b.py"), ("b.py", "a.py")) == "`b.py:1` `a.py:2`\n"


def test_what_leaves_the_root_is_left_as_it_is(folder):
    root = folder({"a.py": CODE, "a.md": "`a.py:1`\n"})
    assert renamed(root, "a.md", ("a.py", "/elsewhere/a.py")) == "`a.py:1`\n"


def test_after_a_real_renaming_every_citation_leads_where_it_led(folder):
    texts = [
        "`src/core/retry.py:1`",
        "`retry.py:2`",
        "`core/retry.py:3`",
        "[r](src/core/retry.py#L4)",
        "`./src/core/retry.py:5`",
    ]
    root = folder(
        {
            "src/core/retry.py": CODE,
            "src/core/docs/in.md": "`../retry.py:6` and `core/retry.py:7`\n",
            "README.md": "\n\n".join(texts) + "\n",
            "docs/deep/a.md": "`../../src/core/retry.py:8` and [r](../../src/core/retry.py#L9)\n",
        }
    )
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    new = {
        path: renamed(root, path, ("src/core", "lib/kernel"))
        for path in ("README.md", "src/core/docs/in.md", "docs/deep/a.md")
    }
    for path, text in new.items():
        (root / path).write_text(text)
    (root / "lib").mkdir()
    (root / "src/core").rename(root / "lib/kernel")
    found = list(index_of(root).who_cites({str(root / "lib/kernel/retry.py"): None}))
    lines = sorted(span[0] for document in found for each in document.citations for span in each.spans)
    assert lines == list(range(1, 10))


def test_the_texts_of_citations_that_are_no_longer_are_let_go_of(folder):
    root = folder({"a.py": CODE, "a.md": "", "b.md": "It waits (`a.py:7`).\n"})
    citing = Citing("utf-16")

    def read(version: int) -> None:
        text = "".join(f"`a.py:{number}`\n\n" for number in range(version * 1_000, version * 1_000 + 1_000))
        index_of(root, citing, **{"a.md": text})
        citing.read_all()
        citing.rest()

    def held() -> int:
        here = tracemalloc.Filter(inclusive=True, filename_pattern="*/findings/citations.py")
        return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([here]).traces)

    tracemalloc.start()
    try:
        read(1)
        one = held()
        for version in range(2, 33):
            read(version)
        assert held() < 14 * one
    finally:
        tracemalloc.stop()
    assert [text for _, text in cited(citing, root / "a.py", (7, 7))] == ["a.py:7"]
    assert len(citing.citations_of(str(root / "a.md")) or ()) == 1_000
