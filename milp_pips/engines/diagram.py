"""A solver that returns the first path of a decision diagram.

It compiles restricted diagrams first, which keep only a few states per layer: most puzzles for people have a
path in a very narrow one. If none has a path, it compiles all solutions in parts, or one exact
diagram of the whole problem (Bergman, Ciré, van Hoeve and Hooker, *Decision Diagrams for Optimization*, 2016,
chapter 4).
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from milp_pips.engines.library import LibrarySolver
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.errors import Contradiction, UsageError

if TYPE_CHECKING:
    from milp_pips.compilation.solution_set import SolutionSet
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline

RESTRICTED_WIDTHS = (10, 100, 1000)
"""The most states per layer of each restricted diagram in turn: ten suffice for most puzzles for people."""


class DiagramSolver(LibrarySolver):
    """Decision diagrams, narrow ones first; they need no installation and are quickest on small puzzles."""

    name = "diagram"
    kind = "search"
    transformations = ("filter", "compile")
    title = "the decision diagram"
    features = frozenset({"time limit", "memory limit", "space"})
    formulations = ("restricted", "divided", "exact")
    filtering = frozenset({"restricted", "divided"})

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Return the first solution; see ``Solver``.

        The formulation ``divided`` omits the narrow diagrams; ``exact`` also omits filtering and dividing.
        """
        from milp_pips.compilation.layers import DiagramCompiler
        from milp_pips.compilation.limits import Budget, Unfinished, Unsupported
        from milp_pips.compilation.solution_set import SolutionSet, compile_problem

        self._check(settings)
        begun = time.perf_counter()
        point, proof, stop, message, nodes = None, Proof.NONE, Stop.FINISHED, "", 0
        formulation, budget = settings.formulation or "restricted", Budget.of_memory(settings.memory)
        found: SolutionSet | None = None
        try:
            if formulation == "restricted":
                with suppress(Unsupported, Contradiction):
                    some = DiagramCompiler(problem, budget, deadline).quick(RESTRICTED_WIDTHS)
                    everything = tuple(range(len(problem.variables)))
                    if some is not None:
                        found = SolutionSet(problem, everything, some, is_complete=False)
                formulation = "restricted" if found else "divided"
            if found is None:
                method = "space" if formulation == "divided" else "diagram"
                found = compile_problem(problem, None, budget, deadline, method=method)
        except Unfinished as reason:
            stop, message = reason.stop, str(reason)
        except Unsupported as reason:
            stop, message = Stop.ERROR, str(reason)
        else:
            nodes = found.nodes
            point = found.nth(0) if found.count else None
            proof = Proof.INFEASIBLE if point is None else Proof.FEASIBLE
        return Answer(
            point,
            proof,
            stop,
            formulation,
            message,
            statistics={"nodes": nodes},
            seconds={"build": 0.0, "solve": time.perf_counter() - begun},
        )

    def _check(self, settings: Settings) -> None:
        """Raise UsageError for settings that this solver does not have."""
        if settings.options or settings.formulation not in ("", *self.formulations):
            raise UsageError(f"diagram has no options, and the formulations {', '.join(self.formulations)}")
