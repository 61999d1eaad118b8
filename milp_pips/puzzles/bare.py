"""The family of bare problems: any variables and constraints, for use with every task.

A bare problem has no rules of a game, so solutions are validated against its constraints. Answers of engines
are still validated and confirmed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar

from milp_pips.problem.constraint import Assignment
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.problem.fields import shown
from milp_pips.problem.problem import Problem
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.vocabulary import Drawing, Grid, Line, Square

MAX_DRAWN_VALUES = 6
"""The most values of a domain that are drawn."""


@dataclass(frozen=True)
class Values(Mapping[str, int]):
    """A solution: the value of each variable by name. ``assignment`` has the values by position.

    The mapping omits auxiliary variables. If the key that distinguishes solutions omits a variable, the
    mapping omits it as well. The value of an omitted variable in ``assignment`` is None.
    """

    names: tuple[str, ...]
    assignment: tuple[int | None, ...]

    @cached_property
    def _by_name(self) -> dict[str, int]:
        pairs = zip(self.names, self.assignment, strict=True)
        return {name: value for name, value in pairs if value is not None}

    def __getitem__(self, name: str) -> int:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)


@dataclass(frozen=True)
class BareProblem(Puzzle):
    """A problem as a puzzle. Without a key it gets ``assignment``: all but its auxiliary variables."""

    family: ClassVar[str] = "problem"
    published: ClassVar[None] = None

    problem: Problem
    name: str = "problem"

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Problem):
            raise InputError(
                f"{shown(self.problem)} is not a problem", expected="a milp_pips.problem.Problem"
            )
        if not isinstance(self.name, str):
            raise InputError(f"the name of the problem is {shown(self.name)}", expected="a text")
        problem, n = self.problem, len(self.problem.variables)
        names = [variable.name for variable in problem.variables]
        if len(set(names)) < n:
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"two variables have the name {twice!r}", expected="a name for each")
        if not problem.keys:
            object.__setattr__(
                self, "problem", replace(problem, keys={"assignment": problem.answer_variables})
            )


def decode(puzzle: BareProblem, assignment: Assignment) -> Values:
    """Return the solution that an assignment represents."""
    variables, auxiliary = puzzle.problem.variables, set(puzzle.problem.auxiliary)
    kept = (
        assignment[v] if v not in auxiliary and assignment[v] in domain else None
        for v, (_, domain) in enumerate(variables)
    )
    return Values(tuple(name for name, _ in variables), tuple(kept))


def encode(_puzzle: BareProblem, solution: Values) -> dict[int, int]:
    """Return the values of all variables that have a value."""
    return {v: value for v, value in enumerate(solution.assignment) if value is not None}


def check(puzzle: BareProblem, solution: Values) -> str | None:
    """Return the first constraint that the values break, or None. Skip constraints with a missing value."""
    known = encode(puzzle, solution)
    for v, value in known.items():
        if value not in puzzle.problem.variables[v].domain:
            return f"{puzzle.problem.variables[v].name} cannot be {puzzle.problem.written(value, v)}"
    judging = (c for c in puzzle.problem.constraints if known.keys() >= set(c.variables))
    return next((c.label or type(c).__name__ for c in judging if not c.holds(known)), None)


def draw(puzzle: BareProblem, solution: Values | None) -> Drawing:
    """Return a drawing with a row for each variable: its name, and its value or, unsolved, its domain."""
    written = puzzle.problem.written
    rows = {}
    for v in puzzle.problem.answer_variables:
        name, domain = puzzle.problem.variables[v]
        if solution is None:
            rows[v] = name, first_values(written(value, v) for value in domain)
        else:
            rows[v] = name, written(solution[name], v) if name in solution else ""
    return draw_rows(puzzle.name, rows)


def draw_rows(title: str, rows: Mapping[int, tuple[str, str]]) -> Drawing:
    """Return a drawing with a row for each variable, given by its position: its name, and a text."""
    squares = {(v, 0): Square(text) for v, (_, text) in rows.items()}
    names = {v: (Square(name),) for v, (name, _) in rows.items()}
    return Drawing(title, Grid(squares, Line.NONE, left=names), places={v: (v, 0) for v in rows})


def first_values(written: Iterable[str]) -> str:
    """Return the first of these values as text, with a mark if there are more."""
    values = list(islice(written, MAX_DRAWN_VALUES + 1))
    return " ".join(values[:MAX_DRAWN_VALUES]) + " …" * (len(values) > MAX_DRAWN_VALUES)


def to_json(puzzle: BareProblem, solution: Values) -> dict[str, Any]:
    """Return the values by the name of their variable. A value that has a name is written by name."""
    problem, values = puzzle.problem, dict[str, int | str]()
    for v, value in encode(puzzle, solution).items():
        values[solution.names[v]] = problem.value_names.get(v, {}).get(value, value)
    return {"values": values}


def read_solution(puzzle: BareProblem, text: str, file: str) -> Values:
    """Return the solution in JSON from ``to_json``. Raises InputError."""
    try:
        read = json.loads(text)["values"]
        problem = puzzle.problem
        names = tuple(variable.name for variable in problem.variables)
        found = {v: read[names[v]] for v in problem.answer_variables}
        given = dict[int, int]()
        for v, value in found.items():
            values = {text: number for number, text in problem.value_names.get(v, {}).items()}
            given[v] = int(values.get(value, value))
        return Values(names, tuple(given.get(v) for v in range(len(names))))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError("not the values of this problem", file, expected='{"values": {…}}') from None


def read(_text: str, file: str) -> dict[str, BareProblem | None]:
    """Raise UsageError: bare problems have no files."""
    raise UsageError(f"{file}: a bare problem is made in Python, not read from a file")


def plain(puzzle: BareProblem) -> dict[str, Any] | None:
    """Return the problem as plain data if all its constraints are linear sums; see ``Family``."""
    problem = puzzle.problem
    sums = [constraint.bounded_sum for constraint in problem.constraints]
    if None in sums:
        return None
    return {
        "family": "rows",
        "name": puzzle.name,
        "columns": [{"name": name, "values": list(domain)} for name, domain in problem.variables],
        "rows": [
            {
                "name": constraint.label,
                "terms": [
                    [variable, factor]
                    for variable, factor in zip(
                        constraint.variables,
                        total.coefficients or (1,) * len(constraint.variables),
                        strict=True,
                    )
                ],
                "low": total.low,
                "high": total.high,
            }
            for constraint, total in zip(problem.constraints, sums, strict=True)
            if total is not None
        ],
        "keys": {key: list(variables) for key, variables in problem.keys.items()},
    }


FAMILY: Family[BareProblem, Values] = Family(
    name="problem",
    examples=(),
    recognises=lambda _: False,
    read=read,
    state=lambda puzzle: puzzle.problem,
    decode=decode,
    encode=encode,
    check=check,
    draw=draw,
    to_json=to_json,
    read_solution=read_solution,
    plain=plain,
    write_solution=lambda puzzle, solution: json.dumps(to_json(puzzle, solution), ensure_ascii=False) + "\n",
)
