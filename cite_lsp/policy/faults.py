"""What is wrong with a policy: all of it at once, each fault with its place (reference-policy.md, 1.3)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cite_lsp.policy.language import Check, Choice, Concern, Factor, Filter, Score, Side, YesNo
from cite_lsp.policy.placeholders import PASSAGE, is_word, names_in

FaultPath: TypeAlias = tuple[str | int, ...]

_FEWEST_LEVELS, _MOST_LEVELS = 2, 10


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        path: Where, as a policy file names it: `("concern", 0, "detect", "question")`. Scores and choices are counted
            each by itself; the path of what is missing is that of what it is missing from.
        message: What, a sentence without a full stop.
    """

    path: FaultPath
    message: str

    @property
    def place(self) -> str:
        """The path as people write it: `concern[0].detect.question`."""
        parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path]
        return "".join(parts).removeprefix(".")


class PolicyError(ValueError):
    """A policy that cannot be asked.

    Attributes:
        faults: All that is wrong with it, one at least.
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        """Take the faults."""
        lines = [f"{fault.place}: {fault.message}" if fault.path else fault.message for fault in faults]
        head = f"the policy has {len(faults)} faults:\n  " if len(faults) > 1 else ""
        super().__init__(head + "\n  ".join(lines))
        self.faults = tuple(faults)


def faults_of(
    concerns: Sequence[Concern],
    filters: Sequence[Filter],
    factors: Sequence[Factor],
    descriptors: Sequence[Score | Choice],
) -> tuple[Fault, ...]:
    """Give all that is wrong with the parts of a policy, in the order in which the reference looks for it."""
    parts = _Parts(concerns, filters, factors, descriptors)
    looks = (
        parts.names,
        parts.names_within_concerns,
        parts.questions,
        parts.forms_of_concerns,
        parts.roles,
        parts.checks,
        parts.described,
        parts.unused_factors,
    )
    found = [fault for look in looks for fault in look()]
    if not concerns:
        found.append(Fault((), "a policy needs at least one concern"))
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, where it stands, and what it is called in messages."""

    path: FaultPath
    label: str
    asks: YesNo


