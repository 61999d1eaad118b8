"""Trace propagation: which rule removes which value, in order, compared with what the relaxation excludes."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from milp_pips.constraints import covers_of
from milp_pips.extras.lab.puzzle_model import (
    Pair,
    PuzzleModel,
    Shown,
    draw_values,
    edge,
    pairs_of,
    state_model,
)
from milp_pips.extras.lab.strength import (
    ADMITTED_FILL,
    EXCLUDED_FILL,
    POSSIBLE_FILL,
    find_admitted,
    impossible_pairs,
)
from milp_pips.problem.answer import Settings, Shortcuts, Stop
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.propagation import Contradiction, Fixpoint
from milp_pips.render.vocabulary import Drawing, Note
from milp_pips.tasks.pipeline import settings_of

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Puzzle

BOTH_FILL, FILTERED_FILL, RELAXED_FILL, NEITHER_FILL = EXCLUDED_FILL, "#8fc1e3", "#f7e08c", ADMITTED_FILL
"""Fills of values that no solution has: excluded by filtering and the relaxation; by filtering alone; by the
relaxation alone; by neither."""

FILTER_NOTES = {
    BOTH_FILL: ("both", "filtering takes it, and the relaxation excludes it"),
    FILTERED_FILL: ("filtering", "filtering takes it, the relaxation does not"),
    RELAXED_FILL: ("relaxation", "the relaxation excludes it, filtering does not"),
    NEITHER_FILL: ("neither", "in no solution, but neither excludes it"),
}


class FilterStep(NamedTuple):
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

    def __str__(self) -> str:
        cells = [f"{name} ≠ {', '.join(values)}" for name, values in self.values.items()]
        told = [*cells, *(f"no {pair}" for pair in self.edges)]
        return f"{self.rule or 'a rule'}: {'; '.join(told)}"


@dataclass(frozen=True)
class FilterTrace(Shown):
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

    def text_parts(self) -> Iterator[str | Drawing]:
        """Yield the lines and the board to print: the steps, the remaining values, and the comparison."""
        for number, step in enumerate(self.steps, 1):
            yield from textwrap.wrap(f"{number:3} {step}", 110, subsequent_indent="      ")
        if self.refutation:
            yield f"    no solution: {self.refutation}"
        else:
            yield self.drawing()
        yield self.summary()

    def summary(self) -> str:
        """Return one line that compares filtering and the relaxation."""
        name = self.stated.puzzle.name
        if self.stop is not Stop.FINISHED:
            return f"{name}: {len(self.steps)} steps; the relaxation was not compared; stop: {self.stop}"
        both, whole = len(self.taken & self.excluded), len(self.impossible)
        formulation = self.stated.model.formulation
        relaxation = f"the relaxation ({formulation})" if formulation else "the relaxation"
        return (
            f"{name}: of {whole} values that no solution has, filtering takes {len(self.taken)}, "
            f"{relaxation} excludes {len(self.excluded)}: both {both}, "
            f"neither {len(self.impossible - self.taken - self.excluded)}"
        )

    def drawing(self) -> Drawing:
        """Return the board, coloured by which method excludes which value; as text, what filtering leaves."""
        fills = {pair: self._fill(pair) for pair in pairs_of(self.stated.problem)}
        seen = set(fills.values())
        notes = [Note(head, (words,), fill) for fill, (head, words) in FILTER_NOTES.items() if fill in seen]
        return draw_values(self.stated.prepared, fills, self.taken, "filtering and relaxation", notes)

    def _fill(self, pair: Pair) -> str:
        if pair not in self.impossible:
            return POSSIBLE_FILL
        if pair in self.taken:
            return BOTH_FILL if pair in self.excluded else FILTERED_FILL
        return RELAXED_FILL if pair in self.excluded else NEITHER_FILL

    def to_json(self) -> dict[str, Any]:
        """Return the trace as JSON-ready data."""
        return {
            "puzzle": self.stated.puzzle.name,
            "formulation": self.stated.model.formulation,
            "steps": [step._asdict() for step in self.steps],
            "refutation": self.refutation or None,
            "impossible": len(self.impossible),
            "filtered": len(self.taken),
            "excluded": len(self.excluded),
            "both": len(self.taken & self.excluded),
            "stop": self.stop.value,
            "seconds": round(self.seconds, 6),
        }


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
        steps, removed, refutation = _trace(problem)
        taken = frozenset(pairs) if refutation else frozenset(pairs) & removed
        admitted = find_admitted(stated, stated.relax(), pairs, deadline)
        excluded = frozenset() if admitted is None else frozenset(pairs) - frozenset(admitted)
        stop = Stop.FINISHED if admitted is not None else deadline.stop or Stop.TIME
    spent = time.perf_counter() - begun
    return FilterTrace(stated, tuple(steps), refutation, frozenset(pairs), taken, excluded, stop, spent)


def _trace(problem: Problem) -> tuple[list[FilterStep], frozenset[Pair], str]:
    """Return the steps, all pairs that they remove, and the rule that found no solution."""
    steps: list[FilterStep] = []
    removed: set[Pair] = set()
    try:
        for taken in Fixpoint(problem).trace():
            removed |= set(taken.values)
            steps.append(_to_step(problem, taken.rule, taken.values))
    except Contradiction as reason:
        return steps, frozenset(removed), str(reason)
    return steps, frozenset(removed), ""


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
