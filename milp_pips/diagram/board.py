"""A problem as a diagram decides it: plain variables one by one, the cells of a domino cover two by two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from milp_pips.diagram.budget import Budget, Unsupported
from milp_pips.diagram.rules import Rule, accumulator
from milp_pips.problem import DominoCover, Problem


@dataclass(frozen=True, slots=True)
class Site:
    """What is decided at once: a plain variable, or the value and the partner of a cell of the domino cover.

    ``near`` are the sites of the cells that a cell may be matched with.
    """

    value: int
    partner: int | None = None
    near: tuple[int, ...] = ()

    @property
    def variables(self) -> tuple[int, ...]:
        """The variables that are decided."""
        return (self.value,) if self.partner is None else (self.value, self.partner)


class Board:
    """The sites of a problem, first the cells of the domino cover; their domains, rules and dominoes.

    ``solvable`` is False where a glance shows that there is no solution; the rest is not to be used then.

    Raises
    ------
    Unsupported
        For a problem that no decision diagram can be made of.
    """

    def __init__(self, problem: Problem):
        covers = [c for c in problem.constraints if isinstance(c, DominoCover)]
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
        covered = set(cover.variables)
        self.sites = _cells(cover, self.domains)
        self.sites += [Site(v) for v in range(len(self.domains)) if v not in covered]
        self.solvable = all(self.domains) and len(cover.values) == 2 * len(cover.dominoes)
        self.rules: list[Rule] = []
        if self.solvable:
            self._take_rules(problem)

    def _take_rules(self, problem: Problem) -> None:
        home = {v: s for s, site in enumerate(self.sites) for v in site.variables}
        for constraint in problem.constraints:
            variables = constraint.variables
            if not variables:
                self.solvable &= constraint.holds(())
            elif not isinstance(constraint, DominoCover):
                remembers = accumulator(constraint, [self.domains[v] for v in variables])
                self.rules.append(Rule(remembers, variables, tuple(home[v] for v in variables)))


def _cells(cover: DominoCover, domains: Sequence[tuple[int, ...]]) -> list[Site]:
    near: list[set[int]] = [set() for _ in cover.values]
    for i, j in cover.edges:
        if j in domains[cover.partners[i]] and i in domains[cover.partners[j]]:
            near[i].add(j)
            near[j].add(i)
    return [
        Site(value, partner, tuple(sorted(cells)))
        for value, partner, cells in zip(cover.values, cover.partners, near, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Choice:
    """Sites decided together: the first open one, with its partner if it is a cell.

    ``after`` is the bit mask of all sites that are decided then.
    """

    sites: tuple[int, ...]
    after: int


def skeleton(sites: Sequence[Site], order: Sequence[int], budget: Budget) -> list[dict[int, list[Choice]]]:
    """Return the ways to decide all sites, values left aside. Raises Unfinished.

    Layer ``i`` maps each set of decided sites whose first open site is ``order[i]`` to its choices; the last
    layer holds the set of all. A set is a bit mask. Sets whose open cells cannot be matched are left out: all
    of them, where the board's cells cannot be matched at all.
    """
    layers: list[dict[int, list[Choice]]] = [{} for _ in range(len(order) + 1)]
    layers[0][0] = []
    for i, s in enumerate(order):
        for decided, choices in layers[i].items():
            with_s = decided | 1 << s
            if sites[s].partner is None:
                choices.append(Choice((s,), with_s))
            else:
                choices += [Choice((s, t), with_s | 1 << t) for t in sites[s].near if not decided >> t & 1]
            for choice in choices:
                following = i + 1
                while following < len(order) and choice.after >> order[following] & 1:
                    following += 1
                layers[following].setdefault(choice.after, [])
            budget.spend(1)
    finishing = set(layers[-1])
    for layer in layers[-2::-1]:
        for decided, choices in list(layer.items()):
            choices[:] = [choice for choice in choices if choice.after in finishing]
            if choices:
                finishing.add(decided)
            else:
                del layer[decided]
    return layers
