"""Find the fewest changes that make a draft a puzzle with one solution, and prove that fewer are not enough.

A SAT solver chooses the changes and, at the same time, the solution that is to be left. A second call looks
for another solution of the changed puzzle. If there is none, the choice is one of the answers. Otherwise both
solutions become known, and every later choice must exclude a known solution or be the one that leaves it. So
the loop is that of ``hitting``, with the wanted solution chosen as well: counterexample-guided expansion of a
formula with two quantifiers (Janota, Klieber, Marques-Silva and Clarke, *Solving QBF with counterexample
guided refinement*, 2012).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, cast

from milp_pips.engines.registry import available
from milp_pips.extras.explain.additions import Addition, allows
from milp_pips.extras.explain.changes_cnf import MAX_CHANGES, Change, FormulaOfChanges
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.reasoner import OutOfTime, load_clauses
from milp_pips.problem import Deadline, EngineFault, Problem, UsageError
from milp_pips.problem.stopping import EarlierDeadline
from milp_pips.puzzles.family import Alternative

if TYPE_CHECKING:
    from milp_pips.engines.contract import AssumingSolver, LoadedClauses

FIRST_ROUNDS = 5
"""The rounds of each size before the next size is tried."""

TIME_FOR_MORE = 0.5
"""The share of the time that the search for smaller sets leaves to the search for more of the same size."""

SECOND_SOLVER = "sat:cadical195"
"""The solver that confirms that no set is smaller; the first one is of another family."""


class NearestPuzzles:
    """The search for the nearest puzzles with one solution with respect to a key.

    ``found`` has sets of one size, ``is_complete`` states whether these are all, and fewer changes than
    ``bound`` are not enough.

    Parameters
    ----------
    problem, compared
        The problem of the draft, and the variables of the key.
    cells, alternatives
        The variables whose values can be shown, and the rules that the draft could have.
    deadline
        The deadline. ``search`` keeps what it has found; the constructor raises OutOfTime.
    """

    def __init__(
        self,
        problem: Problem,
        compared: Sequence[int],
        cells: Sequence[int],
        alternatives: Sequence[Alternative],
        deadline: Deadline,
    ):
        self.found: list[Addition] = []
        self.bound, self.is_complete = 1, False
        self._formula = FormulaOfChanges(problem, cells, alternatives, deadline)
        self._literals = list(self._formula.literals)
        self._problem, self._compared, self._deadline = problem, compared, deadline
        self._is_search = self._formula.new()
        for change in self._formula.changes:  # other solutions may have the sum that the rule had before
            if change.variable >= 0:
                parts = (self._formula.literal(change.variable, value) for value in change.parts)
                self._formula.add(-self._is_search, -change.literal, *parts)
        self._differs: dict[tuple[int, int], int] = {}
        self._engine: LoadedClauses = load_clauses(self._formula, deadline)

    def search(self, bound: int, limit: int, most: int) -> None:
        """Find up to ``most`` sets of the smallest size up to ``limit``; fewer than ``bound`` are not enough.

        Sizes are tried in turn, each for some rounds, and then for twice as many. Each set that is found
        lowers the limit, so that there is something to show at any time.
        """
        self.bound, limit = bound, min(limit, MAX_CHANGES, len(self._formula.count) - 2)
        deadline, rounds, size = EarlierDeadline(self._deadline, TIME_FOR_MORE), FIRST_ROUNDS, bound
        with suppress(OutOfTime):
            while self.bound <= limit:
                if size > limit:
                    size, rounds = self.bound, 2 * rounds
                one = self._next(size, rounds, deadline)
                if isinstance(one, Addition):
                    self.found, limit = [one], one.size - 1
                elif one:
                    if not self._is_confirmed(size):
                        break
                    self.bound = size + 1
                size = size + 1 if size < limit else limit + 1
        with suppress(OutOfTime):
            while 0 < len(self.found) < most and not self.is_complete:
                one = self._next(self.found[0].size, None, self._deadline)
                if isinstance(one, Addition):
                    self.found = [*(found for found in self.found if found.size <= one.size), one]
                else:
                    self.is_complete = True

    def _next(self, size: int, rounds: int | None, deadline: Deadline) -> Addition | bool:
        """Return a new set of at most this size, True if there is none, False after the last round."""
        while rounds is None or rounds > 0:
            choice = self._choice(size, deadline)
            if choice is None:
                return True
            # Stay with this solution until a set leaves it alone, or none can.
            wanted = [self._formula.literal(v, choice[0][v]) for v in self._compared]
            while choice is not None:
                point, chosen = choice
                other = self._other(point, chosen, deadline)
                if other is None:
                    self._learn(*(self._undone(one, point) for one in chosen))
                    return self._addition(point, chosen)
                self._exclude(point)
                self._exclude(other)
                choice = self._choice(size, deadline, wanted)
            clash = {*wanted, -self._formula.count[size + 1]}.intersection(self._engine.core())
            self._learn(*(-literal for literal in sorted(clash)))
            rounds = None if rounds is None else rounds - 1
        return False

    def _is_confirmed(self, size: int) -> bool:
        """Whether another engine proves, too, that no set of this size is left. Raises EngineFault."""
        try:
            engine = cast("AssumingSolver", available(SECOND_SOLVER)).load(self._formula, self._deadline)
        except UsageError:
            return False
        found = None
        if not self._deadline.stop:
            found = engine.solve([self._is_search, -self._formula.count[size + 1]], self._deadline)
        if found:
            raise EngineFault(f"a set of {size} changes was missed, which {SECOND_SOLVER} finds")
        return found is False

    def _solve(self, deadline: Deadline, *assumptions: int) -> bool:
        found = self._engine.solve(assumptions, deadline)
        if found is None:
            raise OutOfTime
        return found

    def _clause(self, *literals: int) -> None:
        """Add a clause to the formula that is already loaded."""
        self._formula.clauses.append(literals)
        self._engine.add(literals)

    def _learn(self, *literals: int) -> None:
        """Add a clause for the choice alone, not for the search for another solution."""
        self._clause(-self._is_search, *literals)

    def _point(self) -> tuple[int, ...]:
        return self._formula.decode({self._formula.true, *self._engine.model()})

    def _choice(
        self, size: int, deadline: Deadline, wanted: Sequence[int] = ()
    ) -> tuple[tuple[int, ...], frozenset[int]] | None:
        """Return a solution, and the literals of changes that may leave it alone; None if there is none."""
        if not self._solve(deadline, self._is_search, -self._formula.count[size + 1], *wanted):
            return None
        chosen = frozenset(self._literals).intersection(self._engine.model())
        return self._point(), chosen

    def _other(
        self, point: Sequence[int], chosen: frozenset[int], deadline: Deadline
    ) -> tuple[int, ...] | None:
        """Return another solution with these changes, one that keeps as many rules as it can; or None."""
        made = [*self._made(point, chosen), *chain(*self._fixed(point, chosen).values())]
        if not self._solve(deadline, *made):
            return None
        other = self._point()
        for rule, kept in self._formula.stays.items():
            if rule.holds(other):
                made.append(kept)
            elif self._solve(deadline, *made, kept):
                other = self._point()
                made.append(kept)
        return other

    def _made(self, point: Sequence[int], chosen: frozenset[int]) -> list[int]:
        """Return literals by which these changes are made, and another solution is wanted."""
        differs = self._formula.new()
        self._clause(-differs, *(-self._formula.literal(v, point[v]) for v in self._compared))
        return [differs, *(one if one in chosen else -one for one in self._literals)]

    def _fixed(self, point: Sequence[int], chosen: frozenset[int]) -> dict[int, list[int]]:
        """Return, by the literal of each change, the literals that say what it states."""
        return {
            change.literal: [self._formula.literal(change.variable, point[change.variable])]
            for change in self._formula.changes
            if change.literal in chosen and change.variable >= 0
        }

    def _exclude(self, point: Sequence[int]) -> None:
        """Let every later choice exclude this point, unless it is the solution that is to be left."""
        wanted = self._formula.new()
        for v in self._compared:
            self._clause(-wanted, self._formula.literal(v, point[v]))
        ways = [wanted, *(-one for rule, one in self._formula.replaced.items() if not rule.holds(point))]
        for change in self._formula.changes:
            if change.variable >= 0:
                ways.append(self._fixed_otherwise(change, point[change.variable]))
            else:
                part = change.parts[0]
                assert isinstance(part, Alternative)
                ways += [] if part.rule.holds(point) else [change.literal]
        for tiling, cover in zip(self._formula.tilings, self._formula.covers, strict=True):
            laid = Counter(kind for kind in tiling.laid_pairs(point) if kind)
            for kind, n in laid.items():
                times = cover.kinds.get(kind, 0)
                if n == times and kind in self._formula.goes:
                    ways.append(self._formula.goes[kind])
                elif n == times + 1 and kind in self._formula.comes:
                    ways.append(-self._formula.comes[kind])
                elif n > times:
                    return  # no changes allow so many
        self._learn(*ways)

    def _fixed_otherwise(self, change: Change, value: int) -> int:
        """Return a literal that implies the change, and another value of its variable."""
        key = change.literal, value
        if key not in self._differs:
            self._differs[key] = one = self._formula.new()
            self._clause(-one, change.literal)
            self._clause(-one, -self._formula.literal(change.variable, value))
        return self._differs[key]

    def _undone(self, literal: int, point: Sequence[int]) -> int:
        """Return a literal that implies that the change is not made, or is another one."""
        change = next((change for change in self._formula.changes if change.literal == literal), None)
        if change is None or change.variable < 0:
            return -literal
        undone = self._formula.new()
        self._clause(-undone, -literal, -self._formula.literal(change.variable, point[change.variable]))
        return undone

    def _addition(self, point: Sequence[int], chosen: frozenset[int]) -> Addition:
        """Return the changes that leave this point alone, with bounds in place of exact sums if they can."""
        made, fixed = self._made(point, chosen), self._fixed(point, chosen)
        rules, facts = list[Alternative](), list[Fact]()
        for change in self._formula.changes:
            if change.literal not in chosen:
                continue
            value = 0 if change.variable < 0 else point[change.variable]
            part = change.parts[value]
            if isinstance(part, Fact):
                facts.append(part)
                continue
            for one in change.bounds:
                exact, domain = fixed[change.literal], self._formula.domain(change.variable)
                if allows(one.rule, value):
                    excluded = (t for t in domain if not allows(one.rule, t))
                    fixed[change.literal] = [-self._formula.literal(change.variable, t) for t in excluded]
                    if self._engine.solve([*made, *chain(*fixed.values())], self._deadline) is False:
                        part = one
                        break
                    fixed[change.literal] = exact
            rules.append(part)
        swapped = (
            [kind for kind, one in each.items() if one in chosen]
            for each in (self._formula.goes, self._formula.comes)
        )
        rules += (self._formula.swaps[swap] for swap in zip(*swapped, strict=True))
        return Addition(tuple(rules), tuple(facts))
