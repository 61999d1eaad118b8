"""A solver that returns the first path of a decision diagram.

It compiles restricted diagrams first, which keep only a few states per layer: most puzzles for people have a
path in a very narrow one. If none has a path, it compiles all solutions in parts, or one exact
diagram of the whole problem (Bergman, Ciré, van Hoeve and Hooker, *Decision Diagrams for Optimization*, 2016,
chapter 4).
"""

from __future__ import annotations

from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING

from milp_pips.engines.library import LibrarySolver, Run
from milp_pips.problem import Answer, Contradiction, Deadline, Problem, Proof, Settings, Stop

if TYPE_CHECKING:
    from milp_pips.compilation.limits import Budget
    from milp_pips.compilation.solution_set import SolutionSet

RESTRICTED_WIDTHS = (10, 100, 1000)
"""The most states per layer of each restricted diagram in turn: ten suffice for most puzzles for people."""


class DiagramSolver(LibrarySolver):
    """Decision diagrams, narrow ones first; they need no installation and are quickest on small puzzles."""

    name = "diagram"
    kind = "search"
    transformations = ("filter", "compile")
    title = "the decision diagram"
    features = frozenset({"time limit", "memory limit", "space", "objective"})
    formulations = ("restricted", "divided", "exact")
    filtering = frozenset({"restricted", "divided"})

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run:
        """Return the search for the first solution; see ``LibrarySolver``.

        The formulation ``divided`` omits the narrow diagrams; ``exact`` also omits filtering and dividing. A
        narrow diagram may lack the best solution, so an objective omits them, too.
        """
        from milp_pips.compilation.limits import Budget, Unfinished, Unsupported

        formulation = settings.formulation or "restricted"
        if formulation == "restricted" and problem.objective is not None:
            formulation = "divided"
        budget = Budget.of_memory(settings.memory)

        def run() -> Answer:
            try:
                found, solved = compile_solutions(problem, formulation, budget, deadline)
            except Unfinished as reason:
                return Answer(None, Proof.NONE, reason.stop, str(reason), formulation=formulation)
            except Unsupported as reason:
                return Answer(None, Proof.NONE, Stop.ERROR, str(reason), formulation=formulation)
            counts, bound = {"nodes": found.nodes}, None
            point = found.nth(0) if found.count else None
            if problem.objective is not None and point is not None:
                try:
                    ((_, point),) = found.best(1, problem.objective, deadline)
                except Unfinished as reason:
                    return Answer(point, Proof.FEASIBLE, reason.stop, str(reason), counts, formulation=solved)
                bound = inf
            proof = Proof.INFEASIBLE if point is None else Proof.FEASIBLE
            return Answer(point, proof, Stop.FINISHED, statistics=counts, formulation=solved, bound=bound)

        return run


def compile_solutions(
    problem: Problem, formulation: str, budget: Budget, deadline: Deadline
) -> tuple[SolutionSet, str]:
    """Return some solutions if a narrow diagram has any, else all, and the formulation that gave them.

    Raises Unfinished at a limit, and Unsupported for a problem that has no diagram.
    """
    from milp_pips.compilation.layers import DiagramCompiler
    from milp_pips.compilation.limits import Unsupported
    from milp_pips.compilation.solution_set import SolutionSet, compile_problem

    if formulation == "restricted":
        with suppress(Unsupported, Contradiction):
            some = DiagramCompiler(problem, budget, deadline).quick(RESTRICTED_WIDTHS)
            if some is not None:
                everything = tuple(range(len(problem.variables)))
                return SolutionSet(problem, everything, some, is_complete=False), formulation
    method = "diagram" if formulation == "exact" else "space"
    found = compile_problem(problem, None, budget, deadline, method=method)
    return found, formulation if method == "diagram" else "divided"
