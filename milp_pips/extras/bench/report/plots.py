"""The plots of a benchmark: all times, two configurations, by size and kind of puzzle, by phase."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from milp_pips.extras.bench.figures import Benchmark, Times
from milp_pips.extras.bench.report.axes import (
    BEYOND,
    FAINT_INK,
    INK,
    PLOT_WIDTH,
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
from milp_pips.extras.bench.report.phrasing import (
    MIN_SECONDS,
    duration,
    full_name,
    rows_of_largest_difference,
)

PHASES = {"read": 0.2, "build": 0.5, "solve": 1.0}
"""The phases of a run, and the opacity with which each is drawn."""

BINS = 10
"""The number of classes, each with about as many puzzles, into which sizes are sorted if there are more
sizes: with the 30 to 100 puzzles of a usual comparison, each class has a median."""

BANDS = 6
"""The most configurations with a band for the middle half: more bands would hide one another."""

POINTS = 4000
"""The most times shown as points: more would hide one another, and make the page heavy."""


def cactus(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the plot of how many instances each configuration solves within a time per instance."""
    figure, plot = axes(3.5)
    shared = benchmark.times[benchmark.common]
    for column, name in zip(shared.T, benchmark.configurations, strict=True):
        times = np.sort(column[np.isfinite(column)])
        plot.plot(
            np.arange(1, len(times) + 1),
            np.maximum(times, MIN_SECONDS),
            **styles[name].line,
            markersize=3.5,
            markevery=max(1, len(times) // 25),
            linewidth=1.4,
            label=f"{name}: {len(times)} of {len(shared)}",
        )
    plot.set_xlim(0, len(shared) * 1.02)
    plot.xaxis.get_major_locator().set_params(integer=True)
    plot.set_xlabel("puzzles solved")
    limit_line(plot, ceiling(benchmark))
    seconds_axis(plot.yaxis, "time for each (log scale)")
    legend(figure, plot)
    return figure


def performance_profile(times: Times) -> list[tuple[Times, Times]]:
    """Return, per configuration, the steps of its performance profile.

    The value at factor f is the share of all instances that the configuration solved within f times the best
    time of that instance (Dolan and Moré 2002, "Benchmarking optimization software with performance
    profiles"). The two arrays are the factors at which the share steps up, and the share from each on.
    """
    known = np.maximum(times, MIN_SECONDS)
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

    Unsolved instances lie beyond the line of the limit.
    """
    figure, plot = axes(5.0, 5.2)
    x, y = benchmark.times[:, first], benchmark.times[:, second]
    both = ~(np.isnan(x) | np.isnan(y))
    top = ceiling(benchmark)
    beyond = top * BEYOND
    x, y = (np.where(np.isinf(c[both]), beyond, np.maximum(c[both], MIN_SECONDS)) for c in (x, y))
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
    low = min([*x, *y]) / 1.5
    high = beyond * 1.25 if missed.any() else max([*x, *y]) * 1.5
    named: list[Any] = []
    places = np.cumsum(both) - 1
    for row in rows_of_largest_difference(benchmark, first, second):
        name, point = full_name(benchmark, row), (x[places[row]], y[places[row]])
        here = np.log(np.array(point) / low) / np.log(high / low)
        to_the_left = point[0] < point[1] and here[0] > 0.015 * len(
            name
        )  # where no points are, if there is room
        if all(np.abs(here - other) @ (1, 6) > 0.3 for other in named):  # otherwise names would overlap
            write_at(plot, name, point, 7, to_the_left=to_the_left)
            named.append(here)
    plot.plot([low, high], [low, high], color=FAINT_INK, linewidth=0.9)
    plot.set_xlim(low, high)
    plot.set_ylim(low, high)
    for axis, side in ((plot.xaxis, first), (plot.yaxis, second)):
        name = benchmark.configurations[side]
        seconds_axis(axis, f"{textwrap.fill(name, 50)}\ntime (log scale)", top)
        axis.label.set(color=styles[name].colour, fontsize=9)
    plot.set_aspect("equal")
    limit_line(plot, top)
    limit_line(plot, top, horizontal=False)
    return figure


def critical_difference(
    benchmark: Benchmark, groups: Sequence[Sequence[int]], styles: Mapping[str, Style]
) -> Any:
    """Return the diagram of average ranks, with a bar over each group without differences (Demšar 2006).

    The better half is named on the left, the rest on the right, each with a line from its rank to its name.
    """
    ranks, names = benchmark.ranks, benchmark.configurations
    order = np.argsort(ranks, kind="stable").tolist()
    several, half = len(order), (len(order) + 1) // 2
    highest = 0.8 + 0.45 * len(groups)  # the names begin below the bars
    longest = [max(len(names[number]) for number in side) for side in (order[:half], order[half:])]
    figure, plot = axes(0.2 * (highest + half + 3), max(PLOT_WIDTH, 4 + 0.075 * sum(longest)))
    plot.set_ylim(highest + half, -0.2)
    plot.set_xlim(1, several)
    plot.spines[["left", "bottom"]].set_visible(False)
    plot.spines["top"].set(visible=True, position=("data", 0), color=FAINT_INK)
    plot.xaxis.tick_top()
    plot.set_xticks(range(1, several + 1, 1 + several // 20))
    plot.yaxis.set_visible(False)
    plot.grid(False)
    for place, number in enumerate(order):
        left, rank = place < half, float(ranks[number])
        height = highest + (place if left else several - 1 - place)
        end = 1 if left else several
        line = [rank, rank, end], [0, height, height]
        plot.plot(*line, color=styles[names[number]].colour, linewidth=1.2, clip_on=False)
        text = f"{names[number]} {rank:.2f}" if left else f"{rank:.2f} {names[number]}"
        write_at(plot, text, (end, height), 9, to_the_left=left)
    for level, group in enumerate(groups):
        reach = [float(ranks[group[0]]) - 0.04, float(ranks[group[-1]]) + 0.04]
        plot.plot(
            reach, [0.5 + 0.45 * level] * 2, color=INK, linewidth=3.5, solid_capstyle="butt", clip_on=False
        )
    return figure


def phase_seconds(benchmark: Benchmark) -> tuple[int, Times]:
    """Return the number of instances on which all runs were solved, and the mean seconds of each phase there.

    The array has one row per configuration and the columns read, build and solve. Repeats of an instance
    count by their median first.
    """
    solved = [bool(np.isfinite(row).all()) for row in benchmark.times]
    medians = [
        [
            [statistics.median(getattr(run, f"{phase}_seconds") or 0.0 for run in cell) for phase in PHASES]
            for cell in cells
        ]
        for cells, all_solved in zip(benchmark.runs, solved, strict=True)
        if all_solved
    ]
    empty = np.zeros((len(benchmark.configurations), len(PHASES)))
    return len(medians), np.mean(medians, axis=0) if medians else empty


def phases(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the stacked bars of the mean seconds for reading, building and solving."""
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


def quartiles(times: Times) -> Times:
    """Return the three quartiles of the known times; each is one of the times, or infinite."""
    there = np.sort(times[~np.isnan(times)])
    return np.quantile(there, [0.25, 0.5, 0.75], method="inverted_cdf") if len(there) else np.full(3, np.nan)


class PuzzleGroup(NamedTuple):
    """Some of the instances of a benchmark, by name and row."""

    name: str
    rows: tuple[int, ...]


def by_folder(benchmark: Benchmark) -> list[PuzzleGroup]:
    """Return the instances of each folder."""
    return _groups([[instance.folder] for instance in benchmark.instances])


def by_constraint(benchmark: Benchmark) -> list[PuzzleGroup]:
    """Return the instances that have each kind of constraint; an instance can be in several groups."""
    return _groups([list(instance.constraints) for instance in benchmark.instances])


def by_size(benchmark: Benchmark) -> list[PuzzleGroup]:
    """Return the instances by number of cells: each number separately, or classes of about equal size."""
    sizes = np.array([instance.size for instance in benchmark.instances])
    edges = np.unique(sizes)
    if len(edges) > BINS:
        edges = np.unique(np.quantile(sizes, np.linspace(0, 1, BINS + 1)[:-1], method="inverted_cdf"))
    place = np.searchsorted(edges, sizes, side="right") - 1
    return [
        PuzzleGroup(str(edges[b]), tuple(int(i) for i in np.flatnonzero(place == b)))
        for b in range(len(edges))
        if (place == b).any()
    ]


def _groups(names: Sequence[Sequence[str]]) -> list[PuzzleGroup]:
    found = sorted({name for each in names for name in each})
    return [PuzzleGroup(name, tuple(i for i, each in enumerate(names) if name in each)) for name in found]


def against_size(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the plot of time against cells: every puzzle, the medians, and the middle half as a band."""
    from matplotlib.ticker import LogLocator

    figure, plot = axes(3.9)
    sizes = np.array([instance.size for instance in benchmark.instances], dtype=float)
    groups, top, count = by_size(benchmark), ceiling(benchmark), len(benchmark.configurations)
    middle = [float(np.median(sizes[list(group.rows)])) for group in groups]
    step = min(BEYOND, 10 ** (1 / count))
    for number, (name, column) in enumerate(zip(benchmark.configurations, benchmark.times.T, strict=True)):
        style, solved, missed = styles[name], np.isfinite(column), np.isposinf(column)
        colour, shown = style.colour, np.maximum(column[solved], MIN_SECONDS)
        if benchmark.times.size <= POINTS:
            plot.scatter(
                sizes[solved], shown, s=9, marker=style.marker, color=colour, alpha=0.3, linewidths=0
            )
        height = np.full(missed.sum(), top * step ** (number + 1))
        plot.scatter(sizes[missed], height, s=22, marker="x", color=colour, linewidths=1.2)
        spread = np.array([quartiles(column[list(group.rows)]) for group in groups])
        lower, median, upper = np.minimum(np.maximum(spread, MIN_SECONDS), top).T
        if count <= BANDS:
            plot.fill_between(middle, lower, upper, color=colour, alpha=0.12, linewidth=0)
        plot.plot(middle, median, **style.line, markersize=5, label=name)
    if sizes.max() > 10 * sizes.min() > 0:
        plot.set_xscale("log")
        plot.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        plot.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        plot.xaxis.set_minor_formatter(lambda *_: "")
    else:
        plot.xaxis.get_major_locator().set_params(integer=True)
    plot.set_xlabel("cells of the puzzle" + (" (log scale)" if plot.get_xscale() == "log" else ""))
    limit_line(plot, top)
    seconds_axis(plot.yaxis, "time (log scale)", top)
    legend(figure, plot)
    return figure


def by_group(benchmark: Benchmark, groups: Sequence[PuzzleGroup], styles: Mapping[str, Style]) -> Any:
    """Return the plot of times by group: a line for the middle half, a mark at the median, points."""
    count = len(benchmark.configurations)
    few = count * sum(len(group.rows) for group in groups) <= POINTS
    figure, plot = axes(0.9 + len(groups) * (0.17 * count + 0.16))
    top, pitch = ceiling(benchmark), 0.8 / max(count, 3)
    for number, (name, column) in enumerate(zip(benchmark.configurations, benchmark.times.T, strict=True)):
        style = styles[name]
        colour = style.colour
        mark = {**style.line, "linestyle": "none", "markeredgecolor": "white", "markeredgewidth": 0.7}
        for place, group in enumerate(groups):
            height = place + (number - (count - 1) / 2) * pitch
            times = column[list(group.rows)]
            if np.isnan(times).all():
                continue
            missed = int(np.isposinf(times).sum())
            low, median, high = np.clip(quartiles(times), MIN_SECONDS, top)
            solved = np.maximum(times[np.isfinite(times)], MIN_SECONDS)
            if few:
                heights = np.full(len(solved), height)
                plot.scatter(solved, heights, s=7, color=colour, alpha=0.25, linewidths=0)
            plot.plot([low, high], [height, height], color=colour, linewidth=2.2, alpha=0.8)
            plot.plot([median], [height], **mark, markersize=6, label=name if place == 0 else None)
            if missed:
                plot.plot([top], [height], marker="x", color=colour, markersize=5, markeredgewidth=1.5)
                write_at(plot, f"{missed} unsolved", (top, height), 7.5)
    for place in range(len(groups) - 1):
        plot.axhline(place + 0.5, color="#d0d0d0", linewidth=0.6)
    name_rows(plot, [f"{group.name} ({len(group.rows)})" for group in groups], 0.55)
    limit_line(plot, top, horizontal=False)
    seconds_axis(plot.xaxis, "time (log scale)", top)
    if np.isposinf(benchmark.times).any():
        left, right = plot.get_xlim()
        plot.set_xlim(left, max(right, top * (top / left) ** 0.14))
    legend(figure, plot)
    return figure
