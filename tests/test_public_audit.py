"""The audit through the public names, as a program uses them."""

import subprocess
import sys

from cite_lsp import AuditOptions, AuditReport, Document, EmbeddedJudge, Row, Snapshot, audit_document, select_rows

FILES = {
    "src/retry.py": 'MAX_ATTEMPTS = 3\n\n\ndef wait(attempt: int) -> float:\n    """Wait a little."""\n    return 0.5\n'
}
TEXT = """# Retry

## Limits

The value of `MAX_ATTEMPTS` is 3 (`src/retry.py:1`). The value of `MAX_ATTEMPTS` is 5 (`src/retry.py:1`).

## Waiting

It waits in `wait` (`src/retry.py:4-6`), and elsewhere too (`src/gone.py:2`).
"""


async def test_an_audit_through_the_public_names() -> None:
    snapshot = Snapshot.of(FILES)
    document = Document.parse(TEXT, "docs/retry.md", snapshot.known)
    rows = select_rows(document, snapshot, AuditOptions(scope="sample"), seed=None)
    assert [row.section for row in rows] == ["## Limits", "## Waiting", "## Waiting", "## Limits"]
    assert rows[0].anchor in document.anchors
    assert rows[0].claim == "The value of `MAX_ATTEMPTS` is 3."
    assert rows[0].excerpts[0].start_line == 1
    assert rows[0].file == tuple(FILES["src/retry.py"].splitlines())
    judge = EmbeddedJudge()
    report: AuditReport = await audit_document(document, snapshot, judge, AuditOptions(on_found="report"))
    assert [row.index for row in report.rows] == [0, 2, 3, 1]
    assert [verdict.label for verdict in report.verdicts][::3] == ["supported", "unsupported"]
    assert [each.row.anchor.text for each in report.unsound] == ["src/gone.py:2", "src/retry.py:1"]
    assert report.meta.to_data()["audited_hash"] == report.meta.audited_hash
    assert report.outcome == "findings"
    judged = [row.row for row in rows if row.row is not None]
    assert len(await judge.judge(judged)) == 3


async def test_a_row_of_plain_texts_is_judged_too() -> None:
    row = Row.of(claim="MAX_ATTEMPTS is 3.", lines=[(24, "MAX_ATTEMPTS = 5")])
    (verdict,) = await EmbeddedJudge().judge([row])
    assert (verdict.label, verdict.kind) == ("unsupported", "contradicted")


def test_the_names_load_no_network_library() -> None:
    code = (
        "import sys; from cite_lsp import audit_document, select_rows, AuditReport, AuditRow; "
        "print([name for name in ('httpx', 'pygls', 'typer', 'sqlite3') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
