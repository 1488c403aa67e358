"""What a claim says of roles and conditions and one fact of the cited code says, too."""

from cite_lsp.judges.embedded.claims import Clause
from cite_lsp.judges.embedded.condition_conflicts import condition_told
from cite_lsp.judges.embedded.facts import Line
from cite_lsp.judges.embedded.reading import Reading
from cite_lsp.judges.embedded.role_conflicts import lines_at, role_told


def fact_support(clause: Clause, reading: Reading) -> tuple[str, list[Line]] | None:
    """Give the basis and the lines where a fact says what a clause says of roles or conditions.

    None where no fact does, or one says otherwise. The rest of the clause is not looked at.
    """
    told = [each for each in (role_told(clause, reading), condition_told(clause, reading)) if each is not None]
    if not told or not all(each.holds for each in told):
        return None
    lines = list(dict.fromkeys(line for each in told for line in lines_at(each, reading)))
    return ("; ".join(each.found for each in told), lines) if lines else None
