"""The family of linear models, of files (MPS, LP, OPB, CNF) and of modelling libraries, as puzzles.

Their solutions differ in chosen integer columns, all of them by default. The other columns are projected
away: one value each that goes with the chosen ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from typing import Any, ClassVar

from milp_pips.formulations.exact import stated
from milp_pips.formulations.linear_problem import LinearProblem
from milp_pips.formulations.model import Model
from milp_pips.problem.constraint import Assignment
from milp_pips.problem.errors import InputError, visible
from milp_pips.problem.problem import Problem
from milp_pips.puzzles.bare import draw_rows, first_values
from milp_pips.puzzles.family import Family, Format
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.vocabulary import Drawing

MOST_NAMED = 20
"""The most missed bounds and rows that a message names."""

MANY_COLUMNS = 20
"""The most columns of a drawing that shows also those which are 0."""


@dataclass(frozen=True)
class LinearPuzzle(Puzzle):
    """A linear model as a puzzle; ``over`` are the positions of the columns in which solutions differ.

    ``source`` is the text of its MPS file, if it comes from one. ``given`` is the model without the bounds
    that rows imply; None if it has none of these.
    """

    family: ClassVar[str] = "linear-model"
    published: ClassVar[None] = None
    is_model: ClassVar[bool] = True

    model: Model
    over: tuple[int, ...] = ()
    name: str = "model"
    source: str = field(default="", repr=False, compare=False)
    given: Model | None = field(default=None, repr=False, compare=False)

    def bounded(self, tighter: Callable[[Model], Model]) -> LinearPuzzle:
        """Return the same model with bounds of integer columns from a function, if it gives some.

        Solutions also differ in these columns, unless others were chosen.
        """
        model = tighter(self.model)
        if model is self.model:
            return self
        over = _bounded_columns(model) if self.over == _bounded_columns(self.model) else self.over
        return replace(self, model=model, over=over, given=self.given or self.model)

    def choosing(self, over: Any) -> LinearPuzzle:
        """Return the same model with other columns in which solutions differ. Raises UsageError."""
        return replace(self, over=self.model.chosen(over))

    def linear(self) -> LinearProblem | None:
        """Return the model as a linear problem if it cannot become a ``Problem``, else None."""
        return LinearProblem(self.model, self.over) if self.model.reason_against_problem else None

    def as_linear(self) -> LinearProblem:
        """Return the model as a linear problem, even if a ``Problem`` can state it."""
        return LinearProblem(self.model, self.over)

    def whole(self) -> LinearPuzzle:
        """Return the same model, of which a solution shows the values of all columns that count."""
        if not self.model.reason_against_problem:
            return self
        return replace(self, over=tuple(range(len(self.model.columns))))


class ModelValues(Mapping[str, int | float]):
    """A solution: the values of columns by name. ``values`` has them by position, exact."""

    __slots__ = ("_model", "_over", "values_by_position")

    def __init__(self, puzzle: LinearPuzzle, values: Mapping[int, int | Fraction]):
        self._model, self._over = puzzle.model, puzzle.over
        self.values_by_position = dict(values)

    def __getitem__(self, name: str) -> int | float:
        position = {self._model.columns[j].name: j for j in self._over}
        return stated(self.values_by_position[position[name]])

    def __iter__(self) -> Iterator[str]:
        return (self._model.columns[j].name for j in self._over)

    def __len__(self) -> int:
        return len(self._over)

    def __repr__(self) -> str:
        return f"<{', '.join(f'{name}={value}' for name, value in self.items())}>"

    def __eq__(self, other: object) -> bool:
        return dict(self) == dict(other) if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    @property
    def witness(self) -> dict[str, int | float]:
        """The values of all columns that are known, also of those that were not chosen, by name."""
        columns = self._model.columns
        return {columns[j].name: stated(value) for j, value in sorted(self.values_by_position.items())}

    @property
    def objective(self) -> int | float | None:
        """The value of the objective; None if a column with a cost is not known."""
        costs = {j for j, column in enumerate(self._model.columns) if column.cost}
        if not costs <= self.values_by_position.keys():
            return None
        return stated(self._model.value(self.values_by_position))


def read(text: str, file: str) -> dict[str, LinearPuzzle | InputError | None]:
    """Return the model in the text of a file, by its ending or its beginning. Raises InputError."""
    from milp_pips.formulations.reading import format_of, read_model

    puzzle = with_finite_key(read_model(text, file))
    return {"": replace(puzzle, source=text if format_of(text, file) == "mps" else "")}


def recognises(text: str) -> bool:
    """Return whether a text begins as the file of a linear model does."""
    from milp_pips.formulations.reading import format_of

    return bool(format_of(text, ""))


def state(puzzle: LinearPuzzle) -> Problem:
    """Return the model as a problem. Raises UsageError if it is not pure integer with few values."""
    return puzzle.model.to_problem(puzzle.over)


def decode(puzzle: LinearPuzzle, assignment: Assignment) -> ModelValues:
    """Return the solution that an assignment represents."""
    # What an engine left open, or gave outside the bounds, is no value of a solution.
    known = {
        j: value
        for j, (value, values) in enumerate(zip(assignment, puzzle.model.ranges, strict=False))
        if value is not None and (values is None or value in values)
    }
    return ModelValues(puzzle, known)


def encode(puzzle: LinearPuzzle, solution: ModelValues) -> dict[int, int]:
    """Return the values of all columns that are known."""
    columns = puzzle.model.columns
    known = solution.values_by_position.items()
    return {j: int(value) if columns[j].integer else value for j, value in known}  # type: ignore[misc]


def check(puzzle: LinearPuzzle, solution: ModelValues) -> str | None:
    """Return which bounds and rows the values miss, and by how much; None if they miss none."""
    values = solution.values_by_position
    if puzzle.model.violated(values) is None:
        return None
    misses = [str(miss) for miss in islice(puzzle.model.misses(values, exactly=True), MOST_NAMED + 1)]
    more = "; and more" if len(misses) > MOST_NAMED else ""
    # Solvers write 0.9999998 for 1: if that is all that is wrong, say so.
    rounded = {j: round(a) if puzzle.model.columns[j].integer else a for j, a in values.items()}
    if rounded != values and puzzle.model.violated(rounded) is None:
        more += "; with its integers rounded it is right"
    return "; ".join(misses[:MOST_NAMED]) + more


def draw(puzzle: LinearPuzzle, solution: ModelValues | None) -> Drawing:
    """Return a drawing with a row for each chosen column: its name, its value or, unsolved, its values.

    If there are many columns, it shows those of a solution that are not 0.
    """
    known, rows = {} if solution is None else solution.values_by_position, {}
    for j in puzzle.over:
        column = puzzle.model.columns[j]
        if solution is None:
            rows[j] = visible(column.name), first_values(map(str, column.values or ()))
        elif len(puzzle.over) <= MANY_COLUMNS or known.get(j) != 0:
            rows[j] = visible(column.name), str(stated(known[j])) if j in known else ""
    return draw_rows(puzzle.name, rows)


def to_json(puzzle: LinearPuzzle, solution: ModelValues) -> dict[str, Any]:
    """Return the values of the chosen columns by name."""
    known = solution.values_by_position
    return {"values": {puzzle.model.columns[j].name: stated(known[j]) for j in puzzle.over if j in known}}


def read_solution(puzzle: LinearPuzzle, text: str, file: str) -> ModelValues:
    """Return the solution in JSON from ``to_json``, or in a solution file of a solver. Raises InputError."""
    if not text.lstrip().startswith("{"):
        from milp_pips.formulations.reading.points import read_point

        return ModelValues(puzzle, read_point(text, file, puzzle.model))
    try:
        read = json.loads(text, object_pairs_hook=_without_repeats)["values"]
        place = {column.name: j for j, column in enumerate(puzzle.model.columns)}
        return ModelValues(puzzle, {place[name]: Fraction(repr(value)) for name, value in read.items()})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError("not the values of this model", file, expected='{"values": {…}}') from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON. Raises ValueError if a name comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def plain(puzzle: LinearPuzzle) -> dict[str, Any] | None:
    """Return the problem as plain data; see ``Family``."""
    from milp_pips.puzzles.bare import BareProblem, plain

    return plain(BareProblem(state(puzzle).with_objective(None), puzzle.name))


def with_finite_key(model: Model) -> LinearPuzzle:
    """Return the model as a puzzle whose solutions differ in all integer columns with bounds.

    Integer columns that have no bounds get those that the rows give.
    """
    from milp_pips.formulations.filtering import with_bounds_of_rows

    filtered = with_bounds_of_rows(model)
    return LinearPuzzle(filtered, _bounded_columns(filtered), model.name, given=model)


def _bounded_columns(model: Model) -> tuple[int, ...]:
    """Return the integer columns with bounds that are shown."""
    shown = range(len(model.columns)) if model.shown is None else model.shown
    return tuple([j for j in shown if model.columns[j].values is not None])


def _formats() -> dict[str, Format]:
    """Return the formats in which models are written."""
    from milp_pips.formulations.boolean import to_cnf, to_opb
    from milp_pips.formulations.writing_files import to_lp, to_mps

    return {
        "opb": Format(".opb", lambda puzzle: to_opb(puzzle.model), with_solution=False),
        "cnf": Format(".cnf", lambda puzzle: to_cnf(puzzle.model), with_solution=False),
        "lp": Format(".lp", lambda puzzle: to_lp(puzzle.model), with_solution=False),
        "mps": Format(".mps", lambda puzzle: to_mps(puzzle.model), with_solution=False),
    }


FAMILY: Family[LinearPuzzle, ModelValues] = Family(
    name="linear-model",
    examples=("NAME", "Minimize"),
    recognises=recognises,
    read=read,
    state=state,
    decode=decode,
    encode=encode,
    check=check,
    draw=draw,
    to_json=to_json,
    read_solution=read_solution,
    plain=plain,
    formats=_formats,
    write_solution=lambda puzzle, solution: json.dumps(to_json(puzzle, solution), ensure_ascii=False) + "\n",
)
