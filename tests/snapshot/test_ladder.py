"""The ladder: each rung finds what it should, in the order of the rungs, and never guesses."""

import os
from pathlib import Path
from unicodedata import normalize

import pytest

from cite_lsp.document.document import Document
from cite_lsp.snapshot.ladder import MAX_CANDIDATES, Home, Ladder, Place, home_of, mapped_checkout, within
from cite_lsp.snapshot.lines import Reader
from cite_lsp.snapshot.paths import PathIndex, list_paths

DOCUMENT = "docs/guide/d.md"


@pytest.fixture(autouse=True)
def _no_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def in_memory(*paths: str) -> Ladder:
    return Ladder([PathIndex.of(paths)], Reader((), overlay=dict.fromkeys(paths, "x\n"), on_disk=False))


def on_disk(*roots: Path) -> Ladder:
    return Ladder([list_paths(str(root)) for root in roots], Reader([str(root) for root in roots]))


def tree(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {name}\n")
    return folder


def climb(ladder: Ladder, written: str, document: str = DOCUMENT, *, text: str = "") -> Place | None:
    home = home_of(document, ladder._indexes, ladder._reader)
    return ladder.climb(written, home, Document.parse(text, document))


def found(ladder: Ladder, written: str, document: str = DOCUMENT, *, text: str = "") -> tuple[str, str]:
    place = climb(ladder, written, document, text=text)
    assert place is not None, written
    assert place.status == "found", place
    return place.path, place.via


# One rung after the other


@pytest.mark.parametrize(
    ("files", "written", "path", "via"),
    [
        (["src/a.py"], "src/a.py", "src/a.py", "root"),
        (["src/a.py"], "/src/a.py", "src/a.py", "root"),
        (["src/a.py"], "src\\a.py", "src/a.py", "root"),
        (["src/a.py", "docs/src/a.py"], "src/a.py", "src/a.py", "root"),
        (["docs/guide/src/a.py", "x/src/a.py"], "src/a.py", "docs/guide/src/a.py", "document-folder"),
        (["docs/src/a.py", "x/src/a.py"], "src/a.py", "docs/src/a.py", "ancestor"),
        (["x/y/src/a.py"], "src/a.py", "x/y/src/a.py", "suffix"),
        (["x/y/a.py"], "a.py", "x/y/a.py", "basename"),
        (["docs/guide/a.py", "x/a.py"], "a.py", "docs/guide/a.py", "document-folder"),
        (["docs/guide/a.py", "a.py"], "./a.py", "docs/guide/a.py", "relative"),
        (["docs/a.py", "a.py"], "../a.py", "docs/a.py", "relative"),
        (["src/a.py", "docs/src/a.py"], "../../src/a.py", "src/a.py", "relative"),
        (["src/a.py"], "./src/a.py", "src/a.py", "root"),
        (["src/a.py"], "../src/a.py", "src/a.py", "root"),
        (["x/src/a.py"], "../src/a.py", "x/src/a.py", "suffix"),
        (["src/a.py"], "src/x/../a.py", "src/a.py", "root"),
        (["docs/guide/a.py"], ".\\a.py", "docs/guide/a.py", "relative"),
        ([".github/ci.yml", "x/github/ci.yml"], ".github/ci.yml", ".github/ci.yml", "root"),
    ],
)
def test_a_rung_finds_its_file(files, written, path, via):
    assert found(in_memory(DOCUMENT, *files), written) == (path, via)


def test_a_path_that_nothing_fits_has_no_place():
    assert climb(in_memory("src/a.py", DOCUMENT), "src/b.py") is None
    assert climb(in_memory("src/a.py", DOCUMENT), "net/sched/b.c") is None


def test_a_suffix_begins_at_a_separator():
    assert climb(in_memory("src/data.py", DOCUMENT), "a.py") is None


def test_several_files_that_fit_are_ambiguous_and_none_is_chosen():
    place = climb(in_memory("x/src/a.py", "y/src/a.py"), "src/a.py")
    assert place == Place("ambiguous", candidates=("x/src/a.py", "y/src/a.py"))


def test_at_most_five_candidates_are_named():
    place = climb(in_memory(*(f"p{number}/mod.rs" for number in range(9))), "mod.rs")
    assert place is not None
    assert place.status == "ambiguous"
    assert place.candidates == tuple(f"p{number}/mod.rs" for number in range(MAX_CANDIDATES))


# A bare name whose full path the document gives, and that is gone


def test_a_bare_name_is_not_another_file_of_that_name_when_the_document_names_one_that_is_gone():
    ladder = in_memory("net/uring_stub/ring.rs", "net/uring/mod.rs", DOCUMENT)
    place = climb(ladder, "ring.rs", text="It lives in `net/uring/ring.rs`; see ring.rs:387.")
    assert place == Place("missing", path="net/uring/ring.rs")


@pytest.mark.parametrize(
    "text",
    [
        "either mod.rs/ring.rs or neither; ring.rs:3",
        "upstream has other/tree/ring.rs; ring.rs:3",
        "https://host/o/r/blob/main/net/ring.rs and ring.rs:3",
    ],
)
def test_a_longer_spelling_of_another_tree_does_not_take_a_bare_name_away(text):
    ladder = in_memory("net/uring_stub/ring.rs", "net/mod.rs", DOCUMENT)
    assert found(ladder, "ring.rs", text=text) == ("net/uring_stub/ring.rs", "basename")


# The full path that the same document names

TWO = ("crates/a/src/lib.rs", "crates/b/src/lib.rs")


@pytest.mark.parametrize(
    "text",
    [
        "see `crates/b/src/lib.rs`",
        "see [it](../../crates/b/src/lib.rs)",
        "see crates\\b\\src\\lib.rs.",
        "`b/src/lib.rs`",
    ],
)
def test_the_full_path_in_the_same_document_decides(text):
    assert found(in_memory(*TWO, DOCUMENT), "lib.rs", text=text) == ("crates/b/src/lib.rs", "same-document")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "`lib.rs` alone",
        "`crates/a/src/lib.rs` and `crates/b/src/lib.rs`",
        "`other/src/lib.rs`",
        "`crates/b/src/lib.rsx`",
        "`src/lib.rs`",
    ],
)
def test_a_document_that_names_none_or_both_decides_nothing(text):
    place = climb(in_memory(*TWO, DOCUMENT), "lib.rs", text=text)
    assert place == Place("ambiguous", candidates=TWO)


