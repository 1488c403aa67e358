"""A token bucket: how often something may happen."""

from dataclasses import dataclass

from throttle.clock import Clock

DEFAULT_CAPACITY = 20
DEFAULT_REFILL_PER_SECOND = 5.0


class Exhausted(Exception):
    """The bucket holds fewer tokens than were asked for."""

    def __init__(self, wanted: int, held: float) -> None:
        super().__init__(f"wanted {wanted} tokens, {held:.1f} held")
        self.wanted = wanted
        self.held = held


@dataclass
class Bucket:
    """Holds up to `capacity` tokens and refills at a steady rate."""

    clock: Clock
    capacity: int = DEFAULT_CAPACITY
    refill_per_second: float = DEFAULT_REFILL_PER_SECOND

    def __post_init__(self) -> None:
        self.tokens = float(self.capacity)
        self.seen = self.clock.now()

    def take(self, count: int = 1) -> None:
        """Take tokens, or raise `Exhausted` and take none."""
        self._refill()
        if count > self.tokens:
            raise Exhausted(count, self.tokens)
        self.tokens -= count

    def wait_for(self, count: int = 1) -> float:
        """Give the seconds until `count` tokens will be there; 0.0 when they are."""
        self._refill()
        short = count - self.tokens
        return max(0.0, short / self.refill_per_second)

    def _refill(self) -> None:
        now = self.clock.now()
        gained = (now - self.seen) * self.refill_per_second
        self.tokens = min(self.capacity, self.tokens + gained)
        self.seen = now
