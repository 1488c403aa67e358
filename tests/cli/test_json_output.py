"""`cite-lsp check --format json`: valid against its schema, with ranges as editors count them."""

import json
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from cite_lsp import __version__
from tests.growth import growth

TEN = "".join(f"line {number}\n" for number in range(1, 11))
GOOD = {"src/a.py": TEN, "docs/good.md": "See `src/a.py:3`.\n", "cite-lsp.toml": ""}


def report(ran) -> dict:
    return json.loads(ran.raw)


@pytest.fixture(scope="module")
def schema():
    done = subprocess.run([sys.executable, "-m", "cite_lsp", "schema", "output"], capture_output=True, check=True)
    found = json.loads(done.stdout)
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "throttle"


def test_the_sample_is_valid(cli, schema):
    for arguments in ([], ["--excerpts"]):
        schema.validate(report(cli(SAMPLE, "check", "--format", "json", *arguments)))
        judged = report(cli(SAMPLE, "judge", "--format", "json", *arguments))
        schema.validate(judged)
        for anchor in (anchor for document in judged["documents"] for anchor in document["anchors"]):
            if anchor["verdict"]["judge"]:
                assert anchor["verdict"]["basis"], anchor["text"]
                assert bool(anchor["verdict"]["evidence"]) == (anchor["verdict"]["label"] != "unchecked")


def test_a_hostile_workspace_is_valid(cli, schema, workspace):
    folder = workspace(
        {
            "src/a.py": TEN,
            "cite-lsp.toml": 'colour = 1\n[rules]\nmissing = "\\u202e"\n',
            "docs/empty.md": b"",
            "docs/nul.md": b"a\0b",
            "docs/latin.md": b"caf\xe9 `src/a.py:3` `src/caf\xe9.py:3`\n",
            "docs/mixed.md": "\ufeff🚀 `src/a.py:0`\r`src/a.py:12345678901`\r\n`src/a.py:9-3,40` \u2028 `src/A.py:2`\n",
            "docs/links.md": "[x](#L1) [a.py:3](src/b.py#L4) [y](https://h.example/o/r/blob/m/a.py#L1)\n",
            "docs/ignored.md": "`src/a.py:1` <!-- cite-lsp: ignore nothing -->\n",
            "docs/mod.md": "`mod.rs:1` `src/gone.py:1` `src/aa.py:3`\n",
            "x/mod.rs": "x\n",
            "y/mod.rs": "x\n",
        }
    )
    (folder / "docs/loop.md").symlink_to("loop.md")
    ran = cli(folder, "check", "--format", "json", "--excerpts")
    schema.validate(report(ran))
    assert ran.code == 2
    outcomes = {document["path"]: document["outcome"] for document in report(ran)["documents"]}
    assert outcomes["docs/nul.md"] == "unread"
    assert outcomes["docs/empty.md"] == "vacuous"


def test_ranges_are_zero_based_and_in_utf_16_units(cli, workspace):
    cited = "🚀🚀 see `src/a.py:9` e\u0301 日本 𝒳 `src/a.py:30`, [src/a.py:9-12](../src/a.py#L9-L12) \u200bsrc/a.py:1"
    text = f"# 🚀\n\n{cited}\n"
    document = report(cli(workspace({**GOOD, "docs/good.md": text}), "check", "--format", "json"))["documents"][0]
    lines = [line.encode("utf-16-le") for line in text.split("\n")]

    def cut(span: dict) -> str:
        start, end = span["start"], span["end"]
        assert start["line"] == end["line"]
        return lines[start["line"]][2 * start["character"] : 2 * end["character"]].decode("utf-16-le")

    assert [cut(anchor["range"]) for anchor in document["anchors"]] == [
        anchor["text"] for anchor in document["anchors"]
    ]
    assert document["anchors"][0]["range"]["start"] == {"line": 2, "character": 10}
    for finding in document["findings"]:
        if finding["code"] != "format-character":
            assert cut(finding["range"]) == document["anchors"][finding["anchor"]]["text"]
    edits = [edit for finding in document["findings"] for fix in finding["fixes"] for edit in fix["edits"]]
    assert sorted(cut(edit["range"]) for edit in edits) == ["#L9-L12", "12", "\u200b"]


def test_excerpts_only_when_asked_for(cli, workspace):
    folder = workspace({**GOOD, "docs/good.md": "`src/a.py:2-3,30`\n"})
    for arguments, present in (([], False), (["--excerpts"], True)):
        (anchor,) = report(cli(folder, "check", "--format", "json", *arguments))["documents"][0]["anchors"]
        assert ("excerpts" in anchor) is present
    (anchor,) = report(cli(folder, "check", "docs/good.md", "--format", "json", "--excerpts"))["documents"][0][
        "anchors"
    ]
    assert anchor["excerpts"] == [None, None], "a citation with an error shows nothing"
    (folder / "docs/good.md").write_text("`src/a.py:2-3, 5`\n")
    (anchor,) = report(cli(folder, "check", "docs/good.md", "--format", "json", "--excerpts"))["documents"][0][
        "anchors"
    ]
    assert len(anchor["excerpts"]) == 2
    assert "line 2\n" in anchor["excerpts"][0]["text"]


NO_DRIFT = dict.fromkeys(("same", "moved", "edited", "gone", "born-wrong", "unknown"), 0)


def test_the_summary_counts(cli, workspace):
    folder = workspace(
        {
            **GOOD,
            "docs/bad.md": "See `src/a.py:30` and\n`src/blank.py:2` and `far/x.c:1`.\n",
            "src/blank.py": "a\n\nb\n",
            "docs/nul.md": "a\0",
        }
    )
    ran = report(cli(folder, "check", "--format", "json"))
    counts = ran["summary"]
    assert counts.pop("seconds") >= 0
    assert counts == {
        "documents": 3,
        "unread": 1,
        "anchors": 4,
        "resolved": 2,
        "foreign": 0,
        "unattached": 0,
        "findings": {"error": 1, "warning": 1, "information": 1, "hint": 0},
        "drift": NO_DRIFT,
        "drift_in_records": NO_DRIFT,
        "verdicts": {"supported": 0, "partial": 0, "unsupported": 0, "review": 0, "unchecked": 0},
        "accepted": 0,
    }
    assert ran["root"] == "."
    assert ran["tool"] == {"name": "cite-lsp", "version": __version__}


def test_a_line_with_very_many_citations_is_linear(cli, workspace):
    def seconds(count: int) -> float:
        text = "".join(f"- é `src/a.py:3` and `src/a.py:30`.{' ' * 40}" for _ in range(count)) + "\n"
        folder = workspace({**GOOD, "docs/good.md": text.replace("- ", "")})
        started = time.perf_counter()
        assert report(cli(folder, "check", "--no-cache", "--format", "json"))["summary"]["anchors"] == 2 * count
        return time.perf_counter() - started

    seconds(100)
    assert growth(seconds, 400, 3200, 16, least=0.05) <= 16
