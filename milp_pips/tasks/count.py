"""The task ``count``: count the solutions of a puzzle exactly.

The solution space counts them, or an engine on request. If neither finishes within the limits, the result is
a lower bound and an estimate by random samples.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.compilation.limits import Allowance, Budget, Unfinished
from milp_pips.compilation.solution_set import SolutionSet, by_name
from milp_pips.problem.answer import FILTERING, Answer, Claim, Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import EngineFault, MilpPipsError, UsageError
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, EarlierDeadline, OnProgress, SubDeadline, running_deadline
from milp_pips.puzzles.puzzle import Board, Puzzle, known_key
from milp_pips.tasks.compile import compile_prepared
from milp_pips.tasks.pipeline import find_point, prepare, puzzle_of, settings_of
from milp_pips.tasks.prepared import Prepared
from milp_pips.tasks.query import ANY_DISTANCE, Distance, Query, Run
from milp_pips.tasks.results import Count

if TYPE_CHECKING:
    from milp_pips.compilation.estimating import Estimate

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

SEARCH_BESIDE_AFTER = 0.1, 1.0
"""The share of the time, and the most seconds, after which a search for a solution begins beside counting."""

SEARCH_ENDS_BEFORE = 0.1, 0.5
"""The share of the time, and the most seconds, by which it ends before the deadline, so that it counts."""

MAX_LISTED_FOR_BOUND = 100_000
"""Most solutions to list for a lower bound: they take a fraction of a second."""


@named_keywords
def count(
    puzzle: Puzzle | Problem,
    distinct: str | Sequence[str] = (),
    settings: Settings = Settings(),
    *,
    solver: str = "",
    cells: bool = False,
    board: Board | None = None,
    maximise: str | None = None,
    minimise: str | None = None,
    within: int | None = None,
    within_relative: float | None = None,
    over: str | Iterable[Any] | None = None,
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Count:
    """Return the exact numbers of solutions, and lower bounds and estimates where the limits are too tight.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    distinct
        The key or the keys to count by: two solutions are different if they differ in the key, such as
        ``placement`` or ``grid``. Empty for all keys.
    settings, deadline, shortcuts
        As for ``solve``; ``memory`` limits the solution space, roughly, and ``seed`` seeds the random samples
        of the estimates.
    solver
        A solver with the feature ``counting``, which counts instead of the solution space. It may count by
        the first key only; an empty ``distinct`` then stands for the first key.
    cells
        Whether to count how often each variable of the ``grid`` takes each value, too.
    board
        The values that are filled in already, see ``hint``: only solutions that contain them are counted.
    maximise, minimise, within, within_relative
        Count only the solutions whose value is at most ``within`` from the optimum; see ``solutions``.
    over
        The columns in which solutions of a linear model differ; see ``solutions``.
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
    puzzle = puzzle_of(puzzle, "count", over)
    settings = settings_of(settings, shortcuts, solver)
    if solver and cells:
        raise UsageError("only the solution space counts cells: leave out the solver or the cells")
    begun, distance, optimum = time.perf_counter(), Distance(within, within_relative), None
    with running_deadline(deadline, settings.seconds, on_progress) as deadline:
        distance.check()
        more = {"cells": cells}
        query = Query(puzzle, board, maximise, minimise, None, "", over is not None, distance, more=more)
        run = Run(solver, settings, deadline)
        if puzzle.is_model and (counted_by_list := _count_of_list(query, run)) is not None:
            return counted_by_list
        if distance != ANY_DISTANCE:
            from milp_pips.tasks.optimise import prepare_near_optimal

            prepared, optimum = prepare_near_optimal(query, run.by(settings=settings))
        elif query.has_words:
            raise UsageError("an objective needs within: how far from the optimum solutions may be")
        else:
            prepared = prepare(query, run.by(settings=settings))
        every = list(prepared.problem.keys)[: 1 if solver else None]
        named = [distinct] if isinstance(distinct, str) and distinct else distinct or every
        keys = [known_key(prepared.problem, key) for key in named]
        early = EarlierDeadline(deadline, RESERVED_SHARE, MAX_RESERVE_SECONDS)
        confirmed_by: str | None = None
        estimates: dict[str, Estimate] = {}
        with _SearchBeside(prepared, settings, deadline) as search:
            if solver:
                counted = _count_by_solver(prepared, keys, solver, settings, early)
            else:
                counted = _count_in_space(prepared, keys, settings, early, cells=cells)
            if counted.stop is not Stop.FINISHED:
                # Only a finished count is confirmed, and an engine's number or a zero is none without that.
                counted.counts = {key: n for key, n in counted.counts.items() if n and not solver}
                estimates = _find_bounds(prepared, keys, counted, settings, search, deadline)
        if counted.stop is Stop.FINISHED:
            confirmed_by = _confirm(prepared, keys[0], counted, solver, settings, deadline)
    return Count(
        puzzle,
        {key: counted.counts.get(key) for key in keys},
        counted.stop is Stop.FINISHED,
        counted.stop,
        counted.method,
        time.perf_counter() - begun,
        counted.cells,
        confirmed_by,
        counted.at_least,
        estimates,
        optimum,
    )


