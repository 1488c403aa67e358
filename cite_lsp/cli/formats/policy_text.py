"""The text of `cite-lsp policy run`: findings by document, what was not checked and why, and a summary."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from cite_lsp.cli.formats.as_text import GUTTER, STYLES, Line, TextWriter, crop, visible
from cite_lsp.cli.policy_account import Unchecked, counted
from cite_lsp.findings.finding import DEFAULT_LIMIT, Severity
from cite_lsp.findings.places import Places
from cite_lsp.policy.language import Score

if TYPE_CHECKING:
    from cite_lsp.cli.policy_account import Account
    from cite_lsp.cli.policy_asked import Asked, Telling
    from cite_lsp.cli.run import Run
    from cite_lsp.policy.report import Finding

_PLACE = 7
_SEVERITY = 7
_MOST_PASSAGES = 20
"""Passages that are shown of one finding."""
_MOST_PLACES = 5
"""Places that are named of what was not checked for one reason."""


class PolicyTextWriter:
    """Writes what was found as it comes, and what is left at the end."""

    def __init__(self, console: Console, run: "Run", level: Severity, *, quiet: bool) -> None:
        """`level`: the quietest severity that is shown."""
        self._writer = TextWriter(console, run, level)
        self._width = max(40, console.width)
        self._level = level
        self._quiet = quiet
        self._path = ""
        self._hidden = 0

    def begin(self) -> None:
        """Write what is wrong with the settings."""
        self._writer.begin()

    def write(self, asked: "Asked") -> None:
        """Write what was found in one document by one policy."""
        loud = [each for each in asked.told if each.finding.severity.at_least(self._level)]
        self._hidden += len(asked.told) - len(loud)
        if not loud:
            return
        lines: list[Line] = []
        if asked.path != self._path:
            lines.append(((visible(asked.path), "bold underline"),))
            self._path = asked.path
        places = Places(asked.text)
        for found in _by_concern(loud[:DEFAULT_LIMIT]):
            lines += self._found(found, asked, places)
        if len(loud) > DEFAULT_LIMIT:
            lines.append((f"  and {len(loud) - DEFAULT_LIMIT:,} more passages in this document",))
        self._writer.write([*lines, ()])

    def end(self, account: "Account", seconds: float, notes: Sequence[str]) -> None:
        """Write what was not checked, and, unless it is to be quiet, the summary."""
        lines = list(_left_out(account.unchecked))
        if not self._quiet:
            lines += [(("note: ", "bold"), visible(note)) for note in notes]
            lines += [(visible(line),) for line in account.lines(seconds)]
            if self._hidden:
                lines.append((f"{counted(self._hidden, 'passage')} not shown; --level hint shows all",))
        self._writer.write(lines)

    def _found(self, found: "Sequence[Telling]", asked: "Asked", places: Places) -> Iterator[Line]:
        """Give what was found of one concern: what it is, and the passages that it rests on."""
        first = found[0]
        severity = min((each.finding.severity for each in found), key=lambda each: each.rank)
        line, column = _place(first, places)
        yield (
            (f"  {f'{line}:{column}':<{_PLACE}} ", "bold"),
            (f"{severity.value:<{_SEVERITY}} ", STYLES[severity]),
            f"{visible(first.finding.message)}  ",
            (first.finding.code, "dim"),
        )
        for each in found[:_MOST_PASSAGES]:
            yield self._passage(each, places)
        if len(found) > _MOST_PASSAGES:
            yield ((" " * (GUTTER + 3), (f"and {len(found) - _MOST_PASSAGES:,} more passages", "dim")))
        finding = _finding_of(first, asked)
        if finding is not None:
            for name, said in _besides(finding, asked):
                yield ((" " * (GUTTER + 3), (f"{visible(name)}: ", "dim"), visible(said)))

    def _passage(self, each: "Telling", places: Places) -> Line:
        """Give the first line of a passage that has text."""
        line, column = _place(each, places)
        text = places.line_text(line - 1)
        end = min(len(text), column - 1 + each.finding.end - each.finding.start)
        low, high = crop(text, column - 1, max(end, column - 1), self._width - GUTTER - 20)
        cut = ("…" if low else "") + visible(text[low:high].rstrip()) + ("…" if high < len(text) else "")
        doubt = () if each.told.verdict == "holds" else ((f"  ({each.told.verdict})", "dim"),)
        return ((f"{line:>{GUTTER}} │ ", "dim"), cut, *doubt)


def _by_concern(told: "Sequence[Telling]") -> "list[list[Telling]]":
    found: dict[str, list[Telling]] = {}
    for each in told:
        found.setdefault(each.told.concern, []).append(each)
    return list(found.values())


def _place(each: "Telling", places: Places) -> tuple[int, int]:
    """Give line and column of a passage, 1-based."""
    number = places.line(each.finding.start)
    return number + 1, each.finding.start - places.start(number) + 1


def _finding_of(each: "Telling", asked: "Asked") -> "Finding | None":
    findings = asked.report.findings if asked.report is not None else ()
    return next((finding for finding in findings if finding.concern == each.told.concern), None)


def _besides(finding: "Finding", asked: "Asked") -> Iterator[tuple[str, str]]:
    """Give what else was answered of a finding: name and words."""
    yield (
        "verdict",
        finding.verdict + (f", {counted(len(finding.dropped), 'passage')} dropped" if finding.dropped else ""),
    )
    if finding.roles:
        lines = {name: f"line {piece.line}" for name, piece in _pieces(asked).items()}
        yield "roles", ", ".join(f"{role} {lines.get(name, name)}" for role, name in finding.roles.items())
    if finding.checks:
        yield "checks", ", ".join(f"{name} {_share(answer)}" for name, answer in finding.checks.items())
    for each in asked.file.policy.descriptors:
        answer = finding.descriptors.get(each.name)
        if answer is not None:
            levels = each.levels if isinstance(each, Score) else ()
            yield each.name, described(answer, levels)


def _pieces(asked: "Asked") -> Mapping[str, Any]:
    return {} if asked.outcome is None else asked.outcome.plan.pieces


def _share(answer: Mapping[str, Any]) -> str:
    return f"{answer.get('noul', 0.0):.2f}"


def described(answer: Mapping[str, Any], levels: Sequence[str]) -> str:
    """Give a score or a choice in words, with how sure the answer is."""
    if "score" in answer:
        score = float(answer["score"])
        near = levels[min(int(score + 0.5), len(levels) - 1)] if levels else ""
        words = f"{near} ({score:g} on a scale from 0 to {len(levels) - 1}"
    else:
        words = f"{answer.get('choice', '')} ("
    confidence = f"confidence {float(answer.get('confidence', 0.0)):.2f})"
    return words + (confidence if words.endswith("(") else f", {confidence}")


def _left_out(unchecked: Sequence[Unchecked]) -> Iterator[Line]:
    """Give what was not checked, by the reason."""
    if not unchecked:
        return
    yield (("not checked:", "bold yellow"),)
    reasons: dict[str, list[Unchecked]] = {}
    for each in unchecked:
        reasons.setdefault(each.why, []).append(each)
    for why, found in reasons.items():
        yield (f"  {visible(why)}",)
        for each in found[:_MOST_PLACES]:
            yield (("    ", visible(f"{each.path}, {each.policy}: {each.what}")))
        if len(found) > _MOST_PLACES:
            left = found[_MOST_PLACES:]
            passages = sum(len(each.passages) for each in left)
            more = f" ({counted(passages, 'passage')})" if passages else ""
            yield ((f"    and {len(left):,} more{more}", "dim"),)
    yield ()
