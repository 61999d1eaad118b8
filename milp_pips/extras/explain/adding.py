"""Find changed rules, other dominoes or shown values that leave one solution of a puzzle.

Single changes are counted: the marginals of the solution space count the solutions for every value of every
cell and, with a variable for the sum of some cells and without their rule, for every sum. Rules come before
values, because rules give less away; rules on many cells come before those on few.

If no single change is enough, several are. Of a puzzle with several solutions the solutions are listed, and
values and stricter rules are chosen that only one of them obeys. Of a puzzle without a solution one change is
made, and the single changes of the puzzle that it leaves are counted; together the two must change a rule of
every known reason. All limits are numbers of nodes and sets, so every machine finds the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, product
from operator import mul

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.compilation.solution_set import SolutionSet, compile_problem, variables_of
from milp_pips.constraints import LinearSum, Relation, covers_of
from milp_pips.extras.explain.additions import (
    Addition,
    Additions,
    Change,
    cells_of_key,
    ends,
    place_of,
    says_more,
    swapped,
    terms_of,
)
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.techniques.table import union
from milp_pips.problem import Constraint, Deadline, EngineFault, Problem, Stop, Variable
from milp_pips.problem.errors import Contradiction
from milp_pips.propagation import DEFAULT_RULES, reduce_domains
from milp_pips.puzzles.family import Alternative

MAX_SUMS = 100_000
"""The most values of a sum, or pairs of values of two sums, that are counted."""

MAX_NODES, NODES_OF_A_PUZZLE = 1_000_000, 300
"""The nodes of the spaces of all changed puzzles together, and those that each costs beside its own."""

MAX_SOLUTIONS_INSPECTED = 5000
"""The most solutions that are listed."""

MAX_SETS, MAX_SETS_TRIED = 1000, 2_000_000
"""The most sets to look for, and the most to try: two seconds."""


def additions(
    problem: Problem,
    space: SolutionSet,
    alternatives: Sequence[Alternative],
    clashes: Sequence[Collection[Constraint]],
    most: int,
    deadline: Deadline,
) -> Additions:
    """Return the fewest changes that leave one solution of a problem with several or none.

    Parameters
    ----------
    problem, space
        The problem, and the space of all its solutions over all variables.
    alternatives
        Rules that the problem could have.
    clashes
        Sets of rules that cannot hold together, if there is no solution.
    most
        The most additions to return.
    deadline
        The deadline. What was found until it stops is returned.

    Raises
    ------
    EngineFault
        If two ways of counting differ.
    """
    found = Additions(next(iter(problem.keys)))
    try:
        search = _Search(problem, alternatives, deadline)
        for key, compared in problem.keys.items():
            own = space.project(compared, Budget(MAX_NODES), deadline)
            if own.count == 1:  # no values leave one solution by the key before
                return replace(found, already=key)
            search.compare_by(key)
            found = search.in_none(clashes, most) if not own.count else search.in_several(own, most)
            if found.found or not found.complete:
                break
    except Unfinished:  # what the key before has shown still holds
        pass
    return found


class _Search:
    """Find additions that leave one solution. Raises Unfinished at the deadline."""

    def __init__(self, problem: Problem, alternatives: Sequence[Alternative], deadline: Deadline):
        self._problem, self._alternatives, self._deadline = problem, alternatives, deadline
        self._nodes = MAX_NODES
        """The nodes that are left for the spaces of all changed puzzles."""
        groups: dict[object, list[Alternative]] = {}
        for number, one in enumerate(alternatives):  # there may be thousands
            if stop := deadline.stop:
                raise Unfinished("not all changes were tried", stop)
            groups.setdefault((one.replaced, terms_of(one.rule) or number), []).append(one)
        self._groups = list(groups.values())  # each is one rule, or bounds of one sum in place of one rule

    def compare_by(self, key: str) -> None:
        """Let two solutions be different if they differ by this key."""
        self._compared, self._cells = self._problem.keys[key], cells_of_key(self._problem, key)
        self._nothing = Additions(key)

    def _space(self, problem: Problem, seen: Sequence[int]) -> SolutionSet:
        """Return the solutions of a problem. Raises Unfinished, always once the nodes are used up."""
        nodes, self._nodes = self._nodes - NODES_OF_A_PUZZLE, 0
        if nodes <= 0:
            raise Unfinished("there are too many changed puzzles", Stop.MEMORY)
        try:
            reduced = reduce_domains(problem, DEFAULT_RULES, self._deadline)
            space = compile_problem(reduced, seen, Budget(nodes), self._deadline)
        except Contradiction:
            space = SolutionSet(problem, variables_of(problem, seen), None)
        self._nodes = nodes - space.nodes
        return space

    def in_several(self, space: SolutionSet, most: int) -> Additions:
        """Return single changes or, if none is enough, the fewest values and stricter rules."""
        taken = space.value_counts(self._deadline)
        singles, counted = self._leaving_one([(group,) for group in self._groups])
        singles = [*_widest_first(singles), *(Addition((fact,)) for fact in self._facts(taken, 1))]
        if singles:
            return self._result(singles, most, complete=counted)
        nothing = replace(self._nothing, bound=2 if counted else 1)
        if space.count > MAX_SOLUTIONS_INSPECTED:
            return nothing
        if not self._differs_in_cells(space):
            return replace(nothing, complete=counted)
        rules = [
            one
            for one in self._alternatives
            if says_more(one) and {*self._compared}.issuperset(one.rule.variables)
        ]
        rules.sort(key=lambda one: -len(one.rule.variables))
        sets = _CommonSolution(space, [*rules, *self._facts(taken)], self._deadline)
        found = list(islice(sets.smallest(), MAX_SETS + 1))
        if not found:
            return nothing
        complete = len(found) <= MAX_SETS and not sets.is_cut_off
        return self._result(found[:MAX_SETS], most, complete=complete, bound=nothing.bound)

    def in_none(self, clashes: Sequence[Collection[Constraint]], most: int) -> Additions:
        """Return single changes or, if none is enough, pairs of them."""
        singles, counted = self._leaving_one([(group,) for group in self._groups])
        if singles or not counted:
            return self._result(_widest_first(singles), most, complete=counted and bool(singles))
        # Dominoes of a new kind may undo any reason, because reasons assume the kinds.
        every, hits = set(range(len(clashes))), list[set[int]]()
        for group in self._groups:
            loosened = {one.replaced for one in group if not says_more(one)}
            is_cover = bool(covers_of([group[0].rule]))
            hits.append({i for i in every if is_cover or not loosened.isdisjoint(clashes[i])})
        domains = {v: self._problem.variables[v].domain for v in self._cells}
        facts = [[Fact(v, value, True) for value in domain] for v, domain in domains.items() if domain[1:]]
        groups: list[Sequence[Change]] = [*self._groups, *facts]
        hits += [set[int]() for _ in facts]
        together = [
            (groups[i], groups[j])
            for i, j in combinations(range(len(groups)), 2)
            if hits[i] | hits[j] == every and _go_together(groups[i][0], groups[j][0])
        ]
        together.sort(key=lambda pair: isinstance(pair[1][0], Fact))  # values give more away than rules
        pairs, counted = self._leaving_one(together)
        bound = 3 if counted and not pairs else 2
        return self._result(_loosest(pairs), most, complete=counted and bool(pairs), bound=bound)

    def _facts(self, taken: Mapping[int, Mapping[int, int]], solutions: int | None = None) -> list[Fact]:
        """Return the values that this number of solutions have; None for some but not all."""
        return [
            Fact(v, value, True)
            for v in self._cells
            for value, count in taken[v].items()
            if (len(taken[v]) > 1 if solutions is None else count == solutions)
        ]

    def _leaving_one(self, together: Iterable[tuple[Sequence[Change], ...]]) -> tuple[list[Addition], bool]:
        """Return the changes, one of each group, that leave one solution; and whether all were counted."""
        found, counted = list[Addition](), True
        for groups in together:
            try:
                counts = self._counts([group[0] for group in groups])
            except Unfinished:
                counted = False
                continue
            for chosen in product(*groups) if counts else ():
                bounds = [one for one in chosen if _terms(one)]
                if sum(n for sums, n in counts.items() if all(map(_allows, bounds, sums))) == 1:
                    found.append(Addition(chosen))
        return found, counted

    def _counts(self, changes: Sequence[Change]) -> dict[tuple[int, ...], int]:
        """Return the number of solutions for all values of the sums and cells that the changes bound.

        The rules that bound the sums are left out. Raises Unfinished.
        """
        problem = Addition(tuple(one for one in changes if isinstance(one, Alternative))).to(self._problem)
        variables, rules = list(problem.variables), list(problem.constraints)
        # One variable stands for all the sums, since only the values of one variable are counted. The digits
        # of its value are the sums; the base of each is the number of its values.
        coefficients, codes = Counter[int](), {0: tuple[int, ...]()}
        for one in changes:
            if (terms := _terms(one)) is None:
                continue
            low, high = ends(problem, terms)
            width = high - low + 1
            if len(codes) * width > MAX_SUMS:
                raise Unfinished("there are too many sums", Stop.MEMORY)
            codes = {
                code * width + total: (*sums, total)
                for code, sums in codes.items()
                for total in range(low, high + 1)
            }
            coefficients = Counter({v: times * width for v, times in coefficients.items()})
            coefficients.update({v: times for times, v in terms})
            if isinstance(one, Alternative):
                rules.remove(one.rule)
        code = len(variables)
        rules.append(LinearSum((*coefficients, code), Relation.EQ, 0, "", (*coefficients.values(), -1)))
        variables.append(Variable("code", tuple(sorted(codes))))
        stated = replace(problem, variables=tuple(variables), constraints=tuple(rules))
        space = self._space(stated, (*self._compared, code))
        return {codes[a]: n for a, n in space.value_counts(self._deadline)[code].items()}

    def _result(self, found: Sequence[Addition], most: int, *, complete: bool, bound: int = 1) -> Additions:
        """Return the best of what was found; count what each leaves once more, while nodes are left.

        Raises EngineFault if it is not one solution.
        """
        pick = _varied if found and len(found[0].parts) > 1 else _one_place_after_another
        shown = pick(found, most)
        for one in shown:
            try:
                count = self._space(one.to(self._problem), self._compared).count
            except Unfinished:
                break
            if count != 1:
                raise EngineFault(
                    f"one solution was to be left by {one}, but the solution space counts {count}"
                )
        return replace(self._nothing, found=tuple(shown), total=len(found), complete=complete, bound=bound)

    def _differs_in_cells(self, space: SolutionSet) -> bool:
        """Whether some solution differs from all others in the values of its cells."""
        seen = [i for i, v in enumerate(space.variables) if v in self._cells]
        alike = Counter(tuple([point[i] for i in seen]) for point in space)
        return 1 in alike.values()


class _CommonSolution:
    """Find the smallest sets of candidates that hold together in exactly one of some listed solutions.

    Each candidate is the set of the solutions in which it holds, an integer with one bit per solution. An
    engine that chooses among selectors takes a hundred times as long as the few thousand intersections. A
    candidate is skipped if an earlier one on the same cells holds in the same solutions, because the earlier
    one gives less away.
    """

    def __init__(self, space: SolutionSet, candidates: Iterable[Change], deadline: Deadline):
        self.is_cut_off = False
        self._every, self._left, self._deadline = (1 << space.count) - 1, MAX_SETS_TRIED, deadline
        self._columns = dict(zip(space.variables, zip(*space, strict=True), strict=True))
        self._sums: dict[object, dict[int, int]] = {}
        kept: dict[tuple[int, tuple[int, ...]], Change] = {}
        for one in candidates:
            kept.setdefault((self._where(one), place_of(one)), one)
        self._candidates = [(bits, one) for (bits, _), one in kept.items() if bits not in (0, self._every)]

    def smallest(self) -> Iterator[Addition]:
        """Yield the sets of the smallest size that has any, until too many were tried."""
        for size in range(1, len(self._candidates) + 1):
            found = False
            for chosen in self._sets(self._every, 0, size):
                found = True
                yield Addition(tuple(chosen))
            if found or self.is_cut_off:
                return

    def _sets(self, common: int, first: int, size: int) -> Iterator[list[Change]]:
        """Yield sets of candidates from index ``first`` on that share exactly one of the common solutions."""
        for i in range(first, len(self._candidates) - size + 1):
            self._left -= 1
            if self._left < 0 or self._deadline.stop:
                self.is_cut_off = True
                return
            bits, one = self._candidates[i]
            left = common & bits
            if size == 1:
                if left and not left & (left - 1):
                    yield [one]
            elif left not in (0, common):
                for more in self._sets(left, i + 1, size - 1):
                    if all(place_of(one) != place_of(other) for other in more):
                        yield [one, *more]

    def _where(self, one: Change) -> int:
        """Return the solutions in which a candidate holds."""
        columns = [self._columns[v] for v in place_of(one)]
        if (terms := _terms(one)) is None:
            assert isinstance(one, Alternative)
            rows = (dict(zip(one.rule.variables, row, strict=True)) for row in zip(*columns, strict=True))
            return _bits(one.rule.holds(row) for row in rows)
        if terms not in self._sums:
            times = [n for n, _ in terms]
            totals = [sum(map(mul, times, row)) for row in zip(*columns, strict=True)]
            self._sums[terms] = {t: _bits(total == t for total in totals) for t in set(totals)}
        return union(bits for t, bits in self._sums[terms].items() if _allows(one, t))


def _bits(holds: Iterable[bool]) -> int:
    return int("".join(["01"[one] for one in holds])[::-1] or "0", 2)


def _terms(change: Change) -> tuple[tuple[int, int], ...] | None:
    """Return the terms (coefficient, variable) of what a change bounds; None if it is not a bound."""
    return ((1, change.variable),) if isinstance(change, Fact) else terms_of(change.rule)


def _allows(change: Change, total: int) -> bool:
    """Whether a change, which is a bound, allows this sum of its terms."""
    if isinstance(change, Fact):
        return change.value == total
    return change.rule.bounded_sum is not None and change.rule.bounded_sum.allows(total)


def _go_together(one: Change, other: Change) -> bool:
    """Whether both changes can be made. Of two exchanges of two dominoes each, one order stands for both."""
    if isinstance(one, Fact) or isinstance(other, Fact):
        return isinstance(one, Alternative)  # values alone remove no contradiction
    if (first := swapped(one)) and (second := swapped(other)):
        return first[0] < second[0] and first[1] < second[1]
    if one.replaced is None:
        return one.rule.variables != other.rule.variables
    return one.replaced != other.replaced


def _loosest(pairs: Sequence[Addition]) -> list[Addition]:
    """Return the pairs without those of which another one only loosens a bound."""

    def loosens(one: Addition, other: Addition) -> bool:
        rules = [(a, b) for a, b in zip(one.rules, other.rules, strict=True) if a != b]
        return len(rules) == 1 and says_more(Alternative(rules[0][1].rule, rules[0][0].rule))

    return [
        one for one in pairs if not any(loosens(other, one) for other in pairs if other.facts == one.facts)
    ]


def _widest_first(rules: Iterable[Addition]) -> list[Addition]:
    """Return the rules sorted so that those on many cells come first."""
    return sorted(rules, key=lambda one: -len(one.place))


def _one_place_after_another(found: Sequence[Addition], most: int) -> list[Addition]:
    """Return up to ``most`` single changes: the first rule and value of each place precede any second one."""
    often, ranks = Counter[tuple[bool, tuple[int, ...]]](), dict[Addition, int]()
    for one in found:
        kind = bool(one.rules), one.place
        ranks[one] = often[kind]
        often[kind] += 1
    return sorted(found, key=ranks.__getitem__)[:most]


def _varied(sets: Sequence[Addition], most: int) -> list[Addition]:
    """Return up to ``most`` sets: repeatedly one with the fewest values that repeats the fewest parts."""
    left, chosen, taken = list(sets), list[Addition](), Counter[Change]()
    while left and len(chosen) < most:
        best = min(left, key=lambda one: (len(one.facts), sum([taken[part] for part in one.parts])))
        left.remove(best)
        chosen.append(best)
        taken.update(best.parts)
    return chosen
