import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.findings.catalogue import (
    CATALOGUE,
    closest_codes,
    explain,
    find_code,
    is_policy_code,
)
from cite_lsp.findings.finding import Finding, Severity, cap, sort_findings
from cite_lsp.snapshot.resolve import PRECEDENCE

ALL = [*CATALOGUE, "policy:style/riddle"]


def specified(shared_text: str) -> list[tuple[str, str, str]]:
    """Code, layer and first word of the severity of each row of the table, in its order."""
    rows = []
    for line in shared_text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            rows += [(name, cells[1], cells[2]) for name in re.findall(r"`([^`]+)`", cells[0])]
    return rows


DEPARTURES = {
    "untracked-target": "hint",  # the table gives two codes and their two severities in one row
    "vacuous": "warning",  # off there; but it can only fire where somebody has set files.must_cite, and then is wanted
}


def test_the_catalogue_is_the_table_of_the_specification(shared) -> None:
    table = specified((shared / "design" / "findings.md").read_text(encoding="utf-8"))
    assert len(table) > 30
    assert table[-1][0].startswith("policy:")
    assert list(CATALOGUE) == [name for name, _, _ in table[:-1]]
    for name, layer, severity in table[:-1]:
        code = CATALOGUE[name]
        assert layer in {code.layer, "reference's checks", "settings file", "policy file"}, name
        wanted = DEPARTURES.get(name) or re.split(r"[ ,]", severity)[0]
        assert code.default_severity == wanted, name


def test_precedence_holds_every_code_of_the_layer_resolve() -> None:
    codes = [name for name, code in CATALOGUE.items() if code.layer == "resolve"]
    assert sorted(codes) == sorted(set(PRECEDENCE) - {"foreign", "found"})
    assert codes[:3] == ["malformed", "outside", "missing"]
    assert codes[-1] == "untracked-target"


@pytest.mark.parametrize("name", ALL)
def test_every_code_has_a_page(name: str) -> None:
    code = find_code(name)
    page = explain(name)
    assert code is not None
    assert page is not None
    lines = page.split("\n")
    title = "policy:<policy>/<concern>" if is_policy_code(name) else name
    assert lines[0] == f"# {title}"
    assert 15 <= len(lines) <= 60
    assert max(map(len, lines)) <= 140
    for heading in ("## Example", "## Why it matters", "## What to do", "## Switching it off"):
        assert heading in lines
    assert page.endswith("\n")
    assert not page.endswith("\n\n")


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_a_page_says_layer_severity_and_how_to_switch_it_off(name: str) -> None:
    code = CATALOGUE[name]
    page = explain(name) or ""
    assert f"Layer: {code.layer}. Default severity: {code.default_severity}" in page
    off = page.partition("## Switching it off")[2]
    assert f'{name} = "off"' in off
    if name not in {"setting", "policy-file"}:
        assert f'rules = {{ {name} = "off" }}' in off
    if name not in {"setting", "policy-file", "unused-ignore", "ignore-without-reason"}:
        assert re.search(rf"<!-- cite-lsp: ignore(-file)? {name} the reason -->", off)


def test_there_is_no_page_without_a_code() -> None:
    folder = files("cite_lsp.findings").joinpath("pages")
    pages = {entry.name for entry in folder.iterdir()}
    assert pages == {code.page for code in CATALOGUE.values()} | {"policy.md"}


def test_pages_name_only_codes_that_exist() -> None:
    for name in ALL:
        for mentioned in re.findall(r"cite-lsp: ignore(?:-file)? ([a-z][\w:/-]*)", explain(name) or ""):
            assert find_code(mentioned) is not None, (name, mentioned)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("policy:a/b", True),
        ("policy:log-triage/out_age.2", True),
        ("policy:a", False),
        ("policy:/b", False),
        ("policy:a/", False),
        ("policy:a/b/c", False),
        ("policy:a/b\n", False),
        ("polict:a/b", False),
        ("Missing", False),
        ("", False),
    ],
)
def test_which_names_are_codes(name: str, known: bool) -> None:
    assert (find_code(name) is not None) == known
    assert (explain(name) is not None) == known


@pytest.mark.parametrize(
    ("name", "closest"),
    [("mising", "missing"), ("blank_line", "blank-line"), ("MOVED", "moved"), ("out-of-range", "line-out-of-range")],
)
def test_a_name_that_is_no_code_has_close_ones(name: str, closest: str) -> None:
    assert closest in closest_codes(name)
    assert len(closest_codes(name)) <= 3


def test_nothing_is_close_to_nonsense() -> None:
    assert closest_codes("zzzzqqqq") == ()
    assert closest_codes("") == ()


def test_severities_are_ordered() -> None:
    assert sorted(Severity, key=lambda each: each.rank) == [
        Severity.ERROR,
        Severity.WARNING,
        Severity.INFORMATION,
        Severity.HINT,
    ]
    assert Severity.ERROR.at_least(Severity.WARNING)
    assert Severity.WARNING.at_least(Severity.WARNING)
    assert not Severity.HINT.at_least(Severity.INFORMATION)


_FINDINGS = st.lists(
    st.builds(
        Finding,
        st.sampled_from(["a", "b"]),
        st.sampled_from(list(Severity)),
        st.just("m"),
        st.integers(0, 9),
        st.integers(0, 9),
    )
)


@given(_FINDINGS)
def test_errors_come_first_then_the_order_of_the_text(findings: list[Finding]) -> None:
    ordered = sort_findings(findings)
    assert sorted(map(repr, ordered)) == sorted(map(repr, findings))
    keys = [(finding.severity is not Severity.ERROR, finding.start) for finding in ordered]
    assert keys == sorted(keys)
    assert sort_findings(reversed(findings)) == ordered


@given(_FINDINGS, st.integers(-1, 12))
def test_a_cut_list_says_how_many_are_left_out(findings: list[Finding], limit: int) -> None:
    shown, left = cap(findings, limit)
    assert shown == sort_findings(findings)[: max(limit, 0)]
    assert len(shown) + left == len(findings)


def test_five_hundred_is_the_usual_limit() -> None:
    shown, left = cap([Finding("missing", Severity.HINT, "m", place, place) for place in range(503)])
    assert (len(shown), left) == (500, 3)
