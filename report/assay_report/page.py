"""The page: one HTML file that needs no script, no network and nothing beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from . import numbers
from .certificate import Certificate, Fact, Invariant
from .charts.curves import atomic_curve, occupancy_knee
from .charts.drift_map import drift_map
from .charts.latency_ladder import latency_ladder
from .charts.roofline import roofline, rungs_of
from .drift_rows import Comparison
from .kernels import Kernel, advice, roof_tflops

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Extras:
    """What a report can show beside the certificate."""

    kernels: tuple[Kernel, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class KernelRow:
    """A kernel against the roof of this device."""

    name: str
    arithmetic_intensity: float
    achieved_tflops: float
    share_of_roof: float | None
    advice: str


def rated_facts(certificate: Certificate) -> list[Fact]:
    """Facts that stand beside a ceiling; runs on zeros are left to the full table."""
    return [
        fact
        for fact in certificate.facts.values()
        if fact.percent is not None and not fact.path.endswith("_zeros")
    ]


def not_passed(certificate: Certificate) -> list[Invariant]:
    """Everything a reader has to act on, worst first."""
    order = {"fail": 0, "no_evidence": 1, "inconclusive": 2, "waived": 3}
    rows = [item for item in certificate.invariants if item.outcome in order]
    return sorted(rows, key=lambda item: (order[item.outcome], item.id))


def families(certificate: Certificate) -> list[tuple[str, list[Fact]]]:
    """All facts by entry, in the order of the document."""
    grouped: dict[str, list[Fact]] = {}
    for fact in certificate.facts.values():
        grouped.setdefault(fact.entry, []).append(fact)
    return list(grouped.items())


def kernel_rows(certificate: Certificate, kernels: tuple[Kernel, ...]) -> list[KernelRow]:
    """Each kernel with its share of the roof; unknown when the device's rungs are."""
    rungs = rungs_of(certificate)
    dram = next((gbs for label, gbs in rungs.slopes if label == "DRAM"), None)
    peak = max((tflops for _, tflops in rungs.peaks), default=None)
    rows = []
    for kernel in kernels:
        share = None
        if dram is not None and peak is not None:
            share = kernel.achieved_tflops / roof_tflops(kernel, dram, peak)
        text = advice(share) if share is not None else "the roof of this device is unknown"
        rows.append(KernelRow(kernel.name, kernel.arithmetic_intensity, kernel.achieved_tflops, share, text))
    return rows


def environment() -> Environment:
    """Templates with every value escaped, unknown names refused, and the number formats."""
    result = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for name in ("number_text", "percent_text", "value_text", "fact_text", "band_text"):
        result.globals[name] = getattr(numbers, name)
    return result


def render_html(certificate: Certificate, extras: Extras | None = None) -> str:
    """The whole page; the same certificate gives the same bytes."""
    extras = extras or Extras()
    charts = {
        "latency": latency_ladder(certificate),
        "roofline": roofline(certificate, extras.kernels),
        "atomics": atomic_curve(certificate),
        "occupancy": occupancy_knee(certificate),
        "drift": drift_map(extras.comparisons),
    }
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            certificate=certificate,
            style=(TEMPLATES / "style.css").read_text(encoding="utf-8"),
            charts=charts,
            rated=rated_facts(certificate),
            not_passed=not_passed(certificate),
            families=families(certificate),
            kernels=kernel_rows(certificate, extras.kernels),
            left_out=extras.left_out,
            comparisons=extras.comparisons,
        )
    )
