"""The problem classes, which every engine understands: finite-domain variables, constraints and keys.

A variable is identified by its position in ``Problem.variables``. Constraints and keys refer to variables by
these positions, and an assignment is a sequence with one integer per position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from operator import contains
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

from milp_pips.problem.fields import (
    check_automaton,
    check_bounds,
    check_constraints,
    check_cover,
    check_less,
    check_no_good,
    check_problem,
    check_scope,
    check_sum,
    check_table,
    check_variable,
    shown,
)

__all__ = [
    "AllDifferent",
    "AllEqual",
    "Assignment",
    "Automaton",
    "Cardinality",
    "Constraint",
    "DominoCover",
    "Less",
    "LinearSum",
    "NoGood",
    "Problem",
    "Regular",
    "Relation",
    "Table",
    "Variable",
    "unchecked_variable",
]

Assignment: TypeAlias = Sequence[int] | Mapping[int, int]
"""Values looked up by the position of their variable in ``Problem.variables``."""


class _NameAndDomain(NamedTuple):
    name: str
    domain: tuple[int, ...]


class Variable(_NameAndDomain):
    """An integer variable: a name for people, and a finite domain in increasing order.

    Raises TypeError or ValueError for an empty domain, or one that is not increasing.
    """

    __slots__ = ()

    def __new__(cls, name: str, domain: Sequence[int]) -> Self:
        return super().__new__(cls, name, check_variable(name, domain))

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]
        """Return a checked variable with these fields; ``_replace`` calls this method."""
        return cls(*iterable)

    def __reduce__(self) -> Any:
        return unchecked_variable, tuple(self)


def unchecked_variable(name: str, domain: tuple[int, ...]) -> Variable:
    """Return a variable without any check; its domain may be empty after a reduction."""
    return tuple.__new__(Variable, (name, domain))


class Constraint(Protocol):
    """The interface of every constraint."""

    @property
    def label(self) -> str:
        """The rule of the game that this constraint states, in the player's words."""

    @property
    def variables(self) -> tuple[int, ...]:
        """The variables of the constraint, each once."""

    def holds(self, assignment: Assignment) -> bool:
        """Return whether the assignment obeys the constraint, exactly."""


@dataclass(frozen=True, slots=True)
class AllEqual:
    """All variables take the same value."""

    variables: tuple[int, ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)

    def holds(self, assignment: Assignment) -> bool:
        return len({assignment[v] for v in self.variables}) <= 1


@dataclass(frozen=True, slots=True)
class AllDifferent:
    """No two variables take the same value."""

    variables: tuple[int, ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)

    def holds(self, assignment: Assignment) -> bool:
        return len({assignment[v] for v in self.variables}) == len(self.variables)


class Relation(StrEnum):
    """The relation between a sum and its target."""

    EQ = "=="
    LE = "<="
    GE = ">="


@dataclass(frozen=True, slots=True)
class LinearSum:
    """The sum of the variables is ``==``, ``<=`` or ``>=`` the target.

    ``coefficients`` has one factor per variable; if it is empty, each variable counts once.
    """

    variables: tuple[int, ...]
    relation: Relation
    target: int
    label: str = ""
    coefficients: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if type(self.relation) is not Relation:
            _set(self, "relation", _relation(self.relation))
        check_sum(self)

    def __getstate__(self) -> list[Any]:
        """Return the values of the fields; empty coefficients are left out, as in older pickles."""
        state = [self.variables, self.relation, self.target, self.label]
        return [*state, self.coefficients] if self.coefficients else state

    def __setstate__(self, state: Sequence[Any]) -> None:
        for f, value in zip(fields(self), (*state, ()), strict=False):
            object.__setattr__(self, f.name, value)

    @property
    def terms(self) -> tuple[tuple[int, int], ...]:
        """The terms of the sum, as pairs (coefficient, variable)."""
        return tuple(zip(self.coefficients or (1,) * len(self.variables), self.variables, strict=True))

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """The least and the greatest sum allowed; None for no bound."""
        return (
            None if self.relation is Relation.LE else self.target,
            None if self.relation is Relation.GE else self.target,
        )

    def holds(self, assignment: Assignment) -> bool:
        low, high = self.bounds
        total = sum(times * assignment[v] for times, v in self.terms)
        return (low is None or total >= low) and (high is None or total <= high)


@dataclass(frozen=True, slots=True)
class Less:
    """The first of two variables is less than the second; without ``strict``, they may also be equal."""

    variables: tuple[int, int]
    strict: bool = True
    label: str = ""

    def __post_init__(self) -> None:
        check_less(self)

    @property
    def gap(self) -> int:
        """The least difference of the second and the first variable."""
        return int(self.strict)

    def holds(self, assignment: Assignment) -> bool:
        less, greater = self.variables
        return assignment[less] + self.gap <= assignment[greater]


