"""Values that are kept as long as there is room for them."""

from collections import OrderedDict
from typing import Generic, TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Kept(Generic[_Key, _Value]):
    """The values used last, up to a sum of costs."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sum = 0
        self._values: OrderedDict[_Key, tuple[_Value, int]] = OrderedDict()

    def get(self, key: _Key) -> _Value | None:
        """Give a value that is still kept."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def put(self, key: _Key, value: _Value, cost: int) -> None:
        """Keep a value, and let go of those used longest ago."""
        self.drop(key)
        self._values[key] = (value, cost)
        self._sum += cost
        while self._sum > self._most and len(self._values) > 1:
            self._sum -= self._values.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Let go of all."""
        self._values.clear()
        self._sum = 0

    def drop(self, key: _Key) -> None:
        """Let go of a value."""
        before = self._values.pop(key, None)
        self._sum -= before[1] if before is not None else 0
