"""The figures of a comparison as JSON."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, NotRequired, TypeAlias, TypedDict

from milp_pips.extras.bench.figures import VIRTUAL_BEST, Optimisation, Standing
from milp_pips.views.json import record


class _Figures(TypedDict):
    puzzles: int
    """Number of puzzles that all configurations have run."""
    solved: int
    """Number of puzzles that were solved: of which every run finished its task."""
    unsolved: int
    """Number of puzzles that are neither solved nor answered wrongly."""
    median: float | None
    """Median seconds; null if half of the puzzles are unsolved."""
    median_low: float | None
    """Lower end of the median's 95 % interval; null for fewer than six puzzles, or beyond the time limit."""
    median_high: float | None
    """Upper end of that interval; null for fewer than six puzzles, or beyond the time limit."""
    mean: float
    """Shifted geometric mean of seconds, with a shift of 1 s; an unsolved puzzle counts as the time limit."""
    mean_low: float | None
    """Lower end of its 95 % bootstrap interval; null for fewer than six puzzles."""
    mean_high: float | None
    """Upper end of that interval; null for fewer than six puzzles."""
    par2: float
    """Mean seconds; an unsolved puzzle counts as twice the time limit."""
    par10: float
    """Mean seconds; an unsolved puzzle counts as ten times the time limit."""


class StandingRecord(_Figures):
    """The figures of a configuration."""

    configuration: str
    """The configuration: solver, formulation and options."""
    runs: int
    """Number of runs behind the figures."""
    wrong: int
    """Number of puzzles with a wrong answer."""
    errors: int
    """Number of unsolved puzzles on which a run failed."""
    missing: int
    """Number of further puzzles that the configuration has not run."""
    best: int
    """Number of puzzles that no other configuration has solved in less time."""
    rank: float
    """Average rank over the puzzles, 1 for the least time; unsolved puzzles share the last ranks."""
    processor: NotRequired[float | None]
    """Median processor seconds; null if unknown."""
    load: NotRequired[float | None]
    """Median load of the system at the start of the runs; null if unknown."""


class VirtualBest(_Figures):
    """The figures of the virtual best solver."""


class VirtualBestLine(TypedDict):
    """The line after the configurations."""

    virtual_best: VirtualBest
    """The virtual best solver, which takes the best configuration for each puzzle."""


class OptimisationRecord(TypedDict):
    """The figures of a configuration in a task with an objective."""

    configuration: str
    """The configuration: solver, formulation and options."""
    puzzles: int
    """Number of puzzles that all configurations have run and that have a known value."""
    proved: int
    """Number of puzzles whose optimum was proved and confirmed."""
    best: int
    """Number of puzzles on which it found the best value that is known."""
    to_best: float | None
    """Median seconds until then; null if it was found on less than half of the puzzles."""
    gap: float
    """Mean relative gap between value and bound at the end: 0 if proved, 1 without a value."""
    integral: float
    """Mean primal integral in seconds (Berthold 2013)."""
    integral_low: float | None
    """Lower end of its 95 % bootstrap interval; null for fewer than six puzzles."""
    integral_high: float | None
    """Upper end of that interval; null for fewer than six puzzles."""


class OptimisationLine(TypedDict):
    """A line for each configuration of a task with an objective, after the others."""

    optimisation: OptimisationRecord
    """The figures."""


CompareLine: TypeAlias = StandingRecord | VirtualBestLine | OptimisationLine


@record.register(Optimisation)
@record.register(Standing)
def _(row: Optimisation | Standing) -> dict[str, Any]:
    """Return the name and the figures as JSON-ready data; None for infinite or undefined values.

    The virtual best has no name, and only the figures that it has.
    """
    figures = {field.name: getattr(row, field.name) for field in fields(row)}
    return {
        name: value if isinstance(value, str | int) else round(value, 6) if math.isfinite(value) else None
        for name, value in figures.items()
        if value not in (None, VIRTUAL_BEST)
    }
