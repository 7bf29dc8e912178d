from __future__ import annotations

import math

import pytest

from assay_report.numbers import NO_VALUE, band_text, number_text, percent_text, value_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4626.046007, "4626.0"),
        (0.0, "0"),
        (0, "0"),
        (132, "132"),
        (-23.9, "-23.900"),
        (0.71036, "0.71036"),
        (3.2e-5, "0.000032000"),
        (62914560, "62\u202f914\u202f560"),
        (None, NO_VALUE),
        (math.nan, NO_VALUE),
        (math.inf, NO_VALUE),
    ],
)
def test_numbers_are_written_for_people(value: float | None, text: str) -> None:
    assert number_text(value) == text


def test_unknown_is_never_zero_percent() -> None:
    assert percent_text(None) == NO_VALUE
    assert percent_text(0.0) == "0.0 %"


def test_a_boolean_is_a_word() -> None:
    assert value_text(True) == "yes"


def test_an_open_band_says_which_side_it_bounds() -> None:
    assert band_text(None, 1.01) == "at most 1.0100"
    assert band_text(0.9, None) == "at least 0.90000"
    assert band_text(0.9, 1.01) == "0.90000 to 1.0100"
    assert band_text(None, None) == "no band"
