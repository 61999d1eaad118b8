"""What a run is worth: every point is judged, every "no further solution" is held against another way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.answer import Answer, Proof, Stop
from milp_pips.confirm import DIAGRAM, NODES, by_highs, confirm_infeasible, counted_by_diagram
from milp_pips.errors import EngineFault
from milp_pips.problem import NoGood
from milp_pips.referee import judged
from milp_pips.watch import Watch
from milp_pips.worker import call_in_worker

if TYPE_CHECKING:
    from milp_pips.comparison.measurement import Found
    from milp_pips.puzzles.family import Puzzle

CONFIRMING = 60.0
"""Seconds that confirming may take; they are nobody's."""

LISTED = 300
"""Solutions up to which an engine may confirm that there is no further one, by cutting them all off."""


class Verdict(NamedTuple):
    """What came of a run; the fields are those of ``RunRecord``."""

    status: str
    stop: Stop
    solutions: int = 0
    complete: bool = False
    confirmed_by: str | None = None
    message: str = ""


class Second(NamedTuple):
    """By what "no further solution" is confirmed, or what contradicts it, or neither."""

    confirmed_by: str | None
    contradiction: str = ""


def verdict(
    puzzle: Puzzle[Any], task: str, found: Found, who: str, formulation: str, watch: Watch
) -> Verdict:
    """Return what a run is worth that ended within its time limit.

    Parameters
    ----------
    puzzle
        The puzzle.
    task
        What was to be done.
    found
        What the engine found.
    who, formulation
        The engine, and how the problem was stated to it.
    watch
        Says when to stop confirming.
    """
    problem = puzzle.state()
    count = len(found.points)
    key = next(iter(problem.keys), "")
    compared = problem.keys.get(key, range(len(problem.variables)))
    try:
        for point in found.points:
            judged(puzzle, problem, point, who)
    except EngineFault as fault:
        return Verdict("wrong", found.stop, message=str(fault))
    except Exception as error:  # an engine from outside may give anything
        message = f"{who} gave what is no point: {type(error).__name__}: {error}"
        return Verdict("wrong", found.stop, message=message)
    if len({tuple(point[v] for v in compared) for point in found.points}) < count:
        return Verdict("wrong", found.stop, message=f"{who} gave one solution as two different ones")
    done = found.exhausted or (count >= {"first": 1, "prove": 2}.get(task, count + 1))
    if not done:
        status = "error" if found.stop is Stop.ERROR else "unknown"
        return Verdict(status, found.stop, count, message=found.message)
    status = "solved" if count else "infeasible"
    if not found.exhausted:
        return Verdict(status, Stop.FINISHED, count)
    reply = call_in_worker(confirm, (puzzle, found.points, who, formulation), watch)
    second = reply.value if isinstance(reply.value, Second) else Second(None)
    if second.contradiction:
        claim = f"{who} says that there is no {'further ' if count else ''}solution"
        return Verdict("wrong", found.stop, count, message=f"{claim}, but {second.contradiction}")
    unsure = "" if second.confirmed_by else "nothing has confirmed that there is no further solution"
    return Verdict(status, Stop.FINISHED, count, True, second.confirmed_by, unsure)


def confirm(puzzle: Puzzle[Any], points: tuple[tuple[int, ...], ...], who: str, formulation: str) -> Second:
    """Look for a second proof that a puzzle has these solutions alone; called in a worker.

    Without a solution it is the one that every other verb asks for. Else the decision diagram counts; where
    it does not fit, or has answered itself, and there are few, HiGHS looks for a further one on another
    formulation.
    """
    with Watch(CONFIRMING) as watch:
        problem = puzzle.state()
        first = Answer(None, Proof.INFEASIBLE, Stop.FINISHED, formulation)
        if not points:
            confirmation = confirm_infeasible(problem, first, watch, who)
        else:
            key = next(iter(problem.keys))
            variables, least = problem.keys[key], problem.least_difference(key)
            count = None if who == DIAGRAM else counted_by_diagram(problem, variables, NODES, watch)
            if count is not None:
                if count > len(points):
                    return Second(None, f"the decision diagram counts {count}")
                return Second("the decision diagram, which counts as many" if count == len(points) else None)
            if len(points) > LISTED:
                return Second(None)
            cuts = [NoGood(variables, tuple(point[v] for v in variables), least) for point in points]
            problem = problem.with_constraints(cuts)
            confirmation = by_highs(problem, first, watch)
        other = confirmation.contradiction
        if other is None:
            return Second(confirmation.confirmed_by)
        judged(puzzle, problem, other.point, confirmation.witness)
        return Second(None, f"{confirmation.witness} finds {'another' if points else 'one'}")
