"""Validation of arguments, and of the fields of problems and constraints when they are created.

Early checks keep a caller's mistake from being blamed on an engine later. Valid input is checked without
loops in Python: large problems have hundreds of thousands of constraints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from itertools import chain
from operator import index, lt
from typing import Any, TypeVar

from milp_pips.problem.constraint import Constraint, missing_methods
from milp_pips.problem.errors import InputError

T = TypeVar("T")

# Arguments of the public functions: an invalid one raises an error of one sentence before any work begins.


def require_problem(task: str, value: object) -> None:
    """Raise TypeError if the value has no attribute ``constraints``."""
    if not hasattr(value, "constraints"):
        raise TypeError(f"{task} takes a problem; state one with milp_pips.state(puzzle)")


def shown(value: object) -> str:
    """Return a value as a message quotes it: its ``repr`` if that is short and printable, else its type."""
    text = repr(value)
    return text if len(text) <= 60 and text.isprintable() else f"a {type(value).__name__}"


MAX_NUMBER = 999_999_999
"""The largest absolute value of a number in a problem: every engine and every file format accepts it."""
MAX_SUM = 10**15
"""The largest absolute value that a sum of variables may reach: floating point represents it exactly."""

_WHOLE, _TUPLE = frozenset({int}), frozenset({tuple})
set_field = object.__setattr__
"""Sets a field of a frozen object to its validated value."""


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple([each.name for each in fields(kind)])


def changed(item: T, **values: Any) -> T:
    """Return a copy of frozen data with other values in some fields, which are not checked.

    That takes a third of the time of ``copy``; filtering and splitting make thousands of such copies.
    """
    kind: Any = type(item)
    other: T = object.__new__(kind)
    for name in _field_names(kind):
        set_field(other, name, values[name] if name in values else getattr(item, name))
    return other


def whole_numbers(owner: str, field: str, values: Any) -> tuple[int, ...]:
    """Return the numbers as a tuple of ``int``; a list or a range becomes a tuple.

    Valid input is checked without a loop in Python, since constraints are created by the hundred thousand.
    Raises TypeError if the values are not a sequence of whole numbers, and ValueError for one beyond
    ``MAX_NUMBER``.
    """
    if type(values) is not tuple:
        values = as_tuple(owner, field, values)
    if not _WHOLE.issuperset(map(type, values)):
        values = tuple([_whole(owner, field, value) for value in values])
    if values and (min(values) < -MAX_NUMBER or max(values) > MAX_NUMBER):
        far, within = next(x for x in values if abs(x) > MAX_NUMBER), f"-{MAX_NUMBER} to {MAX_NUMBER}"
        raise ValueError(f"the {field} of {owner} contain the number {far}; expected {within}")
    return values  # type: ignore[no-any-return]


def rows_of_numbers(owner: str, field: str, rows: Any, width: int) -> tuple[tuple[int, ...], ...]:
    """Return rows of whole numbers as tuples of length ``width``. Raises TypeError or ValueError."""
    rows = as_tuple(owner, field, rows)
    if not (_TUPLE.issuperset(map(type, rows)) and _WHOLE.issuperset(map(type, chain.from_iterable(rows)))):
        rows = tuple([whole_numbers(owner, field, row) for row in rows])
    if not {width}.issuperset(map(len, rows)):
        row = next(row for row in rows if len(row) != width)
        found = f"{len(row)} as in {' '.join(map(str, row[:20]))!r}"
        raise ValueError(f"the {field} of {owner} must have {width} numbers each, not {found}")
    whole_numbers(owner, field, tuple(chain.from_iterable(rows)))
    return rows  # type: ignore[no-any-return]


def set_edges(owner: Any, nodes: int) -> None:
    """Check the field ``edges`` of a constraint: pairs (i, j) of nodes, i < j; its lists become tuples.

    Raises TypeError or ValueError.
    """
    kind = type(owner).__name__
    edges = rows_of_numbers(kind, "edges", owner.edges, 2)
    if not all(0 <= i < j < nodes for i, j in edges):
        wrong = next(edge for edge in edges if not 0 <= edge[0] < edge[1] < nodes)
        raise ValueError(f"{kind} has the edge {wrong}; expected (i, j) with 0 <= i < j < {nodes}")
    set_field(owner, "edges", edges)


def set_tuples(owner: str, data: Any, *names: str) -> None:
    """Turn the lists in these fields of frozen data into tuples, as ``as_tuple`` does. Raises TypeError."""
    for name in names:
        set_field(data, name, as_tuple(owner, name, getattr(data, name)))


def as_tuple(owner: str, field: str, values: Any) -> tuple[Any, ...]:
    """Return a tuple, a list or a range as a tuple. Raises TypeError for anything else."""
    if type(values) is tuple:
        return values
    if not isinstance(values, tuple | list | range):
        raise TypeError(f"the {field} of {owner} must be a tuple, not {shown(values)}")
    return tuple(values)


def whole_between(owner: str, field: str, value: Any, low: int, high: int) -> int:
    """Return a whole number as an ``int``. Raises TypeError, or ValueError if it is out of bounds."""
    number = value if type(value) is int else _whole(owner, field, value)
    if not low <= number <= high:
        raise ValueError(f"the {field} of {owner} is {number}; expected {low} to {high}")
    return number


def require_text(owner: str, field: str, text: Any) -> None:
    """Raise TypeError if the text is not a string. The code that shows or writes it checks its characters."""
    if not isinstance(text, str):
        raise TypeError(f"the {field} of {owner} must be a string, not {shown(text)}")


def require_different(owner: str, field: str, values: Sequence[int]) -> None:
    """Raise ValueError if a value occurs twice."""
    if len(set(values)) < len(values):
        twice = next(value for i, value in enumerate(values) if value in values[:i])
        raise ValueError(f"the {field} of {owner} contain {twice} twice")


def _whole(owner: str, field: str, value: Any) -> int:
    """Return an integer, such as one of numpy's, as an ``int``. Raises TypeError for a bool and all else."""
    if not isinstance(value, bool):
        try:
            return index(value)
        except TypeError:
            pass
    raise TypeError(f"the {field} of {owner} must be whole numbers, not {shown(value)}")


