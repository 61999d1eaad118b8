"""A problem split into hard constraints and items, the constraint groups that a person may doubt.

The hard constraints are the game itself: every cell has one value, and dominoes cover the cells, however many
there are of each kind. The items make a puzzle of the game: there is one for every rule, for every bound on a
kind of domino and for every given. A sum is split into "at least" and "at most", and counted values into one
item each, since half a rule is often reason enough. All items together are equivalent to the problem.

The module uses only the vocabulary of ``milp_pips.problem``, so it works for every family.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

from milp_pips.problem.problem import (
    Assignment,
    Cardinality,
    Constraint,
    DominoCover,
    LinearSum,
    Problem,
    Relation,
    Table,
    Variable,
    unchecked_variable,
)


@dataclass(frozen=True, slots=True)
class Tiling:
    """A constraint: the cells are perfectly matched along edges, and every matched value pair is of a kind.

    It is a ``DominoCover`` that need not fix the number of dominoes of each kind; numbering and names are the
    same. ``limits`` holds the least and the greatest number of each kind, or is empty for no limits.
    """

    values: tuple[int, ...]
    partners: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    kinds: tuple[tuple[int, int], ...]
    label: str = ""
    limits: tuple[tuple[int, int], ...] = ()

    @property
    def bounds(self) -> dict[tuple[int, int], tuple[int, int]]:
        """The least and the greatest number of dominoes of each kind."""
        limits = self.limits or ((0, len(self.values) // 2),) * len(self.kinds)
        return dict(zip(self.kinds, limits, strict=True))

    @property
    def variables(self) -> tuple[int, ...]:
        return self.values + self.partners

    def edges_near(self, variables: Collection[int], further: int) -> list[tuple[int, int]]:
        """Return the edges at the cells of the variables, and at all cells up to ``further`` steps away."""
        pairs = enumerate(zip(self.values, self.partners, strict=True))
        cells = {i for i, (value, partner) in pairs if value in variables or partner in variables}
        edges = [edge for edge in self.edges if not cells.isdisjoint(edge)]
        for _ in range(further):
            cells = {i for edge in edges for i in edge}
            edges = [edge for edge in self.edges if not cells.isdisjoint(edge)]
        return edges

    def holds(self, assignment: Assignment) -> bool:
        laid = Counter(laid_pairs(self, assignment))
        bounds = self.bounds
        return bounds.keys() >= laid.keys() and all(
            low <= laid[kind] <= high for kind, (low, high) in bounds.items()
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """A constraint: at least (``>=``) or at most (``<=``) ``times`` dominoes of a kind lie on the board."""

    tiling: Tiling
    kind: tuple[int, int]
    relation: Relation
    times: int
    label: str = ""

    @property
    def variables(self) -> tuple[int, ...]:
        return self.tiling.variables

    def holds(self, assignment: Assignment) -> bool:
        count = sum(pair == self.kind for pair in laid_pairs(self.tiling, assignment))
        return count <= self.times if self.relation is Relation.LE else count >= self.times


def laid_pairs(tiling: Tiling, assignment: Assignment) -> Iterator[tuple[int, int] | None]:
    """Yield the values of every matched pair, the lower first; None for a cell that is in no pair."""
    edges, partner = set(tiling.edges), [assignment[v] for v in tiling.partners]
    for i, j in enumerate(partner):
        if not 0 <= j < len(partner) or partner[j] != i or (min(i, j), max(i, j)) not in edges:
            yield None
        elif i < j:
            a, b = assignment[tiling.values[i]], assignment[tiling.values[j]]
            yield min(a, b), max(a, b)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A constraint: the variable has this value, as a given of the puzzle or a move of the player."""

    variable: int
    value: int
    label: str = ""

    @property
    def variables(self) -> tuple[int, ...]:
        return (self.variable,)

    def holds(self, assignment: Assignment) -> bool:
        return assignment[self.variable] == self.value


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A constraint: at least one fact holds. A fact is a variable, a value and whether it has that value."""

    facts: tuple[tuple[int, int, bool], ...]
    label: str = ""

    @property
    def variables(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(v for v, _, _ in self.facts))

    def holds(self, assignment: Assignment) -> bool:
        return any((assignment[v] == value) is holds for v, value, holds in self.facts)


class ConstraintGroup(NamedTuple):
    """An item: a constraint that a solution must obey, with its origin in the problem.

    Parameters
    ----------
    kind
        ``rule``, ``dominoes``, ``given`` or ``move``.
    piece
        The exact constraint.
    rule
        The number in ``problem.constraints`` of the constraint that contains it; -1 for givens and moves.
    part
        For a rule: ``at least`` or ``at most`` if it is half a sum, else empty. For dominoes: ``only`` (at
        most this number of a kind) or ``all`` (at least this number of a kind).
    """

    kind: str
    piece: Constraint
    rule: int = -1
    part: str = ""

    @property
    def label(self) -> str:
        """The rule of the game that contains the item, in the player's words."""
        return self.piece.label


