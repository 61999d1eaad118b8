"""Confirm every reason independently: another engine proves on linear rows what the clauses have proved.

The problem is neither filtered nor presolved, so the proof rests on the relaxation and on branching alone.
Dominoes use a linearisation other than the default. The proof is therefore a different one even if the
reasoner itself had to call this engine.

Minimality needs no engine to confirm it: for every item there is a point that obeys all the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from milp_pips.constraints.domino_cover.tiling import Tiling
from milp_pips.engines.defaults import ARITHMETIC_SOLVER, PROOF_LOGGING_SOLVER, assumption_solver
from milp_pips.engines.registry import ask, available, described, reason_against, solver
from milp_pips.problem import Deadline, EngineFault, Problem, Proof, Settings, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from milp_pips.extras.explain.facts import Clash, Fact, Step
    from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem
    from milp_pips.extras.explain.reasoner import Reasoner

NEIGHBOURHOOD_STEPS = (0, 2)
"""The numbers of steps by which the scope is extended around the cells, before the whole board is used."""

UNUSUAL = list(Tiling.linearisations)[1]
"""The linearisation of dominoes for the confirmation; the engine's default is the first of the list."""


def confirm_clash(grouped: GroupedProblem, clash: Clash, deadline: Deadline) -> str | None:
    """Return the name of the method that confirms that the items clash; None if none does.

    Raises EngineFault if some point obeys all of them.
    """
    return _follows(grouped, clash.items, (), (), deadline)


def confirm_step(grouped: GroupedProblem, step: Step, deadline: Deadline) -> str | None:
    """Return the name of the method that confirms that a step's conclusions follow from its premises.

    Return None if none does. Raises EngineFault if some point obeys the items and facts but not a conclusion.
    """
    items, facts = step.premises
    return _follows(grouped, items, facts, step.conclusions, deadline)


def proved_minimal(reasoner: Reasoner, clash: Clash) -> bool:
    """Whether, for every item of the clash, a point obeys the others; the rules check each point.

    Raises OutOfTime, and EngineFault for a point that breaks a rule.
    """
    numbers = [reasoner.grouped.items.index(item) for item in clash.items]
    rests = ([i for i in numbers if i != left_out] for left_out in numbers)
    return all(reasoner.point_of(rest) is not None for rest in rests)


def _follows(
    grouped: GroupedProblem,
    items: Sequence[ConstraintGroup],
    facts: Sequence[Fact],
    denied: Sequence[Fact],
    deadline: Deadline,
) -> str | None:
    """Return the method that confirms that items, facts and the negation of the denied facts clash.

    The proof is first tried on the cells concerned and some around them: a clash of this part is a clash of
    the whole board.
    """
    near = []
    if not any(item.kind == "dominoes" for item in items):  # domino counts concern all cells
        scope = {v for item in items for v in item.piece.variables}
        scope |= {fact.variable for fact in (*facts, *denied)}
        near = [grouped.near(scope, further) for further in NEIGHBOURHOOD_STEPS]
    for part in (*near, grouped):
        if confirmed_by := _refuted(
            part, part.problem_of(items, facts, denied), deadline, whole=part is grouped
        ):
            return confirmed_by
    return None


def _refuted(part: GroupedProblem, problem: Problem, deadline: Deadline, *, whole: bool) -> str | None:
    """Return the method that confirms that a problem of this part has no solution; None if none does.

    If the problem is only a part of the whole (not ``whole``), a solution of it proves nothing.

    If the arithmetic engine is not available, the confirmation is a new proof by clauses, from a new
    encoding, with every step of the proof checked. Raises EngineFault if there is a solution.
    """
    if deadline.stop:
        return None
    name = PROOF_LOGGING_SOLVER if reason_against(solver(ARITHMETIC_SOLVER)) else ARITHMETIC_SOLVER
    try:
        engine = available(name)
        unusual = UNUSUAL if part.tilings and name == ARITHMETIC_SOLVER else ""
        settings = Settings(unusual, options=dict(engine.without_presolve))
        answer = ask(name, problem, settings, deadline)
    except (EngineFault, UsageError):  # an engine that fails confirms nothing
        return None
    named = described(engine, answer.formulation, settings)
    if name == PROOF_LOGGING_SOLVER:
        named = f"{named}, its proof checked step by step"
    if whole and answer.point is not None and problem.violated(answer.point) is None:
        who = available(assumption_solver()).title
        raise EngineFault(f"{who} returned a reason that {named} refutes by a point")
    return named if answer.proof is Proof.INFEASIBLE else None
