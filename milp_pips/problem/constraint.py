"""The contract of a constraint, and of what it is stated to: domains, rows, clauses.

A constraint is one file of ``milp_pips.constraints``: a frozen dataclass that inherits from ``Constraint``.
It needs three methods: ``holds`` (its exact meaning), ``propagator`` (which values it rules out) and
``linear_rows`` (its 0-1 linear model). With these, every engine solves it, lists it and counts it. All other
methods are optional: they state it better to some engine.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from milp_pips.problem.deduction import Argument, PlayersWords, RuleDeduction
from milp_pips.problem.errors import Contradiction

if TYPE_CHECKING:
    from milp_pips.problem.automaton import ConstraintAutomaton

__all__ = [
    "Assignment",
    "BoundedSum",
    "ClauseBuilder",
    "Constraint",
    "Domains",
    "Row",
    "RowBuilder",
    "Trail",
    "Transitions",
    "missing_methods",
]

Assignment: TypeAlias = Sequence[int] | Mapping[int, int]
"""Values looked up by the position of their variable in ``Problem.variables``."""

State = TypeVar("State")


# The domains that propagators shrink. A trail of what they overwrite lets a search backtrack without copies.


class Trail:
    """A stack of changes to items of lists and dictionaries, which can be undone from the last one on."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, Any, Any]] = []

    def __len__(self) -> int:
        return len(self._before)

    def write(self, items: Any, key: Any, value: Any) -> None:
        """Change an existing item and record its previous value."""
        self._before.append((items, key, items[key]))
        items[key] = value

    def since(self, length: int) -> list[tuple[Any, Any, Any]]:
        """Return all changes but the first ``length``, as (container, key, previous value)."""
        return self._before[length:]

    def undo(self, length: int) -> None:
        """Undo changes until ``length`` of them are left."""
        before = self._before
        while len(before) > length:
            items, key, value = before.pop()
            items[key] = value


