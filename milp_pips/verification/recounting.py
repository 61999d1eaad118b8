"""Second opinions on a count by counting again: a decision diagram, an engine, or the solution space."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from milp_pips.engines.defaults import COUNTERS, SHORT_LIST_SOLVER
from milp_pips.engines.registry import available, solver, version_of
from milp_pips.engines.registry import count_by_engine as ask_for_count
from milp_pips.problem.answer import FILTERING, Answer, Claim, Proof, Settings
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline

QUICK_DIAGRAM_BYTES = 2**24
"""Memory limit in bytes of the decision diagram that is tried first: a fraction of a second's worth."""

RECOUNT_BYTES = 2**28
"""Bytes for a second count of a finished list: a quarter of the memory that the list may have taken."""

DIAGRAM = "diagram"
"""The proof family of claims that rest on decision diagrams, including the counts of this module. Solution
spaces rest on filtering, too, so filtering confirms none of these claims."""


class Opinion(NamedTuple):
    """The result of a confirmation: the proof that confirms, a point that contradicts, or neither."""

    confirmed_by: str | None
    point: Sequence[Any] | None = None
    witness: str = ""
    solver: str = ""
    """The name of the solver that found the point."""
    answer: Answer | None = None
    """The whole answer that contains the point."""
    reason: str = "nothing has confirmed it"
    """Why it is not conclusive."""

    @property
    def is_conclusive(self) -> bool:
        """Whether it confirms the claim or contradicts it."""
        return self.confirmed_by is not None or self.point is not None


def claim_of_space(who: str, *, listed: bool) -> Claim:
    """Return the claim of a solution space; if a solver listed parts of it, that is the second family."""
    return Claim(who, DIAGRAM, second_proof_family=solver(SHORT_LIST_SOLVER).proof_family if listed else "")


def count_by_diagram(
    problem: Problem, variables: Sequence[int], count: int, claim: Claim, deadline: Deadline
) -> Opinion:
    """Return the confirmation of a count by a decision diagram; empty if that is too large.

    Raises EngineFault if the count differs.
    """
    counted = _count_unfiltered(problem, variables, deadline)
    if counted is None:
        return Opinion(None)
    if counted != count:
        raise EngineFault(
            f"{claim.who} calls {count} solutions complete, the decision diagram counts {counted}"
        )
    return Opinion("the decision diagram, which counts as many")


def _count_unfiltered(problem: Problem, variables: Sequence[int], deadline: Deadline) -> int | None:
    """Return the number of solutions that differ in the variables; None if the diagram is too large."""
    from milp_pips.compilation.limits import Budget, Unfinished, Unsupported
    from milp_pips.compilation.solution_set import compile_problem

    budget = Budget.of_memory(QUICK_DIAGRAM_BYTES)
    try:
        return compile_problem(problem, variables, budget, deadline, method="diagram").count
    except (Unfinished, Unsupported):
        return None


def count_by_engine(problem: Problem, key: str, count: int, claim: Claim, deadline: Deadline) -> Opinion:
    """Return the confirmation of a count by the first engine that counts and is independent of the claim.

    It is empty if no engine completes its count. Raises EngineFault if a count differs.
    """
    for name in COUNTERS:
        if claim.rests_on(solver(name).proof_family):
            continue
        with suppress(UsageError):  # not installed, or does not count by this key
            tally = ask_for_count(name, problem, key, Settings(), deadline)
            if tally.proof is Proof.COMPLETE and tally.count != count:
                raise EngineFault(f"{claim.who} counts {count}, {name} {tally.count}")
            if tally.proof is Proof.COMPLETE:
                who = f"{available(name).title} {version_of(available(name))}"
                return Opinion(f"{who}, which counts as many")
    return Opinion(None)


def count_branches(problem: Problem, key: str, count: int, claim: Claim, deadline: Deadline) -> Opinion:
    """Return the confirmation of a count by the solution space; empty if the space is too large.

    A claim that rests on the space itself is checked by the spaces of the branches of one variable. Raises
    EngineFault if the count differs.
    """
    from milp_pips.compilation.limits import Budget, Unfinished
    from milp_pips.compilation.solution_set import compile_problem

    branches, who = [problem], "the solution space"
    if claim.rests_on(DIAGRAM) or claim.rests_on(FILTERING):
        v = max(problem.keys[key], key=lambda v: len(problem.variables[v].domain))
        branches = [problem.restricted({v: (value,)}) for value in problem.variables[v].domain]
        who = "the solution spaces of its branches"
    budget = Budget.of_memory(RECOUNT_BYTES)
    try:
        total = sum([compile_problem(part, key, budget, deadline).count for part in branches])
    except Unfinished:
        return Opinion(None)
    if total != count:
        raise EngineFault(f"{claim.who} counts {count}, {who} {total}")
    return Opinion(f"{who}, which count{'' if len(branches) > 1 else 's'} as many")
