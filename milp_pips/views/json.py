"""Results as JSON-ready data.

The members of a record are the fields of its result; a record with other members is a ``TypedDict``.
``milp_pips.views.schema`` makes the JSON Schemas from both, with the sentence below each field or member.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import singledispatch
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypeAlias, TypedDict

from milp_pips.problem.answer import NEVER, UNLESS_DEFAULT, Stop
from milp_pips.problem.answer import Natural as Natural
from milp_pips.problem.answer import Seconds as Seconds
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.tasks.pipeline import state
from milp_pips.tasks.results import Count, Optimum, Result, Summary

if TYPE_CHECKING:
    from milp_pips.compilation.estimating import Estimate

Value: TypeAlias = int | str
"""A value: a number, or the puzzle's symbol for it."""

Grid: TypeAlias = list[list[int | str | None]]


@singledispatch
def record(result: Any) -> dict[str, Any]:
    """Return the result as JSON-ready data: a member for each field.

    Metadata of a field may leave it out, see ``milp_pips.problem.answer``.
    """
    found = {}
    for field in fields(result):
        value = getattr(result, field.name)
        is_omitted = field.metadata == UNLESS_DEFAULT and value == field.default
        if not is_omitted and field.metadata != NEVER:
            found[field.name] = plain(value)
    return found


def plain(value: Any) -> Any:
    """Return a value of a field as JSON-ready data; floats are rounded, and None if they are not finite."""
    if isinstance(value, Puzzle):
        return value.name
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    if is_dataclass(value):
        return record(value)
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return list(map(plain, value)) if isinstance(value, list | tuple) else value


def members(declared: type, result: Any, **own: Any) -> dict[str, Any]:
    """Return the members that a record declares: the given ones, and else the attributes of the result."""
    names = declared.__annotations__
    return {name: own[name] if name in own else plain(getattr(result, name)) for name in names}


class Fault(TypedDict):
    """What is printed of a puzzle on which an engine fails."""

    puzzle: str
    """The name of the puzzle."""
    status: Literal["error"]
    fault: str
    """How the engine failed."""


# The records of solutions, as the families write them.


class PlacedDomino(TypedDict):
    """A domino on the board."""

    pips: tuple[int, int]
    cells: tuple[list[int] | str | int, list[int] | str | int]
    """The cells of its two halves: [row, column], counted from 0, or the names of the cells."""


class GridSolution(TypedDict):
    """A solution on a grid."""

    grid: Grid
    """The values of the board row by row; null for a place without a cell."""
    dominoes: NotRequired[list[PlacedDomino]]
    """The place of each domino."""


class NamedSolution(TypedDict):
    """A solution on a board that is not a grid."""

    values: dict[str, Value]
    """The value of each cell, by name."""
    dominoes: NotRequired[list[PlacedDomino]]
    """The place of each domino."""


Solution: TypeAlias = GridSolution | NamedSolution
SampleLine: TypeAlias = Solution | Fault


# The record of ``solve``.


class SolverName(TypedDict):
    """A solver and its version."""

    name: str
    """Name of the solver that answered."""
    version: str
    """The version of its engine; empty if unknown."""


class SolveSeconds(TypedDict):
    """The seconds of the phases; those of an engine may have other names."""

    total: Seconds
    """Seconds spent until the solution was found and checked."""
    read: NotRequired[Seconds]
    build: NotRequired[Seconds]
    solve: NotRequired[Seconds]
    count: NotRequired[Seconds]
    """Seconds spent on the search for other solutions, which follows."""


