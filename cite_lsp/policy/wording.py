"""How questions are put to a client, word for word."""

from collections.abc import Mapping, Sequence
from typing import Any

from cite_lsp.policy.language import Choice, Score, Side, YesNo
from cite_lsp.policy.placeholders import expanded, names_in

NOUL, SCORE, CHOICE = "noul", "score", "choice"
"""Types of questions on the wire: yes or no, a level, an option."""


def yes_no(asks: YesNo, paths: Mapping[str, str], fallback: Sequence[str] = ()) -> dict[str, Any]:
    """Put a yes/no question.

    Args:
        asks: The question.
        paths: What its placeholders stand for.
        fallback: The paths to look at where it has no placeholder.
    """
    return {
        "type": NOUL,
        "instructions": instructions(asks.question, asks.focus, paths, fallback),
        "criteria": yes_no_criteria(asks),
    }


def described(descriptor: Score | Choice, paths: Sequence[str]) -> dict[str, Any]:
    """Put a score or a choice, about all paths together."""
    asked = instructions(descriptor.question, descriptor.focus, {}, paths)
    if isinstance(descriptor, Score):
        return {"type": SCORE, "instructions": asked, "criteria": list(descriptor.levels)}
    return {"type": CHOICE, "instructions": asked, "criteria": choice_criteria(descriptor)}


def instructions(
    question: str, focus: str | None, paths: Mapping[str, str], fallback: Sequence[str]
) -> dict[str, str | list[str]]:
    """Give the question and the focus with paths in them, and what to inspect (one path) or to compare (several)."""
    found: dict[str, str | list[str]] = {"question": expanded(question, paths)}
    if focus is not None:
        found["focus"] = expanded(focus, paths)
    names = dict.fromkeys([*names_in(question), *names_in(focus or "")])
    used = list(dict.fromkeys(paths[name] for name in names if name in paths))
    if len(used) == 1:
        found["inspect"] = f"`{used[0]}`"
    else:
        found["compare"] = [f"`{path}`" for path in used or fallback]
    return found


def yes_no_criteria(asks: YesNo) -> dict[str, dict[str, Any]]:
    """Give what counts as yes and as no."""
    return {"true": _side(asks.yes), "false": _side(asks.no)}


def choice_criteria(choice: Choice) -> dict[str, str]:
    """Give the options of a choice in their order."""
    return dict(choice.pairs)


def _side(given: str | Side | None) -> dict[str, Any]:
    side = given if isinstance(given, Side) else Side(given or "")
    found: dict[str, Any] = {"what": side.what}
    if side.not_for is not None:
        found["not_for"] = side.not_for
    if side.examples:
        found["examples"] = list(side.examples)
    return found
