"""The repository that the tests of Neovim and Emacs begin with: a file of code, and a document that cites it.

Of the three citations one leads nowhere: line 5 of the document, `src/limits.py:90`.
"""

import subprocess
from pathlib import Path

LIMITS = '''"""Limits of the retry loop."""

MAX_ATTEMPTS = 3
BACKOFF_SECONDS = 0.5


def delay(attempt: int) -> float:
    """Wait longer after each attempt."""
    return BACKOFF_SECONDS * 2**attempt
'''
DESIGN = """# Retrying

At most three attempts are made (`src/limits.py:3`).
Each attempt waits twice as long as the one before (`src/limits.py:7-9`).
The ceiling is read from the environment (`src/limits.py:90`).
"""


def commit(folder: Path) -> Path:
    """Make a repository of the two, in one commit; the folder."""
    for path, text in {"src/limits.py": LIMITS, "docs/design.md": DESIGN}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "Start"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder
