"""Entries of logs: a line that begins one, with the lines that go on with it (stack traces, indented text)."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from cite_lsp.policy.splitting import Line, Part, lines_of

LEVELS = ("trace", "debug", "info", "notice", "warning", "error", "critical")
"""The levels that `meta` may have, whatever the log calls them."""

_WORDS = {
    "trace": "trace trce finest finer verbose",
    "debug": "debug dbg dbug fine config",
    "info": "info information informational inf",
    "notice": "notice",
    "warning": "warning warn wrn",
    "error": "error err severe eror fail",
    "critical": "critical crit fatal ftl alert emerg emergency panic",
}
_LEVEL_OF = {word: level for level, words in _WORDS.items() for word in words.split()}
_LEVEL_OF_LETTER = {"V": "trace", "D": "debug", "I": "info", "W": "warning", "E": "error", "F": "critical"}
_LEVEL_OF_SYSLOG = ("critical", "critical", "critical", "error", "warning", "notice", "info", "debug")
_LEVEL_OF_NUMBER = {10: "trace", 20: "debug", 30: "info", 40: "warning", 50: "error", 60: "critical"}
_TIME_KEYS = ("time", "timestamp", "ts", "@timestamp", "datetime", "date", "t", "@t", "asctime")
_LEVEL_KEYS = ("level", "severity", "lvl", "log.level", "levelname", "loglevel", "@l")
_LONGEST_HEAD = 400
"""Time and level stand in so many characters, or nowhere."""
_LONGEST_JSON = 65_536

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_CLOCK = r"[0-2]?[0-9]:[0-5][0-9]:[0-6][0-9](?:[.,][0-9]{1,9})?"
_ZONE = r"(?:[ ]?(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})(?![0-9A-Za-z]))?"
_TIMES = (
    rf"[0-9]{{4}}[-/.][0-9]{{2}}[-/.][0-9]{{2}}(?:[T ]{_CLOCK}{_ZONE})?(?![0-9A-Za-z])",
    rf"[0-9]{{8}}[T ]?[0-9]{{6}}(?:[.,][0-9]{{1,9}})?{_ZONE}(?![0-9A-Za-z])",
    rf"[0-9]{{1,2}}[/-](?:{_MONTH}|[0-9]{{2}})[/-][0-9]{{2,4}}[: ]{_CLOCK}{_ZONE}",
    rf"(?:(?:{_DAY}),?[ ])?{_MONTH}[ ]{{1,2}}[0-9]{{1,2}}(?:[ ][0-9]{{4}})?[ ]{_CLOCK}(?:[ ][0-9]{{4}})?{_ZONE}",
    rf"{_MONTH}[ ]{{1,2}}[0-9]{{1,2}},[ ][0-9]{{4}}[ ]{_CLOCK}[ ][AP]M(?![0-9A-Za-z])",
    rf"{_CLOCK}{_ZONE}(?![0-9A-Za-z])",
    r"1[0-9]{9}(?:\.[0-9]{1,9}|[0-9]{3})?(?![0-9A-Za-z])",
)
_TIME = "|".join(f"(?:{each})" for each in _TIMES)
_ALL_LEVELS = "|".join(sorted(_LEVEL_OF, key=len, reverse=True))

_STAMP = re.compile(
    rf"(?:<(?P<priority>[0-9]{{1,3}})>(?:1[ ])?)?[\[(]?(?:(?P<level>{_ALL_LEVELS})[\])]?[ :|,-]{{1,3}}[\[(]?)?"
    rf"(?P<time>{_TIME})",
    re.IGNORECASE,
)
"""A time at the beginning of a line, perhaps in brackets, behind a priority or a level."""
_ACCESS = re.compile(rf"\S{{1,255}} \S{{1,64}} \S{{1,64}} \[(?P<time>[0-9]{{2}}/{_MONTH}/[0-9]{{4}}:{_CLOCK}{_ZONE})\]")
_LETTERED = re.compile(r"(?P<letter>[VDIWEF])(?P<time>[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?)\b")
_KEYED = re.compile(
    r"(?:^|[ ])(?P<key>time|timestamp|ts|level|lvl|severity)=(?:\"(?P<quoted>[^\"\n]{1,80})\"|(?P<bare>[^\s\"]{1,80}))"
)
_LEVELLED = re.compile(rf"[\[(<]?(?P<level>{_ALL_LEVELS})[\])>]?(?=[ :|\t\]]|-[ ]|$)", re.IGNORECASE)
_LEVEL_WORD = re.compile(
    rf"(?<![\w.=/-])(?:(?P<shouted>{_ALL_LEVELS.upper()})(?![\w=/-])|[\[(<](?P<held>{_ALL_LEVELS})[\])>]"
    rf"|(?P<said>{_ALL_LEVELS}):(?=\s))"
)
_LEVEL_WORD_ANY_CASE = re.compile(_LEVEL_WORD.pattern, re.IGNORECASE)
_GOES_ON = re.compile(
    r"\s|Traceback \(most recent call last\)|Caused by:|\.\.\. [0-9]+ more|at [\w.$<>]+\(|During handling of the above"
    r"|The above exception was the direct cause|goroutine [0-9]+ \[|\[signal SIG"
    r"|created by [\w./-]+\.|[})\]]+[,;]?\s*$|stack backtrace:|---> |--- End of"
)
_FRAME = re.compile(r"(?=panic\(|[^(]*\.)(?:[\w./\[\]-]|\(\*?[\w.\[\]]+\)(?=\.))++\([^()]*\)\s*$")
"""A line of a stack trace of Go: a qualified name and what it was called with."""
_SAID = re.compile(r"(?:[Ee]rror|[Ww]arning|[Ii]nfo|[Dd]ebug)\b")
"""A level as the further lines of messages have it, and prose: `Error: …`, but not `ERROR`."""
_RAISED = re.compile(
    r"(?:[A-Za-z_][\w.$]*(?:Error|Exception|Warning|Exit|Interrupt|Throwable|Fault|Panic)|panic)\b[:( ]?"
)

_STAMPED_SHARE = 3
"""A log whose unindented lines carry a time once in so many lines is one in which every entry does."""


def entries(text: str, path: str) -> Iterator[Part]:  # noqa: ARG001 - one shape for all kinds
    """Give the entries, with `time` (as written) and `level` (one of `LEVELS`) where the first line tells them."""
    lines = [line for line in lines_of(text) if line.text.strip()]
    heads = [None if line.text[:1] in " \t" else _head(line.text) for line in lines]
    all_stamped = _is_stamped(lines, heads)
    first: Line | None = None
    meta: Mapping[str, Any] = {}
    last = 0
    tracing = False
    for line, head in zip(lines, heads, strict=True):
        if head is None:
            goes_on = _goes_on(line.text, all_stamped=all_stamped, tracing=tracing)
        elif first is not None and last == first.end and _is_headed(meta, head):
            goes_on, meta = True, {**meta, **head}
        else:
            goes_on = all_stamped and "time" not in head and bool(_SAID.match(line.text))
        if first is None or not goes_on:
            if first is not None:
                yield Part(first.start, last, meta)
            first, meta, tracing = line, head or _level_in(line.text), False
        else:
            tracing = bool(_GOES_ON.match(line.text) or _is_frame(line.text))
        last = line.end
    if first is not None:
        yield Part(first.start, last, meta)


def _is_stamped(lines: list[Line], heads: list[Mapping[str, Any] | None]) -> bool:
    flush = sum(not (_GOES_ON.match(line.text) or _is_frame(line.text)) for line in lines)
    stamped = sum(head is not None and "time" in head for head in heads)
    return stamped > 0 and stamped * _STAMPED_SHARE >= flush


def _goes_on(text: str, *, all_stamped: bool, tracing: bool) -> bool:
    """Whether a line without a head goes on with the entry before it."""
    return all_stamped or bool(_GOES_ON.match(text)) or (tracing and bool(_RAISED.match(text) or _is_frame(text)))


def _is_frame(text: str) -> bool:
    return bool(_FRAME.match(text[:_LONGEST_HEAD]))


def _is_headed(meta: Mapping[str, Any], head: Mapping[str, Any]) -> bool:
    """Whether a line goes on with one that has only a time, as Java's own logging writes it: the level comes below."""
    return "level" not in meta and str(meta.get("time", "")).endswith(("AM", "PM")) and "time" not in head


