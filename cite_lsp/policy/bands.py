"""Bands as they are kept beside a policy file, as `NAME.bands.json`, and which of them still count.

A band was measured on the answers of one model to one wording. Where either has changed it is stale: it says nothing of
the answers that come now, so the question has the policy's own band again, and that is said.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cite_lsp.policy.calibration import Calibration, Decided
from cite_lsp.policy.hashes import labelled, wording_hash
from cite_lsp.policy.language import Policy
from cite_lsp.policy.options import Band

SCHEMA: Final = 1
ENDING: Final = ".bands.json"
"""Of the file beside a policy file, in place of its `.toml`."""

_AGAIN = "calibrate it again"


@dataclass(frozen=True, slots=True)
class KeptBand:
    """What a calibration found for one question.

    Attributes:
        wording: `wording_hash` of the question as it was calibrated.
        band: Low and high; None where none was found, and then `why` says why.
        rows, true: How many labelled rows there were, and how many of them are yes.
        coverage: The share of held-out rows that was decided.
        held_out_error: The share of wrong decisions among them.
        why: A sentence without a full stop; "" where there is a band.
    """

    wording: str
    band: Band | None
    rows: int
    true: int
    coverage: float | None
    held_out_error: float | None
    why: str


@dataclass(frozen=True, slots=True)
class BandsRead:
    """What a file of bands says of a policy and a client.

    Attributes:
        bands: Those that count, by label, as a run takes them.
        stale: What does not count any more and why, a sentence without a full stop each.
        kept: All that the file holds, by label, stale or not.
        model: The identity of the client whose answers were calibrated; "" of a file that cannot be read.
        error_rate, confidence: What the bands keep to; None of a file that cannot be read.
        calibrated_at: The day.
    """

    bands: Mapping[str, Band] = field(default_factory=dict)
    stale: tuple[str, ...] = ()
    kept: Mapping[str, KeptBand] = field(default_factory=dict)
    model: str = ""
    error_rate: float | None = None
    confidence: float | None = None
    calibrated_at: str = ""


def bands_text(found: Iterable[Calibration], policy: Policy, *, name: str, identity: str, calibrated_at: str) -> str:
    """Give the text of a file.

    Args:
        found: One at least, all with the same aim; of questions of the policy.
        policy: Whose wording is kept by its hash.
        name: Of the policy.
        identity: Of the client that answered.
        calibrated_at: The day, as in 2026-11-30.

    Raises:
        ValueError: There is none.
    """
    calibrations = list(found)
    if not calibrations:
        raise ValueError("there is no calibration to keep")
    data = {
        "schema": SCHEMA,
        "policy": name,
        "model": identity,
        "error_rate": calibrations[0].aim.error_rate,
        "confidence": calibrations[0].aim.confidence,
        "calibrated_at": calibrated_at,
        "questions": {each.label: _question(each, wording_hash(each.label, policy)) for each in calibrations},
    }
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _question(found: Calibration, wording: str) -> dict[str, Any]:
    low, high = found.band or (None, None)
    data = {
        "wording": wording,
        "low": low,
        "high": high,
        "rows": found.rows,
        "yes": found.true,
        "examples": found.groups,
        "brier": found.brier and list(found.brier),
        "ece": found.ece and list(found.ece),
        "coverage": found.coverage,
        "held_out_error": found.held_out_error,
        "held_out": {"no": _decided(found.no), "yes": _decided(found.yes)},
    }
    return {**data, "why": found.why} if found.why else data


def _decided(side: Decided) -> dict[str, Any]:
    return {"decided": side.rows, "wrong": side.errors, "wrong_at_most": side.bound}


def read_bands(text: str, path: str, policy: Policy, identity: str) -> BandsRead:
    """Read the text of a file. Never raises: a file that cannot be read gives no band, and says so.

    Args:
        text: Of the file.
        path: As messages name it.
        policy: Whose bands they are to be.
        identity: Of the client that is going to answer.
    """
    try:
        data = _data(text)
        kept = {str(label): _kept(str(label), each) for label, each in _map(data, "questions").items()}
        read = BandsRead(
            kept=kept,
            model=_text(data, "model"),
            error_rate=_share(data, "error_rate"),
            confidence=_share(data, "confidence"),
            calibrated_at=_text(data, "calibrated_at"),
        )
    except _BadFileError as error:
        return BandsRead(stale=(f"{path} counts for nothing: {error}; {_AGAIN}",))
    return _counted(read, path, policy, identity)


def _counted(read: BandsRead, path: str, policy: Policy, identity: str) -> BandsRead:
    """Tell the bands that count from those that do not."""
    stale: list[str] = []
    bands: dict[str, Band] = {}
    if read.model != identity:
        stale.append(
            f"{path} holds bands for the answers of {read.model}, and {identity} is asked: none counts; {_AGAIN}"
        )
    labels = labelled(policy)
    for label, each in read.kept.items():
        if label not in labels:
            stale.append(f"{path}: the policy has no question {label} any more")
        elif each.wording != wording_hash(label, policy):
            stale.append(f"{path}: the wording of {label} has changed since {read.calibrated_at}; {_AGAIN}")
        elif each.band is not None and read.model == identity:
            bands[label] = each.band
    return BandsRead(bands, tuple(stale), read.kept, read.model, read.error_rate, read.confidence, read.calibrated_at)


# --- reading


class _BadFileError(ValueError):
    """What is wrong with a file, as the rest of a sentence."""


def _data(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _BadFileError(f"it is no JSON ({error})") from error
    if not isinstance(data, dict):
        raise _BadFileError("it is no map")
    if data.get("schema") != SCHEMA:
        raise _BadFileError(f"it is of form {data.get('schema')!r}, and this version reads form {SCHEMA}")
    return data


def _kept(label: str, data: object) -> KeptBand:
    if not isinstance(data, dict):
        raise _BadFileError(f"{label} is no map")
    try:
        return KeptBand(
            wording=_text(data, "wording"),
            band=_band(_optional(data, "low"), _optional(data, "high")),
            rows=_count(data, "rows"),
            true=_count(data, "yes"),
            coverage=_optional(data, "coverage"),
            held_out_error=_optional(data, "held_out_error"),
            why=str(data.get("why") or ""),
        )
    except _BadFileError as error:
        raise _BadFileError(f"of {label}, {error}") from error


def _band(low: float | None, high: float | None) -> Band | None:
    if low is None and high is None:
        return None
    if low is None or high is None or low >= high:
        raise _BadFileError("low has to be below high")
    return low, high


def _map(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = data.get(name)
    if not isinstance(value, dict):
        raise _BadFileError(f"{name} has to be a map")
    return value


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value:
        raise _BadFileError(f"{name} has to be a text")
    return value


def _count(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _BadFileError(f"{name} has to be a whole number")
    return value


def _share(data: Mapping[str, Any], name: str) -> float:
    value = data.get(name)
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise _BadFileError(f"{name} has to be a number from 0 to 1")
    return float(value)


def _optional(data: Mapping[str, Any], name: str) -> float | None:
    return None if data.get(name) is None else _share(data, name)
