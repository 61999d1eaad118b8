"""Figures that sum up the times of many runs, some of which hit their limit."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

SHIFT = 1.0
"""Seconds: times far below this hardly count, so that milliseconds do not decide."""

PENALTY = 10.0
"""How many times its limit an unsolved run counts in PAR-10."""


def median(times: Sequence[float]) -> float:
    """Return the middle of the times, or the mean of the two middle ones.

    Raises ``statistics.StatisticsError`` if there are none.
    """
    return statistics.median(times)


def shifted_geometric_mean(times: Sequence[float], shift: float = SHIFT) -> float:
    """Return ``(∏ (t + shift))^(1/n) - shift`` (Achterberg, *Constraint Integer Programming*, 2007).

    The geometric mean keeps a few long runs from deciding, the shift a few very short ones. Raises
    ValueError if there are no times.
    """
    if not times:
        raise ValueError("the mean of no times")
    return math.exp(math.fsum(math.log(t + shift) for t in times) / len(times)) - shift


def penalised_average(
    times: Sequence[float], solved: Sequence[bool], limit: float, penalty: float = PENALTY
) -> float:
    """Return the mean time, in which an unsolved run counts ``penalty`` times the limit.

    With the penalty 10 this is PAR-10 (Hutter, Hoos, Leyton-Brown and Stützle 2009). Raises ValueError if
    there are no times.
    """
    if not times:
        raise ValueError("the mean of no times")
    counted = (t if success else penalty * limit for t, success in zip(times, solved, strict=True))
    return math.fsum(counted) / len(times)
