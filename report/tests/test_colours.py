"""WCAG 2.1 contrast, computed from the style sheet that ships."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import assay_report.page

STYLE = (Path(assay_report.page.__file__).parent / "templates" / "style.css").read_text(encoding="utf-8")
TEXT = ("ink", "muted", "series-1", "good", "warn", "bad")
# Lines and marks of a chart need 3:1 (success criterion 1.4.11).
GRAPHICS = ("series-2", "series-3", "series-4")


def _themes() -> dict[str, dict[str, str]]:
    blocks = re.findall(r":root \{(.*?)\}", STYLE, flags=re.DOTALL)
    light, dark = (dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", block)) for block in blocks)
    return {"light": light, "dark": dark}


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(first: str, second: str) -> float:
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_formula_knows_black_on_white() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21.0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_reaches_aa_in_both_themes(theme: str) -> None:
    colours = _themes()[theme]
    poor = {name: round(_contrast(colours[name], colours["paper"]), 2) for name in TEXT}
    assert {name: ratio for name, ratio in poor.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_stand_out_in_both_themes(theme: str) -> None:
    colours = _themes()[theme]
    assert [name for name in GRAPHICS if _contrast(colours[name], colours["paper"]) < 3.0] == []


def test_both_themes_define_the_same_colours() -> None:
    themes = _themes()
    assert themes["light"].keys() == themes["dark"].keys()
