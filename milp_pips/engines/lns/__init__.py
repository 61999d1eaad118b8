"""Large-neighbourhood search: a first solution of large problems with many dominoes and small rules.

The search keeps a layout that covers the board and satisfies every rule, but may use dominoes that are not in
the set. It re-solves parts of the layout until it uses the given dominoes only. It cannot prove
infeasibility, except that a board has no perfect matching. If the search does not apply or stalls, HiGHS
solves the whole problem in the remaining time.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from milp_pips.engines.highs import HighsSolver, typed_options
from milp_pips.engines.library import LibrarySolver
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.errors import unknown_name

if TYPE_CHECKING:
    from milp_pips.engines.lns.search import NeighbourhoodSearch
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline


class LnsSolver(HighsSolver):
    """Large-neighbourhood search on the dominoes, with HiGHS for its windows and as its fallback."""

    name = "lns"
    kind = "search"
    transformations = ("filter", "linearise")
    title = "large-neighbourhood search"
    distribution = "milp-pips"
    features = HighsSolver.features - {"cuts", "relaxation"}
    proof_family = "highs"  # the search itself proves next to nothing

    def version(self) -> str:
        """Return the version of this package, which contains the search."""
        return LibrarySolver.version(self)

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Run the search, then HiGHS if the search cannot finish; see ``Solver``.

        The formulation and the options apply to HiGHS, both on windows and on the whole problem.
        """
        from milp_pips.engines.lns.layout import Unsuited
        from milp_pips.engines.lns.search import NeighbourhoodSearch

        begun = time.perf_counter()
        self._check(settings)
        search: NeighbourhoodSearch | None = None
        try:
            search = NeighbourhoodSearch(problem, settings, deadline)
            built = time.perf_counter()
            point = search.point()
        except Unsuited as reason:
            searched = time.perf_counter() - begun
            answer = super().solve(problem, settings, deadline)
            message = f"handed over to HiGHS: {reason}"
            return replace(
                answer,
                message="; ".join(filter(None, [message, answer.message])),
                statistics={**(search.statistics if search else {}), **answer.statistics},
                seconds={**answer.seconds, "solve": answer.seconds.get("solve", 0.0) + searched},
            )
        if point is not None:
            proof, stop = Proof.FEASIBLE, Stop.FINISHED
        elif search.refutation:
            proof, stop = Proof.INFEASIBLE, Stop.FINISHED
        else:
            proof, stop = Proof.NONE, deadline.stop or Stop.INTERRUPTED
        return Answer(
            point,
            proof,
            stop,
            settings.formulation or "projected",
            search.refutation,
            search.size,
            search.statistics,
            {"build": built - begun, "solve": time.perf_counter() - built},
        )

    def _check(self, settings: Settings) -> None:
        """Raise UsageError for an unknown formulation or option of HiGHS."""
        for name in filter(None, map(str.strip, settings.formulation.split(","))):
            if name not in self.formulations:
                raise unknown_name("formulation", name, self.formulations)
        if settings.options:
            import highspy

            typed_options(highspy.Highs(), settings.options)
