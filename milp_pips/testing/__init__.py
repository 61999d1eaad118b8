r"""The conformance suites of solvers, families and constraints, built in or from a plugin.

The author of a plugin inherits a suite in a test module, and pytest collects it::

    from milp_pips.testing import ConstraintConformance, FamilyConformance, SolverConformance

    class TestMySolver(SolverConformance):
        solver = "my-solver"

    class TestMyFamily(FamilyConformance):
        family = "my-family"
        texts = ("my family\n1 2\n",)

    class TestMyConstraint(ConstraintConformance):
        constraint = "my-constraint"
        cases = ((MyConstraint((0, 1)), ((1, 2, 3), (1, 2))),)
"""

from contextlib import suppress

__all__ = [
    "ConstraintConformance",
    "FamilyConformance",
    "InterruptedDeadline",
    "SolverConformance",
    "board",
    "large",
]

with suppress(ImportError):  # pytest may be missing if no test runs
    import pytest

    for _module in (
        "boards",
        "constraints",
        "families",
        "solvers",
    ):  # failed assertions show the compared values
        pytest.register_assert_rewrite(f"milp_pips.testing.{_module}")

from milp_pips.testing.boards import InterruptedDeadline as InterruptedDeadline
from milp_pips.testing.boards import board as board
from milp_pips.testing.boards import large as large
from milp_pips.testing.constraints import ConstraintConformance as ConstraintConformance
from milp_pips.testing.families import FamilyConformance as FamilyConformance
from milp_pips.testing.solvers import SolverConformance as SolverConformance
