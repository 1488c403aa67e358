"""The checks of other values than the claim's, in the order in which they are asked."""

from collections.abc import Callable

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.conflicts.comparators import comparator_conflict
from cite_lsp.judges.embedded.conflicts.conflict import Conflict
from cite_lsp.judges.embedded.conflicts.lone_number import lone_number
from cite_lsp.judges.embedded.conflicts.number_beside import number_beside
from cite_lsp.judges.embedded.conflicts.rates import (
    changed_conflict,
    interval_conflict,
    optional_conflict,
    port_conflict,
    rate_conflict,
)
from cite_lsp.judges.embedded.conflicts.requirements import version_conflict
from cite_lsp.judges.embedded.conflicts.rivals import rival_conflict
from cite_lsp.judges.embedded.conflicts.switches import switch_conflict
from cite_lsp.judges.embedded.lines.reading import Reading

OTHER_VALUES: tuple[Callable[[Clause, Reading], Conflict | None], ...] = (
    version_conflict,
    switch_conflict,
    number_beside,
    lone_number,
    rival_conflict,
    comparator_conflict,
    port_conflict,
    rate_conflict,
    interval_conflict,
    changed_conflict,
    optional_conflict,
)
