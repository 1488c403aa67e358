"""The first round: each passage is asked each question, windows side by side (reference-policy.md, 1.5)."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from cite_lsp.policy.asking import TOO_LARGE
from cite_lsp.policy.calling import Heard
from cite_lsp.policy.desk import Desk
from cite_lsp.policy.language import Policy
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.passages import Source
from cite_lsp.policy.report import Unanswered
from cite_lsp.policy.slots import in_slots
from cite_lsp.policy.windows import Piece, Row, Windows, is_known


@dataclass(frozen=True, slots=True)
class Screened:
    """What the first round came to.

    Attributes:
        rows: By the id of the passage, in the order of the source.
        errors: In the order of the source.
        models: Of the replies, in the order of the source.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    errors: tuple[Unanswered, ...] = ()
    models: tuple[str, ...] = ()


class Screening:
    """One first round; `run` is called once."""

    def __init__(self, source: Source, policy: Policy, options: RunOptions, desk: Desk) -> None:
        """Take what is asked about, what is asked, how, and where requests go out."""
        self._source = source
        self._options = options
        self._desk = desk
        self._windows = Windows(source, policy, options)
        self._keys: tuple[str, ...] = ()
        self._known: dict[int, Row] = {}
        self._rows: dict[int, Row] = {}
        self._models: dict[int, str] = {}
        self._open: dict[int, Piece] = {}
        self._failed: dict[int, tuple[Piece, Heard]] = {}

    async def run(self) -> Screened:
        """Ask until every passage has its row or a reason why not."""
        if self._desk.memory is not None:
            self._keys, self._known = await asyncio.to_thread(self._recalled)
        self._begin()
        await self._ask(each for each in self._windows if not is_known(each, self._known))
        for _ in range(self._options.retries):
            again = [piece for _, (piece, heard) in sorted(self._failed.items()) if self._desk.may_pass(heard.reason)]
            self._desk.more(len(again))
            await self._ask(again)
        return self._screened()

    def _recalled(self) -> tuple[tuple[str, ...], dict[int, Row]]:
        assert self._desk.memory is not None  # noqa: S101 - for the type checker
        keys = self._windows.keys()
        return keys, self._windows.known(keys, self._desk.memory)

    def _begin(self) -> None:
        """Take what is known from before, and count what is not."""
        requests, settled = 0, 0
        for window in self._windows:
            if is_known(window, self._known):
                self._desk.recalled += 1
                settled += window.end - window.start
            else:
                requests += 1
        self._desk.begin("screen", requests, len(self._source.passages), settled)

    # --- asking

    async def _ask(self, pieces: Iterable[Piece]) -> None:
        await in_slots(pieces, self._ask_piece, self._options.concurrency, self._desk.stop)

    async def _ask_piece(self, piece: Piece) -> None:
        """Ask about a piece; one that is too large in halves, the left one first."""
        first = self._failed.pop(piece.start, None) is None
        self._open[piece.start] = piece
        waiting = [piece]
        while waiting and not self._desk.stop.reason:
            piece = waiting.pop()
            heard = await self._desk.ask(self._windows.request(piece))
            if heard.reason == TOO_LARGE and not piece.is_alone:
                waiting += reversed(self._split(piece))
                continue
            self._settle(piece, heard)
            self._desk.done(piece.end - piece.start if first else 0)
            await self._keep(piece, heard)

    def _split(self, piece: Piece) -> tuple[Piece, ...]:
        pieces = piece.smaller()
        self._open.update({each.start: each for each in pieces})
        self._desk.more(len(pieces))
        self._desk.done(0)
        return pieces

    def _settle(self, piece: Piece, heard: Heard) -> None:
        del self._open[piece.start]
        if heard.answers is None:
            self._failed[piece.start] = (piece, heard)
            return
        self._models[piece.start] = heard.model
        self._rows.update(self._windows.rows(piece, heard.answers))

    async def _keep(self, piece: Piece, heard: Heard) -> None:
        if heard.answers is not None and self._keys:
            places = range(piece.start, piece.end)
            await self._desk.keep({self._keys[place]: {"row": self._rows[place]} for place in places})

    # --- what it came to

    def _screened(self) -> Screened:
        passages = self._source.passages
        rows = {**self._known, **self._rows}
        return Screened(
            {passages[place].id: rows[place] for place in sorted(rows)},
            tuple(self._errors()),
            tuple(model for _, model in sorted(self._models.items()) if model),
        )

    def _errors(self) -> Iterator[Unanswered]:
        """Give what was not answered; passages that are known from before are no part of it."""
        for piece, heard in self._unanswered():
            places = range(piece.start, piece.end)
            ids = tuple([self._source.passages[each].id for each in places if each not in self._known])
            if not ids:
                continue
            if heard is None:
                yield self._desk.stopped(None, ids)
            else:
                yield Unanswered(None, ids, heard.reason, heard.message)

    def _unanswered(self) -> list[tuple[Piece, Heard | None]]:
        """Give the pieces that failed, and where the run was ended those that were under way or never begun."""
        found: list[tuple[Piece, Heard | None]] = [*self._failed.values()]
        found += [(piece, None) for piece in self._open.values()]
        begun = {piece.start for piece, _ in found} | set(self._rows)
        found += [(each, None) for each in self._windows if each.start not in begun and not is_known(each, self._known)]
        return sorted(found, key=lambda each: each[0].start)
