"""The ways to list all solutions. Each yields points that differ in the key and ends with proof and stop."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from milp_pips.answer import Proof, Settings, Stop
from milp_pips.counting import whole
from milp_pips.diagram import Diagram
from milp_pips.engines import available
from milp_pips.enumeration.crew import Alone, Crew, Part, Space
from milp_pips.enumeration.spaces import space
from milp_pips.errors import EngineFault, UsageError

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.solvers.contract import EnumeratingSolver, Points
    from milp_pips.watch import Watch


class Work(NamedTuple):
    """What is to be listed, and by whom."""

    problem: Problem
    key: str
    solver: str
    settings: Settings
    watch: Watch
    jobs: int = 1


def by_cuts(work: Work, known: Sequence[tuple[int, ...]] = ()) -> Points:
    """Solve, cut the solution off, solve again, until there is none (Balas and Jeroslow 1972).

    ``known`` points, of an earlier run, are cut off first. Each solve is as hard as the last or harder.
    """
    live = space(work.solver, work.problem, work.key, work.settings)
    for point in known:
        live.exclude(live.choices(point))
    while True:
        if work.watch.stop:  # a solve may be over before its engine looks at the clock
            return Proof.NONE, work.watch.stop
        found = live.solve((), (), work.watch)
        if found.point is None:
            return _ending(work, found.proof, found.stop, found.message)
        yield found.point
        live.exclude(found.choices)


def by_partition(
    work: Work, frontier: list[Part] | None = None, keep: Callable[[list[Part]], None] = lambda _: None
) -> Points:
    """Split what is left after each solution into parts that exclude it (Lawler 1972, Murty 1968).

    A solution with the choices c1…ck splits its part into k: the i-th makes c1…c(i-1) and refuses ci. Every
    part is an ordinary problem, so the cost per solution does not grow, and ``work.jobs`` processes can each
    search one. ``frontier`` holds the parts that are left of an earlier run; ``keep`` is told the parts that
    are left whenever a solution has been found.
    """
    searched = Space(work.solver, work.problem, work.key, work.settings)
    crew = Crew(searched, work.watch, work.jobs) if work.jobs > 1 else Alone(searched, work.watch)
    waiting: list[Part] = [((), ())] if frontier is None else frontier
    try:
        while waiting or crew.busy:
            while waiting and crew.idle:
                crew.search(waiting.pop())
            if work.watch.stop:  # a solve may be over before its engine looks at the clock
                return Proof.NONE, work.watch.stop
            part, found = crew.found()
            if found.point is None:
                proof, stop = _ending(work, found.proof, found.stop, found.message)
                if proof is not Proof.COMPLETE:
                    return proof, stop
                continue
            chosen, refused = part
            made = [choice for choice in found.choices if choice not in chosen]
            parts = [((*chosen, *made[:i]), (*refused, choice)) for i, choice in enumerate(made)]
            waiting += reversed(parts)
            yield found.point
            keep([*crew.busy, *waiting])
    finally:
        crew.close()
    return Proof.COMPLETE, Stop.FINISHED


def natively(work: Work) -> Points:
    """Let the engine list all solutions itself."""
    engine = available(work.solver)
    if "enumeration" not in engine.features:
        raise UsageError(f"{work.solver} has no enumeration of its own; use --method cuts or partition")
    points = cast("EnumeratingSolver", engine).points(work.problem, work.key, work.settings, work.watch)
    return (yield from points)


def walked(
    work: Work, diagram: Diagram, lines: Iterator[str] | None, skip: int = 0
) -> Generator[tuple[int, ...] | str, None, tuple[Proof, Stop]]:
    """Walk the decision diagram, which has no dead ends; pass over the first ``skip`` points.

    ``lines`` are its solutions in another shape, in the same order: these are yielded where they are given.
    Variables that the diagram leaves out are -1 in the points.
    """
    hidden = len(diagram.variables) < len(work.problem.variables)
    views: Iterator[Any] = diagram.assignments() if lines is None else lines
    for number, view in enumerate(views):
        if not number & 255 and work.watch.stop:
            return Proof.NONE, work.watch.stop
        if number >= skip:
            yield whole(work.problem, diagram.variables, view) if hidden and lines is None else view
    return Proof.COMPLETE, Stop.FINISHED


def _ending(work: Work, proof: Proof, stop: Stop, message: str) -> tuple[Proof, Stop]:
    """Turn "no solution here" into "complete", and an engine's failure into an error."""
    if proof is Proof.INFEASIBLE:
        return Proof.COMPLETE, Stop.FINISHED
    if stop is Stop.ERROR:
        raise EngineFault(f"{work.solver} failed: {message}")
    return Proof.NONE, work.watch.stop or stop
