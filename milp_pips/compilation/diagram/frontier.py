"""The sites of a problem, in which a diagram decides it: plain variables one by one, cells two by two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from milp_pips.compilation.diagram.budget import NO_LIMITS, Allowance, Unsupported
from milp_pips.compilation.diagram.fallback import automaton_of
from milp_pips.constraints import DominoCover, covers_of, rules_of
from milp_pips.problem.automaton import ConstraintAutomaton
from milp_pips.problem.problem import Problem


@dataclass(frozen=True, slots=True)
class Site:
    """Variables that are decided together: one plain variable, or the value and the partner of a cell.

    ``near`` are the sites of the cells that may be the partner of a cell.
    """

    value: int
    partner: int | None = None
    near: tuple[int, ...] = ()

    @property
    def variables(self) -> tuple[int, ...]:
        """The variables of the site."""
        return (self.value,) if self.partner is None else (self.value, self.partner)


@dataclass(frozen=True, slots=True)
class SiteRule:
    """A constraint: its automaton, its variables, and the site that decides each of them."""

    automaton: ConstraintAutomaton[Any]
    variables: tuple[int, ...]
    sites: tuple[int, ...]


class FrontierBoard:
    """The sites of a problem, first the cells of the domino cover; their domains, rules and dominoes.

    ``solvable`` is False if the problem obviously has no solution; then the other attributes must not be
    used. Raises Unsupported if no decision diagram of the problem can be made, and Unfinished.
    """

    def __init__(self, problem: Problem, allowance: Allowance = NO_LIMITS):
        covers = covers_of(problem.constraints)
        if len(covers) > 1:
            raise Unsupported("no decision diagram for a problem with two domino covers")
        cover = covers[0] if covers else DominoCover((), (), (), ())
        if len(set(cover.variables)) < len(cover.variables):
            raise Unsupported("no decision diagram where a domino cover names a variable twice")
        self.dominoes = cover.kinds
        pips = {pip for domino in self.dominoes for pip in domino}
        self.domains = [variable.domain for variable in problem.variables]
        for v in cover.values:
            self.domains[v] = tuple(value for value in self.domains[v] if value in pips)
        near: list[set[int]] = [set() for _ in cover.values]
        for i, j in cover.edges:
            if j in self.domains[cover.partners[i]] and i in self.domains[cover.partners[j]]:
                near[i].add(j)
                near[j].add(i)
        cells = zip(cover.values, cover.partners, near, strict=True)
        self.sites = [Site(value, partner, tuple(sorted(others))) for value, partner, others in cells]
        self.sites += [Site(v) for v in sorted(set(range(len(self.domains))).difference(cover.variables))]
        self.solvable = all(self.domains) and len(cover.values) == 2 * len(cover.dominoes)
        self.rules: list[SiteRule] = []
        home = {v: s for s, site in enumerate(self.sites) for v in site.variables}
        for constraint in rules_of(problem.constraints) if self.solvable else ():
            allowance.spend()
            variables = constraint.variables
            if not variables:
                self.solvable &= constraint.holds(())
            else:
                automaton = automaton_of(constraint, self.domains, problem)
                self.rules.append(SiteRule(automaton, variables, tuple(home[v] for v in variables)))


Choice: TypeAlias = tuple[tuple[int, ...], int]
"""The sites to decide together (the first open site, and its partner if it is a cell), and the bit mask of
all sites that are decided afterwards."""


def frontiers(
    sites: Sequence[Site], order: Sequence[int], allowance: Allowance
) -> list[dict[int, list[Choice]]]:
    """Return the ways to decide all sites one after another, without their values. Raises Unfinished.

    Layer ``i`` maps each set of decided sites whose first open site is ``order[i]`` to its choices. The last
    layer contains the set of all sites. A set is a bit mask. Sets whose open cells cannot be matched are left
    out; these are all sets if the cells of the board cannot be matched at all.
    """
    layers: list[dict[int, list[Choice]]] = [{} for _ in range(len(order) + 1)]
    layers[0][0] = []
    # Forward pass: make all sets that the empty set can reach, each in the layer of its first open site.
    for i, s in enumerate(order):
        for decided, choices in layers[i].items():
            with_s = decided | 1 << s
            if sites[s].partner is None:
                choices.append(((s,), with_s))
            else:
                choices += [((s, t), with_s | 1 << t) for t in sites[s].near if not decided >> t & 1]
            for _, after in choices:
                following = i + 1
                while following < len(order) and after >> order[following] & 1:
                    following += 1
                layers[following].setdefault(after, [])
            allowance.spend(1)
    # Backward pass: remove the sets and choices from which the set of all sites cannot be reached.
    finishing = set(layers[-1])
    for layer in layers[-2::-1]:
        for decided, choices in list(layer.items()):
            choices[:] = [choice for choice in choices if choice[1] in finishing]
            if choices:
                finishing.add(decided)
            else:
                del layer[decided]
    return layers
