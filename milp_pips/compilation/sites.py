"""The sites of a problem, in which a diagram decides it: plain variables one by one, cells two by two."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from milp_pips.compilation.limits import NO_LIMITS, Allowance, Unsupported
from milp_pips.constraints import DominoCover, covers_of, rules_of
from milp_pips.constraints.domino_cover.board import adjacency_lists
from milp_pips.constraints.sums import WeightedSumAutomaton
from milp_pips.problem.automaton import ConstraintAutomaton, Domain
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import Contradiction, UsageError
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

    Raises Unsupported if no decision diagram of the problem can be made, Contradiction if the problem
    obviously has no solution, and Unfinished.
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
        near = adjacency_lists(len(cover.values), cover.open_edges(self.domains.__getitem__))
        cells = zip(cover.values, cover.partners, near, strict=True)
        self.sites = [Site(value, partner, tuple(sorted(set(others)))) for value, partner, others in cells]
        self.sites += [Site(v) for v in sorted(set(range(len(self.domains))).difference(cover.variables))]
        if not all(self.domains) or len(cover.values) != 2 * len(cover.dominoes):
            raise Contradiction("a variable has no value, or there are too many or too few dominoes")
        self.rules: list[SiteRule] = []
        home = {v: s for s, site in enumerate(self.sites) for v in site.variables}
        for constraint in rules_of(problem.constraints):
            allowance.spend()
            variables = constraint.variables
            if variables:
                automaton = automaton_of(constraint, self.domains, problem)
                self.rules.append(SiteRule(automaton, variables, tuple(home[v] for v in variables)))
            elif not constraint.holds(()):
                raise Contradiction(f"{constraint.label} cannot be met")


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


# Automata of constraints that have none of their own: from their linear rows, else from their values.

Window: TypeAlias = tuple[int, int]
"""The bounds on what the open variables contribute to a row."""


def automaton_of(
    constraint: Constraint, domains: Sequence[Domain], problem: Problem
) -> ConstraintAutomaton[Any]:
    """Return the automaton of a constraint on at least one variable of a problem.

    ``domains`` are those of all variables, which may be smaller than in the problem.
    """
    own = [domains[v] for v in constraint.variables]
    automaton = constraint.decision_automaton(own)
    if automaton is not None:
        return automaton
    rows = _row_automata(constraint, own, problem)
    if rows is None:
        return ValuesAutomaton(own, constraint)
    return rows[0] if len(rows) == 1 else RowsAutomaton(own, rows)


def _row_automata(
    constraint: Constraint, own: Sequence[Domain], problem: Problem
) -> list[WeightedSumAutomaton] | None:
    """Return the automaton of each linear row of the constraint that can be violated.

    None if the rows need columns, or if sums over pairs cannot state them exactly.
    """
    from milp_pips.constraints.bridges import PairRows

    rows, automata = PairRows(problem.variables), []
    with suppress(UsageError):
        for row in rows.sums_of(constraint):
            if rows.auxiliary:
                return None
            weights = row.weights
            of_places = [weights.get(v, {}) for v in constraint.variables]
            automaton = WeightedSumAutomaton(own, of_places, *row.limits)
            if automaton.start != automaton.range:
                automata.append(automaton)
        return automata
    return None


class RowsAutomaton(ConstraintAutomaton[tuple[Window, ...]]):
    """A state is the window of each row, clipped to what the open variables can contribute.

    So all histories after which a row can no longer be violated have the same window.
    """

    symmetric = False

    def __init__(self, domains: Sequence[Domain], rows: Sequence[WeightedSumAutomaton]):
        super().__init__(domains)
        self._rows = rows
        self.start = tuple([row.start for row in rows])

    def step(self, state: tuple[Window, ...], rest: int, place: int, value: int) -> tuple[Window, ...] | None:
        following = []
        for row, window in zip(self._rows, state, strict=True):
            after = row.step(window, rest, place, value)
            if after is None:
                return None
            following.append(after)
        return tuple(following)

    def state_bits(self, decided: int) -> float:
        return min(self.choice_bits(decided), sum([row.state_bits(decided) for row in self._rows]))


class ValuesAutomaton(ConstraintAutomaton[tuple[int, ...]]):
    """A state is the values of the decided variables; the constraint is checked once all are decided."""

    start: tuple[int, ...] = ()
    symmetric = False

    def __init__(self, domains: Sequence[Domain], constraint: Constraint):
        super().__init__(domains)
        self._constraint = constraint

    def step(self, state: tuple[int, ...], rest: int, place: int, value: int) -> tuple[int, ...] | None:
        before = place - (rest & (1 << place) - 1).bit_count()
        following = (*state[:before], value, *state[before:])
        if not rest:
            assignment = dict(zip(self._constraint.variables, following, strict=True))
            return () if self._constraint.holds(assignment) else None
        return following

    def state_bits(self, decided: int) -> float:
        return self.choice_bits(decided)
