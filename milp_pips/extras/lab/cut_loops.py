"""Loops that list all solutions by adding cuts, with what each costs: restarts, one tree, and Benders.

- *Restarts*: solve, exclude the solution by a no-good cut, and solve again from the start.
- *One tree*: a constraint handler of SCIP excludes each solution while the tree stays (``collect_points``).
- *Benders by logic*: a master chooses a layout, a subproblem its values; see ``benders``.

With ``separate``, rows of a stronger formulation with the same columns are added where the relaxation breaks
them: by a separator within SCIP's tree, and before each restart by solving the relaxation again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from milp_pips.compilation.limits import Unfinished
from milp_pips.constraints import covers_of
from milp_pips.engines.defaults import CALLBACK_SOLVER, LP_SOLVER
from milp_pips.engines.registry import available
from milp_pips.engines.scip import LoadedScip, Row, collect_points, include_separator, row_of
from milp_pips.extras.lab.benders import MINIMAL, NO_GOOD, RELAXED, Listed, Point, Programs, benders
from milp_pips.extras.lab.in_scip import in_own_process
from milp_pips.extras.lab.puzzle_model import INTEGER_TOLERANCE, PuzzleModel, state_model
from milp_pips.formulations.milp import formulate
from milp_pips.formulations.milp.model import Model
from milp_pips.problem.answer import Claim, Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.result import TaskResult
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.puzzle import known_key
from milp_pips.tasks.pipeline import settings_of
from milp_pips.verification.second_opinion import on_complete

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle


@dataclass(frozen=True, slots=True)
class CutLoop:
    """What a loop has cost.

    Parameters
    ----------
    loop, solver
        Its name, and the solver.
    solutions
        The solutions that it listed.
    solves
        The integer programs that were solved from their root; with Benders those of the master.
    subproblems
        The integer programs of Benders' subproblem.
    cuts, terms
        The cuts that exclude solutions or layouts, and the columns in all of them together.
    separated
        The rows of the stronger formulation that were added.
    nodes, iterations
        Nodes of all trees, and iterations of the simplex method.
    seconds
        Processor time of the loop, without the start of its process.
    """

    loop: str
    solver: str
    solutions: int = 0
    solves: int = 0
    subproblems: int = 0
    cuts: int = 0
    terms: int = 0
    separated: int = 0
    nodes: int = 0
    iterations: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class CutLoops(TaskResult):
    """Loops that list the same solutions.

    Parameters
    ----------
    puzzle, formulation
        The name of the puzzle, and the formulation of its model.
    separate
        The formulation whose rows were separated; empty for none.
    key
        The key that distinguishes solutions.
    loops
        The loops.
    solutions
        The number of solutions.
    confirmed_by
        The method that confirmed that the list is complete; None if none did.
    stop
        The stopping criterion; loops that a limit cut off are missing.
    seconds
        The time taken.
    """

    puzzle: str
    formulation: str
    separate: str
    key: str
    loops: tuple[CutLoop, ...]
    solutions: int
    confirmed_by: str | None
    stop: Stop
    seconds: float = field(compare=False)


class Rows(NamedTuple):
    """Rows that may be separated: ``lower <= matrix · x <= upper``, dense."""

    matrix: Any
    lower: Any
    upper: Any

    def broken(self, x: Sequence[float]) -> list[int]:
        """Return the rows that a point breaks."""
        activity = self.matrix @ np.asarray(x)
        wrong = (activity > self.upper + INTEGER_TOLERANCE) | (activity < self.lower - INTEGER_TOLERANCE)
        return np.flatnonzero(wrong).tolist()

    def terms(self, i: int) -> list[tuple[int, float]]:
        """Return the columns of a row with their coefficients."""
        return [(int(j), float(self.matrix[i, j])) for j in np.flatnonzero(self.matrix[i])]


class Listing(NamedTuple):
    """What a loop with a single model lists: the points of the model that differ in the columns of a key.

    ``least`` columns at least of those that are 1 at a point are 0 at any other; ``rows`` may be separated.
    """

    model: Model
    columns: Sequence[int]
    least: int
    rows: Rows | None


Call = tuple[str, str, Callable[..., Listed], tuple[Any, ...]]
"""A loop: its name, its solver, its function and the arguments."""


@named_keywords
def cut_loops(
    puzzle: Puzzle | Problem,
    settings: Settings = Settings(),
    *,
    separate: str = "",
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> CutLoops:
    """Return what loops cost that list all solutions of a puzzle by cuts. Meant for small puzzles.

    Benders' loops need a puzzle with dominoes, which has layouts.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    settings, deadline, shortcuts
        As for ``solve``. Nothing is filtered first unless ``rules`` requests it.
    separate
        A formulation with the columns of the model's own, such as ``by_kind`` for ``implication``; its rows
        are separated in a second run of each loop with a single model.

    Raises
    ------
    UsageError
        For an unknown formulation, a formulation with other columns, and without SCIP.
    EngineFault
        If loops list different solutions, a solution breaks a rule, or a further one exists.
    """
    begun = time.perf_counter()
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds) as deadline:
        stated = state_model(puzzle, settings, "cut_loops", deadline)
        model, problem = stated.model, stated.prepared.problem
        key, rows = known_key(problem, ""), _rows_of(stated, separate)
        columns, least = model.key_columns(problem.keys[key]).tolist(), problem.least_difference(key)
        calls: list[Call] = [
            (f"{name}{', separating' if some else ''}", solver, work, (Listing(model, columns, least, some),))
            for name, solver, work in LOOPS
            for some in ((None, rows) if rows else (None,))
        ]
        if len(covers_of(problem.constraints)) == 1:
            calls += [
                (f"Benders, {cuts or 'no-good'} cuts", LP_SOLVER, benders, (stated, columns, least, cuts))
                for cuts in (NO_GOOD, RELAXED, MINIMAL)
            ]
        calls.sort(key=lambda call: call[1])  # one process for each solver
        found: list[tuple[CutLoop, list[Point]]] = []
        for _, some in groupby(calls, lambda call: call[1]):
            found += in_own_process(_run, (list(some),), deadline) or []
        stop = Stop.FINISHED if len(found) == len(calls) else deadline.stop or Stop.TIME
        listed: dict[Point, None] | None = None
        for loop, points in found:
            solutions = {tuple(point[v] for v in problem.keys[key]): None for point in points}
            if len(solutions) < len(points) or (listed is not None and solutions.keys() != listed.keys()):
                raise EngineFault(f"{loop.loop} by {loop.solver} lists other solutions than the first loop")
            for point in points:
                stated.prepared.judge(point, loop.solver)
            listed = solutions
        confirmed = None
        if listed is not None:
            claim = Claim("each loop", "", model.formulation)
            confirmed = on_complete(problem, key, len(listed), listed, claim, deadline)
    return CutLoops(
        stated.puzzle.name, model.formulation, separate, key, tuple(loop for loop, _ in found),
        len(listed or ()), confirmed, stop, time.perf_counter() - begun,
    )  # fmt: skip


def _rows_of(stated: PuzzleModel, separate: str) -> Rows | None:
    """Return the rows of another formulation with the same columns. Raises UsageError."""
    if not separate:
        return None
    other, mine = formulate(stated.problem, separate), stated.model
    if other.column_names() != mine.column_names():
        raise UsageError(f"{separate} has other columns than {mine.formulation}: its rows are not its cuts")
    matrix = np.zeros((other.size["rows"], other.size["columns"]))
    matrix[np.repeat(np.arange(len(matrix)), np.diff(other.start)), other.index] = other.value
    return Rows(matrix, other.row_lower, other.row_upper)


# The loops. Each runs in a process of its own and returns what it has cost, with the points.


def _run(calls: Sequence[Call], deadline: Deadline) -> list[tuple[CutLoop, list[Point]]]:
    """Return what loops of one solver have cost, with their points, until the deadline stops one."""
    found = []
    for loop, solver, work, arguments in calls:
        for library in available(solver).requires:
            import_module(library)  # not part of the loop
        begun = time.process_time()
        try:
            counts, points = work(*arguments, deadline)
        except Unfinished:
            break
        spent = time.process_time() - begun
        found.append((CutLoop(loop, solver, len(points), seconds=spent, **counts), points))
    return found


def _restart_highs(listing: Listing, deadline: Deadline) -> Listed:
    """Solve with HiGHS, cut, and solve again."""
    counts, points = Counter[str](), list[Point]()
    programs = Programs(listing.model.to_highspy(), counts)
    while True:
        if listing.rows is not None:
            _separate(programs, listing.rows, counts, deadline)
        if (x := programs.solve(deadline)) is None:
            return counts, points
        points.append(listing.model.decode(x))
        programs.exclude([j for j in listing.columns if x[j] > 0.5], listing.least)


def _separate(programs: Programs, rows: Rows, counts: Counter[str], deadline: Deadline) -> None:
    """Add rows that the relaxation breaks, and solve it again, until it breaks none."""
    solves = counts["solves"]
    while (x := programs.solve(deadline, relaxed=True)) is not None and (broken := rows.broken(x)):
        for i in broken:
            programs.add(rows.lower[i], rows.upper[i], rows.terms(i))
        counts["separated"] += len(broken)
    counts["solves"] = solves


def _restart_scip(listing: Listing, deadline: Deadline) -> Listed:
    """Solve with SCIP, cut, and solve again."""
    counts, points = Counter[str](), list[Point]()
    loaded = LoadedScip(listing.model, Settings(), deadline)
    loaded.switch_off("Presolve")
    if listing.rows is not None:
        separate_rows(loaded, listing.rows, counts)
    while True:
        ending = loaded.run(deadline)
        counts.update(solves=1, nodes=ending.statistics["nodes"], iterations=loaded.scip.getNLPIterations())
        loaded.scip.freeTransform()
        if ending.x is None:
            return _complete(ending.proof, counts, points, deadline)
        points.append(listing.model.decode(ending.x))
        chosen = [(loaded.x[j], 1.0) for j in listing.columns if ending.x[j] > 0.5]
        loaded.scip.addCons(row_of(chosen, None, len(chosen) - listing.least))
        counts.update(cuts=1, terms=len(chosen))


def _one_tree(listing: Listing, deadline: Deadline) -> Listed:
    """Solve with SCIP once; its constraint handler cuts off each solution."""
    counts, points = Counter[str](), list[Point]()
    loaded = LoadedScip(listing.model, Settings(), deadline)
    if listing.rows is not None:
        separate_rows(loaded, listing.rows, counts)

    def note(chosen: list[int]) -> bool:
        vector = np.zeros(len(loaded.x))
        vector[np.asarray(listing.columns)[chosen]] = 1
        points.append(listing.model.decode(vector))
        counts.update(cuts=1, terms=len(chosen))
        return not deadline.stop

    collect_points(loaded.scip, [loaded.x[j] for j in listing.columns], listing.least, note)
    ending = loaded.run(deadline)
    counts.update(solves=1, nodes=ending.statistics["nodes"], iterations=loaded.scip.getNLPIterations())
    return _complete(ending.proof, counts, points, deadline)


def _complete(proof: Proof, counts: Counter[str], points: list[Point], deadline: Deadline) -> Listed:
    """Return the result of a loop in SCIP. Raises Unfinished unless it has proved that nothing is left."""
    if proof is not Proof.INFEASIBLE:
        raise Unfinished("a model was not solved", deadline.stop or Stop.ERROR)
    return counts, points


def separate_rows(loaded: LoadedScip, rows: Rows, counts: Counter[str]) -> None:
    """Let SCIP separate rows at each node, and count those that it adds."""

    def broken_by(x: list[float]) -> list[Row]:
        broken = rows.broken(x)
        counts["separated"] += len(broken)
        return [(rows.lower[i], rows.upper[i], rows.terms(i)) for i in broken]

    include_separator(loaded.scip, loaded.x, broken_by)


LOOPS = (
    ("restarts", LP_SOLVER, _restart_highs),
    ("restarts", CALLBACK_SOLVER, _restart_scip),
    ("one tree", CALLBACK_SOLVER, _one_tree),
)
"""The loops with a single model: name, solver and function."""
