"""The bench of the judge: figures of verdicts made by hand, reading of sets, unpacking; nothing is fetched."""

import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.bench.judged import held, judged, together
from tests.bench.labelled import Labelled, load
from tests.bench.overlap import Overlap, Texts, words
from tests.bench.packages import VARIABLE, NotHadError, Package, Packages, unpack
from tests.bench.scores import Goal, Scores, Told, area_under_curve

CHECKOUT = Path(__file__).resolve().parents[1]
LINES = ["# Limits.", "MAX_ATTEMPTS = 3", "", "def wait(seconds=30):", '    """Sleep."""', "    sleep(seconds)"]


def told(**counts: int) -> Scores:
    """Make counted verdicts: `supported_unsupported=2` are two rows labelled supported, called unsupported."""
    pairs = (Told(*name.split("_")) for name, count in counts.items() for _ in range(count))
    return Scores(tuple(pairs))


# --- figures ---------------------------------------------------------------------------------------


def test_figures_of_verdicts_made_by_hand() -> None:
    scores = told(
        supported_supported=6,
        supported_unsupported=1,
        supported_unchecked=3,
        partial_supported=2,
        partial_partial=1,
        partial_review=1,
        unsupported_unsupported=4,
        unsupported_partial=1,
        unsupported_unchecked=1,
    )
    assert (len(scores.told), scores.decided, scores.right) == (20, 15, 11)
    assert (scores.count("review"), scores.count("unchecked")) == (1, 4)
    assert scores.decided_share == 0.75
    assert scores.precision("supported") == 6 / 8
    assert scores.precision("partial") == 1 / 2
    assert scores.precision("unsupported") == 4 / 5
    assert scores.false_share == 1 / 5
    assert scores.accused_share == 1 / 10
    # On the 15 decided rows: supported 6 of 7 labelled and 8 called, partial 1 of 3 and 2, unsupported 4 of 5 and 5.
    assert scores.macro_f1 == pytest.approx((12 / 15 + 2 / 5 + 8 / 10) / 3)


def test_figures_of_nothing_are_none() -> None:
    for scores in (Scores(()), told(supported_unchecked=2)):
        assert scores.decided == 0
        assert scores.precision("supported") is None
        assert scores.false_share is None
        assert scores.macro_f1 is None
    assert Scores(()).decided_share is None
    assert told(partial_unsupported=1).accused_share is None


def test_a_partial_row_that_is_called_unsupported_is_wrong_but_no_false_accusation() -> None:
    scores = told(partial_unsupported=1, unsupported_unsupported=1)
    assert scores.precision("unsupported") == 0.5
    assert scores.false_share == 0.0


def test_a_word_that_occurs_nowhere_does_not_count_in_f1() -> None:
    assert told(supported_supported=1, unsupported_unsupported=1, partial_unchecked=1).macro_f1 == 1.0


@pytest.mark.parametrize(
    ("goal", "met", "said"),
    [
        (Goal("false share", 0.05, at_most=True, value=0.05), True, "met"),
        (Goal("false share", 0.05, at_most=True, value=0.125), False, "missed by 7.5 points"),
        (Goal("decided", 0.40, at_most=False, value=0.40), True, "met"),
        (Goal("decided", 0.40, at_most=False, value=0.07), False, "missed by 33.0 points"),
        (Goal("a row", 2.0, at_most=True, value=2.5, unit="ms"), False, "missed by 0.50 ms"),
        (Goal("decided", 0.40, at_most=False, value=None), None, "nothing to measure"),
    ],
)
def test_a_goal_is_met_or_missed_by_so_much(goal: Goal, met: bool | None, said: str) -> None:
    assert goal.met is met
    assert goal.told == said


def test_the_goals_are_those_of_the_design() -> None:
    scores = told(supported_supported=9, partial_supported=1, unsupported_unsupported=9, partial_unsupported=1)
    assert [(goal.value, goal.met) for goal in scores.goals(1.5)] == [
        (0.0, True),
        (0.9, True),
        (0.9, True),
        (1.0, True),
        (1.5, True),
    ]