class _Parts:
    def __init__(
        self,
        concerns: Sequence[Concern],
        filters: Sequence[Filter],
        factors: Sequence[Factor],
        descriptors: Sequence[Score | Choice],
    ) -> None:
        self._concerns = concerns
        self._filters = filters
        self._factors = factors
        self._descriptors = list(_numbered(descriptors))

    # --- names

    def names(self) -> Iterator[Fault]:
        screened = [
            *((("filter", number, "name"), each.name) for number, each in enumerate(self._filters)),
            *((("concern", number, "name"), each.name) for number, each in enumerate(self._concerns)),
            *((("factor", number, "name"), each.name) for number, each in enumerate(self._factors)),
        ]
        described = [((*path, "name"), each.name) for path, each in self._descriptors]
        twice = " is declared twice: {} share their names"
        yield from _unlike(screened, "the name ", twice.format("filters, concerns and factors"))
        yield from _unlike(described, "the name ", twice.format("scores and choices"))
        checks = [((*path, "name"), check.name) for path, _, check in self._all_checks()]
        roles = [
            (("concern", number, "role", place, "name"), role.name)
            for number, concern in enumerate(self._concerns)
            for place, role in enumerate(concern.roles)
        ]
        yield from _usable([*screened, *described, *checks])
        yield from _given(roles)
        names = {name for _, name in described if isinstance(name, str)}
        for path, name in checks:
            if isinstance(name, str) and name in names:
                yield Fault(path, f"{name!r} names both a check and a score or choice")

    def names_within_concerns(self) -> Iterator[Fault]:
        for number, concern in enumerate(self._concerns):
            names = {"role": [each.name for each in concern.roles], "check": [each.name for each in concern.checks]}
            for kind, each in names.items():
                named = [(("concern", number, kind, place, "name"), name) for place, name in enumerate(each)]
                before = f"the concern {concern.name!r} declares the {kind} "
                yield from _unlike(named, before, " twice")

    # --- questions

    def questions(self) -> Iterator[Fault]:
        checks = [_Asked(path, f"the check {check.name!r}", check.asks) for path, _, check in self._all_checks()]
        for asked in [*self._of_passages(), *checks]:
            yield from _faults_of_question(asked)
        for asked in self._of_passages():
            yield from _faults_of_placeholders(asked)

    def _of_passages(self) -> Iterator[_Asked]:
        for number, each in enumerate(self._filters):
            yield _Asked(("filter", number), f"the filter {each.name!r}", each.asks)
        for number, concern in enumerate(self._concerns):
            for part, asks in (("detect", concern.detect), ("confirm", concern.confirm)):
                if asks is not None:
                    yield _Asked(("concern", number, part), f"the {part} of the concern {concern.name!r}", asks)
        for number, factor in enumerate(self._factors):
            yield _Asked(("factor", number), f"the factor {factor.name!r}", factor.asks)

    # --- concerns

    def forms_of_concerns(self) -> Iterator[Fault]:
        for number, concern in enumerate(self._concerns):
            path: FaultPath = ("concern", number)
            if (concern.detect is None) == (not concern.roles):
                given = "and has both" if concern.roles else "and has neither"
                yield Fault(path, f"the concern {concern.name!r} needs a detect or roles, not both, {given}")
            if concern.confirm is not None and concern.detect is None:
                yield Fault((*path, "confirm"), "a confirm applies only to a concern with a detect")
            if concern.checks and not concern.roles:
                yield Fault((*path, "check", 0), "checks apply only to a concern built from roles")
            if concern.category is not None and not _is_text(concern.category):
                yield Fault((*path, "category"), "a category has to be a text that is not blank")

    def roles(self) -> Iterator[Fault]:
        declared = _texts(each.name for each in self._factors)
        for number, concern in enumerate(self._concerns):
            for place, role in enumerate(concern.roles):
                path: FaultPath = ("concern", number, "role", place)
                if isinstance(role.name, str) and role.name and not is_word(role.name):
                    yield Fault((*path, "name"), f"the role {role.name!r} has to be a word of letters, digits and _")
                if role.name == PASSAGE:
                    yield Fault((*path, "name"), f"a role cannot be named {PASSAGE}: checks read it as a placeholder")
                if not isinstance(role.factor, str) or role.factor not in declared:
                    message = f"the role {role.name!r} names the factor {role.factor!r}, which is not declared"
                    yield Fault((*path, "factor"), message)

    def checks(self) -> Iterator[Fault]:
        for number, concern in enumerate(self._concerns):
            if not concern.roles:
                continue
            known = _texts(role.name for role in concern.roles)
            required = _texts(role.name for role in concern.roles if not role.optional)
            for place, check in enumerate(concern.checks):
                yield from _faults_of_check(("concern", number, "check", place), check, known)
            if not required:
                yield Fault(("concern", number), f"the concern {concern.name!r} needs at least one required role")
            elif not any(_judges_always(check, required) for check in concern.checks):
                message = (
                    f"the concern {concern.name!r} needs a check that names only required roles and is not distinct"
                )
                yield Fault(("concern", number), f"{message}, so that every finding is judged by something")

    # --- the rest

    def described(self) -> Iterator[Fault]:
        for path, each in self._descriptors:
            label = f"the {path[0]} {each.name!r}"
            yield from _faults_of_texts(path, label, each.question, each.focus)
            for key, text in (("question", each.question), ("focus", each.focus)):
                if isinstance(text, str) and names_in(text):
                    yield Fault((*path, key), f"{label} must not use placeholders: it is asked of all evidence")
            yield from (
                _faults_of_levels(path, label, each)
                if isinstance(each, Score)
                else _faults_of_options(path, label, each)
            )

    def unused_factors(self) -> Iterator[Fault]:
        used = _texts(role.factor for concern in self._concerns for role in concern.roles)
        for number, factor in enumerate(self._factors):
            if isinstance(factor.name, str) and factor.name not in used:
                yield Fault(("factor", number, "name"), f"the factor {factor.name!r} fills no role")

    def _all_checks(self) -> Iterator[tuple[FaultPath, Concern, Check]]:
        for number, concern in enumerate(self._concerns):
            for place, check in enumerate(concern.checks):
                yield ("concern", number, "check", place), concern, check


def _numbered(descriptors: Sequence[Score | Choice]) -> Iterator[tuple[FaultPath, Score | Choice]]:
    counts: Counter[str] = Counter()
    for each in descriptors:
        kind = "score" if isinstance(each, Score) else "choice"
        yield (kind, counts[kind]), each
        counts[kind] += 1


def _unlike(named: Sequence[tuple[FaultPath, str]], before: str, behind: str) -> Iterator[Fault]:
    seen: set[str] = set()
    for path, name in named:
        if isinstance(name, str) and name:
            if name in seen:
                yield Fault(path, f"{before}{name!r}{behind}")
            seen.add(name)


def _usable(named: Sequence[tuple[FaultPath, str]]) -> Iterator[Fault]:
    yield from _given(named)
    for path, name in named:
        if isinstance(name, str) and ":" in name:
            yield Fault(path, f'the name {name!r} must not contain ":"')


def _given(named: Sequence[tuple[FaultPath, str]]) -> Iterator[Fault]:
    for path, name in named:
        if not _is_text(name):
            yield Fault(path, "a name has to be a text that is not blank")


