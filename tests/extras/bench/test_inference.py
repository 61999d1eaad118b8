"""Intervals and tests against published tables, worked examples and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from milp_pips.extras.bench.figures import bootstrap_interval, holm, sign_test


@pytest.mark.parametrize(
    "quicker, slower, p",
    [
        (8, 1, 0.0390625),  # Conover 1999: 2 * (1 + 9) / 2**9
        (0, 5, 0.0625),
        (0, 6, 0.03125),
        (3, 3, 1.0),
        (0, 0, 1.0),
        (1, 0, 1.0),
    ],
)
def test_the_sign_test_is_exact(quicker, slower, p):
    assert sign_test(quicker, slower) == pytest.approx(p)
    assert sign_test(slower, quicker) == sign_test(quicker, slower)


def test_p_values_are_corrected_as_holm_did():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_bootstrap_interval_does_not_depend_on_order_and_needs_six_values():
    values = [1.0, 5.0, 2.0, 8.0, 3.0, 4.0]
    low, high = bootstrap_interval(values)
    assert bootstrap_interval(values[::-1]) == (low, high)
    assert min(values) < low < np.mean(values) < high < max(values)
    assert bootstrap_interval(values[:5]) == (-math.inf, math.inf)