def test_the_area_under_the_curve() -> None:
    assert area_under_curve([(0.1, False), (0.2, False), (0.8, True)]) == 1.0
    assert area_under_curve([(0.9, False), (0.1, True)]) == 0.0
    assert area_under_curve([(0.5, False), (0.5, True)]) == 0.5
    assert area_under_curve([(0.1, False), (0.4, True), (0.4, False), (0.9, True)]) == pytest.approx(3.5 / 4)
    assert area_under_curve([(0.4, True)]) is None


# --- the baseline ----------------------------------------------------------------------------------


def test_words_of_names_are_told_apart() -> None:
    assert words("maxRetries MAX_RETRIES max-retries") == {"max", "retr"}
    assert words("HTTPServer2 waits 3.5 s") == {"http", "server", "2", "wait", "3.5", "s"}


def test_the_baseline_weighs_rare_words_more_and_fits_both_thresholds() -> None:
    lines = words("the cache keeps")
    rows = [
        Texts(words("cache keeps"), lines, "supported"),
        Texts(words("cache keeps the"), lines, "supported"),
        Texts(words("cache drops"), lines, "partial"),
        Texts(words("socket drops"), lines, "unsupported"),
    ]
    fitted = Overlap([rows])
    assert [fitted.verdict(fitted.score(each)) for each in rows] == [each.label for each in rows]
    rare = Overlap([[Texts(frozenset(), words("the"), "partial")] * 9])
    of = words("the socket")
    assert rare.score(Texts(of, words("socket"), "")) > 0.5 > rare.score(Texts(of, words("the"), ""))
    assert rare.score(Texts(frozenset(), lines, "")) == 0.0


# --- sets ------------------------------------------------------------------------------------------


def citing(**changes: Any) -> dict[str, Any]:
    row = {
        "id": "a-1",
        "package": "limits",
        "registry": "pypi",
        "version": "1.0",
        "path": "src/limits.py",
        "line": 2,
        "end_line": None,
        "sentence": "As a rule, at most three attempts are made.",
        "claim": "at most three attempts are made",
        "label": "supported",
        "kind": "plain",
        "evidence": [2],
        "why": "The constant is 3.",
    }
    return {**row, **changes}


def written(folder: Path, *rows: dict[str, Any], name: str = "set.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


@pytest.fixture
def packages(tmp_path: Path) -> Packages:
    source = tmp_path / "packages" / "limits-1.0" / "src"
    source.mkdir(parents=True)
    (source / "limits.py").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    (source / "data.py").write_bytes(b"\0\1")
    return Packages(tmp_path / "packages", fetch=False)


def test_a_row_that_cites_a_package_becomes_the_products_row(tmp_path: Path, packages: Packages) -> None:
    rows = (citing(), citing(id="a-2", line=4, end_line=5, label="partial"))
    one, two = load("set", written(tmp_path, *rows), packages).cases
    assert (one.id, one.kind, one.label, one.why, one.deciding) == (
        "a-1",
        "plain",
        "supported",
        "The constant is 3.",
        (2,),
    )
    assert one.row.claim == "at most three attempts are made"
    assert one.row.sentence == "As a rule, at most three attempts are made."
    assert (one.row.path, one.row.language, one.row.file) == ("src/limits.py", "python", tuple(LINES))
    assert (2, "MAX_ATTEMPTS = 3") in one.row.excerpts[0].lines
    assert len(one.row.file_sha256) == 64
    assert two.row.excerpts[0].lines == ((4, LINES[3]), (5, LINES[4]))
    assert two.place == "limits-1.0/src/limits.py:4-5"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"version": "2.0"}, "limits 2.0 is not in "),
        ({"package": "../limits"}, "no name and version of a package"),
        ({"package": "--index-url=x"}, "no name and version of a package"),
        ({"path": "src/gone.py"}, "src/gone.py does not exist"),
        ({"path": "../../secret"}, "lies outside"),
        ({"path": "src/data.py"}, "holds NUL bytes"),
        ({"line": 99}, "has no line 99"),
    ],
)
def test_a_row_that_cannot_be_had_is_counted_with_the_reason(
    tmp_path: Path, packages: Packages, changes: dict[str, Any], why: str
) -> None:
    (tmp_path / "secret").write_text("x\n")
    found = load("set", written(tmp_path, citing(), citing(**{**changes, "id": "b"})), packages)
    assert [case.id for case in found.cases] == ["a-1"]
    (gone,) = found.not_run
    assert gone.id == "b"
    assert why in gone.why


