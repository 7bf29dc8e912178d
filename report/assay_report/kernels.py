"""Kernels to mark in the roofline: results of a bench, by name."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .strict_json import InputError, read_object

# Above this share of the roof there is little left to gain; below the other, look at occupancy first.
_NEAR_ROOF, _FAR_FROM_ROOF = 0.80, 0.60


@dataclass(frozen=True)
class Kernel:
    """One measured kernel: FLOP per byte of DRAM traffic, and TFLOP/s."""

    name: str
    arithmetic_intensity: float
    achieved_tflops: float


def read_kernels(path: Path) -> tuple[Kernel, ...]:
    """Read `{"kernels": [{name, arithmetic_intensity, achieved_tflops}]}`; raises InputError."""
    rows = read_object(path).get("kernels")
    if not isinstance(rows, list):
        raise InputError(f'{path}: "kernels" must be a list of kernels')
    return tuple(_kernel(path, index, row) for index, row in enumerate(rows))


def _kernel(path: Path, index: int, row: Any) -> Kernel:
    where = f"{path}: kernels[{index}]"
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise InputError(f'{where}: an object with a "name" is expected')
    numbers = []
    for key in ("arithmetic_intensity", "achieved_tflops"):
        value = row.get(key)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
            or value <= 0
        ):
            raise InputError(f"{where}.{key}: {value!r} is no positive number")
        numbers.append(float(value))
    return Kernel(row["name"], numbers[0], numbers[1])


def roof_tflops(kernel: Kernel, dram_gbs: float, peak_tflops: float) -> float:
    """What the roof allows at this kernel's intensity."""
    return min(kernel.arithmetic_intensity * dram_gbs / 1000, peak_tflops)


def advice(share_of_roof: float) -> str:
    """What to do with a kernel at this share of its roof; above 1 the measurement is at fault."""
    if share_of_roof > 1.01:
        return "above the roof: look for the fault in the measurement"
    if share_of_roof > _NEAR_ROOF:
        return "near its roof: stop here"
    if share_of_roof < _FAR_FROM_ROOF:
        return "far from its roof: check occupancy first, then profile"
    return "some way to go: profile"
