"""The worker's answers as the objects they stand for."""

from collections.abc import Mapping
from typing import Any

from cite_lsp.snapshot.paths import PathIndex


def index_of(root: str, answer: Mapping[str, Any]) -> PathIndex:
    """Give the index that the answer to "paths" for an absolute folder describes."""
    paths = tuple(answer["paths"])
    tracked = answer["tracked"]
    known = None
    if tracked is not None:
        known = frozenset(paths).difference(tracked["missing"]).union(tracked["more"])
    index = PathIndex(root, paths, known, tuple(answer["notes"]))
    index.take_orders(*answer["orders"])
    return index
