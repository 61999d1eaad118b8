"""Two stages: all ways to lay the dominoes, all ways to fill in the values, and what goes together.

The method of a published solution of Pips ("the *link* problem and the *value* problem"), for any problem
with one ``DominoCover`` and on any engine. It is a solver that is made of other solvers, so it stands above
them and above the ways to list solutions, and is found by its registered name like a plugin from outside.
"""

from milp_pips.two_stage.solver import TwoStageSolver

__all__ = ["TwoStageSolver"]
