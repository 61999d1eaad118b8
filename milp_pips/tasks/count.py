"""Count the solutions of a puzzle exactly, by its decision diagram."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from milp_pips.answer import Settings, Shortcuts, Stop
from milp_pips.diagram import (
    Allowance,
    Budget,
    Diagram,
    Unfinished,
    Unsupported,
    compile_diagram,
    compile_wider,
    project,
)
from milp_pips.pipeline import Prepared, find_point, known_key, prepare, rules_for, state
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
    """

    puzzle: Puzzle
    counts: Mapping[str, int]
    complete: bool
    stop: Stop
    method: str
    seconds: float
    cells: Mapping[int, Mapping[int, int]]

    def __str__(self) -> str:
        bound = "" if self.complete else "at least "
        numbers = " and ".join(f"{bound}{n} {key}{'' if n == 1 else 's'}" for key, n in self.counts.items())
        return f"{self.puzzle.name}: {numbers} ({self.method}, {self.seconds:.3f} s)"

    def to_json(self) -> dict[str, Any]:
        """Return the count as JSON-ready data, with ``placements`` and ``grids`` where these were counted."""
        record: dict[str, Any] = {"puzzle": self.puzzle.name}
        record |= {f"{key}s": number for key, number in self.counts.items()}
        record |= {"complete": self.complete, "stop": self.stop.value, "seconds": round(self.seconds, 6)}
        record |= {"method": self.method}
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
    """Return the exact numbers of solutions, or lower bounds where the decision diagram does not fit.

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
    """
    settings = settings.changed(**shortcuts)
    begun = time.perf_counter()
    prepared = prepare(puzzle, rules_for(settings))
    problem = prepared.problem
    asked = [known_key(problem, key) for key in keys or problem.keys]
    counts: dict[str, int] = {}
    marginals: dict[int, Mapping[int, int]] = {}
    stop, method = Stop.FINISHED, "decision diagram"
    budget = Budget.of_memory(settings.memory)
    with watching(watch, settings.seconds) as watch:
        exactly = EarlierWatch(watch, RESERVE, MOST_RESERVE)
        diagram: Diagram | None = None
        try:
            diagram = _compile(prepared, budget, exactly)
            if cells:
                taken = diagram.marginals(Allowance(budget.nodes, exactly))
                marginals = {v: taken[v] for v in problem.keys.get("grid", diagram.variables)}
            for key in sorted(asked, key=lambda key: -len(problem.keys[key])):  # the cheapest first
                counts[key] = project(diagram, problem.keys[key], budget, exactly).count
        except (Unfinished, Unsupported) as reason:
            stop = reason.stop if isinstance(reason, Unfinished) else Stop.ERROR
            method = f"lower bound: {reason}"
        if stop is not Stop.FINISHED:  # all that was made on the way is gone when the reason is
            some = diagram or _compile_some(prepared, budget, EarlierWatch(watch, 0.5))
            one = 0 if some else _find_one(prepared, settings, watch)
            for key in asked:
                if key not in counts:
                    counts[key] = _bound(problem.keys[key], some, budget, watch) if some else one
    return Count(
        puzzle,
        {key: counts[key] for key in asked},
        stop is Stop.FINISHED,
        stop,
        method,
        time.perf_counter() - begun,
        marginals,
    )


def _compile(prepared: Prepared, budget: Budget, watch: Watch) -> Diagram:
    """Return the diagram of all solutions. Raises Unfinished and Unsupported."""
    if prepared.refutation:
        return Diagram.without_paths(range(len(prepared.problem.variables)))
    return compile_diagram(prepared.filtered, budget, watch)


def _compile_some(prepared: Prepared, budget: Budget, watch: Watch) -> Diagram | None:
    """Return the diagram of most solutions that is made in time, or None where none are found that way."""
    best: Diagram | None = None
    with suppress(Unfinished, Unsupported):
        for diagram in compile_wider(prepared.filtered, WIDTHS, budget, watch):
            if best is None or diagram.count > best.count:
                best = diagram
    return best


def _find_one(prepared: Prepared, settings: Settings, watch: Watch) -> int:
    """Return 1 if an engine finds a solution, else 0."""
    if watch.stop:
        return 0
    memory = None if settings.memory is None else max(settings.memory, ENGINE_MEMORY)
    answer, claim, *_ = find_point(prepared, "", Settings(memory=memory), watch)
    return 0 if prepared.judge(answer.point, claim.who) is None else 1


def _bound(variables: Sequence[int], some: Diagram, budget: Budget, watch: Watch) -> int:
    """Return a lower bound for the variables of a key: what a diagram of some solutions counts."""
    if not some.count:
        return 0
    with suppress(Unfinished):  # else what is seen on a short walk
        return project(some, variables, budget, EarlierWatch(watch, 0.5)).count
    place = {v: i for i, v in enumerate(some.variables)}
    compared = [place[v] for v in variables]
    seen = {tuple([some.nth(0)[i] for i in compared])}
    allowance = Allowance(SHORT_WALK, watch, budget.memory)
    with suppress(Unfinished):
        for point in some.assignments():
            allowance.spend(1)
            seen.add(tuple([point[i] for i in compared]))
    return len(seen)
