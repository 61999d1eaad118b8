"""A second, independent way to say "no solution" before a person is told."""

from __future__ import annotations

from dataclasses import dataclass

from milp_pips.answer import Answer, Proof, Settings
from milp_pips.engines import ask, available
from milp_pips.obstruction import obstruction
from milp_pips.problem import Problem
from milp_pips.watch import Watch


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What the second way found: by what it was confirmed, or the answer that contradicts, or neither."""

    confirmed_by: str | None
    contradiction: Answer | None = None
    witness: str = ""


def confirm_infeasible(problem: Problem, first: Answer, watch: Watch) -> Confirmation:
    """Look for a second proof that the problem has no solution.

    First a simple obstruction of the board; else HiGHS on another formulation than the first answer's, with
    presolve off: its false "infeasible" have come from presolve, and never from both ways.
    """
    reason = obstruction(problem)
    if reason:
        return Confirmation(reason)
    second = available("highs")
    formulation = next((f for f in second.formulations if f not in first.formulation.split(",")), "")
    answer = ask("highs", problem, Settings(formulation, options={"presolve": "off"}), watch)
    witness = f"{second.title} {second.version()} ({answer.formulation or 'the same model'}, presolve off)"
    if answer.point is not None:
        return Confirmation(None, answer, witness)
    return Confirmation(witness if answer.proof is Proof.INFEASIBLE else None)
