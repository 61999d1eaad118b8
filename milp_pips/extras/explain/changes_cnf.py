"""The formula of a draft and of all changes to it, for the search for the nearest puzzle with one solution.

Each change has a literal. A rule holds unless one of its alternatives replaces it, and dominoes are exchanged
by two literals: one domino goes, another one comes. A rule that bounds a sum excludes less than the exact sum
of the wanted solution, so exact sums stand for all bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from milp_pips.constraints import DominoCover, LinearSum, Relation, covers_of
from milp_pips.constraints.domino_cover.board import Kind, count_laid
from milp_pips.constraints.domino_cover.tiling import Tiling, tiling_of
from milp_pips.extras.explain.additions import allows, ends, says_more, swapped, terms_of
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.formulations.cnf import Clauses, CnfEncoding
from milp_pips.problem import Constraint, Deadline, Problem, Variable
from milp_pips.puzzles.family import Alternative

MAX_CHANGES = 6
"""The most changes of a set."""

Terms: TypeAlias = tuple[tuple[int, int], ...]
"""The terms of a sum: coefficients and variables."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change: its literal, and what it states, by the value that a variable has at the wanted solution.

    A change that does not depend on the solution has the variable -1 and states ``parts[0]``. The ``bounds``
    are rules that could do instead, the loosest first.
    """

    literal: int
    parts: Mapping[int, Alternative | Fact]
    variable: int = -1
    bounds: tuple[Alternative, ...] = ()


class FormulaOfChanges(CnfEncoding):
    """The formula of a draft and of its changes.

    Parameters
    ----------
    problem, cells
        The problem of the draft, and the variables whose values can be shown.
    alternatives
        The rules that the draft could have. Dominoes can be exchanged if each can be exchanged for each.
    deadline
        The constructor raises OutOfTime once it stops.
    """

    changes: list[Change]
    """All changes except exchanged dominoes."""
    stays: dict[Constraint, int]
    """A literal for each rule that can be replaced: the rule holds."""
    replaced: dict[Constraint, int]
    """A literal for each of them: an alternative is in its place."""
    swaps: dict[tuple[Kind, Kind], Alternative]
    """The exchanges of dominoes: the one that goes and the one that comes."""
    goes: dict[Kind, int]
    """By kind, the literal for one domino less."""
    comes: dict[Kind, int]
    """By kind, the literal for one domino more."""
    count: list[int]
    """Literals for at least k changes."""

    def __init__(
        self, problem: Problem, cells: Sequence[int], alternatives: Sequence[Alternative], deadline: Deadline
    ):
        def look() -> None:
            if deadline.stop:
                raise OutOfTime

        Clauses.__init__(self, look)
        self._problem = problem
        self.covers = covers_of(problem.constraints)
        self.swaps = {swap: one for one in alternatives if (swap := swapped(one))}
        self.goes, self.comes = ({swap[side]: 0 for swap in self.swaps} for side in (0, 1))
        if len(self.covers) != 1 or len(self.swaps) != len(self.goes) * len(self.comes):
            self.swaps, self.goes, self.comes = {}, {}, {}
        self.tilings = [
            replace(tiling_of(cover), kinds=tuple(sorted({*cover.kinds, *self.comes})))
            for cover in self.covers
        ]
        ruled = [one for one in alternatives if not covers_of([one.rule])]
        self._totals: dict[Terms, int] = {}
        variables, totals = list(problem.variables), list[LinearSum]()
        for one in ruled:
            look()
            terms = terms_of(one.rule)
            if terms and len(terms) == 1 and terms[0][0] == 1:
                self._totals[terms] = terms[0][1]
            elif terms and terms not in self._totals:
                self._totals[terms] = total = len(variables)
                times = (*(n for n, _ in terms), -1)
                totals.append(LinearSum((*one.rule.variables, total), Relation.EQ, 0, "", times))
                low, high = ends(problem, terms)
                variables.append(Variable(f"sum {len(totals)}", range(low, high + 1)))
        self._begin(variables, [*self.tilings, *totals])
        self.changes, self.stays, self.replaced = [], {}, {}
        self._state_rules(ruled)
        for v in cells:
            domain = self.domain(v)
            if len(domain) > 1:
                self.changes.append(Change(self.new(), {a: Fact(v, a, True) for a in domain}, v))
        for tiling, cover in zip(self.tilings, self.covers, strict=True):
            self._state_dominoes(tiling, cover)
        counted = [*(change.literal for change in self.changes), *self.comes.values()]
        self.count = self.at_least(counted, MAX_CHANGES + 1)

    @property
    def literals(self) -> Iterator[int]:
        """The literals of all changes, and of the dominoes that go."""
        yield from (change.literal for change in self.changes)
        yield from self.goes.values()
        yield from self.comes.values()

    def _state_rules(self, alternatives: Sequence[Alternative]) -> None:
        """State every rule of the draft, which one of its alternatives may replace."""
        places: dict[object, list[Alternative]] = {}
        for one in alternatives:
            places.setdefault(one.replaced or frozenset(one.rule.variables), []).append(one)
        for place in places.values():
            self.interrupted()
            exact: dict[Terms, dict[int, Alternative | Fact]] = {}
            for one in place:
                total = one.rule.bounded_sum
                if total is not None and total.low == total.high and total.low is not None:
                    exact.setdefault(terms_of(one.rule) or (), {})[total.low] = one
            here = [
                Change(self.new(), parts, self._totals[terms], self._bounds(place, terms))
                for terms, parts in exact.items()
                if terms in self._totals
            ]
            for one in place:
                self.interrupted()
                if not self._is_implied(one, exact):
                    here.append(Change(self.new(), {0: one}))
                    with self.given(here[-1].literal):
                        self.state(one.rule)
            self.changes += here
            self.at_most_one_of([change.literal for change in here])
            replaced = place[0].replaced
            if replaced is not None:
                self.stays[replaced] = kept = self.new()
                self.replaced[replaced] = self.any_of([change.literal for change in here])
                self.add(kept, self.replaced[replaced])
        for rule in self._problem.constraints:
            if not covers_of([rule]):
                with self.given(*([self.stays[rule]] if rule in self.stays else [])):
                    self.state(rule)

    def _bounds(self, place: Sequence[Alternative], terms: Terms) -> tuple[Alternative, ...]:
        """Return the alternatives that bound these terms on one side, the loosest first."""
        low, high = ends(self._problem, terms)
        room = {
            one: sum(allows(one.rule, total) for total in range(low, high + 1))
            for one in place
            if terms_of(one.rule) == terms
        }
        return tuple(sorted((one for one, n in room.items() if n > 1), key=lambda one: -room[one]))

    def _is_implied(self, one: Alternative, exact: Mapping[Terms, Mapping[int, object]]) -> bool:
        """Whether exact sums, or a shown value, exclude at least what this bound of a sum excludes."""
        terms = terms_of(one.rule)
        if terms is None:
            return False
        low, high = ends(self._problem, terms)
        own = one.replaced.bounded_sum if one.replaced is not None else None
        known = {*exact.get(terms, {}), *([own.low] if own is not None and own.low == own.high else [])}
        if len(terms) == 1 and says_more(one):
            return True
        return all(t in known for t in range(low, high + 1) if allows(one.rule, t))

    def _state_dominoes(self, tiling: Tiling, cover: DominoCover) -> None:
        """State how many dominoes of each kind there are, with as many exchanged as come in."""
        for kinds in (self.goes, self.comes):
            kinds.update({kind: self.new() for kind in kinds})
        for kind in tiling.kinds:
            times = cover.kinds.get(kind, 0)
            count = count_laid(self, tiling, kind, times + 2)
            assert count is not None
            upper = [-count[n] if n < len(count) else self.true for n in (times, times + 1, times + 2)]
            if kind in self.goes:
                self.add(-self.goes[kind], upper[0])
            self.add(upper[1], *([self.comes[kind]] if kind in self.comes else []))
            self.add(upper[2])
        counts = [self.at_least(list(each.values()), MAX_CHANGES + 1) for each in (self.goes, self.comes)]
        for out, into in zip(*counts, strict=False):
            self.add(-out, into)
            self.add(out, -into)
        for longer in max(counts, key=len)[min(map(len, counts)) :]:
            self.add(-longer)
