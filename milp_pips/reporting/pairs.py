"""Plots that set configurations against one another: two by two, and building against solving."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from milp_pips.reporting.benchmark import Benchmark
from milp_pips.reporting.figures import FAINT, INK, ROOM, Style, axes, duration, limit_line, seconds_axis
from milp_pips.reporting.profiles import SHORTEST, Times

PHASES = ("read", "build", "solve")


def head_to_head(benchmark: Benchmark, first: int, second: int, styles: Mapping[str, Style]) -> Any:
    """Return the plot of two configurations, one point per instance; below the diagonal the first is slower.

    Runs without an answer lie beyond the line of the limit.
    """
    figure, plot = axes(5.0, 5.2)
    x, y = benchmark.times[:, first], benchmark.times[:, second]
    both = ~(np.isnan(x) | np.isnan(y))
    ceiling, beyond = benchmark.ceiling, benchmark.ceiling * ROOM
    x, y = (np.where(np.isinf(c[both]), beyond, np.maximum(c[both], SHORTEST)) for c in (x, y))
    missed = (x == beyond) | (y == beyond)
    quicker = np.where(x < y, first, second)
    for side in (first, second):
        name = benchmark.configurations[side]
        style = styles[name]
        for there, marker, size in ((~missed, style.marker, 22), (missed, "x", 26)):
            shown = there & (quicker == side) & (x != y)
            plot.scatter(
                x[shown],
                y[shown],
                s=size,
                marker=marker,
                color=style.colour,
                alpha=0.75,
                linewidths=1.2 if marker == "x" else 0,
                clip_on=False,
                zorder=3,
            )
    tied = x == y
    plot.scatter(x[tied], y[tied], s=26, marker="x", color=INK, linewidths=1.2, zorder=3)
    low = min([*x, *y, ceiling / 10]) / 1.5
    high = beyond * 1.25 if missed.any() else max([*x, *y]) * 1.5
    plot.plot([low, high], [low, high], color=FAINT, linewidth=0.9)
    plot.set_xlim(low, high)
    plot.set_ylim(low, high)
    for axis, side in ((plot.xaxis, first), (plot.yaxis, second)):
        seconds_axis(axis, f"{benchmark.configurations[side]}: time (log scale)", ceiling)
        axis.label.set_color(styles[benchmark.configurations[side]].colour)
    plot.set_aspect("equal")
    limit_line(plot, benchmark.ceiling)
    limit_line(plot, benchmark.ceiling, horizontal=False)
    return figure


def phase_seconds(benchmark: Benchmark) -> tuple[int, Times]:
    """Return on how many instances all were solved, and the mean seconds of each phase there.

    The array has one row per configuration and the columns read, build and solve. Repeats of an instance
    count by their median first.
    """
    rows = np.flatnonzero(np.isfinite(benchmark.times).all(axis=1))
    means = np.zeros((len(benchmark.configurations), len(PHASES)))
    for number in range(len(benchmark.configurations)):
        for place, phase in enumerate(PHASES):
            medians = [
                np.median([getattr(run, f"{phase}_seconds") or 0.0 for run in benchmark.runs[row][number]])
                for row in rows
            ]
            means[number, place] = np.mean(medians) if medians else 0.0
    return len(rows), means


def phases(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the stacked bars of the mean seconds spent on reading, building and solving."""
    _, means = phase_seconds(benchmark)
    count = len(benchmark.configurations)
    figure, plot = axes(1.3 + 0.42 * count)
    strength = dict(zip(PHASES, (0.2, 0.5, 1.0), strict=True))
    for number, name in enumerate(benchmark.configurations):
        start = 0.0
        for spent, phase in zip(means[number], PHASES, strict=True):
            plot.barh(
                number, spent, left=start, height=0.62, color=styles[name].colour, alpha=strength[phase]
            )
            start += spent
        plot.annotate(
            f"build {duration(means[number, 1])}, solve {duration(means[number, 2])}",
            (start, number),
            (6, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=INK,
        )
    plot.set_xlim(0, 1.35 * max(means.sum(axis=1)))
    plot.set_yticks(range(count), benchmark.configurations)
    plot.set_ylim(count - 0.5, -0.5)
    plot.tick_params(axis="y", length=0)
    plot.grid(False, axis="y")
    plot.set_xlabel("mean time (s)")
    from matplotlib.patches import Patch

    figure.legend(
        handles=[Patch(facecolor=INK, alpha=strength[phase], label=phase) for phase in PHASES],
        loc="outside lower left",
        ncols=3,
        frameon=False,
        fontsize=9,
    )
    return figure
