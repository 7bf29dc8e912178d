"""What all charts share: size, colours that follow the page's theme, an SVG that can stand in HTML."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib

matplotlib.use("svg")

from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

# matplotlib writes fixed colours; each of these stands for a variable of style.css, so that one SVG
# serves the light page, the dark page and print. The values only have to be unlike each other.
INK, MUTED, GRID = "#010101", "#020202", "#030303"
SERIES = ("#040404", "#050505", "#060606", "#070707")
GOOD, WARN, BAD, PAPER = "#080808", "#090909", "#0a0a0a", "#0b0b0b"
_VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--line",
    SERIES[0]: "--series-1",
    SERIES[1]: "--series-2",
    SERIES[2]: "--series-3",
    SERIES[3]: "--series-4",
    GOOD: "--good",
    WARN: "--warn",
    BAD: "--bad",
    PAPER: "--paper",
}

_STYLE = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.frameon": False,
}


@contextmanager
def drawing(name: str, width_in: float = 7.2, height_in: float = 3.6) -> Iterator[tuple[Figure, Axes]]:
    """A figure with one pair of axes, in the style of the report; `name` seeds the SVG's ids."""
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=(width_in, height_in), layout="constrained")
        FigureCanvasSVG(figure)
        yield figure, figure.add_subplot()


def to_svg(figure: Figure, name: str, description: str) -> str:
    """The figure as an inline SVG: unique ids, themed colours, `description` for those who do not see it."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r"url\(#", f"url(#{name}-", svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    svg = re.sub(r"\s+xmlns:(?:xlink|cc|dc|rdf)=\"[^\"]*\"", "", svg, count=0)
    svg = svg.replace("xlink:href", "href")
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, f"var({variable})")
    width = re.search(r'viewBox="0 0 ([0-9.]+)', svg)
    style = f"max-width:{width.group(1)}pt" if width else ""
    label = _attribute(description)
    return re.sub(r"<svg ", f'<svg role="img" aria-label="{label}" style="{style}" ', svg, count=1)


def _attribute(text: str) -> str:
    return (
        text.replace("&", "&amp;")
        .replace('"', "&quot;")
        .replace("'", "&#39;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
    )
