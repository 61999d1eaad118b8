"""The task ``count``: count the solutions of a puzzle exactly.

The solution space counts them, or an engine on request. If neither finishes within the limits, the result is
a lower bound and an estimate by random samples.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.compilation.limits import Allowance, Budget, Unfinished, Unsupported
from milp_pips.compilation.solution_set import SolutionSet, by_name
from milp_pips.constraints import covers_of, rules_of
from milp_pips.problem.answer import FILTERING, Answer, Claim, Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.parameters import named_keywords, whole
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, EarlierDeadline, OnProgress, SubDeadline, running_deadline
from milp_pips.puzzles.puzzle import Board, Puzzle, known_key
from milp_pips.tasks.compile import compile_prepared
from milp_pips.tasks.pipeline import listed_puzzle_of, prepare, settings_of
from milp_pips.tasks.query import ANY_DISTANCE, Distance, Prepared, Query, Run
from milp_pips.tasks.results import Count, Optimum
from milp_pips.tasks.search_beside import SearchBeside, find_one

if TYPE_CHECKING:
    from milp_pips.compilation.estimating import Estimate
    from milp_pips.runtime.executor import Executor

BOUND_WIDTHS = (10, 30, 100, 300, 1000)
"""Widths (states per step) of the restricted diagrams that are compiled in turn for a lower bound. A wider
diagram counts more solutions; a narrow one is finished even if little time or memory is left."""

RESERVED_SHARE, MAX_RESERVE_SECONDS = 0.3, 15.0
"""The share of the time, and the most seconds, reserved for lower bounds and estimates."""

ESTIMATES_SHARE = 0.75
"""The share of that reserve that is kept for estimates."""

MAX_ESTIMATING_SECONDS = 10.0
"""Most seconds for estimates; ``benchmarks/counting.py --estimates`` measures how good they are by then."""

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
    jobs: int = 1,
    executor: Executor | None = None,
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
    jobs, executor
        Processes that search subtrees of a linear model at the same time, or workers that do.
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
    settings = settings_of(settings, shortcuts, solver)
    if solver and cells:
        raise UsageError("only the solution space counts cells: leave out the solver or the cells")
    whole(1).check("jobs", jobs)
    begun, distance = time.perf_counter(), Distance(within, within_relative)
    distance.check()
    more = {"cells": cells}
    with running_deadline(deadline, settings.seconds, on_progress) as deadline:
        puzzle = listed_puzzle_of(puzzle, "count", over, deadline)
        query = Query(puzzle, board, maximise, minimise, None, "", over is not None, distance, more=more)
        run = Run(solver, settings, deadline, jobs=jobs, executor=executor)
        if puzzle.is_model and (counted_by_list := _count_of_list(query, run)) is not None:
            return counted_by_list
        if run.is_spread:
            raise UsageError("several jobs count linear models by their tree: omit jobs")
        prepared, optimum = _prepare(query, run)
        keys = _keys_of(prepared, distinct, run)
        problem = prepared.problem
        shown = problem.keys.get("grid", problem.answer_variables) if cells else ()
        # One solution by the first key is one by all that is wanted, with one value of each cell.
        by_first = set(problem.keys[known_key(problem, "")]).issuperset
        one_is_all = by_first(shown) and all(by_first(problem.keys[key]) for key in keys)
        early = run.changed(deadline=EarlierDeadline(deadline, RESERVED_SHARE, MAX_RESERVE_SECONDS))
        comes_first = one_is_all and not solver and _is_better_searched(prepared.filtered)
        with SearchBeside(prepared, run, comes_first=comes_first) as search:
            if solver:
                tally = _count_by_solver(prepared, keys, early)
            else:
                if one_is_all:
                    early = early.changed(deadline=search.counting(early.deadline))
                tally = _count_in_space(prepared, keys, early, shown)
            if tally.stop is not Stop.FINISHED and not (search.confirmed_by and one_is_all):
                _add_bounds(tally, prepared, keys, search, run)
            if tally.stop is not Stop.FINISHED and search.begun and one_is_all:
                _take_only_one(tally, problem, keys, shown, search)
        if tally.stop is Stop.FINISHED and not tally.confirmed_by:
            _confirm(tally, prepared, keys[0], run)
    return Count(
        puzzle,
        {key: tally.counts.get(key) for key in keys},
        tally.stop is Stop.FINISHED,
        tally.stop,
        tally.method,
        time.perf_counter() - begun,
        tally.cells,
        tally.confirmed_by,
        tally.at_least,
        tally.estimates,
        optimum,
    )


def _count_of_list(query: Query, run: Run) -> Count | None:
    """Return the number of solutions of a linear model by listing them; None if the space should count.

    That counts all solutions of a ``Problem``, and what the tree declines.
    """
    from milp_pips.tasks.enumerate import enumeration
    from milp_pips.tasks.strategies import ListTask, what_is_declined

    task = ListTask(query, run)
    is_small = query.distance == ANY_DISTANCE and not run.is_spread
    if task.linear is None and (is_small or what_is_declined("tree", task)):
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


def _prepare(query: Query, run: Run) -> tuple[Prepared, Optimum | None]:
    """Return the puzzle, stated and filtered, and the optimum that its solutions are near to, if any."""
    run = run.by(settings=run.settings)  # a solver that counts gets the same domains as the solution space
    if query.distance != ANY_DISTANCE:
        from milp_pips.tasks.optimise import prepare_near_optimal

        return prepare_near_optimal(query, run)
    if query.has_words:
        raise UsageError("an objective needs within: how far from the optimum solutions may be")
    return prepare(query, run), None


def _is_better_searched(problem: Problem) -> bool:
    """Return whether the search comes first, since diagrams are too wide. Dominoes load no engine for it."""
    if covers_of(problem.constraints):
        return False
    from milp_pips.engines.defaults import is_large_permutation

    return is_large_permutation(problem)


def _keys_of(prepared: Prepared, distinct: str | Sequence[str], run: Run) -> list[str]:
    """Return the keys to count by: the named ones, else all, or for a solver the first. Raises UsageError."""
    every = list(prepared.problem.keys)[: 1 if run.solver else None]
    named = [distinct] if isinstance(distinct, str) and distinct else distinct or every
    return [known_key(prepared.problem, key) for key in named]


@dataclass(slots=True)
class _Tally:
    """The exact numbers, lower bounds and estimates by key so far, and why counting stopped."""

    method: str
    stop: Stop = Stop.FINISHED
    counts: dict[str, int] = field(default_factory=dict)
    at_least: dict[str, int] = field(default_factory=dict)
    estimates: dict[str, Estimate] = field(default_factory=dict)
    cells: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    confirmed_by: str | None = None
    space: SolutionSet | None = None


def _count_in_space(prepared: Prepared, wanted: Sequence[str], run: Run, shown: Sequence[int]) -> _Tally:
    """Return the counts of the solution space, also by value; of some keys only, if it is too large."""
    problem, budget, deadline = prepared.problem, Budget.of_memory(run.settings.memory), run.deadline
    tally = _Tally("filtering")
    if not (shown or prepared.refutation):
        _count_free_boards(tally, prepared, wanted, budget, deadline)
    wanted = [key for key in wanted if key not in tally.counts]
    if tally.counts and not wanted:
        return tally
    seen = wanted[0] if len(wanted) == 1 and not shown else None
    try:
        tally.space = space = compile_prepared(prepared, seen, budget, deadline)
        if not prepared.refutation:
            tally.method = "solution space" if space.branched else "decision diagram"
        if shown:
            taken = space.value_counts(deadline)
            tally.cells = by_name(problem, {v: taken[v] for v in shown})
        for key in sorted(wanted, key=lambda key: -len(problem.keys[key])):  # the longest key is the cheapest
            tally.counts[key] = space.project(key, budget, deadline).count
            deadline.progress.report(f"{prepared.puzzle.name}: {tally.counts[key]} by {key} ({tally.method})")
    except Unfinished as reason:
        tally.stop, tally.method = reason.stop, f"lower bound: {reason}"
        deadline.progress.report(f"{prepared.puzzle.name}: {reason}; computing a lower bound")
    return tally


def _count_free_boards(
    tally: _Tally, prepared: Prepared, wanted: Sequence[str], budget: Budget, deadline: Deadline
) -> None:
    """Count boards of dominoes with many cells that no rule mentions, by the keys that have all variables."""
    problem = prepared.problem
    keys = [key for key in wanted if len(set(problem.keys[key])) == len(problem.variables)]
    cells = [v for cover in covers_of(problem.constraints) for v in cover.values]
    ruled = {v for rule in rules_of(problem.constraints) for v in rule.variables}
    if not keys or not cells or len(ruled.intersection(cells)) > len(cells) / 2:
        return
    from milp_pips.compilation.deferring import count_deferred

    with suppress(Unfinished, Unsupported):
        number = count_deferred(problem, prepared.filtered, budget, EarlierDeadline(deadline, 0.5))
        if number is not None:
            tally.counts, tally.method = dict.fromkeys(keys, number), "dynamic programming"


def _count_by_solver(prepared: Prepared, wanted: Sequence[str], run: Run) -> _Tally:
    """Return the counts of an engine. Raises UsageError and EngineFault."""
    from milp_pips.engines.registry import count_by_engine

    run.deadline.progress.report(f"{prepared.puzzle.name}: {run.solver} counts")
    tally = _Tally(run.solver)
    for key in wanted:
        answer = Answer(None, Proof.COMPLETE, Stop.FINISHED, count=0)
        if not prepared.refutation:
            answer = count_by_engine(run.solver, prepared.filtered, key, run.settings, run.deadline)
        if answer.proof is not Proof.COMPLETE:
            tally.stop, tally.method = answer.stop, f"lower bound: {run.solver} did not finish"
            break
        tally.counts[key] = answer.count or 0
    return tally


def _confirm(tally: _Tally, prepared: Prepared, key: str, run: Run) -> None:
    """Record what confirms a solver's count, or a count of zero; the other counts need none.

    If nothing does, the count is not finished. Raises EngineFault if it is contradicted.
    """
    number = tally.counts[key]
    if number and not run.solver:
        return
    from milp_pips.verification.second_opinion import on_complete, on_no_solution

    claim = _claim_of(tally, prepared, run)
    if number:
        tally.confirmed_by = on_complete(prepared.problem, key, number, None, claim, run.deadline)
    else:
        opinion = on_no_solution(prepared.problem, claim, run.deadline)
        if opinion.point is not None:
            raise EngineFault(f"{claim.who} counts no solution, but {opinion.witness} has one")
        tally.confirmed_by = opinion.confirmed_by
    if not tally.confirmed_by:  # a number that only an engine states is no lower bound either
        tally.counts, tally.at_least = {}, dict.fromkeys(tally.counts, 0)
        tally.stop = run.deadline.stop or Stop.ERROR
        tally.method = f"{claim.who} counts {number}, but nothing has confirmed it"


def _claim_of(tally: _Tally, prepared: Prepared, run: Run) -> Claim:
    """Return who counted, and what the count rests on."""
    from milp_pips.verification.recounting import claim_of_space

    if prepared.refutation:
        return Claim("filtering", FILTERING)
    if run.engine is not None:
        return Claim(run.solver, run.engine.proof_family)
    return claim_of_space("the solution space", listed=tally.space is not None and tally.space.listed)


def _add_bounds(
    tally: _Tally, prepared: Prepared, wanted: Sequence[str], search: SearchBeside, run: Run
) -> None:
    """Add a lower bound and an estimate for each key that is not counted."""
    from milp_pips.compilation.estimating import estimate  # most counts finish without it

    # Only a finished count is confirmed, and an engine's number or a zero is none without that.
    tally.counts = {key: n for key, n in tally.counts.items() if n and not run.solver}
    budget = Budget.of_memory(run.settings.memory)
    unknown = [key for key in wanted if key not in tally.counts]
    search.hurry()
    before_estimates = EarlierDeadline(run.deadline, ESTIMATES_SHARE)
    # Half of the time without estimates is for compiling a restricted diagram, the rest for its views.
    early = EarlierDeadline(before_estimates, 0.5)
    restricted = tally.space or compile_prepared(prepared, None, budget, early, widths=BOUND_WIDTHS)
    if restricted.is_complete or restricted.count:
        bounds = {key: _bound(key, restricted, budget, before_estimates) for key in unknown}
    else:  # no solution is known yet: then one is searched for, beside the estimates if it can be
        found = None if search.begun else find_one(prepared, run.settings, before_estimates)
        bounds = dict.fromkeys(unknown, int(found is not None))
    for number, key in enumerate(unknown):  # each key gets an equal share of the time left
        share = 1 - 1 / (len(unknown) - number)
        part = EarlierDeadline(SubDeadline(run.deadline, MAX_ESTIMATING_SECONDS / len(unknown)), share)
        if (guess := estimate(prepared.filtered, key, part, run.settings.seed)) is not None:
            tally.estimates[key] = guess
    if search.begun:
        listed, keys = search.found(now=max(bounds.values(), default=0) > 1), prepared.problem.keys
        first = set(keys[known_key(prepared.problem, "")])
        for key in unknown:  # solutions that differ in the first key may agree in another one
            bounds[key] = max(bounds[key], listed if first.issubset(keys[key]) else min(listed, 1))
    tally.at_least = bounds
    tally.estimates = {key: guess.at_least(bounds[key]) for key, guess in tally.estimates.items()}


def _take_only_one(
    tally: _Tally, problem: Problem, wanted: Sequence[str], shown: Sequence[int], search: SearchBeside
) -> None:
    """Count one solution, if the search beside has found it and confirmed that there is no other."""
    if max(tally.at_least.values(), default=0) > 1:
        return
    search.found()  # waits for it
    if search.confirmed_by and search.point is not None:
        tally.cells = by_name(problem, {v: {search.point[v]: 1} for v in shown})
        tally.counts, tally.confirmed_by = dict.fromkeys(wanted, 1), search.confirmed_by
        tally.stop, tally.method = Stop.FINISHED, "an engine finds no other solution"
        tally.at_least, tally.estimates = {}, {}


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
