"""The bench still runs: in small, against the real process. What its figures are is nobody's business here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("person")

CHECKOUT = Path(__file__).resolve().parents[1]
TAKEN = (
    "start → initialize answered",
    "open → findings",
    "one character typed → findings",
    "one character typed in a cited file → findings",
    "hover",
    "definition",
    "documentLink",
    "completion over 300 paths",
    "save, verdicts cached → published",
    "shutdown and exit, idle",
    "shutdown and exit, indexing",
    "shutdown and exit, judging",
)


def test_the_servers_figures_are_taken_and_written(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", "server", "completion", "--tiny", "--json", str(file)],
        cwd=CHECKOUT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(file.read_text(encoding="utf-8"))
    figures = {each["name"]: each for each in data["figures"]}
    assert len(figures) == len(data["figures"])
    for name in TAKEN:
        figure = figures[name]
        assert figure["count"] >= 1
        assert 0 < figure["p50"] <= figure["p99"] <= figure["most"]
        assert figure["verdict"] in ("met", "NOT met")
        assert figure["budget_p50"] <= figure["budget_p99"]
    lines = done.stdout.splitlines()
    for figure in data["figures"]:
        line = next(line for line in lines if line.startswith(figure["name"]))
        assert figure["verdict"] in line
        assert figure["p50"] is not None or figure["note"] in line
    assert data["machine"]["python"]


def test_drift_is_measured_on_and_off_in_one_run(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.bench", "drift", "--tiny", "--json", str(file)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    figures = {each["name"]: each for each in json.loads(file.read_text(encoding="utf-8"))["figures"]}
    for name in (
        "open → findings",
        "hover",
        "one character typed → findings",
        "one character typed at the end of a cited file → findings",
        "one line typed at its top → findings",
    ):
        on, off = figures[f"{name}, drift on"], figures[f"{name}, drift off"]
        assert on["count"] == off["count"] >= 1
        assert on["verdict"] in ("met", "NOT met")
        assert off["verdict"] == ""
    assert figures["open → 199 citations told moved, nothing stored"]["count"] == 1


def test_a_judge_over_http_is_measured(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.bench", "judging", "--tiny", "--json", str(file)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    figures = {each["name"]: each for each in json.loads(file.read_text(encoding="utf-8"))["figures"]}
    for name in (
        "first judgement of 20 rows over HTTP",
        "save, 20 verdicts of a judge over HTTP cached → published",
        "first save after a start, verdicts kept on disk → published",
        "hover while 20 rows are judged over HTTP",
        "shutdown and exit, judging over HTTP",
    ):
        assert figures[name]["count"] >= 1, done.stdout
        assert figures[name]["p50"] > 0


def test_a_check_is_measured_beside_linecite_or_says_why_not(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.bench", "history", "--tiny", "--json", str(file)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    peer, cold, warm = json.loads(file.read_text(encoding="utf-8"))["figures"]
    assert peer["p50"] is not None or "pip install linecite" in peer["note"]
    for figure in (cold, warm):
        assert figure["p50"] > 0
        assert "22 citations" in figure["note"]
        assert figure["name"] in done.stdout


BUDGETS = (
    "start → initialize answered",
    "open → findings",
    "one character typed → findings",
    "  ratio of the medians",
    "one character typed in a cited file → findings",
    "20 edits in one event",
    "hover",
    "definition",
    "documentLink",
    "hover while 300 files are indexed",
    "hover while 20 rows are judged",
    "completion over 300 paths",
    "  of lines and names of a file of 200 lines",
    "initialized → 300 files indexed, warm",
    "save, verdicts cached → published",
    "shutdown and exit, idle",
    "shutdown and exit, indexing",
    "shutdown and exit, judging",
    "resident memory of the server, idle",
    "resident memory of the worker, idle",
    "resident memory of the server, 300 paths",
    "resident memory of the worker, 300 paths",
    "resident memory of the server, 300 paths, 40 citations in documents, one open",
    "resident memory of the worker, 300 paths, 40 citations in documents, one open",
    "resident memory of the server, 300 paths, 40 citations, all documents open",
    "resident memory of the worker, 300 paths, 40 citations, all documents open",
    "cite-lsp: resident memory of the server",
    "processor's time of the idle server",
    "processor's time of the idle worker",
)


def test_all_budgets_stand_in_one_table_beside_the_peers(tmp_path: Path) -> None:
    file = tmp_path / "budgets.json"
    command = [sys.executable, "-m", "tests.bench", "budgets", "--tiny", "--json", str(file)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    lines = json.loads(file.read_text(encoding="utf-8"))["budgets"]
    assert tuple(each["name"] for each in lines if not each["name"].startswith("beside: ")) == BUDGETS
    header, *printed = done.stdout.splitlines()[1:]
    assert header.split()[-3:] == ["rumdl", "ruff", "docs-drift"]
    for line, each in zip(printed, lines, strict=True):
        assert line.startswith(each["name"])
        assert each["verdict"] in line
        if each["budget_p50"] is not None:
            assert each["verdict"] == "not measured" or f"{each['budget_p50']:g}" in line
        for name, beside in each["beside"].items():
            theirs, ours = beside["p50"], each["beside"]["cite-lsp"]["p50"]
            if name != "cite-lsp" and theirs is not None and ours:
                assert beside["ratio"] == pytest.approx(theirs / ours)
                assert f"({beside['ratio']:.2f} ×)" in line


def test_a_name_that_is_no_bench_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", "sever"], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "'sever'" in done.stderr
    assert "edits, check, history, server, drift, judging" in done.stderr
