"""The worker's task `grounding`: in a real child process."""

import pytest

from cite_lsp.audit.grounding import grounding_from_data
from cite_lsp.audit.row_data import row_to_data
from cite_lsp.audit.verdicts import Row
from cite_lsp.worker.client import Worker, WorkerFailed

FILE = ["import os", *["# filler"] * 20, "MAX_ATTEMPTS = 5", *["# filler"] * 20, "def retry_all():", "    pass"]


def row(claim: str, line: int) -> dict[str, object]:
    data = row_to_data(Row.of(claim=claim, lines=[(line, FILE[line - 1])], path="a.py"), with_file=False)
    return {**data, "file": 0}


async def test_each_result_is_a_part(worker: Worker) -> None:
    rows = [row("`MAX_ATTEMPTS` is 5.", 1), row("`MAX_ATTEMPTS` is 5.", 22), row("`retry_all` tries.", 22)]
    parts: list[dict[str, object]] = []
    spans = [[[1, 1]], [[22, 22]], None]
    done = await worker.call("grounding", rows=rows, files=[FILE], spans=spans, on_part=parts.append)
    assert done == {"rows": 2}
    assert [part["index"] for part in parts] == [0, 1]
    found = grounding_from_data(parts[0]["found"])  # type: ignore[arg-type]
    assert [(place.line, place.role) for place in found.places] == [(22, "assignment")]
    assert parts[1]["found"] is None


async def test_what_stands_beside_is_named_by_its_index(worker: Worker) -> None:
    rows = [row("`MAX_ATTEMPTS` is 5.", 1), row("`MAX_ATTEMPTS` is 5.", 22)]
    spans = [[[1, 1]], [[22, 22]]]
    for beside, expected in ([[1], [0]], None), ([[], []], 22), ([[None], []], None):
        parts: list[dict[str, dict[str, list[list[object]]]]] = []
        await worker.call("grounding", rows=rows, files=[FILE], spans=spans, beside=beside, on_part=parts.append)
        found = parts[0]["found"]
        assert (found and found["places"][0][0]) == expected


async def test_bad_rows_fail_and_the_worker_goes_on(worker: Worker) -> None:
    with pytest.raises(WorkerFailed, match="'spans'"):
        await worker.call("grounding", rows=[])
    assert await worker.call("grounding", rows=[], spans=[]) == {"rows": 0}
