"""The ways to list all solutions. Each yields points that differ in the key and ends with proof and stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from milp_pips.answer import Proof, Settings, Stop
from milp_pips.diagram import compile_diagram, projected
from milp_pips.engines import available
from milp_pips.enumeration.spaces import space
from milp_pips.errors import EngineFault, UsageError

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.solvers.contract import EnumeratingSolver, Points
    from milp_pips.watch import Watch

Node: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""A part of the space of solutions: choices that are made, and choices that are refused."""


class Work(NamedTuple):
    """What is to be listed, and by whom."""

    problem: Problem
    key: str
    solver: str
    settings: Settings
    watch: Watch


def by_cuts(work: Work, known: Sequence[tuple[int, ...]] = ()) -> Points:
    """Solve, cut the solution off, solve again, until there is none (Balas and Jeroslow 1972).

    ``known`` points, of an earlier run, are cut off first. Each solve is as hard as the last or harder.
    """
    live = space(work.solver, work.problem, work.key, work.settings)
    for point in known:
        live.exclude(live.choices(point))
    while True:
        found = live.solve((), (), work.watch)
        if found.point is None:
            return _ending(work, found.proof, found.stop, found.message)
        yield found.point
        live.exclude(found.choices)


def by_partition(
    work: Work, frontier: list[Node] | None = None, keep: Callable[[list[Node]], None] = lambda _: None
) -> Points:
    """Split what is left after each solution into parts that exclude it (Lawler 1972, Murty 1968).

    A solution with the choices c1…ck splits its part into k: the i-th makes c1…c(i-1) and refuses ci. Every
    part is an ordinary problem, so the cost per solution does not grow. ``frontier`` holds the parts that
    are left of an earlier run; ``keep`` is told the parts that are left whenever a solution has been found.
    """
    live = space(work.solver, work.problem, work.key, work.settings)
    waiting: list[Node] = [((), ())] if frontier is None else frontier
    while waiting:
        chosen, refused = waiting[-1]
        found = live.solve(chosen, refused, work.watch)
        if found.point is None:
            proof, stop = _ending(work, found.proof, found.stop, found.message)
            if proof is not Proof.COMPLETE:
                return proof, stop
            waiting.pop()
            continue
        waiting.pop()
        made = [choice for choice in found.choices if choice not in chosen]
        parts = [((*chosen, *made[:i]), (*refused, choice)) for i, choice in enumerate(made)]
        waiting += reversed(parts)
        yield found.point
        keep(waiting)
    return Proof.COMPLETE, Stop.FINISHED


def natively(work: Work) -> Points:
    """Let the engine list all solutions itself."""
    engine = available(work.solver)
    if "enumeration" not in engine.features:
        raise UsageError(f"{work.solver} has no enumeration of its own; use --method cuts or partition")
    points = cast("EnumeratingSolver", engine).points(work.problem, work.key, work.settings, work.watch)
    return (yield from points)


def by_diagram(work: Work, nodes: int, skip: int = 0) -> Points:
    """Walk the decision diagram, which has no dead ends; pass over the first ``skip`` points.

    On a key that leaves variables out, these are -1 in the points. Raises Unfinished and Unsupported.
    """
    diagram = compile_diagram(work.problem, nodes, work.watch)
    seen = projected(diagram, work.problem.keys[work.key], nodes // 3, work.watch)
    hidden = len(seen.variables) < len(work.problem.variables)
    for number, view in enumerate(seen.assignments()):
        if number % 256 == 0 and work.watch.stop:
            return Proof.NONE, work.watch.stop
        if number >= skip:
            yield _spread(work, seen.variables, view) if hidden else view
    return Proof.COMPLETE, Stop.FINISHED


def _spread(work: Work, variables: tuple[int, ...], view: tuple[int, ...]) -> tuple[int, ...]:
    point = [-1] * len(work.problem.variables)
    for v, value in zip(variables, view, strict=True):
        point[v] = value
    return tuple(point)


def _ending(work: Work, proof: Proof, stop: Stop, message: str) -> tuple[Proof, Stop]:
    """Turn "no solution here" into "complete", and an engine's failure into an error."""
    if proof is Proof.INFEASIBLE:
        return Proof.COMPLETE, Stop.FINISHED
    if stop is Stop.ERROR:
        raise EngineFault(f"{work.solver} failed: {message}")
    return Proof.NONE, work.watch.stop or stop
