"""The layout of the search: it covers every cell and satisfies every rule, but may use the wrong dominoes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from random import Random
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from milp_pips.constraints import covers_of
from milp_pips.constraints.domino_cover.board import adjacency_lists
from milp_pips.problem import Constraint, Problem
from milp_pips.propagation.reductions import equality, pruning

Kind: TypeAlias = tuple[int, int]
"""A kind of domino, the lower pip first."""

Item = TypeVar("Item", bound=Hashable)

MAX_RULE_VARIABLES = 100
"""The most variables of a rule: windows contain whole rules, and must stay small."""

MAX_MOVE_VARIABLES = 8
"""The most variables that a small move changes: the cells of one region, or of a part of it."""


class Unsuited(Exception):
    """The search does not apply to this problem, or has stalled; the text states the reason."""


class Cluster(NamedTuple):
    """A variable with those linked to it by rules, and the further variables of the same rules."""

    inside: tuple[int, ...]
    beyond: tuple[int, ...]


class SoftCoverProblem:
    """A problem split into one cover, a soft constraint, and rules on few cells each, hard constraints.

    Parameters
    ----------
    problem
        The problem; propagation of its single rules reduces the domains.

    Attributes
    ----------
    reduced, cover
        The problem with its domains reduced, and its cover.
    near
        By cell, the cells that can share a domino with it.
    rules
        By variable, the constraints on it other than the cover.
    partners
        The partner variables of the cover.
    cell_of
        The cell of each value or partner variable of the cover.

    Raises
    ------
    Unsuited
        If there is not exactly one cover, a rule has partners or too many variables, or a domain is empty.
    """

    def __init__(self, problem: Problem):
        covers = covers_of(problem.constraints)
        if len(covers) != 1:
            raise Unsuited(f"the problem has {len(covers)} sets of dominoes instead of one")
        self.cover = cover = covers[0]
        self.reduced = pruning(equality(problem))
        self.domains = [variable.domain for variable in self.reduced.variables]
        if not all(self.domains):
            raise Unsuited("a variable has no possible value")
        self.rules: list[list[Constraint]] = [[] for _ in self.domains]
        for rule in problem.constraints:
            if rule is not cover:
                if len(rule.variables) > MAX_RULE_VARIABLES:
                    raise Unsuited(f"a rule has {len(rule.variables)} variables")
                for v in rule.variables:
                    self.rules[v].append(rule)
        self.partners = frozenset(cover.partners)
        if any(self.rules[v] for v in cover.partners):
            raise Unsuited("a rule restricts how dominoes lie")
        self.near = adjacency_lists(len(cover.values), cover.open_edges(self.domains.__getitem__))
        self._clusters: dict[int, Cluster] = {}
        self.cell_of = {v: i for part in (cover.values, cover.partners) for i, v in enumerate(part)}

    def rules_on(self, variables: Iterable[int]) -> list[Constraint]:
        """Return the rules on any of the variables, each once."""
        return list({id(rule): rule for v in variables for rule in self.rules[v]}.values())

    def cluster(self, variable: int) -> Cluster:
        """Return the cluster of a variable, with at most ``MAX_MOVE_VARIABLES`` variables inside."""
        if variable not in self._clusters:
            inside = self.linked_variables(variable, MAX_MOVE_VARIABLES)
            beyond = {u for rule in self.rules_on(inside) for u in rule.variables} - set(inside)
            self._clusters[variable] = Cluster(tuple(inside), tuple(sorted(beyond)))
        return self._clusters[variable]

    def linked_variables(self, variable: int, most: int) -> list[int]:
        """Return the variable and those linked to it by rules, nearest first, at most ``most`` of them."""
        found = [variable]
        seen = {variable}
        for v in found:
            for rule in self.rules[v]:
                new = [u for u in rule.variables if u not in seen]
                seen.update(new)
                found += new
            if len(found) >= most:
                break
        return found[:most]


class SoftLayout:
    """Values and partners of all cells, with the difference between the dominoes in use and the given set.

    A change takes time proportional to the number of changed cells, whatever the size of the problem.

    Parameters
    ----------
    problem
        The problem.
    point
        A value for every variable of the problem; it is changed in place. Partners form a perfect matching.

    Attributes
    ----------
    excess
        By kind, the number of dominoes in use minus those given; negative if some are missing.
    cost
        The number of surplus dominoes of all kinds together; 0 for a solution.
    """

    def __init__(self, problem: SoftCoverProblem, point: list[int]):
        self.problem = problem
        self.point = point
        self.excess: Counter[Kind] = Counter()
        self.excess.subtract(problem.cover.dominoes)
        self.cost = 0
        self._lying: dict[Kind, Bag[int]] = {}
        self._surplus: Bag[Kind] = Bag()
        for cell in range(len(problem.near)):
            if cell < self.partner(cell):
                self._lay(cell)

    def partner(self, cell: int) -> int:
        """Return the cell that shares the cell's domino."""
        return self.point[self.problem.cover.partners[cell]]

    def kind(self, cell: int) -> Kind:
        """Return the kind of the domino on the cell."""
        values = self.problem.cover.values
        a, b = self.point[values[cell]], self.point[values[self.partner(cell)]]
        return (a, b) if a <= b else (b, a)

    def surplus_cell(self, rng: Random) -> int:
        """Return a random cell of a random domino of a random surplus kind."""
        cell = self._lying[self._surplus.any(rng)].any(rng)
        return cell if rng.random() < 0.5 else self.partner(cell)

    def accept(self, changes: Mapping[int, int], most: int | None = None) -> bool:
        """Give variables new values unless the cost then exceeds ``most``; return whether this was done.

        Without ``most``, the cost must not rise. The caller ensures that the rules still hold and that the
        partners still form a perfect matching: every cell whose partner changes must be included.
        """
        changes = {v: x for v, x in changes.items() if x != self.point[v]}
        before = {v: self.point[v] for v in changes}
        allowed = self.cost if most is None else max(most, self.cost)
        self._change(changes)
        if self.cost <= allowed:
            return True
        self._change(before)
        return False

    def _change(self, changes: Mapping[int, int]) -> None:
        """Give variables new values, and update the counts of the dominoes on their cells."""
        for cell in self._dominoes_on(changes):
            self._take(cell)
        for v, x in changes.items():
            self.point[v] = x
        for cell in self._dominoes_on(changes):
            self._lay(cell)

    def _dominoes_on(self, variables: Iterable[int]) -> set[int]:
        """Return the lower cell of each domino that covers a cell with one of the variables."""
        cells = [self.problem.cell_of[v] for v in variables if v in self.problem.cell_of]
        return {min(cell, self.partner(cell)) for cell in cells}

    def _lay(self, cell: int) -> None:
        """Count the domino on a cell and its partner, of which this is the lower one."""
        kind = self.kind(cell)
        self.excess[kind] += 1
        if self.excess[kind] > 0:
            self.cost += 1
            if self.excess[kind] == 1:
                self._surplus.add(kind)
        self._lying.setdefault(kind, Bag()).add(cell)

    def _take(self, cell: int) -> None:
        """Undo ``_lay`` before the domino on a cell changes."""
        kind = self.kind(cell)
        if self.excess[kind] > 0:
            self.cost -= 1
            if self.excess[kind] == 1:
                self._surplus.remove(kind)
        self.excess[kind] -= 1
        self._lying[kind].remove(cell)


class Bag(Generic[Item]):
    """A set of items; adding, removing and drawing a random item take constant time."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._position: dict[Item, int] = {}

    def add(self, item: Item) -> None:
        """Add an item that is not in the bag."""
        self._position[item] = len(self._items)
        self._items.append(item)

    def remove(self, item: Item) -> None:
        """Remove an item; the last one takes its place."""
        position, last = self._position.pop(item), self._items.pop()
        if last != item:
            self._items[position] = last
            self._position[last] = position

    def any(self, rng: Random) -> Item:
        """Return a random item."""
        return self._items[int(rng.random() * len(self._items))]
