"""The verdicts on labelled rows as tables and lists for a person."""

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cite_lsp.audit.verdicts import Verdict
from tests.bench.judged import Judged
from tests.bench.labelled import Case, Labelled
from tests.bench.scores import DECIDED, Scores

_WIDTH = 160
"""Columns where the output is no terminal."""
_LINE = 200
"""Characters of a cited line that are shown."""
_HEADS = ("rows", "decided", "supported", "partial", "unsupported", "false share", "accused", "macro F1")
_EXPLAINED = (
    "decided: supported, partial or unsupported; behind each word its count and exact precision. false share: of the "
    "unsupported verdicts, those on rows labelled supported. accused: of the rows labelled supported, those called "
    "unsupported. macro F1: of the three words on decided rows; one that is neither label nor verdict there does not "
    "count. ms: a row, best of three whole passes; cold: by a new judge, with all parsing; warm: by one that has seen "
    "them; start: until a new judge had judged a first row."
)


def console() -> Console:
    """Give where to write: as wide as the terminal, or wide enough for the tables where there is none."""
    found = Console(highlight=False, markup=False)
    return found if found.is_terminal else Console(highlight=False, markup=False, width=_WIDTH)


def print_sets(out: Console, results: Sequence[Judged]) -> None:
    """Print a row for each set, and one below for each part."""
    table = _table("The judge", "set", *_HEADS, "review", "unchecked", "cold ms", "warm ms", "start ms")
    for judged in results:
        times = [min(each, default=None) for each in (judged.times.cold, judged.times.warm, judged.times.start)]
        table.add_row(judged.name, *_cells(judged.scores), *_left(judged.scores), *map(_number, times))
        for part in judged.parts:
            table.add_row(f"  {part.name}", *_cells(part.scores), *_left(part.scores), "", "", "")
    out.print(table)
    out.print(_EXPLAINED)
    for judged in results:
        if judged.restless:
            ids = ", ".join(judged.restless)
            out.print(f"NOT deterministic: {judged.name}: another verdict in another pass on {ids}")


def print_goals(out: Console, results: Sequence[Judged]) -> None:
    """Print each goal as met or missed, a row a set."""
    names = [
        f"{goal.name} {_bound(goal.limit, at_most=goal.at_most, unit=goal.unit)}" for goal in Scores(()).goals(None)
    ]
    table = _table("Goals", "set", *names)
    for judged in results:
        cells = []
        for goal in judged.scores.goals(judged.milliseconds):
            shown = _share(goal.value) if goal.unit == "%" else _number(goal.value)
            cells.append(Text(f"{shown} {goal.told}".strip(), style={True: "green", False: "red", None: ""}[goal.met]))
        table.add_row(judged.name, *cells)
    out.print(table)


def _bound(limit: float, *, at_most: bool, unit: str) -> str:
    return f"{'≤' if at_most else '≥'} {f'{limit:.0%}' if unit == '%' else f'{limit:g} {unit}'}"


def print_kinds(out: Console, results: Sequence[Judged]) -> None:
    """Print a row for each kind of row in each set."""
    table = _table(
        "By kind of row", "set", "kind", "rows", "decided", "right", "wrong", "review", "unchecked", "wrong ones"
    )
    kinded = [judged for judged in results if judged.kinds]
    for judged in kinded:
        for kind in judged.kinds:
            _add_kind(table, judged.name, kind, judged.of_kind(kind))
        table.add_section()
    if kinded:
        out.print(table)


def _add_kind(table: Table, name: str, kind: str, rows: Judged) -> None:
    scores = rows.scores
    wrong = Counter(f"{case.label} → {verdict.label}" for case, verdict in rows.wrong)
    told = ", ".join(f"{count} {what}" for what, count in sorted(wrong.items()))
    counts = (len(scores.told), scores.decided, scores.right, scores.decided - scores.right)
    table.add_row(name, kind, *map(str, counts), *_left(scores), told)


