"""Is a block of lines another one with a name changed throughout?"""

import re
from collections import Counter
from collections.abc import Sequence

from cite_lsp.snapshot.file_lines import heavy, loosened

_NAME = re.compile(r"[^\W\d]\w*")
_LEAST_LINES = 2
_LEAST_NAMES = 4


def renamed(block: Sequence[str], other: Sequence[str]) -> bool:
    """Say whether `other` is `block` with few of its names replaced, each by one that no other became.

    White space is loosened. A block of less than two telling lines, or four names, is too small to be known again, and
    a name that stands in it once (`debug` that became `info`) was edited, not changed throughout.
    """
    if len(block) != len(other) or sum(map(heavy, block)) < _LEAST_LINES:
        return False
    became: dict[str, str] = {}
    often: Counter[str] = Counter()
    came_from: dict[str, str] = {}
    for line, now in zip(map(loosened, block), map(loosened, other), strict=True):
        if _NAME.sub("\0", line) != _NAME.sub("\0", now):
            return False
        often.update(_NAME.findall(line))
        for name, new in zip(_NAME.findall(line), _NAME.findall(now), strict=True):
            if became.setdefault(name, new) != new or came_from.setdefault(new, name) != name:
                return False
    changed = [name for name, new in became.items() if name != new]
    return len(became) >= _LEAST_NAMES and 2 * len(changed) < len(became) and all(often[name] > 1 for name in changed)
