"""A second, independent way to say "no solution" or "no further solution" before a person is told.

An engine never confirms itself. Two proofs are independent if they rest on different things (the solvers'
``proof_family``), or if the second is made without presolve on another formulation; the answer says which way
it was. The cheap ways come first; those that may take long run beside one another, so that a hopeless one
keeps none of the others from its turn. ``milp_pips.engines.defaults`` has the engines and their order.
They are asked about the problem as it is stated, without the values that a rule on one cell forbids by
itself: these are read off, not filtered, and a board whose pips are given would else be stated a hundred
times as large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.engines.defaults import COUNTERS, SECOND_OPINIONS, SHORT_LIST_SOLVER, START_INTERVAL
from milp_pips.engines.execution import count_by_engine
from milp_pips.engines.portfolio import Attempt, PortfolioMember, run_portfolio
from milp_pips.engines.registry import available, solver, version_of
from milp_pips.problem.answer import Answer, Proof, Settings
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.problem import NoGood
from milp_pips.problem.stopping import EarlierDeadline, SubDeadline
from milp_pips.propagation import Contradiction, filter_domains, obstruction, shortage

if TYPE_CHECKING:
    from milp_pips.engines.contract import Solver
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline

LISTED = 300
"""Solutions up to which completeness is confirmed by cutting them all off: HiGHS then takes seconds."""

CONFIRMATION_BYTES = 2**27
"""Bytes that the decision diagram may take for a second opinion on "no solution": a few seconds' worth; where
that is not enough, another engine is asked."""

CONFIRMATION_SECONDS = 60.0
"""Seconds after which a claim is left unconfirmed where there is no limit (``benchmarks/refuting.py``)."""

QUICK = 2**24
"""Bytes of the decision diagram that is tried first, a fraction of a second's worth."""

LEFT = 0.5
"""The part of the time that counting a list a second time leaves to engines, which need not count."""

COUNTED, COUNTING_LIMIT = 10_000, 5.0
"""Solutions up to which an engine counts what decision diagrams have counted, and seconds that it gets."""

PROOF_BY_COUNTING = "counting"
"""The proof family of obstructions and shortages: one sentence each, and nothing is searched for."""

FILTERING = "filtering"
"""The proof family of what filtering alone has refuted."""

DIAGRAM = "diagram"
"""The proof family of whatever rests on decision diagrams, this module's own counts among them. Solution
spaces rest on filtering, too, which therefore confirms none of these claims."""


class Claim(NamedTuple):
    """Who claims that there is no (further) solution, what the proof rests on, and how it was stated."""

    who: str
    proof_family: str
    formulation: str = ""
    also: str = ""
    """A second proof family, where the claim rests on proofs of two."""

    @classmethod
    def of_space(cls, who: str, *, listed: bool) -> Claim:
        """Return the claim of a solution space; where parts of it were listed, it is the lister's, too."""
        return cls(who, DIAGRAM, also=solver(SHORT_LIST_SOLVER).proof_family if listed else "")

    def rests_on(self, proof_family: str) -> bool:
        """Return whether the claim is wrong if proofs of this family are."""
        return proof_family in (self.proof_family, self.also)


class Opinion(NamedTuple):
    """What the second way found: by what it was confirmed, or a point that contradicts, or neither."""

    confirmed_by: str | None
    point: tuple[int, ...] | None = None
    witness: str = ""
    solver: str = ""
    """The name of the solver that gave the point."""
    answer: Answer | None = None
    """The whole answer that the point is of."""


def on_no_solution(problem: Problem, claim: Claim, deadline: Deadline) -> Opinion:
    """Look for a second proof that the problem, as it is stated, has no solution.

    The cheap ways first: a simple obstruction of the board or a shortage of pips, which are proofs by
    themselves, and filtering. Then the solvers of ``SECOND_OPINIONS``, as far as they are independent of the
    claim, beside one another.
    """
    problem = problem.node_consistent()
    told = refusal(problem) if claim.proof_family != PROOF_BY_COUNTING else None
    reason = f"counting: {told}" if told else ""
    if not reason and not (claim.rests_on(FILTERING) or claim.rests_on(DIAGRAM) or deadline.stop):
        reason = _refutation(problem)
    return Opinion(reason) if reason else _ask_others(problem, SECOND_OPINIONS, claim, deadline)


