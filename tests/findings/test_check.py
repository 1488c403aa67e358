"""What a check finds: each code with its message, its fixes applied and checked again, and what silences it."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

import pytest

from cite_lsp.config import Settings
from cite_lsp.document.document import Document
from cite_lsp.document.pattern import compile_pattern
from cite_lsp.findings.catalogue import CATALOGUE
from cite_lsp.findings.check import LAYERS, Checked, check_document, examine
from cite_lsp.findings.finding import Finding, Fix, Severity
from cite_lsp.findings.places import Places
from cite_lsp.snapshot.snapshot import Scope, Snapshot

TEN = "".join(f"line {number}\n" for number in range(1, 11))
DOCUMENT = "docs/d.md"


@pytest.fixture(autouse=True)
def _alone(person, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)


def checked(
    snapshot: Snapshot, text: str, settings: Settings | None = None, path: str = DOCUMENT, pattern: str = ""
) -> Checked:
    compiled = compile_pattern(pattern) if pattern else None
    assert not isinstance(compiled, str)
    document = Document.parse(text, path, snapshot.known, compiled)
    return examine(document, snapshot, settings or Settings())


def found(text: str, settings: Settings | None = None, path: str = DOCUMENT, **files: str) -> tuple[Finding, ...]:
    snapshot = Snapshot.of({"src/a.py": TEN, path: text, **files})
    return checked(snapshot, text, settings, path).findings


def codes(text: str, settings: Settings | None = None, path: str = DOCUMENT, **files: str) -> list[str]:
    return [finding.code for finding in found(text, settings, path, **files)]


def with_rules(**rules: str) -> Settings:
    return Settings.model_validate({"rules": {code.replace("_", "-"): level for code, level in rules.items()}})


def applied(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


# Every code of the layers resolve and document


@dataclass(frozen=True)
class Case:
    """A document that yields one finding, and what becomes of it."""

    code: str
    text: str
    message: str
    fixed: str = ""
    """The document after the preferred fix; "" when there is none."""
    offered: tuple[str, ...] = ()
    """Titles of the fixes, the preferred one included."""
    severity: str = ""
    """Where it is not the catalogue's."""