def test_another_document_decides_for_itself():
    ladder = in_memory(*TWO, DOCUMENT)
    assert found(ladder, "lib.rs", text="`a/src/lib.rs`")[0] == TWO[0]
    assert found(ladder, "lib.rs", text="`b/src/lib.rs`")[0] == TWO[1]


# What a path may be written with


def test_a_diff_prefix_is_dropped_when_no_such_folder_is_there():
    assert found(in_memory("src/a.py"), "b/src/a.py") == ("src/a.py", "root")
    assert climb(in_memory("src/a.py", "b/c.py"), "b/src/a.py") is None
    assert found(in_memory("src/a.py", "a/src/a.py"), "a/src/a.py") == ("a/src/a.py", "root")
    assert climb(in_memory("src/a.py"), "x/src/a.py") is None


def test_left_out_folders_stand_for_any():
    ladder = in_memory("src/net/tcp/conn.py", "src/conn.py", "lib/net/tcp/conn.py")
    assert found(ladder, "src/.../tcp/conn.py") == ("src/net/tcp/conn.py", "suffix")
    assert found(ladder, "lib/…/conn.py") == ("lib/net/tcp/conn.py", "suffix")
    place = climb(ladder, ".../tcp/conn.py")
    assert place is not None
    assert place.status == "ambiguous"
    assert climb(ladder, "src/.../udp/conn.py") is None


def test_a_mention_is_read_without_its_sign():
    assert found(in_memory("src/a.py"), "@src/a.py") == ("src/a.py", "root")
    assert found(in_memory("src/a.py", "@scope/pkg/a.py"), "@scope/pkg/a.py") == ("@scope/pkg/a.py", "root")