def refusal(problem: Problem) -> str | None:
    """Return a proof in one sentence that there is no solution, None where there is no simple one."""
    return obstruction(problem) or shortage(problem)


def on_count(problem: Problem, key: str, count: int, claim: Claim, deadline: Deadline) -> str | None:
    """Return by what an engine's count is confirmed, None where nothing confirms it; see ``on_complete``.

    Raises EngineFault if it is contradicted.
    """
    problem, deadline = problem.node_consistent(), _confirming(deadline)
    counted = _count_unfiltered(problem, problem.keys[key], EarlierDeadline(deadline, LEFT))
    if counted is None:
        return _count_branches(problem, key, count, claim, deadline)
    if counted != count:
        raise EngineFault(f"{claim.who} counts {count}, the decision diagram {counted}")
    return "the decision diagram, which counts as many"


def on_complete(
    problem: Problem, key: str, count: int, listed: Iterable[Sequence[int]], claim: Claim, deadline: Deadline
) -> str | None:
    """Return by what it is confirmed that a list of solutions is complete; None where nothing confirms it.

    By a decision diagram of the problem before it was filtered, which must count as many; where that is too
    large, or decision diagrams are what claims, and the solutions are few, by an engine that must find none
    once all are cut off. A longer list is confirmed by an engine that counts as many; where none does, by the
    solution space, or, if the list comes from there or from branching, by the spaces of the branches of the
    problem, one for each value of a variable: other diagrams, but the same filtering and proofs of the same
    kind. A claim that rests on proofs of two families is confirmed by what rests on neither.

    Parameters
    ----------
    problem, key
        The problem as it is stated, and what makes two solutions different.
    count, listed
        The number of solutions, and their values of the key's variables.
    claim, deadline
        Who says that there are no others; when to stop.

    Raises
    ------
    EngineFault
        If the claim is contradicted.
    """
    problem, variables = problem.node_consistent(), problem.keys[key]
    if not claim.rests_on(DIAGRAM):
        counted = _count_unfiltered(problem, variables, EarlierDeadline(_confirming(deadline), LEFT))
        if counted is not None:
            if counted != count:
                raise EngineFault(
                    f"{claim.who} calls {count} solutions complete, the decision diagram counts {counted}"
                )
            return "the decision diagram, which counts as many"
    if count <= LISTED:
        least = problem.least_difference(key)
        rest = problem.with_constraints(
            NoGood(variables, values, least=least) for values in sorted(map(tuple, listed))
        )
        engines = [name for name in SECOND_OPINIONS if solver(name).proof_family != DIAGRAM]
        opinion = _ask_others(rest, engines, claim, deadline)
        if opinion.point is not None:
            raise EngineFault(
                f"{claim.who} calls {count} solutions complete, {opinion.witness} finds another"
            )
        return opinion.confirmed_by
    counted_by = _count_by_engine(problem, key, count, claim, deadline) if count <= COUNTED else None
    return counted_by or _count_branches(problem, key, count, claim, _confirming(deadline))


def _refutation(problem: Problem) -> str:
    """Return why filtering says that there is no solution; empty where it does not."""
    try:
        filter_domains(problem)
    except Contradiction as reason:
        return f"filtering: {reason}"
    return ""


def _ask_others(problem: Problem, names: Iterable[str], claim: Claim, deadline: Deadline) -> Opinion:
    """Return the opinion of the first solver that knows, of those that are independent of the claim."""
    members: list[PortfolioMember] = []
    for name in names:
        if ways := _independent_ways(name, claim):
            members.append(PortfolioMember(ways, START_INTERVAL * len(members)))
    if deadline.stop or not members:  # an engine that has nothing to say takes a while to be loaded
        return Opinion(None)
    try:
        answer, way, _ = run_portfolio(members, problem, _confirming(deadline))
    except (EngineFault, UsageError):  # whoever failed says nothing
        return Opinion(None)
    asked = witness(available(way.solver), answer.formulation, way.settings)
    if answer.point is not None:
        return Opinion(None, answer.point, asked, way.solver, answer)
    return Opinion(asked if answer.proof is Proof.INFEASIBLE else None)


