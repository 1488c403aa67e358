"""The worker's answers as the objects they stand for."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from cite_lsp.snapshot.paths import PathIndex


def index_of(root: str, answer: Mapping[str, Any]) -> PathIndex:
    """Give the index that the answer to "paths" for an absolute folder describes."""
    paths = tuple(answer["paths"])
    tracked = answer["tracked"]
    known = None
    if tracked is not None:
        missing, more = frozenset(tracked["missing"]), tracked["more"]
        # made at once: each copy of a large set leaves a hole of its size
        known = frozenset(chain((path for path in paths if path not in missing) if missing else paths, more))
    index = PathIndex(root, paths, known, tuple(answer["notes"]))
    index.take_orders(*answer["orders"])
    return index
