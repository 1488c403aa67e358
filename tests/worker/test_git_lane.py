"""The lane of git, where several lanes ask it for the files at once."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cite_lsp.snapshot.paths import PathIndex
from cite_lsp.worker.git_lane import GitLane


class Slow(dict[str, PathIndex]):
    """Lets other threads go on before anything is let go."""

    def pop(self, *arguments: object) -> PathIndex:  # type: ignore[override]
        """Do what the dictionary does, a little later."""
        time.sleep(0.001)
        return super().pop(*arguments)  # type: ignore[call-overload,no-any-return]


def test_more_roots_than_are_kept_are_listed_by_several_lanes(tmp_path: Path) -> None:
    roots = [str(tmp_path / f"none{number}") for number in range(160)]
    lane = GitLane()
    lane._indexes = Slow()
    with ThreadPoolExecutor(4) as pool:
        assert [index.root for index in pool.map(lane.index_of, roots)] == roots
    assert 0 < len(lane._indexes) < len(roots)
    assert lane.index_of(roots[-1]) is lane.index_of(roots[-1])
