"""The rows of an audit: the identity of the audited document, and which of its sentences a sample takes."""

import hashlib

import orjson


def audited_hash(document_text: str) -> str:
    """The identity of an audited document: sha256, in hex, of the RFC 8785 JSON of its text.

    Reference audit, 1.2: the hash of the text's JSON string, quotes and escapes included, not of its bytes.
    A lone surrogate, which no UTF-8 can hold, is hashed as U+FFFD.
    """
    try:
        canonical = orjson.dumps(document_text)
    except orjson.JSONEncodeError:
        replaced = document_text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        canonical = orjson.dumps(replaced)
    return hashlib.sha256(canonical).hexdigest()


def pick_indexes(count: int, per_section: int, seed_input: str) -> tuple[int, ...]:
    """Which of a section's `count` candidates are sampled: at most `per_section`, ascending, 0-based.

    `seed_input` is the document's hash, a colon and the section's marker. Each round r takes, of the
    candidates that are left, number D mod (how many are left), where D is the first four bytes, big-endian,
    of the sha256 of "{seed_input}:{r}" (reference audit, 1.6).
    """
    left = list(range(count))
    picked: list[int] = []
    for round_number in range(min(per_section, count)):
        digest = hashlib.sha256(f"{seed_input}:{round_number}".encode("utf-8", "surrogatepass")).digest()
        picked.append(left.pop(int.from_bytes(digest[:4], "big") % len(left)))
    return tuple(sorted(picked))
