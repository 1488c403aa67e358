"""*Still right* in the editor: what is written counts at once, also where the request ends before its answer."""

from pathlib import Path

import pytest

from cite_lsp.server.features import accept
from tests.server.at_rest import codes, shown_at_rest
from tests.server.harness import Session, range_of

TEXT = "`a.py:99` and `b.py:1`\n"


@pytest.mark.parametrize("cancelled", [False, True])
async def test_what_was_accepted_is_not_shown_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, cancelled: bool
) -> None:
    (tmp_path / "a.py").write_text("LIMIT = 3\n")
    (tmp_path / "a.md").write_text(TEXT)
    uri = (tmp_path / "a.md").as_uri()
    async with Session(folders=[tmp_path]) as session:
        session.open(uri, TEXT)
        before = codes((await shown_at_rest(session))[uri])
        assert "line-out-of-range" in before
        written = accept.update

        def slow(*arguments: object) -> object:
            session._loop.call_soon_threadsafe(session.cancel, number) if cancelled else None
            return written(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(accept, "update", slow)
        argument = {"uri": uri, "range": range_of((0, 1), (0, 2))}
        command = {"command": "cite-lsp.server.accept", "arguments": [argument]}
        number = session.start("workspace/executeCommand", command)
        answer = await session.answer(number)
        assert cancelled == ("error" in answer)
        assert "line-out-of-range" not in codes(await session.diagnostics(uri))
        assert "a.py:99" in (tmp_path / "cite-lsp.accepted.json").read_text()
