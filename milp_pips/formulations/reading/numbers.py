"""Exact numbers out of the words of a file, with limits on their size.

A word becomes the number that it states, never its nearest float: ``0.1`` is 1/10. What is too long to be
converted in little time is refused before it is converted.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from milp_pips.formulations.exact import Number

ZERO, ONE = Fraction(0), Fraction(1)

MAX_DIGITS = 400
"""The most digits of a number."""

MAX_EXPONENT = 400
"""The greatest absolute value of an exponent."""

INFINITE_FROM = 10**20
"""From this absolute value on a bound means no bound, as in CPLEX; no other number may be as great."""

_FORM = re.compile(r"([+-]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:[eEdD]([+-]?\d+))?", re.ASCII)
"""Sign, whole digits with or without a fraction, or a fraction alone, exponent (Fortran writes D)."""

_INFINITY = re.compile(r"([+-]?)inf(?:inity)?", re.IGNORECASE)


@lru_cache(maxsize=65536)  # a large file has few different numbers
def parse_number(word: str) -> Number:
    """Return the finite number that a word states, also a quotient such as ``1/2``.

    Raises ValueError, with what is wrong with it, unless the whole word is a number within the limits, and
    smaller than ``INFINITE_FROM``.
    """
    number = _unlimited(word)
    if not -INFINITE_FROM < number < INFINITE_FROM:
        limit = f"engines take {INFINITE_FROM:.0e} for infinity"
        raise ValueError(f"the number {word[:40]} is too great: {limit}")
    return number


@lru_cache(maxsize=65536)
def parse_bound(word: str) -> Number | None:
    """Return the bound that a word states; None if it is infinite, of either sign. Raises ValueError."""
    if _INFINITY.fullmatch(word):
        return None
    number = _unlimited(word)
    return number if -INFINITE_FROM < number < INFINITE_FROM else None


MEANT_DIGITS = 12
"""The most digits of a decimal that a program is taken to have meant by a longer number."""


def meant_decimal(number: Fraction) -> Fraction:
    """Return the short decimal that a program probably meant by a number, or else the number.

    Programs write 0.1 as 0.10000000000000001, and 0.3 - 0.1 as 0.19999999999999998, with 17 digits. If the
    first 15 digits of a fraction are those of a decimal of at most ``MEANT_DIGITS``, it is that one. What
    has 15 digits or fewer stays as it is.
    """
    if number.denominator == 1 or abs(number) <= 1e-290:
        return number
    text = f"{float(number):.15g}"
    digits = text.partition("e")[0].replace(".", "").strip("-0")
    return Fraction(text) if len(digits) <= MEANT_DIGITS else number


class Numbers(dict[str, Fraction]):
    """The numbers of a file by their words: each word is converted once. Raises ValueError.

    ``bounds`` does the same for bounds. ``rounded`` has the numbers that ``meant_decimal`` has changed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rounded: dict[str, Fraction] = {}
        self.bounds = BoundNumbers(self)

    def __missing__(self, word: str) -> Fraction:
        number = self[word] = self.meant(word, Fraction(parse_number(word)))
        return number

    def meant(self, word: str, number: Fraction) -> Fraction:
        """Return the number that a word probably means, and keep it if that is another."""
        if len(word) > 15 and (meant := meant_decimal(number)) != number:
            self.rounded[word] = meant
            return meant
        return number

    def notes(self) -> list[tuple[str, int]]:
        """Return a note about rounded numbers, if there are some."""
        if not self.rounded:
            return []
        word, number = next(iter(self.rounded.items()))
        more = f", and {len(self.rounded) - 1} more" if len(self.rounded) > 1 else ""
        what = f"{word[:40]} is taken for {float(number)!r}{more}: programs write such numbers with 17 digits"
        return [(what, 0)]


class BoundNumbers(dict[str, Fraction | None]):
    """The bounds of a file by their words: each word is converted once. Raises ValueError."""

    def __init__(self, numbers: Numbers):
        super().__init__()
        self._numbers = numbers

    def __missing__(self, word: str) -> Fraction | None:
        number = parse_bound(word)
        bound = self[word] = None if number is None else self._numbers.meant(word, Fraction(number))
        return bound


def _unlimited(word: str) -> Number:
    above, slash, below = word.partition("/")
    number = _decimal(above, word)
    if slash:
        divisor = _decimal(below, word)
        if not divisor:
            raise ValueError(f"{word[:40]!r} divides by zero")
        number = Fraction(number) / divisor
    return number.numerator if number.denominator == 1 else number


def _decimal(part: str, word: str) -> Number:
    found = _FORM.fullmatch(part)
    if found is None:
        raise ValueError(f"{word[:40]!r} is not a number")
    sign, whole, after, alone, exponent = found.groups(default="")
    fraction = after or alone
    if len(whole) + len(fraction) > MAX_DIGITS:
        raise ValueError(
            f"the number {word[:20]}… has {len(whole) + len(fraction)} digits, over {MAX_DIGITS}"
        )
    if len(exponent.lstrip("+-0")) > 3 or abs(int(exponent or 0)) > MAX_EXPONENT:
        raise ValueError(f"the exponent of {word[:40]!r} is not between -{MAX_EXPONENT} and {MAX_EXPONENT}")
    digits = int(whole + fraction)
    shift = int(exponent or 0) - len(fraction)
    number: Number = digits * 10**shift if shift >= 0 else Fraction(digits, 10**-shift)
    return -number if sign == "-" else number
