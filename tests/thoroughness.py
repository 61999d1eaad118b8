"""The number of random trials: few by default, or with ``--thorough`` as many as an hour allows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import pytest
from hypothesis import settings

Amount = TypeVar("Amount")

thorough = False
"""Whether to try many; ``conftest.py`` sets it before tests are collected."""


def few_or_many(few: Amount, many: Amount) -> Amount:
    """Return ``few``, or ``many`` with ``--thorough``."""
    return many if thorough else few


def mostly_long(quick: int, cases: Iterable[Any]) -> list[Any]:
    """Return the cases of a parametrised test, of which all but the first ones have the mark ``long``."""
    tuples = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.long][: i >= quick]) for i, case in enumerate(tuples)]


def examples(few: int, many: int = 300) -> settings:
    """Return a decorator for a test with this many random examples.

    A few are the same each time, as the suite says twice the same about the same code; many are drawn anew.
    """
    return settings(
        max_examples=few_or_many(few, many), deadline=None, database=None, derandomize=not thorough
    )