def test_rows_that_bring_their_lines(tmp_path: Path, packages: Packages) -> None:
    code = {"set": "handmade", "claim": "It is three.", "evidence": "A = 3\nB = 4", "label": "supported"}
    prose = {"set": "feversym", "claim": "It is red.", "evidence": "It is blue.", "label": "not-supported"}
    (one,) = load("code", written(tmp_path, code), packages).cases
    assert one.row.excerpts[0].lines == ((1, "A = 3"), (2, "B = 4"))
    assert (one.part, one.row.language, one.row.file) == ("handmade", None, None)
    found = load("prose", written(tmp_path, prose), packages)
    assert found.is_prose
    assert (found.cases[0].label, found.cases[0].row.language) == ("unsupported", "text")


def test_prose_is_sampled_alike_every_time_and_in_whole_where_asked(tmp_path: Path, packages: Packages) -> None:
    rows = [
        {"set": "wice", "claim": f"It is {number}.", "evidence": "It is.", "label": "partial"} for number in range(450)
    ]
    file = written(tmp_path, *rows)
    first, again = load("prose", file, packages), load("prose", file, packages)
    assert first == again
    assert (len(first.cases), first.sampled_from) == (400, 450)
    assert len({case.id for case in first.cases}) == 400
    whole = load("prose", file, packages, whole=True)
    assert (len(whole.cases), whole.sampled_from) == (450, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"label": "supported"', "line 2: "),
        ("[]", "line 2: a row is an object with a label"),
        ('{"label": "maybe"}', "line 2: a row is an object with a label of supported"),
        ('{"label": "partial", "evidence": "x"}', "line 2: KeyError: 'claim'"),
        (json.dumps(citing()), "two rows have the id 'a-1'"),
    ],
)
def test_a_line_that_is_no_row_is_named(tmp_path: Path, packages: Packages, text: str, said: str) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text(json.dumps(citing()) + "\n" + text + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=said.replace("(", r"\(")) as caught:
        load("set", file, packages)
    assert str(file) in str(caught.value)


def test_a_set_that_is_not_here_is_said_not_to_be_run(packages: Packages) -> None:
    found = load("dev", None, packages)
    assert found.cases == ()
    assert "shared/" in found.not_run[0].why


# --- judging ---------------------------------------------------------------------------------------


def test_a_set_is_judged_and_the_baseline_never_fitted_on_it(tmp_path: Path, packages: Packages) -> None:
    rows = (citing(), citing(id="b", claim="It waits 7 seconds.", line=4, end_line=6, label="unsupported", kind="x"))
    one = load("one", written(tmp_path, *rows), packages)
    two = load("two", written(tmp_path, *rows[:1], name="two.jsonl"), packages)
    alone = judged(one, held([one]))
    assert alone.baseline is None
    assert alone.baseline_scores is None
    result = judged(one, held([one, two]))
    assert len(result.verdicts) == 2
    assert result.verdicts == alone.verdicts
    assert result.restless == ()
    assert len(result.times.cold) == len(result.times.warm) == 3
    assert result.milliseconds == min(result.times.cold) > 0
    assert result.baseline is not None
    assert result.kinds == ("plain", "x")
    assert [case.id for case in result.of_kind("x").cases] == ["b"]
    assert len(result.of_kind("x").scores.told) == 1
    both = together("both", [result, result])
    assert len(both.scores.told) == 4
    assert both.milliseconds is None