class _SolveRecord(TypedDict):
    puzzle: str
    """The name of the puzzle."""
    family: str
    """The family of the puzzle."""
    status: Literal["solved", "infeasible", "dead", "unknown", "error"]
    """infeasible: the puzzle has no solution, confirmed. dead: no solution contains the board, confirmed.
    unknown: no answer. error: the engine failed."""
    stop: Stop
    """The stopping criterion."""
    solver: SolverName
    formulation: str
    """The formulation of the model."""
    solutions: Natural | None
    """Number of solutions that contain the board, if any; null if not known."""
    at_least: Natural | None
    """A lower bound for the number of solutions."""
    distinct: str | None
    """The key by which these solutions are different; null if no other solution was searched."""
    model: dict[str, int]
    """Columns, rows and nonzeros of the model, if there was one."""
    statistics: dict[str, float]
    """The counters of the engine."""
    seconds: SolveSeconds
    """Seconds spent."""
    confirmed_by: str | None
    """What confirmed that there is no solution, or no other one; null if nothing did or had to."""
    remark: str
    """One sentence that the user must know, or empty."""
    fault: str
    """Which engines contradict each other, or how the engine failed; else empty."""
    objective: NotRequired[Optimum]
    """The objective, if there is one."""
    proof: NotRequired[Literal["optimal", "feasible"]]
    """With an objective: whether it is proven, and confirmed, that no solution is better."""
    broken: NotRequired[list[str]]
    """With soft rules: those that the solution breaks."""


class SolvedOnGrid(_SolveRecord):
    """The result for a puzzle on a grid, or without a solution."""

    grid: Grid | None
    """The values of the board row by row; null for a place without a cell, and without a solution."""
    dominoes: NotRequired[list[PlacedDomino]]
    """The place of each domino."""


class SolvedByName(_SolveRecord, NamedSolution):
    """The result for a puzzle on a board that is not a grid."""


SolveLine: TypeAlias = SolvedOnGrid | SolvedByName | Fault


@record.register(Result)
def _(result: Result) -> dict[str, Any]:
    solution: dict[str, Any] = {"grid": None}
    if result.solution is not None:
        solution = family_of(result.puzzle).to_json(result.puzzle, result.solution)
    objective: dict[str, Any] = {}
    if (optimum := result.objective) is not None:
        proof = "optimal" if optimum.is_optimal else "feasible"
        objective = {"objective": record(optimum), "proof": proof}
    return {
        "puzzle": result.puzzle.name,
        "family": result.puzzle.family,
        "status": result.status,
        "stop": result.stop.value,
        "solver": {"name": result.solver, "version": result.version},
        "formulation": result.formulation,
        **solution,
        "solutions": result.others.solutions,
        "at_least": result.others.at_least,
        "distinct": result.others.key or None,
        "model": dict(result.size),
        "statistics": dict(result.statistics),
        "seconds": {name: round(spent, 6) for name, spent in result.seconds.items()},
        "confirmed_by": result.confirmed_by
        or result.others.confirmed_by
        or (result.objective and result.objective.confirmed_by),
        "remark": result.remark,
        "fault": result.fault,
        **objective,
        **({"broken": list(result.broken)} if result.broken else {}),
    }


@record.register(Optimum)
def _(optimum: Optimum) -> dict[str, Any]:
    """Return the members with exact numbers."""
    return {name: getattr(optimum, name) for name in ("sense", "expression", "value", "bound")}


# The record of ``count``.


class CountRecord(TypedDict):
    """A key of another family is a member in the plural, as placements is for placement."""

    puzzle: str
    """The name of the puzzle."""
    placements: NotRequired[Natural | None]
    """Number of solutions that differ in where the dominoes lie; null if it is not known."""
    grids: NotRequired[Natural | None]
    """Number of solutions that differ in the values on the board; null if it is not known."""
    complete: bool
    """Whether all numbers are known; at_least has lower bounds of the others."""
    stop: Stop
    """The stopping criterion."""
    seconds: Seconds
    """Wall-clock seconds."""
    method: str
    """How the solutions were counted, or why not all numbers are known."""
    at_least: NotRequired[dict[str, int]]
    """Lower bounds of the numbers that are not known."""
    estimate: NotRequired[dict[str, Estimate]]
    """Estimates by random samples of the numbers that are not known."""
    confirmed_by: NotRequired[str]
    """What confirmed the answer, if something did."""
    cells: NotRequired[dict[str, dict[str, int]]]
    """For each cell, how many solutions give it each value (--cells)."""
    objective: NotRequired[Optimum]
    """The optimum, if only solutions near it are counted (--within)."""


