"""Check a solution against the rules of the game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from milp_pips.answer import Proof, Settings
from milp_pips.confirm import confirm_infeasible
from milp_pips.engines import ask
from milp_pips.puzzles.family import Puzzle
from milp_pips.referee import judged
from milp_pips.watch import Watch


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a solution is right (None: no answer), and the first rule it breaks."""

    right: bool | None
    broken: str = ""


def check(puzzle: Puzzle[Any], solution: Any, watch: Watch | None = None) -> Verdict:
    """Return whether the solution is right.

    What the solution shows is held against the rules of the game. Where it leaves something open, as a grid
    of pips leaves open where the dominoes lie, HiGHS looks for a way to complete it; that there is none is
    confirmed a second way.
    """
    broken = puzzle.check(solution)
    if broken:
        return Verdict(False, broken)
    problem = puzzle.state()
    shown = puzzle.encode(solution)
    if len(shown) == len(problem.variables):
        return Verdict(True)
    rest = problem.restricted({variable: (value,) for variable, value in shown.items()})
    watch = watch or Watch()
    answer = ask("highs", rest, Settings(), watch)
    if judged(puzzle, rest, answer.point, "highs") is not None:
        return Verdict(True)
    if answer.proof is Proof.INFEASIBLE:
        confirmation = confirm_infeasible(rest, answer, watch, "highs")
        other = confirmation.contradiction
        if other is not None and judged(puzzle, rest, other.point, confirmation.witness) is not None:
            return Verdict(True)
        if confirmation.confirmed_by:
            return Verdict(False, "no solution shows these values")
    return Verdict(None, f"no answer: {watch.stop or answer.stop}")
