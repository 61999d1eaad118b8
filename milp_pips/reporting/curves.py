"""Plots of all times of a benchmark at once: the cactus plot and the performance profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from milp_pips.reporting.benchmark import Benchmark
from milp_pips.reporting.figures import Style, axes, factor_axis, legend, limit_line, seconds_axis
from milp_pips.reporting.profiles import SHORTEST, performance_profile


def cactus(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the plot of how many instances each configuration solves within how much time each."""
    figure, plot = axes(3.5)
    shared = benchmark.times[benchmark.common]
    for column, name in zip(shared.T, benchmark.configurations, strict=True):
        times = np.sort(column[np.isfinite(column)])
        style = styles[name]
        plot.plot(
            np.arange(1, len(times) + 1),
            np.maximum(times, SHORTEST),
            color=style.colour,
            linestyle=style.dash,
            marker=style.marker,
            markersize=3.5,
            markevery=max(1, len(times) // 25),
            linewidth=1.4,
            label=f"{name}: {len(times)} of {len(shared)}",
        )
    plot.set_xlim(0, len(shared) * 1.02)
    plot.set_xlabel("puzzles solved")
    limit_line(plot, benchmark.ceiling)
    seconds_axis(plot.yaxis, "time for each (log scale)")
    legend(figure, plot)
    return figure


def profile(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the plot of the share of instances solved within a factor of the best time."""
    figure, plot = axes(3.5)
    curves = performance_profile(benchmark.times[benchmark.common])
    end = 2 * max([2.0, *(float(factors[-1]) for factors, _ in curves if len(factors))])
    for (factors, shares), name in zip(curves, benchmark.configurations, strict=True):
        style = styles[name]
        reached = shares[-1] if len(shares) else 0.0
        plot.step(
            np.concatenate([[1.0], factors, [end]]),
            100 * np.concatenate([[0.0], shares, [reached]]),
            where="post",
            color=style.colour,
            linestyle=style.dash,
            marker=style.marker,
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
