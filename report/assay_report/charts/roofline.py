"""What a kernel of a given arithmetic intensity can reach on this device, by what was measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from ..certificate import Certificate
from ..kernels import Kernel
from ..numbers import number_text
from .figure import INK, MUTED, SERIES, drawing, to_svg

_SLOPES = (("DRAM", ("dram_bw.read",)), ("L2", ("l2_bw.read",)), ("L1", ("l1_bw.read_16B",)))
_Table = tuple[tuple[str, tuple[str, ...]], ...]
# By precision, the fastest path of the device first.
_PEAKS = (
    ("FP64", ("mma.mma_sync_f64_f64", "fma_f64")),
    ("FP32", ("fma_f32",)),
    ("TF32 tensor", ("mma.wgmma_tf32_f32", "mma.mma_sync_tf32_f32")),
    ("FP16 tensor", ("mma.wgmma_f16_f32", "mma.mma_sync_f16_f32")),
    ("FP8 tensor", ("mma.wgmma_e4m3_f32",)),
)
_LOW_AI, _HIGH_AI = 0.05, 20000.0
_NAME_SHOWN = 40
# Two peaks less than this apart would be written over each other.
_LABEL_RATIO = 1.25


@dataclass(frozen=True)
class Rungs:
    """Measured slopes in GB/s and peaks in TFLOP/s, each by its label."""

    slopes: list[tuple[str, float]]
    peaks: list[tuple[str, float]]


def rungs_of(certificate: Certificate) -> Rungs:
    """The rungs that this certificate has numbers for."""

    def known(table: _Table) -> list[tuple[str, float]]:
        rows = []
        for label, paths in table:
            values = [
                value for path in paths if (value := certificate.number(path)) is not None and value > 0
            ]
            rows += [(label, values[0])] if values else []
        return rows

    return Rungs(known(_SLOPES), known(_PEAKS))


def roofline(certificate: Certificate, kernels: tuple[Kernel, ...] = ()) -> str | None:
    """Log-log roofline with `kernels` as marks; None without a bandwidth or without a rate."""
    rungs = rungs_of(certificate)
    if not rungs.slopes or not rungs.peaks:
        return None
    top = max(value for _, value in rungs.peaks)
    intensity = np.geomspace(_LOW_AI, _HIGH_AI, 400)
    with drawing("roofline", height_in=4.4) as (figure, axes):
        for index, (label, gbs) in enumerate(rungs.slopes):
            reach = np.minimum(intensity * gbs / 1000, top)
            axes.plot(intensity, reach, color=SERIES[index], label=f"{label} {number_text(gbs, 4)} GB/s")
        _draw_peaks(axes, rungs)
        _draw_kernels(axes, kernels)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("arithmetic intensity, FLOP per byte")
        axes.set_ylabel("TFLOP/s")
        axes.legend(loc="lower right", fontsize=8)
        return to_svg(figure, "roofline", _description(rungs, kernels))


def _draw_peaks(axes: Axes, rungs: Rungs) -> None:
    steepest = max(gbs for _, gbs in rungs.slopes)
    for _, tflops in rungs.peaks:
        axes.plot([tflops * 1000 / steepest, _HIGH_AI], [tflops, tflops], color=MUTED, linewidth=0.9)
    for height, text in peak_labels(rungs.peaks):
        axes.text(_HIGH_AI, height, text, ha="right", va="bottom", fontsize=8)


def peak_labels(peaks: list[tuple[str, float]]) -> list[tuple[float, str]]:
    """Height and text of each label; peaks too close for two lines of text share one."""
    rows: list[tuple[float, list[str]]] = []
    for label, tflops in sorted(peaks, key=lambda peak: -peak[1]):
        text = f"{label} {number_text(tflops, 4)}"
        if rows and rows[-1][0] < tflops * _LABEL_RATIO:
            rows[-1][1].append(text)
        else:
            rows.append((tflops, [text]))
    return [(height, ", ".join(texts)) for height, texts in rows]


def _draw_kernels(axes: Axes, kernels: tuple[Kernel, ...]) -> None:
    for kernel in kernels:
        place = (kernel.arithmetic_intensity, kernel.achieved_tflops)
        axes.plot(*place, marker="o", color=INK, linestyle="")
        # A name is text, whatever dollar signs it holds.
        axes.annotate(
            kernel.name[:_NAME_SHOWN],
            place,
            textcoords="offset points",
            xytext=(6, -10),
            fontsize=8,
            parse_math=False,
        )


def _description(rungs: Rungs, kernels: tuple[Kernel, ...]) -> str:
    slopes = ", ".join(f"{label} {number_text(value, 4)} GB/s" for label, value in rungs.slopes)
    peaks = ", ".join(f"{label} {number_text(value, 4)} TFLOP/s" for label, value in rungs.peaks)
    marks = f"; {len(kernels)} kernels marked" if kernels else ""
    return f"Measured roofline: {slopes}; {peaks}{marks}"
