"""The nearest puzzles with one solution: no set of fewer changes does, as brute force over all pairs says."""

from __future__ import annotations

from itertools import combinations, product

import milp_pips
from milp_pips import AllDifferent, LinearSum, Problem, Relation, Variable


def test_sets_without_a_family_have_exact_sums_and_values():
    digits = tuple(Variable(name, range(1, 4)) for name in "abcd")
    at_most = [LinearSum(pair, Relation.LE, 5, f"{pair}: at most 5") for pair in ((0, 1), (2, 3))]
    apart = [AllDifferent(pair, f"{pair} differ") for pair in ((0, 1), (2, 3), (0, 2))]
    found = milp_pips.explain(Problem(digits, (*at_most, *apart)), additions=100).additions
    points = [p for p in product(range(1, 4), repeat=4) if p[0] != p[1] and p[2] != p[3] and p[0] != p[2]]
    facts = [{p for p in points if p[v] == value} for v in range(4) for value in range(1, 4)]
    sums = [{p for p in points if p[v] + p[v + 1] == total} for v in (0, 2) for total in range(2, 6)]
    for size in (1, 2, 3):
        enough = any(len(set.intersection(*chosen)) == 1 for chosen in combinations(facts + sums, size))
        assert enough == (size >= len(found.found[0].parts))
    assert found.bound == 2
