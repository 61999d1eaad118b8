"""Independent confirmation of "no solution" and "no further solution" before a person reads the answer.

An engine never confirms itself. Two proofs are independent if they belong to different families (the solvers'
``proof_family``), or if the second one uses another formulation without presolve; the answer states which.
Cheap proofs are tried first. Engines, which may take long, run as a portfolio, so that a hopeless one does
not block the others; ``milp_pips.engines.defaults`` lists the engines and their order.

The engines solve the problem as it is stated, without filtering. Only the values that a rule on a single cell
forbids are removed first: otherwise a board with given pips would be stated a hundred times as large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from milp_pips.constraints import NoGood
from milp_pips.engines.contract import Solver
from milp_pips.engines.defaults import COUNTERS, SECOND_OPINIONS, SHORT_LIST_SOLVER, START_INTERVAL
from milp_pips.engines.execution import count_by_engine
from milp_pips.engines.portfolio import Attempt, PortfolioMember, run_portfolio
from milp_pips.engines.registry import available, solver, version_of
from milp_pips.problem.answer import FILTERING, PROOF_BY_COUNTING, Answer, Claim, Proof, Settings
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, EarlierDeadline, SubDeadline
from milp_pips.propagation import Contradiction, filter_domains
from milp_pips.propagation.supply_certificates import simple_proof

MAX_SOLUTIONS_CUT_OFF = 300
"""Largest number of solutions for which completeness is confirmed by cutting all of them off: this takes
HiGHS seconds."""

CONFIRMATION_BYTES = 2**27
"""Memory limit in bytes of the decision diagram for confirming "no solution": a few seconds' worth. If that
is not enough, the other engines decide."""

CONFIRMATION_SECONDS = 60.0
"""Time limit in seconds for confirming a claim, if the task has none (``benchmarks/refuting.py``)."""

QUICK_DIAGRAM_BYTES = 2**24
"""Memory limit in bytes of the decision diagram that is tried first: a fraction of a second's worth."""

RECOUNT_BYTES = 2**28
"""Bytes for a second count of a finished list: a quarter of the memory that the list may have taken."""

ENGINE_SHARE = 0.5
"""The share of the remaining time that a second count leaves for engines that do not count."""

MAX_ENGINE_COUNT, COUNTING_LIMIT = 10_000, 5.0
"""Largest count of decision diagrams that an engine confirms by counting, and its time limit in seconds."""

DIAGRAM = "diagram"
"""The proof family of claims that rest on decision diagrams, including the counts of this module. Solution
spaces rest on filtering, too, so filtering confirms none of these claims."""


class Opinion(NamedTuple):
    """The result of a confirmation: the proof that confirms, a point that contradicts, or neither."""

    confirmed_by: str | None
    point: tuple[int, ...] | None = None
    witness: str = ""
    solver: str = ""
    """The name of the solver that found the point."""
    answer: Answer | None = None
    """The whole answer that contains the point."""


def claim_of_space(who: str, *, listed: bool) -> Claim:
    """Return the claim of a solution space; if a solver listed parts of it, that is the second family."""
    return Claim(who, DIAGRAM, second_proof_family=solver(SHORT_LIST_SOLVER).proof_family if listed else "")


def on_no_solution(problem: Problem, claim: Claim, deadline: Deadline) -> Opinion:
    """Return a second, independent proof that the problem has no solution, or a solution that contradicts.

    The cheap proofs come first: an obstruction of the board or a shortage of pips, which take one sentence;
    then filtering. Then the solvers of ``SECOND_OPINIONS`` that are independent of the claim run as a
    portfolio. If nothing decides before the deadline, the opinion is empty.
    """
    problem = problem.node_consistent().with_objective(None)
    if claim.proof_family != PROOF_BY_COUNTING and (proof := simple_proof(problem)):
        return Opinion(f"counting: {proof}")
    if not (claim.rests_on(FILTERING) or claim.rests_on(DIAGRAM) or deadline.stop):
        try:
            filter_domains(problem)
        except Contradiction as reason:
            return Opinion(f"filtering: {reason}")
    return _run_independent_solvers(problem, SECOND_OPINIONS, claim, deadline)


