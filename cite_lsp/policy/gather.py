"""Which passages belong to which concern: between the rounds, without asking anybody (reference-policy.md, 1.6)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from cite_lsp.policy.language import Check, Concern, Policy, Role
from cite_lsp.policy.passages import Passage, Source
from cite_lsp.policy.placeholders import names_in


class Matching(Protocol):
    """Says whether a passage matches a question."""

    def match(self, label: str, score: float | None) -> str:
        """Give `no`, `unsure` or `yes`."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The passages of one concern.

    Attributes:
        concern: The concern.
        passages: Each once, in the order of the source.
        unsure: The ids of those that are here only because an answer was inside its band.
        roles: Of a concern built from factors: who fills which role, in the order of the roles.
    """

    concern: Concern
    passages: tuple[Passage, ...]
    unsure: frozenset[str] = frozenset()
    roles: Mapping[str, Passage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Eligible:
    passage: Passage
    row: Mapping[str, float]
    sure: bool


def gather(
    source: Source, screen: Mapping[str, Mapping[str, float]], policy: Policy, matching: Matching
) -> tuple[Gathered, ...]:
    """Gather the passages of each concern that has some, in the order of the policy.

    Args:
        source: The passages.
        screen: What the first round said of each: probability by name, by id. One without a row matches nothing.
        policy: The policy.
        matching: Reads the probabilities.
    """
    eligible = list(_eligible(source, screen, policy, matching))
    found = (
        _built(concern, eligible, matching) if concern.roles else _direct(concern, eligible, matching)
        for concern in policy.concerns
    )
    return tuple([each for each in found if each is not None])


def asked_checks(gathered: Gathered) -> tuple[Check, ...]:
    """Give the checks that are asked: all their roles are filled, by different passages where they have to be."""
    return tuple([check for check in gathered.concern.checks if _is_asked(check, gathered.roles)])


def _is_asked(check: Check, roles: Mapping[str, Passage]) -> bool:
    names = dict.fromkeys([*names_in(check.asks.question), *names_in(check.asks.focus or "")])
    if any(name not in roles for name in names):
        return False
    return not check.distinct or len({roles[name].id for name in names}) == len(names)


def _eligible(
    source: Source, screen: Mapping[str, Mapping[str, float]], policy: Policy, matching: Matching
) -> Iterator[_Eligible]:
    """Give the passages that pass every filter."""
    labels = [(f"filter:{each.name}", each.name) for each in policy.filters]
    for passage in source.passages:
        row = screen.get(passage.id)
        if row is not None:
            said = {matching.match(label, row.get(name)) for label, name in labels}
            if "no" not in said:
                yield _Eligible(passage, row, "unsure" not in said)


def _matches(label: str, name: str, eligible: Iterable[_Eligible], matching: Matching) -> Iterator[_Eligible]:
    """Give those that match a question, each with whether it surely does."""
    for each in eligible:
        said = matching.match(label, each.row.get(name))
        if said != "no":
            yield _Eligible(each.passage, each.row, each.sure and said == "yes")


def _direct(concern: Concern, eligible: Iterable[_Eligible], matching: Matching) -> Gathered | None:
    matched = list(_matches(f"detect:{concern.name}", concern.name, eligible, matching))
    if not matched:
        return None
    unsure = frozenset([each.passage.id for each in matched if not each.sure])
    return Gathered(concern, tuple([each.passage for each in matched]), unsure)


def _built(concern: Concern, eligible: list[_Eligible], matching: Matching) -> Gathered | None:
    filled: dict[str, _Eligible] = {}
    for role in sorted(concern.roles, key=lambda each: each.distinct):
        taken = {each.passage.id for each in filled.values()} if role.distinct else set()
        best = _best(role, eligible, taken, matching)
        if best is not None:
            filled[role.name] = best
        elif not role.optional:
            return None
    roles = {role.name: filled[role.name] for role in concern.roles if role.name in filled}
    used = {each.passage.id for each in roles.values()}
    return Gathered(
        concern,
        tuple([each.passage for each in eligible if each.passage.id in used]),
        frozenset([each.passage.id for each in roles.values() if not each.sure]),
        {name: each.passage for name, each in roles.items()},
    )


def _best(role: Role, eligible: list[_Eligible], taken: set[str], matching: Matching) -> _Eligible | None:
    """Give who fills a role: the likeliest of those that surely match, else of the others, the first of equals.

    A role that may stay empty is filled by no doubtful passage: what is asked about it could then only spoil a finding
    that stands without it.
    """
    matched = _matches(f"factor:{role.factor}", role.factor, eligible, matching)
    free = [each for each in matched if each.passage.id not in taken and (each.sure or not role.optional)]
    return max(free, key=lambda each: (each.sure, each.row[role.factor]), default=None)
