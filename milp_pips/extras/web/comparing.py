"""Compare engines on one puzzle: each run in a separate process, measured as in campaigns."""

from __future__ import annotations

from milp_pips.engines import registry
from milp_pips.extras.bench.measurement import measure
from milp_pips.extras.bench.one_run import judge_outcome
from milp_pips.extras.web.records import Record
from milp_pips.problem.answer import Settings, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.runtime.executor import call_in_process
from milp_pips.runtime.interruptible import Limits
from milp_pips.tasks.query import rules_for

NOT_MEASURED = dict.fromkeys(("stated", "seconds", "build", "columns", "rows", "nodes"))
"""The figures of a run that has none yet."""


def new_run(engine: str, formulation: str) -> Record:
    """Return the record of a run that has just started, with no measurements yet."""
    run = {"engine": engine, "formulation": formulation, "status": "running", "message": ""}
    return run | NOT_MEASURED


def make_run(run: Record, puzzle: Puzzle, seconds: float, memory: int | None, deadline: Deadline) -> Record:
    """Return the record of the finished run: the engine searches for one solution, which is checked.

    The clock starts after the engine's libraries are loaded and it has solved a small problem. The status is
    ``solved``, ``infeasible``, ``unknown``, ``wrong`` or, if the engine cannot run or fails, ``failed``.
    """
    settings = Settings(run["formulation"], seconds=seconds, memory=memory)
    try:
        registry.require_installed(run["engine"], run["formulation"])
        solver = registry.available(run["engine"])
        settings = settings.changed(rules=rules_for(settings, solver))
        plain, _, variant = run["engine"].partition(":")
        where = registry.location(plain)
        run_of_solver = where, variant, puzzle, "first", settings
        made = call_in_process(measure, run_of_solver, Limits(deadline, memory=memory))
    except (EngineFault, UsageError) as error:
        return run | {"status": "failed", "message": str(error)}
    if made.value is None:
        stopped = made.stop in (Stop.TIME, Stop.MEMORY, Stop.INTERRUPTED)
        message = f"stop: {made.stop}" if stopped else made.fault
        return run | {"status": "unknown" if stopped else "failed", "message": message}
    outcome = made.value.outcome
    verdict = judge_outcome(puzzle, "first", outcome, run["engine"], run["formulation"], deadline)
    spent, size = outcome.seconds, outcome.size
    return run | {
        "stated": outcome.formulation,
        "status": "failed" if verdict.status == "error" else verdict.status,
        "message": verdict.message,
        "seconds": made.value.seconds,
        "build": spent.get("build"),
        "columns": size.get("columns"),
        "rows": size.get("rows"),
        "nodes": outcome.statistics.get("nodes"),
    }
