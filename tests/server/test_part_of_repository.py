"""A workspace folder inside a repository: what lies in the rest of the repository is not told as dead."""

import subprocess
from pathlib import Path

from tests.server.at_rest import codes, shown_at_rest
from tests.server.harness import Session


def init(folder: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)


async def test_paths_of_the_rest_of_the_repository_are_left_in_peace(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "src/a.py").write_text("a = 1\n")
    (tmp_path / "docs/b.py").write_text("b = 1\n")
    init(tmp_path)
    uri = (tmp_path / "docs/a.md").as_uri()
    async with Session(folders=[tmp_path / "docs"]) as session:
        await session.settled()
        session.open(uri, "See `src/a.py:1`, `../src/a.py:1`, `docs/b.py:1`, `b.py:9` and `./gone.py:1`.\n")
        assert codes((await shown_at_rest(session))[uri]) == ["line-out-of-range", "missing"]
