"""Baselines: what citations showed when they were written (drift.md)."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from posixpath import splitext
from typing import NamedTuple

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.document.path_token import known_spelling
from cite_lsp.document.ranges import Span
from cite_lsp.snapshot.baseline import NO_COMMIT, Baseline, Written
from cite_lsp.snapshot.copies import Copies, Moment, baseline_of
from cite_lsp.snapshot.departures import departed
from cite_lsp.snapshot.git import NoRepository, Repository, ask
from cite_lsp.snapshot.history import NOWHERE, History, encoded
from cite_lsp.snapshot.lines import FileText, Unread
from cite_lsp.snapshot.mentions import DocumentMentions
from cite_lsp.snapshot.objects import ABSENT, FOLDER, LINK, Objects
from cite_lsp.snapshot.origins import Origin, Origins, Wanted, find_blob
from cite_lsp.snapshot.path_names import PathNames
from cite_lsp.snapshot.paths import fold
from cite_lsp.snapshot.remembering import SOON, Memory, Question, Remembered, departure_key, key_of
from cite_lsp.snapshot.showing import CommitView, Shown, is_commit_name
from cite_lsp.snapshot.trees import CommitPaths, Trees
from cite_lsp.snapshot.versions import forget_texts, sought_in

_DOCUMENT_ENDINGS = frozenset({b".md", b".markdown", b".mdx", b".rst", b".adoc", b".txt"})
_KEPT_VIEWS = 64
_MOST_LATER = 32
"""Versions of a file that are looked at for lines that were not there yet."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A document whose citations are asked about.

    Attributes:
        document: As it stands now; its path is relative to the root.
        as_of: "" for a document that describes the present; of a record "written", or the name of a commit.
    """

    document: Document
    as_of: str = ""


class _Case(NamedTuple):
    """One citation of one document."""

    asked: Asked
    anchor: Anchor


class Baselines:
    """What citations of the documents below one root showed when they were written; for one thread at a time.

    Nothing here raises for what git says: what is not known is a baseline of state `unknown` with its reason.
    """

    def __init__(self, root: str, repository: Repository, prefix: str, foreign: Sequence[str] = ()) -> None:
        self.root = root
        self._repository = repository
        self._prefix = prefix
        self.foreign = tuple(foreign)
        self._objects = Objects(repository.top)
        self._trees = Trees(self._objects)
        self._mentions = DocumentMentions()
        self._copies = Copies()
        self._memory: Memory | None = None
        self._history: History | None = None
        self._path_names: PathNames | None = None
        self._views: dict[bytes, CommitView] = {}

    @classmethod
    def of(
        cls, root: str, store: Remembered | None = None, *, foreign: Sequence[str] = ()
    ) -> "Baselines | NoRepository":
        """Give the baselines of an absolute folder, or why there are none.

        `store`: keeps answers from run to run; `foreign`: folders that paths of other repositories begin with.
        """
        repository = Repository.of(root)
        if isinstance(repository, NoRepository):
            return repository
        answer = ask(root, "rev-parse", "--show-prefix")
        if answer.code:
            return NoRepository("failed", f"git cannot say where {root} lies in its repository")
        prefix = os.fsdecode(answer.out.removesuffix(b"\n"))
        root = root.rstrip("/") or "/"
        found = cls(root, repository, prefix, foreign)
        if store is not None:
            common = ask(root, "rev-parse", "--git-common-dir")
            folder = os.path.realpath(os.path.join(root, os.fsdecode(common.out.removesuffix(b"\n"))))
            place = sha256(os.fsencode(f"{folder}\0{prefix}")).hexdigest()
            found._memory = Memory(store, place, repository.top, root, prefix)
        return found

    def is_there(self) -> bool:
        """Say whether the root still lies in the same repository: a folder may be removed and made again."""
        now = Repository.of(self.root)
        return isinstance(now, Repository) and now.top == self._repository.top

    # --- what is asked

    def written(self, asked: Sequence[Asked]) -> list[tuple[Written, ...]]:
        """Give for each anchor of each document what it showed when it was written.

        Parallel to `document.anchors`. Runs git.
        """
        self._objects.look_again()
        head = self._objects.commit("HEAD")
        if head is None:
            return [tuple([_unknown(anchor, NO_COMMIT) for anchor in each.document.anchors]) for each in asked]
        endings = _DOCUMENT_ENDINGS | {_ending(each.document.path) for each in asked}
        questions = [self._question(each) for each in asked]
        known = self._memory.known(head, questions, endings) if self._memory is not None else {}
        left = [number for number, question in enumerate(questions) if question.key not in known]
        found = self._found([asked[number] for number in left], head, endings) if left else []
        fresh = {questions[number].key: answer for number, answer in zip(left, found, strict=True)}
        if self._memory is not None:
            self._memory.keep(head, fresh)
        known |= fresh
        return [known[question.key] for question in questions]

    def _question(self, asked: Asked) -> Question:
        as_of = asked.as_of
        if as_of not in ("", "written"):
            as_of = (self._objects.commit(as_of) or b"").decode("ascii")
        return Question(asked.document, key_of(asked.document, as_of, *self.foreign))

    def _found(self, asked: Sequence[Asked], head: bytes, endings: frozenset[bytes]) -> list[tuple[Written, ...]]:
        """Walk the history."""
        history = self._history_of(head)
        history.cover(endings)
        origins = Origins(history, self._objects).of([self._wanted(each) for each in asked])
        self._names(history).want({name for each in asked for name in _names(each.document)})
        found: list[list[Written]] = [[_unknown(anchor, "") for anchor in each.document.anchors] for each in asked]
        order = sorted(
            (origin.position, number, index) for number, each in enumerate(origins) for index, origin in enumerate(each)
        )
        for _, number, index in order:
            each = asked[number]
            case = _Case(each, each.document.anchors[index])
            found[number][index] = self._written(case, origins[number][index], history)
        return [tuple(each) for each in found]

    def file(self, blob: str) -> FileText | None:
        """Give the text of an object by its id; None where it is not here, no text, or too large."""
        found = self._objects.file(blob.encode("ascii", "replace")) if blob else None
        return found if isinstance(found, FileText) else None

    def departed(self, baseline: Baseline, *, anywhere: bool) -> tuple[str, int] | None:
        """Give the commit after which a baseline's text no longer stood at its lines, or anywhere in its file.

        With its time, in seconds since the epoch; None where that is not known, or the text stands there in HEAD.
        """
        return self.departures([(baseline, anywhere)])[0]

    def departures(self, asked: Sequence[tuple[Baseline, bool]]) -> list[tuple[str, int] | None]:
        """Give for each what `departed` gives: a baseline, and whether its text is looked for anywhere in the file."""
        head = self._objects.commit("HEAD")
        if head is None:
            return [None] * len(asked)
        keys = [departure_key(*each) for each in asked]
        known = self._memory.departures(head, keys) if self._memory is not None else {}
        fresh = {key: self._departure(head, *each) for key, each in zip(keys, asked, strict=True) if key not in known}
        if self._memory is not None:
            self._memory.keep_departures(head, fresh)
        known |= fresh
        return [known[key] for key in keys]

    def _departure(self, head: bytes, baseline: Baseline, anywhere: bool) -> tuple[str, int] | None:
        path = encoded(self._prefix + baseline.path)
        if path is None or not baseline.commit:
            return None
        history = self._history_of(head)
        history.cover(_DOCUMENT_ENDINGS)
        at = departed(baseline, path, history, self._objects, anywhere=anywhere)
        return None if at is None else (history.commits[at].decode("ascii"), history.times[at])

    def rest(self) -> None:
        """Let go of the texts and trees of commits, which can be read again; not of the history, which takes longer."""
        self._views.clear()
        self._trees.rest()
        self._copies = Copies()
        self._mentions = DocumentMentions()
        forget_texts()

    def close(self) -> None:
        """End the processes of git; another question starts them again."""
        self._trees.close()

    # --- one history

    def _history_of(self, head: bytes) -> History:
        if self._history is None or self._history.head != head:
            self._history = History(self._repository.top, head)
            self._path_names = None
            self._views.clear()
        return self._history

    def _names(self, history: History) -> PathNames:
        if self._path_names is None:
            self._path_names = PathNames(history, encoded(self._prefix) or b"")
        return self._path_names

    def _wanted(self, asked: Asked) -> Wanted:
        document = asked.document
        path = encoded(self._prefix + document.path)
        fixed = asked.as_of not in ("", "written")
        return Wanted(
            path or b"\n",
            document.text,
            sought_in(document, lambda anchor: not (fixed or _is_link(anchor) or self._not_here(anchor))),
        )

    def _view(self, commit: bytes, time: int) -> CommitView:
        known = self._views.get(commit)
        if known is None:
            while len(self._views) >= _KEPT_VIEWS:
                self._views.pop(next(iter(self._views)))
            history = self._history
            position = NOWHERE if history is None else history.position_of.get(commit, NOWHERE)
            is_read = history is not None and NOWHERE < position < history.read
            names = self._names(history).of if history is not None and is_read else None
            paths = CommitPaths(self._trees, commit, self.root, self._prefix, names)
            known = self._views[commit] = CommitView(paths, Moment(commit.decode("ascii"), time), self._mentions)
        return known

    # --- one citation

    def _written(self, case: _Case, origin: Origin, history: History) -> Written:
        anchor = case.anchor
        if _is_link(anchor):
            return self._linked(case)
        if why := self._not_here(anchor):
            return _unknown(anchor, why)
        if case.asked.as_of not in ("", "written"):
            return self._fixed(case, history)
        if origin.position == NOWHERE or origin.reason:
            return _unknown(anchor, origin.reason)
        view = self._view(history.commits[origin.position], history.times[origin.position])
        folder = self._folder(origin.path)
        if folder is None:
            return _unknown(anchor, "begins outside this folder")
        shown = view.show(anchor, case.asked.document, folder)
        resolution = view.resolution(anchor, shown) if case.asked.as_of else None
        spans = [self._span(case, span, view, shown, folder, history, origin.position) for span in anchor.spans]
        return Written(tuple(spans), resolution)

    def _not_here(self, anchor: Anchor) -> str:
        if anchor.defect:
            return "is not asked for: its lines can name nothing"
        spelled = known_spelling(anchor.path)
        prefixes = (known_spelling(prefix).rstrip("/") + "/" for prefix in self.foreign if prefix)
        if any(spelled.startswith(prefix) for prefix in prefixes):
            return "is that of another repository"
        return ""

    def _folder(self, path: bytes) -> str | None:
        text = os.fsdecode(path)
        if not text.startswith(self._prefix):
            return None
        return text[len(self._prefix) :].rpartition("/")[0]

    def _span(
        self,
        case: _Case,
        span: Span,
        view: CommitView,
        shown: Shown | None,
        folder: str,
        history: History,
        position: int,
    ) -> Baseline:
        moment = view.moment
        unknown = Baseline("unknown", moment.commit, moment.time, first=span[0], last=span[1])
        if shown is None or shown.place.status == "missing":
            return self._missing(case, span, unknown, view, folder, history, position)
        place = shown.place
        if place.status == "ambiguous":
            return unknown._replace(reason="begins with a path that was ambiguous when it was written")
        if place.status == "outside":
            return unknown._replace(reason="is not kept for files outside this folder")
        unknown = unknown._replace(path=place.path, now=self._now(place.path, position, history))
        if isinstance(shown.text, Unread):
            why = "is not kept here" if shown.text is ABSENT else "cannot show it"
            return unknown._replace(reason=f"{why}: in that commit {place.path} {shown.text.reason}")
        count = len(shown.text.lines)
        if span[1] <= count:
            return baseline_of(span, moment, place.path, shown.text, unknown.now, self._copies)
        return self._grown(span, unknown, position, history) or self._past_end(case, unknown, count)

    def _grown(self, span: Span, unknown: Baseline, position: int, history: History) -> Baseline | None:
        """Give the text of the first version, soon after, in which the span lies in its file."""
        path = encoded(self._prefix + unknown.path)
        if path is None:
            return None
        for at, blob in islice(history.versions(path, position), _MOST_LATER):
            if history.times[at] > unknown.time + SOON:
                break
            file = self._objects.file(blob) if blob else None
            if isinstance(file, FileText) and span[1] <= len(file.lines):
                moment = Moment(history.commits[at].decode("ascii"), history.times[at])
                return baseline_of(span, moment, unknown.path, file, unknown.now, self._copies)
        return None

    def _past_end(self, case: _Case, unknown: Baseline, count: int) -> Baseline:
        reason = _past(unknown, count, "when it was written")
        if case.anchor.approximate or case.anchor.form == "continuation":
            return unknown._replace(reason=reason)
        return unknown._replace(state="born-wrong", reason=reason)

    def _missing(
        self, case: _Case, span: Span, unknown: Baseline, view: CommitView, folder: str, history: History, position: int
    ) -> Baseline:
        written = known_spelling(case.anchor.path)
        if view.submodule(case.anchor, folder):
            return unknown._replace(reason=f"is not kept here: {written} is in a submodule that is not checked out")
        name = encoded(written.rpartition("/")[2])
        until = view.moment.time + SOON
        for later in history.came_after(name, position, until) if name else ():
            after = self._view(history.commits[later], history.times[later])
            shown = after.show(case.anchor, case.asked.document, folder)
            if shown is not None and isinstance(shown.text, FileText) and span[1] <= len(shown.text.lines):
                now = self._now(shown.place.path, later, history)
                return baseline_of(span, after.moment, shown.place.path, shown.text, now, self._copies)
        if not self._is_known_since(written.rpartition("/")[2], view, position, history):
            reason = f"is not in git: neither its commit nor a later one has a file of that name, {written}"
            return unknown._replace(reason=reason)
        reason = f"begins with a path that was not there: {written} was not found when it was written"
        return unknown._replace(state="born-wrong", reason=reason)

    def _is_known_since(self, name: str, view: CommitView, position: int, history: History) -> bool:
        """Say whether a commit or a later one has a file of a base name; however much older history was read."""
        for path in self._names(history).of(fold(name)):
            full = encoded(self._prefix + path) or b""
            came = (event.position < position for event in history.come.get(full, ()))
            if path in view.paths or any(came) or self._is_in_head(full, history):
                return True
        return False

    def _now(self, path: str, position: int, history: History) -> str:
        full = encoded(self._prefix + path)
        if full is None:
            return ""
        now = os.fsdecode(history.now(full, position, lambda each: self._is_in_head(each, history)))
        return now[len(self._prefix) :] if now.startswith(self._prefix) else ""

    def _is_in_head(self, path: bytes, history: History) -> bool:
        """Say whether a path is a file of HEAD: itself, through a symbolic link, or in a submodule."""
        tree = self._objects.root_of(history.head)
        if find_blob(self._objects, tree, path) is not None:
            return True
        found = self._trees.find(tree, os.fsdecode(path), self._repository.top)
        return found is not None and found.mode not in (FOLDER, LINK)

    # --- as of a commit that is named

    def _fixed(self, case: _Case, history: History) -> Written:
        """Read a citation as of the commit that the settings name for its document."""
        anchor = case.anchor
        commit = self._objects.commit(case.asked.as_of)
        if commit is None:
            return _unknown(anchor, f"is not known: {case.asked.as_of} is no commit of this repository")
        time = self._objects.time_of(commit)
        view = self._view(commit, time)
        folder = case.asked.document.path.rpartition("/")[0]
        shown = view.show(anchor, case.asked.document, folder)
        position = history.position_of.get(commit, NOWHERE)
        return self._as_of(anchor, view, shown, position, history)

    def _as_of(
        self, anchor: Anchor, view: CommitView, shown: Shown | None, position: int, history: History, via: str = ""
    ) -> Written:
        moment = view.moment
        baselines: list[Baseline] = []
        for first, last in anchor.spans:
            unknown = Baseline("unknown", moment.commit, moment.time, first=first, last=last)
            if shown is None or isinstance(shown.text, Unread):
                baselines.append(unknown._replace(reason="does not show the cited lines in that commit"))
            elif last > len(shown.text.lines):
                unknown = unknown._replace(path=shown.place.path)
                reason = _past(unknown, len(shown.text.lines), "in that commit")
                baselines.append(unknown._replace(state="born-wrong", reason=reason))
            else:
                now = self._now_of(shown.place.path, position, history)
                place = shown.place.path
                baselines.append(baseline_of((first, last), moment, place, shown.text, now, self._copies))
        return Written(tuple(baselines), view.resolution(anchor, shown, via))

    def _now_of(self, path: str, position: int, history: History) -> str:
        """Follow a path from a commit that may not be in HEAD's history: then it is taken by its name."""
        if position != NOWHERE and position >= history.read:
            history.changes(position)
        return self._now(path, position if position != NOWHERE else 0, history)

    def _linked(self, case: _Case) -> Written:
        """Read a link to a commit as of that commit, where it is here."""
        anchor = case.anchor
        commit = self._objects.commit(anchor.ref) if is_commit_name(anchor.ref) else None
        history = self._history
        if commit is None or history is None or anchor.defect:
            if anchor.repository not in ("", "."):
                return _unknown(anchor, "is that of another repository")
            return _unknown(
                anchor,
                "is not known: its commit is not here"
                if is_commit_name(anchor.ref)
                else "is not kept for links to a branch",
            )
        view = self._view(commit, self._objects.time_of(commit))
        path = anchor.path
        while path:
            shown = view.at_root(path, case.asked.document)
            if shown is not None:
                return self._as_of(anchor, view, shown, history.position_of.get(commit, NOWHERE), history, "permalink")
            path = path.partition("/")[2]
        if anchor.repository != ".":
            return _unknown(anchor, "is that of another repository")
        return self._as_of(anchor, view, None, NOWHERE, history)


def _is_link(anchor: Anchor) -> bool:
    return anchor.repository != "" or is_commit_name(anchor.ref)


def _unknown(anchor: Anchor, reason: str) -> Written:
    return Written(tuple([Baseline("unknown", first=first, last=last, reason=reason) for first, last in anchor.spans]))


def _past(baseline: Baseline, count: int, when: str) -> str:
    begins = "begins" if baseline.first > count else "begins with lines that reach"
    return f"{begins} past the end of {baseline.path}, which had {count:,} line{'' if count == 1 else 's'} {when}"


def _ending(path: str) -> bytes:
    return (splitext(path)[1] or path.rpartition("/")[2]).lower().encode("utf-8", "surrogateescape")


def _names(document: Document) -> Iterable[str]:
    for anchor in document.anchors:
        path = anchor.path.replace("\\", "/")
        yield path.rpartition("/")[2]
