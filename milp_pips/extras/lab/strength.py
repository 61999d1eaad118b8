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
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.extras.lab.puzzle_model import (
    INTEGER_TOLERANCE,
    Pair,
    PuzzleModel,
    draw_values,
    formulations_of,
    pairs_of,
)
from milp_pips.formulations.milp import formulate
from milp_pips.problem.answer import Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.propagation import Contradiction, filter_domains
from milp_pips.render.vocabulary import Drawing, Note, print_text
from milp_pips.runtime.interruptible import build_interruptibly
from milp_pips.tasks.compile import compile
from milp_pips.tasks.pipeline import Prepared, prepare, puzzle_of, settings_of

if TYPE_CHECKING:
    from milp_pips.engines.mip import Relaxed
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle

ADMITTED_FILL, EXCLUDED_FILL, POSSIBLE_FILL = "#e8590c", "#dfe3e8", "#ffffff"
"""Fills of values: impossible but admitted, impossible and excluded, possible."""

BAR = 20
"""The characters of a bar that stands for 100 %."""


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
    def excluded_share(self) -> float | None:
        """The share of the impossible pairs that the relaxation excludes; None if there are none."""
        return share(self.excluded, self.impossible)

    @property
    def excluded_by_root(self) -> int | None:
        """The number of impossible pairs that the root node excludes; None if this was not measured."""
        return None if self.admitted_by_root is None else self.impossible - len(self.admitted_by_root)

    def to_json(self) -> dict[str, Any]:
        """Return the strength of the formulation as JSON-ready data."""
        record = {
            "formulation": self.formulation,
            "excluded": self.excluded,
            "excluded_share": self.excluded_share,
            **self.size,
            "seconds": round(self.seconds, 6),
        }
        if self.excluded_by_root is not None:
            record["excluded_by_root"] = self.excluded_by_root
        return record


@dataclass(frozen=True)
class Strength:
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

    _repr_pretty_ = print_text

    def summary(self) -> str:
        """Return one line with the number of values that each formulation excludes."""
        excluded = (f"{one.formulation} {one.impossible - len(one.admitted)}" for one in self.formulations)
        whole = len(self.impossible)
        return (
            f"{self.puzzle.name}: of {whole} values that no solution has, excluded by {', '.join(excluded)}"
        )

    def __str__(self) -> str:
        lines = _lines(self.puzzle.name, len(self.impossible), self.filtered, self.formulations)
        return "\n".join([*lines, *(f"{name} is left out: {why}" for name, why in self.left_out.items())])

    def to_json(self) -> dict[str, Any]:
        """Return the strengths as JSON-ready data."""
        return {
            "puzzle": self.puzzle.name,
            "impossible": len(self.impossible),
            "filtered": self.filtered,
            "filtered_share": share(self.filtered, len(self.impossible)),
            "formulations": [one.to_json() for one in self.formulations],
            "left_out": dict(self.left_out),
            "stop": self.stop.value,
        }

    def drawings(self) -> list[Drawing]:
        """Return a board for each formulation on which impossible but admitted values stand out."""
        return [self._drawing(one) for one in self.formulations]

    def _drawing(self, one: FormulationStrength) -> Drawing:
        prepared = prepare(self.puzzle, ())
        excluded = set(self.impossible) - set(one.admitted)
        fills = dict.fromkeys(pairs_of(prepared.problem), POSSIBLE_FILL)
        fills |= dict.fromkeys(excluded, EXCLUDED_FILL) | dict.fromkeys(one.admitted, ADMITTED_FILL)
        name = one.formulation or "the relaxation"
        notes = (
            Note(name, (f"excludes {one.excluded} of {one.impossible} impossible values",)),
            Note("admitted", ("in no solution, yet in a point of the relaxation",), ADMITTED_FILL),
            Note("excluded", ("in no solution, and in no such point",), EXCLUDED_FILL),
        )
        return draw_values(prepared, fills, excluded, name, notes)


