"""The document's identity and the sample's picks must be the reference's, digit for digit."""

import json
import string
from pathlib import Path

from cite_lsp.audit.rows import audited_hash, pick_indexes


def vectors(shared: Path, group: str) -> list[list[object]]:
    loaded = json.loads((shared / "vectors" / "rulvar.json").read_text(encoding="utf-8"))
    return loaded[group]


def test_hash_of_every_vector(shared: Path) -> None:
    rows = vectors(shared, "jcs_hash")
    assert len(rows) == 7
    assert [audited_hash(str(text)) for text, _ in rows] == [expected for _, expected in rows]


def test_hash_of_the_worked_example() -> None:
    lines = [
        "# Audit",
        "",
        "## Grid",
        "",
        "The exporter drops SLO attributes [src/otel.ts:18]. A second claim rides here [src/otel.ts:20].",
        "A third claim sits beside them [src/otel.ts:22].",
        "",
        "## Verdict",
        "",
        "The retry ladder caps at three attempts [src/retry.ts:24-26].",
    ]
    assert audited_hash("\n".join(lines)) == "7c8c8f5274eb3420e3c68657c7d211d359fbb2b006a9ec78919e0ba91cf5b593"


def test_every_control_character_is_escaped_as_rfc_8785_says() -> None:
    from hashlib import sha256

    short = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}
    for code in range(32):
        literal = '"' + short.get(code, f"\\u{code:04x}") + '"'
        assert audited_hash(chr(code)) == sha256(literal.encode()).hexdigest(), code
    plain = "".join(set(string.printable) - set('"\\' + string.whitespace)) + "\x7f\u2028é"
    assert audited_hash(plain) == sha256(f'"{plain}"'.encode()).hexdigest()


def test_a_lone_surrogate_does_not_raise() -> None:
    assert audited_hash("a\ud800b") == audited_hash("a�b")


def test_picks_of_every_vector(shared: Path) -> None:
    rows = vectors(shared, "pick_indexes")
    assert len(rows) == 8
    for count, per_section, seed, expected in rows:
        assert isinstance(count, int)
        assert isinstance(per_section, int)
        assert list(pick_indexes(count, per_section, str(seed))) == expected, seed


def test_no_candidates_no_picks() -> None:
    assert pick_indexes(0, 2, "seed:") == ()
