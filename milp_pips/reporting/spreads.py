"""Plots of how times spread: against the size of the puzzle, and by kinds of puzzles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milp_pips.reporting.benchmark import Benchmark
from milp_pips.reporting.figures import INK, ROOM, Style, axes, legend, limit_line, seconds_axis
from milp_pips.reporting.profiles import SHORTEST, Times

BINS = 10
"""Into how many classes of about as many puzzles the sizes are sorted, where there are more sizes."""

BANDS = 6
"""Up to so many configurations have a band for the middle half: more would hide one another."""


class Group(NamedTuple):
    """Some of the instances of a benchmark, by name and row."""

    name: str
    rows: tuple[int, ...]


def by_folder(benchmark: Benchmark) -> list[Group]:
    """Return the instances of each folder."""
    return _groups([[instance.folder] for instance in benchmark.instances])


def by_constraint(benchmark: Benchmark) -> list[Group]:
    """Return the instances that have each kind of constraint; one with several kinds is in several groups."""
    return _groups([list(instance.constraints) for instance in benchmark.instances])


def by_size(benchmark: Benchmark) -> list[Group]:
    """Return the instances by their number of cells: each number by itself, or classes of about as many."""
    sizes = np.array([instance.size for instance in benchmark.instances])
    edges = np.unique(sizes)
    if len(edges) > BINS:
        edges = np.unique(np.quantile(sizes, np.linspace(0, 1, BINS + 1)[:-1], method="inverted_cdf"))
    place = np.searchsorted(edges, sizes, side="right") - 1
    return [
        Group(str(edges[b]), tuple(int(i) for i in np.flatnonzero(place == b)))
        for b in range(len(edges))
        if (place == b).any()
    ]


def _groups(names: Sequence[Sequence[str]]) -> list[Group]:
    found = sorted({name for each in names for name in each})
    return [Group(name, tuple(i for i, each in enumerate(names) if name in each)) for name in found]


def quartiles(times: Times) -> NDArray[np.float64]:
    """Return the three quartiles of the times that are there; each is one of the times, or infinite."""
    there = np.sort(times[~np.isnan(times)])
    if not len(there):
        return np.full(3, np.nan)
    return np.quantile(there, [0.25, 0.5, 0.75], method="inverted_cdf")


def against_size(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the plot of time against cells: every puzzle, the medians, and the middle half as a band."""
    figure, plot = axes(3.9)
    sizes = np.array([instance.size for instance in benchmark.instances], dtype=float)
    groups, ceiling, count = by_size(benchmark), benchmark.ceiling, len(benchmark.configurations)
    step = min(ROOM, 10 ** (1 / count))
    for number, (name, column) in enumerate(zip(benchmark.configurations, benchmark.times.T, strict=True)):
        style, solved, missed = styles[name], np.isfinite(column), np.isposinf(column)
        plot.scatter(
            sizes[solved],
            np.maximum(column[solved], SHORTEST),
            s=9,
            marker=style.marker,
            color=style.colour,
            alpha=0.3,
            linewidths=0,
        )
        plot.scatter(
            sizes[missed],
            np.full(missed.sum(), ceiling * step ** (number + 1)),
            s=22,
            marker="x",
            color=style.colour,
            linewidths=1.2,
        )
        middle = [float(np.median(sizes[list(group.rows)])) for group in groups]
        spread = np.array([quartiles(column[list(group.rows)]) for group in groups])
        capped = np.minimum(np.maximum(spread, SHORTEST), ceiling)
        if count <= BANDS:
            plot.fill_between(middle, capped[:, 0], capped[:, 2], color=style.colour, alpha=0.12, linewidth=0)
        plot.plot(
            middle,
            capped[:, 1],
            color=style.colour,
            linestyle=style.dash,
            marker=style.marker,
            markersize=5,
            label=name,
        )
    if sizes.max() > 10 * sizes.min() > 0:
        plot.set_xscale("log")
        from matplotlib.ticker import LogLocator

        plot.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        plot.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        plot.xaxis.set_minor_formatter(lambda *_: "")
    else:
        plot.xaxis.get_major_locator().set_params(integer=True)
    plot.set_xlabel("cells of the puzzle" + (" (log scale)" if plot.get_xscale() == "log" else ""))
    limit_line(plot, ceiling)
    seconds_axis(plot.yaxis, "time (log scale)", ceiling)
    legend(figure, plot)
    return figure


def by_group(benchmark: Benchmark, groups: Sequence[Group], styles: Mapping[str, Style]) -> Any:
    """Return the plot of times by group: a line for the middle half, a mark at the median, points."""
    count = len(benchmark.configurations)
    figure, plot = axes(0.9 + len(groups) * (0.17 * count + 0.16))
    ceiling, pitch = benchmark.ceiling, 0.8 / max(count, 3)
    for number, (name, column) in enumerate(zip(benchmark.configurations, benchmark.times.T, strict=True)):
        style = styles[name]
        for place, group in enumerate(groups):
            height = place + (number - (count - 1) / 2) * pitch
            times = column[list(group.rows)]
            if np.isnan(times).all():
                continue
            missed = int(np.isposinf(times).sum())
            low, median, high = np.clip(quartiles(times), SHORTEST, ceiling)
            solved = np.maximum(times[np.isfinite(times)], SHORTEST)
            plot.scatter(
                solved, np.full(len(solved), height), s=7, color=style.colour, alpha=0.25, linewidths=0
            )
            plot.plot([low, high], [height, height], color=style.colour, linewidth=2.2, alpha=0.8)
            plot.plot(
                [median],
                [height],
                color=style.colour,
                marker=style.marker,
                markersize=6,
                markeredgecolor="white",
                markeredgewidth=0.7,
                label=name if place == 0 else None,
                linestyle="none",
            )
            if missed:
                plot.plot(
                    [ceiling], [height], marker="x", color=style.colour, markersize=5, markeredgewidth=1.5
                )
                plot.annotate(
                    f"{missed} unsolved",
                    (ceiling, height),
                    (6, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=7.5,
                    color=INK,
                    annotation_clip=False,
                )
    for place in range(len(groups) - 1):
        plot.axhline(place + 0.5, color="#d0d0d0", linewidth=0.6)
    plot.set_yticks(range(len(groups)), [f"{group.name} ({len(group.rows)})" for group in groups])
    plot.set_ylim(len(groups) - 0.45, -0.55)
    plot.tick_params(axis="y", length=0)
    plot.grid(False, axis="y")
    limit_line(plot, ceiling, horizontal=False)
    seconds_axis(plot.xaxis, "time (log scale)", ceiling)
    if np.isposinf(benchmark.times).any():
        left, right = plot.get_xlim()
        plot.set_xlim(left, max(right, ceiling * (ceiling / left) ** 0.14))
    legend(figure, plot)
    return figure
