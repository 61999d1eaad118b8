"""Make one run of a campaign in its own process, measure and validate it; control when it starts."""

from __future__ import annotations

import json
import os
import platform
import signal
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.engines import registry
from milp_pips.engines.registry import available, solver
from milp_pips.extras.bench.campaign import PlannedRun
from milp_pips.extras.bench.cgroups import BENCHEXEC, PSUTIL, call_in_control_group, own_cores
from milp_pips.extras.bench.measurement import Measurement, aim_of, measure
from milp_pips.extras.bench.store import RunKey, RunRecord, SessionRecord
from milp_pips.problem import VERSION
from milp_pips.problem.answer import Claim, Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline, SubDeadline
from milp_pips.runtime.cluster import available_cores
from milp_pips.runtime.executor import call_in_process
from milp_pips.runtime.interruptible import Limits
from milp_pips.tasks.objectives import as_good_as
from milp_pips.tasks.pipeline import prepare, state
from milp_pips.verification.second_opinion import on_complete, on_no_solution

if TYPE_CHECKING:
    from milp_pips.extras.bench.measurement import Outcome
    from milp_pips.puzzles.puzzle import Puzzle
    from milp_pips.runtime.executor import Outcome as CallOutcome

# The verdict on a run: every point is validated, every "no further solution" is confirmed by another method.

RUN_CONFIRMATION_SECONDS = 60.0
"""The seconds for the confirmation: as many as a run has by default. They count for no engine."""

KILLED_BY_TIMER = -getattr(signal, "SIGALRM", 14)
"""The exit status of a process that its own timer has ended; Windows has no such timer."""

SOLUTIONS_WANTED = {"first": 1, "prove": 2}
"""The number of solutions that complete a task, unless it requests all."""


class RunVerdict(NamedTuple):
    """The result of a run; the fields are those of ``RunRecord``."""

    status: str
    stop: Stop
    solutions: int = 0
    complete: bool = False
    confirmed_by: str | None = None
    message: str = ""
    value: int | None = None


class SecondCount(NamedTuple):
    """The method that confirms "no further solution", or the message that contradicts it, or neither."""

    confirmed_by: str | None
    contradiction: str = ""


def judge_outcome(
    puzzle: Puzzle, task: str, outcome: Outcome, who: str, formulation: str, deadline: Deadline
) -> RunVerdict:
    """Return the verdict on a run that ended within its time limit; the deadline limits the confirmation.

    ``who`` and ``formulation`` name the engine and its formulation.
    """
    prepared, count = prepare(puzzle).changed(aim_of(task)), len(outcome.points)
    problem = prepared.problem
    key = next(iter(problem.keys), "")
    compared = problem.keys.get(key, range(len(problem.variables)))
    try:
        for point in outcome.points:
            prepared.judge(point, who)
    except EngineFault as fault:
        return RunVerdict("wrong", outcome.stop, message=str(fault))
    except Exception as error:  # an engine from a plugin may return anything
        message = f"{who} gave what is not a point: {type(error).__name__}: {error}"
        return RunVerdict("wrong", outcome.stop, message=message)
    if len({tuple(point[v] for v in compared) for point in outcome.points}) < count:
        return RunVerdict("wrong", outcome.stop, message=f"{who} gave one solution as two different ones")
    value = problem.objective.value(outcome.points[-1]) if problem.objective and outcome.points else None
    if not outcome.exhausted and count < SOLUTIONS_WANTED.get(task, count + 1):
        status = "error" if outcome.stop is Stop.ERROR else "unknown"
        return RunVerdict(status, outcome.stop, count, message=outcome.message, value=value)
    status = "solved" if count else "infeasible"
    if not outcome.exhausted:
        return RunVerdict(status, Stop.FINISHED, count)
    claim = Claim(who, solver(who).proof_family, formulation)
    if outcome.filtered:
        claim = Claim("filtering", "filtering")
    second = call_in_process(confirm, (puzzle, task, outcome.points, claim), Limits(deadline)).value
    second = second or SecondCount(None)
    if second.contradiction:
        return RunVerdict("wrong", outcome.stop, count, message=second.contradiction)
    claimed = "no solution is better" if value is not None else "there is no further solution"
    unsure = "" if second.confirmed_by else f"nothing has confirmed that {claimed}"
    return RunVerdict(status, Stop.FINISHED, count, True, second.confirmed_by, unsure, value)


def confirm(
    puzzle: Puzzle, task: str, points: tuple[tuple[int, ...], ...], claim: Claim, deadline: Deadline
) -> SecondCount:
    """Look for a second proof that a puzzle has no solutions but these; called in a worker process.

    With an objective, the proof is that no solution is better than the last point. It is the confirmation
    that every task uses, see ``milp_pips.verification.second_opinion``.
    """
    problem, deadline = aim_of(task)(state(puzzle)), SubDeadline(deadline, RUN_CONFIRMATION_SECONDS)
    no_solution = "there is no solution"
    if (objective := problem.objective) and points:
        value = objective.value(points[-1])
        problem = problem.with_constraints([as_good_as(objective, objective.worse(value, -1))])
        no_solution = f"no solution is better than {value}"
    elif points:
        key = next(iter(problem.keys))
        listed = [tuple(point[v] for v in problem.keys[key]) for point in points]
        try:
            return SecondCount(on_complete(problem, key, len(points), listed, claim, deadline))
        except EngineFault as fault:
            return SecondCount(None, str(fault))
    opinion = on_no_solution(problem, claim, deadline)
    if opinion.point is None:
        return SecondCount(opinion.confirmed_by)
    prepare(puzzle).judge(opinion.point, opinion.witness)
    return SecondCount(None, f"{claim.who} says that {no_solution}, but {opinion.witness} finds one")


