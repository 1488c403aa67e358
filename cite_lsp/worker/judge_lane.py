"""The lane of the embedded judge: verdicts on rows, better lines for a claim, and whether its names stand in them."""

from collections.abc import Iterator
from typing import Any

from cite_lsp.audit.grounding import ground, grounding_to_data
from cite_lsp.audit.row_data import row_from_data, verdict_to_data
from cite_lsp.audit.verdicts import Row
from cite_lsp.judges.embedded import EmbeddedJudge, better_lines
from cite_lsp.worker.lanes import Request, Task
from cite_lsp.worker.shared_parser import PARSER

_JUDGE = EmbeddedJudge(PARSER)


def judge(request: Request) -> dict[str, int]:
    """Judge `rows`; each verdict is a part of its own, with the index of its row.

    Where there are `files`, the `file` of a row is a number in that list: many rows cite one file.
    """
    name = request.params.get("judge", "embedded")
    if name != "embedded":
        raise ValueError(f"the worker has no judge {name!r}")
    done = 0
    for index, row in enumerate(_rows(request)):
        if request.dropped():
            break
        verdict = _JUDGE.judge_row(row)
        request.part({"index": index, "verdict": verdict_to_data(verdict)})
        done += 1
    return {"rows": done}


def _rows(request: Request) -> Iterator[Row]:
    files = [tuple(lines) for lines in request.params.get("files", ())]
    for data in request.params["rows"]:
        yield row_from_data({**data, "file": files[data["file"]]} if isinstance(data.get("file"), int) else data)


def grounding(request: Request) -> dict[str, int]:
    """Look for what the claims of `rows` name; each result is a part of its own, with the index of its row.

    Rows and `files` are those of `judge`. `spans` runs parallel to `rows`: the first and last lines as written, or None
    for a row that is there for others only. `beside` as well: the indexes of the rows that share the row's sentence;
    None among them is a citation that was not read.
    """
    every, beside = request.params["spans"], request.params.get("beside", ())
    rows = list(_rows(request))
    done = 0
    for index, (row, spans) in enumerate(zip(rows, every, strict=True)):
        if request.dropped():
            break
        if spans is None:
            continue
        others = [None if other is None else rows[other] for other in (beside[index] if beside else ())]
        found = ground(row, [(first, last) for first, last in spans], others)
        request.part({"index": index, "found": None if found is None else grounding_to_data(found)})
        done += 1
    return {"rows": done}


def better(request: Request) -> list[dict[str, Any]]:
    """Look in `file` for other lines than `first` to `last` that support the claim of `row`; nearest first."""
    params = request.params
    row = row_from_data(params["row"])
    found = better_lines(row, params["file"], params["first"], params["last"], judge=_JUDGE, dropped=request.dropped)
    return [{"first": each.first, "last": each.last, "verdict": verdict_to_data(each.verdict)} for each in found]


TASKS: dict[str, Task] = {"judge": judge, "better": better, "grounding": grounding}