def test_parts_of_prose_that_share_their_texts_are_held_out_together(packages: Packages, tmp_path: Path) -> None:
    rows = [
        {"set": part, "claim": "It is red.", "evidence": "It is blue.", "label": "partial"}
        for part in ("wice", "wice_nst", "factcheck")
    ]
    prose = load("prose", written(tmp_path, *rows), packages)
    assert [(each.family, len(each.rows)) for each in held([prose])] == [("wice", 1), ("wice", 1), ("factcheck", 1)]
    code = Labelled("code", load("code", written(tmp_path, citing()), packages).cases)
    assert [(each.family, each.is_prose) for each in held([code])] == [("code", False)]


def test_the_command_prints_every_table_and_writes_the_data(tmp_path: Path, packages: Packages) -> None:
    rows = (citing(), citing(id="b", version="9.9"), citing(id="c", claim="At most five attempts are made.", kind="z"))
    file, data = written(tmp_path, *rows, name="tried.jsonl"), tmp_path / "data.json"
    other = written(tmp_path, citing(registry="none", package="x"), name="other.jsonl")
    command = [sys.executable, "-m", "tests.bench.judge", str(file), str(other)]
    environment = {**os.environ, VARIABLE: str(tmp_path / "packages"), "PATH": "", "PIP_NO_INDEX": "1"}
    environment |= {"PYTHONIOENCODING": "utf-8", "PIP_FIND_LINKS": str(tmp_path), "CITE_LSP_SHARED": str(tmp_path)}
    done = subprocess.run(
        [*command, "--errors", "--unchecked", "--save", "--json", str(data)],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for said in (
        "The judge",
        "Goals",
        "By kind of row",
        "Baseline",
        "limits 9.9 could not be had",
        "'none'",
        "verdicts saved",
    ):
        assert said in done.stdout
    found = json.loads(data.read_text(encoding="utf-8"))
    (one,) = found["sets"]
    assert one["set"] == "tried"
    assert [row["id"] for row in one["rows"]] == ["a-1", "c"]
    assert one["figures"]["rows"] == 2
    assert sorted(each["id"] for each in found["not_run"]) == ["a-1", "b"]
    again = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert "tried: 0 verdicts changed since they were saved" in again.stdout


def test_a_set_that_does_not_exist_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.judge", "dew"], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "'dew'" in done.stderr


# --- packages --------------------------------------------------------------------------------------


def tarred(*entries: tuple[str, bytes], link: str = "") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in entries:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        if link:
            member = tarfile.TarInfo(link)
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(member)
    return buffer.getvalue()


def zipped(*entries: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def test_an_archive_is_unpacked_without_its_top_folder_and_without_links(tmp_path: Path) -> None:
    entries = (("top-1/a/b.py", b"B"), ("top-1/setup.py", b"raise SystemExit"))
    unpack("top-1.tar.gz", tarred(*entries, link="top-1/link"), tmp_path / "tar")
    unpack("top-1.zip", zipped(*entries), tmp_path / "zip")
    for folder in (tmp_path / "tar", tmp_path / "zip"):
        found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        assert found == {"a/b.py": b"B", "setup.py": b"raise SystemExit"}


@pytest.mark.parametrize(
    "entry", ["top/../../out", "/top/out", "../out", "top\\..\\..\\out", "c:/top/out", "top/c:out"]
)
@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_an_entry_that_leads_outside_is_refused(tmp_path: Path, entry: str, kind: str) -> None:
    made = tarred((entry, b"x")) if kind == "tar.gz" else zipped((entry, b"x"))
    with pytest.raises(NotHadError, match="leads outside"):
        unpack(f"a.{kind}", made, tmp_path / "here" / "deep")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_package_is_asked_for_once(tmp_path: Path) -> None:
    asked = Packages(tmp_path, fetch=False)
    package = Package("limits", "1.0", "pypi")
    with pytest.raises(NotHadError, match=r"limits 1\.0 is not in"):
        asked.folder_of(package)
    (tmp_path / "limits-1.0").mkdir()
    with pytest.raises(NotHadError):
        asked.folder_of(package)
    assert Packages(tmp_path, fetch=False).folder_of(package) == tmp_path / "limits-1.0"