class Domains:
    """The current domain of each variable, as a bit mask. Raises Contradiction if a domain becomes empty.

    ``values`` has the values of all variables in increasing order. Bit ``i`` of a mask stands for
    ``values[i]``, so the lowest bit of a mask is the least value of the variable. ``changed`` lists the
    variables whose domains have shrunk since it was last cleared. ``memory`` has what several propagators
    share. All state that shrinks with the domains is changed through the ``trail``. The variables, each a
    name with a domain, may be propagated elsewhere: those ``apart`` have the mask 0.
    """

    def __init__(self, variables: Sequence[tuple[str, tuple[int, ...]]], apart: Collection[int]):
        inside = [variable for v, variable in enumerate(variables) if v not in apart]
        different = {domain for _, domain in inside}
        if () in different:
            name = next(name for name, domain in inside if not domain)
            raise Contradiction(f"{name} can take no value")
        self.values = sorted({value for domain in different for value in domain})
        self.bit = {value: 1 << i for i, value in enumerate(self.values)}
        mask_of = {domain: sum([self.bit[value] for value in domain]) for domain in different}
        self.masks = [0 if v in apart else mask_of[domain] for v, (_, domain) in enumerate(variables)]
        self.changed: list[int] = []
        self.trail = Trail()
        self.memory: dict[Any, Any] = {}
        self._variables = variables

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the domain of the variable before propagation."""
        return self._variables[v][1]

    def name(self, v: int) -> str:
        """Return the name of the variable."""
        return self._variables[v][0]

    def keep(self, v: int, mask: int, why: str) -> None:
        """Remove all values of the variable outside the mask. Raises Contradiction if none is left."""
        before = self.masks[v]
        after = before & mask
        if after != before:
            if not after:
                raise Contradiction(why)
            self.trail.write(self.masks, v, after)
            self.changed.append(v)

    def keep_between(self, v: int, low: float, high: float, why: str) -> None:
        """Remove all values of the variable below ``low`` and above ``high``, which may be infinite."""
        below, upto = bisect_left(self.values, low), bisect_right(self.values, high)
        self.keep(v, (1 << upto) - (1 << below) if below < upto else 0, why)

    def least(self, v: int) -> int:
        """Return the least value that the variable can take."""
        mask = self.masks[v]
        return self.values[(mask & -mask).bit_length() - 1]

    def most(self, v: int) -> int:
        """Return the greatest value that the variable can take."""
        return self.values[self.masks[v].bit_length() - 1]

    def least_of(self, variables: Iterable[int]) -> list[int]:
        """Return the least value of each variable, in half the time of one call of ``least`` each."""
        masks = [self.masks[v] for v in variables]
        return [self.values[(mask & -mask).bit_length() - 1] for mask in masks]

    def most_of(self, variables: Iterable[int]) -> list[int]:
        """Return the greatest value of each variable, in half the time of one call of ``most`` each."""
        return [self.values[self.masks[v].bit_length() - 1] for v in variables]

    def taken(self, v: int) -> tuple[int, ...]:
        """Return the values that the variable can take, in increasing order."""
        mask, values = self.masks[v], []
        while mask:
            bit = mask & -mask
            values.append(self.values[bit.bit_length() - 1])
            mask ^= bit
        return tuple(values)


# What rows and clauses are written in.


class BoundedSum(NamedTuple):
    """The coefficients of a linear sum of all variables, and the least and the greatest value allowed.

    Without coefficients each variable counts once. None is not a bound.
    """

    coefficients: tuple[int, ...]
    low: int | None
    high: int | None

    @property
    def interval(self) -> tuple[float, float]:
        """The bounds as numbers; one that is missing is infinite."""
        return -inf if self.low is None else self.low, inf if self.high is None else self.high

    def allows(self, total: int) -> bool:
        """Whether the sum may have this value."""
        low, high = self.interval
        return low <= total <= high


class Row(NamedTuple):
    """A linear row: ``low <= Σ coefficient · item <= high``; the bounds may be infinite.

    An item is a pair (variable = value) or a column of a ``RowBuilder``. ``family`` and ``label`` name the
    row in exported models.
    """

    family: str
    label: tuple[Any, ...]
    low: float
    high: float
    terms: list[tuple[int, float]]


class RowBuilder(Protocol):
    """What a constraint's 0-1 rows are written in: pairs (variable = value), and columns of its own."""

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the domain of a variable."""

    def name(self, v: int) -> str:
        """Return the name of a variable."""

    def written(self, value: int, v: int) -> str:
        """Return a value as people read it."""

    def pairs_of(self, variables: Iterable[int]) -> list[tuple[int, int, int]]:
        """Return (item, variable, value) for every value of the variables."""

    def add_column(self, family: str, label: tuple[Any, ...]) -> int:
        """Add a binary column and return its item. The variables should determine its value."""


class Transitions(Protocol[State]):
    """A transition system that reads one value per variable; complete paths are solutions."""

    start: State
    """The state before the first value."""

    def step(self, place: int, state: State, value: int) -> State | None:
        """Return the state after the variable at ``place`` took the value; None if no path continues."""


class ClauseBuilder(Protocol):
    """What a constraint's clauses are written in: literals, numbered from 1, and common encodings."""

    true: int
    """A literal that always holds."""

    memory: dict[Any, Any]
    """Definitions that several constraints share."""

    @property
    def interrupted(self) -> Callable[[], object]:
        """Returns True once the encoding is to end early; long loops call it."""

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the domain of a variable."""

    def literal(self, v: int, value: int) -> int:
        """Return the literal of (variable = value), which is false for a value outside the domain."""

    def choices(self, variables: Sequence[int]) -> list[Mapping[int, int]]:
        """Return the literal of each value, for each variable."""

    def divisions(self, variables: Sequence[int]) -> list[list[list[int]]]:
        """Return the ways to divide these variables into blocks that are parts of other constraints, too.

        Empty for few variables. A row of a Sudoku has one block in each of its boxes; a box is divided by
        rows, and by columns.
        """

    def block(self, literals: Sequence[int]) -> int:
        """Return a literal that holds if one of these does, and require that no two do.

        The same literals have the same block.
        """

    def define(self, v: int, literals: Mapping[int, int]) -> None:
        """Let the literals, by value, stand for the values of a variable, which takes no other value.

        The caller adds clauses that require exactly one of them. If the variable has literals already, they
        become equivalent.
        """

    def new(self) -> int:
        """Return the positive literal of a new variable."""

    def add(self, *literals: int) -> None:
        """Add the clause of these literals."""

    def always(self) -> AbstractContextManager[None]:
        """Make the clauses added inside unconditional, since they define new literals."""

    def one_of(self, literals: Sequence[int]) -> None:
        """Add clauses that require exactly one of the literals."""

    def at_most_one_of(self, literals: Sequence[int]) -> None:
        """Add clauses that forbid any two of the literals."""

    def between(self, literals: Sequence[int], low: int, high: int) -> None:
        """Add clauses that require at least ``low`` and at most ``high`` of the literals."""

    def at_least(self, literals: Sequence[int], most: int) -> list[int]:
        """Return literals for "at least k of these hold", for k = 0, 1, … up to ``most`` or to all."""

    def follow(self, paths: Transitions[Any], choices: Sequence[Mapping[int, int]]) -> None:
        """Add clauses that require the chosen values to form a complete path."""

    def any_of(self, literals: Sequence[int]) -> int:
        """Return a literal that is equivalent to the disjunction of these."""


class Constraint:
    """A constraint on some variables of a problem; see the module.

    Subclasses are frozen dataclasses with the fields or properties ``variables``, each once, and ``label``,
    the rule of the game that the constraint states, in the player's words.
    """

    __slots__ = ()

    all_equal: ClassVar[bool] = False
    """Whether the constraint is that all variables take the same value."""

    all_different: ClassVar[bool] = False
    """Whether the constraint is that no two variables take the same value."""

    orders_values: ClassVar[bool] = False
    """Whether values are numbers for the constraint, which are added up or compared."""

    linearisations: ClassVar[Mapping[str, str]] = {}
    """Named ways to state the constraint in a 0-1 model: name → ``module:function``, the default first.

    The functions are named, not imported, so that listing the names loads no library; their contract is in
    ``milp_pips.formulations.milp``. Without any, ``linear_rows`` states the constraint.
    """

    restates_values: ClassVar[bool] = False
    """Whether ``renumbered`` also takes new numbers of the variables' values."""

    is_lazy: ClassVar[bool] = False
    """Whether engines may leave it out and add only those ``lazy_clauses`` that their points break."""

    if TYPE_CHECKING:  # a field of a subclass must not inherit a property, which would be its default

        @property
        def variables(self) -> tuple[int, ...]: ...

        @property
        def label(self) -> str: ...

    @property
    def type_name(self) -> str:
        """The name under which statistics count the constraint: that of its class, unless it says more."""
        return type(self).__name__

    def holds(self, assignment: Assignment) -> bool:
        """Return whether the assignment obeys the constraint, exactly."""
        raise NotImplementedError

    def propagator(self, domains: Domains) -> Callable[[], None]:
        """Return a function that removes values which no solution of the constraint has.

        It is called again whenever the domain of a variable of the constraint has shrunk. It raises
        Contradiction if the constraint has no solution. There is at least one variable, and none twice.
        """
        raise NotImplementedError

    def thorough_propagator(self, domains: Domains) -> Callable[[], None] | None:  # noqa: ARG002
        """Return a propagator that removes more values but takes longer; None if there is none.

        Large constraints use it once the other propagators remove nothing more.
        """
        return None

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """Yield rows whose 0-1 points, restricted to the pairs, are the solutions of the constraint."""
        raise NotImplementedError

    def default_linearisation(self, *, listing: bool, projecting: bool) -> str:  # noqa: ARG002
        """Return the name of the linearisation to use if none is named; empty for ``linear_rows``.

        ``listing`` is True if solutions are listed one after another, ``projecting`` if they are listed by
        some of their variables only.
        """
        return next(iter(self.linearisations), "")

    def clauses(self, builder: ClauseBuilder) -> bool:  # noqa: ARG002
        """Add clauses and return True; the default returns False, and the rows are encoded instead."""
        return False

    def lazy_clauses(
        self, point: Assignment, domains: Sequence[tuple[int, ...]]
    ) -> Iterator[list[tuple[int, int]]]:
        """Yield clauses that every solution obeys and the point does not: some if it breaks the constraint.

        One of the pairs (variable, value) of a clause must hold. ``domains`` are those of all variables of
        the problem. Only constraints that are ``is_lazy`` have them.
        """
        raise NotImplementedError

    def decision_automaton(self, domains: Sequence[tuple[int, ...]]) -> ConstraintAutomaton[Any] | None:  # noqa: ARG002
        """Return the automaton that decides the variables one by one, for decision diagrams; None for none.

        ``domains`` are those of the variables, none of them empty. Without an automaton the rows are used, or
        the values themselves if the rows need columns of their own.
        """
        return None

    def simplify(self, domains: Sequence[tuple[int, ...]]) -> Iterator[Constraint]:
        """Yield constraints that are together equivalent to this one, on as few variables as possible.

        ``domains`` are those of all variables of the problem, none of them empty. Each constraint that is
        yielded has a variable. A fixed variable that cannot be left out stays. Raises Contradiction if the
        constraint obviously cannot be met. The default decides the constraint if all its variables are fixed.
        """
        if all(len(domains[v]) == 1 for v in self.variables):
            self.demand(self.holds({v: domains[v][0] for v in self.variables}))
        else:
            yield self

    def demand(self, possible: bool) -> None:
        """Raise Contradiction, which names the rule, unless the constraint is possible."""
        if not possible:
            raise Contradiction(self.failure)

    def renumbered(self, number: Mapping[int, int], values: Mapping[int, Mapping[int, int]] = {}) -> Self:  # noqa: ARG002
        """Return the constraint with other numbers of its variables; ``number`` has all of them.

        Only constraints with ``restates_values`` take ``values``: the new numbers of the values of some
        variables. It has all values of their domains, to which the constraint is already simplified.
        """
        return replace(self, variables=tuple([number[v] for v in self.variables]))  # type: ignore[type-var]

    def parts(self) -> Iterator[tuple[str, Constraint]]:
        """Yield the name and the constraint of each part that a person may doubt by itself."""
        yield "", self

    def content(self, words: PlayersWords) -> str:  # noqa: ARG002
        """Return the content of the rule in a few words, used if its label is only a name; empty for none."""
        return ""

    def say(self, deduction: RuleDeduction, words: PlayersWords) -> Argument:
        """Return why something follows from the constraint alone, and what, as a player reads it."""
        why = words.known(deduction.facts, f"{deduction.title} must hold")
        return Argument(why, words.conclusion(deduction))

    def say_inside(self, deduction: RuleDeduction, words: PlayersWords) -> str:  # noqa: ARG002
        """Return what the constraint demands of every domino on two of its variables, as a clause."""
        return f"{deduction.title} limits the dominoes in it"

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        """Return False if a simple argument proves that the constraint cannot be met.

        ``domains`` are those of its variables, none of them empty. If each has one value, the result is
        exact. Proofs rest on this method where they must not rest on the propagators, so it shares no code
        with them.
        """
        if all(len(domain) == 1 for domain in domains):
            return self.holds({v: value for v, (value,) in zip(self.variables, domains, strict=True)})
        return True

    def obstruction(self, domains: Sequence[tuple[int, ...]]) -> str | None:  # noqa: ARG002
        """Return a proof, in one sentence, that the constraint cannot be met; None if there is none.

        ``domains`` are as for ``is_possible``. The sentence is the answer that a person reads first.
        """
        return None

    def most_taking(self, value: int, domains: Domains, few: int, many: int) -> int:  # noqa: ARG002
        """Return an upper bound on the number of variables that take the value.

        By their domains, ``few`` of them must take it, and ``many`` can.
        """
        return many

    @property
    def failure(self) -> str:
        """The reason of a contradiction if the constraint cannot be met."""
        return f"{self.label or 'a rule'} cannot be met"

    @property
    def bounded_sum(self) -> BoundedSum | None:
        """The sum that the constraint bounds, if that is all it states."""
        return None

    @property
    def is_weighted(self) -> bool:
        """Whether it bounds a sum with weights, as a linear relaxation does at once."""
        return self.bounded_sum is not None and bool(self.bounded_sum.coefficients)

    @property
    def permuted(self) -> tuple[int, ...]:
        """The variables, if any, whose multiset of values is the same in every solution."""
        return ()


NEEDED = ("holds", "propagator", "linear_rows")
"""The methods that every constraint must have."""


def missing_methods(kind: type[Constraint]) -> list[str]:
    """Return which of the methods that every constraint must have this class does not define."""
    return [method for method in NEEDED if getattr(kind, method) is getattr(Constraint, method)]
