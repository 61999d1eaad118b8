"""Test the claims of a published notebook on runs of three CP-SAT models and four MIP models.

    python benchmarks/notebook_claims.py benchmarks/results/2026-11-21

The folder has the runs on generated boards: by the number of dominoes, and by their only rule. They were
made by ``milp-pips generate --style plain --count 10 --seed 2026``, with ``--dominoes N --region-sizes 1..5``
for N from 1 to 50, and with ``--dominoes 20 --region-sizes 2..5 --rules RULE``; and ``milp-pips compare
--time-limit 10 --presolve-rules none --seed 0 --seed 1 --seed 2`` with the configurations that the tables
show. Times are those to build and solve. A puzzle counts once, by the geometric mean over its seeds.
Intervals are of 95 %, by bootstrap over puzzles (Efron 1979, percentiles of 4,000 samples, a fixed seed).
Runs that solved nothing count as the time limit where times are compared, which a table of medians shows as
``limit``.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LIMIT = 10.0
SAMPLES = 4000

Times = dict[str, dict[str, dict[str, list[float]]]]
"""Point of the experiment → configuration → puzzle → seconds by seed."""

Vector = NDArray[np.float64]

EXPERIMENTS = ("dominoes", "rules")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    experiments = {name: read(arguments.folder / f"{name}.csv") for name in EXPERIMENTS}
    for name, times in experiments.items():
        print(f"\n### {name}\n\n{medians(times)}")
    print("\n### The claims\n")
    for claim in claims(experiments["dominoes"], experiments["rules"]):
        print(f"- {claim}")


def read(file: Path) -> Times:
    """Return the seconds of all runs; those that solved nothing count as the limit."""
    found: Times = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    with file.open(newline="") as text:
        for run in csv.DictReader(text):
            configuration = "/".join(filter(None, (run["solver"], run["formulation"])))
            if run["status"] == "solved":
                seconds = float(run["build_seconds"]) + float(run["solve_seconds"])
            elif run["status"] == "unknown":
                seconds = LIMIT
            else:
                sys.exit(f"{file}: {configuration} on {run['folder']}/{run['name']}: {run['status']}")
            found[run["folder"]][configuration][run["name"]].append(min(seconds, LIMIT))
    return found


def medians(times: Times) -> str:
    """Return a Markdown table: median seconds, and in brackets how many runs reached the limit."""
    points = sorted(times, key=lambda point: (len(re.sub(r"\D", "", point)) == 0, point))
    configurations = sorted({name for at in times.values() for name in at})
    lines = [
        f"| configuration | {' | '.join(point.rpartition('-')[2] for point in points)} |",
        "|---" * (1 + len(points)) + "|",
    ]
    for name in configurations:
        cells = []
        for point in points:
            runs = [seconds for of_puzzle in times[point][name].values() for seconds in of_puzzle]
            median, late = float(np.median(runs)), sum(seconds >= LIMIT for seconds in runs)
            shown = "limit" if median >= LIMIT else f"{median:.3f}"
            cells.append(f"{shown} ({late})" if late else shown)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def per_puzzle(times: Times, point: str, configuration: str) -> Vector:
    """Return the logarithm of the geometric mean over seeds, puzzle by puzzle in the order of their names."""
    return np.array([np.mean(np.log(s)) for _, s in sorted(times[point][configuration].items())])


def interval(figure: Callable[[list[Vector]], float], samples: list[Vector], *, paired: bool) -> str:
    """Return a figure of samples with its bootstrap interval; paired samples are drawn together."""
    rng = np.random.default_rng(2026)
    drawn = []
    for _ in range(SAMPLES):
        rows = [rng.integers(len(sample), size=len(sample)) for sample in samples]
        if paired:
            rows = [rows[0]] * len(samples)
        drawn.append(figure([sample[row] for sample, row in zip(samples, rows, strict=True)]))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return f"{figure(samples):.3f} ({low:.3f} to {high:.3f})"


def mean_ratio(samples: list[Vector]) -> float:
    """Return the geometric mean of the ratios of the first to the second."""
    return math.exp(float(np.mean(samples[0]) - np.mean(samples[1])))


def spread_ratio(samples: list[Vector]) -> float:
    """Return the ratio of the standard deviations, in seconds, of the first and the second."""
    return float(np.std(np.exp(samples[0])) / np.std(np.exp(samples[1])))


def claims(dominoes: Times, rules: Times) -> list[str]:
    """Return a line of figures for each claim."""
    number = {point: int(point.rpartition("-")[2]) for point in dominoes}
    high = sorted((point for point in dominoes if number[point] >= 30), key=number.__getitem__)
    found = []

    def at_high(name: str) -> Vector:
        return np.concatenate([per_puzzle(dominoes, point, name) for point in high])

    for name in ("pruning", "equality"):
        pair = [at_high(f"cp-sat/{name}"), at_high("cp-sat/baseline")]
        found.append(f"{name} / baseline, 30 dominoes or more: {interval(mean_ratio, pair, paired=True)}")
        for point in high:
            pair = [per_puzzle(dominoes, point, f"cp-sat/{n}") for n in (name, "baseline")]
            found.append(f"{name} / baseline, {point}: {interval(mean_ratio, pair, paired=True)}")
    for name in ("equality", "pruning"):
        for point in sorted(dominoes, key=number.__getitem__):
            if number[point] >= 15:
                pair = [per_puzzle(dominoes, point, f"cp-sat/{n}") for n in (name, "baseline")]
                found.append(
                    f"standard deviation of {name} / baseline, {point}: "
                    f"{interval(spread_ratio, pair, paired=True)}"
                )
    found += [growth(dominoes, number, name) for name in sorted(next(iter(dominoes.values())))]
    for name in sorted(next(iter(rules.values()))):
        by_rule = {rule: per_puzzle(rules, rule, name) for rule in rules}
        order = sorted(by_rule, key=lambda rule: -float(np.mean(by_rule[rule])))
        shown = ", ".join(
            f"{rule.partition('-')[2]} {math.exp(float(np.mean(by_rule[rule]))):.3f}" for rule in order
        )
        against = "; ".join(
            f"LT / {rule.partition('-')[2]} "
            f"{interval(mean_ratio, [by_rule['rules-LT'], by_rule[rule]], paired=False)}"
            for rule in order
            if rule != "rules-LT"
        )
        found.append(f"{name}, slowest rule first (geometric means, s): {shown}; {against}")
    for name in ("pruning", "equality"):
        for rule in rules:
            pair = [per_puzzle(rules, rule, f"cp-sat/{n}") for n in (name, "baseline")]
            found.append(f"{name} / baseline, {rule}: {interval(mean_ratio, pair, paired=True)}")
    return found


def growth(times: Times, number: Mapping[str, int], name: str) -> str:
    """Return the fit of a straight line to the logarithm of time, over n and over the logarithm of n."""
    points = [point for point in times if number[point] >= 5]
    n = np.concatenate([np.full(len(times[p][name]), float(number[p])) for p in points])
    y = np.concatenate([per_puzzle(times, p, name) for p in points])
    fits = []
    for x in (n, np.log(n)):
        slope, start = np.polyfit(x, y, 1)
        fits.append((float(slope), 1 - float(np.var(y - slope * x - start) / np.var(y))))
    (rate, straight), (power, bent) = fits
    return f"growth of {name}: e^({rate:.3f} n), R² {straight:.3f}; n^{power:.2f}, R² {bent:.3f}"


if __name__ == "__main__":
    main()
