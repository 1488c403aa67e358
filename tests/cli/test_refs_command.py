"""`cite-lsp refs`: which documents cite these lines."""

import json

import pytest

CODE = "".join(f"line {number}\n" for number in range(1, 41))
FILES = {
    "cite-lsp.toml": "",
    "src/retry.py": CODE,
    "README.md": "It waits for a while (`src/retry.py:3`). It ends.\n",
    "docs/a.md": "# é\n\nThe pool 😀 tries `retry.py:8-12` again.\n",
}


def test_each_citation_is_listed_with_its_place_and_its_sentence(cli, workspace):
    ran = cli(workspace(FILES), "refs", "src/retry.py")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "README.md:1:24  src/retry.py:3  It waits for a while (`src/retry.py:3`).",
        "docs/a.md:3:19  retry.py:8-12  The pool 😀 tries `retry.py:8-12` again.",
    ]


@pytest.mark.parametrize(
    ("target", "lines"),
    [
        ("src/retry.py:3", [1]),
        ("src/retry.py:1-3", [1]),
        ("src/retry.py:4-9", [3]),
        ("src/retry.py#L12", [3]),
        ("src/retry.py#L3-L8", [1, 3]),
        ("src/retry.py#L3-8", [1, 3]),
        ("./src/../src/retry.py:3", [1]),
        ("src", [1, 3]),
        ("src/retry.py:4-7", []),
        ("README.md", []),
    ],
)
def test_a_target_is_a_file_lines_of_it_or_a_folder(cli, workspace, target, lines):
    ran = cli(workspace(FILES), "refs", target)
    assert [int(row.split(":")[1]) for row in ran.out.splitlines()] == lines
    assert ran.code == (0 if lines else 1)


def test_a_file_whose_name_ends_like_lines_is_that_file(cli, workspace):
    folder = workspace({**FILES, "odd.py:3": CODE})
    assert cli(folder, "refs", "odd.py:3").code == 1


def test_json_holds_ranges_in_utf_16(cli, workspace):
    ran = cli(workspace(FILES), "refs", "src/retry.py:9", "--format", "json")
    whole = json.loads(ran.raw)
    assert whole["target"] == {"path": "src/retry.py", "span": [9, 9]}
    assert whole["citations"] == [
        {
            "document": "docs/a.md",
            "range": {"start": {"line": 2, "character": 19}, "end": {"line": 2, "character": 32}},
            "text": "retry.py:8-12",
            "path": "src/retry.py",
            "spans": [[8, 12]],
            "via": "basename",
            "sentence": "The pool 😀 tries `retry.py:8-12` again.",
        }
    ]
    none = cli(workspace(FILES), "refs", "README.md", "--format", "json")
    assert (none.code, json.loads(none.raw)["citations"]) == (1, [])


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("src/gone.py:3", "src/gone.py does not exist"),
        ("src/retry.py:0", "names no lines"),
        ("src/retry.py:9-4", "names no lines"),
        ("src:3", "names lines of a folder"),
        ("", "the target is empty"),
    ],
)
def test_what_cannot_be_looked_for_is_said(cli, workspace, target, said):
    ran = cli(workspace(FILES), "refs", target)
    assert ran.code == 2
    assert said in ran.err


def test_it_is_asked_from_any_folder_of_the_project(cli, workspace):
    folder = workspace(FILES)
    assert cli(folder / "src", "refs", "retry.py:3").out.startswith("README.md:1:24")
