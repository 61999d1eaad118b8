"""The problem classes, which every engine understands: finite-domain variables, constraints and keys.

A variable is identified by its position in ``Problem.variables``. Constraints and keys refer to variables by
these positions, and an assignment is a sequence with one integer per position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from milp_pips.problem.constraint import Constraint
from milp_pips.problem.fields import changed, check_constraints, check_problem, check_variable

if TYPE_CHECKING:
    from milp_pips.problem.objective import Objective

__all__ = ["Problem", "Variable", "unchecked_variable"]


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
        The text that people read for a value, if it is not its number: by variable, then by value. A mapping
        from values to texts names the values of all variables but the auxiliary ones.
    name
        The name of the puzzle, which exported models contain. Problems that differ only in it are equal.
    auxiliary
        The variables that only help to state the constraints. They are in no key, and people never see them.
    determined
        Whether the other variables determine the auxiliary ones. If not, several points can be one solution,
        and engines list such a problem solution by solution unless they can project on the key themselves.
    blank
        The number that stands for no value in a point: -1, unless that is a value of a variable. It stays the
        same while domains shrink.
    objective
        What to minimise or maximise; None if any solution is enough.
    """

    variables: tuple[Variable, ...]
    constraints: tuple[Constraint, ...]
    keys: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    value_names: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    name: str = field(default="", compare=False)
    auxiliary: tuple[int, ...] = field(default=(), kw_only=True)
    determined: bool = field(default=False, kw_only=True)
    blank: int = field(default=-1, kw_only=True, compare=False, repr=False)
    objective: Objective | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_problem(self, Variable)

    def unchecked(self, variables: tuple[Variable, ...], constraints: tuple[Constraint, ...]) -> Problem:
        """Return the same problem with other variables and constraints, which are not checked."""
        return changed(self, variables=variables, constraints=constraints)

    @property
    def answer_variables(self) -> tuple[int, ...]:
        """The variables of an answer: all but the auxiliary ones."""
        return tuple([v for v in range(len(self.variables)) if v not in self.auxiliary])

    @property
    def open_values(self) -> int:
        """The total number of values in the domains that have more than one value."""
        return sum([len(variable.domain) for variable in self.variables if len(variable.domain) > 1])

    def written(self, value: int, v: int | None = None) -> str:
        """Return a value of a variable as people read it; without a variable, by its first name."""
        if v is not None:
            return self.value_names.get(v, {}).get(value) or str(value)
        return self.named_values.get(value) or str(value)

    @property
    def named_values(self) -> dict[int, str]:
        """The name of each value that has one; the first if variables name it differently."""
        found: dict[int, str] = {}
        seen = set[int]()
        for names in self.value_names.values():
            if id(names) not in seen:
                seen.add(id(names))
                found = {**names, **found}
        return found

    def violated(self, assignment: Sequence[int]) -> str | None:
        """Return the first rule that the assignment breaks, in the player's words; None if it obeys all."""
        for v, (variable, value) in enumerate(zip(self.variables, assignment, strict=True)):
            if value not in variable.domain:
                return f"{variable.name} cannot be {self.written(value, v)}"
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
            **({} if self.objective is None else {"objective": self.objective}),
        }
        text = json.dumps(content, default=_without_labels, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def with_constraints(self, constraints: Iterable[Constraint]) -> Problem:
        """Return the same problem with further constraints."""
        further = tuple(constraints)
        check_constraints(further, self.variables)
        return self.unchecked(self.variables, (*self.constraints, *further))

    def with_objective(self, objective: Objective | None) -> Problem:
        """Return the same problem with another objective, or with none."""
        if objective is not None:
            objective.check(len(self.variables))
        return changed(self, objective=objective)

    def least_difference(self, key: str) -> int:
        """Return the least number of variables of the key in which two different solutions differ.

        Two if the multiset of their values is fixed, since then no value can change alone; else one.
        """
        compared = set(self.keys[key])
        return 2 if compared and any(compared == set(c.permuted) for c in self.constraints) else 1

    def restricted(self, domains: Mapping[int, Iterable[int]]) -> Problem:
        """Return the same problem with each domain in ``domains`` intersected with the given values."""
        variables = list(self.variables)
        for v, values in domains.items():
            keep = set(values)
            name, domain = variables[v]
            variables[v] = unchecked_variable(name, tuple([x for x in domain if x in keep]))
        return self.unchecked(tuple(variables), self.constraints)

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