def _head(text: str) -> Mapping[str, Any] | None:
    """Give what a line that begins an entry tells of it; None for a line that does not look like one."""
    if text.startswith("{"):
        return _from_json(text)
    head = text[:_LONGEST_HEAD]
    found = _STAMP.match(head) or _ACCESS.match(head)
    if found is not None:
        return _stamped(head, found)
    if lettered := _LETTERED.match(head):
        return {"time": lettered["time"], "level": _LEVEL_OF_LETTER[lettered["letter"]]}
    keyed = _keyed(head)
    if keyed:
        return keyed
    levelled = _LEVELLED.match(head)
    return {"level": _LEVEL_OF[levelled["level"].lower()]} if levelled else None


def _stamped(head: str, found: re.Match[str]) -> Mapping[str, Any]:
    meta: dict[str, Any] = {"time": found["time"]}
    given = found.groupdict()
    if given.get("priority"):
        meta["level"] = _LEVEL_OF_SYSLOG[int(given["priority"]) % 8]
    elif given.get("level"):
        meta["level"] = _LEVEL_OF[given["level"].lower()]
    else:
        rest = head[found.end() :]
        meta |= {key: value for key, value in _keyed(rest).items() if key == "level"} or _level_in(rest)
    return meta


def _level_in(text: str) -> dict[str, Any]:
    """Give the level that a line names as a level: in capitals, in brackets, or before a colon."""
    head = text[:_LONGEST_HEAD]
    found = _LEVEL_WORD.search(head)
    for any_case in _LEVEL_WORD_ANY_CASE.finditer(head):
        if any_case["held"] or any_case["said"]:
            found = any_case if found is None or any_case.start() < found.start() else found
            break
    if found is None:
        return {}
    return {"level": _LEVEL_OF[(found["shouted"] or found["held"] or found["said"]).lower()]}


def _keyed(head: str) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    for found in _KEYED.finditer(head):
        value = found["quoted"] or found["bare"]
        if found["key"] in _TIME_KEYS:
            meta.setdefault("time", value)
        elif value.lower() in _LEVEL_OF:
            meta.setdefault("level", _LEVEL_OF[value.lower()])
    return meta


def _from_json(text: str) -> Mapping[str, Any] | None:
    if len(text) > _LONGEST_JSON:
        return {}
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    meta: dict[str, Any] = {}
    if isinstance(data, dict):
        data = {key.lower(): value for key, value in data.items()}
        times = [data[key] for key in _TIME_KEYS if isinstance(data.get(key), (str, int, float))]
        levels = [level for key in _LEVEL_KEYS if (level := _level_of(data.get(key)))]
        meta |= {"time": str(times[0])} if times else {}
        meta |= {"level": levels[0]} if levels else {}
    return meta


def _level_of(value: object) -> str | None:
    if isinstance(value, str):
        return _LEVEL_OF.get(value.lower())
    return _LEVEL_OF_NUMBER.get(value) if type(value) is int else None
