"""Soft rules: a solution may break them, at a price; the cheapest set of broken rules is wanted.

A soft rule becomes its linear rows over pairs, relaxed by an indicator: each row holds, or the indicator is 1
(big M, with the least M that the domains allow). The objective is the total weight of the indicators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from milp_pips.constraints import PairSum, rules_of
from milp_pips.constraints.bridges import PairRows
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import UsageError, meant, visible
from milp_pips.problem.fields import shown
from milp_pips.problem.objective import MINIMISE, Objective
from milp_pips.problem.problem import Problem, Variable

ALL = "all"
"""The name that stands for every rule without a weight of its own."""


def names_of(rule: Constraint) -> tuple[str, str]:
    """Return the two names of a rule: ``region A`` and ``A`` for ``region A: sum 5``."""
    name = rule.label.partition(":")[0]
    return name, name.removeprefix("region ")


def softened(problem: Problem, weights: Mapping[str, int]) -> Problem:
    """Return the problem with soft rules, and with the objective that their weights state.

    Behind the variables of the problem come an indicator for each soft rule and the columns of the rules'
    rows; all of them are auxiliary. Raises UsageError for an unknown rule or a weight that is not positive.
    """
    for name, weight in weights.items():
        if not isinstance(weight, int) or isinstance(weight, bool) or weight < 1:
            raise UsageError(
                f"the weight of {visible(name)} is {shown(weight)}; expected a whole number from 1 on"
            )
    rules = [rule for rule in rules_of(problem.constraints) if rule.label]
    known = {name: None for rule in rules for name in names_of(rule)[::-1]}
    if unknown := [name for name in weights if name not in known and name != ALL]:
        names = ", ".join([name for name in known if not name.startswith("region ")][:12])
        hint = meant(unknown[0], known)
        raise UsageError(f"there is no rule {visible(unknown[0])!r} to soften; there are {names}{hint}")
    price = {
        rule.label: next(weights[name] for name in (*names_of(rule), ALL) if name in weights)
        for rule in rules
        if not weights.keys().isdisjoint((*names_of(rule), ALL))
    }
    first = len(problem.variables)
    indicator = {label: first + number for number, label in enumerate(price)}
    named = {variable.name for variable in problem.variables}
    indicators = [Variable(_unused(f"breaks {label}", named), (0, 1)) for label in price]
    rows = PairRows((*problem.variables, *indicators))

    def stated(constraint: Constraint) -> Iterator[Constraint]:
        if constraint.label not in price:
            yield constraint
            return
        for row in rows.sums_of(constraint):
            yield from _relaxed(row, indicator[constraint.label], problem)

    constraints = tuple([each for constraint in problem.constraints for each in stated(constraint)])
    variables = (*problem.variables, *indicators, *rows.auxiliary)
    terms = tuple((indicator[label], 1, weight) for label, weight in price.items())
    return replace(
        problem,
        variables=variables,
        constraints=constraints,
        keys=problem.keys or {"assignment": problem.answer_variables},
        auxiliary=(*problem.auxiliary, *range(first, len(variables))),
        determined=False,
        objective=Objective(terms, MINIMISE, 0, "the weight of broken rules"),
    )


def broken_rules(problem: Problem, point: Sequence[int]) -> tuple[str, ...]:
    """Return the rules of the given problem that a point of the softened one breaks."""
    rules = rules_of(problem.constraints)
    return tuple(dict.fromkeys(rule.label for rule in rules if not rule.holds(point)))


def _relaxed(row: PairSum, indicator: int, problem: Problem) -> Iterator[PairSum]:
    """Yield a row's two sides, each of which holds or the indicator is 1."""
    least = most = 0
    for v, added in row.weights.items():
        domain = problem.variables[v].domain if v < len(problem.variables) else (0, 1)
        values = [added.get(a, 0) for a in domain]
        least, most = least + min(values), most + max(values)
    if row.low is not None and row.low > least:
        yield PairSum((*row.terms, (indicator, 1, row.low - least)), row.low, None, row.label)
    if row.high is not None and row.high < most:
        yield PairSum((*row.terms, (indicator, 1, row.high - most)), None, row.high, row.label)


def _unused(name: str, taken: set[str]) -> str:
    """Return the name, or one like it that is not taken; it is taken then."""
    while name in taken:
        name += "'"
    taken.add(name)
    return name