@pytest.mark.parametrize(
    ("files", "written", "path"),
    [
        (["src/retry.ts"], "SRC/Retry.ts", "src/retry.ts"),
        (["x/README.md"], "Readme.md", "x/README.md"),
        (["src/retry.ts"], "./src/RETRY.ts", "src/retry.ts"),
        (["src/retry.ts"], "/Src/retry.ts", "src/retry.ts"),
        ([normalize("NFD", "src/café.py")], normalize("NFC", "src/café.py"), normalize("NFD", "src/café.py")),
        (["src/STRASSE.py"], "src/straße.py", "src/STRASSE.py"),
    ],
)
def test_a_path_that_differs_in_case_or_normal_form_is_found_as_such(files, written, path):
    place = climb(in_memory(*files), written)
    assert place is not None
    assert (place.status, place.path) == ("case-differs", path)


def test_an_exact_spelling_goes_before_another_case():
    assert found(in_memory("src/Retry.ts", "src/retry.ts"), "src/Retry.ts") == ("src/Retry.ts", "root")
    place = climb(in_memory("src/Retry.ts", "src/retry.ts"), "src/RETRY.ts")
    assert place is not None
    assert place.status == "ambiguous"


# On disk


def test_absolute_paths(tmp_path):
    root = tree(tmp_path / "w", "src/a.py", DOCUMENT)
    tree(tmp_path / "out", "b.py")
    ladder = on_disk(root)
    assert found(ladder, f"{root}/src/a.py") == ("src/a.py", "absolute")
    assert found(ladder, f"{root}/docs/../src/a.py") == ("src/a.py", "absolute")
    assert found(ladder, "/src/a.py") == ("src/a.py", "root")
    assert found(ladder, "/home/ann/project/src/a.py") == ("src/a.py", "suffix")
    assert found(ladder, "C:\\work\\project\\src\\a.py") == ("src/a.py", "suffix")
    assert climb(ladder, f"{root}/src/gone.py") is None
    assert climb(ladder, "/src/gone.py") is None, "the root has a src"
    assert climb(ladder, f"{tmp_path}/out/b.py") == Place("outside", path=f"{tmp_path}/out/b.py")
    assert climb(ladder, "/etc/hosts.conf") == Place("outside", path="/etc/hosts.conf")
    assert climb(ladder, "C:\\w\\x.rs") == Place("outside", path="C:/w/x.rs")
    assert climb(ladder, "/home/ann/a.py") == Place("outside", path="/home/ann/a.py"), "a name alone is no suffix"


def test_a_path_from_the_home_folder(tmp_path):
    root = tree(tmp_path / "home" / "w", "src/a.py", DOCUMENT)
    ladder = on_disk(root)
    assert found(ladder, "~/w/src/a.py") == ("src/a.py", "absolute")
    place = climb(ladder, "~/other.py")
    assert place == Place("outside", path=f"{tmp_path}/home/other.py")


def test_upwards_out_of_the_root_into_another_one(tmp_path):
    one = tree(tmp_path / "one", DOCUMENT, "src/a.py")
    two = tree(tmp_path / "two", "src/b.py", "src/a.py")
    ladder = on_disk(one, two)
    place = climb(ladder, "../../../two/src/b.py")
    assert place == Place("found", str(two), "src/b.py", "relative")
    assert climb(on_disk(one), "../../../two/src/c.py") == Place("outside", path=f"{tmp_path}/two/src/c.py")


def test_the_root_of_the_document_goes_first(tmp_path):
    one = tree(tmp_path / "one", "src/a.py", "only/in_one.py")
    two = tree(tmp_path / "two", "src/a.py", "docs/guide/d.md")
    place = climb(on_disk(one, two), "src/a.py")
    assert place == Place("found", str(two), "src/a.py", "root")
    place = climb(on_disk(one, two), "only/in_one.py")
    assert place == Place("found", str(one), "only/in_one.py", "root")


