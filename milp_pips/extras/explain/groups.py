"""A problem split into hard constraints and items, the constraint groups that a person may doubt.

The hard constraints are the game itself: every cell has one value, and dominoes cover the cells, however many
there are of each kind. The items make a puzzle of the game: there is one for every rule, for every bound on a
kind of domino and for every given. A sum is split into "at least" and "at most", and counted values into one
item each, since half a rule is often reason enough. All items together are equivalent to the problem.

The module uses only the vocabulary of ``milp_pips.constraints``, so it works for every family.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple, cast

from milp_pips.constraints import AnyOf, Fixed, Relation, Table, covers_of
from milp_pips.constraints.domino_cover.tiling import PARTS, Tiling, Usage, tiling_of, usages
from milp_pips.problem import Constraint, Problem, Variable
from milp_pips.problem.deduction import Fact
from milp_pips.problem.problem import unchecked_variable


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

    @property
    def is_value(self) -> bool:
        """Whether the item is a value on the board, a given or a move."""
        return self.kind in ("given", "move")

    @property
    def fact(self) -> Fact:
        """The fact that a given or a move states."""
        assert self.is_value
        piece = cast("Fixed", self.piece)
        return Fact(piece.variable, piece.value, True)

    @property
    def usage(self) -> Usage:
        """The bound on a kind of domino, of an item of kind ``dominoes``."""
        assert self.kind == "dominoes"
        return cast("Usage", self.piece)


def cost_of_item(item: ConstraintGroup) -> float:
    """Return how hard it is to keep an item in mind; of two reasons the cheaper one is shown."""
    if item.is_value:
        return 0.0
    return 3.0 if item.kind == "dominoes" else 1.5 + 0.5 * len(item.piece.variables)


@dataclass(frozen=True)
class GroupedProblem:
    """A problem split into hard constraints and items; see the module docstring.

    Parameters
    ----------
    problem
        The problem that was split.
    variables
        Its variables; those with a given value have the full domain again.
    tilings
        The domino covers without the numbers of dominoes of each kind; they always hold.
    items
        All other constraints, and the givens.
    edges
        In place of tilings: the constraints of single edges, which always hold.
    """

    problem: Problem
    variables: tuple[Variable, ...]
    tilings: tuple[Tiling, ...]
    items: tuple[ConstraintGroup, ...]
    edges: tuple[Constraint, ...] = ()

    @property
    def hard(self) -> tuple[Constraint, ...]:
        """The constraints that always hold."""
        return (*self.tilings, *self.edges)

    @cached_property
    def partners(self) -> Mapping[int, tuple[Tiling, int]]:
        """For each partner variable its tiling, and there the position of the cell that it describes."""
        return {v: (tiling, i) for tiling in self.tilings for i, v in enumerate(tiling.partners)}

    def cell(self, v: int) -> int:
        """Return the value variable of the cell that a variable belongs to."""
        if v not in self.partners:
            return v
        tiling, i = self.partners[v]
        return tiling.values[i]

    def ends(self, fact: Fact) -> tuple[int, int] | None:
        """Return the two cells of a fact about a domino; None for a fact about a value."""
        if fact.variable not in self.partners:
            return None
        tiling, i = self.partners[fact.variable]
        return tiling.values[i], tiling.values[fact.value]

    def turned(self, fact: Fact) -> Fact | None:
        """Return a fact about a domino from its other cell; None for a fact about a value."""
        if fact.variable not in self.partners:
            return None
        tiling, i = self.partners[fact.variable]
        return Fact(tiling.partners[fact.value], i, fact.holds)

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

    def near(self, variables: Collection[int], further: int) -> GroupedProblem:
        """Return the subproblem on the cells of the variables and the cells up to ``further`` steps away.

        Each edge of a tiling at such a cell becomes constraints of its own, and all other variables keep one
        value. The subproblem relaxes the tiling, so whatever it implies holds in the whole problem, provided
        that it contains all variables of the items used.
        """
        edges = tuple(
            piece
            for tiling in self.tilings
            for edge in tiling.edges_near(variables, further)
            for piece in _alone(tiling, edge, self.variables)
        )
        kept = {*variables, *(v for piece in edges for v in piece.variables)}
        return replace(self, variables=self._idle_but(kept), tilings=(), edges=edges)

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
        items = list(items)
        domains = [set(variable.domain) for variable in self.variables]
        for v, value, holds in (*facts, *(item.fact for item in items if item.is_value)):
            domains[v] = domains[v] & {value} if holds else domains[v] - {value}
        pieces = [item.piece for item in items if item.kind == "rule"]
        usages = [item.usage for item in items if item.kind == "dominoes"]
        hard = (*(_limited(tiling, usages) for tiling in self.tilings), *self.edges)
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
    covers = covers_of(problem.constraints)
    hidden = {v for cover in covers for v in cover.partners} | {*problem.auxiliary}
    everything = tuple(
        sorted(
            {x for v, variable in enumerate(problem.variables) if v not in hidden for x in variable.domain}
        )
    )
    variables, items = list(problem.variables), list[ConstraintGroup]()
    for v, (name, domain) in enumerate(problem.variables):
        if len(domain) == 1 and len(everything) > 1 and v not in hidden:
            variables[v] = Variable(name, everything)
            items.append(ConstraintGroup("given", Fixed(v, domain[0], name)))
    for number, constraint in enumerate(problem.constraints):
        cover = next((cover for cover in covers if cover is constraint), None)
        if cover is None:
            items += [ConstraintGroup("rule", piece, number, part) for part, piece in constraint.parts()]
        else:
            bounds = ((PARTS[usage.relation], usage) for usage in usages(cover))
            items += [ConstraintGroup("dominoes", usage, number, part) for part, usage in bounds]
    return GroupedProblem(problem, tuple(variables), tuple(map(tiling_of, covers)), tuple(items))


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
