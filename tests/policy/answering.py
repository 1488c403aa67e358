"""Clients that answer by rule: the same request gets the same answer, whoever asks when.

`Rule` says what is answered; `sync_client` and `async_client` make callables of it, the second one with pauses that
bring replies out of order.
"""

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cite_lsp.policy import Check, Choice, Concern, Factor, Filter, Policy, Role, Score, YesNo

Request = dict[str, Any]
Reply = dict[str, Any]


def asks(what: str = "it") -> YesNo:
    return YesNo(f"Does {{passage}} say {what}?", yes="It does.", no="It does not.")


RIDDLES = Policy([Concern("riddle", detect=asks("riddles"))])
WHOLE = Policy(
    concerns=[
        Concern("plain", detect=asks("plainly")),
        Concern("confirmed", detect=asks("surely"), confirm=asks("again"), category="kind"),
        Concern(
            "built",
            roles=[Role("one", "first"), Role("two", "second", distinct=True), Role("three", "third", optional=True)],
            checks=[
                Check("agree", YesNo("Do {one} and {two} agree?", yes="They do.", no="They do not.")),
                Check(
                    "apart",
                    YesNo("Are {one} and {three} apart?", yes="They are.", no="They are not."),
                    distinct=True,
                ),
            ],
        ),
    ],
    filters=[Filter("said", asks("anything"))],
    factors=[Factor("first", asks("first")), Factor("second", asks("second")), Factor("third", asks("third"))],
    descriptors=[
        Score("severity", "How severe is it?", ["low", "middle", "high"]),
        Choice("lasting", "Does it last?", {"yes": "It lasts.", "no": "It passes."}),
    ],
)
"""A policy with every part that there is."""


def drawn(*texts: str) -> float:
    """A probability that hangs on texts alone, of two digits, so that ties and edges of bands are met."""
    return int.from_bytes(hashlib.sha256("\x00".join(texts).encode()).digest()[:4]) % 101 / 100


_PATH = re.compile(r"`([^`]*)\.text`")


def read_passages(request: Request) -> dict[str, str]:
    """The texts of a request by the paths that its questions name them by."""
    found: dict[str, str] = {}
    for name, value in request["state"].items():
        if "text" in value and "id" in value:
            found[name] = value["text"]
        else:
            found.update({f"{name}.{key}": each["text"] for key, each in value.items()})
    return found


def texts_of(request: Request) -> list[str]:
    return list(read_passages(request).values())


def by_words(question: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """An answer that hangs on the question's words and on the texts it points at, not on what they are called."""
    told = question["instructions"]
    paths = [told["inspect"]] if "inspect" in told else told["compare"]
    pointed = [texts[_PATH.fullmatch(path)[1]] for path in paths]  # type: ignore[index]
    value = drawn(_PATH.sub("", told["question"]), question["type"], *pointed)
    match question["type"]:
        case "noul":
            return {"noul": value}
        case "score":
            return {"score": value * (len(question["criteria"]) - 1), "confidence": value}
        case _:
            options = list(question["criteria"])
            return {"choice": options[round(value * (len(options) - 1))], "confidence": value}


def yes_to(question: Any) -> dict[str, Any]:
    match question["type"]:
        case "noul":
            return {"noul": 1}
        case "score":
            return {"score": 2, "confidence": 0.5, "why": "an extra field is kept"}
        case _:
            return {"choice": "no", "confidence": 0.5}


Fault = Callable[[Request, int], Reply | Exception | None]
"""What goes wrong with a request that is asked for so many times, 1 being the first; None: nothing."""


@dataclass
class Rule:
    """What a client says, and what it was asked."""

    fault: Fault = lambda request, times: None
    answer: Callable[[Mapping[str, Any], Mapping[str, str]], dict[str, Any]] = by_words
    usage: bool = True
    requests: list[Request] = field(default_factory=list)
    times: Counter[str] = field(default_factory=Counter)

    def reply(self, request: Request) -> Reply:
        name = json.dumps(request)
        self.requests.append(request)
        self.times[name] += 1
        fault = self.fault(request, self.times[name])
        if isinstance(fault, Exception):
            raise fault
        if fault is not None:
            return fault
        texts = read_passages(request)
        answers = {key: self.answer(question, texts) for key, question in request["questions"].items()}
        tokens = {"input_tokens": len(name), "output_tokens": len(answers)}
        return {"answers": answers, "usage": tokens if self.usage else None, "model": f"model-{len(name) % 3}"}


def sync_client(rule: Rule) -> Callable[[Request], Reply]:
    return rule.reply


def async_client(rule: Rule, longest: int = 5) -> Callable[[Request], Awaitable[Reply]]:
    """Replies after some turns of the loop, which hang on the request."""

    async def client(request: Request) -> Reply:
        for _ in range(round(drawn(json.dumps(request)) * longest)):
            await asyncio.sleep(0)
        return rule.reply(request)

    return client


def screening(request: Request) -> bool:
    """Whether a request is of the first round: its questions are named after passages."""
    return any(":" in key and not key.startswith("confirm:") for key in request["questions"])


class Shelf:
    """A memory that is a dictionary; what it holds went through JSON."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.asked = 0

    def recall(self, keys: Any) -> dict[str, Any]:
        self.asked += len(keys)
        return {key: json.loads(self.kept[key]) for key in keys if key in self.kept}

    def keep(self, known: Mapping[str, Mapping[str, Any]]) -> None:
        self.kept.update({key: json.dumps(value) for key, value in known.items()})


class Clock:
    """The clock of the running loop, which a test can put forward: deadlines pass without anybody waiting for them."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._passed = 0.0
        plain = self._loop.time
        self._loop.time = lambda: plain() + self._passed  # type: ignore[method-assign]

    def an_hour_passes(self) -> None:
        """From any thread."""
        self._loop.call_soon_threadsafe(self._put_forward)

    def _put_forward(self) -> None:
        self._passed += 3600
