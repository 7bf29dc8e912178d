"""How the devices of a cohort lie around the median of one fact."""

from __future__ import annotations

from ..fleet import FactSpread
from .figure import BAD, GRID, SERIES, drawing, to_svg


def spread_chart(fact: FactSpread, number: int) -> str | None:
    """A histogram in percent of the median, the approved dossier's value marked; None without a scale."""
    if fact.scale is None or not fact.scale > 0 or fact.median is None:
        return None
    step = 50 * fact.scale
    middle = len(fact.bins) // 2
    places = [step * (index - middle) for index in range(len(fact.bins))]
    name = f"spread{number}"
    with drawing(name, height_in=2.2) as (figure, axes):
        axes.bar(places, fact.bins, width=0.9 * step, color=SERIES[0], edgecolor=GRID, linewidth=0.3)
        axes.set_yscale("symlog", linthresh=10)
        axes.set_ylabel("GPUs")
        axes.set_xlabel(f"{fact.path}: % from the cohort's median (beyond the ends: in the last bar)")
        if fact.reference is not None and fact.reference > 0:
            axes.axvline(
                max(min(100 * (fact.reference / fact.median - 1), places[-1]), places[0]),
                color=BAD,
                linestyle="--",
            )
        return to_svg(figure, name, f"{fact.devices} GPUs by {fact.path}")


def sparkline(fact: FactSpread) -> str:
    """The same as an SVG path in a box of 41 x 10: one bar per bin, the highest fills the box."""
    most = max(fact.bins, default=0)
    if most <= 0:
        return ""
    bars = (
        f"M{index} 10v-{max(10 * count / most, 0.7):.2f}h1V10z"
        for index, count in enumerate(fact.bins)
        if count > 0
    )
    return "".join(bars)
