"""The files in which git notes what it does, as far as anybody waits for news of them."""

_TOLD = ("/.git", "/.git/index", "/.git/HEAD", "/.git/logs/HEAD", "/.git/packed-refs", "/.git/shallow")


def is_of_git(path: str) -> bool:
    """Say whether a file, by its absolute path with slashes, is one that git writes when HEAD or the index moves.

    `/.git` itself, which comes with a repository and goes with it, counts. A commit with an editor for its message
    writes the index before, and only then HEAD's log.
    """
    return path.endswith(_TOLD)
