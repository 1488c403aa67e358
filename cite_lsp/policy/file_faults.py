"""Where the faults of a policy file stand."""

import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from cite_lsp.document.toml_places import Range, Spans, key_spans
from cite_lsp.document.toml_text import TomlFault
from cite_lsp.policy.file_keys import Path

MOST_FAULTS = 100
_LINE_END = re.compile(r"\r\n|\r|\n")
_PLACEHOLDER = re.compile(r"\{([A-Za-z0-9_]+)\}")


@dataclass(frozen=True, slots=True)
class FileFault:
    """One thing that is wrong with a policy file.

    Attributes:
        line: 1-based; lines end at a line feed, a carriage return, or both together.
        column, end_column: 1-based, in code points; the fault reaches up to `end_column`, in the same line.
        path: The keys and indices that lead to it from the top of the file's tree; of what is missing, those that lead
            to what it is missing from.
        message: A sentence without a full stop.
    """

    line: int
    column: int
    end_column: int
    path: Path
    message: str


class Places:
    """A TOML text, as far as faults in it have to be placed. The empty text has one place."""

    def __init__(self, text: str = "") -> None:
        self._text = text
        self._mark = 1 if text.startswith("\ufeff") else 0

    @property
    def toml(self) -> str:
        """The text without its byte-order mark."""
        return self._text[self._mark :]

    @cached_property
    def _spans(self) -> Spans:
        return key_spans(self.toml)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self._text))]

    def at_key(self, path: Path, message: str) -> FileFault:
        """A fault of a key or a table, or of what is missing from it."""
        return self._fault(self._spans.of_key(path), path, message)

    def at_value(self, path: Path, message: str) -> FileFault:
        """A fault of what a key is given."""
        return self._fault(self._spans.of_value(path), path, message)

    def at_placeholder(self, path: Path, message: str, allowed: Collection[str]) -> FileFault:
        """A fault of a text: at the first of its placeholders that is not allowed and that the message names."""
        span = self._spans.values.get(path)
        for found in _PLACEHOLDER.finditer(self.toml, *span) if span else ():
            if found[1] not in allowed and found[0] in message:
                span = found.span()
                break
        return self._fault(span or self._spans.of_value(path), path, message)

    def at_syntax(self, fault: TomlFault) -> FileFault:
        """What keeps the text from being read."""
        feeds = self._text.split("\n")
        line = min(fault.line or 1, len(feeds))
        before = sum(len(each) + 1 for each in feeds[: line - 1])
        column = (fault.column or 1) - 1 + (self._mark if line == 1 and fault.column else 0)
        start = before + min(column, len(feeds[line - 1]))
        return self.at_offset(start, fault.reason)

    def at_offset(self, start: int, message: str) -> FileFault:
        """A fault of one character of the text, of the file as a whole."""
        return self._fault((start - self._mark, start - self._mark + 1), (), message)

    def _fault(self, span: Range | None, path: Path, message: str) -> FileFault:
        start, end = (span[0] + self._mark, span[1] + self._mark) if span else (0, 0)
        line = bisect_right(self._starts, start)
        begins = self._starts[line - 1]
        stops = _LINE_END.search(self._text, start)
        end = min(end, stops.start() if stops else len(self._text))
        return FileFault(line, start - begins + 1, max(start, end) - begins + 1, path, message)


def in_order(faults: Collection[FileFault]) -> tuple[FileFault, ...]:
    """Give faults in the order of their places, each once; of very many the first, and how many more there are."""
    found = sorted(dict.fromkeys(faults), key=lambda fault: (fault.line, fault.column))
    if len(found) <= MOST_FAULTS:
        return tuple(found)
    first = found[MOST_FAULTS]
    more = f"{len(found) - MOST_FAULTS:,} more faults stand here and below"
    return (*found[:MOST_FAULTS], FileFault(first.line, first.column, first.end_column, (), more))
