"""Files as they were in commits, and when texts went: asked of the worker, answered from memory."""

from collections.abc import Iterable, Mapping, Sequence

from cite_lsp.snapshot.baseline import Baseline
from cite_lsp.snapshot.lines import FileText

Departed = tuple[str, int]
_Question = tuple[Baseline, bool]
_Key = tuple[str, str, int, int, bool]

_MOST_ASKED = 500
"""Questions at once; what is wanted beyond that is asked when somebody looks at it."""


class CommitBook:
    """What the worker has said of one root's commits (`snapshot.Commits`); what is not known is noted as a question."""

    def __init__(self) -> None:
        self._files: dict[str, FileText] = {}
        self._departed: dict[_Key, Departed | None] = {}
        self._outdated: set[_Key] = set()
        """Of what was said, what the history may say otherwise now: it holds until the worker is asked again."""
        self._asked: dict[_Key, _Question] = {}

    def file(self, blob: str) -> FileText | None:
        """Give the text of an object, if the worker has sent it."""
        return self._files.get(blob)

    def departed(self, baseline: Baseline, *, anywhere: bool) -> Departed | None:
        """Give when a baseline's text went from its lines, or from its file; None while it is not known."""
        if not baseline.commit:
            return None
        key = _key(baseline, anywhere=anywhere)
        if (key not in self._departed or key in self._outdated) and len(self._asked) < _MOST_ASKED:
            self._asked[key] = (baseline, anywhere)
        return self._departed.get(key)

    def take_files(self, files: Mapping[str, Mapping[str, object]]) -> None:
        """Take the texts of objects."""
        for blob, data in files.items():
            lines = data["lines"]
            if isinstance(lines, Iterable):
                self._files[blob] = FileText(tuple(map(str, lines)), str(data["sha256"]), True, False)

    def questions(self) -> list[_Question]:
        """Give what was asked for, and forget that it was."""
        asked = list(self._asked.values())
        self._asked.clear()
        return asked

    def answer(self, asked: Sequence[_Question], answers: Sequence[Departed | None]) -> None:
        """Take the answers to questions."""
        for (baseline, anywhere), answer in zip(asked, answers, strict=True):
            key = _key(baseline, anywhere=anywhere)
            self._departed[key] = answer
            self._outdated.discard(key)

    def outdate_departures(self) -> None:
        """Have it asked anew when texts went: the history is another one."""
        self._outdated.update(self._departed)


def _key(baseline: Baseline, *, anywhere: bool) -> _Key:
    return baseline.commit, baseline.path, baseline.first, baseline.last, anywhere
