"""The task ``count``: count the solutions of a puzzle exactly.

The solution space counts them, or an engine on request. If neither finishes within the limits, the result is
a lower bound and an estimate by random samples.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Unpack

from milp_pips.compilation.estimating import Estimate, estimate
from milp_pips.compilation.limits import Allowance, Budget, Unfinished
from milp_pips.compilation.solution_set import SolutionSet, by_name
from milp_pips.engines.execution import count_by_engine
from milp_pips.engines.registry import available
from milp_pips.problem.answer import Proof, Settings, Shortcuts, Stop, Tally
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.stopping import Deadline, EarlierDeadline, OnProgress, SubDeadline, running_deadline
from milp_pips.puzzles.puzzle import Board
from milp_pips.tasks.compile import compile_prepared
from milp_pips.tasks.pipeline import (
    Prepared,
    find_point,
    known_key,
    prepare,
    puzzle_of,
    rules_for,
    settings_of,
)
from milp_pips.tasks.results import Count
from milp_pips.verification.second_opinion import FILTERING, Claim, on_count, on_no_solution

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle

BOUND_WIDTHS = (10, 30, 100, 300, 1000)
"""Widths (states per step) of the restricted diagrams that are compiled in turn for a lower bound. A wider
diagram counts more solutions; a narrow one is finished even if little time or memory is left."""

ENGINE_MEMORY = 200 * 2**20
"""Least memory limit of an engine, in bytes: no engine runs with much less."""

RESERVED_SHARE, MAX_RESERVE_SECONDS = 0.3, 15.0
"""The share of the time, and the most seconds, reserved for lower bounds and estimates."""

ESTIMATES_SHARE = 0.75
"""The share of that reserve that is kept for estimates."""

MAX_ESTIMATING_SECONDS = 10.0
"""Most seconds for estimates; ``benchmarks/estimating.py`` measures how good they are by then."""

MAX_LISTED_FOR_BOUND = 100_000
"""Most solutions to list for a lower bound: they take a fraction of a second."""


@named_keywords
def count(
    puzzle: Puzzle | Problem,
    keys: Sequence[str] = (),
    settings: Settings = Settings(),
    *,
    solver: str = "",
    cells: bool = False,
    board: Board | None = None,
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Count:
    """Return the exact numbers of solutions, or lower bounds and estimates if the limits are too tight.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    keys
        The keys to count by: two solutions are different if they differ in the key, such as ``placement`` or
        ``grid``. Empty for all keys.
    settings, deadline, shortcuts
        As for ``solve``; ``memory`` limits the solution space, roughly, and ``seed`` seeds the random samples
        of the estimates.
    solver
        A solver with the feature ``counting``, which counts instead of the solution space. It may count by
        the first key only; an empty ``keys`` then stands for the first key.
    cells
        Whether to count how often each variable of the ``grid`` takes each value, too.
    board
        The values that are filled in already, see ``hint``: only solutions that contain them are counted.
    on_progress
        Called with each line of progress; the logger ``milp_pips`` gets these lines, too.

    Raises
    ------
    UsageError
        If the puzzle does not have a key, the solver cannot count, or not by this key, or a value of the
        board is not in the domain of its cell.
    EngineFault
        If there is a solution although none was counted, or if two methods count different numbers.
    """
    puzzle = puzzle_of(puzzle, "count")
    settings = settings_of(settings, shortcuts, solver)
    if solver and cells:
        raise UsageError("only the solution space counts cells: leave out the solver or the cells")
    if isinstance(keys, str):
        raise TypeError(f"keys are a list of names, not {keys!r}; write [{keys!r}]")
    begun = time.perf_counter()
    with running_deadline(deadline, settings.seconds, on_progress) as deadline:
        prepared = prepare(puzzle, rules_for(settings), board, deadline)
        every = list(prepared.problem.keys)[: 1 if solver else None]
        counting = Counting(
            prepared, [known_key(prepared.problem, key) for key in keys or every], settings, deadline
        )
        if solver:
            counting.count_by_solver(solver)
        else:
            counting.compile_space(cells)
        if counting.stop is Stop.FINISHED:
            counting.confirm(solver)
        else:
            counting.find_bounds()
    return Count(
        puzzle,
        {key: counting.counts[key] for key in counting.keys},
        counting.stop is Stop.FINISHED,
        counting.stop,
        counting.method,
        time.perf_counter() - begun,
        counting.cells,
        counting.confirmed_by,
        counting.estimates,
    )


class Counting:
    """The state of a running count: the numbers known so far, by key, and why it stopped."""

    def __init__(self, prepared: Prepared, keys: Sequence[str], settings: Settings, deadline: Deadline):
        self.keys, self.counts, self.method = keys, dict[str, int](), ""
        self.cells: Mapping[str, Mapping[int, int]] = {}
        self.estimates: dict[str, Estimate] = {}
        self.stop = Stop.FINISHED
        self.confirmed_by: str | None = None
        self._prepared, self._settings, self._deadline = prepared, settings, deadline
        self._budget = Budget.of_memory(settings.memory)
        self._space: SolutionSet | None = None

    def compile_space(self, cells: bool) -> None:
        """Count by compiling the solution space."""
        prepared, keys, deadline = self._prepared, self._prepared.problem.keys, self._deadline
        early = EarlierDeadline(deadline, RESERVED_SHARE, MAX_RESERVE_SECONDS)
        seen = self.keys[0] if len(self.keys) == 1 and not cells else None
        try:
            self._space = space = compile_prepared(prepared, seen, self._budget, early)
            self.method = "solution space" if space.branched else "decision diagram"
            if prepared.refutation:
                self.method = "filtering"
            if cells:
                taken = space.value_counts(early)
                shown = keys.get("grid", prepared.problem.answer_variables)
                self.cells = by_name(prepared.problem, {v: taken[v] for v in shown})
            for key in sorted(self.keys, key=lambda key: -len(keys[key])):  # the longest key is the cheapest
                self.counts[key] = space.project(key, self._budget, early).count
                deadline.report(f"{prepared.puzzle.name}: {self.counts[key]} by {key} ({self.method})")
        except Unfinished as reason:
            self.stop, self.method = reason.stop, f"lower bound: {reason}"
            deadline.report(f"{prepared.puzzle.name}: {reason}; computing a lower bound")

    def count_by_solver(self, solver: str) -> None:
        """Count by an engine. Raises UsageError and EngineFault."""
        early = EarlierDeadline(self._deadline, RESERVED_SHARE, MAX_RESERVE_SECONDS)
        self.method = solver
        early.report(f"{self._prepared.puzzle.name}: {solver} counts")
        for key in self.keys:
            tally = Tally(0, Proof.COMPLETE, Stop.FINISHED)
            if not self._prepared.refutation:
                tally = count_by_engine(solver, self._prepared.filtered, key, self._settings, early)
            if tally.proof is not Proof.COMPLETE:
                self.stop, self.method = tally.stop, f"lower bound: {solver} did not finish"
                return
            self.counts[key] = tally.solutions

    def find_bounds(self) -> None:
        """Compute a lower bound and an estimate for each key that is not counted."""
        filtered, deadline = self._prepared.filtered, EarlierDeadline(self._deadline, ESTIMATES_SHARE)
        unknown = [key for key in self.keys if key not in self.counts]
        # Half of the time without estimates is for compiling a restricted diagram, the rest for its views.
        early = EarlierDeadline(deadline, 0.5)
        some = self._space or compile_prepared(self._prepared, None, self._budget, early, widths=BOUND_WIDTHS)
        known = some.is_complete or some.count
        one = 0 if known else _find_one(self._prepared, self._settings, deadline)
        for key in unknown:
            self.counts[key] = _bound(key, some, self._budget, deadline) if known else one
        for number, key in enumerate(unknown):  # each key gets an equal share of the time left
            share = 1 - 1 / (len(unknown) - number)
            part = EarlierDeadline(SubDeadline(self._deadline, MAX_ESTIMATING_SECONDS / len(unknown)), share)
            found = estimate(filtered, key, part, self._settings.seed)
            if found is not None:
                self.estimates[key] = found.at_least(self.counts[key])

    def confirm(self, solver: str) -> None:
        """Get a second opinion on a solver's count and on a count of zero. Raises EngineFault."""
        prepared, key = self._prepared, self.keys[0]
        counted = self.counts[key]
        if not solver and counted:
            return
        listed = self._space is not None and self._space.listed
        claim = Claim.of_space("the solution space", listed=listed)
        if solver:
            claim = Claim(solver, available(solver, self._settings).proof_family)
        if prepared.refutation:
            claim = Claim("filtering", FILTERING)
        if counted:
            self.confirmed_by = on_count(prepared.problem, key, counted, claim, self._deadline)
        else:
            opinion = on_no_solution(prepared.problem, claim, self._deadline)
            if opinion.point is not None:
                raise EngineFault(f"{claim.who} counts no solution, but {opinion.witness} has one")
            self.confirmed_by = opinion.confirmed_by
        if not self.confirmed_by:
            self.stop = self._deadline.stop or Stop.ERROR
            self.method = f"{claim.who} counts {counted}, but nothing has confirmed it"


def _find_one(prepared: Prepared, settings: Settings, deadline: Deadline) -> int:
    """Return 1 if an engine finds a solution, else 0."""
    if deadline.stop:
        return 0
    memory = None if settings.memory is None else max(settings.memory, ENGINE_MEMORY)
    answer, claim, *_ = find_point(prepared, "", Settings(memory=memory), deadline)
    return 0 if prepared.judge(answer.point, claim.who) is None else 1


def _bound(key: str, some: SolutionSet, budget: Budget, deadline: Deadline) -> int:
    """Return a lower bound for a key: the number of solutions in a restricted space that differ in it."""
    if not some.count:
        return 0
    with suppress(Unfinished):  # if that fails, list some solutions and count those that differ
        return some.project(key, budget, EarlierDeadline(deadline, 0.5)).count
    place = {v: i for i, v in enumerate(some.variables)}
    compared = [place[v] for v in some.problem.keys[key]]
    seen = {tuple([some.nth(0)[i] for i in compared])}
    allowance = Allowance(MAX_LISTED_FOR_BOUND, deadline, budget.memory)
    with suppress(Unfinished):
        for point in some:
            allowance.spend(1)
            seen.add(tuple([point[i] for i in compared]))
    return len(seen)
