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


@dataclass(frozen=True)
class KernelList:
    """What a file holds: kernels that have a place in the roofline, and why others have none."""

    kernels: tuple[Kernel, ...]
    left_out: tuple[str, ...] = ()


def read_kernels(path: Path) -> KernelList:
    """Read `assay bench --json`, or `{"kernels": [{name, arithmetic_intensity, achieved_tflops}]}`.

    Raises InputError.
    """
    document = read_object(path)
    if document.get("kind") == "bench":
        return _bench_results(path, document.get("results"))
    rows = document.get("kernels")
    if not isinstance(rows, list):
        raise InputError(f'{path}: "kernels" must be a list of kernels, or the kind "bench"')
    return KernelList(tuple(_kernel(f"{path}: kernels[{index}]", row) for index, row in enumerate(rows)))


def _bench_results(path: Path, rows: Any) -> KernelList:
    """Results that state both rates are marked; the others are named with their reason."""
    if not isinstance(rows, list):
        raise InputError(f'{path}: "results" must be a list of results')
    kernels, left_out = [], []
    for index, row in enumerate(rows):
        where = f"{path}: results[{index}]"
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            raise InputError(f'{where}: an object with a "name" is expected')
        if row.get("status") != "measured":
            left_out.append(f"{row['name']}: {row.get('status')}, {row.get('reason') or 'no reason'}")
        elif row.get("arithmetic_intensity") is None or row.get("achieved_tflops") is None:
            left_out.append(f"{row['name']}: its bytes and FLOPs per call are not both stated")
        else:
            kernels.append(_kernel(where, row))
    return KernelList(tuple(kernels), tuple(left_out))


def _kernel(where: str, row: Any) -> Kernel:
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
