"""Citations as they are kept by the ten thousand: numbers in an array, and each different text once."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar, overload

Span = tuple[int, int]
"""First and last line, 1-based."""

_Value = TypeVar("_Value")


class Citation(NamedTuple):
    """One citation: where it stands in its document, and what it cites."""

    line: int
    """0-based."""
    column: int
    """In units of the encoding that the index was made with."""
    end_line: int
    end_column: int
    text: str
    """As written, shown on one line."""
    path: str
    """The cited file, absolute; "" where the citation leads to none."""
    spans: tuple[Span, ...]
    """None of a citation whose numbers name no lines."""
    via: str

    def cites(self, spans: Sequence[Span] | None) -> bool:
        """Say whether it cites a line of `spans`; None stands for the whole file."""
        if spans is None:
            return True
        return any(first <= high and low <= last for first, last in self.spans for low, high in spans)


_WIDTH = len(Citation._fields)
_PATH = Citation._fields.index("path")


class _Numbered(Generic[_Value]):
    """Different values, each with the number that it was given first."""

    __slots__ = ("_numbers", "values")

    def __init__(self) -> None:
        self._numbers: dict[_Value, int] = {}
        self.values: list[_Value] = []

    def number(self, value: _Value) -> int:
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


class Wordings:
    """The texts and spans that citations of many documents share; nothing of them is let go of.

    `kept` is how many citations they were made from.
    """

    __slots__ = ("_spans", "_texts", "kept")

    def __init__(self) -> None:
        self.kept = 0
        self._texts: _Numbered[str] = _Numbered()
        self._spans: _Numbered[tuple[Span, ...]] = _Numbered()

    def keep(self, citations: Iterable[Citation]) -> "Citations":
        """Give citations as they are kept."""
        rows = array("I")
        text, spans = self._texts.number, self._spans.number
        for each in citations:
            rows.extend((*each[:4], text(each.text), text(each.path), spans(each.spans), text(each.via)))
        found = Citations(rows, self)
        self.kept += len(found)
        return found

    def kept_text(self, text: str) -> str:
        """Give the one object of equal texts."""
        return self._texts.values[self._texts.number(text)]

    def counted(self, every: Iterable["Citations"]) -> Counter[str]:
        """Count the citations of each file, by its absolute path."""
        numbers: Counter[int] = Counter()
        for citations in every:
            numbers.update(citations.path_numbers())
        return Counter({path: count for number, count in numbers.items() if (path := self.text(number))})

    def text(self, number: int) -> str:
        """Give a text by its number."""
        return self._texts.values[number]

    def citations(self, rows: Sequence[int], wanted: "Wanted | None" = None) -> Iterator[Citation]:
        """Give the citations that rows of numbers are, one behind the other; None wants all."""
        texts, every = self._texts.values, self._spans.values
        make = tuple.__new__  # what the class itself does, without a call of Python for each
        numbers = iter(rows)
        for line, column, end_line, end_column, text, path, spans, via in zip(*[numbers] * _WIDTH, strict=True):
            if wanted is None or wanted[path]:
                where = (line, column, end_line, end_column, texts[text], texts[path], every[spans], texts[via])
                yield make(Citation, where)


class Citations(Sequence[Citation]):
    """The citations of one document, each made when it is asked for: it takes 32 bytes here, as an object 200."""

    __slots__ = ("_rows", "_wordings")

    def __init__(self, rows: "array[int]", wordings: Wordings) -> None:
        self._rows = rows
        self._wordings = wordings

    def __len__(self) -> int:
        return len(self._rows) // _WIDTH

    @overload
    def __getitem__(self, at: int) -> Citation: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Citation]: ...
    def __getitem__(self, at: int | slice) -> Citation | Sequence[Citation]:
        if isinstance(at, slice):
            return tuple(self)[at]
        start = range(len(self))[at] * _WIDTH
        return next(self._wordings.citations(self._rows[start : start + _WIDTH]))

    def __iter__(self) -> Iterator[Citation]:
        return self._wordings.citations(self._rows)

    def files(self) -> set[str]:
        """Give the files that are cited, absolute."""
        return {path for number in set(self.path_numbers()) if (path := self._wordings.text(number))}

    def path_numbers(self) -> "array[int]":
        """Give the numbers of the cited files' paths, in order of place."""
        return self._rows[_PATH::_WIDTH]

    def of_files(self, wanted: "Wanted") -> Iterator[Citation]:
        """Give the citations of those files that are wanted, in order of place."""
        return self._wordings.citations(self._rows, wanted)


class Wanted(dict[int, bool]):
    """Whether a cited file is wanted, by the number of its path; `fits` is asked once about each, never about ""."""

    def __init__(self, wordings: Wordings, fits: Callable[[str], bool]) -> None:
        super().__init__()
        self._wordings = wordings
        self._fits = fits

    def __missing__(self, number: int) -> bool:
        path = self._wordings.text(number)
        fits = self[number] = bool(path) and self._fits(path)
        return fits
