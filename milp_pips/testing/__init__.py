r"""The conformance suites: what every solver and every family, built in or from outside, must pass.

A plugin's author inherits one in a test module; pytest does the rest::

    from milp_pips.testing import FamilyConformance, SolverConformance

    class TestMySolver(SolverConformance):
        solver = "my-solver"

    class TestMyFamily(FamilyConformance):
        family = "my-family"
        texts = ("my family\n1 2\n",)
"""

from contextlib import suppress

with suppress(ImportError):  # it is only absent where no test runs
    import pytest

    for _module in ("boards", "families", "solvers"):  # a failed assertion shows the values it compared
        pytest.register_assert_rewrite(f"milp_pips.testing.{_module}")

from milp_pips.testing.boards import InterruptedDeadline as InterruptedDeadline
from milp_pips.testing.boards import board as board
from milp_pips.testing.boards import large as large
from milp_pips.testing.families import FamilyConformance as FamilyConformance
from milp_pips.testing.solvers import SolverConformance as SolverConformance
