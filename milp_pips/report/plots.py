"""Plots of all times of a benchmark at once, of two configurations, and of building against solving."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from milp_pips.compare.figures import Benchmark, Times
from milp_pips.report.axes import (
    BEYOND,
    FAINT,
    INK,
    Style,
    axes,
    ceiling,
    factor_axis,
    legend,
    limit_line,
    name_rows,
    seconds_axis,
    write_at,
)
from milp_pips.report.words import SHORTEST, duration

PHASES = {"read": 0.2, "build": 0.5, "solve": 1.0}
"""What time is spent on, and how strong it is drawn."""


def cactus(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the plot of how many instances each configuration solves within how much time each."""
    figure, plot = axes(3.5)
    shared = benchmark.times[benchmark.common]
    for column, name in zip(shared.T, benchmark.configurations, strict=True):
        times = np.sort(column[np.isfinite(column)])
        plot.plot(
            np.arange(1, len(times) + 1),
            np.maximum(times, SHORTEST),
            **styles[name].line,
            markersize=3.5,
            markevery=max(1, len(times) // 25),
            linewidth=1.4,
            label=f"{name}: {len(times)} of {len(shared)}",
        )
    plot.set_xlim(0, len(shared) * 1.02)
    plot.set_xlabel("puzzles solved")
    limit_line(plot, ceiling(benchmark))
    seconds_axis(plot.yaxis, "time for each (log scale)")
    legend(figure, plot)
    return figure


def performance_profile(times: Times) -> list[tuple[Times, Times]]:
    """Return, per configuration, the steps of its performance profile.

    The value at factor f is the share of all instances that the configuration solved within f times the best
    time of that instance (Dolan and Moré 2002, "Benchmarking optimization software with performance
    profiles"). The two arrays are the factors at which the share steps up, and the share from there on.
    """
    known = np.maximum(times, SHORTEST)
    best = known.min(axis=1, keepdims=True, initial=np.inf)
    ratios = np.divide(known, best, out=np.full_like(known, np.inf), where=np.isfinite(known))
    curves = []
    for column in ratios.T:
        factors, counts = np.unique(column[np.isfinite(column)], return_counts=True)
        curves.append((factors, np.cumsum(counts) / max(len(times), 1)))
    return curves


def profile(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the plot of the share of instances solved within a factor of the best time."""
    figure, plot = axes(3.5)
    curves = performance_profile(benchmark.times[benchmark.common])
    end = 2 * max([2.0, *(float(factors[-1]) for factors, _ in curves if len(factors))])
    for (factors, shares), name in zip(curves, benchmark.configurations, strict=True):
        reached = shares[-1] if len(shares) else 0.0
        plot.step(
            np.concatenate([[1.0], factors, [end]]),
            100 * np.concatenate([[0.0], shares, [reached]]),
            where="post",
            **styles[name].line,
            markersize=3.5,
            markevery=max(1, len(factors) // 20),
            linewidth=1.6,
            label=name,
        )
    factor_axis(plot.xaxis, "within this multiple of the best time (log scale)")
    plot.set_xlim(1, end)
    plot.set_ylim(0, 103)
    plot.set_ylabel("% of the puzzles solved")
    legend(figure, plot)
    return figure


def head_to_head(benchmark: Benchmark, first: int, second: int, styles: Mapping[str, Style]) -> Any:
    """Return the plot of two configurations, one point per instance; below the diagonal the first is slower.

    What was not solved lies beyond the line of the limit.
    """
    figure, plot = axes(5.0, 5.2)
    x, y = benchmark.times[:, first], benchmark.times[:, second]
    both = ~(np.isnan(x) | np.isnan(y))
    top = ceiling(benchmark)
    beyond = top * BEYOND
    x, y = (np.where(np.isinf(c[both]), beyond, np.maximum(c[both], SHORTEST)) for c in (x, y))
    missed = (x == beyond) | (y == beyond)
    quicker = np.where(x < y, first, second)
    for side in (first, second):
        style = styles[benchmark.configurations[side]]
        look = {"color": style.colour, "alpha": 0.75, "clip_on": False, "zorder": 3}
        for there, marker, size in ((~missed, style.marker, 22), (missed, "x", 26)):
            shown = there & (quicker == side) & (x != y)
            width = 1.2 if marker == "x" else 0
            plot.scatter(x[shown], y[shown], s=size, marker=marker, linewidths=width, **look)
    tied = x == y
    plot.scatter(x[tied], y[tied], s=26, marker="x", color=INK, linewidths=1.2, zorder=3)
    low = min([*x, *y, top / 10]) / 1.5
    high = beyond * 1.25 if missed.any() else max([*x, *y]) * 1.5
    plot.plot([low, high], [low, high], color=FAINT, linewidth=0.9)
    plot.set_xlim(low, high)
    plot.set_ylim(low, high)
    for axis, side in ((plot.xaxis, first), (plot.yaxis, second)):
        seconds_axis(axis, f"{benchmark.configurations[side]}: time (log scale)", top)
        axis.label.set_color(styles[benchmark.configurations[side]].colour)
    plot.set_aspect("equal")
    limit_line(plot, top)
    limit_line(plot, top, horizontal=False)
    return figure


def phase_seconds(benchmark: Benchmark) -> tuple[int, Times]:
    """Return on how many instances all were solved, and the mean seconds of each phase there.

    The array has one row per configuration and the columns read, build and solve. Repeats of an instance
    count by their median first.
    """
    solved = [bool(np.isfinite(row).all()) for row in benchmark.times]
    medians = [
        [
            [np.median([getattr(run, f"{phase}_seconds") or 0.0 for run in cell]) for phase in PHASES]
            for cell in cells
        ]
        for cells, all_solved in zip(benchmark.runs, solved, strict=True)
        if all_solved
    ]
    empty = np.zeros((len(benchmark.configurations), len(PHASES)))
    return len(medians), np.mean(medians, axis=0) if medians else empty


def phases(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the stacked bars of the mean seconds spent on reading, building and solving."""
    from matplotlib.patches import Patch

    _, means = phase_seconds(benchmark)
    figure, plot = axes(1.3 + 0.42 * len(means))
    for number, (name, spent) in enumerate(zip(benchmark.configurations, means, strict=True)):
        starts = np.cumsum([0.0, *spent])
        for start, seconds, strength in zip(starts, spent, PHASES.values(), strict=False):
            colour = styles[name].colour
            plot.barh(number, seconds, left=start, height=0.62, color=colour, alpha=strength)
        text = f"build {duration(spent[1])}, solve {duration(spent[2])}"
        write_at(plot, text, (starts[-1], number))
    name_rows(plot, benchmark.configurations, 0.5)
    plot.set_xlim(0, 1.35 * max(means.sum(axis=1)))
    plot.set_xlabel("mean time (s)")
    figure.legend(
        handles=[Patch(facecolor=INK, alpha=strength, label=phase) for phase, strength in PHASES.items()],
        loc="outside lower left",
        ncols=3,
        frameon=False,
        fontsize=9,
    )
    return figure
