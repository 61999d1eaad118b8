"""A second, independent way to say "no solution" before a person is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.engines import ask, available
from milp_pips.errors import UsageError
from milp_pips.obstruction import obstruction

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.watch import Watch

NODES = 400_000
"""Nodes that a decision diagram may take to confirm: a few seconds and a hundred megabytes."""


DIAGRAM = "diagram"
"""The solver that a decision diagram cannot confirm: it is one."""


class Confirmation(NamedTuple):
    """What the second way found: by what it was confirmed, or the answer that contradicts, or neither."""

    confirmed_by: str | None
    contradiction: Answer | None = None
    witness: str = ""


def confirm_infeasible(problem: Problem, first: Answer, watch: Watch, who: str) -> Confirmation:
    """Look for a second proof that the problem has no solution, as the solver ``who`` has answered first.

    In this order: a simple obstruction of the board; the decision diagram, which shares no code with any
    other engine, unless it has answered itself; where that does not fit, HiGHS on another formulation
    than the first answer's, with presolve off, since its false "infeasible" have come from presolve.
    """
    reason = obstruction(problem)
    if reason:
        return Confirmation(reason)
    confirmation = None if who == DIAGRAM else _by_diagram(problem, watch)
    return confirmation or by_highs(problem, first, watch)


def _by_diagram(problem: Problem, watch: Watch) -> Confirmation | None:
    from milp_pips.diagram import Unfinished, Unsupported, compile_diagram

    try:
        diagram = compile_diagram(problem, NODES, watch)
    except (Unfinished, Unsupported):
        return None
    if not diagram.count:
        return Confirmation("the decision diagram, which has no path")
    point = Answer(diagram.nth(0), Proof.FEASIBLE, Stop.FINISHED)
    return Confirmation(None, point, "the decision diagram")


def counted_by_diagram(problem: Problem, variables: Sequence[int], nodes: int, watch: Watch) -> int | None:
    """Return how many solutions differ in the variables; None where so many nodes are not enough."""
    from milp_pips.diagram import Unfinished, Unsupported, compile_diagram, projected

    try:
        return projected(compile_diagram(problem, nodes, watch), variables, nodes // 3, watch).count
    except (Unfinished, Unsupported):
        return None


def by_highs(problem: Problem, first: Answer, watch: Watch) -> Confirmation:
    """Ask HiGHS on another formulation than the first answer's, with presolve off."""
    from milp_pips.milp import choices

    second = available("highs")
    formulation = next((f for f in choices(problem) if f not in first.formulation.split(",")), "")
    try:
        answer = ask("highs", problem, Settings(formulation, options={"presolve": "off"}), watch)
    except UsageError:  # the other formulation does not fit the problem: then the usual one
        answer = ask("highs", problem, Settings(options={"presolve": "off"}), watch)
    witness = f"{second.title} {second.version()} ({answer.formulation or 'the same model'}, presolve off)"
    if answer.point is not None:
        return Confirmation(None, answer, witness)
    return Confirmation(witness if answer.proof is Proof.INFEASIBLE else None)
