"""Large-neighbourhood search: a first solution of large problems, whose dominoes are many and rules small.

The search keeps a layout that covers the board and obeys every rule, but by dominoes of which some are not
given, and lays parts of it anew until none is. It proves nothing. Where it cannot work or comes to rest,
HiGHS takes the whole problem over in the time that is left.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.errors import UsageError
from milp_pips.solvers.library import FORMULATIONS, LibrarySolver

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.solvers.lns.search import Search
    from milp_pips.watch import Watch


class LnsSolver(LibrarySolver):
    """Large-neighbourhood search on the dominoes, with HiGHS for its windows and for what it leaves."""

    name = "lns"
    kind = "search"
    title = "large-neighbourhood search"
    requires = ("highspy",)
    distribution = "milp-pips"
    features = frozenset({"time limit", "seed", "threads", "options"})
    formulations = FORMULATIONS

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Search, then hand over to HiGHS if need be; see ``Solver``.

        The formulation and the options are those of HiGHS, for windows and for the whole problem.
        """
        from milp_pips.solvers.lns.board import Unsuited
        from milp_pips.solvers.lns.search import Search

        begun = time.perf_counter()
        _checked(settings)
        search: Search | None = None
        try:
            search = Search(problem, settings, watch)
            built = time.perf_counter()
            point = search.point()
        except Unsuited as reason:
            return _handed_over(problem, settings, watch, str(reason), search, begun)
        return Answer(
            point,
            Proof.NONE if point is None else Proof.FEASIBLE,
            Stop.FINISHED if point is not None else watch.stop or Stop.INTERRUPTED,
            settings.formulation or "projected",
            "",
            search.size,
            search.statistics,
            {"build": built - begun, "solve": time.perf_counter() - built},
        )


def _handed_over(
    problem: Problem, settings: Settings, watch: Watch, reason: str, search: Search | None, begun: float
) -> Answer:
    """Return the answer of HiGHS to the whole problem, and say so."""
    from milp_pips.solvers.highs import HighsSolver

    searched = time.perf_counter() - begun
    answer = HighsSolver().solve(problem, settings, watch)
    message = f"handed over to HiGHS: {reason}"
    return replace(
        answer,
        message="; ".join(filter(None, [message, answer.message])),
        statistics={**(search.statistics if search else {}), **answer.statistics},
        seconds={**answer.seconds, "solve": answer.seconds.get("solve", 0.0) + searched},
    )


def _checked(settings: Settings) -> None:
    """Raise UsageError for a formulation or an option that a window would not take."""
    for name in filter(None, map(str.strip, settings.formulation.split(","))):
        if name not in FORMULATIONS:
            raise UsageError(f"unknown formulation {name!r}; known: {', '.join(FORMULATIONS)}")
    if settings.options:
        import highspy

        from milp_pips.solvers.highs import typed_options

        typed_options(highspy.Highs(), settings.options)
