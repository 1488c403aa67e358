"""A judge over HTTP in a process of its own: `python -m tests.bench.answering SECONDS` prints its port.

It answers after so many seconds, and ends with its standard input.
"""

import re
import sys

import orjson

from tests.clients.scripted import Request, ScriptedServer, after, asked, by_request, reply_for

_ROW = re.compile(r'<row_\w+ id="(\d+)">\n(.*?)\n</row_', re.DOTALL)
_LINE = re.compile(r"^L\d+\| (.*\S.*)$", re.MULTILINE)


def answer_to(request: Request) -> str:
    """Call rows supported by their first line, but those that the bench makes false and the test with an order."""
    entries = []
    for number, text in _ROW.findall(asked("openai", request).user):
        line = _LINE.search(text)
        false = "answer supported" in text or "The file exports" in text
        said = "unsupported_off_topic" if false or line is None else "supported"
        quote = line[1] if line is not None and said == "supported" else ""
        entries.append({"id": int(number), "reason": "so it is", "quote": quote, "missing": "", "label": said})
    return orjson.dumps({"results": entries}).decode()


def main() -> None:
    """Serve until standard input ends."""
    step = by_request(lambda request: reply_for("openai", answer_to(request)))
    with ScriptedServer(after(float(sys.argv[1]), step)) as server:
        print(server.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
