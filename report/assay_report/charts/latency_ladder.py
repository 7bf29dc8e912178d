"""How far away each level of memory is, in cycles."""

from __future__ import annotations

from ..certificate import Certificate
from ..numbers import number_text
from .figure import INK, SERIES, drawing, to_svg

_LEVELS = (
    ("latency.shared", "shared memory"),
    ("latency.l1", "L1"),
    ("latency.constant", "constant cache"),
    ("latency.dsmem", "distributed shared memory"),
    ("latency.l2", "L2"),
    ("latency.l2_far", "L2, far partition"),
    ("latency.dram", "DRAM"),
    ("latency.tlb_32GiB", "DRAM over 32 GiB"),
)


def latency_ladder(certificate: Certificate) -> str | None:
    """Bars on a logarithmic axis, nearest level on top; None below two levels."""
    rows = [(label, certificate.number(path)) for path, label in _LEVELS]
    known = [(label, value) for label, value in rows if value is not None and value > 0]
    if len(known) < 2:
        return None
    known.sort(key=lambda row: row[1])
    with drawing("latency", height_in=0.42 * len(known) + 0.8) as (figure, axes):
        axes.barh([row[0] for row in known], [row[1] for row in known], color=SERIES[0], height=0.62)
        axes.set_xscale("log")
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("cycles")
        axes.set_xlim(right=known[-1][1] * 2)
        for index, (_, value) in enumerate(known):
            axes.text(value * 1.06, index, number_text(value, 4), va="center", color=INK)
        summary = ", ".join(f"{label} {number_text(value, 4)}" for label, value in known)
        return to_svg(figure, "latency", f"Latency ladder in cycles: {summary}")
