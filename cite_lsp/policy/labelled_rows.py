"""What labelled examples say of single questions: rows for a calibration.

Only what a label settles becomes a row; a label says which passages are evidence, not how every question is answered.

- `detect` of a concern that is asked again by the same question: each passage that the filters let through. It is *yes*
  where the passage is labelled as evidence, else *no*: that is the decision it has to make.
- `confirm`: each passage that was gathered, in the same way. A `detect` with a `confirm` of its own casts wider than
  the labels do, so it has no rows.
- `check`: where the roles are filled by just the passages that are labelled, all checks are *yes*. Where a finding is
  labelled as none and a single check was asked, that one is *no*.
- Filters and factors have no rows: a passage that is no evidence may fail at any of them. Rows of theirs can be given
  by hand, a line each (`read_labelled`).

Where a concern's verdict is labelled *review*, its truth is left open, and there is no row.
"""

from collections.abc import Iterator, Mapping

from cite_lsp.policy.calibration import LabelledScore
from cite_lsp.policy.examples import ExampleReport, Tried
from cite_lsp.policy.language import Concern, Policy
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.report import Finding
from cite_lsp.policy.ruling import Ruling
from cite_lsp.policy.wording import NOUL


def rows_of(report: ExampleReport, options: RunOptions) -> Iterator[LabelledScore]:
    """Give the rows of examples, the name of the example as the group.

    Args:
        report: Of a run without bands of single questions: a band that decided which passages were gathered would be
            calibrated on what it let through itself.
        options: As the examples were asked.
    """
    ruling = Ruling(options)
    for tried in report.tried:
        for concern in report.policy.concerns:
            if tried.example.verdicts.get(concern.name) != "review":
                rows = _of_built(concern, tried) if concern.roles else _of_direct(concern, tried, report.policy, ruling)
                for label, score, truth in rows:
                    yield LabelledScore(label, tried.example.name, score, truth)


Scored = tuple[str, float, bool]
"""Label, score and truth."""


def _of_direct(concern: Concern, tried: Tried, policy: Policy, ruling: Ruling) -> Iterator[Scored]:
    expected = set(tried.example.found.get(concern.name, ()))
    if concern.confirm is None:
        for name, row in tried.report.screen.items():
            if _passes(row, policy, ruling):
                yield f"detect:{concern.name}", row[concern.name], name in expected
    finding = _finding(concern, tried)
    for each in (*finding.evidence, *finding.dropped) if finding else ():
        if each.answer is not None:
            yield f"confirm:{concern.name}", float(each.answer[NOUL]), each.passage.id in expected


def _passes(row: Mapping[str, float], policy: Policy, ruling: Ruling) -> bool:
    return all(ruling.match(f"filter:{each.name}", row.get(each.name)) != "no" for each in policy.filters)


def _of_built(concern: Concern, tried: Tried) -> Iterator[Scored]:
    finding = _finding(concern, tried)
    if finding is None:
        return
    expected = set(tried.example.found.get(concern.name, ()))
    if expected:
        truths = dict.fromkeys(finding.checks, True) if set(finding.roles.values()) == expected else {}
    else:
        fails = tried.example.verdicts.get(concern.name) != "absent" and len(finding.checks) == 1
        truths = dict.fromkeys(finding.checks, False) if fails else {}
    for name, truth in truths.items():
        yield f"check:{concern.name}/{name}", float(finding.checks[name][NOUL]), truth


def _finding(concern: Concern, tried: Tried) -> Finding | None:
    return next((each for each in tried.report.findings if each.concern == concern.name), None)
