"""Draw the linear relaxation on the board: the shares of values and dominoes at a vertex."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Unpack

from milp_pips.constraints import covers_of
from milp_pips.extras.lab.puzzle_model import (
    INTEGER_TOLERANCE,
    PuzzleModel,
    cells_of,
    fact_text,
    fractional_columns,
    rounded,
    state_model,
    stated_cost,
)
from milp_pips.extras.lab.relax_model import ModelRelaxation, relax_model
from milp_pips.problem.answer import Proof, Settings, Shortcuts, Stop, TaskResult
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.linear import LinearPuzzle
from milp_pips.tasks.pipeline import puzzle_of, settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle


class PricedRow(NamedTuple):
    """A row of the model, the side at which it holds, and its price (dual value)."""

    name: str
    side: float
    price: float


@dataclass(frozen=True)
class Relaxation(TaskResult):
    """A vertex of the linear relaxation of a puzzle's model, or the proof that the relaxation is empty.

    Parameters
    ----------
    stated
        The puzzle and its model.
    fixed
        The values that were fixed, in the words of the puzzle.
    x
        The vertex, shape (columns,); None if the relaxation is empty, or if ``stop`` states why nothing is
        known.
    stop
        The stopping criterion.
    seconds
        The time taken.
    bound
        With an objective, its value at the vertex, the bound of all solutions; otherwise None.
    prices
        With an objective, for each variable that is not fixed, its values with a reduced cost: by how much
        at least the objective of a solution with this value is worse than the bound.
    row_prices
        With an objective, the dual values of the rows that have one, by name: by how much the bound grows
        with one more unit of the row's side.
    """

    stated: PuzzleModel = field(repr=False)
    fixed: tuple[str, ...]
    x: tuple[float, ...] | None = field(repr=False)
    stop: Stop
    seconds: float
    bound: float | None = None
    prices: Mapping[int, Mapping[int, float]] = field(repr=False, default_factory=dict)
    row_prices: Mapping[str, float] = field(repr=False, default_factory=dict)

    @property
    def status(self) -> str:
        """``fractional``, ``integral``, ``infeasible`` or ``unknown``."""
        if self.x is None:
            return "infeasible" if self.stop is Stop.FINISHED else "unknown"
        return "fractional" if fractional_columns(self.x) else "integral"

    @property
    def has_vertex(self) -> bool:
        """Whether there is a vertex to look at."""
        return self.x is not None

    @property
    def columns(self) -> dict[str, float]:
        """The nonzero columns, by their names in the model."""
        names = self.stated.model.column_names()
        return {
            name: rounded(y) for name, y in zip(names, self.x or (), strict=False) if y > INTEGER_TOLERANCE
        }

    @property
    def values(self) -> dict[str, dict[int, float]]:
        """The nonzero share of each value, by the name of the cell."""
        if self.x is None:
            return {}
        problem = self.stated.problem
        shares = self.stated.shares(self.x, cells_of(problem))
        return {
            problem.variables[v].name: {a: rounded(y) for a, y in taken.items() if y > INTEGER_TOLERANCE}
            for v, taken in shares.items()
        }

    @property
    def cell_prices(self) -> dict[str, dict[str, float]]:
        """The values with a price, as written, by the name of the cell."""
        problem = self.stated.problem
        return {
            problem.variables[v].name: {problem.written(a, v): y for a, y in prices.items()}
            for v in cells_of(problem)
            if (prices := self.prices.get(v))
        }

    @property
    def edge_prices(self) -> dict[tuple[str, str], float]:
        """The prices of dominoes across two cells."""
        problem = self.stated.problem
        return {
            (problem.variables[cover.values[i]].name, problem.variables[cover.values[j]].name): y
            for cover in covers_of(problem.constraints)
            for i, v in enumerate(cover.partners)
            for j, y in self.prices.get(v, {}).items()
            if i < j
        }

    @property
    def priced_rows(self) -> list[PricedRow]:
        """The rows with a price, in the order of the model; prices times sides add up to the bound.

        At an optimal vertex such a row holds with equality, so it has a side (complementary slackness).
        """
        named = {row.name: row for row in self.stated.model.rows} if self.row_prices else {}
        found = []
        for name, price in self.row_prices.items():
            row = named[name]
            total = sum(float(times) * (self.x or ())[j] for j, times in row.terms.items())
            sides = [float(side) for side in (row.low, row.high) if side is not None]
            _, side = min((abs(side - total), side) for side in sides)
            found.append(PricedRow(name, side, price))
        return found

    @property
    def dominoes(self) -> dict[tuple[str, str], dict[tuple[int, int], float]]:
        """The nonzero share of each domino, by its two cells; the first pip lies on the first cell."""
        names = [variable.name for variable in self.stated.problem.variables]
        found: dict[tuple[str, str], dict[tuple[int, int], float]] = {}
        for ends, kind, y in sorted(placed_dominoes(self.stated, self.x or ())):
            laid = found.setdefault((names[ends[0]], names[ends[1]]), {})
            laid[kind] = rounded(laid.get(kind, 0.0) + y)
        return found


@named_keywords
def relax(
    puzzle: Puzzle | Problem,
    settings: Settings = Settings(),
    *,
    fix: Mapping[str, object] = {},
    maximise: str = "",
    minimise: str = "",
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Relaxation | ModelRelaxation:
    """Return a vertex of the linear relaxation of a puzzle's 0-1 model, or of a linear model.

    Without an objective, of the many vertices it is the first one that the simplex method reaches.

    Parameters
    ----------
    puzzle
        A puzzle of any family, a bare problem, or a linear model of a file or a library: of that, the vertex
        is an optimal one of its own objective.
    settings, deadline, shortcuts
        As for ``solve``; ``formulation`` names the formulation, empty for the one that suits the size.
        Nothing is filtered first unless ``rules`` requests it.
    fix
        Values to fix in cells, by name: what the relaxation still allows if ``r1c1`` is 3. A value that no
        solution has shows where the relaxation is too weak.
    maximise, minimise
        An objective in words; with one, the vertex is optimal, and there are ``bound`` and ``prices``.

    Raises
    ------
    UsageError
        For an unknown formulation, cell or value, for a puzzle that the named rules refute, and for a linear
        model with another objective, a fixed cell or a formulation.
    Unfinished
        If the deadline stops it before the model is stated.
    EngineFault
        If an integral vertex breaks a rule.
    """
    begun = time.perf_counter()
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds) as deadline:
        given = puzzle_of(puzzle, "relax")
        if isinstance(given, LinearPuzzle):
            if fix or maximise or minimise or settings.formulation:
                raise UsageError(
                    f"{given.name} is a linear model: it is relaxed with its own objective and rows"
                )
            return relax_model(given.given or given.model, settings, deadline)
        stated = state_model(puzzle, settings, "relax", deadline, maximise, minimise)
        chosen = {v: stated.value(v, str(a)) for v, a in ((stated.variable(n), a) for n, a in fix.items())}
        # fix a value: bound the columns of all other values of its variable to 0
        relaxed = stated.relax()
        for v, a in chosen.items():
            relaxed.bound(stated.others(v, (a,)), 0, 0)
        ending = relaxed.run(deadline)
    if ending.stop is Stop.ERROR:
        raise EngineFault(f"the relaxation of {stated.puzzle.name} failed: {ending.message}")
    proven = ending.proof in (Proof.FEASIBLE, Proof.INFEASIBLE)
    x = None if ending.point is None else tuple(ending.point)
    # A vertex without fractions claims to be a solution, so it is judged as one.
    if x is not None and not fractional_columns(x):
        stated.prepared.judge(stated.model.decode(x), "the relaxation")
    fixed = tuple(fact_text(stated.prepared.problem, v, (a,)) for v, a in chosen.items())
    stop = Stop.FINISHED if proven else ending.stop
    bound, prices, row_prices = None, dict[int, dict[int, float]](), dict[str, float]()
    costs, objective = stated.model.arrays.costs, stated.problem.objective
    if x is not None and costs is not None and objective is not None and proven:
        cost = sum(c * y for c, y in zip(costs.tolist(), x, strict=True))
        bound = stated_cost(objective, rounded(cost))
        # What is fixed has no price: its other values were excluded by hand, not by the objective.
        free = set(stated.problem.answer_variables) - chosen.keys()
        prices = _prices(stated, [cost / objective.scale for cost in relaxed.reduced_costs()], free)
        of_rows = [rounded(objective.sign * price / objective.scale) for price in relaxed.row_prices()]
        row_prices = {name: y for name, y in zip(stated.model.row_names(), of_rows, strict=True) if y}
    return Relaxation(stated, fixed, x, stop, time.perf_counter() - begun, bound, prices, row_prices)


def _prices(
    stated: PuzzleModel, reduced: Sequence[float], variables: Collection[int]
) -> dict[int, dict[int, float]]:
    """Return, for each of these variables, its values with a price, given the reduced costs of all columns.

    A solution with a value has exactly one of the value's columns at 1. By duality a column at 1 costs at
    least its reduced cost, so the value costs at least the least reduced cost of its columns.
    """
    prices: dict[int, dict[int, float]] = {v: {} for v in sorted(variables)}
    for (v, a), columns in stated.columns_of.items():
        price = min(reduced[j] for j in columns)
        if v in prices and price > INTEGER_TOLERANCE:
            prices[v][a] = rounded(price)
    return prices


class PlacedDomino(NamedTuple):
    """Two cells, the earlier one first, their pips, and the share of the domino."""

    cells: tuple[int, int]
    pips: tuple[int, int]
    share: float


def placed_dominoes(stated: PuzzleModel, x: Sequence[float]) -> Iterator[PlacedDomino]:
    """Yield the dominoes with a share."""
    for column, ((a, b), one, other) in stated.places.items():
        if column < len(x) and x[column] > INTEGER_TOLERANCE:
            ends, kind = ((one, other), (a, b)) if one < other else ((other, one), (b, a))
            yield PlacedDomino(ends, kind, x[column])
