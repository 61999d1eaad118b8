"""Second opinions on linear models that are no ``Problem``: HiGHS again, by other methods.

It answers in floating point, so a row of integer columns that is too fine for that leaves the claim open.
"""

from __future__ import annotations

from milp_pips.engines.defaults import MODEL_SOLVERS
from milp_pips.engines.registry import ask
from milp_pips.formulations.linear_problem import LinearProblem
from milp_pips.problem import Deadline, Proof, Settings
from milp_pips.verification.recounting import Opinion
from milp_pips.verification.second_opinion import confirming_deadline

SECOND = "HiGHS (presolve off, other seed), within its tolerance"
"""What confirms an answer on such a model, whatever engine has given it."""


def second(settings: Settings) -> Settings:
    """Return the settings for a second opinion: other methods, another seed."""
    return Settings(seed=settings.seed + 1, threads=settings.threads, options={"presolve": "off"})


def on_no_point(problem: LinearProblem, deadline: Deadline) -> Opinion:
    """Return a second opinion on whether the problem has a point."""
    solver = MODEL_SOLVERS[0]
    part = confirming_deadline(deadline)
    answer = ask(solver, problem.with_objective(None), second(Settings()), part)  # type: ignore[arg-type]
    if answer.point is not None:
        return Opinion(None, answer.point, SECOND, solver, answer)
    if answer.proof is not Proof.INFEASIBLE:
        return Opinion(None, reason=answer.message or "nothing has confirmed it")
    if row := problem.undecidable_row:
        return Opinion(None, reason=f"row {row} is too fine for floating point")
    return Opinion(SECOND)
