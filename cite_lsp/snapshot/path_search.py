"""Which paths of an index somebody means who has typed a part of one: the best first, over 100,000 in milliseconds.

All paths stand in one text, case folded, and that is searched: what Python does for each path by itself would take
longer than a person waits. How a path answers is its tier; within one, what lies near the document comes first, then
what it cites already.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import NamedTuple

from cite_lsp.snapshot.paths import PathIndex, fold

LIMIT = 200
"""Paths that are given at most."""

_NAME, _ROOT, _SEGMENT, _INSIDE, _LETTERS_OF_NAME, _LETTERS = range(6)
"""The tiers: the file's name begins so; the path does; a folder on its way does; it stands somewhere in it; the letters
stand in the file's name in this order; in the path."""

_MOST_SEEN = 2_000
"""Answers of one tier that are looked at: behind so many of a kind nobody looks for the best."""

_FEW = 10
"""Answers below which letters are looked for that may stand apart in names; in whole paths only where there is none."""

_MOST_CITED = 100
"""Places that are kept free for cited files where a great many lie near."""

_LONGEST = 200
"""Characters that are searched for; more is no path that is being typed."""

_SHORT = 3
"""Characters below which nothing is looked for in the middle of words."""

_SELDOM = 16
"""Of so many lines one holds a letter that is seldom: to go from one such letter to the next is faster than to read."""

_SAMPLES, _SAMPLE = 16, 4_096
"""Parts of a text that its letters are counted in, and the characters of each."""


class Offered(NamedTuple):
    """A path, and its tier: the smaller, the better it answers."""

    tier: int
    path: str


class Asked(NamedTuple):
    """What is asked for.

    Attributes:
        typed: The part of a path, "/" between folders, nothing upwards in front; "" for what may be meant before
            anything is typed.
        folder: The root-relative folder of the document, "" for the root itself.
        cited: Root-relative paths that the document cites already, most wanted first.
        below: The root-relative folder that the answers lie in.
        strict: Only paths of which a name on the way begins with what is typed.
    """

    typed: str
    folder: str = ""
    cited: Sequence[str] = ()
    below: str = ""
    strict: bool = False


