"""The reference's audit against ours: the same rows in the same order, the same guard, the same words.

Every row where ours departs is named with its rule; a named row that agrees is an error too. `LEFT_OUT` names the
groups of the vectors, and the rows of groups, that have no counterpart here, with the reason.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.audit.guard import estimated_tokens, guard
from cite_lsp.audit.judgement import Judgement, Trouble
from cite_lsp.audit.meta import meta_of, outcome
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.selecting import AuditRow, select_rows
from cite_lsp.audit.verdicts import Verdict
from cite_lsp.config import Settings
from cite_lsp.document.document import Document
from cite_lsp.findings.check import examine
from cite_lsp.snapshot.snapshot import Snapshot

LEFT_OUT = {
    "evidence_preserved_min_share_1": "a pool of what child processes put out: there are none here, and documents are "
    "not made from one",
    "pairing": "the draft of a document paired with such a pool: there is none here",
}
ELSEWHERE = {
    "jcs_hash": "test_hash.py",
    "pick_indexes": "test_hash.py",
    "sentences": "test_document.py",
    "anchors": "test_document.py",
    "clauses": "test_document.py",
    "sections": "test_document.py",
    "v1_excerpt": "test_excerpts.py",
    "unit_excerpt": "test_excerpts.py",
    "grounding": "test_grounding_vectors.py",
    "verdict_parse": "test_verdict_parse.py",
}
HERE = {"samples", "cap_guard", "cited_value", "citation_targets", "strip_fences", "coverage_grade"}
NOWHERE = Snapshot.of({})


@dataclass(frozen=True)
class Departure:
    rule: str
    ours: Any


@pytest.fixture(scope="module")
def vectors(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "vectors" / "rulvar.json").read_text(encoding="utf-8"))


def hold(expected: dict[str, Any], ours: dict[str, Any], departures: dict[str, Departure]) -> None:
    assert {text for text in expected if ours[text] != expected[text]} == set(departures)
    for text, departure in departures.items():
        assert departure.rule
        assert ours[text] == departure.ours, text


def test_every_group_is_compared_or_left_out_with_a_reason(vectors: dict[str, Any]) -> None:
    assert set(vectors) - {"about"} == HERE | set(ELSEWHERE) | set(LEFT_OUT)
    for group, name in ELSEWHERE.items():
        assert f'"{group}"' in Path(__file__).with_name(name).read_text(encoding="utf-8"), group


# ------------------------------------------------------------------------------------------------ samples

SHORT_PART = "Claims: a part of fewer than three words is not cut off"
THIN = "Claims: a sentence of fewer than four words borrows from its heading or the sentence before"
WHOLE = "One [a.ts:1], two [b.ts:2] and three [c.ts:3]."

CLAUSES = {
    (WHOLE, "a.ts:1"): Departure(SHORT_PART, WHOLE),
    (WHOLE, "b.ts:2"): Departure(SHORT_PART, WHOLE),
    (WHOLE, "c.ts:3"): Departure(SHORT_PART, WHOLE),
    ("Four [d.ts:4].", "d.ts:4"): Departure(THIN, "B"),
    ("One a.ts:1.", "a.ts:1"): Departure(THIN, "A"),
    ("Three b.ts:1.", "b.ts:1"): Departure(THIN, "B"),
    ("Two a.ts:2.", "a.ts:2"): Departure(THIN, "One a.ts:1."),
}


def selected(sample: dict[str, Any]) -> tuple[AuditRow, ...]:
    given = sample["options"]
    names = {"cap": "max_sampled", "k": "sample_per_section"}
    assert set(given) <= {"cap", "k", "resolver", "scope"}
    chosen = {"scope": "sample", "resolver": 1} | {names.get(name, name): value for name, value in given.items()}
    document = Document.parse(sample["doc"], "d.md")
    return select_rows(document, NOWHERE, AuditOptions.model_validate(chosen), seed=sample["seed"])


def test_samples(vectors: dict[str, Any]) -> None:
    """Rows, their numbers and their order have no departure."""
    assert len(vectors["samples"]) == 14
    for sample in vectors["samples"]:
        expected = [
            (
                row["row"],
                row["section"],
                " ".join(row["sentence"].split()),
                row["anchor"],
                row["path"],
                ((row["line"], row.get("endLine", row["line"])),),
            )
            for row in sample["rows"]
        ]
        ours = [
            (row.number, row.section, row.anchor.sentence, row.anchor.text, row.anchor.path, row.anchor.spans)
            for row in selected(sample)
        ]
        assert ours == expected, sample


def test_clauses_of_samples(vectors: dict[str, Any]) -> None:
    expected, ours = {}, {}
    for sample in vectors["samples"]:
        for row, made in zip(sample["rows"], selected(sample), strict=True):
            if "clause" in row:
                key = (" ".join(row["sentence"].split()), row["anchor"])
                expected[key], ours[key] = row["clause"], made.anchor.claim
    assert len(expected) == 12
    hold(expected, ours, CLAUSES)


def test_the_seed_is_the_hash_of_the_document(vectors: dict[str, Any]) -> None:
    own = [sample for sample in vectors["samples"] if len(sample["seed"]) == 64]
    assert len(own) == 4
    for sample in own:
        document = Document.parse(sample["doc"], "d.md")
        options = AuditOptions(scope="sample", resolver=1)
        assert select_rows(document, NOWHERE, options) == select_rows(document, NOWHERE, options, sample["seed"])


# ------------------------------------------------------------------------------------------------ guard


def test_cap_guard(vectors: dict[str, Any]) -> None:
    assert len(vectors["cap_guard"]) == 16
    for row in vectors["cap_guard"]:
        assert estimated_tokens(row["rows"]) == row["estimate"]
        sentence = guard(row["rows"], row["cap"], "fail")
        assert bool(sentence) == row["refuse"], row
        if sentence:
            assert f"{row['estimate']:,}" in sentence
            assert f"{row['cap']:,}" in sentence


# ------------------------------------------------------------------------------------------------ cited value

CITED_VALUE = {
    "The default is `3` (`a.ts:1`).": Departure("a full stop behind a number ends it", True),
    "The cap is `3` (`a.ts:2`), see also `a.ts:1-2`.": Departure("a range is a citation and no value", True),
    "The cap is `4` (a.ts:2).": Departure("a citation counts without back-ticks too", False),
    "The cap is `3` (`a.ts:2`) and timeout is `1_000` (`a.ts:4`).": Departure(
        "a value is compared with the citation beside it", True
    ),
    "The cap is `1000` (`a.ts:4`).": Departure("a number counts in any spelling", True),
    "`deadbeefdead` is the magic (`a.ts:2`).": Departure("a number is a commit's where the sentence says so", False),
    "The version `9.9.9` is required (`a.ts:2`).": Departure("a version is a value", False),
    "Value `x` (`a.ts:99`).": Departure("a citation that leads to no lines has a finding of its own", True),
}


def test_cited_value(vectors: dict[str, Any]) -> None:
    group = vectors["cited_value"]
    snapshot = Snapshot.of({path: "\n".join(lines) + "\n" for path, lines in group["files"].items()})
    settings = Settings.model_validate({"rules": {"cited-value": "warning"}, "drift": {"enabled": False}})
    ours = {}
    for text, _ in group["cases"]:
        found = examine(Document.parse(text, "d.md", snapshot.known), snapshot, settings).findings
        ours[text] = not any(finding.code == "cited-value" for finding in found)
    assert len(ours) == 16
    hold(dict(group["cases"]), ours, CITED_VALUE)


# ------------------------------------------------------------------------------------------------ targets

TARGETS = {
    "See a.ts:1-99999.": Departure("a range that ends past the end of the file is told", False),
    "See http://example.com:80/": Departure("Path token: never inside a URL", True),
}


def test_citation_targets(vectors: dict[str, Any]) -> None:
    """The existence of what is cited is what a check says without any rule."""
    group = vectors["citation_targets"]
    snapshot = Snapshot.of({path: "\n".join(lines) + "\n" for path, lines in group["files"].items()})
    settings = Settings.model_validate({"drift": {"enabled": False}})
    ours = {
        text: not examine(Document.parse(text, "d.md", snapshot.known), snapshot, settings).findings
        for text, _ in group["cases"]
    }
    assert len(ours) == 4
    hold(dict(group["cases"]), ours, TARGETS)


# ------------------------------------------------------------------------------------------------ fences

FENCES = {
    "```foo``` is inline code.\nClaim src/a.ts:1.\n": Departure(
        "Blocks: back-ticks in the line that opens one make it no fence", "```foo``` is inline code.\nClaim src/a.ts:1."
    ),
    "> ```\n> src/a.ts:1\n> ```\n": Departure("Blocks: a fence in a quotation is one", ""),
}


def test_strip_fences(vectors: dict[str, Any]) -> None:
    """What is left of a document without its fences; the end of its last line is not compared."""
    expected = {text: stripped.rstrip("\r\n") for text, stripped in vectors["strip_fences"]}
    ours = {
        text: "".join([block.text for block in Document.parse(text, "d.md").blocks if block.kind != "fence"])
        for text in expected
    }
    assert len(expected) == 8
    hold(expected, {text: left.rstrip("\r\n") for text, left in ours.items()}, FENCES)


# ------------------------------------------------------------------------------------------------ coverage

WORDS = {
    "vacuous": "vacuous",
    "full": "clean",
    "partial": "partial",
    "judge-declined": "not-judged",
    "judge-failed": "not-judged",
}
"""The grades of coverage, and the word of a document whose rows are judged as far."""
UNGRADED = {
    "truncated": "pairs over a ceiling: rows are not paired here, and a sample is what the user asked for",
    "critical_uncovered": "citations that a host declares critical: nobody declares any here",
}


def test_coverage_grades(vectors: dict[str, Any]) -> None:
    compared = 0
    for given, grade in vectors["coverage_grade"]:
        if set(given) & set(UNGRADED):
            continue
        text = " ".join(f"Claim number {number} holds (`a.ts:{number + 1}`)." for number in range(given["citing"]))
        document = Document.parse(text, "d.md")
        rows = select_rows(document, Snapshot.of({"a.ts": "a\nb\nc\n"}), AuditOptions())
        supported = [Verdict("supported")] * given["covered"]
        verdicts = [*supported, *[Verdict("unchecked")] * (len(rows) - len(supported))]
        trouble = (Trouble("timeout", "the judge took too long"),) if given.get("judge_failed") else ()
        judgement = Judgement((), troubles=trouble, declined=bool(given.get("judge_declined")))
        meta = meta_of(rows, verdicts, judgement, AuditOptions(), "0" * 64, invoked=bool(rows))
        assert outcome(meta) == WORDS[grade], given
        compared += 1
    assert compared == 5
