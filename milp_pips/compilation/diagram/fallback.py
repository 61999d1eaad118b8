"""Automata of constraints that have none of their own: from their linear rows, else from their values."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from milp_pips.constraints.bridges import PairRows
from milp_pips.constraints.weighted_sum import WeightedSumAutomaton
from milp_pips.problem.automaton import ConstraintAutomaton, Domain
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem

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
    return ValuesAutomaton(own, constraint) if rows is None else RowsAutomaton(own, rows)


def _row_automata(
    constraint: Constraint, own: Sequence[Domain], problem: Problem
) -> list[WeightedSumAutomaton] | None:
    """Return the automaton of each linear row of the constraint that can be violated.

    None if the rows need columns, or if sums over pairs cannot state them exactly.
    """
    rows, automata = PairRows(problem.variables), []
    with suppress(UsageError):
        for row in rows.sums_of(constraint):
            if rows.auxiliary:
                return None
            weights = row.weights
            of_places = [weights.get(v, {}) for v in constraint.variables]
            automaton = WeightedSumAutomaton(own, of_places, row.low, row.high)
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
