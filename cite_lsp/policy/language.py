"""What a policy consists of: the questions that a team asks of every document.

Parts are plain data and check nothing; `Policy(…)` checks the whole and tells all that is wrong with it at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Side:
    """What counts as *yes*, or as *no*.

    Attributes:
        what: What counts.
        not_for: What a reading of `what` would wrongly take in.
        examples: Texts that count.
    """

    what: str
    not_for: str | None = None
    examples: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class YesNo:
    """A question that is answered with the probability of *yes*.

    Attributes:
        question: With placeholders: `{passage}`, or in a check the names of roles.
        yes, no: What counts as either; a text is the same as a `Side` of that text. Both are required.
        focus: What to look at, one line; placeholders as in the question.
    """

    question: str
    yes: str | Side | None = None
    no: str | Side | None = None
    focus: str | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """What every passage has to pass before it can be evidence. It is never found by itself."""

    name: str
    asks: YesNo


@dataclass(frozen=True, slots=True)
class Factor:
    """A question whose passages fill roles; it is asked once, however many concerns use it."""

    name: str
    asks: YesNo


@dataclass(frozen=True, slots=True)
class Role:
    """A place that one passage fills: the one that the factor fits best.

    Attributes:
        name: A word of ASCII letters, digits and `_`.
        factor: The name of a factor.
        optional: Whether the concern may be found without it.
        distinct: Whether a passage that fills another role is passed over.
    """

    name: str
    factor: str
    optional: bool = False
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """A question about the passages that fill roles, by which a finding holds or fails.

    Attributes:
        name: Its name; the same name may stand in several concerns.
        asks: The question, which names roles as placeholders.
        distinct: Whether it is asked only where its roles are filled by different passages.
    """

    name: str
    asks: YesNo
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Concern:
    """What is looked for: by one question to each passage (`detect`), or by roles that passages fill (`roles`).

    Attributes:
        name: Its name.
        detect: Asked of each passage in the first round.
        confirm: Asked of each passage that was found, among the others that were; None asks `detect` again.
        roles: What has to be filled, in place of `detect`.
        checks: Asked of the passages that fill the roles.
        category: A label for reports; None is the name.
    """

    name: str
    detect: YesNo | None = None
    confirm: YesNo | None = None
    roles: Sequence[Role] = ()
    checks: Sequence[Check] = ()
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A description of each finding on a scale: `levels` are 2 to 10 texts, lowest first. It decides nothing."""

    name: str
    question: str
    levels: Sequence[str] = ()
    focus: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A description of each finding by one of some options, key and description each. It decides nothing."""

    name: str
    question: str
    options: Mapping[str, str] | Sequence[tuple[str, str]] = ()
    focus: str | None = None

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The options in their order."""
        return tuple(self.options.items()) if isinstance(self.options, Mapping) else tuple(self.options)


@dataclass(frozen=True, slots=True)
class Policy:
    """Questions that belong together, checked as a whole.

    Raises:
        PolicyError: Something is wrong with it; the error names all faults with their places.
    """

    concerns: Sequence[Concern] = ()
    filters: Sequence[Filter] = ()
    factors: Sequence[Factor] = ()
    descriptors: Sequence[Score | Choice] = ()

    def __post_init__(self) -> None:
        """Check it."""
        from cite_lsp.policy.faults import PolicyError, faults_of  # noqa: PLC0415 - it reads this module

        faults = faults_of(self.concerns, self.filters, self.factors, self.descriptors)
        if faults:
            raise PolicyError(faults)

    def detects(self) -> tuple[tuple[str, YesNo], ...]:
        """Give what each passage is asked in the first round, by name: filters, direct concerns, factors."""
        direct = [(each.name, each.detect) for each in self.concerns if each.detect is not None]
        return (
            *((each.name, each.asks) for each in self.filters),
            *direct,
            *((each.name, each.asks) for each in self.factors),
        )
