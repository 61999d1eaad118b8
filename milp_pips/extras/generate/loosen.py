"""Find the loosest rules that keep one solution, and the rules that carry no information.

A rule can be dropped, weakened (half of a sum: at least, or at most) or merged with its neighbours (one sum
for two or three regions). The rules that are kept must exclude every other solution, and each solution of
the hard constraints breaks some of them: so the cheapest rules are a smallest hitting set
(``milp_pips.extras.explain.hitting``). The price counts rules first and, among as few rules, the halves of
sums.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal, TypeAlias

from milp_pips.constraints import LinearSum, Relation, covers_of
from milp_pips.extras.explain.additions import ends, terms_of
from milp_pips.extras.explain.analysis import BoardAnalysis
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem, group_constraints
from milp_pips.extras.explain.hitting import HittingSets, Option
from milp_pips.extras.explain.reasoner import OutOfTime, Reasoner
from milp_pips.extras.explain.text import Words
from milp_pips.extras.generate.clues import OtherSolutions
from milp_pips.problem import Constraint, Deadline, Problem, Stop, UsageError
from milp_pips.problem.answer import NEVER, Natural, Seconds, TaskResult
from milp_pips.problem.parameters import TIME_LIMIT, named_keywords
from milp_pips.problem.stopping import OnProgress, running_deadline
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.tasks.pipeline import puzzle_of
from milp_pips.tasks.soft import names_of

MAX_MERGED = 3
"""The most regions that become one."""


Kind: TypeAlias = Literal["whole", "weakened", "merged"]


@dataclass(frozen=True, slots=True)
class KeptRule:
    """A rule that is kept."""

    kind: Kind
    rules: tuple[str, ...]
    """The rules of the puzzle that it stands for."""
    says: str
    """The rule in words."""
    items: tuple[ConstraintGroup, ...] = field(metadata=NEVER)
    """The items that state it."""


@dataclass(frozen=True)
class LoosestRules(TaskResult):
    """The loosest rules that keep one solution."""

    puzzle: Puzzle
    """The name of the puzzle."""
    grouped: GroupedProblem = field(metadata=NEVER)
    """The problem of the puzzle, with merged rules, as a set of items."""
    key: str = ""
    """The key by which there is one solution; empty if there are several."""
    rules: tuple[str, ...] = ()
    """The rules and givens that could be dropped."""
    idle: tuple[str, ...] = ()
    """Those that carry no information: any one of them can be dropped."""
    kept: tuple[KeptRule, ...] | None = None
    """The loosest rules that are enough; null if none were found."""
    dropped: tuple[str, ...] = ()
    """The rules that these do without."""
    least: Natural = 0
    """It is proved that at least this number of rules is needed."""
    loosest: bool = False
    """Whether it is proved that no looser rules are enough."""
    unique_by: str | None = None
    """What confirmed that no other solution is left; null if nothing did."""
    bound_by: str | None = None
    """What confirmed that no looser rules are enough; null if nothing did."""
    stop: Stop = Stop.FINISHED
    """The stopping criterion."""
    seconds: Seconds = 0.0
    """Wall-clock seconds."""


@named_keywords
def loosen(
    puzzle: Puzzle | Problem,
    *,
    seconds: float | None = None,
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
) -> LoosestRules:
    """Return the loosest rules that keep one solution, and the rules that carry no information.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    seconds, deadline
        A time limit, or a deadline that is already running. When it stops, the loosest rules found so far are
        returned, with a bound.
    on_progress
        Called with each line of progress; the logger ``milp_pips`` gets these lines, too.

    Raises
    ------
    UsageError
        If the puzzle has no solution.
    EngineFault
        If a confirmation contradicts the result.
    """
    puzzle = puzzle_of(puzzle, "loosen")
    TIME_LIMIT.check(seconds)
    begun = time.perf_counter()
    with running_deadline(deadline, seconds, on_progress) as deadline:
        search = _Search(puzzle, deadline)
        with suppress(OutOfTime):
            search.run()
    return replace(search.found, seconds=time.perf_counter() - begun)


class _Search:
    """The search; ``found`` keeps what is known when the deadline stops it."""

    def __init__(self, puzzle: Puzzle, deadline: Deadline):
        self._deadline = deadline
        self._analysis = BoardAnalysis(puzzle, deadline)
        problem = self._analysis.problem
        merged = dict(_merged_sums(problem, MAX_MERGED))
        self._grouped = group_constraints(problem.with_constraints(merged))
        first = len(problem.constraints)
        self._merged: Mapping[object, tuple[int, ...]] = dict(enumerate(merged.values(), first))
        self._by_rule: dict[object, list[int]] = {}
        self._base: list[int] = []
        for number, item in enumerate(self._grouped.items):
            if item.kind == "dominoes" or _is_of_the_game(problem, item):
                self._base.append(number)
            else:
                self._by_rule.setdefault(item.rule if item.kind == "rule" else item.piece, []).append(number)
        for rule, numbers in self._by_rule.items():  # half a sum that always holds weakens nothing
            says = [i for i in numbers if not _always_holds(problem, self._grouped.items[i].piece)]
            self._by_rule[rule] = says or numbers
        self._own = [rule for rule in self._by_rule if rule not in self._merged]
        self._words = Words(self._grouped)
        self.found = LoosestRules(puzzle, self._grouped, rules=tuple(map(self._label, self._own)))

    def run(self) -> None:
        """Find the idle rules and the loosest ones. Raises OutOfTime."""
        name = self.found.puzzle.name
        self.found = replace(self.found, stop=self._deadline.stop or Stop.TIME)
        if not self._analysis.has_solution():
            raise UsageError(f"{name} has no solution; explain says why")
        assert self._analysis.point is not None
        self._reasoner = Reasoner(self._grouped, self._deadline)
        everything = self._items_of(self._own)
        for key, variables in self._analysis.problem.keys.items():
            target = {v: self._analysis.point[v] for v in variables}
            self._others = OtherSolutions(self._reasoner, target)
            if self._witness(everything) is None:
                kept = tuple(self._kept("whole", self._by_rule[rule], (rule,)) for rule in self._own)
                self.found = replace(self.found, key=key, kept=kept)
                break
        else:
            self.found = replace(self.found, stop=Stop.FINISHED)
            return
        self._find_idle()
        self._find_loosest()

    def _find_idle(self) -> None:
        for rule in self._own:
            rest = self._items_of(other for other in self._own if other != rule)
            if self._witness(rest) is None and self._confirmed_by(rest):
                self.found = replace(self.found, idle=(*self.found.idle, self._label(rule)))

    def _find_loosest(self) -> None:
        many = 2 * len(self._own) + 1  # dropping one rule is worth more than all halves of sums
        stated: list[KeptRule] = []
        options: list[Option] = []
        of_rule: dict[object, set[int]] = {rule: set() for rule in self._own}
        for rule, numbers in self._by_rule.items():
            parts = self._merged.get(rule, (rule,))
            ways: list[tuple[Kind, Sequence[int]]] = [("merged" if len(parts) > 1 else "whole", numbers)]
            if len(parts) == 1 < len(numbers):
                ways += [("weakened", [number]) for number in numbers]
            for kind, chosen in ways:
                for part in parts:
                    of_rule[part].add(len(options))
                stated.append(self._kept(kind, chosen, parts))
                options.append(Option(many + (2 if kind != "weakened" else 1), frozenset(chosen)))
        exclusive = [frozenset(group) for group in of_rule.values() if len(group) > 1]
        whole = [i for i, one in enumerate(stated) if one.kind == "whole"]
        search = HittingSets(options, self._witness, exclusive)
        with suppress(OutOfTime):
            search.begin(whole)
            self._report(search, stated, many)
            search.finish(self._deadline)
        self._report(search, stated, many)
        bound_by = search.confirm(self._deadline) if search.bound else None
        stop = Stop.FINISHED if search.is_optimal else self._deadline.stop or Stop.ERROR
        self.found = replace(self.found, bound_by=bound_by, stop=stop)
        if search.best is not None:
            enough = frozenset[int]().union(*(options[i].elements for i in search.best))
            self.found = replace(self.found, unique_by=self._confirmed_by(enough))

    def _kept(self, kind: Kind, numbers: Sequence[int], rules: Sequence[object]) -> KeptRule:
        """Return the items of these numbers as a rule that stands for rules of the puzzle."""
        items, labels = tuple(self._grouped.items[i] for i in numbers), tuple(map(self._label, rules))
        words = self._words.item(items[0]) if kind == "weakened" else items[0].label
        return KeptRule(kind, labels, labels[0] if kind == "whole" else f"{words}, {kind}", items)

    def _report(self, search: HittingSets, stated: Sequence[KeptRule], many: int) -> None:
        least = -(-search.bound // (many + 2))
        self.found = replace(self.found, least=least, loosest=search.is_optimal)
        if search.best is not None:
            kept = tuple(stated[i] for i in sorted(search.best))
            used = {label for rule in kept for label in rule.rules}
            dropped = tuple(label for label in self.found.rules if label not in used)
            self.found = replace(self.found, kept=kept, dropped=dropped)
            self._deadline.progress.report(f"{self.found.puzzle.name}: {len(kept)} rules so far")

    def _items_of(self, rules: Iterator[object] | Sequence[object]) -> frozenset[int]:
        return frozenset(number for rule in rules for number in self._by_rule[rule])

    def _label(self, rule: object) -> str:
        item = self._grouped.items[self._by_rule[rule][0]]
        return item.label if item.kind == "rule" else f"the given in {item.label}"

    def _witness(self, chosen: frozenset[int]) -> frozenset[int] | None:
        """Return the items that another solution obeys, these among them; None if there is none."""
        point = self._others.find([*self._base, *chosen])
        if point is None:
            return None
        free = (i for numbers in self._by_rule.values() for i in numbers)
        return frozenset(i for i in free if self._grouped.items[i].piece.holds(point))

    def _confirmed_by(self, chosen: frozenset[int]) -> str | None:
        """Return the method that confirms that these items imply the solution."""
        return self._others.confirm_none([*self._base, *sorted(chosen)])


def _is_of_the_game(problem: Problem, item: ConstraintGroup) -> bool:
    """Whether the item belongs to every puzzle of its kind, such as a row of a Sudoku.

    On a board without dominoes, this is assumed of cells that are all different and show all values.
    """
    if item.kind != "rule" or covers_of(problem.constraints):
        return False
    constraint = problem.constraints[item.rule] if item.rule < len(problem.constraints) else item.piece
    domains = [problem.variables[v].domain for v in constraint.variables]
    return constraint.all_different and len({x for domain in domains for x in domain}) <= len(domains)


def _always_holds(problem: Problem, rule: Constraint) -> bool:
    """Whether the rule bounds a sum, and the domains imply the bounds."""
    total, terms = rule.bounded_sum, terms_of(rule)
    return total is not None and terms is not None and all(map(total.allows, ends(problem, terms)))


def _merged_sums(problem: Problem, most: int) -> Iterator[tuple[LinearSum, tuple[int, ...]]]:
    """Yield the sum of two or three touching regions with sums, and the numbers of their rules."""
    sums: dict[int, tuple[Constraint, int]] = {}
    for i, rule in enumerate(problem.constraints):
        total = rule.bounded_sum
        if total is None or total.coefficients or not rule.label:
            continue
        if total.low is not None and total.low == total.high:
            sums[i] = rule, total.low
    home = {v: i for i, (rule, _) in sums.items() for v in rule.variables}
    beside = {
        frozenset((home[cover.values[i]], home[cover.values[j]]))
        for cover in covers_of(problem.constraints)
        for i, j in cover.edges
        if cover.values[i] in home and cover.values[j] in home
    }
    for n in range(2, most + 1):
        for chosen in combinations(sums, n):
            joined = sum(frozenset(pair) in beside for pair in combinations(chosen, 2))
            if joined >= n - 1:  # two or three regions are connected if one of them touches the others
                names = [names_of(sums[i][0])[1] for i in chosen]
                target = sum(sums[i][1] for i in chosen)
                variables = tuple(sorted(v for i in chosen for v in sums[i][0].variables))
                label = f"regions {', '.join(names[:-1])} and {names[-1]}: sum {target}"
                yield LinearSum(variables, Relation.EQ, target, label), chosen
