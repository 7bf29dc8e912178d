"""How a number is written for a person: the same everywhere, and 'no value' when there is none."""

from __future__ import annotations

import math

from .certificate import Fact, Value

NO_VALUE = "no value"


def number_text(value: float | int | None, digits: int = 5) -> str:
    """`value` with `digits` significant digits, no exponent; NO_VALUE for none or NaN."""
    if value is None or not math.isfinite(value):
        return NO_VALUE
    if isinstance(value, int) or (abs(value) < 1e15 and float(value).is_integer()):
        return f"{int(value):,}".replace(",", "\u202f") if abs(value) >= 100_000 else str(int(value))
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{value:.{min(max(decimals, 0), 9)}f}"


def percent_text(share: float | None, digits: int = 1) -> str:
    """A share in percent: 0.961 is '96.1 %'."""
    if share is None or not math.isfinite(share):
        return NO_VALUE
    return f"{100 * share:.{digits}f} %"


def value_text(value: Value) -> str:
    """Any value of a fact, without its units."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return number_text(value)


def fact_text(fact: Fact) -> str:
    """Value and units; NO_VALUE alone when the fact has none."""
    text = value_text(fact.value)
    if text == NO_VALUE or fact.units in ("", "none", "count"):
        return text
    return f"{text} {fact.units}"


def band_text(low: float | None, high: float | None) -> str:
    """The interval that a claim allows, open sides written out."""
    if low is None and high is None:
        return "no band"
    if low is None:
        return f"at most {number_text(high)}"
    if high is None:
        return f"at least {number_text(low)}"
    return f"{number_text(low)} to {number_text(high)}"
