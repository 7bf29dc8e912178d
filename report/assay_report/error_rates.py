"""How often judging errs, as the certificate states it: counted, modelled, or not known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Rate:
    """`failed` of `runs`, with the exact 95 % bounds; `at_most` is one-sided."""

    failed: int
    runs: int
    low: float
    high: float
    at_most: float


@dataclass(frozen=True)
class MeasuredRate:
    """False alarms among real runs that were decided."""

    rate: Rate
    sessions: int
    same_judging: bool


@dataclass(frozen=True)
class ModelRow:
    """Drawn runs of one kind: healthy, or with one fault planted."""

    title: str
    is_healthy: bool
    pinned: str
    rate: Rate


@dataclass(frozen=True)
class Model:
    """A model, not a measurement: runs drawn from one recorded run."""

    run_id: str
    same_judging: bool
    rows: tuple[ModelRow, ...]


@dataclass(frozen=True)
class ErrorRates:
    """What is known, and in `absent` what is not."""

    measured: MeasuredRate | None
    model: Model | None
    absent: tuple[str, ...]


def read_error_rates(item: Mapping[str, Any]) -> ErrorRates:
    """The certificate's `error_rates`; raises KeyError or TypeError on another shape."""
    return ErrorRates(
        measured=_measured(item["measured"]),
        model=_model(item["model"]),
        absent=tuple(str(text) for text in item["absent"]),
    )


def _rate(failed: int, runs: int, bound: Mapping[str, Any]) -> Rate:
    return Rate(failed, runs, float(bound["low"]), float(bound["high"]), float(bound["upper"]))


def _measured(item: Mapping[str, Any] | None) -> MeasuredRate | None:
    if item is None:
        return None
    rate = _rate(item["failed"], item["decided"], item["failure_rate"])
    return MeasuredRate(rate, item["sessions"], item["same_judging"])


def _model(item: Mapping[str, Any] | None) -> Model | None:
    if item is None:
        return None
    rows = tuple(
        ModelRow(
            row["title"], not row["plant"], row["pinned"], _rate(row["failed"], row["runs"], row["rate"])
        )
        for row in item["rows"]
    )
    return Model(item["run_id"], item["same_judging"], rows)
