"""Baselines as plain data: what the worker sends and the store keeps."""

import json
import zlib
from collections.abc import Sequence
from typing import Any

import orjson

from cite_lsp.snapshot.baseline import Baseline, Twin, Written
from cite_lsp.snapshot.resolve import Resolution

_Data = list[Any]
_TWINS = Baseline._fields.index("twins")


def written_to_data(written: Sequence[Written]) -> list[_Data]:
    """Give the data of a document's anchors. The root of a resolution is not in it: only that there is one."""
    return [[[_data(each) for each in one.baselines], _resolution(one.resolution)] for one in written]


def _data(baseline: Baseline) -> _Data:
    data: _Data = list(baseline)
    data[_TWINS] = [list(twin) for twin in baseline.twins]
    return data


def _resolution(resolution: Resolution | None) -> _Data | None:
    return None if resolution is None else list(resolution._replace(root="/" if resolution.root else ""))


def written_from_data(data: Sequence[_Data], root: str) -> tuple[Written, ...]:
    """Give what `written_to_data` was given, as it is or as JSON; `root` is the absolute folder of the root."""
    return tuple(
        [
            Written(tuple([baseline_from_data(each) for each in baselines]), _resolved(resolution, root))
            for baselines, resolution in data
        ]
    )


def baseline_from_data(data: Sequence[Any]) -> Baseline:
    """Give the baseline of which the data is a list of its fields."""
    found = Baseline(*data)
    twins = tuple([Twin(tuple(before), tuple(after)) for before, after in found.twins])
    return found._replace(lines=tuple(found.lines), before=tuple(found.before), after=tuple(found.after), twins=twins)


def _resolved(data: _Data | None, root: str) -> Resolution | None:
    if data is None:
        return None
    found = Resolution(*data)
    return found._replace(
        spans=tuple(found.spans),
        candidates=tuple(found.candidates),
        near=tuple(found.near),
        root=root if found.root else "",
    )


def packed(written: Sequence[Written]) -> bytes:
    """Give the bytes to be kept; a byte of a path that is no text (a lone surrogate) goes through."""
    data = written_to_data(written)
    try:
        plain = orjson.dumps(data)
    except orjson.JSONEncodeError:
        plain = json.dumps(data).encode("ascii")
    return zlib.compress(plain, 1)


def unpacked(data: bytes, root: str) -> tuple[Written, ...] | None:
    """Give what was packed; None for bytes that are not of this form."""
    try:
        return written_from_data(_plain(zlib.decompress(data)), root)
    except (zlib.error, TypeError, ValueError, RecursionError):
        return None


def _plain(data: bytes) -> list[_Data]:
    try:
        found: list[_Data] = orjson.loads(data)
    except orjson.JSONDecodeError:
        found = json.loads(data)
    return found
