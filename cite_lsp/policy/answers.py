"""Whether a reply answers what was asked: all of it, in the form of each question (reference-policy.md, 1.10)."""

from collections.abc import Mapping
from typing import Any

from cite_lsp.policy.wording import CHOICE, NOUL, SCORE


def lacking(asked: Mapping[str, Mapping[str, Any]], answers: Mapping[str, Any]) -> tuple[list[Any], str] | None:
    """Give why answers cannot stand, as data and as a sentence; None where they can.

    Args:
        asked: The questions of the request, by key.
        answers: Of the reply, by key; those to questions that were not asked are passed over.

    Returns:
        `["missing_answers", keys]` or, where none is missing, `["malformed_answers", keys]`, keys sorted; and the
        sentence, without a full stop.
    """
    missing = sorted(key for key in asked if key not in answers)
    if missing:
        return ["missing_answers", missing], f"{len(missing)} of {len(asked)} questions were left without an answer"
    malformed = sorted(key for key, question in asked.items() if not answers_to(question, answers[key]))
    if malformed:
        return ["malformed_answers", malformed], f"{len(malformed)} of {len(asked)} answers are not in the form asked"
    return None


def answers_to(question: Mapping[str, Any], answer: object) -> bool:
    """Whether an answer has the form of its question."""
    if not isinstance(answer, Mapping):
        return False
    criteria = question["criteria"]
    match question["type"]:
        case "noul":
            return is_share(answer.get(NOUL))
        case "score":
            return _is_within(answer.get(SCORE), len(criteria) - 1) and is_share(answer.get("confidence"))
        case _:
            chosen = answer.get(CHOICE)
            return isinstance(chosen, str) and chosen in criteria and is_share(answer.get("confidence"))


def is_share(value: object) -> bool:
    """Whether a value is a number from 0 to 1; true and false are none."""
    return _is_within(value, 1)


def _is_within(value: object, most: int) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most
