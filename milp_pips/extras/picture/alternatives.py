"""The readings of a part of a picture: its alternatives, with their likelihoods."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Alternative(NamedTuple, Generic[T]):
    """One reading, and the natural logarithm of its probability among the alternatives."""

    value: T
    likelihood: float


Reading = tuple[Alternative[T], ...]
"""The alternatives, the likeliest first."""

LEAST_LIKELIHOOD = log(1e-4)
"""Alternatives below it are left out; such a reading is not doubted, and no search would reach it."""

DOUBT = log(0.97)
"""A reading is doubtful if its likeliest alternative is below it. Chosen by ``benchmarks/pictures.py``."""


def readings(likelihoods: Mapping[T, float]) -> Reading[T]:
    """Return the alternatives by likelihood, scaled so that the probabilities add up to 1."""
    most = max(likelihoods.values())
    total = most + log(sum(exp(each - most) for each in likelihoods.values()))
    ordered = sorted(likelihoods, key=lambda value: -likelihoods[value])
    found = tuple(Alternative(value, likelihoods[value] - total) for value in ordered)
    return found[:1] + tuple(each for each in found[1:] if each.likelihood >= LEAST_LIKELIHOOD)


def is_doubtful(reading: Reading[T]) -> bool:
    """Return whether the likeliest alternative is not likely enough."""
    return reading[0].likelihood < DOUBT