def print_baseline(out: Console, results: Sequence[Judged], fitted_on: Iterable[str]) -> None:
    """Print what the words alone come to, on the same rows; `fitted_on`: all sets that were there to fit it on."""
    table = _table("Baseline: weighted overlap of words, thresholds fitted on the other sets", "set", *_HEADS, "AUC")
    for judged in results:
        for each in (judged, *judged.parts):
            name = each.name if each is judged else f"  {each.name}"
            if each.baseline_scores is None:
                table.add_row(name, "not run: no other set of its kind is here")
            else:
                table.add_row(name, *_cells(each.baseline_scores), _number(each.area))
    out.print(table)
    out.print(
        "AUC: how well its scores tell supported rows from all others; 0.5 is chance. Each set by what was fitted on "
        f"the others of its kind (prose or not) among {', '.join(fitted_on)}."
    )


def print_not_run(out: Console, sets: Iterable[Labelled]) -> None:
    """Say what was asked for and not judged, and why; and what is a sample."""
    for labelled in sets:
        reasons: Counter[str] = Counter()
        for each in labelled.not_run:
            reasons[each.why] += each.count
        for why, count in sorted(reasons.items()):
            out.print(f"not run: {labelled.name}: " + (f"{count} rows: {why}" if count else why), soft_wrap=True)
        if labelled.sampled_from:
            taken = f"{len(labelled.cases):,} of {labelled.sampled_from:,} rows"
            out.print(f"{labelled.name}: a sample, {taken}, always the same; --whole takes all")


def print_errors(out: Console, results: Sequence[Judged]) -> None:
    """Print every wrong verdict with all that it takes to see why."""
    for judged in results:
        found = list(judged.wrong)
        out.print(f"\n{judged.name}: {len(found)} wrong of {judged.scores.decided} decided", style="bold")
        for case, verdict in found:
            _print_case(out, case, verdict)


def print_undecided(out: Console, results: Sequence[Judged]) -> None:
    """Print every row that was not decided, with what was looked for."""
    for judged in results:
        found = list(judged.undecided)
        out.print(f"\n{judged.name}: {len(found)} not decided of {len(judged.cases)}", style="bold")
        for case, verdict in found:
            _print_case(out, case, verdict)


def _print_case(out: Console, case: Case, verdict: Verdict) -> None:
    out.print(
        f"\n{case.id}  labelled {case.label}, called {verdict.label}  {case.kind or case.part}",
        style="bold",
        soft_wrap=True,
    )
    said = [("claim", case.row.claim)]
    if case.row.sentence != case.row.claim:
        said.append(("sentence", case.row.sentence))
    said += [("basis", verdict.basis), ("why", case.why), ("place", case.place)]
    for name, text in said:
        if text:
            out.print(f"  {name + ':':<9} {text}", soft_wrap=True)
    relied = {(each.excerpt, each.offset) for each in verdict.evidence}
    for index, excerpt in enumerate(case.row.excerpts):
        for number, text in excerpt.lines:
            marks = ("*" if (index, number - excerpt.start_line) in relied else " ") + (
                "=" if number in case.deciding else " "
            )
            out.print(f"  {marks} {number:>5}| {text[:_LINE]}", soft_wrap=True)


def _table(title: str, *heads: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", header_style="")
    for number, head in enumerate(heads):
        table.add_column(head, justify="left" if number == 0 or head in ("kind", "wrong ones") else "right")
    return table


def _cells(scores: Scores) -> list[str]:
    decided = f"{scores.decided} {_share(scores.decided_share)}"
    each = [f"{scores.count(word)} {_share(scores.precision(word))}" for word in DECIDED]
    shares = [_share(scores.false_share), _share(scores.accused_share)]
    return [str(len(scores.told)), decided, *each, *shares, _number(scores.macro_f1)]


def _left(scores: Scores) -> tuple[str, str]:
    return str(scores.count("review")), str(scores.count("unchecked"))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value * 100:.1f}%"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