def _texts(values: Iterable[object]) -> set[str]:
    return {value for value in values if isinstance(value, str)}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _faults_of_question(asked: _Asked) -> Iterator[Fault]:
    asks = asked.asks
    if not isinstance(asks, YesNo):
        yield Fault(asked.path, f"{asked.label} asks {type(asks).__name__}; it has to ask a YesNo")
        return
    yield from _faults_of_texts(asked.path, asked.label, asks.question, asks.focus)
    if asks.yes is None or asks.no is None:
        lacking = "both are missing" if asks.yes is asks.no else f"{'yes' if asks.yes is None else 'no'} is missing"
        yield Fault(asked.path, f"{asked.label} needs yes and no: {lacking}")
    for key, side in (("yes", asks.yes), ("no", asks.no)):
        if side is not None and not _is_text(side.what if isinstance(side, Side) else side):
            yield Fault(
                (*asked.path, key), f"what counts as {key} for {asked.label} has to be a text that is not blank"
            )
        if isinstance(side, Side):
            yield from _faults_of_side((*asked.path, key), f"{key} for {asked.label}", side)


def _faults_of_side(path: FaultPath, label: str, side: Side) -> Iterator[Fault]:
    if side.not_for is not None and not _is_text(side.not_for):
        yield Fault((*path, "not_for"), f"not_for of {label} has to be a text that is not blank")
    listed = isinstance(side.examples, Sequence) and not isinstance(side.examples, (str, bytes))
    if not listed or not all(_is_text(each) for each in side.examples):
        yield Fault((*path, "examples"), f"the examples of {label} have to be a list of texts that are not blank")


def _faults_of_texts(path: FaultPath, label: str, question: object, focus: object) -> Iterator[Fault]:
    if not _is_text(question):
        yield Fault((*path, "question"), f"{label} needs a question")
    if focus is not None and (not isinstance(focus, str) or not focus.strip() or len(focus.splitlines()) > 1):
        yield Fault((*path, "focus"), f"the focus of {label} has to be one line of text")


def _faults_of_placeholders(asked: _Asked) -> Iterator[Fault]:
    if not isinstance(asked.asks, YesNo):
        return
    for key, text in (("question", asked.asks.question), ("focus", asked.asks.focus)):
        others = [name for name in names_in(text) if name != PASSAGE] if isinstance(text, str) else []
        if others:
            named = ", ".join(f"{{{name}}}" for name in others)
            yield Fault((*asked.path, key), f"{asked.label} may only use {{{PASSAGE}}}, got {named}")
    question = asked.asks.question
    if _is_text(question) and PASSAGE not in names_in(question):
        yield Fault((*asked.path, "question"), f"{asked.label} must use {{{PASSAGE}}} in its question")


def _faults_of_check(path: FaultPath, check: Check, known: set[str]) -> Iterator[Fault]:
    label = f"the check {check.name!r}"
    question, focus = _texts_of(check)
    in_question = names_in(question) if isinstance(question, str) else ()
    in_focus = names_in(focus) if isinstance(focus, str) else ()
    if not known.intersection(in_question):
        yield Fault((*path, "question"), f"{label} must name at least one of its concern's roles in its question")
    for key, names in (("question", in_question), ("focus", in_focus)):
        unknown = [name for name in names if name not in known]
        if unknown:
            named = ", ".join(f"{{{name}}}" for name in unknown)
            yield Fault((*path, key), f"{label} names the unknown role {named}")
    if check.distinct and len(known.intersection((*in_question, *in_focus))) < 2:
        yield Fault((*path, "distinct"), f"{label} is distinct, so it must name at least two roles")


def _texts_of(check: Check) -> tuple[object, object]:
    return (check.asks.question, check.asks.focus) if isinstance(check.asks, YesNo) else (None, None)


def _judges_always(check: Check, required: set[str]) -> bool:
    names = {name for text in _texts_of(check) if isinstance(text, str) for name in names_in(text)}
    return not check.distinct and bool(names) and names <= required


def _faults_of_levels(path: FaultPath, label: str, score: Score) -> Iterator[Fault]:
    levels = score.levels if isinstance(score.levels, Sequence) and not isinstance(score.levels, str) else ()
    texts = all(_is_text(level) for level in levels)
    if not (texts and _FEWEST_LEVELS <= len(levels) <= _MOST_LEVELS and len(set(levels)) == len(levels)):
        message = (
            f"{label} needs {_FEWEST_LEVELS} to {_MOST_LEVELS} unique levels, texts from the lowest to the highest"
        )
        yield Fault((*path, "levels"), message)


def _faults_of_options(path: FaultPath, label: str, choice: Choice) -> Iterator[Fault]:
    try:
        pairs = [(key, text) for key, text in choice.pairs]
    except (TypeError, ValueError):
        pairs = []
    keys = [key for key, _ in pairs]
    if not pairs or not all(_is_text(each) for pair in pairs for each in pair) or len(set(keys)) < len(keys):
        yield Fault((*path, "options"), f"{label} needs at least one option, with unique keys and a text each")
