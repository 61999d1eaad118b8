"""A second way to every reason: what clauses have proved, another engine must prove on rows.

Nothing is filtered on the way and nothing is presolved, so the proof rests on the relaxation and on branching
alone. Dominoes are written as rows in a way that is not the usual one: so the proof is another one even where
the reasoner itself has had to ask this engine.

That a clash is minimal needs no engine to be believed: for every item there is a point that obeys the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from milp_pips.engines.defaults import ARITHMETIC_SOLVER, PROOF_LOGGING_SOLVER, assumption_solver
from milp_pips.engines.execution import ask
from milp_pips.engines.registry import available, reason_against, solver
from milp_pips.formulations.milp import LINEARISATIONS
from milp_pips.problem.answer import Proof, Settings
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.groups import Tiling
from milp_pips.verification.second_opinion import witness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from milp_pips.extras.explain.facts import Clash, Fact, Step
    from milp_pips.extras.explain.reasoner import Reasoner
    from milp_pips.problem.groups import ConstraintGroup, GroupedProblem
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline

NEIGHBOURHOOD_STEPS = (0, 2)
"""How many steps further than the cells in question is looked before the whole board is stated."""

UNUSUAL = list(LINEARISATIONS[Tiling])[1]
"""How dominoes are stated to the second way: the default of the engine is the first of the list."""


def confirm_clash(grouped: GroupedProblem, clash: Clash, deadline: Deadline) -> str | None:
    """Return by what it is confirmed that the items clash; None where nothing confirms it.

    Raises EngineFault if there is a point that obeys them all.
    """
    return _follows(grouped, clash.items, (), (), deadline)


def confirm_step(grouped: GroupedProblem, step: Step, deadline: Deadline) -> str | None:
    """Return by what it is confirmed that the conclusions follow from the items and facts of the step alone.

    None where nothing confirms it. Raises EngineFault if there is a point that obeys the items and facts,
    and of which a conclusion is not true.
    """
    items, facts = step.premises
    return _follows(grouped, items, facts, step.conclusions, deadline)


def proved_minimal(reasoner: Reasoner, clash: Clash) -> bool:
    """Whether, for every item of the clash, a point obeys the others; each point is judged by the rules.

    Raises OutOfTime, and EngineFault for a point that breaks a rule.
    """
    grouped = reasoner.grouped
    numbers = [grouped.items.index(item) for item in clash.items]
    for left_out in numbers:
        rest = [i for i in numbers if i != left_out]
        if not reasoner.solve(rest):
            return False
        if not grouped.holds(reasoner.point(), rest):
            raise EngineFault(f"{available(assumption_solver()).title} gave a point that breaks a rule")
    return True


def _follows(
    grouped: GroupedProblem,
    items: Sequence[ConstraintGroup],
    facts: Sequence[Fact],
    denied: Sequence[Fact],
    deadline: Deadline,
) -> str | None:
    """Return by what it is confirmed that items, facts and that one of the others does not hold clash.

    First on the cells they speak of and some around: what clashes there does so on the whole board.
    """
    near = []
    if not any(item.kind == "dominoes" for item in items):  # which speak of all cells
        scope = {v for item in items for v in item.piece.variables}
        scope |= {fact.variable for fact in (*facts, *denied)}
        near = [grouped.near(scope, further) for further in NEIGHBOURHOOD_STEPS]
    for part in (*near, grouped):
        if confirmed_by := _refuted(part.problem_of(items, facts, denied), deadline, whole=part is grouped):
            return confirmed_by
    return None


def _refuted(problem: Problem, deadline: Deadline, *, whole: bool = True) -> str | None:
    """Return by what it is confirmed that the problem has no solution; None where nothing confirms it.

    Of a problem that leaves out some of what always holds (not ``whole``) a solution says nothing.

    Where the engine that calculates is not there, that is a new proof by clauses, on a new statement, each
    step of which is checked. Raises EngineFault if there is a solution.
    """
    if deadline.stop:
        return None
    covers = any(isinstance(c, Tiling) for c in problem.constraints)
    name = PROOF_LOGGING_SOLVER if reason_against(solver(ARITHMETIC_SOLVER)) else ARITHMETIC_SOLVER
    try:
        engine = available(name)
        unusual = UNUSUAL if covers and name == ARITHMETIC_SOLVER else ""
        settings = Settings(unusual, options=dict(engine.without_presolve))
        answer = ask(name, problem, settings, deadline)
    except (EngineFault, UsageError):  # who failed says nothing
        return None
    named = witness(engine, answer.formulation, settings)
    if name == PROOF_LOGGING_SOLVER:
        named = f"{named}, its proof checked step by step"
    if whole and answer.point is not None and problem.violated(answer.point) is None:
        who = available(assumption_solver()).title
        raise EngineFault(f"{who} gives a reason that {named} refutes by a point")
    return named if answer.proof is Proof.INFEASIBLE else None
