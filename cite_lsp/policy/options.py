"""How a policy is asked."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

Band = tuple[float, float]
"""Low and high: up to low is *no*, from high on is *yes*, in between a person should look."""
Bands = Mapping[str, Band]
"""Bands of single questions by label: `filter:NAME`, `factor:NAME`, `detect:CONCERN`, `confirm:CONCERN`,
`check:CONCERN/NAME`."""


class OptionsError(ValueError):
    """Options that no run can have.

    Attributes:
        faults: The name of each bad option with what is wrong, a sentence without a full stop.
    """

    def __init__(self, faults: Mapping[str, str]) -> None:
        """Take the faults by option, one at least."""
        super().__init__("; ".join(faults.values()))
        self.faults = dict(faults)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a policy is asked; unchecked until it is asked.

    Attributes:
        threshold: 0 to 1; a passage matches a question whose probability is greater.
        review_band: Low and high: up to low is no, from high on is yes, in between a person should look.
        window: How many passages a request of the first round holds.
        concurrency: How many requests are under way at once; the report is the same at any number.
        overlap: How many passages of the window before a window carries, as neighbours that are not asked about.
        strict_threshold: Whether a passage below the threshold counts as no where it is inside the band.
        retries: How often a request is asked again that failed for a reason that may pass.
        deadline: Seconds that the whole run may take; None is no limit.
    """

    threshold: float = 0.5
    review_band: Band = (0.4, 0.6)
    window: int = 40
    concurrency: int = 4
    overlap: int = 0
    strict_threshold: bool = False
    retries: int = 0
    deadline: float | None = None

    def faults(self) -> dict[str, str]:
        """Give what is wrong with each bad option, by its name."""
        found = {
            "threshold": _is_share(self.threshold) or "a number from 0 to 1",
            "review_band": _is_band(self.review_band) or "two numbers with 0 <= low < high <= 1",
            "window": _is_count(self.window, 1) or "a whole number of passages, 1 or more",
            "concurrency": _is_count(self.concurrency, 1) or "a whole number of requests, 1 or more",
            "overlap": self._has_overlap() or "a whole number of passages, from 0 to less than window",
            "strict_threshold": isinstance(self.strict_threshold, bool) or "true or false",
            "retries": _is_count(self.retries, 0) or "a whole number, 0 or more",
            "deadline": self._has_deadline() or "a number of seconds above 0, or none",
        }
        return {
            name: f"{name} is {getattr(self, name)!r}; it has to be {fault}"
            for name, fault in found.items()
            if isinstance(fault, str)
        }

    def check(self) -> None:
        """Raise what is wrong.

        Raises:
            OptionsError: It names each bad option.
        """
        faults = self.faults()
        if faults:
            raise OptionsError(faults)

    def _has_overlap(self) -> bool:
        return _is_count(self.overlap, 0) and (not _is_count(self.window, 1) or self.overlap < self.window)

    def _has_deadline(self) -> bool:
        seconds = self.deadline
        return seconds is None or (_is_number(seconds) and seconds > 0)


def check_bands(bands: Bands, labels: Collection[str]) -> None:
    """Raise what is wrong with the bands of single questions, which have these labels.

    Raises:
        OptionsError: It names each bad band by its label.
    """
    if not isinstance(bands, Mapping):
        raise OptionsError({"bands": f"bands is {type(bands).__name__}; it has to be a map from labels to bands"})
    faults = {
        label: f"the band of {label} is {band!r}; it has to be two numbers with 0 <= low <= high <= 1"
        for label, band in bands.items()
        if not _is_band(band, apart=False)
    }
    faults |= {label: f"there is a band of {label}, which is no question" for label in bands if label not in labels}
    if faults:
        raise OptionsError(faults)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_band(value: object, *, apart: bool = True) -> bool:
    if not isinstance(value, (tuple, list)) or len(value) != 2 or not all(_is_share(each) for each in value):
        return False
    low, high = value
    return bool(low < high if apart else low <= high)
