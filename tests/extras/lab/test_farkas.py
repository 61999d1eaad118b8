"""Farkas's certificate of each infeasible leaf is verified again here, from the model alone."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from pathlib import Path

import numpy as np
import pytest

import milp_pips
from milp_pips.problem.errors import EngineFault, UsageError

CUBE = milp_pips.read(Path(__file__).parents[3] / "examples" / "pips" / "cube.json")
IMPOSSIBLE = milp_pips.Pips.from_rows(
    ["AAB", "CCB"], {"A": "NEQ", "B": "SUM 4", "C": "EQ"}, [(0, 1), (2, 3), (1, 3)], "impossible"
)


def path_bounds(tree, node):
    low, high = {}, {}
    while node is not None:
        for column, least, most in tree.nodes[node].bounds:
            low[column], high[column] = max(low.get(column, 0), least), min(high.get(column, 1), most)
        node = tree.nodes[node].parent
    return low, high


@pytest.mark.parametrize(
    ("puzzle", "asked"),
    [
        (IMPOSSIBLE, {"rule": "strong", "formulation": "projected"}),
        (IMPOSSIBLE, {"rule": "strong", "formulation": "implication"}),
        (CUBE, {"maximise": "ltf", "order": "best"}),
    ],
)
def test_each_infeasible_leaf_has_a_certificate(puzzle, asked):
    tree = milp_pips.search_tree(puzzle, **asked)
    model = tree.stated.model
    names = model.row_names()
    leaves = [i for i, node in enumerate(tree.nodes) if node.status == "infeasible"]
    assert leaves
    for leaf in leaves:
        found = milp_pips.farkas(tree, leaf)
        total, least = {}, Fraction(0)
        for name, y in zip(found.rows, found.multipliers, strict=True):
            row = names.index(name)
            side = (model.row_lower if y > 0 else model.row_upper)[row]
            assert y == 0 or abs(side) < inf
            least += y * Fraction(float(side)) if y else 0
            for k in range(model.start[row], model.start[row + 1]):
                column = int(model.index[k])
                total[column] = total.get(column, 0) + y * Fraction(float(model.value[k]))
        low, high = path_bounds(tree, leaf)
        most = sum(a * int(high.get(j, 1) if a > 0 else low.get(j, 0)) for j, a in total.items())
        assert most < least
        assert (found.most, found.least) == (most, least)
        assert "a contradiction" in str(found)


def test_a_ray_that_proves_nothing_is_refused(monkeypatch):
    tree = milp_pips.search_tree(IMPOSSIBLE)
    monkeypatch.setattr("milp_pips.extras.lab.farkas.MAX_DENOMINATOR", 1)
    monkeypatch.setattr("milp_pips.extras.lab.farkas.Fraction", lambda *_: Fraction(0))
    with pytest.raises(EngineFault, match="not a certificate in exact arithmetic"):
        milp_pips.farkas(tree)
    assert np.isfinite(tree.stated.model.row_lower).any()


def test_only_an_infeasible_leaf_has_one():
    tree = milp_pips.search_tree(CUBE, maximise="ltf", order="best")
    with pytest.raises(UsageError, match="no infeasible leaf with this number"):
        milp_pips.farkas(tree, 0)
