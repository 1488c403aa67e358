"""The sample workspace shows what it is meant to show, and its program runs."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from cite_lsp.cli.run import Request, prepare

SAMPLE = Path(__file__).resolve().parent / "samples" / "throttle"

FINDINGS = [
    ("docs/glossary.md", 1, "vacuous"),
    ("docs/operations.md", 8, "line-out-of-range"),
    ("docs/operations.md", 9, "missing"),
    ("docs/operations.md", 11, "missing"),
    ("docs/operations.md", 17, "malformed"),
    ("docs/operations.md", 5, "moved"),
    ("docs/operations.md", 6, "moved"),
    ("docs/operations.md", 12, "link-disagrees"),
    ("docs/operations.md", 16, "case-differs"),
    ("docs/operations.md", 18, "blank-line"),
    ("docs/operations.md", 19, "elsewhere"),
]


def _git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=SAMPLE, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _findings():
    """Give what is to be told: of text that moved only where this clone has the commit that cites it."""
    commit = _git("log", "-1", "--format=%H", "--", "docs/operations.md")
    before = _git("show", f"{commit}:./config/limits.toml") if commit else ""
    if before and "search" not in before and _git("rev-parse", "--is-shallow-repository") == "false":
        return FINDINGS
    return [finding for finding in FINDINGS if finding[2] != "moved"]


def test_the_sample_shows_its_findings_and_no_others():
    done = subprocess.run(
        [sys.executable, "-m", "cite_lsp", "check", "--format", "json", str(SAMPLE)], capture_output=True, check=False
    )
    assert done.returncode == 1, done.stderr
    output = json.loads(done.stdout)
    found = [
        (document["path"], finding["range"]["start"]["line"] + 1, finding["code"])
        for document in output["documents"]
        for finding in document["findings"]
    ]
    assert found == _findings()
    assert output["summary"]["anchors"] == 32


SAID = {
    3: ("unsupported", "the claim says 500, line 9 says MAX_CALLERS = 1000"),
    7: ("unsupported", 'the claim says TypeError, line 31 says raise ValueError("a clock never goes back")'),
    9: (
        "unsupported",
        "the claim says 'less than the tokens', line 35 says count > self.tokens, and line 36 raises Exhausted",
    ),
    13: (
        "partial",
        "line 12 says capacity = 200; of 'requests above it are logged' the cited lines have no 'requests', 'logged'",
    ),
}
"""Of docs/answers.md: by line the verdicts that are told."""


def test_three_answers_are_wrong_and_one_is_half_right():
    told, labels = _judged("docs/answers.md")
    assert told == SAID
    assert labels == {"supported": 3, "partial": 1, "unsupported": 3, "unchecked": 1}


def test_what_is_right_in_the_sample_is_not_flagged():
    for path in ("docs/design.md", "docs/adr/0001-token-bucket.md", "docs/glossary.md"):
        assert _judged(path)[0] == {}
    told, _ = _judged("docs/operations.md")
    assert told.keys() <= {5, 6}, "where it moved, and what moved cannot be told without history"


def _judged(path):
    """Give by line what a judge tells of a document, as label and basis, and how many verdicts of each label it has."""
    done = subprocess.run(
        [sys.executable, "-m", "cite_lsp", "judge", "--format", "json", "."],
        cwd=SAMPLE,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (document,) = [each for each in json.loads(done.stdout)["documents"] if each["path"] == path]
    verdicts = [anchor["verdict"] for anchor in document["anchors"]]
    told = {
        finding["range"]["start"]["line"] + 1: (finding["code"], verdicts[finding["anchor"]]["basis"])
        for finding in document["findings"]
        if finding["code"] in ("unsupported", "partial", "review")
    }
    return told, Counter(verdict["label"] for verdict in verdicts)


def test_the_text_of_the_sample_names_each_place():
    done = subprocess.run(
        [sys.executable, "-m", "cite_lsp", "check", "--level", "hint", "."],
        cwd=SAMPLE,
        capture_output=True,
        check=False,
    )
    shown = done.stdout.decode()
    for path, line, code in _findings():
        block = shown.split(f"{path}\n", 1)[1]
        assert any(each.startswith(f"  {line}:") and each.endswith(code) for each in block.splitlines()), (line, code)


def test_what_the_good_documents_cite_stands_there():
    run = prepare(Request((str(SAMPLE),)))
    cited = {}
    for report in run.reports(run.documents):
        assert report.checked is not None
        for anchor, resolution in zip(report.checked.anchors, report.checked.resolutions, strict=True):
            file = run.snapshot.file(resolution)
            if file is not None and report.path != "docs/operations.md":
                cited[anchor.text] = [file.lines[first - 1 : last] for first, last in anchor.spans]
    assert cited["throttle/bucket.py:7"] == [("DEFAULT_CAPACITY = 20",)]
    assert cited["limits.py:9"] == [("MAX_CALLERS = 1000",)]
    assert cited["config/limits.toml:3-5"] == [("[limits.default]", "capacity = 20", "refill_per_second = 5.0")]
    (span,) = cited["throttle/bucket.py:32-37"]
    assert span[0] == "    def take(self, count: int = 1) -> None:"
    (span,) = cited["clock.py, lines 20 to 32"]
    assert (span[0], span[-1]) == ("class ManualClock:", "        self._now += seconds")


PROGRAM = """
from pathlib import Path
from throttle.bucket import Exhausted
from throttle.clock import ManualClock
from throttle.limits import Limits

clock = ManualClock()
limits = Limits.load(Path("config/limits.toml"), clock)
bucket = limits.bucket("anyone")
bucket.take(20)
try:
    bucket.take()
except Exhausted as error:
    print(error, bucket.wait_for(5))
clock.advance(2)
bucket.take(10)
print(bucket.tokens, limits.bucket("batch").capacity, limits.bucket("anyone") is bucket)
"""


def test_the_program_of_the_sample_runs():
    done = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM], cwd=SAMPLE, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == "wanted 1 tokens, 0.0 held 1.0\n0.0 200 True\n"
