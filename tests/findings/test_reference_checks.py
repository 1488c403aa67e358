"""The reference's checks: off by default, and what they tell where a rule switches them on."""

from collections import Counter
from typing import Any

import pytest

from cite_lsp import Document, Settings, Snapshot, check_document
from cite_lsp.audit import cited_values, factual
from cite_lsp.findings.catalogue import CATALOGUE
from cite_lsp.findings.check import Checked, examine
from cite_lsp.findings.finding import Finding, Severity
from cite_lsp.findings.reference_checks import ALL_OFF, CODES, ReferenceChecks

FILES = {
    "src/queue.py": "LIMIT = 512\nWAIT = 0.5\n\n\ndef drain():\n    return LIMIT\n",
    "src/other.py": "PORT = 8080\n",
}
ON = dict.fromkeys(CODES, "warning")
TEXT = """# Queue

## Limits

The queue holds at most `500` entries (`src/queue.py:1`), and waits `0.5` seconds (`src/queue.py:2`).

## Draining

The function `drain` returns the limit.

## Empty

### Below

## Last

It ends here (`src/queue.py:5`).
"""


def checked(text: str, tree: dict[str, Any] | None = None, path: str = "docs/d.md") -> Checked:
    snapshot = Snapshot.of({**FILES, path: text})
    settings = Settings.model_validate({"drift": {"enabled": False}, **(tree or {})})
    return examine(Document.parse(text, path, snapshot.known), snapshot, settings)


def found(text: str, tree: dict[str, Any] | None = None, path: str = "docs/d.md") -> list[tuple[str, str]]:
    """Code, and the text it is told of, of each finding."""
    return [(each.code, text[each.start : each.end]) for each in checked(text, tree, path).findings]


def test_they_are_off_and_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()
    for module, name in ((cited_values, "lex"), (factual, "lex"), (factual, "Claims"), (cited_values, "Claims")):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, real=real, name=name: (calls.update([name]), real(*given))[1])
    assert found(TEXT) == []
    assert not calls
    assert ReferenceChecks.of(Settings(), "d.md") is ALL_OFF
    assert not ALL_OFF
    assert {CATALOGUE[code].default_severity for code in CODES} == {"off"}
    assert found(TEXT, {"rules": ON})
    assert calls


def test_what_they_tell() -> None:
    assert found(TEXT, {"rules": ON}) == [
        ("cited-value", "`500`"),
        ("section-citations", "## Draining"),
        ("uncited", "The function `drain` returns the limit."),
    ]
    by_code = {each.code: each for each in checked(TEXT, {"rules": ON}).findings}
    value = by_code["cited-value"]
    assert value == Finding(
        "cited-value", Severity.WARNING, "`500` does not stand in the cited line 1", value.start, value.end, 0
    )
    assert by_code["section-citations"].message == "this section has no citation; audit.section_minimum asks for 1"
    assert by_code["uncited"].message == "this sentence says something of `drain` and cites nothing"
    assert by_code["uncited"].anchor is None


@pytest.mark.parametrize("code", CODES)
def test_each_is_switched_on_by_itself(code: str) -> None:
    assert {each for each, _ in found(TEXT, {"rules": {code: "error"}})} == {code}
    override = {"overrides": [{"globs": ["docs/**"], "rules": {code: "hint"}}]}
    assert {each for each, _ in found(TEXT, override)} == {code}
    assert found(TEXT, override, path="other.md") == []
    off = {"rules": ON, "overrides": [{"globs": ["docs/**"], "rules": {code: "off"}}]}
    assert code not in {each for each, _ in found(TEXT, off)}


def test_how_many_citations_a_section_needs_is_a_setting() -> None:
    tree = {"rules": {"section-citations": "warning"}, "audit": {"section_minimum": 2}}
    assert found(TEXT, tree) == [("section-citations", "## Draining"), ("section-citations", "## Last")]
    messages = [each.message for each in checked(TEXT, tree).findings]
    assert messages[1] == "this section has 1 citation; audit.section_minimum asks for 2"
    assert len(found(TEXT, {**tree, "audit": {"section_minimum": 3}})) == 3


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("Text without a heading.\n", []),
        ("# Top\n\nText.\n", []),
        ("## A\n", []),
        ("## A\n\n## B\n\nText.\n", ["## B"]),
        ("Title\n-----\n\nText.\n", ["Title"]),
        ("  ## A ##  \r\n\r\nText.\r\n", ["## A ##"]),
        ("\ufeff## A\n\nText.\n", ["## A"]),
        ("```\n## A\n```\n\nText.\n", []),
        ("## A\n\n```\n`src/queue.py:1`\n```\n", ["## A"]),
        ("## A (`src/queue.py:1`)\n\nText.\n", []),
        ("## A\n\n### B\n\nSo it is (`src/queue.py:1`).\n", []),
    ],
)
def test_what_a_section_is(text: str, headings: list[str]) -> None:
    assert [told for _, told in found(text, {"rules": {"section-citations": "warning"}})] == headings


def test_a_document_that_cites_nothing_is_not_told_of_its_sentences() -> None:
    rules = {"rules": {"uncited": "warning"}}
    text = "The function `drain` returns the limit.\n"
    assert found(text, rules) == []
    assert found(text + "\nIt is so (`src/queue.py:5`).\n", rules) == [("uncited", text.strip())]


@pytest.mark.parametrize(
    "text",
    [
        "It holds `500` (`src/queue.py:99`).",
        "It holds `500` (`src/gone.py:1`).",
        "It holds `500` (`src/queue.py:3`).",
        "It holds `500` (`src/queue.py:1, 99`).",
        "It holds `500` (`src/queue.py:~1`).",
        "It holds `512` (`src/queue.py:1-2`).",
        "It holds `512` (`src/other.py:1`, `src/queue.py:1`).",
    ],
)
def test_where_the_lines_are_not_known_no_value_is_told(text: str) -> None:
    assert "cited-value" not in {code for code, _ in found(text, {"rules": ON})}


def test_a_comment_silences_them_and_is_unused_only_where_they_are_on() -> None:
    ignored = (
        "The queue holds `500` entries (`src/queue.py:1`). <!-- cite-lsp: ignore cited-value old -->\n\n"
        "The function `drain` returns it. <!-- cite-lsp: ignore uncited known -->\n\n"
        "## A <!-- cite-lsp: ignore section-citations later -->\n\nText.\n"
    )
    assert found(ignored, {"rules": ON}) == []
    assert found(ignored) == []
    unused = "The queue holds `512` entries (`src/queue.py:1`). <!-- cite-lsp: ignore cited-value old -->\n"
    assert [code for code, _ in found(unused, {"rules": ON})] == ["unused-ignore"]
    assert found(unused) == []


def test_the_public_check_tells_them_too() -> None:
    snapshot = Snapshot.of({**FILES, "d.md": TEXT})
    document = Document.parse(TEXT, "d.md", snapshot.known)
    settings = Settings.model_validate({"rules": ON})
    assert {each.code for each in check_document(document, snapshot, settings)} == set(CODES)
