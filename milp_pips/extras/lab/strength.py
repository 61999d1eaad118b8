"""Measure the strength of a formulation exactly: how many impossible values its linear relaxation excludes.

A pair (cell, value) is impossible if no solution has it; the solution space decides this exactly. The
relaxation excludes the pair if it contains no point in which the cell has the value::

    { x in [0, 1]^n : row_lower <= A x <= row_upper, Σ [cell = other value] = 0 } is empty

or equivalently, by convexity, if max { [cell = value] } < 1 over the relaxation, where [cell = value] is the
sum of the columns with this meaning. A search does not need this maximum to be 0: a value that cannot reach 1
cannot be chosen.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Unpack

from milp_pips.extras.lab.puzzle_model import (
    INTEGER_TOLERANCE,
    Pair,
    PuzzleModel,
    formulations_of,
    fractional_columns,
    pairs_of,
)
from milp_pips.formulations.milp.draft import formulate
from milp_pips.problem.answer import Proof, Settings, Shortcuts, Stop, TaskResult
from milp_pips.problem.errors import Contradiction, EngineFault, UsageError
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.propagation import filter_domains
from milp_pips.runtime.interruptible import build_interruptibly
from milp_pips.tasks.compile import compile
from milp_pips.tasks.pipeline import prepare, puzzle_of, settings_of
from milp_pips.tasks.query import Prepared, Run

if TYPE_CHECKING:
    from milp_pips.engines.contract import Relaxed
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle


@dataclass(frozen=True, slots=True)
class FormulationStrength:
    """What a formulation excludes of the impossible pairs of a puzzle.

    Parameters
    ----------
    formulation
        The names of the linearisations; empty if the problem has only one formulation.
    impossible
        The number of impossible pairs.
    admitted
        Those of them that the relaxation does not exclude.
    admitted_by_root
        Those that the root node of branch and cut does not exclude; None if this was not measured.
    size
        ``columns``, ``rows`` and ``nonzeros`` of the model.
    seconds
        The time to state the model and test all pairs.
    """

    formulation: str
    impossible: int
    admitted: tuple[Pair, ...]
    admitted_by_root: tuple[Pair, ...] | None
    size: dict[str, int]
    seconds: float

    @property
    def excluded(self) -> int:
        """The number of impossible pairs that the relaxation excludes."""
        return self.impossible - len(self.admitted)

    @property
    def excluded_by_root(self) -> int | None:
        """The number of impossible pairs that the root node excludes; None if this was not measured."""
        return None if self.admitted_by_root is None else self.impossible - len(self.admitted_by_root)


@dataclass(frozen=True)
class Strength(TaskResult):
    """What formulations, and filtering for comparison, exclude of the impossible values of a puzzle.

    Parameters
    ----------
    puzzle
        The puzzle.
    impossible
        The pairs (cell, value) of the stated domains that no solution has.
    filtered
        The number of them that filtering removes, that is, propagation alone.
    formulations
        The strength of each formulation.
    stop
        The stopping criterion; formulations that a limit cut off are missing.
    left_out
        Formulations that could not be stated, if they were not requested by name, with the reason.
    """

    puzzle: Puzzle
    impossible: tuple[Pair, ...] = field(repr=False)
    filtered: int
    formulations: tuple[FormulationStrength, ...]
    stop: Stop
    left_out: Mapping[str, str] = field(default_factory=dict)


@named_keywords
def strength(
    puzzle: Puzzle | Problem,
    formulations: Sequence[str] = (),
    settings: Settings = Settings(),
    *,
    root: bool = False,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Strength:
    """Return what formulations exclude of the pairs (cell, value) that no solution has.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    formulations
        The formulations to measure; empty for all that the problem has.
    settings, deadline, shortcuts
        As for ``solve``. Nothing is filtered first unless ``rules`` requests it.
    root
        Whether to measure the root node of branch and cut as well, with its cuts.

    Raises
    ------
    UsageError
        For an unknown formulation.
    Unfinished
        If time or memory ran out for the solution space, on which everything depends.
    """
    puzzle = puzzle_of(puzzle, "strength")
    if isinstance(formulations, str):
        raise TypeError(
            f"formulations must be a list of names, not {formulations!r}; write [{formulations!r}]"
        )
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds) as deadline:
        prepared = prepare(puzzle, Run("", settings.changed(rules=settings.rules or ()), deadline))
        # First what no solution has, exactly: each formulation is measured against that.
        impossible = impossible_pairs(prepared, settings, deadline)
        measured: list[FormulationStrength] = []
        stop = Stop.FINISHED
        left_out: dict[str, str] = {}
        for name in formulations or formulations_of(prepared.filtered):
            try:
                found = _measure(prepared, impossible, name, root, deadline)
            except UsageError as reason:
                if formulations:
                    raise
                left_out[name] = str(reason)
                continue
            if found is None:
                stop = deadline.stop or Stop.TIME
                break
            measured.append(found)
        filtered = _filtered(prepared.problem, impossible)
        return Strength(puzzle, impossible, filtered, tuple(measured), stop, left_out)


def impossible_pairs(prepared: Prepared, settings: Settings, deadline: Deadline) -> tuple[Pair, ...]:
    """Return the pairs (cell, value) of the stated domains that no solution has. Raises Unfinished."""
    unfiltered = settings.changed(rules=None)
    counts = compile(prepared.puzzle, settings=unfiltered, deadline=deadline).value_counts(deadline)
    return tuple((v, a) for v, a in pairs_of(prepared.problem) if not counts[v].get(a))


def _filtered(problem: Problem, pairs: Sequence[Pair]) -> int:
    """Return how many of the pairs filtering removes."""
    try:
        left = filter_domains(problem).variables
    except Contradiction:
        return len(pairs)
    return sum(a not in left[v].domain for v, a in pairs)


def _measure(
    prepared: Prepared, impossible: Sequence[Pair], formulation: str, root: bool, deadline: Deadline
) -> FormulationStrength | None:
    """Return what one formulation excludes; None if the deadline stops it."""
    begun = time.perf_counter()
    if prepared.refutation:
        size = dict.fromkeys(("columns", "rows", "nonzeros"), 0)
        return FormulationStrength(formulation, len(impossible), (), () if root else None, size, 0.0)
    model = build_interruptibly(lambda: formulate(prepared.filtered, formulation), deadline)
    if model is None:
        return None
    stated = PuzzleModel(prepared, model)
    admitted = find_admitted(stated, stated.relax(), impossible, deadline)
    # Cuts only add rows, so the root node needs to try no pair that the LP alone excludes.
    by_root = find_admitted(stated, stated.relax(cuts=True), admitted or (), deadline) if root else None
    if admitted is None or (root and by_root is None):
        return None
    seconds = time.perf_counter() - begun
    return FormulationStrength(model.formulation, len(impossible), admitted, by_root, model.size, seconds)


def find_admitted(
    stated: PuzzleModel, relaxed: Relaxed, pairs: Sequence[Pair], deadline: Deadline
) -> tuple[Pair, ...] | None:
    """Return those of the pairs that a point of the relaxation has; None if the deadline stops it.

    A point found for one pair also settles all other pairs that it has; these need no solve of their own.
    """
    domains = [variable.domain for variable in stated.problem.variables]
    known: set[Pair] = set()
    for v, a in pairs:
        if (v, a) in known or a not in domains[v]:
            continue
        others = stated.others(v, (a,))
        relaxed.bound(others, 0, 0)
        ending = relaxed.run(deadline)
        relaxed.bound(others, 0, 1)
        if deadline.stop or ending.stop in (Stop.TIME, Stop.INTERRUPTED):  # an engine's clock may be ahead
            return None
        if ending.stop is Stop.ERROR:
            raise EngineFault(f"the relaxation failed: {ending.message}")
        if ending.proof is Proof.INFEASIBLE:
            continue
        known.add((v, a))
        if ending.point is not None:
            # An integral point is a solution, but no solution has this value: the engine or the count is
            # wrong.
            if not fractional_columns(ending.point):
                what = "a point with a value that no solution has"
                raise EngineFault(f"the relaxation of {stated.puzzle.name} gave {what}")
            shares = stated.shares(ending.point, {v for v, _ in pairs})
            known |= {(u, b) for u in shares for b, y in shares[u].items() if y > 1 - INTEGER_TOLERANCE}
    return tuple(pair for pair in pairs if pair in known)
