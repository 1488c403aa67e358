"""One bucket for each caller, as the configuration says."""

import tomllib
from pathlib import Path

from throttle.bucket import Bucket
from throttle.clock import Clock, SystemClock

MAX_CALLERS = 1000


class Limits:
    """Buckets by caller; the caller seen longest ago is forgotten first."""

    def __init__(self, rules: dict[str, dict[str, float]], clock: Clock | None = None) -> None:
        self._rules = rules
        self._clock = clock or SystemClock()
        self._buckets: dict[str, Bucket] = {}

    @classmethod
    def load(cls, path: Path, clock: Clock | None = None) -> "Limits":
        with path.open("rb") as file:
            return cls(tomllib.load(file)["limits"], clock)

    def bucket(self, caller: str) -> Bucket:
        bucket = self._buckets.pop(caller, None) or self._new(caller)
        while len(self._buckets) >= MAX_CALLERS:
            self._buckets.pop(next(iter(self._buckets)))
        self._buckets[caller] = bucket
        return bucket

    def _new(self, caller: str) -> Bucket:
        rule = self._rules.get(caller, self._rules["default"])
        return Bucket(self._clock, int(rule["capacity"]), rule["refill_per_second"])
