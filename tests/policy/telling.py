"""Passages that say themselves what is answered of them: `riddle=0.9` is the answer to the question about riddles."""

import re
from collections.abc import Mapping
from typing import Any

from cite_lsp.policy.files import PolicyFile, read_policy
from tests.policy.answering import Request, Rule, screening

POLICY = """
name = "riddles"
passages = "lines"
retries = 0

[[filter]]
name = "said"
question = "Is anything said in {passage}?"
yes = "Something is."
no = "Nothing is."

[[concern]]
name = "riddle"
detect = { question = "Does {passage} pose a riddle?", yes = "It does.", no = "It does not." }

[[concern]]
name = "joke"
detect = { question = "Does {passage} look like a joke?", yes = "It does.", no = "It does not." }
confirm = { question = "Is {passage} a punchline?", yes = "It is.", no = "It is not." }

[[factor]]
name = "ask"
question = "Does {passage} ask?"
yes = "It does."
no = "It does not."

[[factor]]
name = "tell"
question = "Does {passage} tell?"
yes = "It does."
no = "It does not."

[[concern]]
name = "pair"

  [[concern.role]]
  name = "one"
  factor = "ask"

  [[concern.role]]
  name = "two"
  factor = "tell"

  [[concern.check]]
  name = "fits"
  question = "Does {two} answer, as a match of {one}?"
  yes = "It does."
  no = "It does not."
"""

_WORDS = {
    "anything": "said",
    "riddle": "riddle",
    "like a joke": "joke",
    "punchline": "punchline",
    "ask": "ask",
    "tell": "tell",
    "match": "match",
}
_PATH = re.compile(r"`([^`]*)\.text`")


def answer(question: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    told = question["instructions"]
    word = next(word for mark, word in _WORDS.items() if mark in _PATH.sub("", told["question"]))
    paths = [told["inspect"]] if "inspect" in told else told["compare"]
    text = " ".join(texts[_PATH.fullmatch(path)[1]] for path in paths)  # type: ignore[index]
    found = re.search(rf"\b{word}=([\d.]+)", text)
    return {"noul": float(found[1]) if found else (0.95 if word == "said" else 0.05)}


def policy_file(*tests: str) -> PolicyFile:
    """The policy with these examples: what stands under each `[[test]]`."""
    read = read_policy(POLICY + "".join(f"\n[[test]]\n{each}\n" for each in tests), "policies/riddles.toml")
    assert read.file is not None, read.faults
    return read.file


def telling(**options: Any) -> Rule:
    return Rule(answer=answer, **options)


def round_two(request: Request) -> bool:
    return not screening(request)
