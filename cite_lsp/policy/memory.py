"""What was answered before, so that it is not asked again."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Memory(Protocol):
    """Where answers of one client are kept; both are called in threads, one call at a time or several.

    Keys are texts of hexadecimal digits, values are JSON. A memory that has no place to keep things forgets and does
    not raise: what it raises ends the run.
    """

    def recall(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """Give what is known, by key; what is not is absent."""

    def keep(self, known: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep what is known now, by key."""
