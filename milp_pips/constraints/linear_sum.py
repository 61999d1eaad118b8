"""The constraint that bounds a sum of variables."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import accumulate
from math import erf, log2, sqrt
from typing import Any, ClassVar

from milp_pips.constraints.sums import WeightedSum, WeightedSumAutomaton
from milp_pips.problem.automaton import Domain, Outlook, places
from milp_pips.problem.constraint import Assignment, BoundedSum, Constraint, Domains
from milp_pips.problem.deduction import Argument, PlayersWords, RuleDeduction
from milp_pips.problem.fields import MAX_SUM, check_scope, set_field, shown, whole_between, whole_numbers


class Relation(StrEnum):
    """The relation between a sum and its target."""

    EQ = "=="
    LE = "<="
    GE = ">="


@dataclass(frozen=True, slots=True)
class LinearSum(WeightedSum):
    """The sum of the variables is ``==``, ``<=`` or ``>=`` the target.

    ``coefficients`` has one factor per variable; if it is empty, each variable counts once.
    """

    variables: tuple[int, ...]
    relation: Relation
    target: int
    label: str = ""
    coefficients: tuple[int, ...] = ()
    orders_values: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if type(self.relation) is not Relation:
            set_field(self, "relation", _relation(self.relation))
        check_scope(self)
        set_field(self, "target", whole_between("LinearSum", "target", self.target, -MAX_SUM, MAX_SUM))
        if self.coefficients != ():
            set_field(self, "coefficients", whole_numbers("LinearSum", "coefficients", self.coefficients))
            if self.coefficients and len(self.coefficients) != len(self.variables):
                count = f"{len(self.coefficients)} coefficients for {len(self.variables)} variables"
                raise ValueError(f"a sum has one coefficient per variable, or none; got {count}")

    @property
    def terms(self) -> tuple[tuple[int, int], ...]:
        """The terms of the sum, as pairs (coefficient, variable)."""
        return tuple(zip(self.coefficients or (1,) * len(self.variables), self.variables, strict=True))

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        return (
            None if self.relation is Relation.LE else self.target,
            None if self.relation is Relation.GE else self.target,
        )

    @property
    def bounded_sum(self) -> BoundedSum:
        return BoundedSum(self.coefficients, *self.bounds)

    def weights_of(self, domains: Sequence[Domain]) -> list[dict[int, int]]:
        return [
            {value: times * value for value in domain}
            for (times, _), domain in zip(self.terms, domains, strict=True)
        ]

    @property
    def type_name(self) -> str:
        return f"{type(self).__name__} {self.relation.value}"

    def holds(self, assignment: Assignment) -> bool:
        low, high = self.limits
        if self.coefficients:
            total = sum([times * assignment[v] for times, v in self.terms])
        else:
            total = sum([assignment[v] for v in self.variables])
        return low <= total <= high

    def parts(self) -> Iterator[tuple[str, Constraint]]:
        if self.relation is not Relation.LE:
            yield "at least", replace(self, relation=Relation.GE)
        if self.relation is not Relation.GE:
            yield "at most", replace(self, relation=Relation.LE)

    def content(self, words: PlayersWords) -> str:  # noqa: ARG002
        return f"{'weighted ' if self.coefficients else ''}sum {self.target}"

    def say(self, deduction: RuleDeduction, words: PlayersWords) -> Argument:
        why = f"{deduction.name} must {deduction.must}"
        if deduction.counts:
            why = f"{deduction.name} has {deduction.counts}"
        elif not deduction.facts:
            why += f" with {self._cells(deduction, words)}"
        so = words.conclusion(deduction) if deduction.conclusions else self._out_of_reach(deduction, words)
        return Argument(words.known(deduction.facts, why), so)

    def _out_of_reach(self, deduction: RuleDeduction, words: PlayersWords) -> str:
        """Return the least or the greatest sum that is left, whichever misses the target."""
        least = most = 0
        for times, v in self.terms:
            left = [times * x for x in words.domain(v) if (v, x) not in deduction.excluded]
            least, most = least + min(left, default=0), most + max(left, default=0)
        return f"it is at most {most}" if most < self.target else f"it is at least {least}"

    def say_inside(self, deduction: RuleDeduction, words: PlayersWords) -> str:
        if len(self.variables) == 2:
            return f"inside {deduction.name}, a domino must {deduction.must}"
        whole = f"must {deduction.must} with {words.number(len(self.variables))} cells"
        if self.coefficients:
            return f"{deduction.name} {whole}, which limits the dominoes in it"
        low, high = (sorted(f(words.domain(v)) for v in self.variables) for f in (min, max))
        least, most = max(self.target - sum(high[2:]), sum(low[:2])), self.target - sum(low[:-2])
        limits = {
            "make": f"make {least} to {most}" if most else "make 0",
            "reach": f"reach {least}",
            "not": f"not exceed {most}",
        }
        limit = limits[deduction.must.partition(" ")[0]]
        which = "" if limit == deduction.must else f", which {whole}"
        return f"inside {deduction.name}{which}, a domino must {limit}"

    def _cells(self, deduction: RuleDeduction, words: PlayersWords) -> str:
        """Return how many cells the sum has, and the greatest or least value of each if that matters."""
        cells = f"{words.number(len(self.variables))} cell{'' if len(self.variables) == 1 else 's'}"
        least = {min(words.domain(v)) for v in self.variables}
        most = {max(words.domain(v)) for v in self.variables}
        if deduction.must.startswith("not"):
            return f"{cells}, each at least {least.pop()}" if len(least) == 1 and any(least) else cells
        return (
            f"{cells}, each at most {most.pop()}" if len(most) == 1 and self.target and most != {1} else cells
        )

    def propagator(self, domains: Domains) -> Callable[[], None]:
        propagate = _propagate_weighted if self.coefficients else _propagate
        return partial(propagate, self, domains, self.failure)  # a closure costs more to collect as garbage

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        if self.coefficients:
            return WeightedSum.is_possible(self, domains)
        low, high = self.limits  # local search calls this a million times on a large board
        return (
            sum([domain[-1] for domain in domains]) >= low and sum([domain[0] for domain in domains]) <= high
        )

    def most_taking(self, value: int, domains: Domains, few: int, many: int) -> int:  # noqa: ARG002
        """Return how many variables the bounds of a plain sum let take the value, the nearest to it first."""
        masks, values, bit, (low, high) = domains.masks, domains.values, domains.bit[value], self.limits
        least_sum, most_sum, rises, falls = 0, 0, list[int](), list[int]()
        for v in self.variables:
            mask = masks[v]
            least, most = values[(mask & -mask).bit_length() - 1], values[mask.bit_length() - 1]
            least_sum, most_sum = least_sum + least, most_sum + most
            if mask & bit:
                rises.append(value - least)
                falls.append(most - value)
        return min(many, _how_many(rises, high - least_sum), _how_many(falls, most_sum - low))

    def decision_automaton(self, domains: Sequence[Domain]) -> WeightedSumAutomaton:
        kind = WeightedSumAutomaton if self.coefficients else SumAutomaton
        return kind(domains, self.weights_of(domains), *self.limits)

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        """Yield the sum of the open variables; nothing if it always holds."""
        left = [(times, v) for times, v in self.terms if times and len(domains[v]) > 1]
        fixed = sum([times * domains[v][0] for times, v in self.terms if len(domains[v]) == 1])
        ends = [sorted([times * domains[v][0], times * domains[v][-1]]) for times, v in left]
        least, most = fixed + sum([bottom for bottom, _ in ends]), fixed + sum([top for _, top in ends])
        low, high = self.limits
        self.demand(low <= most and high >= least)
        if low > least or high < most:
            variables = tuple([v for _, v in left])
            coefficients = tuple([times for times, _ in left]) if self.coefficients else ()
            yield LinearSum(variables, self.relation, self.target - fixed, self.label, coefficients)


def _relation(relation: Any) -> Relation:
    """Return the relation that a string denotes. Raises TypeError or ValueError."""
    if not isinstance(relation, str):
        raise TypeError(f'the relation of LinearSum must be "==", "<=" or ">=", not {shown(relation)}')
    try:
        return Relation(relation)
    except ValueError:
        hints = {"<": '"<=" with the target minus 1', ">": '">=" with the target plus 1', "=": '"=="'}
        hint = f"; write {hints[relation]}" if relation in hints else ""
        raise ValueError(f'a sum compares by "==", "<=" or ">=", not {relation!r}{hint}') from None


def _propagate(rule: LinearSum, domains: Domains, why: str) -> None:
    """Propagate the bounds of a sum without coefficients."""
    variables, (low, high) = rule.variables, rule.limits
    least, most = domains.least_of(variables), domains.most_of(variables)
    # How far a variable can be above its least value while the others have theirs, and below its greatest.
    rise, fall = high - sum(least), sum(most) - low
    for v, bottom, top in zip(variables, least, most, strict=True):
        if top - bottom > rise or top - bottom > fall:
            domains.keep_between(v, top - fall, bottom + rise, why)


def _propagate_weighted(rule: LinearSum, domains: Domains, why: str) -> None:
    """Propagate the bounds of a sum with coefficients, as for a sum without."""
    terms, (low, high) = rule.terms, rule.limits
    ends = []
    for times, v in terms:
        one, other = times * domains.least(v), times * domains.most(v)
        ends.append((one, other) if one <= other else (other, one))
    rise = high - sum([bottom for bottom, _ in ends])
    fall = sum([top for _, top in ends]) - low
    for (times, v), (bottom, top) in zip(terms, ends, strict=True):
        if top - bottom > rise or top - bottom > fall:
            kept = [x for x in domains.taken(v) if top - fall <= times * x <= bottom + rise]
            domains.keep(v, sum([domains.bit[x] for x in kept]), why)


def _how_many(costs: list[int], spare: float) -> int:
    """Return the greatest number of the costs, all non-negative, whose sum is at most ``spare``."""
    if sum(costs) <= spare:  # most often
        return len(costs)
    return bisect_right(list(accumulate(sorted(costs))), spare)


class SumAutomaton(WeightedSumAutomaton):
    """The automaton of a sum without coefficients, in which each value is its own weight."""

    symmetric = True

    def outlook(self, state: tuple[int, int], rest: int) -> Outlook:
        low, high = state
        unruled, least, most = self.unruled(rest)
        # k variables with the value v raise the least sum by at least k (v - bottom), and lower the greatest
        # sum by at least k (top - v)
        bottom = max(self.domains[place][0] for place in places(rest))
        top = min(self.domains[place][-1] for place in places(rest))
        counts = {}
        for value, (few, many) in unruled.items():
            if value > bottom:
                many = min(many, (high - least) // (value - bottom))
            if value < top:
                many = min(many, (most - low) // (top - value))
            counts[value] = few, many
        return Outlook(counts, low, high)

    def state_bits(self, decided: int) -> float:
        least, most = self.window(decided)
        return log2(max(1.0, most - least + 1))

    def lost_bits(self, decided: int) -> float:
        # the sum of variables that are uniform on their domains is approximately normal
        least, most = self.window(decided)
        share = decided / len(self.domains)
        mean = share * sum(domain[0] + domain[-1] for domain in self.domains) / 2
        variance = share * sum((domain[-1] - domain[0] + 1) ** 2 - 1 for domain in self.domains) / 12
        scale = sqrt(2 * max(variance, 0.01))
        rng = (erf((most + 0.5 - mean) / scale) - erf((least - 0.5 - mean) / scale)) / 2
        return min(self.choice_bits(decided), -log2(max(rng, 1e-12)))
