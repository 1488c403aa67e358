"""`$/setTrace` and `$/logTrace`: what passes, by name and number; never what it says."""

import re
from pathlib import Path
from typing import Any

from tests.server.at_rest import rest
from tests.server.harness import PUBLISH, Session, at

TRACE = "$/logTrace"
QUIET = ("cite-lsp/status", "$/progress", PUBLISH)
SECRET = "sk-live-0123456789abcdef"  # noqa: S105 - what must not be seen


def traced(session: Session) -> list[dict[str, str]]:
    """What was traced so far, with milliseconds and the numbers of our own requests made plain."""
    found = session.discard(TRACE)
    for each in found:
        each["message"] = re.sub(r"\d+ ms", "N ms", re.sub(r"\([0-9a-f-]{36}\)", "(ID)", each["message"]))
    return found


async def test_nothing_is_traced_unasked(tmp_path: Path) -> None:
    async with Session(folders=[tmp_path], ignored=QUIET) as session:
        session.open((tmp_path / "a.md").as_uri(), "`a.py:1`\n")
        await rest(session)
        assert traced(session) == []


async def test_messages_are_traced_by_name_number_and_time(tmp_path: Path) -> None:
    uri = (tmp_path / "a.md").as_uri()
    async with Session(folders=[tmp_path], ignored=QUIET) as session:
        await rest(session)
        session.notify("$/setTrace", {"value": "messages"})
        session.open(uri, "`a.py:1`\n")
        number = session.start("textDocument/hover", at(uri, 0, 3))
        await session.answer(number)
        refused = session.start("textDocument/hover", {})
        await session.answer(refused)
        session.configure(None)
        await session.asked("workspace/configuration")
        await rest(session)
        found = traced(session)
        session.notify("$/setTrace", {"value": "off"})
        session.change_all(uri, "")
        await rest(session)
        assert traced(session) == []
    messages = [each["message"] for each in found]
    assert not any("verbose" in each for each in found)
    for wanted in (
        "received notification textDocument/didOpen, handled in N ms",
        f"received request textDocument/hover ({number})",
        f"sent the answer to textDocument/hover ({number}) after N ms",
        f"sent an error to textDocument/hover ({refused}) after N ms",
        "sent request workspace/configuration (ID)",
        "received the answer to workspace/configuration (ID) after N ms",
        "sent notification textDocument/publishDiagnostics",
        "sent notification cite-lsp/status",
    ):
        assert wanted in messages
    assert not any(TRACE in message for message in messages)


async def test_the_wordy_form_adds_sizes_and_error_codes(tmp_path: Path) -> None:
    async with Session(folders=[tmp_path], ignored=(*QUIET, TRACE), initialize=False) as session:
        await session.request("initialize", session.initialize_params(trace="verbose"))
        session.notify("initialized", {})
        await session.request_error("textDocument/hover", {})
        await rest(session)
        wordy = [each["verbose"] for each in traced(session) if "verbose" in each]
    assert any(re.fullmatch(r"error -32602, \d+ bytes", each) for each in wordy)
    assert any(re.fullmatch(r"[\d,]+ bytes", each) for each in wordy)


async def test_no_text_key_or_claim_is_ever_traced(tmp_path: Path) -> None:
    uri = (tmp_path / "a.md").as_uri()
    options: dict[str, Any] = {"judge": {"api_key": SECRET}}
    async with Session(
        folders=[tmp_path], options=options, ignored=(*QUIET, TRACE, "window/showMessage"), initialize=False
    ) as session:
        await session.request("initialize", session.initialize_params(trace="verbose"))
        session.notify("initialized", {})
        session.open(uri, f"The {SECRET} is kept (`a.py:1`).\n")
        session.change(uri, (0, 0), (0, 0), SECRET)
        session.configure({"judge": {"api_key": SECRET}})
        session.save(uri)
        await session.request_error(f"cite-lsp/{SECRET}", {SECRET: SECRET})
        session.notify(SECRET, {})
        session.send({"id": f"{SECRET} and words", "method": "textDocument/hover", "params": {SECRET: 1}})
        await session.request_error("workspace/executeCommand", {"command": SECRET})
        await rest(session)
        await session.answer(f"{SECRET} and words")  # type: ignore[arg-type]
        found = traced(session)
    assert len(found) > 10
    told = " ".join(text for each in found for text in each.values())
    assert SECRET not in told
    assert "kept" not in told
    assert "of an unknown method" in told


async def test_an_unknown_value_is_off(tmp_path: Path) -> None:
    async with Session(folders=[tmp_path], ignored=QUIET) as session:
        await rest(session)
        for value in ("loud", "", "OFF"):
            session.notify("$/setTrace", {"value": value})
            session.configure(None)
            await rest(session)
        assert traced(session) == []