def _confirming(deadline: Deadline) -> Deadline:
    """Return the deadline for confirming, which has a deadline in any case."""
    return deadline if deadline.expires is not None else SubDeadline(deadline, CONFIRMATION_SECONDS)


def _independent_ways(name: str, claim: Claim) -> tuple[Attempt, ...]:
    """Return how the solver can be asked so that its proof is independent; nothing where it cannot run."""
    try:
        return tuple(Attempt(name, settings) for settings in _independent_settings(available(name), claim))
    except UsageError:
        return ()


def _independent_settings(solver: Solver, claim: Claim) -> Iterator[Settings]:
    """Yield how the solver can be asked so that its proof is independent of the claim, the best way first."""
    other, options = not claim.rests_on(solver.proof_family), dict(solver.without_presolve)
    unfiltered = next((name for name in solver.formulations if name not in solver.filtering), "")
    if solver.without_presolve and (other or claim.formulation):  # else nobody knows what would be another
        used = claim.formulation.split(",")
        for formulation in solver.formulations:
            if formulation not in used:
                yield Settings(formulation, options=options)
    if other:
        memory = CONFIRMATION_BYTES if "memory limit" in solver.features else None
        yield Settings(unfiltered if solver.filtering else "", options=options, memory=memory)


def witness(solver: Solver, formulation: str, settings: Settings) -> str:
    """Return who was asked, and how, in words."""
    if not solver.without_presolve:
        return solver.title
    how = ", ".join(f"{name} {value}" for name, value in settings.options.items())
    return f"{solver.title} {version_of(solver)} ({formulation or 'the same model'}, {how})"


def _count_unfiltered(problem: Problem, variables: Sequence[int], deadline: Deadline) -> int | None:
    """Return how many solutions differ in the variables; None where one diagram of all does not fit."""
    from milp_pips.compilation.diagram import Budget, Unfinished, Unsupported, compile_diagram, project

    budget = Budget.of_memory(QUICK)
    try:
        return project(compile_diagram(problem, budget, deadline), variables, budget, deadline).count
    except (Unfinished, Unsupported):
        return None


def _count_by_engine(problem: Problem, key: str, count: int, claim: Claim, deadline: Deadline) -> str | None:
    """Confirm a count by the first engine that counts and is independent of the claim."""
    for name in COUNTERS:
        if claim.rests_on(solver(name).proof_family):
            continue
        with suppress(UsageError):  # it is not there, or does not count by this key
            part = SubDeadline(EarlierDeadline(_confirming(deadline), LEFT), COUNTING_LIMIT)
            tally = count_by_engine(name, problem, key, Settings(), part)
            if tally.proof is Proof.COMPLETE and tally.solutions != count:
                raise EngineFault(f"{claim.who} counts {count}, {name} {tally.solutions}")
            if tally.proof is Proof.COMPLETE:
                return f"{available(name).title} {version_of(available(name))}, which counts as many"
    return None


def _count_branches(problem: Problem, key: str, count: int, claim: Claim, deadline: Deadline) -> str | None:
    """Confirm a count by the solution space, or its own by the spaces of the branches of a variable."""
    from milp_pips.compilation.diagram import RECOUNTING, Budget, Unfinished
    from milp_pips.compilation.space import compile_space

    branches, who = [problem], "the solution space"
    if claim.rests_on(DIAGRAM) or claim.rests_on(FILTERING):
        v = max(problem.keys[key], key=lambda v: len(problem.variables[v].domain))
        branches = [problem.restricted({v: (value,)}) for value in problem.variables[v].domain]
        who = "the solution spaces of its branches"
    budget = Budget.of_memory(RECOUNTING)
    try:
        total = sum([compile_space(part, problem.keys[key], budget, deadline).count for part in branches])
    except Unfinished:
        return None
    if total != count:
        raise EngineFault(f"{claim.who} counts {count}, {who} {total}")
    return f"{who}, which count{'' if len(branches) > 1 else 's'} as many"
