"""Values for a few variables that please the rules on them, whatever the dominoes would be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from milp_pips.problem import AllDifferent, AllEqual, Cardinality, Constraint, LinearSum
from milp_pips.solvers.lns.board import Board

PATIENCE = 500
"""Choices after which looking for values is given up."""


def pleasing(
    board: Board, order: Sequence[int], fixed: Mapping[int, int], first: Mapping[int, int], chance: Random
) -> dict[int, int] | None:
    """Return values that please all rules on the variables, or None where none were found in time.

    Parameters
    ----------
    board
        The rules and the domains.
    order
        The variables, in the order in which they get their values.
    fixed
        Values of further variables; rules on variables that are neither here nor there need only be possible.
    first
        Values to try first.
    chance
        Decides in which order the other values are tried.
    """
    value = dict(fixed)
    domains, rules = board.domains, board.rules
    left = PATIENCE

    def complete(position: int) -> bool:
        nonlocal left
        if position == len(order):
            return True
        v = order[position]
        choices = list(domains[v])
        chance.shuffle(choices)
        if v in first:
            choices.insert(0, first[v])
        for x in choices:
            left -= 1
            if left < 0:
                return False
            value[v] = x
            if all(_possible(rule, value, domains) for rule in rules[v]) and complete(position + 1):
                return True
        del value[v]
        return False

    return {v: value[v] for v in order} if complete(0) else None


def _possible(rule: Constraint, value: Mapping[int, int], domains: Sequence[tuple[int, ...]]) -> bool:
    """Whether the rule may still hold; exact once all its variables have values."""
    match rule:
        case LinearSum():
            least = most = 0
            for v in rule.variables:
                x = value.get(v)
                if x is None:
                    least += domains[v][0]
                    most += domains[v][-1]
                else:
                    least += x
                    most += x
            low, high = rule.bounds
            return (low is None or most >= low) and (high is None or least <= high)
        case AllEqual():
            return len({value[v] for v in rule.variables if v in value}) <= 1
        case AllDifferent():
            taken = [value[v] for v in rule.variables if v in value]
            return len(set(taken)) == len(taken)
        case Cardinality():
            taken = [value[v] for v in rule.variables if v in value]
            missing = len(rule.variables) - len(taken)
            return all(low - missing <= taken.count(x) <= high for x, low, high in rule.bounds)
        case _:
            return any(v not in value for v in rule.variables) or rule.holds(value)