CountLine: TypeAlias = CountRecord | Fault


@record.register(Count)
def _(count: Count) -> dict[str, Any]:
    """Return the count with a member for each key, which is None if that number is not known."""
    line: dict[str, Any] = {"puzzle": count.puzzle.name}
    line |= {f"{key}s": number for key, number in count.counts.items()}
    line |= {"complete": count.complete, "stop": count.stop.value, "seconds": round(count.seconds, 6)}
    line |= {"method": count.method}
    if count.at_least:
        line["at_least"] = {f"{key}s": number for key, number in count.at_least.items()}
    if count.estimates:
        line["estimate"] = {f"{key}s": record(found) for key, found in count.estimates.items()}
    if count.confirmed_by:
        line["confirmed_by"] = count.confirmed_by
    if count.cells:
        problem = state(count.puzzle)
        place = {variable.name: v for v, variable in enumerate(problem.variables)}
        line["cells"] = {
            name: {problem.written(a, place[name]): n for a, n in sorted(taken.items())}
            for name, taken in count.cells.items()
        }
    if count.objective is not None:
        line["objective"] = record(count.objective)
    return line


# The record of ``enumerate``.


class ListedOnGrid(GridSolution):
    """A solution on a grid, in a list."""

    objective: NotRequired[int]
    """The value of the objective (--best, --within)."""


class ListedByName(NamedSolution):
    """A solution on a board that is not a grid, in a list."""

    objective: NotRequired[int]
    """The value of the objective (--best, --within)."""


class LastLine(TypedDict):
    """The line after the solutions."""

    summary: Summary


EnumerateLine: TypeAlias = ListedOnGrid | ListedByName | LastLine | Fault


# The record of ``check``.


class Item(TypedDict):
    """A rule or a value that a solution must satisfy."""

    kind: str
    """The kind of the item, such as rule, given, dominoes or move."""
    label: NotRequired[str]
    """The rule, in the player's words."""
    cells: NotRequired[list[str]]
    """Names of cells."""
    part: NotRequired[str | None]
    """The half of the rule that counts, such as at least; null for the whole rule."""
    pips: NotRequired[list[int]]
    """The pips of a kind of domino."""
    times: NotRequired[int]
    """The number of these dominoes."""
    domino: NotRequired[bool]
    """Whether a domino lies on the two cells."""
    values: NotRequired[list[Value]]


class Clash(TypedDict):
    """Items that cannot all hold together."""

    items: list[Item]
    minimal: bool
    """Whether the set is minimal: no item can be left out."""
    smallest: bool
    """Whether it is proven that no smaller set of items clashes."""
    confirmed_by: str | None
    """What confirmed the answer; null if nothing did or had to."""
    sentence: str
    """The text in plain words."""


class CheckRecord(TypedDict):
    """The verdict on a solution or a board."""

    puzzle: str
    """The name of the puzzle."""
    right: bool | None
    """Whether the solution is right, or some solution contains the board; null for no answer."""
    broken: str
    """The first rule that the solution breaks, why no solution contains the board, or why there is no answer;
    else empty."""
    status: Literal["right", "right so far", "wrong", "dead", "unknown"]
    """right so far: cells are open, and some solution contains the board. dead: no solution contains the
    board, although each value and domino on it is in some solution, or the puzzle has no solution."""
    confirmed_by: str | None
    """What confirmed the answer; null if nothing did or had to."""
    reason: Clash | None
    """The items that clash with the board; null if unknown, and for solutions."""


CheckLine: TypeAlias = CheckRecord | Fault


# The record of ``solvers``.


class SolverRecord(TypedDict):
    """A solver, and whether it can run."""

    name: str
    """The name that --solver takes."""
    kind: str
    """mip, cp, sat or search; empty if the solver cannot be loaded."""
    version: str
    """The version of its engine."""
    available: bool
    """Whether the solver can run on this machine."""
    reason: str
    """Why it cannot run; else empty."""
    features: list[str]
    """The features of the solver."""


SolversLine: TypeAlias = list[SolverRecord]