@dataclass(frozen=True, slots=True)
class GroupedProblem:
    """A problem split into hard constraints and items; see the module docstring.

    Parameters
    ----------
    problem
        The problem that was split.
    variables
        Its variables; those with a given value have the full domain again.
    hard
        The constraints that always hold.
    items
        All other constraints, and the givens.
    """

    problem: Problem
    variables: tuple[Variable, ...]
    hard: tuple[Constraint, ...]
    items: tuple[ConstraintGroup, ...]

    def with_moves(self, moves: Mapping[int, int]) -> GroupedProblem:
        """Return a copy with the moves, values by variable, as further items."""
        items = [
            ConstraintGroup("move", Fixed(v, value, self.variables[v].name))
            for v, value in sorted(moves.items())
        ]
        return replace(self, items=(*self.items, *items))

    def without(self, kind: str) -> GroupedProblem:
        """Return a copy without the items of a kind."""
        return replace(self, items=tuple(item for item in self.items if item.kind != kind))

    def part(self, items: Iterable[int], variables: Collection[int]) -> GroupedProblem:
        """Return the subproblem of the given items and variables; all other variables keep one value.

        The variables must include all variables of the items, and there must be no hard constraints.
        """
        return replace(self, variables=self._idle_but(variables), items=tuple(self.items[i] for i in items))

    def near(self, variables: Collection[int], further: int) -> GroupedProblem:
        """Return the subproblem on the cells of the variables and the cells up to ``further`` steps away.

        Each edge of a tiling at such a cell becomes constraints of its own, and all other variables keep one
        value. The subproblem relaxes the tiling, so whatever it implies holds in the whole problem, provided
        that it contains all variables of the items used.
        """
        hard = [
            piece
            for tiling in self.hard
            if isinstance(tiling, Tiling)
            for edge in tiling.edges_near(variables, further)
            for piece in _alone(tiling, edge, self.variables)
        ]
        kept = {*variables, *(v for piece in hard for v in piece.variables)}
        return replace(self, variables=self._idle_but(kept), hard=tuple(hard))

    def _idle_but(self, kept: Collection[int]) -> tuple[Variable, ...]:
        """Return the variables, where all but those in ``kept`` have only the first value of their domain."""
        return tuple(
            variable if v in kept else unchecked_variable(variable.name, variable.domain[:1])
            for v, variable in enumerate(self.variables)
        )

    def problem_of(
        self,
        items: Iterable[ConstraintGroup],
        facts: Iterable[tuple[int, int, bool]] = (),
        denied: Sequence[tuple[int, int, bool]] = (),
    ) -> Problem:
        """Return the problem of the hard constraints, items and facts; a solution must break a denied fact.

        It has no solution if and only if the items and facts contradict each other or imply all denied facts.
        """
        domains = [set(variable.domain) for variable in self.variables]
        pieces, usages = list[Constraint](), list[Usage]()
        for v, value, holds in facts:
            domains[v] = domains[v] & {value} if holds else domains[v] - {value}
        for item in items:
            match item.piece:
                case Fixed(variable, value):
                    domains[variable] &= {value}
                case Usage() as usage:
                    usages.append(usage)
                case piece:
                    pieces.append(piece)
        hard = [_limited(c, usages) if isinstance(c, Tiling) else c for c in self.hard]
        if denied:
            pieces.append(AnyOf(tuple((v, value, not holds) for v, value, holds in denied)))
        stated = replace(self.problem, variables=self.variables, constraints=(*hard, *pieces))
        return stated.restricted(dict(enumerate(domains)))

    def holds(self, assignment: Sequence[int], items: Iterable[int]) -> bool:
        """Return whether the assignment obeys the hard constraints and the items with these numbers."""
        if any(a not in v.domain for v, a in zip(self.variables, assignment, strict=True)):
            return False
        pieces = (*self.hard, *(self.items[i].piece for i in items))
        return all(piece.holds(assignment) for piece in pieces)


