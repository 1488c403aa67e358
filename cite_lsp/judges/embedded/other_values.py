"""The checks of other values than the claim's, in the order in which they are asked."""

from collections.abc import Callable

from cite_lsp.judges.embedded.beside import number_beside
from cite_lsp.judges.embedded.claims import Clause
from cite_lsp.judges.embedded.comparators import comparator_conflict
from cite_lsp.judges.embedded.conflicts import Conflict
from cite_lsp.judges.embedded.rates import (
    changed_conflict,
    interval_conflict,
    optional_conflict,
    port_conflict,
    rate_conflict,
)
from cite_lsp.judges.embedded.reading import Reading
from cite_lsp.judges.embedded.requirements import version_conflict
from cite_lsp.judges.embedded.rivals import rival_conflict
from cite_lsp.judges.embedded.switches import switch_conflict

OTHER_VALUES: tuple[Callable[[Clause, Reading], Conflict | None], ...] = (
    version_conflict,
    switch_conflict,
    number_beside,
    rival_conflict,
    comparator_conflict,
    port_conflict,
    rate_conflict,
    interval_conflict,
    changed_conflict,
    optional_conflict,
)