def _count_of_list(query: Query, run: Run) -> Count | None:
    """Return the number of solutions of a linear model by listing them; None if the space should count.

    That counts all solutions of a ``Problem``, and what the tree declines.
    """
    from milp_pips.tasks.enumerate import enumeration
    from milp_pips.tasks.strategies import ListTask, what_is_declined

    task = ListTask(query, run)
    if task.linear is None and (query.distance == ANY_DISTANCE or what_is_declined("tree", task)):
        return None
    found = enumeration(query, run)
    for _ in found:
        if found.of is not None:  # a decision diagram holds them, so the others need not be listed
            method, stop = "decision diagram", Stop.FINISHED
            counts = {found.key: found.of}
            return Count(found.puzzle, counts, True, stop, method, found.seconds, {}, objective=found.optimum)
    listed = found.summary
    assert listed is not None
    if listed.objective is not None and not listed.objective.is_optimal:  # they may be far from the optimum
        raise Unfinished(f"{found.puzzle.name}: the optimum is not known", listed.stop)
    return Count(
        found.puzzle,
        {listed.key: listed.solutions if listed.complete else None},
        listed.complete,
        listed.stop,
        f"{listed.method} by {listed.solver}" if listed.solver else listed.method,
        listed.seconds,
        {},
        listed.confirmed_by,
        {} if listed.complete else {listed.key: listed.solutions},
        objective=listed.objective,
    )


@dataclass(slots=True)
class _Tally:
    """The exact numbers and the lower bounds known so far, by key, and why counting stopped."""

    method: str
    stop: Stop = Stop.FINISHED
    counts: dict[str, int] = field(default_factory=dict)
    at_least: dict[str, int] = field(default_factory=dict)
    cells: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    space: SolutionSet | None = None


def _count_in_space(
    prepared: Prepared, wanted: Sequence[str], settings: Settings, deadline: Deadline, *, cells: bool
) -> _Tally:
    """Return the counts of the solution space; of some keys only, if it is too large."""
    problem, budget = prepared.problem, Budget.of_memory(settings.memory)
    seen = wanted[0] if len(wanted) == 1 and not cells else None
    counted = _Tally("filtering")
    try:
        counted.space = space = compile_prepared(prepared, seen, budget, deadline)
        if not prepared.refutation:
            counted.method = "solution space" if space.branched else "decision diagram"
        if cells:
            taken, shown = space.value_counts(deadline), problem.keys.get("grid", problem.answer_variables)
            counted.cells = by_name(problem, {v: taken[v] for v in shown})
        for key in sorted(wanted, key=lambda key: -len(problem.keys[key])):  # the longest key is the cheapest
            counted.counts[key] = space.project(key, budget, deadline).count
            deadline.progress.report(
                f"{prepared.puzzle.name}: {counted.counts[key]} by {key} ({counted.method})"
            )
    except Unfinished as reason:
        counted.stop, counted.method = reason.stop, f"lower bound: {reason}"
        deadline.progress.report(f"{prepared.puzzle.name}: {reason}; computing a lower bound")
    return counted


def _count_by_solver(
    prepared: Prepared, wanted: Sequence[str], solver: str, settings: Settings, deadline: Deadline
) -> _Tally:
    """Return the counts of an engine. Raises UsageError and EngineFault."""
    from milp_pips.engines.registry import count_by_engine

    deadline.progress.report(f"{prepared.puzzle.name}: {solver} counts")
    counted = _Tally(solver)
    for key in wanted:
        tally = Answer(None, Proof.COMPLETE, Stop.FINISHED, count=0)
        if not prepared.refutation:
            tally = count_by_engine(solver, prepared.filtered, key, settings, deadline)
        if tally.proof is not Proof.COMPLETE:
            counted.stop, counted.method = tally.stop, f"lower bound: {solver} did not finish"
            break
        counted.counts[key] = tally.count or 0
    return counted


def _confirm(
    prepared: Prepared, key: str, counted: _Tally, solver: str, settings: Settings, deadline: Deadline
) -> str | None:
    """Return what confirmed a solver's count, or a count of zero; None if nothing did or had to.

    If nothing did, the count is not finished. Raises EngineFault if it is contradicted.
    """
    number = counted.counts[key]
    if number and not solver:
        return None
    from milp_pips.verification.recounting import claim_of_space
    from milp_pips.verification.second_opinion import on_complete, on_no_solution

    if prepared.refutation:
        claim = Claim("filtering", FILTERING)
    elif solver:
        from milp_pips.engines.registry import available

        claim = Claim(solver, available(solver, settings).proof_family)
    else:
        listed = counted.space is not None and counted.space.listed
        claim = claim_of_space("the solution space", listed=listed)
    if number:
        confirmed_by = on_complete(prepared.problem, key, number, None, claim, deadline)
    else:
        opinion = on_no_solution(prepared.problem, claim, deadline)
        if opinion.point is not None:
            raise EngineFault(f"{claim.who} counts no solution, but {opinion.witness} has one")
        confirmed_by = opinion.confirmed_by
    if not confirmed_by:  # a number that only an engine states is no lower bound either
        counted.counts, counted.at_least = {}, dict.fromkeys(counted.counts, 0)
        counted.stop = deadline.stop or Stop.ERROR
        counted.method = f"{claim.who} counts {number}, but nothing has confirmed it"
    return confirmed_by


