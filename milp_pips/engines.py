"""Ask an engine: in this process where that is safe, else in one of its own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from milp_pips import plugins
from milp_pips.errors import UsageError

if TYPE_CHECKING:
    from milp_pips.answer import Answer, Settings
    from milp_pips.problem import Problem
    from milp_pips.solvers.contract import Solver
    from milp_pips.watch import Watch

LIBRARIES = {"highspy", "ortools", "pyscipopt"}
"""Modules that bring an engine into the process; two may not get along (OR-Tools and highspy 1.15)."""

own_process = ""
"""The solver that this process is a worker for: it needs no further process."""


def available(name: str) -> Solver:
    """Return the solver if it can run here. Raises UsageError with the reason if not."""
    solver = plugins.solver(name)
    reason = solver.unavailable()
    if reason:
        raise UsageError(f"{name} cannot run here: {reason}")
    return solver


def ask(
    name: str,
    problem: Problem,
    settings: Settings,
    watch: Watch,
    *,
    isolate: bool = False,
    memory: int | None = None,
) -> Answer:
    """Return the answer of a solver.

    It runs in a process of its own if that is asked for, if a memory limit is set (bytes), if the solver
    wants it, or if another engine's library is loaded here already. Raises UsageError.
    """
    solver = available(name)
    others = (LIBRARIES & sys.modules.keys()) - set(solver.requires) if solver.requires else set()
    if name == own_process:
        return solver.solve(problem, settings, watch)
    if isolate or memory is not None or solver.isolated or others:
        from milp_pips.worker import ask_in_worker

        return ask_in_worker(name, problem, settings, watch, memory)
    return solver.solve(problem, settings, watch)
