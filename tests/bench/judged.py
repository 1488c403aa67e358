"""The embedded judge run over labelled rows, timed, and the baseline over the same rows."""

import importlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.judges.embedded import EmbeddedJudge
from tests.bench.labelled import Case, Labelled
from tests.bench.overlap import Overlap, Texts, texts_of
from tests.bench.scores import Scores, Told, area_under_curve

_PASSES = 3
_FIRST = Row.of(claim="The limit is three.", lines=[(1, "LIMIT = 3")], path="limit.py", file=["LIMIT = 3"])
"""A row before the clock runs: what it costs is what a start costs."""


@dataclass(frozen=True, slots=True)
class Started:
    """A judge, what reads code for it, and the seconds until it had judged its first row."""

    judge_row: Callable[[Row], Verdict]
    identity: str
    parser: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Times:
    """What whole passes took.

    Attributes:
        start: Milliseconds until a judge had judged a first row, of three.
        cold: Milliseconds a row in passes of judges that saw none of the rows before: every cited file is parsed.
        warm: Milliseconds a row in passes of a judge that has seen them all.
    """

    start: tuple[float, ...]
    cold: tuple[float, ...]
    warm: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """Rows with their verdicts, both in the same order: a whole set, or what `only` leaves of it.

    Attributes:
        name: The set's.
        cases: The rows.
        verdicts: Of the first pass.
        baseline: The baseline's verdict and score of each row; None where there was no other set to fit it on.
        times: Of whole passes over the set.
        restless: Rows that got another verdict in another pass: none, or something is wrong.
        identity: The judge's.
        parser: What reads code for it.
    """

    name: str
    cases: tuple[Case, ...]
    verdicts: tuple[Verdict, ...]
    baseline: tuple[tuple[str, float], ...] | None
    times: Times
    restless: tuple[str, ...]
    identity: str
    parser: str

    @property
    def scores(self) -> Scores:
        """Give the verdicts, counted."""
        pairs = zip(self.cases, self.verdicts, strict=True)
        return Scores(tuple(Told(case.label, verdict.label) for case, verdict in pairs))

    @property
    def baseline_scores(self) -> Scores | None:
        """Give the baseline's verdicts, counted."""
        if self.baseline is None:
            return None
        pairs = zip(self.cases, self.baseline, strict=True)
        return Scores(tuple(Told(case.label, verdict) for case, (verdict, _) in pairs))

    @property
    def area(self) -> float | None:
        """Give how well the baseline's scores tell supported rows from the others: 0.5 is chance."""
        pairs = zip(self.cases, self.baseline or (), strict=self.baseline is not None)
        return area_under_curve((score, case.label == "supported") for case, (_, score) in pairs)

    @property
    def milliseconds(self) -> float | None:
        """Give what a row takes, parse included: the best of the cold passes."""
        return min(self.times.cold, default=None)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Give the kinds of its rows, in order of the alphabet."""
        return tuple(sorted({case.kind for case in self.cases if case.kind}))

    @property
    def wrong(self) -> Iterator[tuple[Case, Verdict]]:
        """Give the decided rows whose verdict is not their label."""
        for case, verdict in zip(self.cases, self.verdicts, strict=True):
            if verdict.label in ("supported", "partial", "unsupported") and verdict.label != case.label:
                yield case, verdict

    @property
    def undecided(self) -> Iterator[tuple[Case, Verdict]]:
        """Give the rows that are left to a person, or unchecked."""
        for case, verdict in zip(self.cases, self.verdicts, strict=True):
            if verdict.label in ("review", "unchecked"):
                yield case, verdict

    @property
    def parts(self) -> tuple["Judged", ...]:
        """Give the parts of a set that has several; else none."""
        names = list(dict.fromkeys(case.part for case in self.cases))
        return tuple(map(self.of_part, names)) if len(names) > 1 else ()

    def of_part(self, part: str) -> "Judged":
        """Give the rows of a part, under its name."""
        return self.only(part, lambda case: case.part == part)

    def of_kind(self, kind: str) -> "Judged":
        """Give the rows of a kind, under its name."""
        return self.only(kind, lambda case: case.kind == kind)

    def only(self, name: str, wanted: Callable[[Case], bool]) -> "Judged":
        """Give some of the rows, under a name of their own; the times stay those of the set."""
        kept = [number for number, case in enumerate(self.cases) if wanted(case)]
        return Judged(
            name,
            tuple(self.cases[number] for number in kept),
            tuple(self.verdicts[number] for number in kept),
            None if self.baseline is None else tuple(self.baseline[number] for number in kept),
            self.times,
            self.restless,
            self.identity,
            self.parser,
        )


def together(name: str, results: Sequence[Judged]) -> Judged:
    """Give the rows of several sets as one; it has no times of its own."""
    baselines = [each.baseline for each in results if each.baseline is not None]
    return Judged(
        name,
        tuple(case for each in results for case in each.cases),
        tuple(verdict for each in results for verdict in each.verdicts),
        tuple(found for each in baselines for found in each) if len(baselines) == len(results) else None,
        Times((), (), ()),
        (),
        results[0].identity,
        results[0].parser,
    )


@contextmanager
def started() -> Iterator[Started]:
    """Start the judge as the product does: with the parser, where there is one, and by text rules alone where not."""
    at = time.perf_counter()
    parser, how = _parser()
    judge = EmbeddedJudge()
    if parser is not None:
        try:
            judge = EmbeddedJudge(facts_of=parser)  # type: ignore[call-arg,unused-ignore]
        except TypeError:
            how = "text rules only: the judge takes no parser"
    try:
        judge.judge_row(_FIRST)
        yield Started(judge.judge_row, judge.identity, how, time.perf_counter() - at)
    finally:
        close = getattr(parser, "close", None)
        if close is not None:
            close()


def _parser() -> tuple[Any, str]:
    try:
        return importlib.import_module("cite_lsp.worker.parser").Parser(), "code is parsed"
    except Exception as error:  # noqa: BLE001 - whatever keeps it from starting is said, and the text rules are measured
        return None, f"text rules only: {type(error).__name__}: {error}"


@dataclass(frozen=True, slots=True)
class Held:
    """Rows that are held out, or fitted on, together.

    Attributes:
        family: A set, or in prose what its parts begin with: those share their texts.
        is_prose: Prose is fitted on prose, and files of a project on such files: the baseline's best chance.
        rows: As the baseline sees them.
    """

    family: str
    is_prose: bool
    rows: tuple[Texts, ...]


def judged(labelled: Labelled, others: Sequence[Held]) -> Judged:
    """Judge a set in three passes from cold, one that warms, three from warm.

    `others` is what the baseline is fitted on, less what belongs to this set.
    """
    rows = [case.row for case in labelled.cases]
    passes: list[list[Verdict]] = []
    start, cold = [], []
    for _ in range(_PASSES):
        with started() as one:
            start.append(one.seconds * 1000)
            cold.append(_pass(one, rows, passes))
    with started() as one:
        _pass(one, rows, passes)
        warm = [_pass(one, rows, passes) for _ in range(_PASSES)]
    return Judged(
        labelled.name,
        labelled.cases,
        tuple(passes[0]),
        _by_overlap(labelled, others),
        Times(tuple(start), tuple(cold), tuple(warm)),
        tuple(
            case.id
            for number, case in enumerate(labelled.cases)
            if any(each[number] != passes[0][number] for each in passes)
        ),
        one.identity,
        one.parser,
    )


def _pass(one: Started, rows: Sequence[Row], passes: list[list[Verdict]]) -> float:
    """Judge all rows; give the milliseconds a row."""
    at = time.perf_counter()
    passes.append([one.judge_row(row) for row in rows])
    return (time.perf_counter() - at) * 1000 / max(1, len(rows))


# --- the baseline -----------------------------------------------------------------------------------


def held(sets: Iterable[Labelled]) -> list[Held]:
    """Give the rows of sets in the groups that are held out together; each part of prose is a set of its own."""
    return [
        Held(_family(labelled, cases[0]), labelled.is_prose, tuple(map(texts_of, cases)))
        for labelled in sets
        for cases in _pieces(labelled)
    ]


def _pieces(labelled: Labelled) -> list[list[Case]]:
    if not labelled.is_prose:
        return [list(labelled.cases)] if labelled.cases else []
    return [[case for case in labelled.cases if case.part == part] for part in labelled.parts]


def _family(labelled: Labelled, case: Case) -> str:
    return case.part.partition("_")[0] if labelled.is_prose else labelled.name


def _by_overlap(labelled: Labelled, others: Sequence[Held]) -> tuple[tuple[str, float], ...] | None:
    """Give the baseline's verdict and score for each row, by what was fitted on families other than the row's own."""
    fitted: dict[str, Overlap] = {}
    found = []
    for case in labelled.cases:
        family = _family(labelled, case)
        if family not in fitted:
            sets = [each.rows for each in others if each.is_prose == labelled.is_prose and each.family != family]
            if not sets:
                return None
            fitted[family] = Overlap(sets)
        score = fitted[family].score(texts_of(case))
        found.append((fitted[family].verdict(score), score))
    return tuple(found)