class PathSearch:
    """The search over one index. It makes its texts when they are first needed; not thread-safe."""

    def __init__(self, index: PathIndex) -> None:
        self.index = index
        self._paths = index.paths
        self._last: dict[int, tuple[str, list[int]]] = {}
        """By tier the letters that were looked for last, and all that hold them: more letters are in no others."""

    def prepare(self) -> Iterator[None]:
        """Make the texts ahead of the first question, one a step; those that are there cost nothing."""
        for make in (lambda: self._by_name, lambda: self._names, lambda: self._folder_text, lambda: self._texts):
            make()
            yield

    def find(self, asked: Asked, limit: int = LIMIT) -> list[Offered]:
        """Give the paths that answer, the best first, at most `limit`; none for what can be no path."""
        typed = fold(asked.typed)
        if len(typed) > _LONGEST or "\n" in typed:
            return []
        if not typed:
            return [Offered(_NAME, path) for path in islice(self._untyped(asked, limit), limit)]
        found: dict[int, tuple[int, int]] = {}
        for tier, numbers in self._tiers(typed, asked):
            self._take(tier, numbers, asked.below, found)
            if len(found) >= limit:
                break
        if not asked.strict and len(typed) >= _SHORT:
            if len(found) < _FEW and "/" not in typed:
                self._take(_LETTERS_OF_NAME, self._by_letters(_LETTERS_OF_NAME, typed), asked.below, found)
            if not found:
                self._take(_LETTERS, self._by_letters(_LETTERS, typed), asked.below, found)
        rank = _ranking(asked)
        ranked = sorted((tier, gaps, *rank(self._paths[number])) for number, (tier, gaps) in found.items())
        return [Offered(int(each[0]), str(each[-1])) for each in ranked[:limit]]

    def _take(
        self, tier: int, numbers: Iterable[tuple[int, int]], below: str, found: dict[int, tuple[int, int]]
    ) -> None:
        prefix = f"{below}/" if below else ""
        for number, gaps in numbers:
            if number not in found and self._paths[number].startswith(prefix):
                found[number] = tier, gaps

    # --- nothing typed

    def _untyped(self, asked: Asked, limit: int) -> Iterator[str]:
        prefix = f"{asked.below}/" if asked.below else ""
        wanted = dict.fromkeys(asked.cited)
        cited = [path for path in wanted if path in self.index and path.startswith(prefix)][:_MOST_CITED]
        seen = set(cited)
        here = sorted(self._in_folder(asked.folder), key=_least_deep)
        near = [path for path in here if path.startswith(prefix) and path not in seen]
        yield from near[: limit - len(cited)]
        yield from cited
        seen.update(near)
        for folder in (*([asked.below] if asked.below else ()), *_upwards(asked.folder)):
            for path in sorted(self._below(folder), key=_least_deep):
                if path not in seen and path.startswith(prefix):
                    seen.add(path)
                    yield path

    def _in_folder(self, folder: str) -> list[str]:
        """The files that lie in a folder itself, as far as they are among the first below it."""
        if not folder:
            return self._top
        depth = folder.count("/") + 1
        return [path for path in self._below(folder) if path.count("/") == depth]

    def _below(self, folder: str) -> Sequence[str]:
        """The first paths below a folder."""
        if not folder:
            return self._paths[:_MOST_SEEN]
        first, last = self._range(folder)
        return self._paths[first : min(last, first + _MOST_SEEN)]

    @cached_property
    def _top(self) -> list[str]:
        return [path for path in self._paths if "/" not in path][:_MOST_SEEN]

    # --- something typed

    def _tiers(self, typed: str, asked: Asked) -> Iterator[tuple[int, Iterable[tuple[int, int]]]]:
        """Give the tiers in their order: the numbers of paths, each with how far its letters lie apart."""
        folder, slash, name = typed.rpartition("/")
        if not slash:
            yield _NAME, _whole(self._named(typed, asked))
        yield _ROOT, _whole(self._at_folders("\n/", typed, folder, name))
        yield _SEGMENT, _whole(self._at_folders("/", typed, folder, name))
        if asked.strict:
            return
        if not slash and len(typed) < _SHORT:
            yield _INSIDE, _whole(self._inside_names(typed, whole_words=True))
            return
        if not slash:
            yield _INSIDE, _whole(self._inside_names(typed))
        yield _INSIDE, _whole(self._at_folders("", typed, folder, name))

    def _named(self, typed: str, asked: Asked) -> Iterator[int]:
        """The paths whose file's name begins so; of a great many, those near and cited and the first."""
        order = self._by_name
        first = bisect_left(order, typed, key=self._folded_name)
        last = bisect_right(order, typed, lo=first, key=lambda number: self._folded_name(number)[: len(typed)])
        if last - first > _MOST_SEEN:
            for path in (*self._below(asked.folder), *asked.cited):
                number = bisect_left(self._paths, path)
                if path in self.index and self._folded_name(number).startswith(typed):
                    yield number
        yield from order[first : min(last, first + _MOST_SEEN)]

    def _at_folders(self, before: str, typed: str, folder: str, name: str) -> Iterator[int]:
        """The paths below a folder whose path says so; `before`: what stands in front, a break at its beginning."""
        text, starts = self._folder_text
        seen = 0
        for number, end in _places(text, starts, before + typed):
            if "/" not in text[end : starts[number + 1] - 2]:  # else a folder that it lies in answers as well
                first, last = self._range(self._folders[number])
                yield from range(first, min(last, first + _MOST_SEEN - seen))
                seen += last - first
            if seen >= _MOST_SEEN:
                return
        if folder and name:
            for number, _ in _places(text, starts, f"{before}{folder}/\n"):
                yield from self._begun(self._folders[number], name)

    def _begun(self, folder: str, name: str) -> Iterator[int]:
        """The paths in a folder whose next name begins so."""
        first, last = self._range(folder)
        text, starts = self._texts
        skipped = len(fold(folder)) + 1
        for number in range(first, min(last, first + _MOST_SEEN)):
            if text.startswith(name, starts[number] + skipped):
                yield number
        if last - first > _MOST_SEEN:
            at = bisect_left(self._paths, f"{folder}/{name}", first, last)
            for number in range(at, min(last, at + _MOST_SEEN)):
                if not self._paths[number].startswith(name, len(folder) + 1):
                    return
                yield number

    def _inside_names(self, typed: str, *, whole_words: bool = False) -> Iterator[int]:
        """The paths in whose file's name a text stands; `whole_words`: where a word of it begins so."""
        text, starts = self._names
        for number, end in _places(text, starts, typed):
            if not whole_words or text[end - len(typed) - 1] in "_-.":
                yield number

    def _by_letters(self, tier: int, typed: str) -> Iterator[tuple[int, int]]:
        """The lines that hold the letters in their order; narrowed while more and more of them are typed."""
        text, starts = self._names if tier == _LETTERS_OF_NAME else self._texts
        before = self._last.get(tier)
        if before is not None and typed.startswith(before[0]):
            pattern = re.compile(_letters(typed))
            held = [number for number in before[1] if pattern.match(text, starts[number], starts[number + 1])]
        else:
            held = list(islice(_holding(typed, text, starts), _MOST_SEEN))
        if len(held) < _MOST_SEEN:
            self._last[tier] = typed, held
        return _near_together(typed, text, starts, held)

    # --- texts

    def _folded_name(self, number: int) -> str:
        text, starts = self._names
        return text[starts[number] : starts[number + 1] - 1]

    @cached_property
    def _by_name(self) -> "array[int]":
        return array("I", self.index.orders()[1])

    @cached_property
    def _texts(self) -> tuple[str, "array[int]"]:
        """All paths, folded, each on a line of its own, and where the lines begin."""
        return _joined(self._paths)

    @cached_property
    def _names(self) -> tuple[str, "array[int]"]:
        """The files' names, likewise."""
        return _joined([path[path.rfind("/") + 1 :] for path in self._paths])

    @cached_property
    def _folders(self) -> list[str]:
        """All folders that files lie below, each once."""
        found: dict[str, None] = {}
        last = ""
        for path in self._paths:
            folder = path.rpartition("/")[0]
            if folder == last:
                continue
            last = folder
            while folder and folder not in found:
                found[folder] = None
                folder = folder.rpartition("/")[0]
        return sorted(found)

    @cached_property
    def _folder_text(self) -> tuple[str, "array[int]"]:
        """The folders, likewise, with "/" at both ends."""
        return _joined([f"/{folder}/" for folder in self._folders])

    def _range(self, folder: str) -> tuple[int, int]:
        """The numbers of the paths below a folder: the first, and behind the last."""
        first = bisect_left(self._paths, folder + "/")
        return first, bisect_left(self._paths, folder + "0", first)  # the character behind "/"