def test_candidates_in_two_roots_are_ambiguous(tmp_path):
    one, two = tree(tmp_path / "one", "x/a.py"), tree(tmp_path / "two", "y/a.py")
    place = climb(on_disk(one, two), "a.py", "d.md")
    assert place == Place("ambiguous", candidates=("x/a.py", "y/a.py"))


def test_a_document_that_is_a_link_is_read_from_its_real_folder_first(tmp_path):
    root = tree(tmp_path / "w", "real/deep/d.md", "real/near.py", "docs/far.py", "near.py")
    (root / "docs/d.md").symlink_to(root / "real/deep/d.md")
    ladder = on_disk(root)
    assert home_of("docs/d.md", ladder._indexes, ladder._reader) == Home(0, ("real/deep", "docs"))
    assert found(ladder, "../near.py", "docs/d.md") == ("real/near.py", "relative")
    assert found(ladder, "./far.py", "docs/d.md") == ("docs/far.py", "relative")


def test_a_document_that_lies_nowhere_is_at_home_in_the_first_root():
    assert home_of("docs/new.md", [PathIndex.of(["a.md"])], Reader((), overlay={}, on_disk=False)) == Home(0, ("docs",))
    assert home_of("/tmp/new.md", [PathIndex.of(["a.md"])], Reader((), overlay={}, on_disk=False)) == Home(0, ())


def test_an_ignored_file_is_found_on_disk(tmp_path):
    root = tree(tmp_path, "build/out.py", "docs/d.md")
    (root / ".gitignore").write_text("build/\n")
    ladder = on_disk(root)
    assert "build/out.py" not in ladder._indexes[0]
    assert found(ladder, "build/out.py", "docs/d.md") == ("build/out.py", "root")


def test_another_spelling_that_the_disk_opens_is_still_another_spelling(tmp_path):
    # A second name of the same file stands for a disk that does not tell case apart.
    root = tree(tmp_path, "README.md", "docs/d.md")
    (root / ".gitignore").write_text("Readme.md\n")
    os.link(root / "README.md", root / "Readme.md")
    place = climb(on_disk(root), "Readme.md", "docs/d.md")
    assert place is not None
    assert (place.status, place.path) == ("case-differs", "README.md")


@pytest.mark.parametrize("written", ["x.py", "./x.py", "docs/x.py", "{root}/docs/x.py"])
def test_what_is_there_and_no_file_is_handed_to_the_reader(tmp_path, written):
    root = tree(tmp_path / "w", "docs/d.md")
    os.mkfifo(root / "docs/x.py")
    place = climb(on_disk(root), written.format(root=root), "docs/d.md")
    assert place is not None
    assert (place.status, place.path) == ("found", "docs/x.py")


def test_a_link_that_leads_out_is_handed_to_the_reader_from_any_rung(tmp_path):
    root = tree(tmp_path / "w", "docs/d.md", "lib/real.py")
    tree(tmp_path, "secret.py")
    (root / "lib/x.py").symlink_to(tmp_path / "secret.py")
    for written in ("lib/x.py", "x.py", "../lib/x.py"):
        place = climb(on_disk(root), written, "docs/d.md")
        assert place is not None, written
        assert (place.status, place.path) == ("found", "lib/x.py")


# The parts


def test_within():
    assert within("/w", "/w/a/b") == "a/b"
    assert within("/", "/a") == "a"
    assert within("/w", "/wide/a") is None
    assert within("/w", "/w") is None
    assert within("/w", "/w/") is None
    assert within("", "/a") is None


def test_a_checkout_is_mapped_by_address_or_by_the_end_of_it():
    address = "https://host.example/owner/name"
    assert mapped_checkout(address, {"owner/name": "/c"}) == "/c"
    assert mapped_checkout(address, {"https://host.example/owner/name": "/c"}) == "/c"
    assert mapped_checkout(address, {"host.example/owner/name/": "/c"}) == "/c"
    assert mapped_checkout(address, {"wner/name": "/c", "other/name": "/d"}) is None
    assert mapped_checkout(address, {}) is None