def share(part: int, whole: int) -> float | None:
    """Return a part as a share of the whole, to six digits; None if the whole is 0."""
    return round(part / whole, 6) if whole else None


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
    EngineFault
        If the root node admits a pair that the relaxation excludes.
    """
    puzzle = puzzle_of(puzzle, "strength")
    if isinstance(formulations, str):
        raise TypeError(
            f"formulations must be a list of names, not {formulations!r}; write [{formulations!r}]"
        )
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds) as deadline:
        prepared = prepare(puzzle, settings.rules or (), deadline=deadline)
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
    relaxed = stated.relax()
    admitted = find_admitted(stated, relaxed, impossible, deadline)
    by_root = find_admitted(stated, stated.relax(cuts=True), admitted or (), deadline) if root else None
    if admitted is None or (root and by_root is None):
        return None
    size, spent = stated.model.size, time.perf_counter() - begun
    name = stated.model.formulation
    return FormulationStrength(name, len(impossible), admitted, by_root, size, spent)


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
        if ending.x is not None:
            if stated.is_integral(ending.x):
                what = "a point with a value that no solution has"
                raise EngineFault(f"the relaxation of {stated.puzzle.name} gave {what}")
            shares = stated.shares(ending.x, {v for v, _ in pairs})
            known |= {(u, b) for u in shares for b, y in shares[u].items() if y > 1 - INTEGER_TOLERANCE}
    return tuple(pair for pair in pairs if pair in known)


def total(measured: Sequence[Strength]) -> list[str]:
    """Return the lines of a table that adds up several puzzles; empty if they share no formulations."""
    names = [[one.formulation for one in found.formulations] for found in measured]
    if len(measured) < 2 or any(names[0] != others for others in names):
        return []
    impossible = sum(len(found.impossible) for found in measured)
    filtered = sum(found.filtered for found in measured)
    rows = zip(*(found.formulations for found in measured), strict=True)
    return _lines(f"all {len(measured)}", impossible, filtered, [_added(row) for row in rows])


def _added(row: Sequence[FormulationStrength]) -> FormulationStrength:
    """Return the strength of one formulation over several puzzles together."""
    roots = [one.admitted_by_root for one in row]
    by_root = None if None in roots else tuple(pair for root in roots for pair in root or ())
    return FormulationStrength(
        row[0].formulation,
        sum(one.impossible for one in row),
        tuple(pair for one in row for pair in one.admitted),
        by_root,
        {name: sum(one.size.get(name, 0) for one in row) for name in ("columns", "rows", "nonzeros")},
        sum(one.seconds for one in row),
    )


def _lines(
    name: str, impossible: int, filtered: int, formulations: Sequence[FormulationStrength]
) -> list[str]:
    whole = f"of {impossible} values of cells that no solution has"
    lines = [f"{name}: {whole}, these are excluded"]
    room = max([len("formulation"), *(len(one.formulation) for one in formulations)])
    root = any(one.admitted_by_root is not None for one in formulations)
    head = f"{'formulation':{room}}  {'':{BAR}}        share"
    lines.append(head + ("   root" * root) + "  columns   rows  nonzeros")
    for one in formulations:
        by_root = one.excluded_by_root
        lines.append(
            f"{one.formulation or '-':{room}}  {_bar(one.excluded, impossible)} {one.excluded:5} "
            f"{_percent(one.excluded, impossible)}"
            + (f" {_percent(by_root, impossible)}" if by_root is not None else "")
            + "".join(
                f"{one.size.get(what, 0):{wide}}"
                for what, wide in (("columns", 9), ("rows", 7), ("nonzeros", 10))
            )
            + f"  {one.seconds:.3f} s"
        )
    lines.append(
        f"{'filtering':{room}}  {_bar(filtered, impossible)} {filtered:5} {_percent(filtered, impossible)}"
    )
    return [line.rstrip() for line in lines]


def _bar(part: int, whole: int) -> str:
    full = round(BAR * part / whole) if whole else 0
    return "█" * full + "░" * (BAR - full)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.1f}%" if whole else "     -"
