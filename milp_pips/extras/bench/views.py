"""The lines of a comparison as JSON."""

from __future__ import annotations

from typing import TypeAlias, TypedDict

from milp_pips.extras.bench.figures import Optimisation, Standing


class VirtualBestLine(TypedDict):
    """The line after the configurations."""

    virtual_best: Standing
    """The virtual best solver, which takes the best configuration for each puzzle."""


class OptimisationLine(TypedDict):
    """A line for each configuration of a task with an objective, after the others."""

    optimisation: Optimisation
    """The figures."""


CompareLine: TypeAlias = Standing | VirtualBestLine | OptimisationLine
