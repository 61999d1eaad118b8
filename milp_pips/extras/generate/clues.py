"""Find the fewest cells to show so that a puzzle has one solution: a given one, any one, or each in turn.

Showing cells of a solution leaves it alone if every other solution differs from it in one of them, so the
fewest cells are a smallest hitting set (``milp_pips.extras.explain.hitting``). If all solutions can be
listed, the list is the oracle; otherwise a SAT solver finds another solution that agrees with the shown
cells.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.compilation.solution_set import SolutionSet
from milp_pips.extras.explain.additions import cells_of_key
from milp_pips.extras.explain.analysis import ANALYSIS_SPACE_BYTES, BoardAnalysis
from milp_pips.extras.explain.confirmation import confirm_step
from milp_pips.extras.explain.facts import Fact, Step
from milp_pips.extras.explain.hitting import HittingSets, Option, Witness
from milp_pips.extras.explain.reasoner import OutOfTime, Reasoner
from milp_pips.problem import Deadline, Problem, Stop, UsageError
from milp_pips.problem.answer import TaskResult
from milp_pips.problem.parameters import TIME_LIMIT, Parameter, flag, named_keywords
from milp_pips.problem.stopping import OnProgress, running_deadline
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.puzzle import known_key
from milp_pips.tasks.pipeline import puzzle_of

if TYPE_CHECKING:
    from milp_pips.extras.explain.groups import GroupedProblem
    from milp_pips.puzzles.puzzle import Puzzle

MAX_LISTED = 5_000
"""The most solutions that are listed; with more, one solution must be named."""


@dataclass(frozen=True, slots=True)
class Clues:
    """Cells whose values leave one solution.

    Parameters
    ----------
    solution
        The values by variable of the solution that is left, as far as the key shows them.
    facts
        The cells to show, with their values; None if none were found, or if no cells are enough.
    bound
        It is proved that fewer cells than this are not enough.
    unique_by, bound_by
        The methods that confirm that no other solution is left, and that fewer cells are not enough.
    is_possible
        False if another solution has the same values in all cells.
    """

    solution: Mapping[int, int]
    facts: tuple[Fact, ...] | None = None
    bound: int = 0
    unique_by: str | None = None
    bound_by: str | None = None
    is_possible: bool = True

    @property
    def is_fewest(self) -> bool:
        """Whether it is proved that fewer cells are not enough."""
        return self.facts is not None and len(self.facts) <= self.bound


@dataclass(frozen=True)
class FewestClues(TaskResult):
    """The fewest cells to show, for one solution or for each.

    Parameters
    ----------
    puzzle, grouped
        The puzzle, and its problem as a set of items.
    key
        The key that distinguishes solutions.
    found
        The clues: one entry or, if requested, one for each solution.
    solutions
        The number of solutions; None if they were not counted.
    bound
        It is proved that no solution is left alone by fewer cells than this.
    stop
        The stopping criterion.
    seconds
        The time taken.
    """

    puzzle: Puzzle
    grouped: GroupedProblem
    key: str
    found: tuple[Clues, ...] = ()
    solutions: int | None = None
    bound: int = 0
    stop: Stop = Stop.FINISHED
    seconds: float = 0.0

    @property
    def best(self) -> Clues | None:
        """The clues with the fewest cells; None if none were found."""
        known = [clues for clues in self.found if clues.facts is not None]
        return min(known, key=lambda clues: len(clues.facts or ()), default=None)

    @property
    def is_fewest(self) -> bool:
        """Whether it is proved that no fewer cells leave one solution."""
        return self.best is not None and len(self.best.facts or ()) <= self.bound


CLUES_PARAMETERS = (
    flag("--each", "find the fewest cells for each solution, not only for the one that needs the fewest"),
    Parameter(
        "--distinct KEY",
        "the key by which one solution is to be left, such as grid (default: the first key that the values "
        "of cells can decide)",
        default="",
    ),
)


@named_keywords
def clues(
    puzzle: Puzzle | Problem,
    solution: Any = None,
    *,
    each: bool = False,
    distinct: str = "",
    seconds: float | None = None,
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
) -> FewestClues:
    """Return the fewest cells to show so that the puzzle has one solution, proved to be the fewest.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    solution
        The solution that is to be left, as ``solve`` returns it; None for the one that needs the fewest
        cells.
    each
        Whether to find the fewest cells for each solution. With a ``solution``, it has no effect.
    distinct
        The key by which solutions differ; empty for the first one that the values of cells can decide.
    seconds, deadline
        A time limit, or a deadline that is already running. When it stops, the best cells found so far are
        returned, with a bound.
    on_progress
        Called with each line of progress; the logger ``milp_pips`` gets these lines, too.

    Raises
    ------
    UsageError
        If the puzzle has no solution, the solution breaks a rule, the key is unknown, or there are too many
        solutions to list and none is named.
    EngineFault
        If a confirmation contradicts the result.
    """
    puzzle = puzzle_of(puzzle, "clues")
    TIME_LIMIT.check(seconds)
    begun = time.perf_counter()
    with running_deadline(deadline, seconds, on_progress) as deadline:
        analysis = BoardAnalysis(puzzle, deadline)
        keys = [known_key(analysis.problem, distinct)] if distinct else list(analysis.problem.keys)
        found = FewestClues(puzzle, analysis.grouped, keys[0])
        try:
            target = None if solution is None else _values_of(puzzle, solution)
            if target is None and not analysis.has_solution():
                raise UsageError(f"{puzzle.name} has no solution, so no cells leave one; explain says why")
            for key in keys:
                search = _Search(analysis, puzzle, key)
                found = search.for_all(each=each) if target is None else search.for_solution(target)
                if found.best is not None or found.stop is not Stop.FINISHED:
                    break
        except OutOfTime:
            found = replace(found, stop=deadline.stop or Stop.ERROR)
    return replace(found, seconds=time.perf_counter() - begun)


def _values_of(puzzle: Puzzle, solution: Any) -> dict[int, int]:
    """Return the values of a solution by variable. Raises UsageError if it breaks a rule."""
    family = family_of(puzzle)
    if broken := family.check(puzzle, solution):
        raise UsageError(f"the solution of {puzzle.name} breaks a rule: {broken}")
    return family.encode(puzzle, solution)


class _Search:
    """Search by one key."""

    def __init__(self, analysis: BoardAnalysis, puzzle: Puzzle, key: str):
        self._analysis, self._deadline = analysis, analysis.deadline
        self._variables = analysis.problem.keys[key]
        self._cells = [
            v for v in cells_of_key(analysis.problem, key) if len(analysis.problem.variables[v].domain) > 1
        ]
        self._listed = self._list()
        solutions = None if self._listed is None else self._listed.count
        self._empty = FewestClues(puzzle, analysis.grouped, key, solutions=solutions)

    def for_solution(self, solution: Mapping[int, int]) -> FewestClues:
        """Return the fewest cells for one solution, whose values are given by variable."""
        variables = self._analysis.problem.variables
        target = {v: solution.get(v, variables[v].domain[0]) for v in self._variables}
        one = self._fewest(target, self._sat_witness(target), None)
        return self._result([one], one.bound)

    def for_all(self, *, each: bool) -> FewestClues:
        """Return the fewest cells for every solution; without ``each``, for the one that needs the fewest."""
        listed, name = self._listed, self._empty.puzzle.name
        if listed is None:
            raise UsageError(
                f"{name} has too many solutions to look at each: name the one that is to be left"
            )
        found, least = list[Clues](), None
        for number in range(listed.count):
            if self._deadline.stop:
                break
            so_far = "" if least is None else f", {least} cells so far"
            self._deadline.progress.report(f"{name}: solution {number + 1} of {listed.count}{so_far}")
            search = listed.values(number), listed.witness(number), None if each else least
            one = self._fewest(*search, listed.nearest(number))
            found.append(one)
            if one.facts is not None and (least is None or len(one.facts) < least):
                least = len(one.facts)
        bounds = [one.bound for one in found] + [min(1, listed.count - 1)] * (len(found) < listed.count)
        best = [one for one in found if one.facts is not None and len(one.facts) == least]
        return self._result(found if each else best[:1], min(bounds))

    def _result(self, found: Sequence[Clues], bound: int) -> FewestClues:
        made = replace(self._empty, found=tuple(found), bound=bound)
        done = made.is_fewest and all(one.is_fewest or not one.is_possible for one in found)
        return made if done else replace(made, stop=self._deadline.stop or Stop.FINISHED)

    def _list(self) -> _Listed | None:
        """Return all solutions, listed; None if they do not fit or are too many."""
        space = self._analysis.space
        try:
            if space is not None:
                space = space.project(self._variables, Budget.of_memory(ANALYSIS_SPACE_BYTES), self._deadline)
        except Unfinished:
            return None
        return None if space is None or space.count > MAX_LISTED else _Listed(space, self._cells)

    def _others(self, target: Mapping[int, int]) -> OtherSolutions:
        return OtherSolutions(self._analysis.reasoner, target)

    def _sat_witness(self, target: Mapping[int, int]) -> Witness:
        """Return the oracle that looks for another solution with a SAT solver. It raises OutOfTime."""
        others = self._others(target)

        def witness(cells: frozenset[int]) -> frozenset[int] | None:
            point = others.find(self._analysis.everything, self._facts(target, cells))
            if point is None:
                return None
            return frozenset(i for i, v in enumerate(self._cells) if point[v] == target[v])

        return witness

    def _facts(self, target: Mapping[int, int], cells: Iterable[int]) -> tuple[Fact, ...]:
        """Return the values of these cells, given by position, in the order of the board."""
        return tuple(Fact(v, target[v], True) for v in sorted(self._cells[i] for i in cells))

    def _fewest(
        self,
        target: Mapping[int, int],
        witness: Witness,
        cutoff: int | None,
        known: Iterable[frozenset[int]] = (),
    ) -> Clues:
        """Return the fewest cells that leave the target; none if they are not fewer than the cutoff."""
        options = [Option(1, frozenset([i])) for i in range(len(self._cells))]
        search = HittingSets(options, witness, sets=list(known))
        with suppress(OutOfTime):
            if cutoff is None:
                search.begin()
            search.finish(self._deadline, cutoff)
        if not search.is_possible:
            return Clues(target, None, len(self._cells) + 1, is_possible=False)
        bound_by = search.confirm(self._deadline) if search.bound else None
        if search.best is None:
            return Clues(target, None, search.bound, bound_by=bound_by)
        found = Clues(target, self._facts(target, search.best), search.bound, bound_by=bound_by)
        with suppress(OutOfTime):
            by = self._others(target).confirm_none(self._analysis.everything, found.facts or ())
            return replace(found, unique_by=by)
        return found


class _Listed:
    """All solutions by a key; sets of solutions are integers with a bit for each."""

    def __init__(self, space: SolutionSet, cells: Sequence[int]):
        self._space, self._cells, self.count = space, cells, space.count
        self._points = list(space)
        at = {v: i for i, v in enumerate(space.variables)}
        self._places = [at[v] for v in cells]
        self._having: list[dict[int, int]] = [{} for _ in cells]
        for number, point in enumerate(self._points):
            for having, place in zip(self._having, self._places, strict=True):
                having[point[place]] = having.get(point[place], 0) | 1 << number

    def values(self, number: int) -> dict[int, int]:
        """Return the values of a solution by variable."""
        return dict(zip(self._space.variables, self._points[number], strict=True))

    def _alike(self, number: int) -> list[int]:
        """Return, for each cell, the solutions that agree with this one there."""
        point = self._points[number]
        return [having[point[place]] for having, place in zip(self._having, self._places, strict=True)]

    def nearest(self, number: int) -> Iterator[frozenset[int]]:
        """Yield, for each cell, a minimal set of cells in which a solution differs, this cell among them."""
        alike, every = self._alike(number), (1 << self.count) - 1
        for those in alike:
            if left := every & ~those:
                for others in alike:
                    left = left & others or left
                yield frozenset(i for i, others in enumerate(alike) if not left & others)

    def witness(self, number: int) -> Witness:
        """Return the oracle for a solution: it returns the cells in which another one agrees with it."""
        alike, others = self._alike(number), (1 << self.count) - 1 ^ 1 << number

        def witness(cells: frozenset[int]) -> frozenset[int] | None:
            left = reduce(and_, (alike[i] for i in cells), others)
            if not left:
                return None
            return frozenset(i for i, those in enumerate(alike) if those & left & -left)

        return witness


# Solutions other than a given one.


class OtherSolutions:
    """The solutions that differ from a given one in some variables.

    Parameters
    ----------
    reasoner
        The reasoner with the items of the puzzle.
    solution
        The values of these variables in the given solution.
    """

    def __init__(self, reasoner: Reasoner, solution: Mapping[int, int]):
        self._reasoner = reasoner
        every = map(reasoner.fact, reasoner.literals)
        self._facts = tuple(f for f in every if f.holds and solution.get(f.variable) == f.value)
        self._differs = reasoner.negated_conjunction(list(map(reasoner.literal, self._facts)))

    def find(self, items: Iterable[int], shown: Iterable[Fact] = ()) -> tuple[int, ...] | None:
        """Return another solution that obeys the items and has the facts that are shown; None if none does.

        Raises OutOfTime, and EngineFault if the solution breaks a rule.
        """
        return self._reasoner.point_of(items, [self._differs, *map(self._reasoner.literal, shown)])

    def confirm_none(self, items: Iterable[int], shown: Iterable[Fact] = ()) -> str | None:
        """Return the method that confirms that there is no other solution with them; None if none does.

        Raises EngineFault if there is one.
        """
        if not self._facts:
            return "the domains, which have one value each"
        grouped = self._reasoner.grouped
        step = Step(tuple(grouped.items[i] for i in items), tuple(shown), self._facts, 0.0)
        return confirm_step(grouped, step, self._reasoner.deadline)
