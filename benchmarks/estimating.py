"""Measure the intervals of estimates: how often they contain the true count, and their width.

    python benchmarks/estimating.py [PUZZLES...]
    python benchmarks/estimating.py --guides

The true counts are known, since the solution space of each board fits into memory. To make estimates
necessary, no part is counted exactly, and the layers of the diagrams keep few nodes. PUZZLES are files or
folders of puzzles.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterable, Iterator
from math import exp, log
from random import Random
from typing import NamedTuple

from measure import header, puzzles_of

import milp_pips
from milp_pips.compilation import estimating
from milp_pips.compilation.estimating import Estimate, ThinnedDiagram, estimate
from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.compilation.parts import Part, split
from milp_pips.compilation.solution_set import compile_problem
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation.fixpoint import filter_domains
from milp_pips.puzzles.puzzle import Puzzle

NOTHING = Budget(nodes=1)
"""A budget with which no part is counted exactly."""

FITS = Budget(nodes=300_000)
"""The budget of the solution spaces that give the true counts."""

FORCED = (20, 60)
"""Widths so narrow that most of a count is estimated."""


class Trial(NamedTuple):
    """An estimate of a known count; None if there was no estimate."""

    truth: int
    estimate: Estimate | None

    @property
    def covered(self) -> bool:
        return self.estimate is not None and self.estimate.low <= self.truth <= self.estimate.high

    @property
    def uncertain(self) -> bool:
        return self.estimate is None or self.estimate.low < self.estimate.high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--guides", action="store_true", help="compare what decides which nodes are kept")
    parser.add_argument("--tries", type=int, default=10, help="estimates of each count")
    arguments = parser.parse_args()
    print(header())
    if arguments.guides:
        print("| dominoes | room counts | variance over squared mean | seconds | product |")
        print("|---|---|---|---|---|")
        for line in guides():
            print(line)
        return
    print("| boards | key | estimates | none | covered | median high / low | median error |")
    print("|---|---|---|---|---|---|---|")
    rows: dict[str, list[Puzzle]] = {"generated, 10 to 14 dominoes": list(loose_boards())}
    rows["every pip given, 28 and 36 dominoes"] = list(given_boards())
    if arguments.puzzles:
        rows["the puzzles named"] = puzzles_of(arguments.puzzles)
    for name, puzzles in rows.items():
        for key in ("placement", "grid"):
            print(row(name, key, list(tries(puzzles, key, arguments.tries))), flush=True)


def loose_boards() -> Iterator[Puzzle]:
    """Yield boards with thousands to many millions of solutions."""
    for dominoes in (10, 11, 12, 13, 14):
        for made in milp_pips.generate(style="plain", dominoes=dominoes, seed=1, count=4):
            yield made.puzzle


def given_boards() -> Iterator[Puzzle]:
    """Yield boards with few solutions, where most branches lead to a dead end."""
    for highest in (6, 7):
        for made in milp_pips.generate(style="plain", given="all", max_pip=highest, count=5, seed=1):
            yield made.puzzle


def tries(puzzles: Iterable[Puzzle], key: str, seeds: int) -> Iterator[Trial]:
    """Yield estimates of the known counts, except exact ones, which involve no sampling."""
    for puzzle in puzzles:
        problem = milp_pips.state(puzzle)
        variables = problem.keys[key]
        try:
            truth = compile_problem(filter_domains(problem), variables, FITS).count
        except Unfinished:
            continue
        for seed in range(seeds):
            found = estimate(problem, variables, seed=seed, budget=NOTHING, samples=40, widths=FORCED)
            one = Trial(truth, found)
            if not one.uncertain:
                assert one.covered, f"{puzzle.name}: {one}"
                break
            yield one


def row(name: str, key: str, made: list[Trial]) -> str:
    """Return a line of the table."""
    estimated = [one for one in made if one.estimate is not None]
    if not estimated:
        return f"| {name} | {key} | {len(made)} | {len(made)} | – | – | – |"
    covered = sum(one.covered for one in estimated) / len(estimated)
    pairs = [(one.estimate, one.truth) for one in estimated if one.estimate]
    spread = statistics.median(found.high / max(1, found.low) for found, _ in pairs)
    error = statistics.median(abs(log(max(1, found.value) / truth)) for found, truth in pairs)
    return (
        f"| {name} | {key} | {len(made)} | {len(made) - len(estimated)} | {covered:.1%} | {spread:.2f} "
        f"| {exp(error) - 1:.1%} |"
    )


def guides(width: int = 400, samples: int = 24) -> Iterator[str]:
    """Yield a line for each board and each exponent of the slack: samples are better if they vary less."""
    usual = estimating.SLACK_EXPONENT
    for dominoes in (14, 20, 30):
        problem = largest_part(dominoes)
        diagram = ThinnedDiagram(problem, frozenset(range(len(problem.variables))), Deadline())
        for exponent in (0.0, 0.25, 0.5, 1.0):
            estimating.SLACK_EXPONENT = exponent
            begun = time.process_time()
            drawn = [diagram.draw(width, Random(seed)).estimate for seed in range(samples)]
            seconds = (time.process_time() - begun) / samples
            mean = sum(drawn) / samples
            uneven = statistics.variance([float(one / mean) for one in drawn]) if mean else float("inf")
            yield f"| {dominoes} | {exponent} | {uneven:.3f} | {seconds:.3f} | {uneven * seconds:.4f} |"
    estimating.SLACK_EXPONENT = usual


def largest_part(dominoes: int) -> Problem:
    """Return the largest part of a generated board."""
    *_, made = milp_pips.generate(style="plain", dominoes=dominoes, seed=1, count=2)
    parts = split(Part.whole(filter_domains(milp_pips.state(made.puzzle)))).parts
    return max(parts, key=lambda part: len(part.variables)).problem


if __name__ == "__main__":
    main()
