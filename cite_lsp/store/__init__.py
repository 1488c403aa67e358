"""What is kept from run to run, in SQLite files of the cache folder; several processes may read and write at once.

A file that is damaged is put aside, never deleted, and another one is begun. Where no file can be kept (a folder that
may not be written, a network home that refuses the write-ahead log) everything is kept in memory, with one message.
"""

from typing import TYPE_CHECKING

from cite_lsp.store.baselines import Store
from cite_lsp.store.table import StoreError, Table

if TYPE_CHECKING:
    from cite_lsp.store.answers import Answers
    from cite_lsp.store.verdicts import Verdicts

__all__ = ["Answers", "Store", "StoreError", "Table", "Verdicts"]


def __getattr__(name: str) -> object:
    """Load `Answers` and `Verdicts` when they are asked for: a check keeps none."""
    if name == "Answers":
        from cite_lsp.store.answers import Answers  # noqa: PLC0415

        return Answers
    if name == "Verdicts":
        from cite_lsp.store.verdicts import Verdicts  # noqa: PLC0415

        return Verdicts
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
