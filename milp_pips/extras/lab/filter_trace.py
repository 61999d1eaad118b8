"""Trace propagation: which rule removes which value, in order, compared with what the relaxation excludes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Unpack

from milp_pips.constraints import covers_of
from milp_pips.extras.lab.puzzle_model import (
    Pair,
    PuzzleModel,
    edge,
    state_model,
)
from milp_pips.extras.lab.strength import (
    find_admitted,
    impossible_pairs,
)
from milp_pips.problem.answer import Settings, Shortcuts, Stop, TaskResult
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.propagation import Fixpoint
from milp_pips.tasks.pipeline import settings_of

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Puzzle


@dataclass(frozen=True, slots=True)
class FilterStep(TaskResult):
    """The values that one application of a rule removes.

    Parameters
    ----------
    rule
        The rule, in the player's words.
    values
        The values that cells lose, by the cell's name. Partners of cells are given as ``edges`` instead.
    edges
        Edges on which no domino can lie any more.
    """

    rule: str
    values: dict[str, list[str]]
    edges: list[str]


@dataclass(frozen=True)
class FilterTrace(TaskResult):
    """What filtering removes from a puzzle, step by step, and what the linear relaxation excludes.

    Parameters
    ----------
    stated
        The puzzle and the model that was relaxed.
    steps
        The removals, in order.
    refutation
        The rule that found no solution, if filtering proves that there is none; otherwise empty.
    impossible, taken, excluded
        The pairs (cell, value) that no solution has; those of them that filtering removes, and those that the
        relaxation excludes.
    stop
        The stopping criterion; unless it is ``finished``, nothing is known about the relaxation.
    seconds
        The time taken.
    """

    stated: PuzzleModel = field(repr=False)
    steps: tuple[FilterStep, ...] = field(repr=False)
    refutation: str
    impossible: frozenset[Pair] = field(repr=False)
    taken: frozenset[Pair] = field(repr=False)
    excluded: frozenset[Pair] = field(repr=False)
    stop: Stop
    seconds: float


@named_keywords
def filter_trace(
    puzzle: Puzzle | Problem,
    settings: Settings = Settings(),
    *,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> FilterTrace:
    """Return what filtering removes from a puzzle, step by step, and what the linear relaxation excludes.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    settings, deadline, shortcuts
        As for ``solve``; ``formulation`` names the model whose relaxation is compared.

    Raises
    ------
    UsageError
        For an unknown formulation.
    Unfinished
        If time or memory ran out for the model or the solution space, on which the comparison depends.
    """
    begun = time.perf_counter()
    settings = settings_of(settings, shortcuts).changed(rules=None)
    with running_deadline(deadline, settings.seconds) as deadline:
        stated = state_model(puzzle, settings, "filter_trace", deadline)
        problem = stated.problem
        pairs = impossible_pairs(stated.prepared, settings, deadline)
        removed = _trace(problem)
        taken = frozenset(pairs) if removed.refutation else frozenset(pairs) & removed.pairs
        admitted = find_admitted(stated, stated.relax(), pairs, deadline)
        excluded = frozenset() if admitted is None else frozenset(pairs) - frozenset(admitted)
        stop = Stop.FINISHED if admitted is not None else deadline.stop or Stop.TIME
    spent = time.perf_counter() - begun
    return FilterTrace(
        stated, removed.steps, removed.refutation, frozenset(pairs), taken, excluded, stop, spent
    )


class _Removed(NamedTuple):
    """The steps of filtering, all pairs that they remove, and the rule that found no solution, if any."""

    steps: tuple[FilterStep, ...]
    pairs: frozenset[Pair]
    refutation: str = ""


def _trace(problem: Problem) -> _Removed:
    """Return what filtering removes, step by step."""
    steps: list[FilterStep] = []
    removed: set[Pair] = set()
    try:
        for taken in Fixpoint(problem).trace():
            removed |= set(taken.values)
            steps.append(_to_step(problem, taken.rule, taken.values))
    except Contradiction as reason:
        return _Removed(tuple(steps), frozenset(removed), str(reason))
    return _Removed(tuple(steps), frozenset(removed))


def _to_step(problem: Problem, rule: str, taken: Sequence[Pair]) -> FilterStep:
    """Return a step in words; an edge is named once, not from both its ends."""
    place = {
        v: (cover, i) for cover in covers_of(problem.constraints)
        for i, v in enumerate(cover.partners)
    }  # fmt: skip
    values: dict[str, list[str]] = {}
    edges: dict[str, None] = {}
    for v, a in taken:
        if v in place:
            edges[edge(problem, *place[v], a)] = None
        else:
            values.setdefault(problem.variables[v].name, []).append(problem.written(a, v))
    return FilterStep(rule, values, list(edges))