def _least_deep(path: str) -> tuple[bool, int, str]:
    return path[0] == "." or "/." in path, path.count("/"), path


def _upwards(folder: str) -> Iterator[str]:
    """Give a folder and those it lies in, up to the root, which is ""."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def _whole(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    return ((number, 0) for number in numbers)


def _places(text: str, starts: Sequence[int], wanted: str) -> Iterator[tuple[int, int]]:
    """Give the lines in which a text stands, the break before them counted in, and where it first ends in each."""
    at = text.find(wanted)
    for _ in range(_MOST_SEEN):
        if at < 0:
            return
        number = bisect_right(starts, at + (wanted[0] == "\n")) - 1
        yield number, at + len(wanted)
        at = text.find(wanted, starts[number + 1] - 1)


def _joined(lines: Sequence[str]) -> tuple[str, "array[int]"]:
    """Give the lines, folded, as one text, and where each begins in it, and where one behind the last would."""
    text = "\n".join(("", *lines, ""))
    if text.isascii():
        text = text.lower()  # which is what `fold` makes of each
    else:
        lines = [fold(line) for line in lines]
        text = "\n".join(("", *lines, ""))
    return text, array("I", accumulate([len(line) + 1 for line in lines], initial=1))


def _holding(typed: str, text: str, starts: Sequence[int]) -> Iterator[int]:
    """Give the lines that hold letters in their order."""
    seldom = _seldom(typed, text)
    if seldom:
        pattern = re.compile(_letters(typed))
        for number in _lines_with(seldom, text, starts):
            if pattern.match(text, starts[number], starts[number + 1]):
                yield number
        return
    for match in re.finditer("\n" + _letters(typed), text):
        yield bisect_right(starts, match.start() + 1) - 1


def _seldom(typed: str, text: str) -> str:
    """Give a letter of what is typed that few lines seem to hold; "" where there is none."""
    apart = max(_SAMPLE, len(text) // _SAMPLES)
    sample = "".join([text[at : at + _SAMPLE] for at in range(0, len(text), apart)])
    count, letter = min((sample.count(letter), letter) for letter in set(typed))
    return letter if count * _SELDOM < sample.count("\n") else ""


def _lines_with(letter: str, text: str, starts: Sequence[int]) -> Iterator[int]:
    at = text.find(letter)
    while at >= 0:
        number = bisect_right(starts, at) - 1
        yield number
        at = text.find(letter, starts[number + 1])


def _letters(typed: str) -> str:
    """Give the expression of a line that holds letters in their order; none is gone back behind, so it is linear."""
    return "".join(rf"[^\n{re.escape(letter)}]*+{re.escape(letter)}" for letter in typed)


def _near_together(typed: str, text: str, starts: Sequence[int], numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Give those lines whose letters lie so near together that they may be meant, with how far apart that is."""
    most = len(typed) if "/" not in typed else 3 * len(typed)
    for number in numbers:
        gaps = _gaps(typed, text[starts[number] : starts[number + 1] - 1])
        if gaps <= most:
            yield number, gaps


def _gaps(typed: str, line: str) -> int:
    """Count the characters between the first and the last letter that are none of them, nearest the line's end."""
    at = line.rfind(typed[-1])
    end = at + 1
    for letter in reversed(typed[:-1]):
        if at < 0:
            break
        at = line.rfind(letter, 0, at)
    return len(line) if at < 0 else end - at - len(typed)


def _ranking(asked: Asked) -> Callable[[str], tuple[int, int, int, str]]:
    """Give what a path is sorted by: near the document, cited, others, hidden; folders away, length, itself."""
    cited = frozenset(asked.cited)
    prefix = asked.folder + "/" if asked.folder else ""
    folders = asked.folder.split("/") if asked.folder else []

    def rank(path: str) -> tuple[int, int, int, str]:
        near = path.startswith(prefix) and "/" not in path[len(prefix) :]
        shared = 0
        above = path.split("/")[:-1]
        for one, other in zip(folders, above, strict=False):
            if one != other:
                break
            shared += 1
        away = len(folders) + len(above) - 2 * shared
        group = 0 if near else 1 if path in cited else 3 if path[0] == "." or "/." in path else 2
        return group, away, len(path), path

    return rank
