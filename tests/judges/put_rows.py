"""What stands in a prompt, read back: for scripted models that answer by what they were asked.

answer_rows(user_text, {"The cap is three.": said("supported", "CAP = 3")})
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cite_lsp.judges import canary as canaries

_ROW = re.compile(r'<row_(?P<code>[0-9a-f]+) id="(?P<id>\d+)">\n(?P<inside>.*?)\n</row_(?P=code)>', re.DOTALL)
_CANARIES = frozenset(each[0] for each in canaries._CLAIMS)

Answer = dict[str, Any]


@dataclass(frozen=True)
class PutRow:
    """A row as it was put to the model."""

    id: int
    claim: str
    sentence: str
    lines: tuple[str, ...]
    turned: bool

    @property
    def canary(self) -> bool:
        """Whether it is the row whose answer is known. A model cannot tell; a test has to."""
        return self.claim in _CANARIES


def put_rows(user: str) -> list[PutRow]:
    """The rows of a prompt, in their order."""
    rows = []
    for found in _ROW.finditer(user):
        parts = [line.partition("| ") for line in found["inside"].split("\n")]
        texts = {name: text for name, _, text in parts}
        lines = tuple(text for name, _, text in parts if re.fullmatch(r"L\d+", name))
        turned = parts[0][0] != "claim"
        rows.append(PutRow(int(found["id"]), texts["claim"], texts.get("sentence", ""), lines, turned))
    return rows


def outside(user: str) -> str:
    """What of a prompt stands outside the fences."""
    return _ROW.sub("", user)


def said(label: str, quote: str = "", *, reason: str = "Because.", missing: str = "") -> Answer:
    """What a model says of one row."""
    return {"reason": reason, "quote": quote, "missing": missing, "label": label}


def answer_rows(user: str, answers: Mapping[str, Answer] | Callable[[PutRow], Answer]) -> str:
    """A whole reply: what is given by claim (or worked out), and the right answer to the canary."""
    results = []
    for row in put_rows(user):
        if row.canary:
            answer = said("unsupported_off_topic")
        else:
            answer = answers(row) if callable(answers) else answers[row.claim]
        results.append({"id": row.id, **answer})
    return json.dumps({"results": results})


def agree(row: PutRow) -> Answer:
    """Calls a row supported, and quotes its first line."""
    return said("supported", row.lines[0])