@contextmanager
def refused_as_input() -> Iterator[None]:
    """Turn a TypeError or ValueError raised inside the context into the InputError that puzzles raise."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from None


def check_scope(constraint: Any) -> None:
    """Check variables and label of a constraint; a list becomes a tuple. Raises TypeError or ValueError."""
    kind, scope, label = type(constraint).__name__, constraint.variables, constraint.label
    if type(scope) is not tuple or not _WHOLE.issuperset(map(type, scope)):
        scope = whole_numbers(kind, "variables", scope)
        set_field(constraint, "variables", scope)
    if len(set(scope)) < len(scope):
        require_different(kind, "variables", scope)
    require_text(kind, "label", label)


def check_variable(name: Any, domain: Any) -> tuple[int, ...]:
    """Return the domain of a variable as a tuple. Raises TypeError or ValueError if it is invalid."""
    require_text("a variable", "name", name)
    values = whole_numbers(name or "a variable", "values", domain)
    if not values:
        raise ValueError(f"the domain of {name} is empty; expected at least one value")
    if not all(map(lt, values, values[1:])):
        raise ValueError(f"the domain of {name} is {shown(values)}; expected values in increasing order")
    return values


def check_positions(owner: Any, positions: Sequence[int], count: int) -> None:
    """Raise ValueError if a position is negative or not below ``count``."""
    if positions and (min(positions) < 0 or max(positions) >= count):
        wrong = next(v for v in positions if not 0 <= v < count)
        name = owner if isinstance(owner, str) else f"the constraint {owner.label or type(owner).__name__!r}"
        raise ValueError(f"{name} names the variable {wrong}; expected positions below {count}")


def check_problem(problem: Any, variable_class: type) -> None:
    """Check a problem; its lists become tuples. Raises TypeError or ValueError."""
    set_tuples("a problem", problem, "variables", "constraints")
    for variable in problem.variables:
        if type(variable) is not variable_class:
            raise TypeError(f"the variables of a problem must be of class Variable, not {shown(variable)}")
    # -1 stands for a blank in points, unless it is a value itself.
    if any(-1 in variable.domain for variable in problem.variables):
        set_field(problem, "blank", -MAX_NUMBER - 1)
    check_constraints(problem.constraints, problem.variables)
    require_text("a problem", "name", problem.name)
    for name in ("keys", "value_names"):
        if not isinstance(getattr(problem, name), Mapping):
            raise TypeError(f"the {name} of a problem must be a dict, not {shown(getattr(problem, name))}")
    keys = {}
    for key, named in problem.keys.items():
        require_text("a key", "name", key)
        keys[key] = whole_numbers(f"the key {key!r}", "positions", named)
        require_different(f"the key {key!r}", "positions", keys[key])
        check_positions(f"the key {key!r}", keys[key], len(problem.variables))
    set_field(problem, "keys", keys)
    auxiliary = whole_numbers("a problem", "auxiliary variables", problem.auxiliary)
    require_different("a problem", "auxiliary variables", auxiliary)
    check_positions("auxiliary", auxiliary, len(problem.variables))
    set_field(problem, "auxiliary", auxiliary)
    for key, named in keys.items():
        if not set(auxiliary).isdisjoint(named):
            v = next(v for v in named if v in auxiliary)
            raise ValueError(f"the key {key!r} names the auxiliary variable {problem.variables[v].name}")
    if problem.objective is not None:
        if not hasattr(problem.objective, "costs"):
            given = shown(problem.objective)
            raise TypeError(f"the objective of a problem must be an Objective, not {given}")
        problem.objective.check(len(problem.variables))
    names = problem.value_names
    # One mapping for the whole problem is short for the same one for each variable.
    if names and not any(isinstance(each, Mapping) for each in names.values()):
        shared = dict(names)
        names = dict.fromkeys(problem.answer_variables, shared)
        set_field(problem, "value_names", names)
    check_positions(
        "value_names", whole_numbers("value_names", "variables", tuple(names)), len(problem.variables)
    )
    for each in {id(each): each for each in names.values()}.values():
        if not isinstance(each, Mapping):
            raise TypeError(f"value_names map variables to names of values, not to {shown(each)}")
        for value, written in each.items():
            whole_between("value_names", "value", value, -MAX_NUMBER, MAX_NUMBER)
            require_text("value_names", f"name of {value}", written)
        if len(set(each.values())) < len(each):
            raise ValueError("value_names give two values one name")


def check_constraints(constraints: Iterable[Any], variables: Sequence[Any]) -> None:
    """Raise TypeError or ValueError unless each object is a constraint on these variables."""
    n, known = len(variables), set[type]()
    for constraint in constraints:
        kind = type(constraint)
        if kind not in known:
            if not isinstance(constraint, Constraint):
                raise TypeError(f"a problem takes constraints, not {shown(constraint)}")
            if missing := missing_methods(kind):
                raise TypeError(f"the constraint class {kind.__name__} has no method {', '.join(missing)}")
            known.add(kind)
        scope = constraint.variables
        check_positions(constraint, scope, n)
        coefficients = getattr(constraint, "coefficients", ())
        if coefficients:
            ends = [
                max(-domain[0], domain[-1]) if domain else 0
                for _, domain in map(variables.__getitem__, scope)
            ]
            reach = sum(abs(times) * end for times, end in zip(coefficients, ends, strict=True))
            if reach > MAX_SUM:
                raise ValueError(f"the sum {constraint.label!r} can reach {reach}, which is over {MAX_SUM}")