def workspace(folder: Path) -> Snapshot:
    """A repository with something to find for every code."""
    root = folder / "w"
    files = {
        "src/a.py": TEN,
        "src/blank.py": "a\n\n\nb\n",
        "src/Retry.py": TEN,
        "src/empty.py": "",
        "x/mod.rs": TEN,
        "y/mod.rs": TEN,
        "src/was.py": TEN * 3,
        "lfs.py": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n",
        normalize("NFD", "src/café.py"): TEN,
        DOCUMENT: "d\n",
        ".gitignore": "build/\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "nul.py").write_bytes(b"a\0b")
    (root / "big.py").write_bytes(b"x\n" * 2000)
    os.mkfifo(root / "pipe.py")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")
    git(root, "mv", "src/was.py", "src/became.py")
    git(root, "commit", "-qm", "y")
    for name in ("build/out.py", "src/new.py"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(TEN)
    return Snapshot.open(str(root), scope=Scope(max_bytes=1000))


CASES = (
    Case("malformed", "`src/a.py:0`", "lines start at 1: `src/a.py:0` cites line 0"),
    Case(
        "malformed",
        "`src/a.py:8-3`",
        "the range 8-3 ends before it starts",
        "`src/a.py:3-8`",
        ("Write 3-8",),
    ),
    Case(
        "malformed",
        "`src/became.py:13-9` x",
        "the range 13-9 ends before it starts; 13-19 may be meant",
        "`src/became.py:13-19` x",
        ("Write 13-19",),
    ),
    Case(
        "malformed",
        "[became.py:13-9](../src/became.py#L13-L9)",
        "the range 13-9 ends before it starts; 13-19 may be meant",
        "[became.py:13-19](../src/became.py#L13-L19)",
        ("Write 13-19",),
    ),
    Case(
        "malformed",
        "`src/a.py:12345678901`",
        "`src/a.py:12345678901` has a line number of more than nine digits",
    ),
    Case("malformed", "`src/a.py:1-2-3`", "`src/a.py:1-2-3` has three numbers where a range has two"),
    Case("outside", "`/etc/a/b.toml:3`", "`/etc/a/b.toml` leads out of the workspace, so it is not read"),
    Case("outside", "`../../b.toml:3`", "`../../b.toml` leads out of the workspace, so it is not read"),
    Case("missing", "`src/wholly_gone.py:3`", "`src/wholly_gone.py` does not exist"),
    Case(
        "missing",
        "see `src/became_.py:3`",
        "`src/became_.py` does not exist; the closest path is `src/became.py`",
        offered=("Cite src/became.py",),
    ),
    Case(
        "missing",
        "see `src/was.py:3`",
        "`src/was.py` does not exist; git says it was renamed to `src/became.py`",
        "see `src/became.py:3`",
        ("Cite src/became.py",),
    ),
    Case(
        "missing",
        "see [was.py:3](../src/was.py#L3)",
        "`../src/was.py` does not exist; git says it was renamed to `src/became.py`",
        "see [became.py:3](../src/became.py#L3)",
        ("Cite src/became.py",),
    ),
    Case("elsewhere", "`net/x/b.c:3`", "`net/x/b.c` is not in this workspace; it seems to be a file of another tree"),
    Case(
        "ambiguous",
        "`mod.rs:3`",
        "`mod.rs` may be any of `x/mod.rs`, `y/mod.rs`; write more of its path",
        offered=("Cite x/mod.rs", "Cite y/mod.rs"),
    ),
    Case("not-text", "`nul.py:1`", "`nul.py` holds NUL bytes, so it is not text; the cited lines were not looked at"),
    Case(
        "too-large",
        "`big.py:1`",
        "`big.py` has 4,000 bytes or more, over the limit of 1,000; the cited lines were not looked at",
    ),
    Case("unreadable", "`pipe.py:1`", "`pipe.py` is a named pipe, not a file; the cited lines were not looked at"),
    Case(
        "not-available",
        "`lfs.py:1`",
        "`lfs.py` is a Git LFS pointer; `git lfs pull` fetches its content; the cited lines were not looked at",
    ),
    Case("line-out-of-range", "`src/a.py:11`", "`src/a.py` has 10 lines; line 11 does not exist"),
    Case("line-out-of-range", "`src/a.py:1,11-12`", "`src/a.py` has 10 lines; lines 11-12 do not exist"),
    Case("line-out-of-range", "`src/empty.py:1`", "`src/empty.py` is empty; line 1 does not exist"),
    Case(
        "end-out-of-range",
        "`src/a.py:9-12` x",
        "`src/a.py` has 10 lines; lines 9-12 go past its end",
        "`src/a.py:9-10` x",
        ("End at line 10",),
    ),
    Case(
        "end-out-of-range",
        "`src/a.py:1-2,9-12, 4`",
        "`src/a.py` has 10 lines; lines 9-12 go past its end",
        "`src/a.py:1-2,9-10, 4`",
        ("End at line 10",),
    ),
    Case(
        "end-out-of-range",
        "[a.py:9-12](../src/a.py#L9-L12)",
        "`src/a.py` has 10 lines; lines 9-12 go past its end",
        "[a.py:9-10](../src/a.py#L9-L10)",
        ("End at line 10",),
    ),
    Case("end-out-of-range", "`src/a.py:~12`", "`src/a.py` has 10 lines; line 12 goes past its end"),
    Case(
        "blank-line",
        "`src/blank.py:2-3`",
        "lines 2-3 of `src/blank.py` are blank; the nearest text is on line 1 and line 4",
    ),
    Case(
        "case-differs",
        "`src/retry.py:3`",
        "`src/retry.py` differs from the file's name, `src/Retry.py`, in upper and lower case",
        "`src/Retry.py:3`",
        ("Spell it src/Retry.py",),
    ),
    Case(
        "case-differs",
        "[retry.py:3](../src/retry.py#L3)",
        "`../src/retry.py` differs from the file's name, `src/Retry.py`, in upper and lower case",
        "[Retry.py:3](../src/Retry.py#L3)",
        ("Spell it src/Retry.py",),
    ),
    Case(
        "case-differs",
        normalize("NFC", "`src/café.py:3`"),
        f"`{normalize('NFD', 'src/café.py')}` is written in another Unicode normal form here; "
        "it looks the same and is not",
        normalize("NFD", "`src/café.py:3`"),
        (normalize("NFD", "Spell it src/café.py"),),
    ),
    Case(
        "ignored-target",
        "`build/out.py:1`",
        "`build/out.py` is ignored by git: other clones may not have it",
        severity="warning",
    ),
    Case("untracked-target", "`src/new.py:1`", "`src/new.py` is not tracked by git yet: other clones do not have it"),
    Case(
        "link-disagrees",
        "see [a.py:3-5](../src/a.py#L4-L5) x",
        "the link's text says lines 3-5, its target #L4-L5; the text counts",
        "see [a.py:3-5](../src/a.py#L3-L5) x",
        ("Let the target name lines 3-5",),
    ),
    Case(
        "link-disagrees",
        "see [b.py:3](../src/a.py#L3)",
        "the link's text names another file than its target, `../src/a.py`; the target counts",
    ),
    Case(
        "format-character",
        "see \u200bsrc/a.py:3\u2060 x",
        "invisible characters U+200B (ZERO WIDTH SPACE), U+2060 (WORD JOINER) in or beside a citation",
        "see src/a.py:3 x",
        ("Remove the invisible characters",),
    ),
    Case(
        "unused-ignore",
        "`src/a.py:3` <!-- cite-lsp: ignore blank-line for now -->",
        "there is no blank-line here to ignore",
        "`src/a.py:3`",
        ("Remove this ignore comment",),
    ),
    Case(
        "unused-ignore",
        "`src/a.py:3` <!-- cite-lsp: ignore blank-lines for now -->",
        "blank-lines is no code; did you mean blank-line?",
        "`src/a.py:3`",
        ("Remove this ignore comment",),
    ),
    Case(
        "ignore-without-reason",
        "`src/blank.py:2` <!-- cite-lsp: ignore blank-line -->",
        "this ignore comment does not say why; write the reason after the code",
    ),
)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    folder = tmp_path_factory.mktemp("everything")
    with pytest.MonkeyPatch.context() as patch:
        (folder / ".gitconfig").write_text("[user]\nname=A\nemail=a@example.org\n")
        patch.setenv("HOME", str(folder))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        snapshot = workspace(folder)
        # Asked while this person's settings hold.
        assert snapshot._known_histories
        yield snapshot


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}: {case.text}")
def test_a_finding_its_message_and_its_fix(everything, case):
    (finding,) = checked(everything, case.text).findings
    assert (finding.code, finding.message) == (case.code, case.message)
    assert finding.severity.value == (case.severity or CATALOGUE[case.code].default_severity)
    assert tuple(fix.title for fix in finding.fixes) == case.offered
    preferred = [fix for fix in finding.fixes if fix.preferred]
    assert bool(preferred) == bool(case.fixed)
    if case.fixed:
        assert applied(case.text, preferred[0]) == case.fixed
        assert checked(everything, case.fixed).findings == (), "the fix leaves nothing to find"
    else:
        for fix in finding.fixes:
            assert case.code not in {each.code for each in checked(everything, applied(case.text, fix)).findings}


def test_every_code_that_a_check_looks_for_has_a_case():
    looked_for = {code.name for code in CATALOGUE.values() if code.layer in LAYERS - {"drift", "grounding"}}
    assert looked_for - {case.code for case in CASES} == {"vacuous"}


def test_a_document_that_must_cite_and_cites_nothing():
    must = {"files": {"must_cite": ["docs/*.md"]}}
    settings = Settings.model_validate(must)
    (finding,) = found("# Words\n", settings)
    assert finding.message == "this document cites nothing, though files.must_cite says that it must"
    assert (finding.code, finding.severity, finding.start, finding.end) == ("vacuous", "warning", 0, 0)
    assert codes("`src/a.py:1`", settings) == []
    assert codes("# Words\n", settings, "other/d.md") == []
    assert codes("# Words\n<!-- cite-lsp: ignore-file vacuous an index -->\n", settings) == []
    assert codes("# Words\n", Settings.model_validate(must | {"rules": {"vacuous": "off"}})) == []


def test_a_pattern_that_takes_too_long_is_told():
    text = "a" * 4000 + "\n\n" + "b" * 4000 + "!\n"
    snapshot = Snapshot.of({DOCUMENT: text})
    codes_and_levels = [
        (finding.code, finding.severity)
        for finding in checked(snapshot, text, pattern=r"(?:(?:a|aa)+)+:[0-9]+|(?:(?:b|bb)+)+:[0-9]+").findings
    ]
    assert codes_and_levels == [("setting", "error")]


def test_an_ignored_target_is_louder_in_a_document_that_travels(everything):
    text = "`build/out.py:1`"
    for path, severity in ((DOCUMENT, "warning"), ("docs/untracked.md", "information")):
        (finding,) = checked(everything, text, path=path).findings
        assert (finding.code, finding.severity) == ("ignored-target", severity)
    (finding,) = checked(everything, text, with_rules(ignored_target="hint")).findings
    assert finding.severity == "hint", "a rule holds for both"


# Severities, and what silences


def test_a_rule_gives_a_severity_or_none():
    assert [each.severity for each in found("`src/a.py:11`")] == ["error"]
    assert [each.severity for each in found("`src/a.py:11`", with_rules(line_out_of_range="hint"))] == ["hint"]
    assert found("`src/a.py:11`", with_rules(line_out_of_range="off")) == ()


def test_an_override_holds_for_its_documents():
    settings = Settings.model_validate(
        {
            "rules": {"line-out-of-range": "warning"},
            "overrides": [
                {"globs": ["docs/**"], "rules": {"line-out-of-range": "hint"}},
                {"globs": ["docs/plans/**"], "rules": {"line-out-of-range": "off"}},
            ],
        }
    )
    text = "`src/a.py:11`"
    assert [each.severity for each in found(text, settings, "README.md")] == ["warning"]
    assert [each.severity for each in found(text, settings, "docs/d.md")] == ["hint"]
    assert found(text, settings, "docs/plans/d.md") == ()


@pytest.mark.parametrize(
    "text",
    [
        "`src/a.py:11` <!-- cite-lsp: ignore line-out-of-range it grows -->",
        "<!-- cite-lsp: ignore line-out-of-range it grows -->\n`src/a.py:11`",
        "<!-- cite-lsp: ignore line-out-of-range it grows -->\n\n\n`src/a.py:11`",
        "`src/a.py:11`\n\nlong after\n\n<!-- cite-lsp: ignore-file line-out-of-range it grows -->\n",
        "`src/a.py:11` <!-- cite-lsp: ignore blank-line, line-out-of-range it grows -->\n`src/a.py:3`",
    ],
)
def test_a_comment_silences_its_place(text):
    assert "line-out-of-range" not in codes(text)


@pytest.mark.parametrize(
    "text",
    [
        "`src/a.py:11`\n<!-- cite-lsp: ignore line-out-of-range it grows -->\n",
        "<!-- cite-lsp: ignore line-out-of-range it grows -->\n`src/a.py:3`\n`src/a.py:11`",
        "`src/a.py:11` `<!-- cite-lsp: ignore line-out-of-range it grows -->`",
        "```\n<!-- cite-lsp: ignore-file line-out-of-range it grows -->\n```\n\n`src/a.py:11`",
        "`src/a.py:11` <!-- cite-lsp: ignore everything -->",
    ],
)
def test_a_comment_silences_nothing_else(text):
    assert "line-out-of-range" in codes(text)


def test_a_comment_on_what_a_rule_switched_off_is_used():
    text = "`src/a.py:11` <!-- cite-lsp: ignore line-out-of-range it grows -->"
    assert codes(text, with_rules(line_out_of_range="off")) == []
    assert codes("`src/a.py:1` <!-- cite-lsp: ignore line-out-of-range it grows -->") == ["unused-ignore"]


def test_a_comment_for_a_step_that_did_not_run_is_not_called_unused():
    assert codes("`src/a.py:1` <!-- cite-lsp: ignore moved the plan is old -->") == []


# Order, and what is left alone


def test_errors_come_first_and_then_the_order_of_the_text():
    text = "`src/blank.py:2` `src/a.py:11` `net/x/b.c:1`\n\n`src/blank.py:2` `src/a.py:12`\n"
    findings = found(text, **{"src/blank.py": "a\n\nb\n"})
    assert [(each.code, each.anchor) for each in findings] == [
        ("line-out-of-range", 1),
        ("line-out-of-range", 4),
        ("blank-line", 0),
        ("elsewhere", 2),
        ("blank-line", 3),
    ]


def test_a_citation_has_one_finding_of_a_layer():
    findings = found("\u200b[src/A.py:90\u200b-95\u2060](../src/A.py#L1)\u200b")
    assert [each.code for each in findings if CATALOGUE[each.code].layer == "resolve"] == ["line-out-of-range"]
    assert len({each.code for each in findings}) == len(findings)


def test_foreign_and_found_are_no_findings():
    text = "`src/a.py:1` [x](https://host.example/o/r/blob/main/a.py#L99)"
    snapshot = Snapshot.of({"src/a.py": TEN})
    result = checked(snapshot, text)
    assert result.findings == ()
    assert [each.status for each in result.resolutions] == ["found", "foreign"]


def test_the_outcome_of_a_document():
    snapshot = Snapshot.of({"src/a.py": TEN})
    assert checked(snapshot, "`src/a.py:1`").outcome == "clean"
    assert checked(snapshot, "nothing").outcome == "vacuous"
    assert checked(snapshot, "`src/a.py:11`").outcome == "findings"
    assert checked(snapshot, "`src/a.py:1` <!-- cite-lsp: ignore blank-line x -->").outcome == "clean", "a hint"


def test_check_document_gives_the_findings():
    snapshot = Snapshot.of({"src/a.py": TEN})
    (finding,) = check_document(Document.parse("`src/a.py:11`", DOCUMENT), snapshot)
    assert (finding.code, finding.severity) == ("line-out-of-range", Severity.ERROR)


@pytest.mark.parametrize(
    ("text", "offset", "line", "line_text"),
    [
        ("", 0, 0, ""),
        ("a", 1, 0, "a"),
        ("a\n", 2, 1, ""),
        ("a\r\nb\rc", 3, 1, "b"),
        ("a\u2028b\x0cc\nd", 4, 0, "a\u2028b\x0cc"),
        ("\n\n\n", 2, 2, ""),
    ],
)
def test_places(text, offset, line, line_text):
    places = Places(text)
    assert (places.line(offset), places.line_text(line)) == (line, line_text)
    assert places.start(line) <= offset


def test_what_was_written_is_shown_on_one_line_and_cut_when_long():
    (finding,) = found("see src/a.py,\n  lines 0 to 3\n")
    assert finding.message == "lines start at 1: `src/a.py, lines 0 to 3` cites line 0"
    (finding,) = found(f"`{'d/' * 60}a.py:0`")
    assert finding.message == f"lines start at 1: `{'d/' * 29}d…` cites line 0"


# Records: what time brings about is told quietly, and never mended unasked


@pytest.mark.parametrize(
    "text",
    ["`src/a.py:30`", "`src/a.py:8-30`", "`src/gone.py:1`", "`src/A.py:1`", "`src/blank.py:2`", "`twice.py:1`"],
)
def test_in_a_record_what_time_brings_about_is_information(text):
    files = {"src/blank.py": "a\n\nb\n", "x/twice.py": "1\n", "y/twice.py": "1\n"}
    for path in ("docs/adr/0001.md", "docs/2026-03-12-plan.md", "CHANGELOG.md"):
        (finding,) = found(text, None, path, **files)
        assert finding.severity is Severity.INFORMATION
        assert finding.message.endswith("(in a record: it may have been right when it was written)")
        assert not any(fix.preferred for fix in finding.fixes)
    (loud,) = found(text, None, "docs/guide.md", **files)
    assert loud.severity.at_least(Severity.WARNING)
    assert "record" not in loud.message


def test_in_a_record_what_was_never_right_is_as_loud_as_elsewhere():
    (finding,) = found("`src/a.py:9-3`", None, "docs/adr/0001.md")
    assert (finding.code, finding.severity) == ("malformed", "error")
    assert finding.fixes[0].preferred


def test_without_records_and_with_a_rule_a_record_is_a_document():
    nothing = Settings.model_validate({"records": []})
    (finding,) = found("`src/a.py:30`", nothing, "docs/adr/0001.md")
    assert finding.severity is Severity.ERROR
    (finding,) = found("`src/a.py:30`", with_rules(line_out_of_range="error"), "docs/adr/0001.md")
    assert finding.severity is Severity.ERROR
