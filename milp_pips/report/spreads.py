"""Plots of how times spread: against the size of the puzzle, and by kinds of puzzles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from milp_pips.compare.figures import Benchmark, quartiles
from milp_pips.report.axes import (
    BEYOND,
    Style,
    axes,
    ceiling,
    legend,
    limit_line,
    name_rows,
    seconds_axis,
    write_at,
)
from milp_pips.report.words import SHORTEST

BINS = 10
"""Into how many classes of about as many puzzles the sizes are sorted, where there are more sizes: with the
30 to 100 puzzles of a usual comparison, each class has a median."""

BANDS = 6
"""Up to so many configurations have a band for the middle half: more would hide one another."""


class PuzzleGroup(NamedTuple):
    """Some of the instances of a benchmark, by name and row."""

    name: str
    rows: tuple[int, ...]


def by_folder(benchmark: Benchmark) -> list[PuzzleGroup]:
    """Return the instances of each folder."""
    return _groups([[instance.folder] for instance in benchmark.instances])


def by_constraint(benchmark: Benchmark) -> list[PuzzleGroup]:
    """Return the instances that have each kind of constraint; one with several kinds is in several groups."""
    return _groups([list(instance.constraints) for instance in benchmark.instances])


def by_size(benchmark: Benchmark) -> list[PuzzleGroup]:
    """Return the instances by their number of cells: each number by itself, or classes of about as many."""
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
        colour, shown = style.colour, np.maximum(column[solved], SHORTEST)
        plot.scatter(sizes[solved], shown, s=9, marker=style.marker, color=colour, alpha=0.3, linewidths=0)
        height = np.full(missed.sum(), top * step ** (number + 1))
        plot.scatter(sizes[missed], height, s=22, marker="x", color=colour, linewidths=1.2)
        spread = np.array([quartiles(column[list(group.rows)]) for group in groups])
        lower, median, upper = np.minimum(np.maximum(spread, SHORTEST), top).T
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
            low, median, high = np.clip(quartiles(times), SHORTEST, top)
            solved = np.maximum(times[np.isfinite(times)], SHORTEST)
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
