"""The lane of the embedded judge: verdicts on rows, and better lines for a claim."""

from typing import Any

from cite_lsp.audit.row_data import row_from_data, verdict_to_data
from cite_lsp.judges.embedded import EmbeddedJudge, better_lines
from cite_lsp.worker.lanes import Request, Task

_JUDGE = EmbeddedJudge()


def judge(request: Request) -> dict[str, int]:
    """Judge `rows`; each verdict is a part of its own, with the index of its row.

    Where there are `files`, the `file` of a row is a number in that list: many rows cite one file.
    """
    name = request.params.get("judge", "embedded")
    if name != "embedded":
        raise ValueError(f"the worker has no judge {name!r}")
    done = 0
    files = [tuple(lines) for lines in request.params.get("files", ())]
    for index, data in enumerate(request.params["rows"]):
        if request.dropped():
            break
        if isinstance(data.get("file"), int):
            data = {**data, "file": files[data["file"]]}  # noqa: PLW2901 - the row with its lines
        verdict = _JUDGE.judge_row(row_from_data(data))
        request.part({"index": index, "verdict": verdict_to_data(verdict)})
        done += 1
    return {"rows": done}


def better(request: Request) -> list[dict[str, Any]]:
    """Look in `file` for other lines than `first` to `last` that support the claim of `row`; nearest first."""
    params = request.params
    row = row_from_data(params["row"])
    found = better_lines(row, params["file"], params["first"], params["last"], dropped=request.dropped)
    return [{"first": each.first, "last": each.last, "verdict": verdict_to_data(each.verdict)} for each in found]


TASKS: dict[str, Task] = {"judge": judge, "better": better}
