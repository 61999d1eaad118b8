"""The model of a puzzle as the text of a file that other programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from milp_pips.problem.errors import UsageError
from milp_pips.tasks.pipeline import state

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Puzzle

FORMATS = ("lp", "mps", "mzn", "cnf")


def export(puzzle: Puzzle, to: str = "lp", formulation: str = "") -> str:
    """Return the puzzle as a model in CPLEX LP, free MPS, MiniZinc or DIMACS CNF format.

    It is the model of the puzzle as it is stated, for reading and for other programs: nothing is filtered.
    Raises UsageError for an unknown formulation; constraints and clauses have none to choose.
    """
    problem = state(puzzle)
    if formulation and to in ("mzn", "cnf"):
        how = "a MiniZinc model states the constraints as they are" if to == "mzn" else "there is one formula"
        raise UsageError(f"{how}: it has no formulations")
    if to == "mzn":
        from milp_pips.formulations.minizinc import to_minizinc

        return to_minizinc(problem)
    if to == "cnf":
        from milp_pips.formulations.cnf import to_dimacs

        return to_dimacs(problem)
    from milp_pips.formulations.milp import formulate

    model = formulate(problem, formulation)
    return model.to_lp() if to == "lp" else model.to_mps()
