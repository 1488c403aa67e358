"""What one row was answered, turn by turn, until that is a verdict."""

from dataclasses import dataclass

from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.judges.weighing import Void, decided, guarded, unchecked, unconfirmed

_MOST_VOID = 2
"""An answer that is missing or cannot be used is asked for once more, and no oftener."""


@dataclass(slots=True)
class Hearing:
    """A row and what was said of it.

    *supported* and *cannot tell* stand at once; *partial*, *unsupported* and what a named check is against are asked
    again, and the second answer decides.

    Attributes:
        index: Of the row.
        row: What is judged.
        conflict: What `named_conflict` gave; None while nobody has asked it.
        turns: How often it was asked.
        first: The answer that has to be confirmed, where there is one.
        void: How often an answer was missing or could not be used.
        why: Why the last one could not be used; "" where it was missing.
        verdict: What it came to; None before that, and where nobody answered.
        open: Whether it has to be asked again.
    """

    index: int
    row: Row
    conflict: str | None = None
    turns: int = 0
    first: Verdict | None = None
    void: int = 0
    why: str = ""
    verdict: Verdict | None = None
    open: bool = True

    def take(self, answer: Verdict | Void | None, judge: str, most: int, *, proven: bool = True) -> None:
        """Take an answer.

        Args:
            answer: None where the reply had none.
            judge: The identity of the judge.
            most: How often a row may be asked.
            proven: Whether the reply answered the row whose answer is known; else no *supported* of it stands alone.
        """
        conflict = self.conflict or ""
        last = self.turns >= most
        alone = isinstance(answer, Verdict) and answer.label == "supported" and not proven
        if answer is None or isinstance(answer, Void):
            self.void += 1
            self.why = "" if answer is None else answer.why
            if last or self.void >= _MOST_VOID:
                self._close(self._without(judge))
        elif alone and (last or self.first is not None):
            self.why = ""
            self._close(None)
        elif self.first is not None:
            self._close(decided(self.first, answer, conflict))
        elif alone:
            self.first = answer
        elif last or answer.label == "unchecked" or (answer.label == "supported" and not conflict):
            self._close(answer)
        else:
            self.first = answer

    def give_up(self) -> None:
        """Leave it without an answer."""
        self.open = False

    def _close(self, verdict: Verdict | None) -> None:
        self.verdict = None if verdict is None else guarded(verdict, self.row, self.conflict or "")
        self.open = False

    def _without(self, judge: str) -> Verdict | None:
        if self.first is not None:
            return unconfirmed(self.first, self.why or "it did not answer")
        return unchecked(self.why, judge) if self.why else None
