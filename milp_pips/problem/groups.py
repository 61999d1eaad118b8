"""A problem taken apart: what always holds, and items that a solution must obey but a person may doubt.

Laying the dominoes without regard to how many there are of which kind, one value in every cell: that is the
game itself, and always holds. What makes a puzzle of it are the items: one for every rule, for every kind of
domino, every given. Sums fall into "at least" and "at most", counted values into one item each, since half a
rule is often all the reason that is needed. All items together say what the problem says.

Stated over the vocabulary of ``milp_pips.problem``, so this is the same for every family.
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
    """The cells are perfectly matched along edges, and every matched pair of values is one of the kinds.

    A ``DominoCover`` that need not say how often each kind is there; numbering and names are the same.
    ``limits`` holds the least and the greatest number of each kind where they are limited.
    """

    values: tuple[int, ...]
    partners: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    kinds: tuple[tuple[int, int], ...]
    label: str = ""
    limits: tuple[tuple[int, int], ...] = ()

    @property
    def bounds(self) -> dict[tuple[int, int], tuple[int, int]]:
        """How often each kind of domino is laid, at least and at most."""
        limits = self.limits or ((0, len(self.values) // 2),) * len(self.kinds)
        return dict(zip(self.kinds, limits, strict=True))

    @property
    def variables(self) -> tuple[int, ...]:
        return self.values + self.partners

    def edges_near(self, variables: Collection[int], further: int) -> list[tuple[int, int]]:
        """Return the edges from the cells of some variables, and from the cells so many steps further."""
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
    """Of one kind, so many dominoes or more (``>=``), so many or fewer (``<=``) lie on the board."""

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
    """Yield the values of every matched pair, the lower first; None for a cell that is in none."""
    edges, partner = set(tiling.edges), [assignment[v] for v in tiling.partners]
    for i, j in enumerate(partner):
        if not 0 <= j < len(partner) or partner[j] != i or (min(i, j), max(i, j)) not in edges:
            yield None
        elif i < j:
            a, b = assignment[tiling.values[i]], assignment[tiling.values[j]]
            yield min(a, b), max(a, b)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A variable has this value: a given of the puzzle, or a move of the player."""

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
    """One or more of the facts hold; a fact is a variable, a value, and whether the variable has it."""

    facts: tuple[tuple[int, int, bool], ...]
    label: str = ""

    @property
    def variables(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(v for v, _, _ in self.facts))

    def holds(self, assignment: Assignment) -> bool:
        return any((assignment[v] == value) is holds for v, value, holds in self.facts)


class ConstraintGroup(NamedTuple):
    """One thing that a solution must obey.

    Parameters
    ----------
    kind
        ``rule``, ``dominoes``, ``given`` or ``move``.
    piece
        What it says, exactly.
    rule
        The number of the constraint in ``problem.constraints`` that it is the whole or a part of; -1 for
        givens and moves.
    part
        Of a rule: ``at least`` or ``at most`` where it is half a sum, else empty. Of dominoes: ``only``
        (there are no more of a kind) or ``all`` (as many must be laid).
    """

    kind: str
    piece: Constraint
    rule: int = -1
    part: str = ""

    @property
    def label(self) -> str:
        """The rule of the game that it is of, in the player's words."""
        return self.piece.label


@dataclass(frozen=True, slots=True)
class GroupedProblem:
    """What always holds, and the items; see the module.

    Parameters
    ----------
    problem
        What was taken apart.
    variables
        The same variables; those that are given have all values again.
    hard
        The constraints that always hold.
    items
        Everything else.
    """

    problem: Problem
    variables: tuple[Variable, ...]
    hard: tuple[Constraint, ...]
    items: tuple[ConstraintGroup, ...]

    def with_moves(self, moves: Mapping[int, int]) -> GroupedProblem:
        """Return the same with moves, values by variable, as further items."""
        items = [
            ConstraintGroup("move", Fixed(v, value, self.variables[v].name))
            for v, value in sorted(moves.items())
        ]
        return replace(self, items=(*self.items, *items))

    def without(self, kind: str) -> GroupedProblem:
        """Return the same without the items of a kind."""
        return replace(self, items=tuple(item for item in self.items if item.kind != kind))

    def part(self, items: Iterable[int], variables: Collection[int]) -> GroupedProblem:
        """Return what some items say of some variables, which must be all of theirs; others are left idle.

        Only without constraints that always hold.
        """
        return replace(self, variables=self._idle_but(variables), items=tuple(self.items[i] for i in items))

    def near(self, variables: Collection[int], further: int) -> GroupedProblem:
        """Return the same on the cells of some variables alone, and on those so many steps further.

        Of a tiling every edge from such a cell says by itself what lies there; all other variables are left
        idle. So whatever follows here from items, all of whose variables must be here, follows in the whole.
        """
        hard = [
            piece
            for tiling in self.hard
            if isinstance(tiling, Tiling)
            for edge in tiling.edges_near(variables, further)
            for piece in _alone(tiling, edge, self.variables)
        ]
        here = {*variables, *(v for piece in hard for v in piece.variables)}
        return replace(self, variables=self._idle_but(here), hard=tuple(hard))

    def _idle_but(self, here: Collection[int]) -> tuple[Variable, ...]:
        """Return the variables, all but some of them with one value only."""
        return tuple(
            variable if v in here else unchecked_variable(variable.name, variable.domain[:1])
            for v, variable in enumerate(self.variables)
        )

    def problem_of(
        self,
        items: Iterable[ConstraintGroup],
        facts: Iterable[tuple[int, int, bool]] = (),
        denied: Sequence[tuple[int, int, bool]] = (),
    ) -> Problem:
        """Return the problem that some items state with facts, of which a solution must break a denied one.

        It has no solution if and only if the items and facts clash, or all that is denied follows from them.
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
        """Whether the assignment obeys what always holds, and the items with these numbers."""
        if any(a not in v.domain for v, a in zip(self.variables, assignment, strict=True)):
            return False
        pieces = (*self.hard, *(self.items[i].piece for i in items))
        return all(piece.holds(assignment) for piece in pieces)


def group_constraints(problem: Problem) -> GroupedProblem:
    """Return the problem taken apart into what always holds and items that together say the same."""
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
"""What the two parts of "so many dominoes of a kind" are called."""


def tiling_of(cover: DominoCover) -> Tiling:
    """Return the cover without its numbers of dominoes."""
    return Tiling(cover.values, cover.partners, cover.edges, tuple(cover.kinds), cover.label)


def usages(cover: DominoCover) -> Iterator[Usage]:
    """Yield what the cover says beyond its tiling: no more of a kind, and no fewer, for each kind."""
    tiling = tiling_of(cover)
    for kind, times in cover.kinds.items():
        for relation in PARTS:
            yield Usage(tiling, kind, relation, times, cover.label)


def _alone(tiling: Tiling, edge: tuple[int, int], variables: Sequence[Variable]) -> Iterator[Table]:
    """Yield what an edge says by itself: each of its cells is the other's partner, and a kind lies there.

    Or neither is, and they show what they like.
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
    """Return the tiling with the numbers that are said of its kinds."""
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
    """Yield the parts into which a rule falls, and what each of them is called."""
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
