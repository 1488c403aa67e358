"""How time grows with the size of a task: the ratio of two runs side by side, whatever else the machine does."""

from collections.abc import Callable

TRIES = 5


def growth(seconds: Callable[[int], float], small: int, large: int, enough: float, least: float = 0.0) -> float:
    """Give how many times longer the large task takes; the least of some tries, up to one that is good enough.

    A busy machine makes some runs longer, of either size, so that one ratio says little. A task that grows too fast
    does so in every try.

    Args:
        seconds: Runs a task of a size and says how long it took.
        small: The size that is compared with.
        large: The size that is measured.
        enough: The ratio that is asked for: no further try is made once it is reached.
        least: Seconds below which a small task counts as taking that long.
    """
    ratio = float("inf")
    for _ in range(TRIES):
        base = min(seconds(small) for _ in range(2))
        ratio = min(ratio, seconds(large) / max(base, least, 1e-9))
        if ratio <= enough:
            break
    return ratio
