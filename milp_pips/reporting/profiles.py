"""Curves that show many times at once: steps of a share, or of a number, of the instances."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Times: TypeAlias = NDArray[np.float64]
"""Seconds, one row per instance and one column per configuration; infinite where it was not solved."""
SHORTEST = 1e-6
"""Seconds that every time counts at least, so that it has a logarithm."""


def ratios_to_best(times: Times) -> Times:
    """Return each time over the best time of its instance; infinite where the instance was not solved."""
    known = np.maximum(times, SHORTEST)
    best = known.min(axis=1, keepdims=True, initial=np.inf)
    ratios = np.full_like(known, np.inf)
    np.divide(known, best, out=ratios, where=np.isfinite(known))
    return ratios


def performance_profile(times: Times) -> list[tuple[Times, Times]]:
    """Return, per configuration, the steps of its performance profile.

    The value at factor f is the share of all instances that the configuration solved within f times the best
    time of that instance (Dolan and Moré 2002, "Benchmarking optimization software with performance
    profiles"). The two arrays are the factors at which the share steps up, and the share from there on.
    """
    return [steps(column, len(times)) for column in ratios_to_best(times).T]


def steps(values: Times, total: int) -> tuple[Times, Times]:
    """Return the finite values, sorted and each once, and the share of ``total`` that is no greater."""
    places, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    return places, np.cumsum(counts) / max(total, 1)
