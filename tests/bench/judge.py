"""`python -m tests.bench.judge`: what the embedded judge says of labelled rows, beside a baseline on the same rows.

A set is one file; every one in `tests/bench/claims/` is known by its name. Cited packages are fetched once.
"""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from cite_lsp.audit.row_data import verdict_to_data
from tests.bench import judge_tables as tables
from tests.bench.figures import load as load_of_machine
from tests.bench.figures import machine
from tests.bench.judged import Judged, held, judged, together
from tests.bench.labelled import Labelled, files, load
from tests.bench.packages import VARIABLE, Packages, packages_folder
from tests.bench.scores import DECIDED, Scores


def main() -> int:
    """Judge the sets that are asked for, or all; print what that comes to."""
    known = files()
    options = _options(known)
    chosen = {_name(each, known): known.get(each, Path(each)) for each in options.sets} or known
    here, fetched = Packages(packages_folder(), fetch=False), Packages(packages_folder())
    try:
        asked = [load(name, file, fetched, whole=options.whole) for name, file in chosen.items()]
        others = [load(name, file, here) for name, file in known.items() if file is not None and name not in chosen]
    except (OSError, ValueError) as error:
        print(f"not run: {error}")
        return 2
    groups = held((*asked, *others))
    results = [judged(labelled, groups) for labelled in asked if labelled.cases]
    out = tables.console()
    if options.errors:
        tables.print_errors(out, results)
    if options.unchecked:
        tables.print_undecided(out, results)
    if results:
        _print_tables(out, results, [each.name for each in (*asked, *others) if each.cases])
    tables.print_not_run(out, asked)
    _print_changes(results, save=options.save)
    if options.json is not None:
        options.json.write_text(json.dumps(as_json(results, asked), indent=2) + "\n", encoding="utf-8")
    return 0


def _options(known: dict[str, Path | None]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.bench.judge", description=__doc__)
    sets = f"{', '.join(known)}, or a file of labelled rows; all that are known where none is named"
    parser.add_argument("sets", nargs="*", metavar="SET", help=sets)
    parser.add_argument("--errors", action="store_true", help="every wrong verdict with its basis and lines")
    parser.add_argument(
        "--unchecked", action="store_true", help="every row that was not decided, with what was looked for"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="figures and verdicts as data")
    parser.add_argument("--save", action="store_true", help="keep the verdicts: later runs say what changed since")
    parser.add_argument("--whole", action="store_true", help="all rows of prose, not a sample")
    parser.epilog = f"{VARIABLE} names the folder of the packages (now {packages_folder()})."
    options = parser.parse_args()
    for each in options.sets:
        if each not in known and not Path(each).is_file():
            parser.error(f"there is no set and no file {each!r}; the sets are {', '.join(known)}")
    return options


def _name(asked: str, known: dict[str, Path | None]) -> str:
    """Give the name of a set that is asked for by name or by its file."""
    if asked in known:
        return asked
    same = (name for name, file in known.items() if file is not None and file.samefile(asked))
    return next(same, Path(asked).stem)


def _print_tables(out: Console, results: Sequence[Judged], fitted_on: Sequence[str]) -> None:
    """Print the tables; where several sets cite packages, those are shown together, too."""
    citing = [each for each in results if all(case.place for case in each.cases)]
    shown = [*results, together("all that cite", citing)] if len(citing) > 1 else results
    out.print(f"{results[0].identity}; {results[0].parser}; load {load_of_machine()}, {os.cpu_count()} cores")
    tables.print_sets(out, shown)
    tables.print_goals(out, shown)
    tables.print_kinds(out, shown)
    tables.print_baseline(out, shown, fitted_on)


# --- what changed since ----------------------------------------------------------------------------


def _print_changes(results: Sequence[Judged], *, save: bool) -> None:
    """Say which verdicts are others than when they were last saved; `save` keeps those of this run."""
    file = packages_folder().with_name(packages_folder().name + "-verdicts.json")
    before: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    for each in results:
        was = before.get(each.name)
        if was is not None:
            _print_change(each, was)
    if save:
        for each in results:
            pairs = zip(each.cases, each.verdicts, strict=True)
            before[each.name] = {case.id: verdict.label for case, verdict in pairs}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(before, indent=1) + "\n", encoding="utf-8")
        print(f"verdicts saved in {file}")


def _print_change(result: Judged, was: dict[str, str]) -> None:
    changed = []
    for case, verdict in zip(result.cases, result.verdicts, strict=True):
        earlier = was.get(case.id)
        if earlier is not None and earlier != verdict.label:
            good, bad = verdict.label == case.label, earlier == case.label
            what = "better" if good or (verdict.label not in DECIDED and not bad) else "worse"
            changed.append(f"  {what}: {case.id} ({case.label}): {earlier} → {verdict.label}")
    print(f"{result.name}: {len(changed)} verdicts changed since they were saved")
    for line in sorted(changed):
        print(line)


# --- data ------------------------------------------------------------------------------------------


def as_json(results: Sequence[Judged], asked: Sequence[Labelled]) -> dict[str, Any]:
    """Give figures and verdicts as plain data, with the machine that they were taken on."""
    return {
        "machine": machine(),
        "load": load_of_machine(),
        "sets": [_set_data(each) for each in results],
        "not_run": [
            {"set": labelled.name, "id": each.id, "why": each.why} for labelled in asked for each in labelled.not_run
        ],
        "samples": {each.name: each.sampled_from for each in asked if each.sampled_from},
    }


def _set_data(result: Judged) -> dict[str, Any]:
    baseline = result.baseline or ((None, None),) * len(result.cases)
    return {
        "set": result.name,
        "judge": result.identity,
        "parser": result.parser,
        "figures": _figures(result.scores),
        "milliseconds": {
            "start": list(result.times.start),
            "cold": list(result.times.cold),
            "warm": list(result.times.warm),
        },
        "goals": [
            {"name": goal.name, "limit": goal.limit, "value": goal.value, "met": goal.met, "told": goal.told}
            for goal in result.scores.goals(result.milliseconds)
        ],
        "parts": {part.name: _figures(part.scores) for part in result.parts},
        "kinds": {kind: _figures(result.of_kind(kind).scores) for kind in result.kinds},
        "baseline": _figures(result.baseline_scores) | {"area": result.area} if result.baseline_scores else None,
        "restless": list(result.restless),
        "rows": [
            {
                "id": case.id,
                "part": case.part,
                "kind": case.kind,
                "label": case.label,
                "verdict": verdict_to_data(verdict),
                "baseline": {"verdict": word, "score": score},
            }
            for case, verdict, (word, score) in zip(result.cases, result.verdicts, baseline, strict=True)
        ],
    }


def _figures(scores: Scores) -> dict[str, Any]:
    return {
        "rows": len(scores.told),
        "decided": scores.decided,
        "right": scores.right,
        "counts": {word: scores.count(word) for word in (*DECIDED, "review", "unchecked")},
        "precision": {word: scores.precision(word) for word in DECIDED},
        "false_share": scores.false_share,
        "accused_share": scores.accused_share,
        "macro_f1": scores.macro_f1,
    }


if __name__ == "__main__":
    raise SystemExit(main())