def on_complete(
    problem: Problem,
    key: str,
    count: int,
    listed: Iterable[Sequence[int]] | None,
    claim: Claim,
    deadline: Deadline,
) -> str | None:
    """Return the confirmation, as text, that there are no more solutions; None if it is unconfirmed.

    The proofs are tried in this order; the first three must be independent of the claim, on all its proof
    families.

    1. A decision diagram of the unfiltered problem must have the same count, unless the diagram is too large.
    2. If there are at most ``MAX_SOLUTIONS_CUT_OFF`` solutions, an engine must find no other once all are
       cut off.
    3. If there are more, but at most ``MAX_ENGINE_COUNT``, another engine must have the same count.
    4. If no engine has confirmed such a longer list, the solution space must have the same count. If the
       claim rests on the space or on branching, the spaces of the branches of the problem, one for each value
       of a variable, replace it: other diagrams, but with the same filtering and the same kind of proof.

    Parameters
    ----------
    problem, key
        The problem as it is stated, and the key by which solutions differ.
    count, listed
        The number of solutions, and their values of the key's variables; None if they were only counted, so
        that only the first and the last proof are possible.
    claim, deadline
        The claim that there are no others; the deadline of the confirmation.

    Raises
    ------
    EngineFault
        If the claim is contradicted.
    """
    problem, variables = problem.node_consistent().with_objective(None), problem.keys[key]
    if not claim.rests_on(DIAGRAM):
        counted = _count_unfiltered(problem, variables, EarlierDeadline(_limited(deadline), ENGINE_SHARE))
        if counted is not None:
            if counted != count:
                raise EngineFault(
                    f"{claim.who} calls {count} solutions complete, the decision diagram counts {counted}"
                )
            return "the decision diagram, which counts as many"
    if listed is None:
        return _count_branches(problem, key, count, claim, _limited(deadline))
    if count <= MAX_SOLUTIONS_CUT_OFF:
        least = problem.least_difference(key)
        rest = problem.with_constraints(
            NoGood(variables, values, least=least) for values in sorted(map(tuple, listed))
        )
        engines = [name for name in SECOND_OPINIONS if solver(name).proof_family != DIAGRAM]
        opinion = _run_independent_solvers(rest, engines, claim, deadline)
        if opinion.point is not None:
            raise EngineFault(
                f"{claim.who} calls {count} solutions complete, {opinion.witness} finds another"
            )
        return opinion.confirmed_by
    counted_by = _count_by_engine(problem, key, count, claim, deadline) if count <= MAX_ENGINE_COUNT else None
    return counted_by or _count_branches(problem, key, count, claim, _limited(deadline))


def _run_independent_solvers(
    problem: Problem, names: Iterable[str], claim: Claim, deadline: Deadline
) -> Opinion:
    """Return the result of the first solver that decides, among those that are independent of the claim."""
    members: list[PortfolioMember] = []
    for name in names:
        if ways := _independent_attempts(name, claim):
            members.append(PortfolioMember(ways, START_INTERVAL * sum(range(len(members) + 1))))
    if deadline.stop or not members:  # do not load an engine that has no time to decide
        return Opinion(None)
    try:
        answer, way, _ = run_portfolio(members, problem, _limited(deadline))
    except (EngineFault, UsageError):  # a failed solver confirms nothing
        return Opinion(None)
    described = describe_solver(available(way.solver), answer.formulation, way.settings)
    if answer.point is not None:
        return Opinion(None, answer.point, described, way.solver, answer)
    return Opinion(described if answer.proof is Proof.INFEASIBLE else None)


def _limited(deadline: Deadline) -> Deadline:
    """Return the deadline for confirming; a deadline without a time limit gets ``CONFIRMATION_SECONDS``."""
    return deadline if deadline.expires is not None else SubDeadline(deadline, CONFIRMATION_SECONDS)


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


def describe_solver(solver: Solver, formulation: str, settings: Settings) -> str:
    """Return a description of the solver, its version, its formulation and its options."""
    if not solver.without_presolve:
        return solver.title
    how = ", ".join(f"{name} {value}" for name, value in settings.options.items())
    return f"{solver.title} {version_of(solver)} ({formulation or 'the same model'}, {how})"


def _count_unfiltered(problem: Problem, variables: Sequence[int], deadline: Deadline) -> int | None:
    """Return the number of solutions that differ in the variables; None if the diagram is too large."""
    from milp_pips.compilation.limits import Budget, Unfinished, Unsupported
    from milp_pips.compilation.solution_set import compile_problem

    budget = Budget.of_memory(QUICK_DIAGRAM_BYTES)
    try:
        return compile_problem(problem, variables, budget, deadline, method="diagram").count
    except (Unfinished, Unsupported):
        return None


def _count_by_engine(problem: Problem, key: str, count: int, claim: Claim, deadline: Deadline) -> str | None:
    """Return the confirmation of a count by the first engine that counts and is independent of the claim.

    Returns None if no engine completes its count. Raises EngineFault if a count differs.
    """
    for name in COUNTERS:
        if claim.rests_on(solver(name).proof_family):
            continue
        with suppress(UsageError):  # not installed, or does not count by this key
            part = SubDeadline(EarlierDeadline(_limited(deadline), ENGINE_SHARE), COUNTING_LIMIT)
            tally = count_by_engine(name, problem, key, Settings(), part)
            if tally.proof is Proof.COMPLETE and tally.solutions != count:
                raise EngineFault(f"{claim.who} counts {count}, {name} {tally.solutions}")
            if tally.proof is Proof.COMPLETE:
                return f"{available(name).title} {version_of(available(name))}, which counts as many"
    return None


def _count_branches(problem: Problem, key: str, count: int, claim: Claim, deadline: Deadline) -> str | None:
    """Return the confirmation of a count by the solution space; None if the space is too large.

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
        return None
    if total != count:
        raise EngineFault(f"{claim.who} counts {count}, {who} {total}")
    return f"{who}, which count{'' if len(branches) > 1 else 's'} as many"
