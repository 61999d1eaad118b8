"""The constraint that all variables take the same value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import log2

from milp_pips.constraints.rows import items_by_value
from milp_pips.problem.automaton import ConstraintAutomaton, Domain, Outlook
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, Domains, Row, RowBuilder
from milp_pips.problem.deduction import Argument, PlayersWords, RuleDeduction
from milp_pips.problem.fields import check_scope


@dataclass(frozen=True, slots=True)
class AllEqual(Constraint):
    """All variables take the same value."""

    variables: tuple[int, ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)

    def holds(self, assignment: Assignment) -> bool:
        return len({assignment[v] for v in self.variables}) <= 1

    all_equal = True

    def content(self, words: PlayersWords) -> str:  # noqa: ARG002
        return "all equal"

    def say(self, deduction: RuleDeduction, words: PlayersWords) -> Argument:
        facts, conclusions, so = deduction.facts, deduction.conclusions, words.conclusion(deduction)
        why = words.known(facts, f"all cells of {deduction.name} are equal")
        said, about = words.clauses(facts), words.clauses(conclusions)
        if len(said) == len(about) == 1 and {f.value for f in facts} == {f.value for f in conclusions}:
            cells = list(dict.fromkeys(fact.variable for fact in conclusions))
            if "cannot be" in said[0]:
                return Argument(why, so, f"{why}, so neither can {words.cells(cells, 'or')}")
            if not any(fact.holds for fact in conclusions):
                are = "are" if len(cells) > 1 else "is"
                return Argument(why, so, f"{why}, so {words.cells(cells)} {are}, too")
        return Argument(why, so)

    def say_inside(self, deduction: RuleDeduction, words: PlayersWords) -> str:  # noqa: ARG002
        return f"inside {deduction.name}, every domino is a double"

    def propagator(self, domains: Domains) -> Callable[[], None]:
        return partial(_propagate, self.variables, domains, self.failure)

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        if domains and len(domains[0]) == 1:
            (value,) = domains[0]
            return all(value in domain for domain in domains)
        return not domains or bool(set(domains[0]).intersection(*domains))

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """``[u = a] = [v = a]`` for neighbours u, v in the list and every value a."""
        for value, item in items_by_value(builder, self.variables).items():
            for u, v in pairwise(self.variables):
                terms = [(item[w], sign) for w, sign in ((u, 1.0), (v, -1.0)) if w in item]
                if terms:
                    yield Row("region", (self.label, builder.name(u), builder.name(v), value), 0, 0, terms)

    def clauses(self, builder: ClauseBuilder) -> bool:
        for u, v in pairwise(self.variables):
            for value in sorted({*builder.domain(u), *builder.domain(v)}):
                builder.add(-builder.literal(u, value), builder.literal(v, value))
                builder.add(builder.literal(u, value), -builder.literal(v, value))
        return True

    def decision_automaton(self, domains: Sequence[Domain]) -> EqualAutomaton:
        return EqualAutomaton(domains)

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        different = {domains[v] for v in self.variables}
        if different:
            self.demand(bool(set.intersection(*map(set, different))))
        if len(different) > 1 or any(len(domain) > 1 for domain in different):
            yield self


def _propagate(variables: tuple[int, ...], domains: Domains, why: str) -> None:
    """Keep the values that all variables have in common."""
    common = -1
    for v in variables:
        common &= domains.masks[v]
    for v in variables:
        domains.keep(v, common, why)


class EqualAutomaton(ConstraintAutomaton[Domain]):
    """The states are the values that all variables can take."""

    def __init__(self, domains: Sequence[Domain]):
        super().__init__(domains)
        self.start = tuple(sorted(set(domains[0]).intersection(*domains)))

    def step(self, state: Domain, rest: int, place: int, value: int) -> Domain | None:  # noqa: ARG002
        return (value,) if value in state else None

    def outlook(self, state: Domain, rest: int) -> Outlook:
        if not state:
            return self.unruled(rest)
        count = rest.bit_count()
        few = count if len(state) == 1 else 0
        return Outlook(dict.fromkeys(state, (few, count)), count * state[0], count * state[-1])

    def state_bits(self, decided: int) -> float:  # noqa: ARG002
        return log2(max(1, len(self.start)))

    def lost_bits(self, decided: int) -> float:
        return self.choice_bits(decided) - self.state_bits(decided)