MEMORY_LIMIT_NEVER_REACHED = 2**62
"""More bytes than any run uses: memory is measured but not limited."""


def run_once(
    planned: PlannedRun, key: RunKey, session: int, measured_by: str, deadline: Deadline
) -> RunRecord | None:
    """Make one run in its own process, and validate it; None if the deadline passed.

    Raises UsageError, as the solver does.
    """
    instance = planned.instance
    solver, _, variant = planned.configuration.solver.partition(":")
    run_of_solver = registry.location(solver), variant, instance.puzzle, key.task, planned.settings
    limits = Limits(deadline, memory=key.memory_limit or MEMORY_LIMIT_NEVER_REACHED)
    call: Callable[..., CallOutcome[Measurement]] = call_in_process
    if measured_by == BENCHEXEC:
        call = partial(call_in_control_group, own_cores(key.threads), key.time_limit)
    # Before the run, whose own load must not count.
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    started = now()
    made = call(measure, run_of_solver, limits)
    run = RunRecord(
        **asdict(key),
        session=session,
        started=started,
        read_seconds=instance.seconds,
        wall_seconds=made.wall_seconds,
        peak_bytes=made.peak + made.peak_started,
        processor_seconds=made.processor_seconds,
        measured_by=measured_by,
        load=load,
    )
    if made.value is not None:
        outcome, engine = made.value.outcome, (key.solver, key.formulation)
        verdict = judge_outcome(instance.puzzle, key.task, outcome, *engine, deadline)
        run = _with_measurement(run, verdict, made.value, made.peak_started)
    elif made.stop is Stop.MEMORY:
        run = replace(run, stop="memory")
    elif made.stop is Stop.TIME or made.status == KILLED_BY_TIMER:
        run = replace(run, stop="time", message="did not stop at the limit: was killed")
    else:
        run = replace(run, status="error", stop="error", message=made.fault)
    return None if deadline.stop else run


def _with_measurement(
    run: RunRecord, verdict: RunVerdict, measurement: Measurement, peak_started: int
) -> RunRecord:
    """Return the run with its measurement and its verdict."""
    outcome = measurement.outcome
    if run.measured_by == PSUTIL:
        peak = max(measurement.peak + peak_started, run.peak_bytes or 0)
        run = replace(run, peak_bytes=peak, processor_seconds=measurement.processor_seconds)
    if verdict.status in ("solved", "infeasible"):
        # The point was right, but within these limits there was no answer.
        if measurement.seconds > run.time_limit:
            verdict = verdict._replace(status="unknown", stop=Stop.TIME, message="answered after the limit")
        elif 0 < run.memory_limit < (run.peak_bytes or 0):
            message = "answered with more memory than the limit"
            verdict = verdict._replace(status="unknown", stop=Stop.MEMORY, message=message)
    return replace(
        run,
        **{**verdict._asdict(), "stop": verdict.stop.value},
        build_seconds=outcome.seconds.get("build"),
        solve_seconds=outcome.seconds.get("solve"),
        total_seconds=(run.read_seconds or 0.0) + measurement.seconds,
        clock_processor_seconds=measurement.clock_processor_seconds,
        columns=outcome.size.get("columns"),
        rows=outcome.size.get("rows"),
        nonzeros=outcome.size.get("nonzeros"),
        nodes=outcome.statistics.get("nodes", outcome.statistics.get("branches")),
        bound=outcome.bound,
        incumbents=json.dumps([(round(seconds, 4), value) for seconds, value in outcome.incumbents]),
        version=_version(run.solver),
    )


def lost_run(key: RunKey, session: int, fault: str) -> RunRecord:
    """Return the record of a run whose process was lost."""
    return RunRecord(
        **asdict(key), session=session, started=now(), status="error", stop="error", message=fault
    )


def local_session(solvers: Iterable[str], command: str, host: str = "") -> SessionRecord:
    """Return the session record for runs that this machine makes from now on, with these solvers."""
    return SessionRecord(
        id=0,
        started=now(),
        command=command,
        machine=platform.platform(),
        processor=_processor(),
        cores=available_cores(),
        python=platform.python_version(),
        package=VERSION,
        engines={name: _version(name) for name in sorted(set(solvers))},
        host=host,
    )


@cache
def _version(solver: str) -> str:
    """Return the version of a locally installed solver; the lookup takes 0.02 s."""
    return available(solver).version()


def _processor() -> str:
    """Return the name of the processor, or the machine's architecture if the system does not report it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def now() -> str:
    """Return the time in UTC (ISO 8601)."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
