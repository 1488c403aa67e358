"""One repair as it is offered: what would be written, what is known of it, and the words for both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cite_lsp.findings.finding import Edit
from cite_lsp.judges.shown_lines import visible
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.session import Session
from cite_lsp.snapshot.lines import FileText

_MOST_SHOWN = 200
"""Characters of a text that are shown in full; of a longer one what is changed, with some words around."""
_AROUND = 40
_WORDS: Mapping[str, str] = {
    "supported": "This is supported",
    "partial": "Still supported in part only",
    "unsupported": "Still unsupported",
    "review": "Still to be compared by a person",
    "unchecked": "Not checked",
}
_BRIEFLY: Mapping[str, str] = {
    "partial": "still in part only",
    "unsupported": "still unsupported",
    "review": "still to be compared",
    "unchecked": "not checked",
}


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair.

    Attributes:
        title: What is done, for a list of several.
        old, written: What would be replaced and what it would read as: the citation, or its sentence.
        edits: Offsets into the document.
        label: What was said of it; "" where nobody was asked.
        why: What that rests on.
        model: Who proposed it; "" for what needs no model.
        reason: What the model says of it.
        cited: The file that it was judged by; None where that does not count.
    """

    title: str
    old: str
    written: str
    edits: tuple[Edit, ...]
    label: str = ""
    why: str = ""
    model: str = ""
    reason: str = ""
    cited: FileText | None = None

    @property
    def choice(self) -> str:
        """The words of the button that stands for it among several."""
        if not self.label:
            return self.title
        what = self.title if self.model else self.written
        return f"{what} ({_BRIEFLY.get(self.label, self.label)})"


def asks_model(session: Session, document: OpenDocument) -> str:
    """Give the name of the model that is asked for repairs in a document; "" where none is."""
    settings = document.place.settings if document.place is not None else None
    if settings is None or (settings.repair.name is None and settings.judge.name == "embedded"):
        return ""
    if not (session.trusted and settings.server.trusted):
        return ""
    from cite_lsp.judges.repairer import names_a_model  # noqa: PLC0415 - few have one

    name = names_a_model(settings.repair, settings.judge)
    return ((settings.repair if settings.repair.name is not None else settings.judge).model or name) if name else ""


def offer(name: str, citation: str, repairs: Sequence[Repair]) -> str:
    """Give the text that offers repairs of a citation in the document `name`."""
    if len(repairs) == 1:
        return " ".join([f"{name}: {_change(repairs[0])}", *_known(repairs[0])])
    told = [" ".join([f"{_from(repair)}: {_change(repair)}", *_known(repair)]) for repair in repairs if repair.model]
    return " ".join([f"{name}: what should {as_text(citation)} become?", *told])


def as_text(text: str) -> str:
    """Give a text for a message: nothing hidden in it, and nothing that a client makes a link of."""
    return visible(" ".join(text.split())).replace("](", "] (")


def _from(repair: Repair) -> str:
    return f"A proposal of {as_text(repair.model)}"


def _change(repair: Repair) -> str:
    old, new = shortened(as_text(repair.old), as_text(repair.written))
    if old == new:  # only spaces differ
        return f"the spaces in “{old}” would change."
    if " " not in old:
        return f"{old} would become {new}."
    return f"“{old}” would become “{new}”" + ("" if new.endswith((".", "!", "?", "…")) else ".")


def _known(repair: Repair) -> list[str]:
    """Give what is known of a repair: the verdict first, then what the model says for itself."""
    said = []
    if repair.label:
        word = _WORDS.get(repair.label, repair.label)
        why = as_text(repair.why).rstrip(".")
        said.append(f"{word}: {why}." if why else f"{word}.")
    if repair.reason:
        said.append(f"The model says: {shortened(as_text(repair.reason), '')[0].rstrip('.')}.")
    return said


def shortened(old: str, new: str) -> tuple[str, str]:
    """Give two texts as they are where they are short; else what differs, and as much around it as there is room."""
    if max(len(old), len(new)) <= _MOST_SHOWN:
        return old, new
    shorter = min(len(old), len(new))
    same = next((index for index in range(shorter) if old[index] != new[index]), shorter)
    tail = next((index for index in range(shorter - same) if old[-1 - index] != new[-1 - index]), shorter - same)
    return _middle(old, same, tail), _middle(new, same, tail)


def _middle(text: str, same: int, tail: int) -> str:
    low = max(0, same - _AROUND)
    high = len(text) - max(0, tail - _AROUND)
    low = text.rfind(" ", 0, low) + 1 if low else 0
    shown = text[low:high]
    room = _MOST_SHOWN - _AROUND
    if len(shown) > room:
        shown = f"{shown[: room // 2]}…{shown[-room // 2 :]}"
    return f"{'…' if low else ''}{shown}{'…' if high < len(text) else ''}"
