"""`cite-lsp judge --estimate`: what judging would take. Nothing is sent and nothing is asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from rich.console import Console
from rich.text import Text

from cite_lsp.audit.selecting import select_rows
from cite_lsp.cli.console import write_bytes
from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.judges import leaves
from cite_lsp.cli.run import UsageError
from cite_lsp.judges.making import estimate, model_options

if TYPE_CHECKING:
    from cite_lsp.cli.judging import Judging, Subject


@dataclass(slots=True)
class Needed:
    """What judging would take, of all documents together.

    Attributes:
        documents: How many would be judged.
        citations: How many there are in them.
        rows: How many would be asked about.
        known: How many have an answer from before, or ask the same as another row.
        kept_back: How many stay on this machine, unasked.
        requests, tokens_in, tokens_out: About how many, what is asked again or in halves not counted.
        cost: In the unit of `judge.est_cost`; None where none is declared.
    """

    documents: int = 0
    citations: int = 0
    rows: int = 0
    known: int = 0
    kept_back: int = 0
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None


def tell_estimate(judging: "Judging", console: Console) -> int:
    """Print what judging would take; give the exit status."""
    if judging.wishes.output not in {"text", "json"}:
        raise UsageError(f"--estimate is written as text or json; leave --format {judging.wishes.output} out")
    if judging.wishes.report is not None:
        raise UsageError("--estimate finds nothing that could be reported; leave --report out")
    if judging.run.problems:
        return judging.refused()
    needed, asked = Needed(), set[str]()
    judges: dict[str, str] = {}
    for report in judging.checked():
        subject = judging.subject(report)
        if subject is not None:
            name = subject.settings.judge.name if leaves(subject.settings) else ""
            judges[judging.judges.of(subject.settings).identity] = name
            _add(needed, judging, subject, asked)
    if judging.wishes.output == "json":
        data: dict[str, Any] = {name: getattr(needed, name) for name in Needed.__slots__}
        whole = {"schema": 1, "estimate": {"judges": sorted(judges), **data}}
        write_bytes(orjson.dumps(whole, option=orjson.OPT_INDENT_2) + b"\n")
        return 0
    cluster = judging.judges.cluster
    for line in _lines(needed, judges, "" if cluster is None else cluster.address):
        console.print(Text(visible(line)), highlight=False)
    return 0


def _add(needed: Needed, judging: "Judging", subject: "Subject", asked: set[str]) -> None:
    settings, checked = subject.settings, subject.checked
    rows = select_rows(checked.document, judging.run.snapshot, settings.audit, resolutions=checked.resolutions)
    judged = [row.row for row in rows if row.row is not None]
    why = judging.held_back(subject)
    given = [row for row in judged if not (leaves(settings) and why(row))]
    judge = judging.judges.of(settings)
    asked |= judging.judges.known(settings, given)
    keys = {row.key(judge.identity, reads_file=judge.reads_file): row for row in given}
    new = [row for key, row in keys.items() if key not in asked]
    asked.update(keys)  # `|=` with a view of keys would make another set
    found = estimate(new, model_options(settings.judge, settings.audit))
    needed.documents += 1
    needed.citations += len(checked.anchors)
    needed.rows += found.rows
    needed.known += len(given) - len(new)
    needed.kept_back += len(judged) - len(given) + len(new) - found.rows
    needed.requests += found.requests
    needed.tokens_in += found.tokens_in
    needed.tokens_out += found.tokens_out
    if found.cost is not None:
        needed.cost = (needed.cost or 0.0) + found.cost


def _lines(needed: Needed, judges: dict[str, str], cluster: str) -> Iterator[str]:
    """Write it down; judges by identity, with the name of those that are asked elsewhere; the address of a cluster."""
    for identity, name in sorted(judges.items()):
        here = "" if name else " (in this process; nothing is sent)"
        yield f"judge: {identity}" + (f" (on the cluster at {cluster})" if cluster else here)
    yield f"{_count(needed.documents, 'document')}, {_count(needed.citations, 'citation')}"
    besides = [f"{needed.known:,} known already" if needed.known else ""]
    besides.append(f"{needed.kept_back:,} stay on this machine" if needed.kept_back else "")
    more = ", ".join(filter(None, besides))
    yield f"to be asked: {_count(needed.rows, 'row')}" + (f" ({more})" if more else "")
    if any(judges.values()):
        again = "rows that are asked again" if set(judges.values()) - {"", "decision"} else ""
        halves = "halves of rows that are too large for one request" if "decision" in judges.values() else ""
        yield (
            f"about {_count(needed.requests, 'request')}, {needed.tokens_in:,} tokens in, {needed.tokens_out:,} out; "
            f"{' and '.join(filter(None, (again, halves)))} come on top"
        )
        cost = "not known: judge.est_cost is not declared" if needed.cost is None else f"{needed.cost:g}"
        yield f"cost: {cost}"
    yield "nothing was sent"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