def group_constraints(problem: Problem) -> GroupedProblem:
    """Return the problem split into hard constraints and items, which together are equivalent to it."""
    partners = {v for c in problem.constraints if isinstance(c, DominoCover) for v in c.partners}
    everything = tuple(
        sorted(
            {x for v, variable in enumerate(problem.variables) if v not in partners for x in variable.domain}
        )
    )
    variables, items = list(problem.variables), list[ConstraintGroup]()
    for v, (name, domain) in enumerate(problem.variables):
        if len(domain) == 1 and len(everything) > 1 and v not in partners:
            variables[v] = Variable(name, everything)
            items.append(ConstraintGroup("given", Fixed(v, domain[0], name)))
    hard = list[Constraint]()
    for number, constraint in enumerate(problem.constraints):
        if isinstance(constraint, DominoCover):
            hard.append(tiling_of(constraint))
            items += [
                ConstraintGroup("dominoes", usage, number, PARTS[usage.relation])
                for usage in usages(constraint)
            ]
        else:
            items += [ConstraintGroup("rule", piece, number, part) for part, piece in _pieces(constraint)]
    return GroupedProblem(problem, tuple(variables), tuple(hard), tuple(items))


PARTS = {Relation.LE: "only", Relation.GE: "all"}
"""The names of the two halves of the constraint that fixes the number of dominoes of a kind."""


def tiling_of(cover: DominoCover) -> Tiling:
    """Return the tiling of the cover, without the numbers of dominoes of each kind."""
    return Tiling(cover.values, cover.partners, cover.edges, tuple(cover.kinds), cover.label)


def usages(cover: DominoCover) -> Iterator[Usage]:
    """Yield the constraints of the cover beyond its tiling: an upper and a lower bound for each kind."""
    tiling = tiling_of(cover)
    for kind, times in cover.kinds.items():
        for relation in PARTS:
            yield Usage(tiling, kind, relation, times, cover.label)


def _alone(tiling: Tiling, edge: tuple[int, int], variables: Sequence[Variable]) -> Iterator[Table]:
    """Yield the constraints of a single edge of a tiling.

    Either its two cells are partners and their values form one of the kinds, or they are not partners and
    their values are free.
    """
    i, j = edge
    (p, q), (u, v) = (tiling.partners[i], tiling.partners[j]), (tiling.values[i], tiling.values[j])
    domains = [variables[each].domain for each in (p, q, u, v)]
    paired = [(a, b) for a, b in product(*domains[:2]) if (a == j) is (b == i)]
    yield Table((p, q), tuple(paired), tiling.label)
    kinds = {*tiling.kinds, *(kind[::-1] for kind in tiling.kinds)}
    if j in domains[0] and not kinds.issuperset(product(*domains[2:])):
        shown = product(domains[0], *domains[2:])
        yield Table((p, u, v), tuple(row for row in shown if row[0] != j or row[1:] in kinds), tiling.label)


def _limited(tiling: Tiling, usages: Iterable[Usage]) -> Tiling:
    """Return the tiling with the bounds of these usages as the limits of its kinds."""
    bounds = tiling.bounds
    for usage in usages:
        if usage.tiling == tiling:
            low, high = bounds[usage.kind]
            if usage.relation is Relation.LE:
                bounds[usage.kind] = low, min(high, usage.times)
            else:
                bounds[usage.kind] = max(low, usage.times), high
    return replace(tiling, limits=tuple(bounds.values()))


def _pieces(constraint: Constraint) -> Iterator[tuple[str, Constraint]]:
    """Yield the name and the constraint of each part into which a rule is split."""
    match constraint:
        case LinearSum(relation=Relation.EQ):
            yield "at least", replace(constraint, relation=Relation.GE)
            yield "at most", replace(constraint, relation=Relation.LE)
        case LinearSum():
            yield "at least" if constraint.relation is Relation.GE else "at most", constraint
        case Cardinality():
            for triple in constraint.bounds:
                yield "", replace(constraint, bounds=(triple,))
        case _:
            yield "", constraint
