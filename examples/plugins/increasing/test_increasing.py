"""The constraint passes the suite that every constraint passes, and works beside the others."""

from milp_pips_increasing import Increasing

import milp_pips
from milp_pips import AllDifferent, Problem, Variable
from milp_pips.testing import ConstraintConformance


class TestIncreasing(ConstraintConformance):
    constraint = "increasing"
    cases = (
        (Increasing((0, 1, 2), "a < b < c"), ((1, 2, 3, 5), (1, 2, 3, 4), (0, 2, 3, 4))),
        (Increasing((2, 0), "c < a"), ((-1, 4), (0, 1), (-1, 3, 5))),
        (Increasing((0, 1), "a < b"), ((3, 4), (1, 3))),
    )


def test_thermometers_in_a_latin_square():
    cells = range(16)
    lines = [tuple(range(i, 16, 4)) for i in range(4)] + [tuple(range(4 * i, 4 * i + 4)) for i in range(4)]
    rules = [AllDifferent(line, f"line {number}") for number, line in enumerate(lines)]
    rules += [Increasing((0, 1, 5, 6), "first thermometer"), Increasing((12, 8, 9), "second thermometer")]
    variables = tuple(Variable(f"r{i // 4 + 1}c{i % 4 + 1}", (1, 2, 3, 4)) for i in cells)
    square = Problem(variables, tuple(rules), {"grid": tuple(cells)})
    count = milp_pips.count(square).counts["grid"]
    assert count == len(list(milp_pips.solutions(square, solver="highs")))
    assert count == 0 or milp_pips.solve(square).status == "solved"
