"""Rows and verdicts: what a judge is given, and what it says (audit.md)."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from cite_lsp.snapshot.excerpt import Excerpt, language_of

Label = Literal["supported", "partial", "unsupported", "review", "unchecked"]
Kind = Literal["contradicted", "off-topic", "unresolved"]

LABELS: tuple[Label, ...] = ("supported", "partial", "unsupported", "review", "unchecked")
KINDS: tuple[Kind, ...] = ("contradicted", "off-topic", "unresolved")


@dataclass(frozen=True, slots=True)
class Row:
    """One claim and the lines cited for it: all that a judge is given.

    Attributes:
        claim: The sentence, or the part of it, that the citation stands behind.
        excerpts: The cited lines, an excerpt for each span that has lines.
        sentence: The whole sentence; "" where it is not known.
        part: What of the claim stands at this citation, where the claim has more than that; "" where it is not known.
        citations: How many citations the claim has, this one among them; 0 where it is not known.
        section: The heading above it, or "".
        path: The cited file, "/" between segments; "" where it is not known. For messages, never for the verdict.
        language: What `language_of` says of the path, or None.
        file: All lines of the cited file; None where they are not known. Only the embedded judge is given them: here,
            or on the cluster that a command line names.
        file_sha256: Of that file, in hexadecimal; "" where it was not worked out.
    """

    claim: str
    excerpts: tuple[Excerpt, ...]
    sentence: str = ""
    section: str = ""
    path: str = ""
    language: str | None = None
    file: tuple[str, ...] | None = None
    file_sha256: str = ""
    part: str = ""
    citations: int = 0

    @classmethod
    def of(
        cls,
        *,
        claim: str,
        lines: Iterable[tuple[int, str]],
        sentence: str | None = None,
        path: str | None = None,
        file: Sequence[str] | None = None,
    ) -> "Row":
        """Make a row from plain texts.

        Args:
            claim: What the lines are cited for.
            lines: The cited lines in the file's order, each with its 1-based number; none is a row without an excerpt.
            sentence: The sentence the claim stands in; the claim itself where None.
            path: The cited file; its ending says the language.
            file: All lines of that file, where they are known.
        """
        numbered = tuple(lines)
        excerpts = (Excerpt(numbered[0][0], numbered[-1][0], "window", False, numbered),) if numbered else ()
        return cls(
            claim,
            excerpts,
            sentence=claim if sentence is None else sentence,
            path=path or "",
            language=language_of(path) if path else None,
            file=None if file is None else tuple(file),
        )

    def key(self, judge_identity: str, *, reads_file: bool = False) -> str:
        """Give the name under which a verdict on this row may be kept: a sha256 in hexadecimal.

        It covers what the judge is given and nothing else: moving the cited lines, renaming the file or editing
        another sentence leaves it as it is. Lines are numbered from the first of their excerpt.

        Args:
            judge_identity: The judge's `identity`.
            reads_file: What the judge declares in `reads_file`: whether the rest of the file counts.
        """
        digest = hashlib.sha256()
        for part in self._parts(judge_identity, reads_file):
            encoded = part.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(encoded))
            digest.update(encoded)
        return digest.hexdigest()

    def _parts(self, judge_identity: str, reads_file: bool) -> Iterable[str]:
        yield from ("row-2", judge_identity, self.claim, self.sentence, self.language or "")
        if reads_file:  # such a judge is the embedded one: others are given neither
            yield from (self.part, str(self.citations))
        for excerpt in self.excerpts:
            cited = excerpt.cited - excerpt.start_line if excerpt.cited else ""
            yield f"excerpt {len(excerpt.lines)} {excerpt.unit} {excerpt.truncated} {excerpt.clipped} {cited}"
            for number, text in excerpt.lines:
                yield str(number - excerpt.start_line)
                yield text
        if reads_file and self.file_sha256:
            yield f"file {self.file_sha256}"
        elif reads_file and self.file is not None:
            yield f"file of {len(self.file)} lines"
            yield from self.file


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that a verdict relies on.

    Attributes:
        excerpt: Index into the row's excerpts, from 0.
        offset: The line's number less the excerpt's `start_line`: 0 for the first line.
        text: The line, byte for byte.
    """

    excerpt: int
    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's word on a row.

    Attributes:
        label: `unchecked` is neither good nor bad: the judge could not say; `review` asks a person.
        kind: Of `unsupported`: `contradicted`, `off-topic` or `unresolved`; else None.
        reason: A sentence for a person.
        basis: What the verdict can be checked by: what was found where, or what was looked for.
        evidence: The lines relied on, in order.
        confidence: A calibrated probability, or None: never a number that was not measured.
        judge: The identity of the judge.
    """

    label: Label
    kind: Kind | None = None
    reason: str = ""
    basis: str = ""
    evidence: tuple[Evidence, ...] = ()
    confidence: float | None = None
    judge: str = ""


def rests_on(verdict: Verdict, row: Row) -> bool:
    """Whether the lines that a verdict relies on stand in the row: it may have come from anywhere."""
    lines = [{number - each.start_line: text for number, text in each.lines} for each in row.excerpts]
    return all(
        0 <= each.excerpt < len(lines) and lines[each.excerpt].get(each.offset) == each.text
        for each in verdict.evidence
    )


class Judge(Protocol):
    """Who answers rows."""

    @property
    def identity(self) -> str:
        """Name, version and whatever else changes the answers: verdicts of another identity are not this one's."""

    @property
    def reads_file(self) -> bool:
        """Whether answers depend on the cited file beyond the excerpts."""

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row, in the order of the rows."""
