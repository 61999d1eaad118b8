"""Count the solutions of a puzzle exactly, by its decision diagram."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.answer import Stop
from milp_pips.diagram import Diagram, Unfinished, Unsupported, compile_diagram, compile_restricted, projected
from milp_pips.drawing import Drawing, Grid, Note, Square, shade
from milp_pips.errors import UsageError
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Puzzle

MEMORY = 2**30
"""Bytes that the diagrams may take unless told otherwise."""

NODE_BYTES, VIEW_BYTES = 330, 1000
"""Bytes per node, measured: of a diagram in the making, and of its projection."""


WIDTHS = (1000, 300, 100, 30, 10)
"""States at each step of a diagram of some of the solutions, tried in turn for a lower bound."""

SHORT_WALK = 100_000
"""Solutions that are looked at for a lower bound."""


class Count(NamedTuple):
    """How many solutions a puzzle has.

    Parameters
    ----------
    puzzle
        The puzzle.
    counts
        For each key asked for, the number of solutions that differ in it. Where not ``complete``, a number
        that is not known exactly is a lower bound.
    complete
        Whether all numbers are exact.
    stop
        Why counting stopped.
    method
        How it was done.
    seconds
        How long it took.
    cells
        For each variable of the first key, how many solutions give it each value; empty if not asked for.
    """

    puzzle: Puzzle[Any]
    counts: Mapping[str, int]
    complete: bool
    stop: Stop
    method: str
    seconds: float
    cells: Mapping[int, Mapping[int, int]]

    def __str__(self) -> str:
        bound = "" if self.complete else "at least "
        numbers = " and ".join(f"{bound}{n} {key}{'' if n == 1 else 's'}" for key, n in self.counts.items())
        return f"{self.puzzle.name}: {numbers} ({self.method}, {self.seconds:.3f} s)"

    def to_json(self) -> dict[str, Any]:
        """Return the count as JSON-ready data, with ``placements`` and ``grids`` where these were counted."""
        record: dict[str, Any] = {"puzzle": self.puzzle.name}
        record |= {f"{key}s": number for key, number in self.counts.items()}
        record |= {"complete": self.complete, "stop": self.stop.value, "seconds": round(self.seconds, 6)}
        record |= {"method": self.method}
        if self.cells:
            problem = self.puzzle.state()
            record["cells"] = {
                problem.variables[v].name: {problem.written(a): n for a, n in sorted(taken.items())}
                for v, taken in self.cells.items()
            }
        return record


def count(
    puzzle: Puzzle[Any],
    keys: Sequence[str] = (),
    *,
    cells: bool = False,
    memory: int = MEMORY,
    seconds: float | None = None,
    watch: Watch | None = None,
) -> Count:
    """Return the exact numbers of solutions.

    Parameters
    ----------
    puzzle
        A puzzle of any family.
    keys
        What makes two solutions different, such as ``placement`` and ``grid``; empty for all keys.
    cells
        Whether to count as well how often each variable of the ``grid`` takes each value.
    memory
        Bytes that the diagrams may take, roughly; what does not fit is given as a lower bound.
    seconds, watch
        Time limit, or a watch that is running already.

    Raises
    ------
    UsageError
        For a key that the puzzle does not have.
    """
    watch = watch or Watch(seconds)
    begun = time.perf_counter()
    problem = puzzle.state()
    asked = keys or list(problem.keys)
    for key in asked:
        known_key(problem, key)
    counts: dict[str, int] = {}
    stop, method, marginals = Stop.FINISHED, "decision diagram", dict[int, Mapping[int, int]]()
    diagram: Diagram | None = None
    try:
        diagram = compile_diagram(problem, memory // NODE_BYTES, watch)
        if cells:
            taken = diagram.marginals()
            marginals = {v: taken[v] for v in problem.keys.get("grid", diagram.variables)}
        for key in sorted(asked, key=lambda key: -len(problem.keys[key])):  # the cheapest first
            counts[key] = view(diagram, problem, key, memory, watch).count
    except (Unfinished, Unsupported) as reason:
        stop = reason.stop if isinstance(reason, Unfinished) else Stop.ERROR
        method = f"lower bound: {reason}"
        if diagram is None:
            diagram = _restricted(problem, memory // NODE_BYTES, watch)
        for key in asked:
            if key not in counts:
                counts[key] = _at_least(puzzle, problem, key, diagram, memory, watch)
    return Count(
        puzzle,
        {key: counts[key] for key in asked},
        stop is Stop.FINISHED,
        stop,
        method,
        time.perf_counter() - begun,
        marginals,
    )


def view(diagram: Diagram, problem: Problem, key: str, memory: int, watch: Watch) -> Diagram:
    """Return the diagram whose paths are the solutions that differ in the key. Raises Unfinished."""
    return projected(diagram, problem.keys[key], memory // VIEW_BYTES, watch)


def whole(problem: Problem, variables: Sequence[int], values: Sequence[int]) -> tuple[int, ...]:
    """Return an assignment with these values of these variables, and -1 for the others."""
    if len(variables) == len(problem.variables):
        return tuple(values)
    value = dict(zip(variables, values, strict=True))
    return tuple(value.get(v, -1) for v in range(len(problem.variables)))


def known_key(problem: Problem, key: str) -> str:
    """Return the key, or the default key for the empty text. Raises UsageError for an unknown one."""
    if not key:
        return next(iter(problem.keys))
    if key not in problem.keys:
        raise UsageError(f"unknown key {key!r}; known: {', '.join(problem.keys)}")
    return key


def heat_map(result: Count) -> Drawing:
    """Return the board with each cell's most frequent value, shaded by how often it takes it.

    A cell that takes one value in all solutions is as dark as can be. Raises UsageError where the cells were
    not counted, or the board is no grid.
    """
    problem = result.puzzle.state()
    squares: dict[tuple[int, int], Square] = {}
    for v, taken in result.cells.items():
        place = re.fullmatch(r"r(\d+)c(\d+)", problem.variables[v].name)
        if place is None:
            raise UsageError(f"{result.puzzle.name} is no grid: its cells have no places to draw")
        total = sum(taken.values())
        value = max(taken, key=lambda a: (taken[a], -a), default=None)
        text = (
            ""
            if value is None
            else problem.written(value) + ("" if len(taken) == 1 else f" {100 * taken[value] // total}%")
        )
        fill = "" if value is None else shade(taken[value] / total)
        squares[int(place[1]) - 1, int(place[2]) - 1] = Square(text, fill=fill)
    if not squares:
        raise UsageError("the cells have not been counted")
    forced = sum(len(taken) == 1 for taken in result.cells.values())
    note = Note("forced", (f"{forced} of {len(result.cells)} cells take one value in all solutions",))
    return Drawing(f"{result.puzzle.name}: how often", Grid(squares), (note,))


def _restricted(problem: Problem, nodes: int, watch: Watch) -> Diagram | None:
    """Return a diagram of some of the solutions, or None where none are found that way."""
    for width in WIDTHS:
        try:
            diagram = compile_restricted(problem, width, nodes, watch)
        except (Unfinished, Unsupported):
            continue
        if diagram.count:
            return diagram
    return None


def _at_least(
    puzzle: Puzzle[Any], problem: Problem, key: str, diagram: Diagram | None, memory: int, watch: Watch
) -> int:
    """Return a lower bound: what a diagram of some solutions counts; else one if an engine finds one."""
    if diagram is not None:
        with suppress(Unfinished):  # else what is seen on a short walk
            return view(diagram, problem, key, memory, watch).count
        place = {v: i for i, v in enumerate(diagram.variables)}
        compared = [place[v] for v in problem.keys[key]]
        walked = islice(diagram.assignments(), SHORT_WALK)
        return len({tuple(point[i] for i in compared) for point in walked})
    from milp_pips.solving import solve

    return 1 if not watch.stop and solve(puzzle, watch=watch).status == "solved" else 0
