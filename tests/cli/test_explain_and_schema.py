"""`cite-lsp explain` and `cite-lsp schema`."""

import json
import os
import re

import jsonschema
import pytest

from cite_lsp.findings.catalogue import CATALOGUE

TEN = "".join(f"line {number}\n" for number in range(1, 11))
TEXT = """# Title

## Retries

The loop gives up after three tries (`src/a.py:3-4`), and the wait
doubles [here](../src/a.py#L5), see src/a.py
lines 6 and 40. Of another tree: `net/x.c:3`.

Two lines above: `src/blank.py:2-3` <!-- cite-lsp: ignore blank-line generated -->
"""


@pytest.fixture
def folder(workspace):
    return workspace(
        {
            "src/a.py": TEN,
            "src/blank.py": "a\n\n\nb\n",
            "docs/d.md": TEXT,
            "cite-lsp.toml": "",
            "x/m.rs": "",
            "y/m.rs": "",
        }
    )


@pytest.mark.parametrize("code", [*CATALOGUE, "policy:tone/blame"])
def test_every_code_has_its_page(cli, tmp_path, code):
    ran = cli(tmp_path, "explain", code)
    assert ran.code == 0
    title = code if code in CATALOGUE else "policy"
    assert ran.out.startswith(f"# {title}")


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("missng", "did you mean missing"),
        ("line_out_of_range", "did you mean line-out-of-range"),
        ("Blank-Line", "did you mean blank-line"),
        ("qqqq", "place PATH:LINE\n"),
        ("docs/d.md:" + "9" * 400, "place PATH:LINE"),
        ("docs/d.md:٣", "place PATH:LINE"),
        ("docs/d.md:", "place PATH:LINE"),
    ],
)
def test_what_is_neither_a_code_nor_a_place(cli, folder, asked, hint):
    ran = cli(folder, "explain", asked)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"cite-lsp: {asked} is neither a finding's code nor a place PATH:LINE")
    assert hint in ran.err


def rows(text: str) -> dict[str, str]:
    """Name: value of the rows of one citation; the first of a name."""
    found: dict[str, str] = {}
    for line in text.splitlines()[1:]:
        name, _, value = line.strip().partition("  ")
        found.setdefault(name, value)
    return found


def test_a_citation_with_all_that_is_known(cli, folder):
    ran = cli(folder, "explain", "docs/d.md:5")
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "docs/d.md:5:39  src/a.py:3-4"
    shown = rows(ran.out)
    assert shown["form"] == "path-line-range"
    assert shown["path"] == "src/a.py"
    assert shown["lines"] == "3-4"
    assert shown["claim"] == "The loop gives up after three tries (`src/a.py:3-4`),"
    assert shown["sentence"].startswith("The loop gives up after three tries (`src/a.py:3-4`), and the wait doubles")
    assert shown["section"] == "## Retries"
    assert shown["resolution"] == "found"
    assert shown["file"] == "src/a.py, 10 lines, found from the root"
    assert shown["verdict"].startswith("unchecked: looked for ")
    assert shown["judge"] == "embedded/2"
    assert "3 │ line 3" in ran.out


def test_the_citations_of_a_line_each_with_its_spans_and_findings(cli, folder):
    ran = cli(folder, "explain", "docs/d.md:7")
    blocks = ran.out.strip().split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == [
        "docs/d.md:6:37  src/a.py lines 6 and 40",
        "docs/d.md:7:35  net/x.c:3",
    ]
    first = rows(blocks[0])
    assert first["resolution"] == "line-out-of-range (6 found, 40 line-out-of-range)"
    assert first["error"] == "`src/a.py` has 10 lines; line 40 does not exist  [line-out-of-range]"
    assert "elsewhere" in rows(blocks[1])["resolution"]


def test_the_column_that_findings_are_shown_with_may_be_given_too(cli, folder):
    assert cli(folder, "explain", "docs/d.md:5:39").out == cli(folder, "explain", "docs/d.md:5").out


def test_candidates_and_fixes_are_shown(cli, folder):
    (folder / "docs/d.md").write_text("`m.rs:1`\n")
    shown = rows(cli(folder, "explain", "docs/d.md:1").out)
    assert shown["candidates"] == "x/m.rs, y/m.rs"
    assert shown["fix"] == "Cite x/m.rs"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("docs/d.md:1", "there is no citation on line 1 of docs/d.md"),
        ("docs/d.md:999", "there is no citation on line 999 of docs/d.md"),
        ("docs/none.md:1", "docs/none.md does not exist"),
        ("docs:1", "docs is a folder; name a document and a line of it, as in docs/README.md:12"),
        ("nul.md:1", "nul.md holds NUL bytes, so it is not text"),
    ],
)
def test_a_place_without_a_citation(cli, folder, place, message):
    (folder / "nul.md").write_bytes(b"a\0b")
    ran = cli(folder, "explain", place)
    assert (ran.code, ran.out, ran.err) == (2, "", f"cite-lsp: {message}\n")


def test_a_name_in_another_encoding_is_shown_as_far_as_it_goes(process, folder):
    name = b"docs/caf\xe9.md"
    (folder / os.fsdecode(name)).write_bytes(b"`src/a.py:3`\n")
    ran = process(folder, "explain", name + b":1")
    assert ran.code == 0
    assert "src/a.py:3" in ran.out
    assert process(folder, "explain", b"docs/\xff.md:1").code == 2


def test_the_schemas_are_valid_schemas_and_settings_of_ours_fit(cli, tmp_path):
    settings = json.loads(cli(tmp_path, "schema", "settings").raw)
    output = json.loads(cli(tmp_path, "schema", "output").raw)
    policy_output = json.loads(cli(tmp_path, "schema", "policy-output").raw)
    for schema in (settings, output, policy_output):
        jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(settings)
    validator.validate(
        {"rules": {"moved": "off"}, "files": {"must_cite": ["docs/*.md"]}, "anchors": {"in_fences": True}}
    )
    for wrong in ({"rules": {"missing": "loud"}}, {"colour": 1}, {"files": {"max_bytes": "many"}}):
        assert list(validator.iter_errors(wrong)), wrong
    assert cli(tmp_path, "schema", "nothing").code == 2


def test_help_names_the_commands_in_whole_sentences(cli, tmp_path):
    asked, unasked = cli(tmp_path, "--help"), cli(tmp_path)
    assert (asked.code, unasked.code) == (0, 2)
    for text in (asked.out, unasked.err):
        commands = re.findall(r"^  (check|explain|schema) +(.+)$", text, re.MULTILINE)
        assert [name for name, _ in commands] == ["check", "explain", "schema"]
        assert all(summary.endswith(".") and not summary.endswith("...") for _, summary in commands)
