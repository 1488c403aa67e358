"""Names for wordings: two are the same where a client would be asked the same."""

import hashlib
import json
from typing import Any

from cite_lsp.policy.language import Check, Choice, Concern, Policy, Score, YesNo
from cite_lsp.policy.placeholders import names_in
from cite_lsp.policy.wording import choice_criteria, yes_no_criteria

_DIGITS = 16


def digest(data: Any, digits: int = 64) -> str:  # noqa: ANN401 - JSON
    """Give the SHA-256 of JSON in its one spelling (the order of maps counts), as hexadecimal digits."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:digits]


def question_data(asks: YesNo) -> dict[str, Any]:
    """Give all that a client is told by a yes/no question, whichever passages it is put to."""
    names = [*names_in(asks.question), *names_in(asks.focus or "")]
    return {
        "question": asks.question,
        "focus": asks.focus,
        "criteria": yes_no_criteria(asks),
        "names": list(dict.fromkeys(names)),
    }


def labelled(policy: Policy) -> dict[str, YesNo]:
    """Give the yes/no questions of a policy by label, in the order in which they are declared.

    A concern without a confirm asks its detect again, so it has both labels.
    """
    found = {f"filter:{each.name}": each.asks for each in policy.filters}
    for concern in policy.concerns:
        if concern.detect is not None:
            found[f"detect:{concern.name}"] = concern.detect
            found[f"confirm:{concern.name}"] = concern.confirm or concern.detect
        found.update({f"check:{concern.name}/{check.name}": check.asks for check in concern.checks})
    found.update({f"factor:{each.name}": each.asks for each in policy.factors})
    return found


def wording_hash(label: str, policy: Policy) -> str:
    """Give the hash of the question of a label: 16 hexadecimal digits.

    Raises:
        KeyError: The policy has no question of that label.
    """
    return digest(question_data(labelled(policy)[label]), _DIGITS)


def policy_hash(policy: Policy) -> str:
    """Give the hash of all that a policy asks and of how it decides: 16 hexadecimal digits."""
    data = {
        "filters": [[each.name, question_data(each.asks)] for each in policy.filters],
        "concerns": [_concern(each) for each in policy.concerns],
        "factors": [[each.name, question_data(each.asks)] for each in policy.factors],
        "descriptors": [_descriptor(each) for each in policy.descriptors],
    }
    return digest(data, _DIGITS)


def _concern(concern: Concern) -> dict[str, Any]:
    return {
        "name": concern.name,
        "category": concern.category,
        "detect": None if concern.detect is None else question_data(concern.detect),
        "confirm": None if concern.confirm is None else question_data(concern.confirm),
        "roles": [[each.name, each.factor, each.optional, each.distinct] for each in concern.roles],
        "checks": [_check(each) for each in concern.checks],
    }


def _check(check: Check) -> list[Any]:
    return [check.name, check.distinct, question_data(check.asks)]


def _descriptor(each: Score | Choice) -> list[Any]:
    criteria = list(each.levels) if isinstance(each, Score) else list(choice_criteria(each).items())
    return [type(each).__name__, each.name, each.question, each.focus, criteria]
