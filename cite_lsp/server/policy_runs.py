"""Runs of policies over open files: what each is about, how far it is, and what it came to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cite_lsp.server.judging import Begun
from cite_lsp.server.open_document import OpenDocument, Place
from cite_lsp.server.policy_book import Since

if TYPE_CHECKING:
    from cite_lsp.policy.progress import Stop


@dataclass(frozen=True, slots=True)
class PolicyCount:
    """What one policy came to in a file."""

    policy: str
    passages: int
    unchecked: int
    found: int
    review: int
    why: str

    def to_data(self) -> dict[str, Any]:
        """Give it as the command answers."""
        return {
            "policy": self.policy,
            "passages": self.passages,
            "unchecked": self.unchecked,
            "found": self.found,
            "review": self.review,
            "why": self.why or None,
        }


@dataclass(slots=True)
class Ran:
    """What a run over a file came to.

    `why`: why nobody was asked, a sentence; "" where somebody was. `refused`: the policy files that are faulty.
    """

    counts: list[PolicyCount] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    why: str = ""
    ended: bool = False
    """Whether a person has ended it."""


@dataclass(slots=True)
class Run:
    """One run over a file: the text as it was begun with, and how far it is."""

    place: Place
    text: str
    begun: Begun | None
    since: Since
    by_hand: bool
    ran: Ran = field(default_factory=Ran)
    stop: "Stop | None" = None
    queued: int = 0
    """Passages that are waited for."""

    again: bool = False
    """Whether it was saved again meanwhile, as it is."""
    sends: bool = False
    """Whether the text may be sent, as far as was known when it was planned."""

    hashes: Mapping[str, str] | None = None
    """Of the policies that there were as it began; None where it has not read them yet."""

    def end(self) -> None:
        """End it: nothing more is asked, what was answered is told."""
        self.ran.ended = True
        if self.stop is not None:
            self.stop.end("cancelled", "the run was ended before this was asked")


def why_too_large(document: OpenDocument, place: Place) -> str:
    """Say why a file that is no document is too large to be asked about; "" where it is not."""
    limit = place.settings.files.max_document_bytes
    return f"this file has more than {limit:,} characters (files.max_document_bytes)" if document.size > limit else ""


def is_about(run: Run, document: OpenDocument, place: Place) -> bool:
    """Whether a run is about a file as it is now, and asks as it would be asked now."""
    if run.ran.ended or asked_by(run.place) != asked_by(document.place or document.beside or place):
        return False
    return run.text == document.buffer.text


def asked_by(place: Place | None) -> object:
    """Give what says who is asked, and what: settings, and the files beside."""
    if place is None:
        return None
    settings = place.settings
    who = settings.judge, settings.policies, settings.policy, settings.cache, settings.server.trusted
    return place.space, place.path, who
