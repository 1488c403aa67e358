"""The reference's reading of verdicts against ours under `strict`: all cases of its group agree.

Only names differ: `verdicts`, `row` and `verdict` there are `results`, `id` and `label` here.
"""

import json
from pathlib import Path
from typing import Any

from cite_lsp.judges.replies import read_reply

NAMES = {"row": "id", "verdict": "label"}


def renamed(output: Any) -> str:
    if not isinstance(output, dict):
        return json.dumps(output)
    ours = dict(output)
    if "verdicts" in ours:
        verdicts = ours.pop("verdicts")
        ours["results"] = [{NAMES.get(name, name): value for name, value in each.items()} for each in verdicts]
    return json.dumps(ours)


def test_verdict_parse(shared: Path) -> None:
    cases = json.loads((shared / "vectors" / "rulvar.json").read_text(encoding="utf-8"))["verdict_parse"]
    assert len(cases) == 11
    for case in cases:
        reading = read_reply(renamed(case["output"]), case["rows"], strict=True)
        assert (not reading.breaches) == case["ok"], case
        assert set(reading.entries) == (set(case["rows"]) if case["ok"] else set()), case
        wanted = {each["row"]: each["verdict"] for each in case["output"]["verdicts"]} if case["ok"] else {}
        assert {number: entry.label for number, entry in reading.entries.items()} == wanted


def test_good_rows_of_a_bad_reply_are_kept_unless_strict(shared: Path) -> None:
    """The one departure: without `strict` the cases that the reference voids keep what is good in them."""
    cases = json.loads((shared / "vectors" / "rulvar.json").read_text(encoding="utf-8"))["verdict_parse"]
    kept = [sorted(read_reply(renamed(case["output"]), case["rows"]).entries) for case in cases if not case["ok"]]
    assert kept == [[], [], [], [], [], [], [], [0]]
