"""What the editors' tests of policy findings begin with: a document about the sample, and the policy asked of it.

Beside them stand a user who has chosen a decision model and has policies run on save, and that model as a process,
which answers as the policy's own wording has it of these sentences.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.clients.systemone_server import SystemOne, rule, serving

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parents[1] / "cite_lsp" / "policy" / "shipped" / "hedged-claims.toml"
HEDGE, UNMEASURED = "policy:hedged-claims/hedge", "policy:hedged-claims/unmeasured"
FOUND = {
    HEDGE: {
        5: "A decision should be fast enough for most services.",
        7: "Buckets are usually full again after a while.",
        12: "Restarts normally cost nobody a call.",
    },
    UNMEASURED: {
        5: "A decision should be fast enough for most services.",
        9: "Memory use is very low.",
    },
}
"""The passages that are found, by code and 1-based line."""
REVIEW = {11: "The defaults work well for most callers."}
"""What praises so mildly that a person should look."""
SAID = {
    HEDGE: "nobody can be held to this: say what is so, or under which condition",
    UNMEASURED: "this compares or praises without a measure: say how much, against what",
}
PASSAGES = 10
LATER = "The limiter is usually idle."
"""A sentence that would be found, too."""

_RULES = (
    rule(0.97, key="about_the_system"),
    rule(0.94, question="hold back from what it says", text="should be fast|usually|normally cost"),
    rule(0.92, question="claim a degree", text="fast enough|very low"),
    rule(0.5, question="claim a degree", text="work well for most"),
    rule(1, kind="score"),
)


@contextmanager
def asked(root: Path, settings: Path) -> Iterator[SystemOne]:
    """Write the document and the policy into a workspace, and the user's settings into a folder; run the model."""
    for source, name in (
        (HERE / "policies" / "overview.md", "handbook/overview.md"),
        (SHIPPED, "policies/hedged-claims.toml"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, root / name)
    with serving(*_RULES, default=0.04) as server:
        (settings / "cite-lsp").mkdir(parents=True)
        (settings / "cite-lsp" / "cite-lsp.toml").write_text(
            f'[judge]\nname = "decision"\nbase_url = "{server.url}"\n\n[policies]\nrun = "save"\n', encoding="utf-8"
        )
        yield server
