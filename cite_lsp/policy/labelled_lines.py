"""Labelled examples as JSON lines: more of them than anybody wants in a policy file.

A line is an example, with the keys of a `[[test]]` of a policy file (without a name it is called by its line); or a row
for a single question: `{"question": "filter:NAME", "score": 0.83, "answer": true, "group": "report-12"}`. Rows of one
group are never divided between folds; without a group a row stands alone.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from cite_lsp.audit.options import closest, shown
from cite_lsp.policy.answers import is_share
from cite_lsp.policy.calibration import LabelledScore
from cite_lsp.policy.file_examples import Example, Examples, Expected
from cite_lsp.policy.file_faults import Places
from cite_lsp.policy.file_reading import Reader
from cite_lsp.policy.files import PolicyFile
from cite_lsp.policy.hashes import labelled

_OF_ROWS: Final = ("question", "score", "answer", "group")


@dataclass(frozen=True, slots=True)
class LineFault:
    """What is wrong with a line: its 1-based number, and a sentence without a full stop."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """What a file of lines holds.

    Attributes:
        examples: Those that can be used; `line` is that of the file.
        rows: Of single questions.
        faults: All that is wrong, in the order of the lines.
    """

    examples: tuple[Example, ...] = ()
    rows: tuple[LabelledScore, ...] = ()
    faults: tuple[LineFault, ...] = ()


def read_labelled(text: str, file: PolicyFile) -> Labelled:
    """Read the lines for a policy; blank ones are passed over. Never raises for what they hold."""
    read = _Lines(file)
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip():
            read.add(number, line)
    return Labelled(tuple(read.examples), tuple(read.rows), tuple(read.faults))


class _Lines:
    def __init__(self, file: PolicyFile) -> None:
        self._expected = Expected([each.name for each in file.policy.concerns], file.passages, file.show, file.input)
        self._labels = labelled(file.policy)
        self._names = {each.name for each in file.tests}
        self.examples: list[Example] = []
        self.rows: list[LabelledScore] = []
        self.faults: list[LineFault] = []

    def add(self, number: int, line: str) -> None:
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._fault(number, f"this line is no JSON: {error}")
            return
        if not isinstance(data, dict):
            self._fault(number, "a line is a map: an example, or a row with question, score and answer")
        elif "question" in data:
            self._row(number, data)
        else:
            self._example(number, {"name": f"line {number}", **data})

    def _example(self, number: int, data: Mapping[str, Any]) -> None:
        places = Places("")
        reader = Reader(places, ())
        table = reader.table(data, "test", ())
        examples = Examples(places, self._expected, reader.wrong)
        made = examples.read([table])
        faults = [each.message for each in (*reader.faults, *examples.faults)]
        if made and made[0].name in self._names:
            faults.append(f"{shown(made[0].name)} is the name of another example")
        for fault in dict.fromkeys(faults):
            self._fault(number, fault)
        if made and not faults:
            self._names.add(made[0].name)
            self.examples.append(replace(made[0], line=number))

    def _row(self, number: int, data: Mapping[str, Any]) -> None:
        faults = list(self._faults_of_row(data))
        for fault in faults:
            self._fault(number, fault)
        if not faults:
            group = data.get("group", f"line {number}")
            self.rows.append(LabelledScore(data["question"], group, float(data["score"]), data["answer"]))

    def _faults_of_row(self, data: Mapping[str, Any]) -> Iterator[str]:
        for key in data:
            if key not in _OF_ROWS:
                yield f"a row has no key {shown(key)}{closest(key, _OF_ROWS)}"
        label = data["question"]
        if not isinstance(label, str) or label not in self._labels:
            yield f"the policy has no question {shown(label)}{closest(str(label), self._labels)}"
        if not is_share(data.get("score")):
            yield "score has to be a number from 0 to 1"
        if not isinstance(data.get("answer"), bool):
            yield "answer has to be true or false"
        if "group" in data and not (isinstance(data["group"], str) and data["group"]):
            yield "group has to be a text that is not empty"

    def _fault(self, number: int, message: str) -> None:
        self.faults.append(LineFault(number, message))
