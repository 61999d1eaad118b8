"""What a run is worth: every point is judged, every "no further solution" is held against another way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from milp_pips.engines.registry import solver
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.worker import call_in_worker
from milp_pips.tasks.pipeline import prepare, state
from milp_pips.verification.second_opinion import Claim, on_complete, on_no_solution

if TYPE_CHECKING:
    from milp_pips.extras.bench.measurement import Outcome
    from milp_pips.puzzles.puzzle import Puzzle

RUN_CONFIRMATION_SECONDS = 60.0
"""Seconds that confirming may take: as many as a run has by default. They are nobody's."""

SOLUTIONS_WANTED = {"first": 1, "prove": 2}
"""How many solutions do what the task asks, where it does not ask for all."""


class RunVerdict(NamedTuple):
    """What came of a run; the fields are those of ``RunRecord``."""

    status: str
    stop: Stop
    solutions: int = 0
    complete: bool = False
    confirmed_by: str | None = None
    message: str = ""


class SecondCount(NamedTuple):
    """By what "no further solution" is confirmed, or what contradicts it, or neither."""

    confirmed_by: str | None
    contradiction: str = ""


def verdict(
    puzzle: Puzzle, task: str, outcome: Outcome, who: str, formulation: str, deadline: Deadline
) -> RunVerdict:
    """Return what a run is worth that ended within its time limit; the deadline says when to stop confirming.

    ``who`` and ``formulation`` are the engine, and how the problem was stated to it.
    """
    prepared, count = prepare(puzzle, ()), len(outcome.points)
    problem = prepared.problem
    key = next(iter(problem.keys), "")
    compared = problem.keys.get(key, range(len(problem.variables)))
    try:
        for point in outcome.points:
            prepared.judge(point, who)
    except EngineFault as fault:
        return RunVerdict("wrong", outcome.stop, message=str(fault))
    except Exception as error:  # an engine from outside may give anything
        message = f"{who} gave what is no point: {type(error).__name__}: {error}"
        return RunVerdict("wrong", outcome.stop, message=message)
    if len({tuple(point[v] for v in compared) for point in outcome.points}) < count:
        return RunVerdict("wrong", outcome.stop, message=f"{who} gave one solution as two different ones")
    if not outcome.exhausted and count < SOLUTIONS_WANTED.get(task, count + 1):
        status = "error" if outcome.stop is Stop.ERROR else "unknown"
        return RunVerdict(status, outcome.stop, count, message=outcome.message)
    status = "solved" if count else "infeasible"
    if not outcome.exhausted:
        return RunVerdict(status, Stop.FINISHED, count)
    claim = Claim(who, solver(who).proof_family, formulation)
    if outcome.filtered:
        claim = Claim("filtering", "filtering")
    reply = call_in_worker(confirm, (puzzle, outcome.points, claim), deadline)
    second = reply.value if isinstance(reply.value, SecondCount) else SecondCount(None)
    if second.contradiction:
        return RunVerdict("wrong", outcome.stop, count, message=second.contradiction)
    unsure = "" if second.confirmed_by else "nothing has confirmed that there is no further solution"
    return RunVerdict(status, Stop.FINISHED, count, True, second.confirmed_by, unsure)


def confirm(puzzle: Puzzle, points: tuple[tuple[int, ...], ...], claim: Claim) -> SecondCount:
    """Look for a second proof that a puzzle has these solutions alone; called in a worker.

    It is the one that every task asks for, see ``milp_pips.verification.second_opinion``.
    """
    with Deadline(RUN_CONFIRMATION_SECONDS) as deadline:
        problem = state(puzzle)
        if points:
            key = next(iter(problem.keys))
            listed = [tuple(point[v] for v in problem.keys[key]) for point in points]
            try:
                return SecondCount(on_complete(problem, key, len(points), listed, claim, deadline))
            except EngineFault as fault:
                return SecondCount(None, str(fault))
        opinion = on_no_solution(problem, claim, deadline)
        if opinion.point is None:
            return SecondCount(opinion.confirmed_by)
        prepare(puzzle, ()).judge(opinion.point, opinion.witness)
        return SecondCount(
            None, f"{claim.who} says that there is no solution, but {opinion.witness} finds one"
        )
