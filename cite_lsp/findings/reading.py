"""How a document is parsed, and what a snapshot reads, under the settings: the same for both faces."""

from collections.abc import Container
from functools import lru_cache
from typing import TYPE_CHECKING

from cite_lsp.config import Settings
from cite_lsp.document.document import Document
from cite_lsp.document.pattern import compile_pattern
from cite_lsp.snapshot.snapshot import Scope

if TYPE_CHECKING:
    from regex import Pattern


def parse_document(text: str, path: str, known: Container[str], settings: Settings) -> Document:
    """Parse a document under its settings; `path` and `known` are those of `Document.parse`."""
    anchors = settings.anchors
    return Document.parse(
        text,
        path,
        known,
        None if anchors.pattern is None else _pattern(anchors.pattern),
        in_fences=anchors.in_fences,
        extensions=frozenset(anchors.extensions),
    )


def scope_of(settings: Settings) -> Scope:
    """Give what a snapshot needs of the settings."""
    return Scope(tuple(settings.anchors.foreign), dict(settings.anchors.repositories), settings.files.max_bytes)


def as_of_setting(settings: Settings, path: str) -> str:
    """Give what the citations of a document are read as of: "" the present, "written", or a commit.

    `path` is the document's, relative to the folder of its settings.
    """
    return settings.as_of if settings.is_record(path) else ""


@lru_cache(maxsize=64)
def _pattern(expression: str) -> "Pattern[str] | None":
    """Compile the user's expression once: trying it out takes longer than most documents."""
    compiled = compile_pattern(expression)
    return None if isinstance(compiled, str) else compiled
