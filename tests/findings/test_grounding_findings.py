"""How better lines are told, and the fixes that cite them."""

import pytest

from cite_lsp.audit.grounding import Grounding, Place
from cite_lsp.document.document import Document
from cite_lsp.findings.catalogue import CATALOGUE
from cite_lsp.findings.grounding import tell_grounding
from cite_lsp.findings.told import Told


def place(line: int, role: str = "use", named: str = "MAX", last: int = 0) -> Place:
    return Place(line, last or line, named, "text", role, line)


def told(text: str, *places: Place, tokens: tuple[str, ...] = ("MAX",)) -> tuple[str, Told]:
    (anchor,) = Document.parse(text, "d.md", known={"src/a.py"}).anchors
    return text, tell_grounding(Grounding(tokens, places, len(places) == 1, (1, 9)), anchor, 0)


def mended(text: str, finding: Told) -> list[str]:
    results = []
    for fix in finding.fixes:
        result = text
        for edit in sorted(fix.edits, key=lambda edit: edit.start, reverse=True):
            result = result[: edit.start] + edit.text + result[edit.end :]
        results.append(result)
    return results


@pytest.mark.parametrize(
    ("places", "tokens", "message"),
    [
        ([place(14)], ("MAX",), "`MAX` does not stand in the cited line 2; it stands on line 14"),
        ([place(14, "definition")], ("MAX",), "`MAX` does not stand in the cited line 2; it is defined on line 14"),
        (
            [place(14, "assignment"), place(9, "assignment"), place(3)],
            ("MAX",),
            "`MAX` does not stand in the cited line 2; it is set on line 9 and line 14",
        ),
        (
            [place(14, "quote", "MIN"), place(15)],
            ("MAX", "MIN"),
            "`MAX` and `MIN` do not stand in the cited line 2; `MIN` stands on line 14",
        ),
        (
            [place(14)],
            ("MAX", "MIN", "A", "B", "C"),
            (
                "`MAX`, `MIN`, `A` and 2 more names of this claim do not stand in the cited line 2; "
                "`MAX` stands on line 14"
            ),
        ),
    ],
)
def test_messages(places: list[Place], tokens: tuple[str, ...], message: str) -> None:
    text, finding = told("MAX is 3 (src/a.py:2).", *places, tokens=tokens)
    assert finding.message == message
    assert text[finding.start : finding.end] == "src/a.py:2"
    assert finding.code in CATALOGUE


def test_each_place_is_a_fix_and_none_is_preferred() -> None:
    text, finding = told("MAX is 3 (src/a.py:2).", place(14, "definition"), place(20))
    assert mended(text, finding) == ["MAX is 3 (src/a.py:14).", "MAX is 3 (src/a.py:20)."]
    assert [fix.title for fix in finding.fixes] == [
        "Cite line 14, where `MAX` is defined",
        "Cite line 20, where `MAX` stands",
    ]
    assert not any(fix.preferred for fix in finding.fixes)


def test_a_range_is_rewritten_in_its_form() -> None:
    text, finding = told("MAX is 3 (src/a.py#L2-L4).", place(14, "definition", last=20))
    assert finding.message == "`MAX` does not stand in the cited lines 2-4; it is defined on line 14"
    assert mended(text, finding) == ["MAX is 3 (src/a.py#L14-L20)."]


def test_of_several_spans_none_is_rewritten() -> None:
    _, finding = told("MAX is 3 (src/a.py:2, 7-9).", place(14))
    assert finding.fixes == ()
