"""Bands beside a policy file: which count, which are stale, and the picture of how they came about."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cite_lsp.policy import Concern, Policy, YesNo, judge, source
from cite_lsp.policy.bands import BandsRead, bands_text, read_bands
from cite_lsp.policy.calibration import Aim, Calibration, LabelledScore, fit
from cite_lsp.policy.diagram import diagram
from tests.policy.answering import RIDDLES
from tests.policy.worlds import CALIBRATED, LABEL, OVER

AIM = Aim(0.1)
WHO = "systemone jev-1 at https://example.org"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def found() -> dict[str, Calibration]:
    few = [LabelledScore("detect:riddle", str(at), at / 10, at > 5) for at in range(10)]
    return fit([*OVER.rows(1200, 1), *few], AIM)


def text_of(found: dict[str, Calibration], policy: Policy = RIDDLES, identity: str = WHO) -> str:
    return bands_text(found.values(), policy, name="riddles", identity=identity, calibrated_at="2026-11-30")


def reworded(question: str) -> Policy:
    detect = RIDDLES.concerns[0].detect
    assert detect is not None
    return Policy([Concern("riddle", detect=detect, confirm=YesNo(question, detect.yes, detect.no))])


def test_bands_come_back_as_they_were_found(found: dict[str, Calibration]) -> None:
    read = read_bands(text_of(found), "riddles.bands.json", RIDDLES, WHO)
    assert read.bands == {LABEL: found[LABEL].band}
    assert read.stale == ()
    assert (read.model, read.error_rate, read.confidence, read.calibrated_at) == (WHO, 0.1, 0.9, "2026-11-30")
    kept, none = read.kept[LABEL], read.kept["detect:riddle"]
    assert (kept.rows, kept.true, kept.coverage) == (1200, found[LABEL].true, found[LABEL].coverage)
    assert kept.held_out_error == found[LABEL].held_out_error
    assert (none.band, none.why) == (None, found["detect:riddle"].why)
    assert none.why


def test_what_a_file_says(found: dict[str, Calibration]) -> None:
    data = json.loads(text_of(found))
    assert [data[name] for name in ("schema", "policy", "model", "error_rate")] == [1, "riddles", WHO, 0.1]
    question, calibration = data["questions"][LABEL], found[LABEL]
    assert (question["low"], question["high"]) == calibration.band
    assert question["brier"] == list(calibration.brier or ())
    assert question["held_out"]["no"] == {
        "decided": calibration.no.rows,
        "wrong": calibration.no.errors,
        "wrong_at_most": calibration.no.bound,
    }
    assert len(question["wording"]) == 16


async def test_a_run_takes_them(found: dict[str, Calibration]) -> None:
    bands = read_bands(text_of(found), "riddles.bands.json", RIDDLES, WHO).bands
    low, high = bands[LABEL]

    def client(request: dict[str, object]) -> dict[str, object]:
        return {
            "answers": {key: {"noul": (low + high) / 2 if "confirm" in key else 0.9} for key in request["questions"]}
        }  # type: ignore[attr-defined]

    [finding] = (await judge(client, source(["What has keys?"]), RIDDLES, bands=bands)).findings
    assert finding.verdict == "review"


def test_another_wording_is_stale_and_only_that(found: dict[str, Calibration]) -> None:
    both = {**found, "detect:riddle": fit(_relabelled(), AIM)["detect:riddle"]}
    assert both["detect:riddle"].band
    read = read_bands(text_of(both), "riddles.bands.json", reworded("Does {passage} really pose a riddle?"), WHO)
    assert list(read.bands) == ["detect:riddle"]
    assert read.stale == (
        "riddles.bands.json: the wording of confirm:riddle has changed since 2026-11-30; calibrate it again",
    )
    assert set(read.kept) == {LABEL, "detect:riddle"}


def _relabelled() -> list[LabelledScore]:
    return [LabelledScore("detect:riddle", each.group, each.score, each.truth) for each in CALIBRATED.rows(1200, 2)]


def test_another_model_makes_all_stale(found: dict[str, Calibration]) -> None:
    read = read_bands(text_of(found), "riddles.bands.json", RIDDLES, "systemone jev-2 at https://example.org")
    assert read.bands == {}
    [said] = read.stale
    assert WHO in said
    assert "jev-2" in said


def test_a_question_that_is_no_more(found: dict[str, Calibration]) -> None:
    asks = YesNo("Is {passage} a joke?", yes="It is.", no="It is not.")
    read = read_bands(text_of(found), "riddles.bands.json", Policy([Concern("joke", detect=asks)]), WHO)
    assert read.bands == {}
    assert read.stale == (
        "riddles.bands.json: the policy has no question confirm:riddle any more",
        "riddles.bands.json: the policy has no question detect:riddle any more",
    )


def _changed(text: str, **changes: object) -> str:
    data = json.loads(text)
    data["questions"][LABEL].update(changes)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"low": 0.9, "high": 0.1}, "of confirm:riddle, low has to be below high"),
        ({"low": None}, "of confirm:riddle, low has to be below high"),
        ({"low": -1}, "low has to be a number from 0 to 1"),
        ({"low": float("nan")}, "low has to be a number from 0 to 1"),
        ({"high": True}, "high has to be a number from 0 to 1"),
        ({"rows": 1.5}, "rows has to be a whole number"),
        ({"wording": ""}, "wording has to be a text"),
    ],
)
def test_a_file_with_one_bad_question_counts_for_nothing(
    found: dict[str, Calibration], changes: dict[str, object], fault: str
) -> None:
    read = read_bands(_changed(text_of(found), **changes), "x.bands.json", RIDDLES, WHO)
    assert (read.bands, read.kept) == ({}, {})
    assert len(read.stale) == 1
    assert read.stale[0].startswith("x.bands.json counts for nothing: ")
    assert fault in read.stale[0]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "[" * 100_000, '{"schema": 2}', '{"schema": 1}', '{"schema": 1, "questions": {"a": 1}}']
)
def test_what_is_no_file_of_bands_gives_none_and_says_so(text: str) -> None:
    read = read_bands(text, "x.bands.json", RIDDLES, WHO)
    assert read == BandsRead(stale=read.stale)
    assert len(read.stale) == 1


def test_nothing_to_keep() -> None:
    with pytest.raises(ValueError, match="no calibration"):
        text_of({})


# --- the picture


def tree(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)  # noqa: S314 - we wrote it


def parts(text: str, name: str, kind: str) -> list[ElementTree.Element]:
    return [each for each in tree(text).iter(f"{SVG}{name}") if kind in each.get("class", "").split()]


def test_a_picture_shows_each_bin_where_it_belongs(found: dict[str, Calibration]) -> None:
    drawn = diagram([found[LABEL]])
    shade = parts(drawn, "rect", "shade")
    frames = parts(drawn, "rect", "rule")
    assert len(frames) == 2
    left, top, side = (float(frames[0].get(name, "")) for name in ("x", "y", "width"))
    low, high = found[LABEL].band or (0, 0)
    assert [float(each.get("x", "")) for each in shade] == pytest.approx([left + side * low], abs=0.1)
    assert [float(each.get("width", "")) for each in shade] == pytest.approx([side * (high - low)], abs=0.1)
    points = {
        (round((float(each.get("cx", "")) - left) / side, 2), round(1 - (float(each.get("cy", "")) - top) / side, 2))
        for each in parts(drawn, "circle", "mark")
        if float(each.get("cx", "")) <= left + side
    }
    expected = set()
    for number in range(10):
        rows = [each for each in found[LABEL].held_out if min(int(each.said * 10), 9) == number]
        if rows:
            said, true = sum(each.said for each in rows), sum(each.truth for each in rows)
            expected.add((round(said / len(rows), 2), round(true / len(rows), 2)))
    assert len(points) == len(expected)
    for point, other in zip(sorted(points), sorted(expected), strict=True):
        assert point == pytest.approx(other, abs=0.011)


def test_everything_lies_inside_and_is_said_in_words(found: dict[str, Calibration]) -> None:
    drawn = diagram([*found.values()], "How sure is sure?")
    root = tree(drawn)
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    assert root.get("viewBox") == f"0 0 {width:g} {height:g}"
    for each in root.iter():
        for name, most in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(each.get(name, "0")) <= most
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text == "How sure is sure?"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"  # type: ignore[union-attr]
    said = description.text or ""  # type: ignore[union-attr]
    calibration = found[LABEL]
    assert calibration.brier is not None
    assert f"{calibration.brier[0]:.3f}\u00a0→\u00a0{calibration.brier[1]:.3f}" in said
    assert "No band: there are 4 rows of yes and 6 of no" in said
    assert "prefers-color-scheme: dark" in drawn


def test_nothing_comes_from_elsewhere_and_nothing_runs(found: dict[str, Calibration]) -> None:
    drawn = diagram([*found.values()])
    assert re.findall(r"https?://[^\"]*", drawn) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|<image|<foreignObject|@import|url\(|\bon\w+=", drawn)


def test_names_are_no_markup() -> None:
    rows = [LabelledScore("check:a/<script>&\"'\x00\ud800", str(at), at / 20, at > 9) for at in range(20)]
    drawn = diagram([*fit(rows, AIM).values()], "<b>&\x01")
    drawn.encode()
    texts = [each.text for each in tree(drawn).iter(f"{SVG}text")]
    assert "<b>&\ufffd" in texts
    assert "check:a/<script>&\"'\ufffd\ufffd" in texts


def test_few_rows_and_none() -> None:
    one = fit([LabelledScore("detect:riddle", "a", 0.9, True)], AIM)
    drawn = diagram([*one.values()])
    assert parts(drawn, "circle", "mark") == []
    assert "No band: all rows are of one example" in "".join(tree(drawn).itertext())
    assert "There are no labelled rows." in diagram([])
    two = fit([LabelledScore("detect:riddle", name, 0.9, True) for name in "ab"], AIM)
    assert len(parts(diagram([*two.values()]), "circle", "mark")) == 2


def test_a_browser_draws_it_and_no_text_is_cut_off(found: dict[str, Calibration], tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("not run: there is no browser")
    page = tmp_path / "page.html"
    measure = (
        "const all = [...document.querySelectorAll('svg text')].map(t => t.getBBox());"
        "document.title = `right ${Math.max(...all.map(b => b.x + b.width))} left ${Math.min(...all.map(b => b.x))}`;"
    )
    named = replace(found[LABEL], label=f"check:{'named-by-somebody-' * 4}/{'without_any_bounds_' * 5}")
    drawn = diagram(
        [*found.values(), named], "answers-grounded: how far the answers of this model can be taken at their word"
    )
    page.write_text(f"<!DOCTYPE html><meta charset=utf-8>{drawn}<script>{measure}</script>", encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run([browser, *flags, page.as_uri()], capture_output=True, text=True, timeout=60, check=True)
    said = re.search(r"<title>right ([\d.]+) left ([\d.]+)</title>", done.stdout)
    assert said is not None
    assert float(said[1]) <= 600
    assert float(said[2]) >= 0