def _find_bounds(
    prepared: Prepared,
    wanted: Sequence[str],
    counted: _Tally,
    settings: Settings,
    search: _SearchBeside,
    deadline: Deadline,
) -> dict[str, Estimate]:
    """Add a lower bound to ``counted`` for each key that is not counted; return the estimates by key."""
    from milp_pips.compilation.estimating import estimate  # most counts finish without it

    filtered, budget = prepared.filtered, Budget.of_memory(settings.memory)
    before_estimates = EarlierDeadline(deadline, ESTIMATES_SHARE)
    unknown = [key for key in wanted if key not in counted.counts]
    # Half of the time without estimates is for compiling a restricted diagram, the rest for its views.
    early = EarlierDeadline(before_estimates, 0.5)
    restricted = counted.space or compile_prepared(prepared, None, budget, early, widths=BOUND_WIDTHS)
    if not (known := restricted.is_complete or restricted.count):
        search.hurry()
    bounds = {key: _bound(key, restricted, budget, before_estimates) if known else 0 for key in unknown}
    if not known and not search.begun:
        bounds = dict.fromkeys(unknown, _find_one(prepared, settings, before_estimates))
    estimates: dict[str, Estimate] = {}
    for number, key in enumerate(unknown):  # each key gets an equal share of the time left
        share = 1 - 1 / (len(unknown) - number)
        part = EarlierDeadline(SubDeadline(deadline, MAX_ESTIMATING_SECONDS / len(unknown)), share)
        found = estimate(filtered, key, part, settings.seed)
        if found is not None:
            estimates[key] = found
    if not known and search.begun:
        bounds = dict.fromkeys(unknown, search.found())
    counted.at_least = bounds
    return {key: found.at_least(bounds[key]) for key, found in estimates.items()}


def _find_one(prepared: Prepared, settings: Settings, deadline: Deadline) -> int:
    """Return 1 if an engine finds a solution, else 0."""
    if deadline.stop:
        return 0
    memory = None if settings.memory is None else max(settings.memory, ENGINE_MEMORY)
    own = Settings(memory=memory, isolate=settings.isolate)
    answer = find_point(prepared, Run("", own, deadline))
    return 0 if prepared.judge(answer.point, answer.claim.who) is None else 1


class _SearchBeside:
    """A search for one solution, in processes of its own, while the solutions are being counted.

    So a count with a time limit is at least 1 if ``solve`` finds a solution within that time. The search
    begins some time after counting, since most counts are soon finished, and ends with the ``with`` block.
    There is none without a time limit, with a limit of memory, which is for all that runs, or in a browser,
    which has no processes.
    """

    def __init__(self, prepared: Prepared, settings: Settings, deadline: Deadline):
        self._deadline = EarlierDeadline(deadline, *SEARCH_ENDS_BEFORE)
        share, most = SEARCH_BESIDE_AFTER
        self._after = min(share * (deadline.remaining or 0.0), most)
        self._turn = threading.Event()
        self._found = 0
        self._fault: MilpPipsError | None = None
        isolated = Settings(seed=settings.seed, isolate=True)
        self._thread = threading.Thread(target=self._search, args=(prepared, isolated), daemon=True)
        in_browser = sys.platform == "emscripten"
        self.begun = not (deadline.expires is None or settings.memory is not None or in_browser)

    def __enter__(self) -> _SearchBeside:
        if self.begun:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._deadline.end()
        self._turn.set()
        if self.begun:
            self._thread.join()

    def _search(self, prepared: Prepared, settings: Settings) -> None:
        self._turn.wait(self._after)
        try:
            self._found = _find_one(prepared, settings, self._deadline)
        except UsageError:  # no engine takes this problem
            pass
        except MilpPipsError as fault:
            self._fault = fault

    def hurry(self) -> None:
        """Begin now."""
        self._turn.set()

    def found(self) -> int:
        """Return 1 if the search has found a solution, else 0, after waiting for it. Raises its fault."""
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        return self._found


def _bound(key: str, restricted: SolutionSet, budget: Budget, deadline: Deadline) -> int:
    """Return a lower bound for a key: the number of solutions in a restricted space that differ in it."""
    if not restricted.count:
        return 0
    with suppress(Unfinished):  # if that fails, list some solutions and count those that differ
        return restricted.project(key, budget, EarlierDeadline(deadline, 0.5)).count
    place = {v: i for i, v in enumerate(restricted.variables)}
    compared = [place[v] for v in restricted.problem.keys[key]]
    seen = {tuple([restricted.nth(0)[i] for i in compared])}
    allowance = Allowance(MAX_LISTED_FOR_BOUND, deadline, budget.memory)
    with suppress(Unfinished):
        for point in restricted:
            allowance.spend(1)
            seen.add(tuple([point[i] for i in compared]))
    return len(seen)
