"""Find changed rules, changed dominoes or shown values that leave one solution of a puzzle.

A candidate leaves one solution if the puzzle with it has exactly one. The solution space counts many
candidates at once: its marginals count the solutions for every value of every cell and, with a variable for
the sum of some cells and without their rule, for every sum. Rules come before values, because rules give
less away. Among rules, those on many cells and those with bounds instead of exact sums come first.

If no single candidate is enough and there are few solutions, each candidate becomes the set of the solutions
in which it holds, an integer with one bit per solution. The search then looks for the smallest sets of
candidates with exactly one solution in common. If there are many solutions, it adds values greedily, always
the value that the fewest solutions have, and then removes the values that are not needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, islice
from operator import itemgetter, mul, or_

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.compilation.solution_set import SolutionSet, compile_problem, variables_of
from milp_pips.constraints import LinearSum, Relation
from milp_pips.extras.explain.additions import (
    Addition,
    Additions,
    allows,
    cells_of_key,
    ends,
    says_more,
    terms_of,
)
from milp_pips.extras.explain.changes_cnf import MAX_CHANGES
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.nearest import NearestPuzzles
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.problem import Deadline, EngineFault, Problem, Variable
from milp_pips.problem.stopping import EarlierDeadline
from milp_pips.propagation import DEFAULT_RULES, Contradiction, reduce_domains
from milp_pips.puzzles.family import Alternative

# Smallest sets of rules and values that hold together in exactly one of a few solutions.


class Sets:
    """Find the smallest sets of candidates that hold together in exactly one solution.

    ``excluded`` is the size up to which no such set exists. ``finished`` states whether all sets of the
    smallest size were examined. A candidate is skipped if an earlier one on the same cells holds in the same
    solutions, because the earlier one gives less away.
    """

    def __init__(self, space: SolutionSet, candidates: Sequence[Addition], deadline: Deadline):
        self.excluded, self.finished = 1, False
        self._deadline, self._every = deadline, (1 << space.count) - 1
        points = list(space)
        self._columns = dict(zip(space.variables, zip(*points, strict=True), strict=True))
        self._sums: dict[object, dict[int, int]] = {}
        where: dict[tuple[int, tuple[int, ...]], Addition] = {}
        for one in candidates:
            if deadline.stop:
                break
            where.setdefault((self._where(one), one.place), one)
        self._candidates = [(bits, one) for (bits, _), one in where.items() if bits not in (0, self._every)]

    def smallest(self) -> Iterator[Addition]:
        """Yield the sets of the smallest size that has any, until the deadline stops the search."""
        for size in range(2, len(self._candidates) + 1):
            some = False
            for chosen in self._sets(self._every, 0, size):
                some = True
                yield Addition(
                    tuple(chain(*(one.rules for one in chosen))), tuple(chain(*(one.facts for one in chosen)))
                )
            if self._deadline.stop:
                return
            if some:
                self.finished = True
                return
            self.excluded = size

    def _sets(self, common: int, first: int, size: int) -> Iterator[list[Addition]]:
        """Yield sets of candidates from index ``first`` on that share exactly one of the common solutions."""
        if self._deadline.stop:
            return
        for i in range(first, len(self._candidates) - size + 1):
            where, one = self._candidates[i]
            left = common & where
            if size == 1:
                if left and not left & (left - 1):
                    yield [one]
            elif left not in (0, common):
                for more in self._sets(left, i + 1, size - 1):
                    if all(one.place != other.place for other in more):
                        yield [one, *more]

    def _where(self, one: Addition) -> int:
        """Return the solutions in which a candidate holds, as an integer with one bit per solution."""
        if one.facts:
            (v, value, _) = one.facts[0]
            return _bits(a == value for a in self._columns[v])
        rule = one.rules[0].rule
        columns = [self._columns[v] for v in rule.variables]
        terms = terms_of(rule)
        if terms is None:
            rows = (dict(zip(rule.variables, row, strict=True)) for row in zip(*columns, strict=True))
            return _bits(rule.holds(row) for row in rows)
        if terms not in self._sums:
            times = [n for n, _ in terms]
            totals = [sum(map(mul, times, row)) for row in zip(*columns, strict=True)]
            self._sums[terms] = {t: _bits(total == t for total in totals) for t in set(totals)}
        return reduce(or_, (bits for t, bits in self._sums[terms].items() if allows(rule, t)), 0)


def _bits(holds: Iterable[bool]) -> int:
    return int("".join(["01"[one] for one in holds])[::-1] or "0", 2)


MAX_SOLUTIONS_INSPECTED = 5000
"""The most solutions that are examined one by one: a quarter of a second on a board of fifty cells."""

MAX_ADDITION_SETS = 1000
"""The most sets to look for; those with the most rules are returned."""

MAX_NEAREST = 50
"""The most sets of changes of any kind to look for: one of five dominoes takes some milliseconds."""

TIME_SHARE_LEFT = 0.5
"""The share of the remaining time that the search for rules, and for sets, leaves to the later phases."""

Deduction = Mapping[int, Mapping[int, int]]
"""The number of solutions in which each variable takes each value."""


def additions(
    problem: Problem,
    space: SolutionSet,
    alternatives: Sequence[Alternative],
    most: int,
    budget: Budget,
    deadline: Deadline,
) -> Additions:
    """Return the smallest additions that leave one solution of a problem with several.

    Parameters
    ----------
    problem, space
        The problem, and the space of all its solutions over all variables.
    alternatives
        Rules that the problem could have.
    most
        The most additions to return. All are searched for in any case, except that sets stop after the first
        ``MAX_ADDITION_SETS``.
    budget, deadline
        The budget of every space that is compiled; the deadline. What was found until it stops is returned.

    Raises
    ------
    EngineFault
        If two ways of counting differ.
    """
    first, *others = problem.keys
    found = _Search(problem, first, budget, deadline).additions(space, alternatives, most)
    for key in others:
        if found.found or not found.smallest:
            break
        search = _Search(problem, key, budget, deadline)
        if search.has_one(space):
            return replace(found, already=key)
        found = search.additions(space, alternatives, most)
    return found


class _Search:
    """Find additions that leave one solution with respect to one key."""

    def __init__(self, problem: Problem, key: str, budget: Budget, deadline: Deadline):
        self._problem, self._key, self._budget, self._deadline = problem, key, budget, deadline
        self._compared = problem.keys[key]
        self._cells = cells_of_key(problem, key)
        self._unfinished = False

    def additions(self, space: SolutionSet, alternatives: Sequence[Alternative], most: int) -> Additions:
        """Return the smallest additions that can be found in the time."""
        try:
            space = space.project(self._compared, self._budget, self._deadline)
            taken = self._taken(space)
        except Unfinished:
            return Additions(self._key)
        rules = self._rules(alternatives, EarlierDeadline(self._deadline, TIME_SHARE_LEFT))
        single = [*rules, *(Addition(facts=(fact,)) for fact in self._facts(taken, 1))]
        all_counted = not self._unfinished
        bound = 2 if all_counted and not single else 1
        known = Additions(self._key, bound=bound, solutions=space.count)
        if single:
            shown = _one_place_after_another(single)[:most]
            return self._proved(known, shown, len(single), complete=all_counted, smallest=True)
        if not space.count:
            return self._nearest(replace(known, complete=all_counted), alternatives, MAX_CHANGES, most)
        excluded = int(all_counted)  # the size up to which no set of values and stricter rules is enough
        if space.count <= MAX_SOLUTIONS_INSPECTED:
            if not self._differs_in_cells(space):
                return replace(known, complete=all_counted, smallest=all_counted)
            candidates = self._candidates(alternatives, taken)
            sets = Sets(space, candidates, EarlierDeadline(self._deadline, TIME_SHARE_LEFT))
            if found := list(islice(sets.smallest(), MAX_ADDITION_SETS)):
                shown = _varied(found, most)
                known = self._proved(known, shown, len(found), complete=sets.finished, smallest=all_counted)
                return self._nearest(known, alternatives, found[0].size - 1, most)
            excluded = sets.excluded if all_counted else 0
        known = self._nearest(known, alternatives, MAX_CHANGES, most)
        if known.found or not (facts := self._enough(taken)):
            return known
        return self._proved(known, [Addition(facts=facts)], 1, smallest=len(facts) == excluded + 1)

    def _proved(
        self,
        known: Additions,
        found: Sequence[Addition],
        total: int,
        *,
        complete: bool = False,
        smallest: bool,
    ) -> Additions:
        """Return what is known with these additions; count what each leaves once more, as time allows.

        Raises EngineFault if it is not one solution.
        """
        for one in found:
            try:
                count = self._space(one.to(self._problem), self._compared, self._deadline).count
            except Unfinished:
                break
            if count != 1:
                raise EngineFault(
                    f"one solution was to be left by {one}, but the solution space counts {count}"
                )
        return replace(known, found=tuple(found), total=total, complete=complete, smallest=smallest)

    def _nearest(
        self, known: Additions, alternatives: Sequence[Alternative], limit: int, most: int
    ) -> Additions:
        """Return what is known with smaller sets of any changes, up to this size, or with a better bound."""
        try:
            search = NearestPuzzles(self._problem, self._compared, self._cells, alternatives, self._deadline)
        except OutOfTime:
            return known
        search.search(known.bound, limit, MAX_NEAREST)
        known = replace(known, bound=search.bound)
        if not search.found:
            return known
        shown = _varied(search.found, most)
        smallest = search.bound == shown[0].size
        return self._proved(known, shown, len(search.found), complete=search.is_complete, smallest=smallest)

    def has_one(self, space: SolutionSet) -> bool:
        """Whether there is only one solution; False if this could not be decided."""
        try:
            return space.project(self._compared, self._budget, self._deadline).count == 1
        except Unfinished:
            return False

    def _differs_in_cells(self, space: SolutionSet) -> bool:
        """Whether some solution differs from all others in the values of its cells."""
        seen = [i for i, v in enumerate(space.variables) if v in self._cells]
        alike = Counter(tuple([point[i] for i in seen]) for point in space)
        return 1 in alike.values()

    def _candidates(self, alternatives: Sequence[Alternative], taken: Deduction) -> list[Addition]:
        """Return the candidates for sets: rules stricter than those they replace, and values."""
        compared = set(self._compared)
        rules = [
            Addition((one,))
            for one in alternatives
            if compared.issuperset(one.rule.variables) and says_more(one)
        ]
        return [*_widest_first(rules), *(Addition(facts=(fact,)) for fact in self._facts(taken))]

    def _facts(self, taken: Deduction, solutions: int | None = None) -> list[Fact]:
        """Return the facts that hold in this number of solutions; None for some but not all."""
        return [
            Fact(v, value, True)
            for v in self._cells
            for value, count in taken[v].items()
            if (len(taken[v]) > 1 if solutions is None else count == solutions)
        ]

    def _rules(self, alternatives: Sequence[Alternative], deadline: Deadline) -> list[Addition]:
        """Return the rules that leave exactly one solution."""
        groups: dict[object, list[int]] = {}
        for number, one in enumerate(alternatives):
            groups.setdefault((one.replaced, terms_of(one.rule) or number), []).append(number)
        found = []
        for numbers in groups.values():
            try:
                sums = self._sums(alternatives[numbers[0]], deadline)
                found += [n for n in numbers if self._count(alternatives[n], sums, deadline) == 1]
            except Unfinished:
                self._unfinished = True
        return _widest_first([Addition((alternatives[number],)) for number in sorted(found)])

    def _count(self, one: Alternative, sums: Mapping[int, int], deadline: Deadline) -> int:
        """Return the number of solutions that a rule leaves. Raises Unfinished."""
        if terms_of(one.rule) is not None:
            return sum(n for total, n in sums.items() if allows(one.rule, total))
        return self._space(Addition((one,)).to(self._problem), self._compared, deadline).count

    def _sums(self, one: Alternative, deadline: Deadline) -> Mapping[int, int]:
        """Return the number of solutions for each sum, without the rule to be replaced. Raises Unfinished."""
        rule, problem = one.rule, Addition((one,)).to(self._problem)
        terms = terms_of(rule)
        if terms is None:
            return {}
        problem = replace(problem, constraints=problem.constraints[:-1])
        low, high = ends(problem, terms)
        total = len(problem.variables)
        is_sum = LinearSum((*rule.variables, total), Relation.EQ, 0, rule.label, (*(n for n, _ in terms), -1))
        variables = *problem.variables, Variable("sum", range(low, high + 1))
        summed = replace(problem, variables=variables).with_constraints([is_sum])
        return self._taken(self._space(summed, (*self._compared, total), deadline))[total]

    def _taken(self, space: SolutionSet) -> Deduction:
        """Return the number of solutions in which each variable takes each value. Raises Unfinished."""
        return space.value_counts(self._deadline)

    def _enough(self, taken: Deduction) -> tuple[Fact, ...]:
        """Return an irreducible set of values that leaves one solution; empty if values cannot."""
        chosen: list[Fact] = []
        try:
            while facts := self._facts(taken):
                chosen.append(min(facts, key=lambda fact: taken[fact.variable][fact.value]))
                space = self._with(chosen)
                if space.count == 1:
                    break
                taken = self._taken(space)
            else:
                return ()
            for fact in tuple(chosen):
                rest = [other for other in chosen if other != fact]
                if self._with(rest).count == 1:
                    chosen = rest
        except Unfinished:
            self._unfinished = True
            return ()
        return tuple(sorted(chosen))

    def _with(self, facts: Sequence[Fact]) -> SolutionSet:
        """Return the space of the solutions with these values. Raises Unfinished."""
        return self._space(Addition(facts=tuple(facts)).to(self._problem), self._compared, self._deadline)

    def _space(self, problem: Problem, seen: Sequence[int], deadline: Deadline) -> SolutionSet:
        try:
            return compile_problem(
                reduce_domains(problem, DEFAULT_RULES, deadline), seen, self._budget, deadline
            )
        except Contradiction:
            return SolutionSet(problem, variables_of(problem, seen), None)


def _widest_first(rules: Sequence[Addition]) -> list[Addition]:
    """Return the rules sorted so that those on many cells come first."""
    return sorted(rules, key=lambda one: -len(one.place))


def _one_place_after_another(found: Sequence[Addition]) -> list[Addition]:
    """Return the additions sorted so that the first rule and value of each place precede any second one."""
    often = Counter[tuple[bool, tuple[int, ...]]]()
    ranks = []
    for one in found:
        kind = bool(one.rules), one.place
        ranks.append(often[kind])
        often[kind] += 1
    return [one for _, one in sorted(zip(ranks, found, strict=True), key=itemgetter(0))]


def _varied(sets: Sequence[Addition], most: int) -> list[Addition]:
    """Return up to ``most`` sets: repeatedly one with the fewest values that repeats the fewest parts."""
    left, chosen, taken = list(sets), list[Addition](), Counter[Alternative | Fact]()
    while left and len(chosen) < most:
        best = min(left, key=lambda one: (len(one.facts), sum(taken[part] for part in one.parts)))
        left.remove(best)
        chosen.append(best)
        taken.update(best.parts)
    return chosen
