"""The change that switches a code off in a settings file: right where it can be made, and none where it cannot."""

import tomllib

import pytest

from cite_lsp.config import rule_change


def changed(text: str, name: str, code: str = "blank-line") -> str | None:
    change = rule_change(text, name, code, "off")
    return None if change is None else text[: change.start] + change.text + text[change.end :]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[rules]\nblank-line = "off"\n'),
        ('[rules]\nmoved = "off"\n', '[rules]\nblank-line = "off"\nmoved = "off"\n'),
        ("[rules]", '[rules]\nblank-line = "off"\n'),
        ("records = []\n", 'records = []\n\n[rules]\nblank-line = "off"\n'),
        ("records = []", 'records = []\n\n[rules]\nblank-line = "off"\n'),
        ('[rules]\nblank-line = "hint" # loud\n', '[rules]\nblank-line = "off" # loud\n'),
        ("[ rules ] # ours\r\nmoved = 'off'\r\n", "[ rules ] # ours\r\nblank-line = \"off\"\r\nmoved = 'off'\r\n"),
        ('[files]\nexclude = ["a"]\n', '[files]\nexclude = ["a"]\n\n[rules]\nblank-line = "off"\n'),
    ],
)
def test_a_rule_is_written_and_nothing_else_changes(before: str, after: str) -> None:
    assert changed(before, "cite-lsp.toml") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[rules]\n"policy:a.b/c" = "off"\n'),
        ('[rules]\n"policy:a.b/c" = "hint"\n', '[rules]\n"policy:a.b/c" = "off"\n'),
        ("[rules]\n'policy:a.b/c' = 'hint'\n", "[rules]\n'policy:a.b/c' = \"off\"\n"),
    ],
)
def test_the_code_of_a_policy_is_written_in_quotes(before: str, after: str) -> None:
    assert changed(before, "cite-lsp.toml", "policy:a.b/c") == after
    assert tomllib.loads(after)["rules"] == {"policy:a.b/c": "off"}


def test_in_a_python_projects_file_it_goes_under_the_tool() -> None:
    before = '[project]\nname = "a"\n\n[tool.cite-lsp]\nrecords = []\n'
    after = changed(before, "pyproject.toml")
    assert after is not None
    assert tomllib.loads(after)["tool"]["cite-lsp"] == {"records": [], "rules": {"blank-line": "off"}}
    assert after.startswith(before)


@pytest.mark.parametrize("text", ['rules = { moved = "off" }\n', "[rules\n", 'rules.moved = "off"\n[files]\n'])
def test_where_it_cannot_be_written_in_one_place_there_is_none(text: str) -> None:
    assert changed(text, "cite-lsp.toml") is None
