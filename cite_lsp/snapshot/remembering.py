"""Answers kept from run to run: what holds for one HEAD, and what of it still holds for a later one."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple, Protocol

from cite_lsp.document.document import Document
from cite_lsp.snapshot.baseline import FLEETING, Baseline, Written
from cite_lsp.snapshot.baseline_data import packed, unpacked
from cite_lsp.snapshot.history import History, encoded

_FORM = "3"
"""Changes with the rules by which baselines are found: what was kept under other rules is not used."""

SOON = 7 * 24 * 3600
"""Seconds. Documents are often committed a little before the code that they cite."""


class Remembered(Protocol):
    """Keeps answers from run to run; `store.Store` does."""

    def recall(self, place: str, keys: Sequence[str]) -> Mapping[str, Sequence[tuple[str, bytes]]]:
        """Give for each of the keys that are known the HEADs under which something was kept, the latest first."""

    def remember(self, place: str, head: str, values: Mapping[str, bytes]) -> None:
        """Keep values of a HEAD. `place` names a repository and a folder in it."""


class Question(NamedTuple):
    """What is asked about one document, and the name under which the answer is kept."""

    document: Document
    key: str


def key_of(document: Document, *more: str) -> str:
    """Give what names a question: the document as it is, what was read out of it, and what else the answer hangs on."""
    digest = sha256()
    for each in (_FORM, document.path, document.text, *more):
        digest.update(each.encode("utf-8", "surrogatepass") + b"\0")
    for anchor in document.anchors:
        shape = (anchor.start, anchor.end, anchor.path, anchor.spans, anchor.form, anchor.repository, anchor.ref)
        digest.update(repr((shape, anchor.defect, anchor.approximate)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class Memory:
    """The kept answers of one root."""

    def __init__(self, store: Remembered, place: str, top: str, root: str, prefix: str) -> None:
        self._store = store
        self._place = place
        self._top = top
        self._root = root
        self._prefix = prefix

    def known(
        self, head: bytes, questions: Sequence[Question], endings: Iterable[bytes]
    ) -> dict[str, tuple[Written, ...]]:
        """Give the answers that hold for HEAD, by key; no history is walked but from an earlier HEAD to this one."""
        now = head.decode("ascii")
        kept = self._store.recall(self._place, [each.key for each in questions])
        found: dict[str, tuple[Written, ...]] = {}
        older: dict[str, list[tuple[Question, bytes]]] = {}
        for question in questions:
            rows = dict(kept.get(question.key, ()))
            if now in rows:
                self._take(found, question, rows[now])
            elif rows:
                before, data = next(iter(rows.items()))
                older.setdefault(before, []).append((question, data))
        carried: dict[str, tuple[Written, ...]] = {}
        for before, each in older.items():
            since = _Since(self._top, head, before.encode("ascii"), endings)
            for question, data in each if since.goes_on else ():
                self._take(carried, question, data)
                answer = carried.get(question.key)
                if answer is not None and not since.spares(self._prefix, question.document.path, answer):
                    del carried[question.key]
        self.keep(head, carried)
        return found | carried

    def _take(self, found: dict[str, tuple[Written, ...]], question: Question, data: bytes) -> None:
        answer = unpacked(data, self._root)
        if answer is not None and _fits(answer, question.document):
            found[question.key] = answer

    def keep(self, head: bytes, answers: Mapping[str, tuple[Written, ...]]) -> None:
        """Keep those answers that will hold for as long as HEAD does not move."""
        values = {key: packed(answer) for key, answer in answers.items() if _lasts(answer)}
        if values:
            self._store.remember(self._place, head.decode("ascii"), values)

    def departures(self, head: bytes, keys: Sequence[str]) -> dict[str, tuple[str, int] | None]:
        """Give the departures that are known for HEAD, or were for one that it goes on from."""
        now = head.decode("ascii")
        found: dict[str, tuple[str, int] | None] = {}
        goes_on: dict[str, bool] = {now: True}
        for key, rows in self._store.recall(self._place, list(keys)).items():
            for before, data in rows:
                if before not in goes_on:
                    goes_on[before] = _Since(self._top, head, before.encode("ascii"), ()).goes_on
                departure = _departure(data)
                if departure and (before == now or (goes_on[before] and departure[0])):
                    found[key] = departure if departure[0] else None
                    break
        return found

    def keep_departures(self, head: bytes, departures: Mapping[str, tuple[str, int] | None]) -> None:
        """Keep departures that were found out; that there is none holds for this HEAD only."""
        values = {key: json.dumps(found or ("", 0)).encode("ascii") for key, found in departures.items()}
        self._store.remember(self._place, head.decode("ascii"), values)


def departure_key(baseline: Baseline, anywhere: bool) -> str:
    """Give what names the question when a baseline's text departed."""
    what = (_FORM, "departed", baseline.commit, baseline.path, baseline.first, baseline.last, anywhere)
    return sha256(repr(what).encode("utf-8", "surrogatepass")).hexdigest()


def _departure(data: bytes) -> tuple[str, int] | None:
    try:
        commit, time = json.loads(data)
    except (ValueError, TypeError):
        return None
    return (commit, time) if isinstance(commit, str) and isinstance(time, int) else None


class _Since:
    """What happened between an earlier HEAD and this one."""

    def __init__(self, top: str, head: bytes, before: bytes, endings: Iterable[bytes]) -> None:
        self._history = History(top, head, before)
        self._history.cover(endings)

    @cached_property
    def goes_on(self) -> bool:
        """Whether this HEAD's history holds the earlier one's."""
        return not self._history.reason and any(self._history.left_out in each for each in self._history.named_parents)

    @cached_property
    def _touched(self) -> tuple[set[bytes], set[bytes]] | None:
        """The documents that were changed, and the paths that came or went; None: not known."""
        history = self._history
        documents: set[bytes] = set()
        for position in range(len(history.commits)):
            for path, change in history.changes(position).items():
                documents |= {path, change.before}
        return None if history.reason else (documents, history.gone.keys() | history.come.keys())

    def spares(self, prefix: str, document: str, answer: Sequence[Written]) -> bool:
        """Say whether an answer still holds: nothing that it hangs on was touched."""
        path = encoded(prefix + document)
        if path is None or self._touched is None or path in self._touched[0]:
            return False
        moved = self._touched[1]
        return all(self._spares(prefix, baseline, moved) for one in answer for baseline in one.baselines)

    def _spares(self, prefix: str, baseline: Baseline, moved: set[bytes]) -> bool:
        if any(encoded(prefix + path) in moved for path in (baseline.path, baseline.now) if path):
            return False
        # the code that a document was ahead of may have come by now
        first = min(self._history.times, default=0)
        return baseline.state == "text" or not baseline.commit or first > baseline.time + SOON


def _fits(answer: Sequence[Written], document: Document) -> bool:
    anchors = document.anchors
    return len(answer) == len(anchors) and all(
        len(one.baselines) == len(anchor.spans) for one, anchor in zip(answer, anchors, strict=True)
    )


def _lasts(answer: Sequence[Written]) -> bool:
    return not any(each.reason.startswith(FLEETING) for one in answer for each in one.baselines)
