"""A puzzle stated as a 0-1 model, with the meaning of each column in the words of the puzzle."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from milp_pips.compilation.limits import Unfinished
from milp_pips.constraints import DominoCover, covers_of
from milp_pips.engines.defaults import LP_SOLVER
from milp_pips.engines.registry import available
from milp_pips.formulations.milp import ways_to_state
from milp_pips.formulations.milp.draft import formulate
from milp_pips.problem.answer import Settings, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.objective import Objective
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.family import family_of
from milp_pips.runtime.interruptible import build_interruptibly
from milp_pips.tasks.pipeline import prepare, puzzle_of
from milp_pips.tasks.query import Prepared, Query, Run

if TYPE_CHECKING:
    from milp_pips.engines.contract import Relaxed, Relaxing
    from milp_pips.formulations.milp.model import EncodedModel
    from milp_pips.puzzles.puzzle import Puzzle

Pair = tuple[int, int]
"""A variable of the problem, by its position, and a value of its domain."""

INTEGER_TOLERANCE = 1e-6
"""The tolerance for whole numbers at a vertex: HiGHS's own tolerance for integers."""


def rounded(y: float) -> float:
    """Return a number without the noise of the simplex method, and 0 without a sign."""
    return round(y, 9) + 0.0


def formulations_of(problem: Problem) -> list[str]:
    """Return all formulations of the problem: a linearisation for every constraint with alternatives.

    If no class has alternatives of its own, these are those from extras and from other packages.
    """
    kinds = dict.fromkeys(type(constraint) for constraint in problem.constraints)
    several = [kind for kind in kinds if len(kind.linearisations) > 1]
    ways = dict.fromkeys(tuple(ways_to_state(kind)) for kind in several or kinds if kind.linearisations)
    return [",".join(names) for names in product(*ways)]


def fractional_columns(x: Sequence[float]) -> list[int]:
    """Return the columns that are neither 0 nor 1, within the engines' tolerance; none at a solution."""
    return [j for j, y in enumerate(x) if min(y, 1 - y) > INTEGER_TOLERANCE]


def cells_of(problem: Problem) -> tuple[int, ...]:
    """Return the variables that a person sees filled in: those of the key ``grid``, otherwise all."""
    return problem.keys.get("grid", problem.answer_variables)


def pairs_of(problem: Problem) -> list[Pair]:
    """Return the cells with each value of their domains."""
    return [(v, a) for v in cells_of(problem) for a in problem.variables[v].domain]


class PlacedDomino(NamedTuple):
    """A kind of domino, the cell of its first pip, and the other cell."""

    kind: Pair
    one: int
    other: int


