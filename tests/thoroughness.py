"""How much is tried: what everyone can wait for, or with ``--thorough`` as much as an hour allows."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import settings

Amount = TypeVar("Amount")

thorough = False
"""Whether it is many; ``conftest.py`` sets it before any test is collected."""


def few_or_many(few: Amount, many: Amount) -> Amount:
    """Return the few, or with ``--thorough`` the many."""
    return many if thorough else few


def examples(few: int, many: int = 300) -> settings:
    """Return the settings of a test that takes so many random examples: a decorator."""
    return settings(max_examples=few_or_many(few, many), deadline=None, database=None)
