"""What the search needs to know of a problem, looked up once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from milp_pips.presolve import presolved
from milp_pips.problem import Constraint, DominoCover, Problem

WIDEST = 100
"""Variables that a rule may speak of: windows hold all of a rule, and must stay small."""


LARGEST = 8
"""Variables that a small move may change: the cells of one region, or of a part of it."""


class Unsuited(Exception):
    """The search cannot work on this problem; the text says why."""


class Region(NamedTuple):
    """A variable and those tied to it by rules, and the variables beyond that the same rules speak of."""

    inside: tuple[int, ...]
    beyond: tuple[int, ...]


class Board:
    """A problem seen as one cover, which the search softens, and rules on few cells each, which always hold.

    Parameters
    ----------
    problem
        The problem; domains are reduced by what its rules imply one by one.

    Attributes
    ----------
    problem, cover
        The reduced problem and its cover.
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
        self.problem = presolved(problem, ("equality", "pruning"))
        self.domains = [variable.domain for variable in self.problem.variables]
        if not all(self.domains):
            raise Unsuited("a variable can take no value")
        self.rules: list[list[Constraint]] = [[] for _ in self.domains]
        for rule in problem.constraints:
            if rule is not cover:
                if len(rule.variables) > WIDEST:
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
        self._regions: dict[int, Region] = {}
        self.cell_of = {v: i for part in (cover.values, cover.partners) for i, v in enumerate(part)}

    def rules_on(self, variables: Iterable[int]) -> list[Constraint]:
        """Return the rules that speak of any of the variables, each once."""
        return list({id(rule): rule for v in variables for rule in self.rules[v]}.values())

    def region(self, variable: int) -> Region:
        """Return the variable with those that rules tie to it, up to ``LARGEST`` of them."""
        if variable not in self._regions:
            inside = self.tied(variable, LARGEST)
            beyond = {u for rule in self.rules_on(inside) for u in rule.variables} - set(inside)
            self._regions[variable] = Region(tuple(inside), tuple(sorted(beyond)))
        return self._regions[variable]

    def tied(self, variable: int, most: int) -> list[int]:
        """Return the variable and those that rules tie to it, nearest first, not more than ``most``."""
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
