"""Count the solutions of a puzzle exactly, by its solution space."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from milp_pips.answer import Settings, Shortcuts, Stop
from milp_pips.diagram import Allowance, Budget, Unfinished
from milp_pips.errors import EngineFault
from milp_pips.pipeline import Prepared, find_point, known_key, prepare, rules_for, state
from milp_pips.second_opinion import DIAGRAM, FILTERING, on_zero
from milp_pips.space import Space, compile_some, compile_space, project_space
from milp_pips.watch import EarlierWatch, Watch, watching

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Puzzle

WIDTHS = (10, 30, 100, 300, 1000)
"""States at each step of diagrams of some of the solutions, made in turn for a lower bound: the wider one
counts more solutions, the narrower one is there even if little time or memory is left."""

ENGINE_MEMORY = 200 * 2**20
"""Bytes that an engine gets where the limit is less: none of them does with much less."""

RESERVE, MOST_RESERVE = 0.1, 2.0
"""The part of the time, and the seconds at most, that are kept for a lower bound."""

SHORT_WALK = 100_000
"""Solutions that are looked at for a lower bound: a fraction of a second."""


class Count(NamedTuple):
    """How many solutions a puzzle has.

    Parameters
    ----------
    puzzle
        The puzzle.
    counts
        For each key asked for, the number of solutions that differ in it. Where not ``complete``, a number
        that is not known exactly is a lower bound.
    complete
        Whether all numbers are exact.
    stop
        Why counting stopped.
    method
        How it was done.
    seconds
        How long it took.
    cells
        For each variable of the first key, how many solutions give it each value; empty if not asked for.
    confirmed_by
        What has confirmed that there is no solution; None where nothing has, or where there are some.
    """

    puzzle: Puzzle
    counts: Mapping[str, int]
    complete: bool
    stop: Stop
    method: str
    seconds: float
    cells: Mapping[int, Mapping[int, int]]
    confirmed_by: str | None = None

    def __str__(self) -> str:
        bound = "" if self.complete else "at least "
        numbers = " and ".join(f"{bound}{n} {key}{'' if n == 1 else 's'}" for key, n in self.counts.items())
        by = f"; confirmed by {self.confirmed_by}" if self.confirmed_by else ""
        return f"{self.puzzle.name}: {numbers} ({self.method}, {self.seconds:.3f} s{by})"

    def to_json(self) -> dict[str, Any]:
        """Return the count as JSON-ready data, with ``placements`` and ``grids`` where these were counted."""
        record: dict[str, Any] = {"puzzle": self.puzzle.name}
        record |= {f"{key}s": number for key, number in self.counts.items()}
        record |= {"complete": self.complete, "stop": self.stop.value, "seconds": round(self.seconds, 6)}
        record |= {"method": self.method}
        if self.confirmed_by:
            record["confirmed_by"] = self.confirmed_by
        if self.cells:
            problem = state(self.puzzle)
            record["cells"] = {
                problem.variables[v].name: {problem.written(a): n for a, n in sorted(taken.items())}
                for v, taken in self.cells.items()
            }
        return record


def count(
    puzzle: Puzzle,
    keys: Sequence[str] = (),
    settings: Settings = Settings(),
    *,
    cells: bool = False,
    watch: Watch | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Count:
    """Return the exact numbers of solutions, or lower bounds where the solution space does not fit.

    Parameters
    ----------
    puzzle
        A puzzle of any family.
    keys
        What makes two solutions different, such as ``placement`` and ``grid``; empty for all keys.
    settings, watch, shortcuts
        As for ``solve``; ``memory`` is what the diagrams may take, roughly.
    cells
        Whether to count as well how often each variable of the ``grid`` takes each value.

    Raises
    ------
    UsageError
        For a key that the puzzle does not have.
    EngineFault
        If there is a solution where none was counted.
    """
    settings = settings.changed(**shortcuts)
    begun = time.perf_counter()
    prepared = prepare(puzzle, rules_for(settings))
    problem = prepared.problem
    asked = [known_key(problem, key) for key in keys or problem.keys]
    counts: dict[str, int] = {}
    marginals: dict[int, Mapping[int, int]] = {}
    stop, method = Stop.FINISHED, ""
    budget = Budget.of_memory(settings.memory)
    with watching(watch, settings.seconds) as watch:
        exactly = EarlierWatch(watch, RESERVE, MOST_RESERVE)
        space: Space | None = None
        try:
            seen = problem.keys[asked[0]] if len(asked) == 1 and not cells else range(len(problem.variables))
            space = _compile(prepared, seen, budget, exactly)
            method = "solution space" if space.branched else "decision diagram"
            method = "filtering" if prepared.refutation else method
            if cells:
                taken = space.marginals(Allowance(budget.nodes, exactly))
                marginals = {v: taken[v] for v in problem.keys.get("grid", space.variables)}
            for key in sorted(asked, key=lambda key: -len(problem.keys[key])):  # the cheapest first
                counts[key] = project_space(space, problem.keys[key], budget, exactly).count
        except Unfinished as reason:
            stop, method = reason.stop, f"lower bound: {reason}"
        if stop is not Stop.FINISHED:  # all that was made on the way is gone when the reason is
            some = space or compile_some(prepared.filtered, WIDTHS, budget, EarlierWatch(watch, 0.5))
            one = 0 if some else _find_one(prepared, settings, watch)
            for key in asked:
                if key not in counts:
                    counts[key] = _bound(problem.keys[key], some, budget, watch) if some else one
        confirmed_by = None
        if space is not None and not space.count:
            confirmed_by = _confirm_zero(prepared, watch)
            stop = stop if confirmed_by else watch.stop or Stop.ERROR
            method = method if confirmed_by else "nothing has confirmed that there is no solution"
    return Count(
        puzzle,
        {key: counts[key] for key in asked},
        stop is Stop.FINISHED,
        stop,
        method,
        time.perf_counter() - begun,
        marginals,
        confirmed_by,
    )


def _compile(prepared: Prepared, variables: Iterable[int], budget: Budget, watch: Watch) -> Space:
    """Return the solutions that differ in the variables. Raises Unfinished."""
    if prepared.refutation:
        return Space(None, variables)
    return compile_space(prepared.filtered, variables, budget, watch)


def _confirm_zero(prepared: Prepared, watch: Watch) -> str | None:
    """Return by what it is confirmed that there is no solution. Raises EngineFault if there is one."""
    opinion = on_zero(prepared.problem, FILTERING if prepared.refutation else DIAGRAM, watch)
    if opinion.point is not None:
        raise EngineFault(
            f"{prepared.puzzle.name} was counted to have no solution, {opinion.witness} has one"
        )
    return opinion.confirmed_by


def _find_one(prepared: Prepared, settings: Settings, watch: Watch) -> int:
    """Return 1 if an engine finds a solution, else 0."""
    if watch.stop:
        return 0
    memory = None if settings.memory is None else max(settings.memory, ENGINE_MEMORY)
    answer, claim, *_ = find_point(prepared, "", Settings(memory=memory), watch)
    return 0 if prepared.judge(answer.point, claim.who) is None else 1


def _bound(variables: Sequence[int], some: Space, budget: Budget, watch: Watch) -> int:
    """Return a lower bound for the variables of a key: what a space of some solutions counts."""
    if not some.count:
        return 0
    with suppress(Unfinished):  # else what is seen on a short walk
        return project_space(some, variables, budget, EarlierWatch(watch, 0.5)).count
    place = {v: i for i, v in enumerate(some.variables)}
    compared = [place[v] for v in variables]
    seen = {tuple([some.nth(0)[i] for i in compared])}
    allowance = Allowance(SHORT_WALK, watch, budget.memory)
    with suppress(Unfinished):
        for point in some.assignments():
            allowance.spend(1)
            seen.add(tuple([point[i] for i in compared]))
    return len(seen)
