"""Whether a declared output cap can carry the verdicts on so many rows: asked before a request, never after."""

from typing import Literal

GuardMode = Literal["fail", "warn"]

OUTPUT_CAP = "output-cap"
"""The cause of a trouble: a request that was not sent since the declared cap cannot carry its reply."""

_A_ROW = 70
_BESIDE = 500


def estimated_tokens(rows: int) -> int:
    """Give how many tokens the verdicts on so many rows take, as the reference audit estimates it."""
    return _A_ROW * rows + _BESIDE


def guard(rows: int, cap: int | None, mode: GuardMode) -> str:
    """Say why one request should not carry so many rows.

    Args:
        rows: Rows of the request.
        cap: The declared most tokens of a reply; None where none is declared, which passes.
        mode: What the sentence says follows: "fail" refuses, "warn" asks all the same.

    Returns:
        "" where the cap is enough; else a sentence without a full stop that names both numbers.
    """
    needed = estimated_tokens(rows)
    if not rows or cap is None or cap >= needed:
        return ""
    follows = "nothing was asked" if mode == "fail" else "the reply may be cut off"
    return (
        f"the verdicts on {rows:,} rows in one request take about {needed:,} tokens, and the output cap is {cap:,}; "
        f"{follows}: raise limits.max_output_tokens_per_turn or let the rows go out in batches"
    )
