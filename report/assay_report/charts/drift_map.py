"""Which facts moved against the pinned dossier, and by how much of what is allowed."""

from __future__ import annotations

from dataclasses import dataclass

from ..drift_rows import Comparison
from .figure import BAD, GOOD, INK, PAPER, WARN, drawing, to_svg

_COLUMNS = 24


@dataclass(frozen=True)
class _Cell:
    x: int
    y: int
    colour: str


def drift_map(rows: tuple[Comparison, ...]) -> str | None:
    """A cell per fact, a line per family: within half of the tolerance, within it, over it."""
    families: dict[str, list[Comparison]] = {}
    for row in rows:
        families.setdefault(row.path.split(".", 1)[0], []).append(row)
    if not families:
        return None
    cells, labels, y = [], [], 0
    for family, members in sorted(families.items()):
        labels.append((y, family))
        for index, member in enumerate(members):
            cells.append(_Cell(index % _COLUMNS, y + index // _COLUMNS, _colour(member)))
        y += (len(members) - 1) // _COLUMNS + 1
    with drawing("drift", height_in=0.2 * y + 0.7) as (figure, axes):
        axes.scatter(
            [cell.x for cell in cells],
            [cell.y for cell in cells],
            c=[cell.colour for cell in cells],
            marker="s",
            s=95,
            edgecolors=PAPER,
        )
        axes.set_yticks([at for at, _ in labels], [name for _, name in labels], fontsize=8)
        axes.set_xticks([])
        axes.set_xlim(-0.8, _COLUMNS)
        axes.set_ylim(y - 0.4, -0.6)
        axes.grid(visible=False)
        axes.spines["bottom"].set_visible(False)
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        over = sum(1 for row in rows if row.share_of_tolerance > 1)
        return to_svg(figure, "drift", f"Drift of {len(rows)} facts by family, {over} over tolerance")


def _colour(row: Comparison) -> str:
    # NaN compares false everywhere, so that an unknown share ends in the last colour.
    if row.share_of_tolerance <= 0.5:
        return GOOD
    if row.share_of_tolerance <= 1:
        return WARN
    return BAD
