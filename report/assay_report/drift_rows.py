"""The comparison of two dossiers, as `assay drift --json` writes it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from .strict_json import InputError, read_object


@dataclass(frozen=True)
class Comparison:
    """One fact in both dossiers; `rel` is (current - pinned) / pinned."""

    path: str
    current: float | None
    pinned: float | None
    rel: float | None
    tolerance: float | None

    @property
    def share_of_tolerance(self) -> float:
        """How much of what is allowed was used; NaN when either side is unknown."""
        if self.rel is None or not self.tolerance:
            return math.nan
        return abs(self.rel) / self.tolerance


def read_comparisons(path: Path) -> tuple[Comparison, ...]:
    """Read the `entries` of a drift document; raises InputError."""
    rows = read_object(path).get("entries")
    if not isinstance(rows, list):
        raise InputError(f'{path}: no "entries"; the output of `assay drift --json` is expected')
    names = ("path", "current", "pinned", "rel", "tolerance")
    try:
        return tuple(Comparison(*(row[name] for name in names)) for row in rows)
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: an entry lacks {error}") from error
