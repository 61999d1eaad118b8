"""Large-neighbourhood search: a first solution of large problems with many dominoes and small rules.

The search keeps a layout that covers the board and satisfies every rule, but may use dominoes that are not in
the set. It re-solves parts of the layout until it uses the given dominoes only. It cannot prove
infeasibility, except that a board has no perfect matching. If the search does not apply or stalls, HiGHS
solves the whole problem in the remaining time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from milp_pips.engines.highs import HighsSolver, typed_options
from milp_pips.engines.library import LibrarySolver, Outcome
from milp_pips.problem.answer import Proof, Settings, Stop

if TYPE_CHECKING:
    from milp_pips.engines.library import Run
    from milp_pips.engines.lns.layout import Unsuited
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline


class LnsSolver(HighsSolver):
    """Large-neighbourhood search on the dominoes, with HiGHS for its windows and as its fallback."""

    name = "lns"
    kind = "search"
    transformations = ("filter", "linearise")
    title = "large-neighbourhood search"
    distribution = "milp-pips"
    features = HighsSolver.features - {"cuts", "relaxation", "objective"}
    proof_family = "highs"  # the search itself proves next to nothing

    def version(self) -> str:
        """Return the version of this package, which contains the search."""
        return LibrarySolver.version(self)

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run:
        """Return the search, which hands over to HiGHS if it cannot finish; see ``LibrarySolver``.

        The formulation and the options apply to HiGHS, both on windows and on the whole problem.
        """
        from milp_pips.engines.lns.layout import Unsuited
        from milp_pips.engines.lns.search import NeighbourhoodSearch

        if settings.options:
            import highspy

            typed_options(highspy.Highs(), settings.options)

        def handed_over(reason: Unsuited, counts: Mapping[str, int]) -> Outcome:
            whole = HighsSolver.state(self, problem, settings, deadline)
            stopped = Outcome(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)
            outcome = whole() if whole else stopped
            message = "; ".join(filter(None, [f"handed over to HiGHS: {reason}", outcome.message]))
            return outcome._replace(message=message, statistics={**counts, **outcome.statistics})

        try:
            search = NeighbourhoodSearch(problem, settings, deadline)
        except Unsuited as reason:
            return partial(handed_over, reason, {})

        def run() -> Outcome:
            try:
                point = search.point()
            except Unsuited as reason:
                return handed_over(reason, search.statistics)
            proof, stop = Proof.FEASIBLE, Stop.FINISHED
            if point is None:
                proof = Proof.INFEASIBLE if search.refutation else Proof.NONE
                stop = stop if search.refutation else deadline.stop or Stop.INTERRUPTED
            formulation = settings.formulation or "projected"
            return Outcome(point, proof, stop, search.refutation, search.statistics, search.size, formulation)

        return run