@dataclass(frozen=True, slots=True)
class Table:
    """The values of the variables, in this order, are one of the rows."""

    variables: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_table(self)

    def holds(self, assignment: Assignment) -> bool:
        return tuple(assignment[v] for v in self.variables) in self.rows

    def within(self, domains: Sequence[Container[int]]) -> list[tuple[int, ...]]:
        """Return the distinct rows that the domains allow; ``domains`` are in the order of the variables."""
        return [row for row in dict.fromkeys(self.rows) if all(map(contains, domains, row))]


@dataclass(frozen=True, slots=True)
class Cardinality:
    """Global cardinality: value ``v`` occurs at least ``low`` and at most ``high`` times.

    ``bounds`` holds one triple ``(v, low, high)`` per value; a value without a triple is free.
    """

    variables: tuple[int, ...]
    bounds: tuple[tuple[int, int, int], ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_bounds(self)

    def holds(self, assignment: Assignment) -> bool:
        occurs = Counter(assignment[v] for v in self.variables)
        return all(low <= occurs[value] <= high for value, low, high in self.bounds)


@dataclass(frozen=True, slots=True)
class Automaton:
    """A deterministic finite automaton (DFA) over integer symbols.

    ``arcs`` holds triples ``(state, symbol, next state)``; a missing arc rejects.
    """

    start: int
    accepting: frozenset[int]
    arcs: tuple[tuple[int, int, int], ...]

    def __post_init__(self) -> None:
        check_automaton(self)
        if len({(state, symbol) for state, symbol, _ in self.arcs}) != len(self.arcs):
            raise ValueError(
                "two arcs leave one state with the same symbol: the automaton is not deterministic"
            )

    def accepts(self, word: Iterable[int]) -> bool:
        """Return whether the automaton accepts the word."""
        step = {(state, symbol): target for state, symbol, target in self.arcs}
        state: int | None = self.start
        for symbol in word:
            state = step.get((state, symbol)) if state is not None else None
        return state in self.accepting


@dataclass(frozen=True, slots=True)
class Regular:
    """The sequence of values is a word that the automaton accepts (Pesant 2004)."""

    variables: tuple[int, ...]
    automaton: Automaton
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)
        if not isinstance(self.automaton, Automaton):
            raise TypeError(f"Regular takes an Automaton, not {shown(self.automaton)}")

    def holds(self, assignment: Assignment) -> bool:
        return self.automaton.accepts(assignment[v] for v in self.variables)


@dataclass(frozen=True, slots=True)
class NoGood:
    """At least ``least`` of the variables differ from the given values, which excludes a known solution."""

    variables: tuple[int, ...]
    values: tuple[int, ...]
    label: str = "not a solution that is known"
    least: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        check_no_good(self)

    def holds(self, assignment: Assignment) -> bool:
        differ = sum(assignment[v] != a for v, a in zip(self.variables, self.values, strict=True))
        return differ >= self.least


