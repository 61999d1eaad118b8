"""Exact numbers: whole numbers and fractions, as they were written."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import Any

from milp_pips.problem.errors import UsageError

LOST_DIGITS = 4
"""By how many digits rounding must shorten a number for it to count as computed."""

TOLERANCE = Fraction(1, 10**6)
"""By how much a row with continuous columns may be missed, relative to the greatest term of one of them:
engines compute these in floating point. Integer columns are exact, however large their factors are: to miss a
row by a millionth of a big M would be to have no row. Rows of integer columns alone hold exactly."""

Number = int | Fraction
"""An exact number; whole ones are ``int`` or ``Fraction``."""


def exact(number: Any) -> Number:
    """Return a number as the decimal that was written: 0.1 is 1/10, not the nearest binary fraction.

    Libraries compute with what was written, and what looks like that is rounded to 15 digits: PuLP turns
    ``x + 0.1 <= 0.3`` into ``x <= 0.19999999999999998``, which is 1/5 here. Whole numbers are not rounded.
    Raises UsageError unless the number is finite.
    """
    if isinstance(number, int):
        return int(number)
    if not isinstance(number, float):
        return Fraction(number)
    if not isfinite(number):
        raise UsageError(f"a coefficient is {number}; expected a finite number")
    if number == int(number):
        return int(number)
    written, rounded = repr(float(number)), f"{float(number):.15g}"
    is_computed = len(written) - len(rounded) >= LOST_DIGITS
    return Fraction(rounded if is_computed else written)


def size(number: Number) -> Number:
    """Return the absolute value; ``abs`` has no type for it."""
    return -number if number < 0 else number


def magnitude(number: Number) -> Number:
    """Return the absolute value, at least 1: tolerances are relative to it."""
    return size(number) if size(number) > 1 else 1


def stated(number: Number) -> int | float:
    """Return a number for people: whole if it is whole, else the nearest float."""
    return int(number) if number == int(number) else float(number)
