"""Facts that are curves: atomics by distinct addresses, arithmetic by warps in flight."""

from __future__ import annotations

import re

from ..certificate import Certificate
from .figure import INK, SERIES, drawing, to_svg

Curve = list[tuple[float, float]]


def _curve(certificate: Certificate, entry: str, pattern: str) -> Curve:
    """Points of `entry` whose key matches `pattern`, x from its group, by rising x."""
    points: Curve = []
    for fact in certificate.facts.values():
        match = re.fullmatch(pattern, fact.key) if fact.entry == entry else None
        if match and fact.number is not None:
            points.append((float(match.group(1)), fact.number))
    return sorted(points)


def atomic_curve(certificate: Certificate) -> str | None:
    """Atomic throughput over the number of distinct addresses; None below three points."""
    curves = [
        (label, _curve(certificate, entry, r"(\d+)"))
        for entry, label in (("atomics_f32", "f32"), ("atomics_u32", "u32"))
    ]
    shown = [(label, points) for label, points in curves if len(points) >= 3]
    if not shown:
        return None
    with drawing("atomics") as (figure, axes):
        for index, (label, points) in enumerate(shown):
            axes.plot(*zip(*points, strict=True), marker="o", color=SERIES[index], label=label)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("distinct addresses")
        axes.set_ylabel("Gop/s")
        axes.legend(loc="lower right")
        return to_svg(figure, "atomics", "Atomic operations per second over the number of distinct addresses")


def occupancy_knee(certificate: Certificate) -> str | None:
    """FMA rate over the warps of an SM with the fitted knee; None below three points."""
    points = _curve(certificate, "occupancy_knees_fma_tflops", r"warps_(\d+)")
    if len(points) < 3:
        return None
    knee = certificate.number("occupancy_knees_fma_tflops.knee_warps")
    with drawing("occupancy") as (figure, axes):
        axes.plot(*zip(*points, strict=True), marker="o", color=SERIES[0])
        if knee is not None:
            axes.axvline(knee, color=INK, linewidth=0.9, linestyle="--")
            axes.annotate(f"knee at {knee:g} warps", (knee, 0), textcoords="offset points", xytext=(6, 6))
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("warps per SM")
        axes.set_ylabel("FMA, TFLOP/s")
        return to_svg(figure, "occupancy", "FMA rate over warps per SM, with the fitted knee")