@dataclass(frozen=True)
class PuzzleModel:
    """A puzzle and a 0-1 model of it.

    Parameters
    ----------
    prepared
        The puzzle with its problem, filtered by the rules that the settings name, if any.
    model
        The model of the filtered problem.
    """

    prepared: Prepared
    model: EncodedModel = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        prepared = self.prepared  # a family's functions cannot be pickled
        return _restate, (prepared.puzzle, prepared.problem, prepared.filtered, self.model)

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle."""
        return self.prepared.puzzle

    @property
    def problem(self) -> Problem:
        """The filtered problem, which the model states."""
        return self.prepared.filtered

    @cached_property
    def columns_of(self) -> Mapping[Pair, tuple[int, ...]]:
        """The columns whose sum is 1 if and only if a variable has a value."""
        model = self.model
        names = list(zip(model.pair_variables.tolist(), model.pair_values.tolist(), strict=True))
        found: dict[Pair, list[int]] = {pair: [] for pair in names}
        for pair, column in zip(model.pairs.tolist(), model.pair_columns.tolist(), strict=True):
            found[names[pair]].append(column)
        return {pair: tuple(columns) for pair, columns in found.items()}

    def others(self, variable: int, values: Collection[int]) -> tuple[int, ...]:
        """Return the columns that are 0 if the variable has one of these values."""
        domain = self.problem.variables[variable].domain
        return tuple(c for a in domain if a not in values for c in self.columns_of[variable, a])

    def shares(self, x: Sequence[float], variables: Iterable[int]) -> dict[int, dict[int, float]]:
        """Return, by variable and value, the share from 0 to 1 that a vector gives to (variable = value)."""
        domains = [variable.domain for variable in self.problem.variables]
        return {v: {a: sum(x[c] for c in self.columns_of[v, a]) for a in domains[v]} for v in variables}

    @cached_property
    def places(self) -> dict[int, PlacedDomino]:
        """The columns that place a domino."""
        number = {variable.name: v for v, variable in enumerate(self.problem.variables)}
        found = {}
        for family in self.model.column_families:
            for column, label in enumerate(family.labels() if family.name == "place" else (), family.first):
                a, b, one, other = label
                found[column] = PlacedDomino((int(a), int(b)), number[str(one)], number[str(other)])
        return found

    @cached_property
    def meanings(self) -> list[str]:
        """The meaning of each column at 1, in the words of the puzzle; its name if it has no such meaning."""
        return self._meanings_at("=", "")

    @cached_property
    def negated_meanings(self) -> list[str]:
        """The meaning of each column at 0."""
        return self._meanings_at("≠", "no ")

    def _meanings_at(self, sign: str, no: str) -> list[str]:
        problem = self.problem
        meanings = [f"{no}{name}" for name in self.model.column_names()]
        for (v, a), columns in self.columns_of.items():
            if len(columns) == 1:
                meanings[columns[0]] = f"{problem.variables[v].name} {sign} {problem.written(a)}"
        for column, ((a, b), one, other) in self.places.items():
            ends = "─".join(problem.variables[v].name for v in (one, other))
            meanings[column] = f"{no}{a}-{b} on {ends}"
        return meanings

    def relax(self, *, cuts: bool = False) -> Relaxed:
        """Return the LP relaxation, loaded; with ``cuts`` the root node of branch and cut."""
        return cast("Relaxing", available(LP_SOLVER)).relax(self.model, cuts=cuts)

    def variable(self, name: str) -> int:
        """Return the position of the variable of this name. Raises UsageError."""
        for v, variable in enumerate(self.problem.variables):
            if variable.name == name:
                return v
        known = ", ".join(variable.name for variable in self.problem.variables[:3])
        raise UsageError(f"{self.puzzle.name} has no cell {name!r}; it has {known}, …")

    def value(self, variable: int, written: str) -> int:
        """Return the value of a variable that this text denotes. Raises UsageError."""
        domain = self.prepared.problem.variables[variable].domain
        for value in domain:
            if written in (str(value), self.problem.written(value, variable)):
                return value
        known = ", ".join(self.problem.written(value, variable) for value in domain)
        raise UsageError(f"{self.problem.variables[variable].name} cannot be {written!r}, only {known}")


def _restate(puzzle: Puzzle, problem: Problem, filtered: Problem, model: EncodedModel) -> PuzzleModel:
    return PuzzleModel(
        Prepared(puzzle, family_of(puzzle), problem, filtered, "", 0.0, len(problem.variables)), model
    )


def fact_text(problem: Problem, variable: int, values: Collection[int]) -> str:
    """Return in the usual notation that a variable has one of the values: ``r1c1 = 3 or 5``.

    If fewer values of its domain are left out, the text names these: ``r1c1 ≠ 0``. A partner variable is
    written as the edge: ``r1c1─r1c2``.
    """
    names, domain = problem.variables, problem.variables[variable].domain
    without = [a for a in domain if a not in values]
    for cover in covers_of(problem.constraints):
        if variable in cover.partners:
            end = cover.partners.index(variable)
            if 0 < len(without) < len(values):
                return "no " + " or ".join(edge(problem, cover, end, other) for other in without)
            return " or ".join(edge(problem, cover, end, other) for other in values)
    if 0 < len(without) < len(values):
        return f"{names[variable].name} ≠ " + ", ".join(map(problem.written, without))
    return f"{names[variable].name} = " + (" or ".join(map(problem.written, values)) or "nothing")


def edge(problem: Problem, cover: DominoCover, one: int, other: int) -> str:
    """Return two cells of a cover, the earlier one first, as an edge: ``r1c1─r1c2``."""
    ends = (problem.variables[cover.values[i]].name for i in sorted((one, other)))
    return "─".join(ends)


def stated_cost(objective: Objective | None, cost: float | None) -> float | None:
    """Return the value of the objective that a cost or a bound means; None if either is not known."""
    if objective is None or cost is None or abs(cost) == inf:
        return None
    return (objective.constant + objective.sign * cost) / objective.scale


def state_model(
    puzzle: Puzzle | Problem,
    settings: Settings,
    task: str,
    deadline: Deadline,
    maximise: str = "",
    minimise: str = "",
) -> PuzzleModel:
    """Return the puzzle stated as a 0-1 model, filtered only by rules that the settings name.

    ``maximise`` and ``minimise`` are an objective in words.

    Raises UsageError for an unknown formulation or rule, for two objectives, and if filtering refutes the
    puzzle; Unfinished if the deadline stops it.
    """
    if maximise and minimise:
        raise UsageError("there is only one objective: either maximise or minimise")
    run = Run("", settings.changed(rules=settings.rules or ()), deadline)
    query = Query(puzzle_of(puzzle, task), maximise=maximise or None, minimise=minimise or None)
    prepared = prepare(query, run)
    if prepared.refutation:
        raise UsageError(f"{prepared.puzzle.name}: filtering refutes it: {prepared.refutation}")
    model = build_interruptibly(lambda: formulate(prepared.filtered, settings.formulation), deadline)
    if model is None:
        raise Unfinished("the model was not stated in time", deadline.stop or Stop.INTERRUPTED)
    return PuzzleModel(prepared, model)