@dataclass(frozen=True, slots=True)
class DominoCover:
    """The cells are perfectly matched along edges, and the matched value pairs are the given dominoes.

    Cell ``i`` has the value variable ``values[i]`` and the partner variable ``partners[i]``, whose value is
    the number of the cell that shares its domino. Each assignment of values and partners corresponds to
    exactly one placement, even if the dominoes contain duplicates.

    Parameters
    ----------
    values, partners
        One variable per cell.
    edges
        Pairs ``(i, j)`` of cell numbers, ``i < j``: where a domino may lie.
    dominoes
        The multiset of dominoes, each ``(a, b)`` with ``a <= b``, in increasing order.
    """

    values: tuple[int, ...]
    partners: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    dominoes: tuple[tuple[int, int], ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_cover(self)

    @property
    def variables(self) -> tuple[int, ...]:
        return self.values + self.partners

    @property
    def kinds(self) -> dict[tuple[int, int], int]:
        """The number of dominoes of each kind."""
        return dict(sorted(Counter(self.dominoes).items()))

    @property
    def bounds(self) -> dict[tuple[int, int], tuple[int, int]]:
        """The least and the greatest number of dominoes of each kind, which are equal."""
        return {kind: (times, times) for kind, times in self.kinds.items()}

    def holds(self, assignment: Assignment) -> bool:
        edges = set(self.edges)
        partner = [assignment[v] for v in self.partners]
        laid = []
        for i, j in enumerate(partner):
            if not 0 <= j < len(partner) or partner[j] != i or (min(i, j), max(i, j)) not in edges:
                return False
            if i < j:
                a, b = assignment[self.values[i]], assignment[self.values[j]]
                laid.append((min(a, b), max(a, b)))
        return sorted(laid) == list(self.dominoes)


@dataclass(frozen=True, slots=True)
class Problem:
    """Variables, constraints, and keys, which define when two solutions are different.

    Parameters
    ----------
    variables, constraints
        The variables, and the constraints that an assignment must obey.
    keys
        The variables of each key, by its name: two solutions differ if the value of one of them differs. The
        first key is the default.
    value_names
        The text that people read for a value, if it is not its number.
    name
        The name of the puzzle, which exported models contain. Problems that differ only in it are equal.
    """

    variables: tuple[Variable, ...]
    constraints: tuple[Constraint, ...]
    keys: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    value_names: Mapping[int, str] = field(default_factory=dict)
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_problem(self, Variable)

    def _with(self, variables: tuple[Variable, ...], constraints: tuple[Constraint, ...]) -> Problem:
        """Return the same problem with other variables and constraints, which must have been checked."""
        problem = copy(self)
        _set(problem, "variables", variables)
        _set(problem, "constraints", constraints)
        return problem

    @property
    def open_values(self) -> int:
        """The total number of values in the domains that have more than one value."""
        return sum([len(variable.domain) for variable in self.variables if len(variable.domain) > 1])

    def written(self, value: int) -> str:
        """Return a value as people read it."""
        return self.value_names.get(value) or str(value)

    def violated(self, assignment: Sequence[int]) -> str | None:
        """Return the first rule that the assignment breaks, in the player's words; None if it obeys all."""
        for variable, value in zip(self.variables, assignment, strict=True):
            if value not in variable.domain:
                return f"{variable.name} cannot be {self.written(value)}"
        return next((c.label for c in self.constraints if not c.holds(assignment)), None)

    def digest(self, family: str) -> str:
        """Return a hash of the content of the problem and its family; names and labels do not matter."""
        import hashlib  # these two imports take some milliseconds, and most tasks do not need them
        import json

        content = {
            "family": family,
            "domains": [variable.domain for variable in self.variables],
            "constraints": [[type(c).__name__, c] for c in self.constraints],
            "keys": dict(self.keys),
        }
        text = json.dumps(content, default=_without_labels, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def with_constraints(self, constraints: Iterable[Constraint]) -> Problem:
        """Return the same problem with further constraints."""
        further = tuple(constraints)
        check_constraints(further, self.variables)
        return self._with(self.variables, (*self.constraints, *further))

    def least_difference(self, key: str) -> int:
        """Return the least number of variables of the key in which two different solutions differ.

        Two if the multiset of their values is fixed, since then no value can change alone; else one.
        """
        compared = set(self.keys[key])
        fixed = any(isinstance(c, DominoCover) and compared == set(c.values) for c in self.constraints)
        return 2 if fixed else 1

    def restricted(self, domains: Mapping[int, Iterable[int]]) -> Problem:
        """Return the same problem with each domain in ``domains`` intersected with the given values."""
        variables = list(self.variables)
        for v, values in domains.items():
            keep = set(values)
            name, domain = variables[v]
            variables[v] = unchecked_variable(name, tuple([x for x in domain if x in keep]))
        return self._with(tuple(variables), self.constraints)

    def node_consistent(self) -> Problem:
        """Return the same problem without the values that a constraint on a single variable forbids.

        Each such constraint checks each value (node consistency, Mackworth 1977); the constraints stay. A
        variable that would lose all its values keeps its domain.
        """
        domains: dict[int, tuple[int, ...]] = {}
        for constraint in self.constraints:
            if len(constraint.variables) == 1:
                (v,) = constraint.variables
                before = domains.get(v, self.variables[v].domain)
                domains[v] = tuple(x for x in before if constraint.holds({v: x})) or before
        return self.restricted(domains)


def _without_labels(value: Any) -> Any:
    """Return data that JSON can represent, without labels, since these are for people.

    Empty coefficients are left out as well, so that digests from before there were coefficients stay valid.
    """
    if is_dataclass(value):
        content = {f.name: getattr(value, f.name) for f in fields(value) if f.name != "label"}
        return {name: item for name, item in content.items() if name != "coefficients" or item}
    if isinstance(value, frozenset):
        return sorted(value)
    return repr(value)


_set = object.__setattr__
"""Sets a field of a frozen object to its validated value."""


def _relation(relation: Any) -> Relation:
    """Return the relation that a string denotes. Raises TypeError or ValueError."""
    if not isinstance(relation, str):
        raise TypeError(f'the relation of LinearSum must be "==", "<=" or ">=", not {shown(relation)}')
    try:
        return Relation(relation)
    except ValueError:
        hints = {"<": '"<=" with the target minus 1', ">": '">=" with the target plus 1', "=": '"=="'}
        hint = f"; write {hints[relation]}" if relation in hints else ""
        raise ValueError(f'a sum compares by "==", "<=" or ">=", not {relation!r}{hint}') from None
