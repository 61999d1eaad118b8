"""Other processes: engines in workers of their own, programs that are watched, and what they start."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from milp_pips import plugins

if TYPE_CHECKING:
    from milp_pips.answer import Answer, Settings
    from milp_pips.problem import Problem
    from milp_pips.watch import Watch


def ask(name: str, problem: Problem, settings: Settings, watch: Watch) -> Answer:
    """Return the answer of a solver: in this process where that is safe, else in a worker.

    A worker it is where the settings ask for isolation or set a memory limit, where the solver wants it, or
    where a module that clashes with the solver's library is loaded here. Raises UsageError.
    """
    solver = plugins.available(name)
    clash = not solver.clashes.isdisjoint(sys.modules)
    limit = settings.memory is not None and "memory limit" not in solver.features
    if settings.isolate or limit or solver.isolated or clash:
        from milp_pips.process.worker import ask_in_worker

        return ask_in_worker(name, problem, settings, watch)
    return solver.solve(problem, settings, watch)
