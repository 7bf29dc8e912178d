"""The certificate as the renderers see it: typed, read once, nothing added."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .error_rates import ErrorRates, read_error_rates
from .strict_json import InputError, read_object

Value = float | int | str | bool | None

# The schema this reader knows: same major, minor not above.
_MAJOR, _MINOR = 1, 0
OUTCOMES = ("fail", "no_evidence", "inconclusive", "waived", "not_applicable", "pass")


@dataclass(frozen=True)
class Fact:
    """One measured or stated fact; `ceiling` is in `ceiling_units`, `percent` of it was reached."""

    path: str
    value: Value
    units: str
    samples: int
    rel_spread: float | None
    confidence: str
    clock_ghz: float | None
    reason: str | None
    ceiling: float | None
    ceiling_from: str | None
    percent: float | None

    @property
    def entry(self) -> str:
        """The family: what stands before the first dot."""
        return self.path.split(".", 1)[0]

    @property
    def key(self) -> str:
        """The name within the family; the whole path for a scalar entry."""
        return self.path.split(".", 1)[-1]

    @property
    def number(self) -> float | None:
        """The value if it is a finite number; booleans and text are none."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            return None
        return float(self.value) if math.isfinite(self.value) else None


@dataclass(frozen=True)
class Invariant:
    """One claim with its verdict; `margin` is the distance to the nearest bound over that bound."""

    id: str
    outcome: str
    reason: str
    claim: str
    measured: float | None
    low: float | None
    high: float | None
    margin: float | None


@dataclass(frozen=True)
class Gap:
    """Something that was to be measured and was not."""

    what: str
    reason: str
    outcome: str


@dataclass(frozen=True)
class Waiver:
    """A failure that somebody accepted until a day."""

    id: str
    invariant: str
    issue: str
    author: str
    expires: str
    expired: bool


@dataclass(frozen=True)
class DriftRow:
    """One fact over its tolerance against the pinned dossier."""

    path: str
    current: float | None
    pinned: float | None
    rel: float | None
    tolerance: float | None
    direction: str


@dataclass(frozen=True)
class Drift:
    """The comparison with the pinned dossier, as the certificate keeps it."""

    pinned_run_id: str
    same_device: bool
    compared: int
    over_tol: int
    worst_rel: float | None
    over: tuple[DriftRow, ...]
    missing: tuple[str, ...]
    added: tuple[str, ...]
    differences: tuple[str, ...]


@dataclass(frozen=True)
class Certificate:
    """All that a certificate says; `raw` holds what only one section shows."""

    kind: str
    run_id: str
    created_utc: str
    verdict: str
    headline: str
    level: str
    provisional: bool
    scope: str
    digest: str
    suite: Mapping[str, Any]
    subject: Mapping[str, Any]
    conditions: Mapping[str, Mapping[str, Any]]
    facts: Mapping[str, Fact]
    invariants: tuple[Invariant, ...]
    waivers: tuple[Waiver, ...]
    missing: tuple[Gap, ...]
    skipped: tuple[Gap, ...]
    drift: Drift | None
    error_rates: ErrorRates

    @property
    def is_replay(self) -> bool:
        """A replay certifies no machine, and every rendering says so first."""
        return self.kind == "replay"

    def number(self, path: str) -> float | None:
        """The finite number at `path`, or None when it is absent, null or no number."""
        fact = self.facts.get(path)
        return fact.number if fact else None

    def count(self, outcome: str) -> int:
        """How many invariants ended so."""
        return sum(1 for invariant in self.invariants if invariant.outcome == outcome)


def read_certificate(path: Path) -> Certificate:
    """Read `path`, a certificate or the folder of a run; raises InputError."""
    file = path / "certificate.json" if path.is_dir() else path
    document = read_object(file)
    try:
        _check_kind(document)
        return _certificate(document)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        detail = f"missing {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{file}: is no certificate: {detail}") from error


def _check_kind(document: Mapping[str, Any]) -> None:
    kind = document["kind"]
    if kind not in ("certificate", "replay"):
        raise ValueError(f"kind {kind!r}; allowed are 'certificate' and 'replay'")
    parts = str(document["schema"]).split(".")
    if len(parts) != 3 or int(parts[0]) != _MAJOR or int(parts[1]) > _MINOR:
        raise ValueError(f"schema {document['schema']}; this program reads {_MAJOR}.{_MINOR}")


def _certificate(document: Mapping[str, Any]) -> Certificate:
    statement = document["statement"]
    completeness = document["completeness"]
    if statement["verdict"] not in OUTCOMES:
        raise ValueError(f"verdict {statement['verdict']!r}; allowed are {', '.join(OUTCOMES)}")
    return Certificate(
        kind=document["kind"],
        run_id=document["run_id"],
        created_utc=document["created_utc"],
        verdict=statement["verdict"],
        headline=statement["headline"],
        level=statement["level"],
        provisional=statement["provisional"],
        scope=document["scope"],
        digest=document["seal"]["digest"],
        suite=dict(document["suite"]),
        subject=dict(document["subject"]),
        conditions=dict(document["conditions"]),
        facts={key: _fact(key, value) for key, value in document["facts"].items()},
        invariants=tuple(_invariant(item) for item in document["invariants"]),
        waivers=tuple(Waiver(**item) for item in document["waivers"]),
        missing=tuple(Gap(**item) for item in completeness["missing"]),
        skipped=tuple(Gap(**item) for item in completeness["skipped"]),
        drift=_drift(document["drift"]),
        error_rates=read_error_rates(document["error_rates"]),
    )


def _fact(path: str, item: Mapping[str, Any]) -> Fact:
    return Fact(
        path=path,
        value=item["value"],
        units=item["units"],
        samples=item["samples"],
        rel_spread=item["rel_spread"],
        confidence=item["confidence"],
        clock_ghz=item["clock_ghz"],
        reason=item.get("reason"),
        ceiling=item.get("ceiling"),
        ceiling_from=item.get("ceiling_from"),
        percent=item.get("percent"),
    )


def _invariant(item: Mapping[str, Any]) -> Invariant:
    if item["outcome"] not in OUTCOMES:
        raise ValueError(f"outcome {item['outcome']!r} of {item['id']}; allowed are {', '.join(OUTCOMES)}")
    names = ("id", "outcome", "reason", "claim", "measured", "low", "high", "margin")
    return Invariant(**{name: item[name] for name in names})


def _drift(item: Mapping[str, Any] | None) -> Drift | None:
    if item is None:
        return None
    return Drift(
        pinned_run_id=item["pinned"]["run_id"],
        same_device=item["same_device"],
        compared=item["compared"],
        over_tol=item["over_tol"],
        worst_rel=item["worst_rel"],
        over=tuple(DriftRow(**row) for row in item["over"]),
        missing=tuple(item["missing"]),
        added=tuple(item["added"]),
        differences=tuple(item["differences"]),
    )
