"""What is known of the past of one open document's citations: from git, or from when they were first seen here.

It stays with the sentence: an edit elsewhere moves it along, and an edit of the sentence keeps it as long as the
citation itself reads the same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cite_lsp.document.document import Block, Document
from cite_lsp.document.ranges import Span
from cite_lsp.server.sentences import Sentence, sentences_of
from cite_lsp.snapshot.baseline import NOT_YET, Baseline, Written, baseline_at
from cite_lsp.snapshot.lines import FileText
from cite_lsp.snapshot.resolve import Resolution


@dataclass(frozen=True, slots=True)
class _Sighted:
    """What a citation showed when it was first seen: its past where git knows none."""

    file: FileText
    path: str
    spans: tuple[Span, ...]

    def written(self) -> Written:
        return Written(tuple(map(self._baseline, self.spans)))

    def _baseline(self, span: Span) -> Baseline:
        if not 0 < span[0] <= span[1] <= len(self.file.lines):
            return Baseline("unknown", reason="begins past the end of the file")
        return baseline_at(self.file.lines, self.path, span)


@dataclass(slots=True)
class _Entry:
    block: int
    """The identity of the block it was last seen in."""
    written: Written | None = None
    """What git says; None while it has not said anything, or where it knows nothing."""
    answered: bool = False
    sighted: _Sighted | None = None
    seen: Written | None = None
    """What it showed when it was first seen, as a baseline: made when it is first needed."""

    @property
    def past(self) -> Written | None:
        if self.written is None and self.seen is None and self.sighted is not None:
            self.seen = self.sighted.written()
        return self.written or self.seen


class WrittenBook:
    """The past of each citation of a document, by its sentence."""

    def __init__(self) -> None:
        self.answered = False
        """Whether the worker has said once what it knows."""
        self.version = 0
        """Counts the worker's answers: what was found with an older one is to be looked at again."""
        self.wanting = False
        """Whether a citation was looked up that nobody has been asked about."""
        self._entries: dict[Sentence, _Entry] = {}
        self._by_text: dict[str, list[Sentence]] = {}

    def take(self, asked: Iterable[tuple[Block, Sequence[Written]]]) -> None:
        """Take what git says of all citations of a version of the document."""
        self.answered = True
        self.version += 1
        self.wanting = False
        for block, written in asked:
            for sentence, each in zip(sentences_of(block), written, strict=True):
                entry = self._entry(sentence, id(block))
                entry.written = None if _is_new(each) else each
                entry.answered = True

    def nothing_known(self, blocks: Iterable[Block]) -> None:
        """Take note that there is no history to ask."""
        self.answered = True
        self.version += 1
        self.wanting = False
        for block in blocks:
            for sentence in sentences_of(block):
                self._entry(sentence, id(block)).answered = True

    def of(
        self, block: Block, document: Document, resolutions: Sequence[Resolution], files: Sequence[FileText | None]
    ) -> tuple[Written | None, ...]:
        """Give the past of each anchor of a block; None while it is not known.

        `resolutions`, `files`: what each means, and where it leads, in the present; one that is seen for the first
        time is from now on compared with what it shows now.
        """
        return tuple([
            self._of(sentence, block, number, document, resolution, file)
            for number, (sentence, resolution, file) in enumerate(
                zip(sentences_of(block), resolutions, files, strict=True)
            )
        ])  # fmt: skip

    def _of(
        self,
        sentence: Sentence,
        block: Block,
        number: int,
        document: Document,
        resolution: Resolution,
        file: FileText | None,
    ) -> Written | None:
        entry = self._entries.get(sentence)
        if entry is None:
            entry = self._entry(sentence, id(block))
            before = self._before(sentence, document)
            if before is not None:
                entry.written, entry.sighted, entry.seen = before.written, before.sighted, before.seen
                entry.answered = before.answered
        entry.block = id(block)
        if entry.sighted is None and entry.written is None and file is not None and "found" in resolution.spans:
            entry.sighted = _Sighted(file, resolution.path, block.anchors[number].spans)
        if not entry.answered:
            self.wanting = True
            return None
        return entry.past

    def _before(self, sentence: Sentence, document: Document) -> _Entry | None:
        """Give what was known of a citation whose sentence was edited: one that reads the same and is there no more."""
        candidates = [other for other in self._by_text[sentence[0]] if other != sentence]
        if not candidates:
            return None
        alive = {id(block) for piece in document.pieces for block in piece.blocks if block.anchors}
        gone = [self._entries[other] for other in candidates if self._entries[other].block not in alive]
        pasts = {(entry.written, entry.sighted) for entry in gone}
        return gone[0] if len(pasts) == 1 else None

    def _entry(self, sentence: Sentence, block: int) -> _Entry:
        entry = self._entries.get(sentence)
        if entry is None:
            entry = self._entries[sentence] = _Entry(block)
            self._by_text.setdefault(sentence[0], []).append(sentence)
        return entry


def _is_new(written: Written) -> bool:
    """Say whether git does not have the citation yet."""
    return all(baseline.reason in NOT_YET for baseline in written.baselines) and written.resolution is None
