"""The constraints of a problem, each with what remembers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from milp_pips.diagram.accumulator import Accumulator, Domain
from milp_pips.diagram.budget import Unsupported
from milp_pips.diagram.equality import DifferentAccumulator, EqualAccumulator, NoGoodAccumulator
from milp_pips.diagram.totals import CardinalityAccumulator, SumAccumulator
from milp_pips.diagram.words import WordAccumulator
from milp_pips.problem import AllDifferent, AllEqual, Cardinality, Constraint, LinearSum, NoGood, Regular


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint: what remembers it, its variables, and the site that decides each of them."""

    accumulator: Accumulator[Any]
    variables: tuple[int, ...]
    sites: tuple[int, ...]


def accumulator(constraint: Constraint, domains: Sequence[Domain]) -> Accumulator[Any]:
    """Return what remembers the constraint.

    Parameters
    ----------
    constraint
        A constraint on at least one variable.
    domains
        The domains of its variables.

    Raises
    ------
    Unsupported
        For a constraint that no accumulator is known for, and one that names a variable twice.
    """
    if len(set(constraint.variables)) < len(constraint.variables):
        raise Unsupported(f"no decision diagram where a rule names a variable twice: {constraint.label}")
    match constraint:
        case AllEqual():
            return EqualAccumulator(domains)
        case AllDifferent():
            return DifferentAccumulator(domains)
        case LinearSum():
            return SumAccumulator(domains, constraint.bounds)
        case Cardinality():
            return CardinalityAccumulator(domains, constraint.bounds)
        case Regular():
            return WordAccumulator(domains, constraint.automaton)
        case NoGood():
            return NoGoodAccumulator(domains, constraint.values, constraint.least)
    raise Unsupported(f"no decision diagram for a constraint of class {type(constraint).__name__}")
