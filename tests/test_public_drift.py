"""Drift through the public names, as a program uses them."""

import subprocess
from pathlib import Path

from cite_lsp import Document, Settings, Snapshot, check_document


def _repository(root: Path) -> None:
    (root / "src").mkdir()
    (root / "src/a.py").write_text("import time\n\nLIMIT = 3\n")
    (root / "docs").mkdir()
    (root / "docs/a.md").write_text("The limit is three (`src/a.py:3`).\n")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    (root / "src/a.py").write_text("import os\nimport time\n\nLIMIT = 3\n")


def test_an_anchor_and_a_document_tell_drift(tmp_path: Path, person: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    _repository(root)
    snapshot = Snapshot.open(str(root))
    document = Document.parse((root / "docs/a.md").read_text(), "docs/a.md", snapshot.known)
    (anchor,) = document.anchors
    (drift,) = snapshot.drift(anchor, document)
    assert drift.status == "moved"
    assert [(place.path, place.first, place.last) for place in drift.places] == [("src/a.py", 4, 4)]
    assert len(drift.baseline) == 40
    assert [finding.code for finding in check_document(document, snapshot)] == ["moved"]
    without = check_document(document, snapshot, Settings.model_validate({"drift": {"enabled": False}}))
    assert [finding.code for finding in without] == ["blank-line"]
    (as_of,) = snapshot.drift(anchor, document, "written")
    assert as_of.as_of == drift.baseline


def test_outside_a_repository_drift_is_unknown(tmp_path: Path, person: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    snapshot = Snapshot.open(str(tmp_path))
    document = Document.parse("`a.py:1`\n", "a.md", snapshot.known)
    (drift,) = snapshot.drift(document.anchors[0], document)
    assert (drift.status, drift.places) == ("unknown", ())
    assert Snapshot.of({"a.py": "x\n"}).drift(document.anchors[0], document)[0].status == "unknown"
