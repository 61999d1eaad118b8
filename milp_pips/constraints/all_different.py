"""The constraint that no two variables take the same value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb, inf, log2, perm
from typing import ClassVar

from milp_pips.constraints.rows import items_by_value
from milp_pips.problem.automaton import ConstraintAutomaton, Domain, Outlook, places
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, Domains, Row, RowBuilder
from milp_pips.problem.deduction import Argument, PlayersWords, RuleDeduction
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.fields import check_scope


@dataclass(frozen=True, slots=True)
class AllDifferent(Constraint):
    """No two variables take the same value."""

    variables: tuple[int, ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)

    def holds(self, assignment: Assignment) -> bool:
        return len({assignment[v] for v in self.variables}) == len(self.variables)

    all_different = True

    def say(self, deduction: RuleDeduction, words: PlayersWords) -> Argument:
        """Say that values have as few places left as there are of them, or cells as few values.

        One less is a contradiction.
        """
        so, excluded = words.conclusion(deduction), set(deduction.excluded)
        domains = {v: words.domain(v) for v in self.variables}
        cells, gone = {v for v, _ in excluded}, {x for _, x in excluded}
        places = [v for v in self.variables if v not in cells]
        every = {x for domain in domains.values() for x in domain}
        left = {x for v in cells for x in domains[v] if (v, x) not in excluded}
        few = 0 if deduction.conclusions else 1
        apart = all((v, x) in excluded for v in cells for x in gone if x in domains[v])
        is_naked = len(left) + few == len(cells)
        if few and not excluded and len(every) < len(self.variables):
            cells_and = f"{deduction.name} has {words.number(len(self.variables))} cells"
            return Argument(f"{cells_and}, but there are only {words.number(len(every))} values", "")
        within = f"in {deduction.name}"
        if (
            apart
            and len(every) == len(self.variables)
            and len(places) + few == len(gone)
            and not (is_naked and len(cells) < len(gone))
        ):
            values = words.values(gone, "and")
            shown = [fact for fact in deduction.conclusions if fact.holds]
            if len(gone) == len(shown) == 1:
                so = f"{values} can only go in {words.cell(shown[0].variable)}"
                return Argument(f"{within}, {values} has one place left", so, f"{within}, {so}")
            if not places:
                return Argument(f"{within}, {values} has no place left", so)
            if few:
                only = f"only {words.cells(places)} {'is' if len(places) == 1 else 'are'}"
                return Argument(f"{within}, {only} left for {values}", so)
            if len(places) > 1:
                return Argument(f"{within}, {values} can only go in {words.cells(places)}", so)
        if is_naked and few:
            values = f"only {words.values(left, 'and')} {'is' if len(left) == 1 else 'are'}"
            values = values if left else "no value is"
            return Argument(f"{within}, {values} left for {words.cells(sorted(cells))}", so)
        if is_naked and (len(cells) > 1 or not any(fact.holds for fact in deduction.facts)):
            known = _known(deduction, domains) if len(cells) > 1 else {}
            waiting = sorted(cells - known.keys())
            go = "goes" if len(waiting) == 1 else "go"
            values = words.values(left.difference(known.values()), "and")
            why = [f"{words.cell(v)} is {words.value(x)}" for v, x in known.items()]
            told = {fact.variable for fact in deduction.conclusions if fact.holds}
            if not known or not told.issuperset(waiting):
                why.append(f"{'so ' if known else ''}{values} {go} in {words.cells(waiting)}")
            return Argument(f"{within}, {', '.join(why)}", so)
        return Argument(words.known(deduction.facts, f"the cells of {deduction.name} differ"), so)

    def say_inside(self, deduction: RuleDeduction, words: PlayersWords) -> str:  # noqa: ARG002
        return f"inside {deduction.name}, no domino is a double"

    def propagator(self, domains: Domains) -> Callable[[], None]:
        return partial(_propagate, self.variables, domains, self.failure)

    def thorough_propagator(self, domains: Domains) -> Callable[[], None]:
        from milp_pips.constraints.value_flow import ValueBounds, propagate_by_flow  # for large constraints

        bounds = ValueBounds({}, dict.fromkeys(domains.bit.values(), 1))
        return lambda: propagate_by_flow(self.variables, bounds, domains, self.failure)

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        known = [domain[0] for domain in domains if len(domain) == 1]
        return len(set(known)) == len(known) and len(set().union(*domains)) >= len(domains)

    def most_taking(self, value: int, domains: Domains, few: int, many: int) -> int:  # noqa: ARG002
        return max(1, few)

    linearisations: ClassVar[Mapping[str, str]] = {"clique": "milp_pips.constraints.all_different:clique"}

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        return clique(builder, self)

    def clauses(self, builder: ClauseBuilder) -> bool:
        """Add that all values differ and, if there are as many values as variables, that each is taken.

        In large problems this is said of blocks of variables, and within each block. A block is a part of two
        constraints, so what a solver learns about it serves both.
        """
        domains = {v: builder.domain(v) for v in self.variables}
        values = sorted({value for domain in domains.values() for value in domain})
        each = [[v] for v in self.variables]
        for blocks in builder.divisions(self.variables) or [each]:
            for value in values:
                parts = [
                    [builder.literal(v, value) for v in block if value in domains[v]] for block in blocks
                ]
                literals = [builder.block(part) if len(part) > 1 else part[0] for part in parts if part]
                if len(values) == len(self.variables):
                    builder.add(*literals)
                builder.at_most_one_of(literals)
        return True

    def decision_automaton(self, domains: Sequence[Domain]) -> DifferentAutomaton:
        return DifferentAutomaton(domains)

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        """Yield one AllDifferent for each group of variables that are linked by common values."""
        from milp_pips.algorithms.connectivity import linked_by_values  # only compilation splits constraints

        for group in linked_by_values({v: domains[v] for v in self.variables}):
            if len(group) > 1:
                self.demand(len({value for v in group for value in domains[v]}) >= len(group))
                yield AllDifferent(group, self.label)


def _known(deduction: RuleDeduction, domains: Mapping[int, Collection[int]]) -> dict[int, int]:
    """Return the value of each variable that has one left by what a deduction rests on."""
    excluded, found = set(deduction.excluded), dict[int, int]()
    for v in sorted({v for v, _ in excluded}):
        left = [x for x in domains[v] if (v, x) not in excluded]
        if len(left) == 1:
            found[v] = left[0]
    return found


def _propagate(variables: tuple[int, ...], domains: Domains, why: str) -> None:
    """Apply Hall's condition (1935): if ``n`` variables have the same ``n`` values, no other takes them.

    If there are as many values as variables, every value is taken, so a value that only one variable has is
    fixed.
    """
    masks, size = domains.masks, len(variables)
    count: dict[int, int] = {}
    for v in variables:
        count[masks[v]] = count.get(masks[v], 0) + 1
    for mask, times in count.items():
        values = mask.bit_count()
        if times > values:
            raise Contradiction(why)
        if times == values:
            for v in variables:
                if masks[v] & mask and masks[v] != mask:
                    domains.keep(v, ~mask, why)
    once = twice = 0
    for v in variables:
        twice |= once & masks[v]
        once |= masks[v]
    if once.bit_count() < size:
        raise Contradiction(why)
    if once.bit_count() == size:  # every value is taken
        for v in variables:
            alone = masks[v] & ~twice
            if alone:
                domains.keep(v, alone if alone.bit_count() == 1 else 0, why)


def clique(builder: RowBuilder, different: AllDifferent) -> Iterator[Row]:
    """Yield ``Σ [v = a] <= 1`` for every value a; ``= 1`` if there is no spare value."""
    label, many = different.label, len(different.variables)
    by_value = items_by_value(builder, different.variables)
    if len(by_value) < many:
        yield Row("region", (label, "too few values"), 1.0, 1.0, [])
    least = 1.0 if len(by_value) <= many else -inf
    for value, item in by_value.items():
        yield Row("region", (label, value), least, 1.0, [(pair, 1.0) for pair in item.values()])


class DifferentAutomaton(ConstraintAutomaton[int]):
    """A state is a bit mask of the taken values, without those that no open variable could take."""

    start = 0

    def __init__(self, domains: Sequence[Domain]):
        super().__init__(domains)
        values = sorted(set().union(*domains))
        self._bit = {value: 1 << i for i, value in enumerate(values)}
        self._wanted = [sum(self._bit[value] for value in domain) for domain in domains]

    def step(self, state: int, rest: int, place: int, value: int) -> int | None:  # noqa: ARG002
        if state & self._bit[value]:
            return None
        # Every open variable needs a free value, and all together need as many free values as there are open
        # variables (two of Hall's conditions).
        taken, wanted = state | self._bit[value], 0
        for other in places(rest):
            if not self._wanted[other] & ~taken:
                return None
            wanted |= self._wanted[other]
        return taken & wanted if (wanted & ~taken).bit_count() >= rest.bit_count() else None

    def outlook(self, state: int, rest: int) -> Outlook:
        (unruled, least, most), count = self.unruled(rest), rest.bit_count()
        free = sorted(value for value in unruled if not state & self._bit[value])
        counts = {value: (min(unruled[value][0], 1), 1) for value in free}
        return Outlook(counts, max(least, sum(free[:count])), min(most, sum(free[::-1][:count])))

    def state_bits(self, decided: int) -> float:
        return log2(max(1, comb(len(self._bit), decided)))

    def lost_bits(self, decided: int) -> float:
        return decided * log2(len(self._bit)) - log2(max(1, perm(len(self._bit), decided)))
