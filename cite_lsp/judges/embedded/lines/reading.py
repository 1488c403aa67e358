"""The excerpts of a row as the checks read them."""

import re
from functools import cached_property

from cite_lsp.audit.verdicts import Row
from cite_lsp.judges.embedded.claim.values import numbers_in_code, values_in_prose
from cite_lsp.judges.embedded.claim.words import vocabulary
from cite_lsp.judges.embedded.lines.alignment import Index
from cite_lsp.judges.embedded.lines.code_reading import text_facts
from cite_lsp.judges.embedded.lines.facts import Fact, Line, facts_of, indent_of, lines_of
from cite_lsp.judges.embedded.lines.sentences import Sentence, sentences_of
from cite_lsp.snapshot.code_facts import CodeFact, CodeFacts, FactsOf
from cite_lsp.snapshot.languages import find_language

_CODE_MARKS = re.compile(r"[=(){};<>\[\]]|:\s*$|^\s*[\w\"'-]+:\s")
_SENTENCE = re.compile(r"[A-Za-z]{2,}(?:[ ,]+[A-Za-z'’-]+){4}")
_HEADING = re.compile(r"^#{1,6}\s")
_RAISES = re.compile(
    r"raise|throw|fail|panic|bail|Err|Fatal|Panic|errors\.New|anyhow|unreachable|todo|unimplemented|compile_error"
)
_RAISE_ABOVE = 20
"""Lines over which a statement that raises may reach."""
_MOST_UPWARDS = 400
_REST_OF_UNIT = 40
_REST_OF_RANGE = 100
"""Lines that a unit, or a range as it was written, may have more than are shown of it."""
_ENDS_HEADER = re.compile(r"\s*(?:\)|\{|where\b)")
_STYLE = re.compile(r"[_\-\s`\"']")
_PARTS = re.compile(r"\.|::|->|/|\(\)|\s+")
_IDENTIFIER = re.compile(r"[\w$]+(?:-[\w$]+)*")


