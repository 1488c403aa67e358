"""Files as they were in commits, and when texts went: asked of the worker, answered from memory."""

from collections.abc import Iterable, Mapping, Sequence

from cite_lsp.snapshot.baseline import Baseline
from cite_lsp.snapshot.lines import FileText

Departed = tuple[str, int]
_Question = tuple[Baseline, bool]
_Key = tuple[str, str, int, int, bool]


class CommitBook:
    """What the worker has said of one root's commits (`snapshot.Commits`); what is not known is noted as a question."""

    def __init__(self) -> None:
        self._files: dict[str, FileText] = {}
        self._departed: dict[_Key, Departed | None] = {}
        self._asked: dict[_Key, _Question] = {}

    def file(self, blob: str) -> FileText | None:
        """Give the text of an object, if the worker has sent it."""
        return self._files.get(blob)

    def departed(self, baseline: Baseline, *, anywhere: bool) -> Departed | None:
        """Give when a baseline's text went from its lines, or from its file; None while it is not known."""
        if not baseline.commit:
            return None
        key = _key(baseline, anywhere=anywhere)
        if key not in self._departed:
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
            self._departed[_key(baseline, anywhere=anywhere)] = answer

    def forget_departures(self) -> None:
        """Forget when texts went: the history is another one."""
        self._departed.clear()


def _key(baseline: Baseline, *, anywhere: bool) -> _Key:
    return baseline.commit, baseline.path, baseline.first, baseline.last, anywhere
