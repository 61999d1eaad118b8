"""A layout in the making: every cell is covered, every rule obeyed, but not all dominoes are given ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from random import Random
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from milp_pips.problem.problem import Constraint, DominoCover, Problem
from milp_pips.propagation import equality, pruning

Kind: TypeAlias = tuple[int, int]
"""A kind of domino, the lower pip first."""

Item = TypeVar("Item", bound=Hashable)

MAX_RULE_VARIABLES = 100
"""Variables that a rule may speak of: windows hold all of a rule, and must stay small."""

MAX_MOVE_VARIABLES = 8
"""Variables that a small move may change: the cells of one region, or of a part of it."""


class Unsuited(Exception):
    """The search cannot work on this problem; the text says why."""


class Cluster(NamedTuple):
    """A variable and those linked to it by rules, and the variables beyond that the same rules speak of."""

    inside: tuple[int, ...]
    beyond: tuple[int, ...]


class SoftCoverProblem:
    """A problem seen as one cover, which the search softens, and rules on few cells each, which always hold.

    Parameters
    ----------
    problem
        The problem; domains are reduced by what its rules imply one by one.

    Attributes
    ----------
    reduced, cover
        The problem with its domains reduced, and its cover.
    near
        By cell, the cells that can share a domino with it.
    rules
        By variable, the constraints beside the cover that speak of it.
    partners
        The partner variables of the cover.
    cell_of
        The cell of each value or partner variable of the cover.

    Raises
    ------
    Unsuited
        If there is not exactly one cover, a rule speaks of partners or of too many variables, or a variable
        is left without a value.
    """

    def __init__(self, problem: Problem):
        covers = [c for c in problem.constraints if isinstance(c, DominoCover)]
        if len(covers) != 1:
            raise Unsuited(f"the problem has {len(covers)} sets of dominoes to lay, not one")
        self.cover = cover = covers[0]
        self.reduced = pruning(equality(problem))
        self.domains = [variable.domain for variable in self.reduced.variables]
        if not all(self.domains):
            raise Unsuited("a variable can take no value")
        self.rules: list[list[Constraint]] = [[] for _ in self.domains]
        for rule in problem.constraints:
            if rule is not cover:
                if len(rule.variables) > MAX_RULE_VARIABLES:
                    raise Unsuited(f"a rule speaks of {len(rule.variables)} variables")
                for v in rule.variables:
                    self.rules[v].append(rule)
        self.partners = frozenset(cover.partners)
        if any(self.rules[v] for v in cover.partners):
            raise Unsuited("a rule says how dominoes lie")
        self.near: list[list[int]] = [[] for _ in cover.values]
        allowed = [set(self.domains[v]) for v in cover.partners]
        for i, j in cover.edges:
            if j in allowed[i] and i in allowed[j]:
                self.near[i].append(j)
                self.near[j].append(i)
        self._clusters: dict[int, Cluster] = {}
        self.cell_of = {v: i for part in (cover.values, cover.partners) for i, v in enumerate(part)}

    def rules_on(self, variables: Iterable[int]) -> list[Constraint]:
        """Return the rules that speak of any of the variables, each once."""
        return list({id(rule): rule for v in variables for rule in self.rules[v]}.values())

    def cluster(self, variable: int) -> Cluster:
        """Return the variable with those that rules link to it, up to ``MAX_MOVE_VARIABLES`` of them."""
        if variable not in self._clusters:
            inside = self.linked_variables(variable, MAX_MOVE_VARIABLES)
            beyond = {u for rule in self.rules_on(inside) for u in rule.variables} - set(inside)
            self._clusters[variable] = Cluster(tuple(inside), tuple(sorted(beyond)))
        return self._clusters[variable]

    def linked_variables(self, variable: int, most: int) -> list[int]:
        """Return the variable and those that rules link to it, nearest first, not more than ``most``."""
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
    """Values and partners of all cells, and how far the dominoes that lie are from those given.

    A change takes time by the number of cells that change, however large the problem.

    Parameters
    ----------
    problem
        What is to be solved.
    point
        A value for every variable of the problem; it is changed in place. Partners are a perfect matching.

    Attributes
    ----------
    excess
        By kind, how many dominoes lie beyond those given; negative where some are missing.
    cost
        How many dominoes lie beyond those given, of all kinds together; 0 for a solution.
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
        """Return a random cell of a domino of a random kind of which too many lie."""
        cell = self._lying[self._surplus.any(rng)].any(rng)
        return cell if rng.random() < 0.5 else self.partner(cell)

    def accept(self, changes: Mapping[int, int], most: int | None = None) -> bool:
        """Give variables new values, unless that costs more than ``most``; return whether it was done.

        Without ``most`` it must not cost more than before. Rules must stay obeyed and partners a matching:
        every cell whose partner changes must be among them.
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
        for cell in self._dominoes_on(changes):
            self._take(cell)
        for v, x in changes.items():
            self.point[v] = x
        for cell in self._dominoes_on(changes):
            self._lay(cell)

    def _dominoes_on(self, variables: Iterable[int]) -> set[int]:
        """Return the lower cell of each domino on a cell with one of the variables."""
        cells = [self.problem.cell_of[v] for v in variables if v in self.problem.cell_of]
        return {min(cell, self.partner(cell)) for cell in cells}

    def _lay(self, cell: int) -> None:
        kind = self.kind(cell)
        self.excess[kind] += 1
        if self.excess[kind] > 0:
            self.cost += 1
            if self.excess[kind] == 1:
                self._surplus.add(kind)
        self._lying.setdefault(kind, Bag()).add(cell)

    def _take(self, cell: int) -> None:
        kind = self.kind(cell)
        if self.excess[kind] > 0:
            self.cost -= 1
            if self.excess[kind] == 1:
                self._surplus.remove(kind)
        self.excess[kind] -= 1
        self._lying[kind].remove(cell)


class Bag(Generic[Item]):
    """Different items; adding one, taking one out and drawing a random one take the same time in any bag."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._position: dict[Item, int] = {}

    def add(self, item: Item) -> None:
        """Put an item in that is not there yet."""
        self._position[item] = len(self._items)
        self._items.append(item)

    def remove(self, item: Item) -> None:
        """Take an item out; the last one takes its place."""
        position, last = self._position.pop(item), self._items.pop()
        if last != item:
            self._items[position] = last
            self._position[last] = position

    def any(self, rng: Random) -> Item:
        """Return a random item."""
        return self._items[int(rng.random() * len(self._items))]