class Reading:
    """What the cited lines hold. `file` is looked at only to hold a verdict back, or to name where a name stands."""

    def __init__(self, row: Row, facts_of: FactsOf | None = None) -> None:
        self.row = row
        self._facts_of = facts_of
        self.lines: list[Line] = lines_of(row.excerpts)
        self.truncated = any(excerpt.truncated for excerpt in row.excerpts)

    @property
    def may_end(self) -> int:
        """The last line, 1-based, that may belong to what was cited, where not all of that is shown."""
        excerpt = self.row.excerpts[-1]
        rest = _REST_OF_UNIT if excerpt.cited else _REST_OF_RANGE
        return excerpt.end_line + (rest if excerpt.truncated else 0)

    @cached_property
    def prose(self) -> bool:
        """Whether the lines are sentences: text files, or lines of no known language that look like it."""
        language = find_language(self.row.language)
        if language is not None:
            return language.kind != "code"
        marked = sum(1 for line in self.lines if _CODE_MARKS.search(line.text[:300]))
        said = sum(1 for line in self.lines if _SENTENCE.search(line.text[:300]))
        return said > marked

    @cached_property
    def refused(self) -> str:
        """Why nothing is said about such lines, or ""."""
        if not any(line.text.strip() for line in self.lines):
            return "no lines are cited, or only blank ones"
        if not any(character.isalnum() for line in self.lines for character in line.text):
            return "the cited lines hold only brackets and marks"
        return ""

    @cached_property
    def sentences(self) -> list[Sentence]:
        """The sentences of the lines: of a text, or of the comments, docstrings and texts in code."""
        return sentences_of(self.lines, prose=self.prose)

    @cached_property
    def code_lines(self) -> list[Line]:
        """The lines with code."""
        return [line for line in self.lines if line.code.strip()]

    @cached_property
    def facts(self) -> list[Fact]:
        """Names and their values."""
        return [] if self.prose else facts_of(self.lines)

    @cached_property
    def code(self) -> CodeFacts | None:
        """What a parser says of the cited lines; None where there is none, or it gave up: the text rules hold."""
        row = self.row
        if self._facts_of is None or row.file is None or row.language is None or self.prose:
            return None
        found = [self._facts_of(row.language, row.file, each.start_line, each.end_line) for each in row.excerpts]
        parsed = [each for each in found if each is not None]
        if not parsed or len(parsed) < len(found):
            return None
        facts = dict.fromkeys(fact for each in parsed for fact in each.facts)
        comments = dict.fromkeys(span for each in parsed for span in each.comments)
        return CodeFacts(tuple(facts), tuple(comments))

    @cached_property
    def stated(self) -> tuple[CodeFact, ...]:
        """What the code of the cited lines says, by a parser or else by text rules."""
        if self.code is not None:
            return self.code.facts
        return () if self.prose else text_facts(self.lines, self.context)

    @cached_property
    def may_raise(self) -> bool:
        """Whether the cited lines, or some above in which a statement may begin, have a word by which code raises."""
        row = self.row
        if row.file is None:
            return any(_RAISES.search(line.text) for line in self.lines)
        spans = ((max(0, each.start_line - 1 - _RAISE_ABOVE), each.end_line) for each in row.excerpts)
        return any(_RAISES.search("\n".join(row.file[first:last])) for first, last in spans)

    @cached_property
    def index(self) -> Index:
        """The lines by their words."""
        return Index([line.text for line in self.lines])

    @cached_property
    def words(self) -> set[str]:
        """The stems of everything cited."""
        return vocabulary(line.text for line in self.lines)

    @cached_property
    def context(self) -> tuple[str, ...]:
        """The lines above that enclose the cited ones: definitions, or headings."""
        if self.row.file is None or not self.row.excerpts:
            return ()
        first = self.row.excerpts[0].start_line
        file = self.row.file
        if first > len(file):
            return ()
        said = (text for text in file[first - 1 : self.row.excerpts[0].end_line] if text.strip())
        beginning = next(said, "")
        # Lines that begin in the middle of a header are enclosed by what that begins with.
        indent = indent_of(beginning) + (not self.prose and bool(_ENDS_HEADER.match(beginning)))
        found: list[str] = []
        for number in range(first - 2, max(-1, first - 2 - _MOST_UPWARDS), -1):
            text = file[number]
            if not text.strip():
                continue
            if self.prose:
                if _HEADING.match(text):
                    found.append(text)
            elif indent_of(text) < indent:
                # The last line of a header that is spread over several: its first one stands as far out.
                indent = indent_of(text) + bool(_ENDS_HEADER.match(text))
                found.append(text)
            if indent == 0 and not self.prose:
                break
        return tuple(found)

    @cached_property
    def context_words(self) -> set[str]:
        """The stems of what encloses the cited lines."""
        return vocabulary(self.context)

    @cached_property
    def numbers(self) -> frozenset[float]:
        """Every number of the cited lines, whatever it stands for."""
        found = {amount for line in self.lines for amount in numbers_in_code(line.text[:600])}
        for line in self.lines:
            found.update(amount for value in values_in_prose(line.comment[:600]) for amount in value.amounts)
            if self.prose:
                found.update(amount for value in values_in_prose(line.text[:600]) for amount in value.amounts)
        return frozenset(found)

    def names(self, text: str) -> bool:
        """Whether a name may stand in the cited lines: also as a part of another, in whatever style."""
        return _stands(text, [line.text for line in self.lines])

    def enclosed_by(self, text: str) -> bool:
        """Whether a name may stand in what encloses the cited lines."""
        return _stands(text, self.context)

    def spells(self, text: str) -> bool:
        """Whether a name of its own stands in the cited lines or what encloses them, in whatever style."""
        return self.line_with(text) is not None or any(_holds(text, line, there) for line, there in self._around)

    def line_with(self, text: str) -> Line | None:
        """Give the first line in which a name of its own stands."""
        pairs = zip(self.lines, self._tokens, strict=True)
        return next((line for line, there in pairs if _holds(text, line.text, there)), None)

    @cached_property
    def _tokens(self) -> list[frozenset[str]]:
        return [_tokens_of(line.text) for line in self.lines]

    @cached_property
    def _around(self) -> list[tuple[str, frozenset[str]]]:
        return [(line, _tokens_of(line)) for line in self.context]


def _stands(name: str, lines: "list[str] | tuple[str, ...]") -> bool:
    wanted = flat(name)
    return bool(wanted) and any(wanted in flat(line) for line in lines)


def _holds(name: str, line: str, there: frozenset[str]) -> bool:
    """Whether a line holds a name that is not a part of a longer one; of a dotted name each part."""
    parts = [part for part in _PARTS.split(name) if part]
    if not parts or not all(map(_IDENTIFIER.fullmatch, parts)):
        return _stands(name, [line])
    return all(flat(part) in there for part in parts)


def _tokens_of(line: str) -> frozenset[str]:
    """Give the names of a line, those with hyphens also in pieces, without what styles differ in."""
    found = _IDENTIFIER.findall(line[:2_000])
    return frozenset(flat(token) for whole in found for token in (whole, *whole.split("-")))


def flat(text: str) -> str:
    """Give a text in lower case without what styles of names differ in."""
    return _STYLE.sub("", text).lower()
