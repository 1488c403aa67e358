"""The worker's answers as the objects they stand for, and how they travel."""

from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from typing import Any

from cite_lsp.snapshot.paths import PathIndex, Tracked


def index_data(index: PathIndex, known: PathIndex | None = None) -> dict[str, Any]:
    """Give an index as the answer to "paths" holds it.

    Where the other side knows another index of the root, `added` and `removed` stand for `paths`: how they differ.
    `tracked` is null where git does not know, else how git's list differs from `paths`: `missing` are the paths that
    are not tracked, `more` the tracked ones that are not among the paths. `orders` are those of the index, numbers of
    32 bits in base 64: as JSON each would be an object for a moment. The second is null where it is the first.
    """
    by_name, by_folded_name = index.orders()
    tracked = index.tracked
    differs = tracked if tracked is None else {"missing": sorted(tracked.missing), "more": sorted(tracked.more)}
    return {
        **({"paths": index.paths} if known is None else difference(known.paths, index.paths)),
        "tracked": differs,
        "notes": index.notes,
        "orders": [_packed(by_name), None if by_folded_name is by_name else _packed(by_folded_name)],
    }


def difference(known: Iterable[str], now: Iterable[str]) -> dict[str, list[str]]:
    """Give what was `added` to names that the other side knows, and what was `removed`, sorted.

    All of them would be made once more there, beside those of before, for one file that has appeared.
    """
    old, new = frozenset(known), frozenset(now)
    return {"added": sorted(new - old), "removed": sorted(old - new)}


def index_of(root: str, answer: Mapping[str, Any], known: PathIndex | None = None) -> PathIndex:
    """Give the index that the answer to "paths" for an absolute folder describes; `known` is that of `index_data`."""
    if known is None or "paths" in answer:
        paths = tuple(answer["paths"])
    else:
        removed = frozenset(answer["removed"])
        paths = tuple(sorted([*(path for path in known.paths if path not in removed), *answer["added"]]))
    differs = answer["tracked"]
    tracked = None
    if differs is not None:
        tracked = Tracked(paths, frozenset(differs["missing"]), frozenset(differs["more"]))
    index = PathIndex(root, paths, tracked, tuple(answer["notes"]))
    first, second = answer["orders"]
    by_name = _unpacked(first)
    index.take_orders(by_name, by_name if second is None else _unpacked(second))
    return index


def _packed(numbers: "array[int]") -> str:
    return b64encode(numbers).decode("ascii")


def _unpacked(text: str) -> "array[int]":
    return array("I", b64decode(text))
