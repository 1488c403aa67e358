"""Every test here is a person with nothing of their own, in a folder that anybody could have written."""

import pytest


@pytest.fixture(autouse=True)
def _alone(person: object, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home without settings, and a repository above the folder does not count."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
