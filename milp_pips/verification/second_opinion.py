"""Independent confirmation of "no solution" and "no further solution" before a person reads the answer.

An engine never confirms itself. Two proofs are independent if they belong to different families (the solvers'
``proof_family``), or if the second one uses another formulation without presolve; the answer states which.

Confirming should cost little compared with the answer. ``first_conclusive`` is the rule for all tasks: the
independent ways run in the order of their expected cost (``milp_pips.engines.defaults``), each with a budget
that grows with what the answer took. If none of them decides, they go on in turns, the engines in parallel.

The engines solve the problem as it is stated, without filtering. Only the values that a rule on a single cell
forbids are removed first: otherwise a board with given pips would be stated a hundred times as large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from time import process_time
from typing import TypeAlias

from milp_pips.constraints import NoGood
from milp_pips.engines.contract import Solver
from milp_pips.engines.defaults import by_expected_cost, opinions_on, suits_diagrams
from milp_pips.engines.portfolio import PATIENCE, Attempt, PortfolioMember, run_portfolio
from milp_pips.engines.registry import available, described, is_here, solver
from milp_pips.problem.answer import FILTERING, PROOF_BY_COUNTING, Claim, Proof, Settings, Stop
from milp_pips.problem.errors import Contradiction, EngineFault, UsageError
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Criterion, Deadline, EarlierDeadline, SubDeadline
from milp_pips.propagation import filter_domains
from milp_pips.propagation.supply_certificates import simple_proof
from milp_pips.verification.recounting import (
    DIAGRAM,
    Opinion,
    count_branches,
    count_by_diagram,
    count_by_engine,
)

MAX_SOLUTIONS_CUT_OFF = 300
"""Largest number of solutions for which completeness is confirmed by cutting all of them off: this takes
HiGHS seconds."""

CONFIRMATION_BYTES = 2**27
"""Memory limit in bytes of the decision diagram for confirming "no solution": a few seconds' worth. If that
is not enough, the other engines decide."""

BUDGET_FACTOR, LEAST_BUDGET = 2.0, 0.3
"""The budget of each way to confirm an answer: a factor of what the answer took, and least seconds. Those of
this process are of the processor: else a busy machine ends the cheap ways, and others start processes."""

STARTING_SECONDS = 2.0
"""The seconds beyond the budget for engines that run in a process of their own, which starts first: without
them its budget is over before it has begun, and it starts anew each time the budget doubles."""

HARD_SECONDS = 3.0
"""Seconds from which on an answer was hard to find. Then engines in processes of their own confirm it, too,
and the second one begins beside the first once that has taken as long as the answer. That a Sudoku of 25 rows
has one solution takes MiniSat 0.6 s and CP-SAT 9 s; on another MiniSat does not finish."""

CONFIRMING_FACTOR, LEAST_LIMIT = 10.0, 10.0
"""The time limit of all ways together, if the task has none: the same."""

OTHERS_SHARE = 0.5
"""The share of the remaining time that each way leaves for the others."""

MAX_ENGINE_COUNT, COUNTING_LIMIT = 10_000, 5.0
"""Largest count of decision diagrams that an engine confirms by counting, and its time limit in seconds: it
runs in a process of its own, and what follows it is less independent."""


def on_no_solution(problem: Problem, claim: Claim, deadline: Deadline) -> Opinion:
    """Return a second, independent proof that the problem has no solution, or a solution that contradicts.

    The cheap proofs come first: an obstruction of the board or a shortage of pips, which take one sentence;
    then filtering. Then the solvers of ``opinions_on`` that are independent of the claim follow, see
    ``first_conclusive``. If nothing decides before the deadline, the opinion is empty.
    """
    problem = problem.node_consistent().with_objective(None)
    if claim.proof_family != PROOF_BY_COUNTING and (proof := simple_proof(problem)):
        return Opinion(f"counting: {proof}")
    if not (claim.rests_on(FILTERING) or claim.rests_on(DIAGRAM) or deadline.stop):
        try:
            filter_domains(problem)
        except Contradiction as reason:
            return Opinion(f"filtering: {reason}")
    return first_conclusive(problem, opinions_on(problem), (), claim, deadline)


def on_complete(
    problem: Problem,
    key: str,
    count: int,
    listed: Iterable[Sequence[int]] | None,
    claim: Claim,
    deadline: Deadline,
) -> str | None:
    """Return the confirmation, as text, that there are no more solutions; None if it is unconfirmed.

    These are the ways, as far as they are independent of the claim, on all its proof families:

    - If a list is empty, there must be no solution, see ``on_no_solution``, which knows the cheapest ways.
    - A decision diagram of the unfiltered problem must have the same count, unless the diagram is too large.
    - If there are at most ``MAX_SOLUTIONS_CUT_OFF`` solutions, an engine must find no other once all are cut
      off.
    - If there are more, but at most ``MAX_ENGINE_COUNT``, another engine must have the same count.
    - The solution space must have the same count for such a longer list. If the claim rests on the space or
      on branching, the spaces of the branches of the problem, one for each value of a variable, replace it:
      other diagrams, but with the same filtering and the same kind of proof.

    Parameters
    ----------
    problem, key
        The problem as it is stated, and the key by which solutions differ.
    count, listed
        The number of solutions, and their values of the key's variables; None if they were only counted, so
        that only counts are possible.
    claim, deadline
        The claim that there are no others; the deadline of the confirmation.

    Raises
    ------
    EngineFault
        If the claim is contradicted.
    """
    if not count and listed is not None:
        return _confirmed(on_no_solution(problem, claim, deadline), count, claim)
    problem, variables = problem.node_consistent().with_objective(None), problem.keys[key]
    engines, rest, counts = list[str](), problem, list[Way]()
    if not claim.rests_on(DIAGRAM):
        counts.append(partial(count_by_diagram, problem, variables, count, claim))
    if listed is not None and count <= MAX_SOLUTIONS_CUT_OFF:
        least = problem.least_difference(key)
        cuts = (NoGood(variables, values, least=least) for values in sorted(map(tuple, listed)))
        rest = problem.with_constraints(cuts)
        engines = [name for name in opinions_on(problem) if solver(name).proof_family != DIAGRAM]
    else:
        if listed is not None and count <= MAX_ENGINE_COUNT:
            part = SubDeadline(EarlierDeadline(deadline, OTHERS_SHARE), COUNTING_LIMIT)
            counts.append(lambda _: count_by_engine(problem, key, count, claim, part))
        counts.append(partial(count_branches, problem, key, count, claim))
    return _confirmed(first_conclusive(rest, engines, counts, claim, deadline), count, claim)


def _confirmed(opinion: Opinion, count: int, claim: Claim) -> str | None:
    """Return what confirmed a list of so many solutions, None for nothing. Raises EngineFault."""
    if opinion.point is not None:
        raise EngineFault(f"{claim.who} calls {count} solutions complete, {opinion.witness} finds another")
    return opinion.confirmed_by


def confirming_deadline(deadline: Deadline) -> Deadline:
    """Return the deadline of confirming an answer: that of the task, or a factor of what the answer took."""
    if deadline.expires is not None:
        return deadline
    return SubDeadline(deadline, max(CONFIRMING_FACTOR * deadline.spent, LEAST_LIMIT))


Way: TypeAlias = Callable[[Deadline], Opinion]
"""A way to confirm a claim, or to contradict it."""


def first_conclusive(
    problem: Problem, engines: Iterable[str], counts: Sequence[Way], claim: Claim, deadline: Deadline
) -> Opinion:
    """Return the first conclusive opinion on a claim of no solution; an empty one if there is none in time.

    Each independent way gets a budget of ``BUDGET_FACTOR`` times what the answer took, in the order of the
    expected cost. If none of them is conclusive, they go on in turns, and the engines run as a portfolio,
    until the deadline; without a time limit, until ``CONFIRMING_FACTOR`` times what the answer took. The
    ``counts`` are ways that need no engine, and the deadline is that of the task.
    """
    took, members = deadline.spent, list[PortfolioMember]()
    for name in by_expected_cost(problem, engines):
        if attempts := _independent_attempts(name, claim):
            members.append(PortfolioMember(attempts))
    deadline = confirming_deadline(deadline)
    budget = max(BUDGET_FACTOR * took, LEAST_BUDGET)
    turns, alone, tried = list(counts), list[Way](), list[PortfolioMember]()
    is_hard = took > HARD_SECONDS
    if not deadline.stop:  # do not load an engine that has no time to decide
        single = tried = [each for each in members if is_hard or is_here(*each.attempts[0])]
        if is_hard and tried[1:]:
            both = [each._replace(begins=i * took) for i, each in enumerate(tried[:2])]
            alone, single = [partial(_run_engines, problem, both)], tried[2:]
        alone += [partial(_run_engines, problem, [each]) for each in single]
    for way in [*counts, *alone] if suits_diagrams(problem) else [*alone, *counts]:
        limits = (budget, None) if is_hard else (PATIENCE * budget, _processor_limit(budget))
        part = SubDeadline(EarlierDeadline(deadline, OTHERS_SHARE), *limits)
        if (opinion := way(part)).is_conclusive or deadline.stop:
            return opinion
        if way in turns and not part.stop:  # it has given up
            turns.remove(way)
    if members:
        half = budget + STARTING_SECONDS / 2  # of the first turn of the portfolio
        untried_first = sorted(members, key=lambda each: each in tried)
        staggered = [each._replace(begins=i * half) for i, each in enumerate(untried_first)]
        turns.insert(0, partial(_run_engines, problem, staggered))
    portfolio = turns[0] if members else None
    while turns and not deadline.stop:
        budget *= 2
        for way in list(turns):
            own = budget + STARTING_SECONDS if way is portfolio else budget
            part = SubDeadline(deadline, own if len(turns) > 1 else None)
            if (opinion := way(part)).is_conclusive:
                return opinion
            if not part.stop:
                turns.remove(way)
    return Opinion(None)


def _processor_limit(seconds: float) -> Criterion:
    """Return a criterion that is met once this process has used so many seconds of the processor."""
    end = process_time() + seconds
    return lambda: Stop.TIME if process_time() >= end else None


def _run_engines(problem: Problem, members: Sequence[PortfolioMember], deadline: Deadline) -> Opinion:
    """Return the opinion of the first engine that decides."""
    try:
        answer, way, _ = run_portfolio(members, problem, deadline)
    except (EngineFault, UsageError):  # a failed engine confirms nothing
        return Opinion(None)
    name = described(available(way.solver), answer.formulation, way.settings)
    if answer.point is not None:
        return Opinion(None, answer.point, name, way.solver, answer)
    return Opinion(name if answer.proof is Proof.INFEASIBLE else None)


def _independent_attempts(name: str, claim: Claim) -> tuple[Attempt, ...]:
    """Return the attempts by which the solver's proof is independent; empty if the solver cannot run."""
    try:
        return tuple(Attempt(name, settings) for settings in _independent_settings(available(name), claim))
    except UsageError:
        return ()


def _independent_settings(solver: Solver, claim: Claim) -> Iterator[Settings]:
    """Yield settings under which the solver's proof is independent of the claim, the best first."""
    other, options = not claim.rests_on(solver.proof_family), dict(solver.without_presolve)
    unfiltered = next((name for name in solver.formulations if name not in solver.filtering), "")
    if solver.without_presolve and (other or claim.formulation):  # else the used formulation is unknown
        used = claim.formulation.split(",")
        for formulation in solver.formulations:
            if formulation not in used:
                yield Settings(formulation, options=options)
    if other:
        memory = CONFIRMATION_BYTES if "memory limit" in solver.features else None
        yield Settings(unfiltered if solver.filtering else "", options=options, memory=memory)
