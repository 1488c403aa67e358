"""The judge that needs no key, no network and no weights: it says only what can be named.

Each verdict carries its basis, a sentence that a person can verify at a glance. Where there is no basis the verdict
is *unchecked*, with what was looked for.
"""

from cite_lsp.judges.embedded.better import Better, better_lines
from cite_lsp.judges.embedded.judge import EmbeddedJudge

__all__ = ["Better", "EmbeddedJudge", "better_lines"]
