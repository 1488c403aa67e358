"""Labelled examples of policies, asked of the judge of the settings or of the answers that were recorded."""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console

from cite_lsp.cli.counting import counting
from cite_lsp.cli.interrupts import cancelled_once
from cite_lsp.cli.judges import Judges
from cite_lsp.cli.policy_clients import Clients
from cite_lsp.cli.policy_shelf import Shelved, read_any
from cite_lsp.cli.run import Run, UnfinishedError, UsageError
from cite_lsp.findings.writing import replace_file
from cite_lsp.judges.policies import BookedClient
from cite_lsp.judges.sending import Sending
from cite_lsp.policy.examples import ExampleReport, run_examples
from cite_lsp.policy.progress import Stop
from cite_lsp.policy.recordings import ENDING as ANSWERS
from cite_lsp.policy.recordings import (
    RecordedClient,
    Recorder,
    Recordings,
    RecordingsError,
    read_recordings,
    recordings_text,
)
from cite_lsp.snapshot.lines import Unread

if TYPE_CHECKING:
    from cite_lsp.policy.asking import Client
    from cite_lsp.policy.file_examples import Example
    from cite_lsp.policy.options import Bands

NOBODY = "nobody"
"""Who answered where nothing is recorded."""
_SOURCE = "passages"


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of the examples of one policy.

    Attributes:
        report: Of the examples.
        identity: Who answered.
        when: The day on which the answers were recorded; "" where somebody was asked now.
        recordings: What was answered now; None where that was not to be recorded.
        stale: What is wrong with the policy's calibration, a sentence without a full stop each.
    """

    report: ExampleReport
    identity: str
    when: str = ""
    recordings: Recordings | None = None
    stale: tuple[str, ...] = ()


@dataclass
class Trying:
    """Tries examples of policies.

    Attributes:
        run: The run.
        command_line: Settings that the command line gives, by their dotted names.
        ask: Whether the judge of the settings is asked; else the recorded answers are taken.
        interrupted: Whether it was ended before it was done.
    """

    run: Run
    console: Console
    command_line: Mapping[str, Any] = field(default_factory=dict)
    ask: bool = False
    quiet: bool = False
    interrupted: bool = False

    def __post_init__(self) -> None:
        """Make what is needed to ask."""
        self.clients = Clients(self.run, Judges(self.run, self.command_line, cached=False), cached=False)

    def why_not(self) -> str:
        """Say why nobody can be asked, a sentence without a full stop; "" where somebody can, or need not be."""
        return self.clients.why_not(self.run.settings) if self.ask else ""

    def check_sending(self, full: str) -> None:
        """See to it that the text of a file may be sent where somebody is asked. Raises `UsageError`."""
        exclude = self.run.settings.judge.exclude
        if self.ask and Sending(self.run.snapshot, exclude, self.run.root).document(full):
            raise UsageError(f"{os.path.relpath(full)} is under judge.exclude, so nothing of it is sent")

    def all(
        self, shelved: Shelved, examples: "Sequence[Example]", *, record: bool = False, calibrated: bool = True
    ) -> Tried:
        """Try examples of a policy. An interrupt ends that and is not raised: what is not answered is not checked.

        Args:
            shelved: The policy.
            examples: Labelled.
            record: Whether what is answered is to be recorded.
            calibrated: Whether the bands that stand beside the policy count.

        Raises:
            UsageError: Nobody can be asked, or the recorded answers cannot be read.
        """
        if self.ask:
            self.check_sending(shelved.full)
            self.clients.make(self.run.settings)
        with counting(self.console, f"trying {shelved.name}", len(examples), quiet=self.quiet) as bar:
            done = 0

            def told(number: int) -> None:
                nonlocal done
                bar.advance(number - done)
                done = number

            return asyncio.run(self._all(shelved, examples, told, record=record, calibrated=calibrated))

    async def _all(
        self,
        shelved: Shelved,
        examples: "Sequence[Example]",
        told: Any,  # noqa: ANN401 - as `run_examples` takes it
        *,
        record: bool,
        calibrated: bool,
    ) -> Tried:
        client, identity, when = self._client(shelved)
        recorder = Recorder(client) if record else None
        known = shelved.bands(identity) if calibrated else None
        bands: Bands | None = known.bands if known is not None else None
        stop = Stop()
        try:
            report = await self._finished(recorder or client, shelved, examples, bands, told, stop)
        finally:
            await self.clients.close()
        kept = None if recorder is None else recorder.recordings(identity, time.strftime("%Y-%m-%d", time.gmtime()))
        return Tried(report, identity, when, kept, known.stale if known is not None else ())

    async def _finished(
        self,
        client: "Client",
        shelved: Shelved,
        examples: "Sequence[Example]",
        bands: "Bands | None",
        told: Any,  # noqa: ANN401
        stop: Stop,
    ) -> ExampleReport:
        file = shelved.read.file
        if file is None:
            raise UsageError(f"{shelved.read.path} cannot be asked")
        options = self.clients.options(file) if self.ask else file.options
        asking = asyncio.ensure_future(
            run_examples(client, file, examples, options=options, bands=bands, told=told, stop=stop)
        )
        with cancelled_once():
            while not asking.done():
                try:
                    await asyncio.wait({asking})
                except asyncio.CancelledError:
                    self.interrupted = True
                    stop.end("interrupted", "the run was interrupted")
        return asking.result()

    def _client(self, shelved: Shelved) -> "tuple[Client, str, str]":
        """Give who answers, its identity, and the day of recorded answers."""
        if self.ask:
            asked = self.clients.of(self.run.settings)
            return BookedClient(asked, self.clients.booking(self.run.settings), _SOURCE), asked.identity, ""
        recordings = recordings_of(shelved) or Recordings(NOBODY, "")
        recorded = RecordedClient(recordings)
        return recorded, recorded.identity, recordings.recorded_at


def recordings_of(shelved: Shelved) -> Recordings | None:
    """Give the answers that were recorded for a policy; None where there are none. Raises `UsageError`."""
    path = shelved.beside(ANSWERS)
    read = read_any(path)
    if isinstance(read, Unread):
        if read.status == "missing":
            return None
        raise UsageError(f"{os.path.relpath(path)} {read.reason}")
    try:
        return read_recordings(read.text)
    except RecordingsError as error:
        raise UsageError(f"{os.path.relpath(path)} cannot be used: {error}") from error


def keep_beside(shelved: Shelved, ending: str, text: str) -> str:
    """Write a file beside a policy file, and give its path. Raises `UsageError`, `UnfinishedError`."""
    what = "answers" if ending == ANSWERS else "bands"
    if shelved.is_shipped or shelved.is_table:
        where = "comes with cite-lsp" if shelved.is_shipped else "stands in the settings"
        raise UsageError(f"{shelved.name} {where}: to keep {what} of your own, copy it into a policy file of your own")
    path = shelved.beside(ending)
    write_file(path, text)
    return os.path.relpath(path)


def write_file(path: str, text: str) -> None:
    """Write a file whole or not at all, in place of one that is there. Raises `UnfinishedError`."""
    read = read_any(path)
    if isinstance(read, Unread) and read.status != "missing":
        raise UnfinishedError(f"{os.path.relpath(path)} {read.reason}")
    known = "" if isinstance(read, Unread) else read.sha256
    why = replace_file(path, text.encode(), known, os.path.dirname(path))
    if why:
        raise UnfinishedError(f"{os.path.relpath(path)} {why}")


def recorded_text(tried: Tried) -> str:
    """Give what was answered, as a file holds it."""
    return "" if tried.recordings is None else recordings_text(tried.recordings)
