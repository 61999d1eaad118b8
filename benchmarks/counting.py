"""Count all puzzles by decision diagrams, by both keys, and compare the counts with a table of known ones.

    python benchmarks/counting.py --expected COUNTS.tsv PUZZLES...
    python benchmarks/counting.py --memory
    python benchmarks/counting.py --estimates [PUZZLES...]
    python benchmarks/counting.py --guides

``--memory`` measures the bytes per node, which convert memory limits into node budgets
(``milp_pips/compilation/limits.py``). ``--estimates`` measures the intervals of estimates: how often they
contain the true count, which is known since the solution space of each board fits into memory. To make
estimates necessary, no part is counted exactly, and the layers of the diagrams keep few nodes. ``--guides``
compares what decides which nodes are kept.
"""

from __future__ import annotations

import argparse
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp, log
from pathlib import Path
from random import Random
from typing import NamedTuple

from measure import header, puzzles_of

import milp_pips
from milp_pips.compilation import estimating
from milp_pips.compilation.estimating import Estimate, ThinnedDiagram, estimate
from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.compilation.parts import Part, split
from milp_pips.compilation.solution_set import SolutionSet, compile_problem
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation import filter_domains
from milp_pips.puzzles.puzzle import Puzzle


class CountResult(NamedTuple):
    """The counts of a puzzle, and the processor seconds that they took."""

    name: str
    placements: int
    grids: int
    placements_seconds: float
    grids_seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--expected", help="lines of puzzle, placements and grids, separated by tabs")
    parser.add_argument("--memory", action="store_true", help="measure bytes per node in place of time")
    parser.add_argument("--estimates", action="store_true", help="measure estimates of known counts")
    parser.add_argument("--tries", type=int, default=10, help="estimates of each count")
    parser.add_argument("--guides", action="store_true", help="compare what decides which nodes are kept")
    arguments = parser.parse_args()
    print(header())
    if arguments.memory:
        print(bytes_per_node())
    elif arguments.guides:
        show_guides()
    elif arguments.estimates:
        show_estimates(arguments.puzzles, arguments.tries)
    elif not arguments.puzzles:
        parser.error("name puzzles to count")
    else:
        show_counts(arguments)


def show_counts(arguments: argparse.Namespace) -> None:
    """Print how many counts are as expected, and the time that they take."""
    expected: dict[str, list[int]] = {}
    if arguments.expected:
        for line in Path(arguments.expected).read_text().splitlines()[1:]:
            name, *numbers = line.split("\t")
            expected[name] = [int(number) for number in numbers]
    counted = measured(puzzles_of(arguments.puzzles))
    right = sum(expected.get(one.name) == [one.placements, one.grids] for one in counted)
    worst = max(counted, key=lambda one: one.placements_seconds)
    largest = max(counted, key=lambda one: one.placements)
    placements = sum(one.placements_seconds for one in counted)
    grids = sum(one.grids_seconds for one in counted)
    print(f"{len(counted)} puzzles, {right} with both counts as expected")
    print(f"placements {placements:.2f} s in all, worst {worst.placements_seconds:.3f} s ({worst.name})")
    print(f"grids {grids:.2f} s more")
    print(f"largest: {largest.placements} placements ({largest.name})")


def bytes_per_node(nodes: int = 50_000) -> str:
    """Return the bytes per node of a random board with this many nodes: of a diagram, of a projection."""
    (made,) = milp_pips.generate(style="plain", dominoes=20, count=1)
    problem = milp_pips.state(made.puzzle)
    limit = Budget(nodes)
    whole = peak_bytes(lambda: compile_problem(problem, None, limit, method="diagram")) / nodes
    some = compile_problem(problem, method="diagram", widths=(1000,))
    view = peak_bytes(lambda: some.project("grid", Budget(3 * nodes))) / nodes
    return f"20 dominoes: {whole:.0f} bytes per node of a diagram, {view:.0f} of a projection"


def peak_bytes(work: Callable[[], SolutionSet]) -> int:
    tracemalloc.start()
    try:
        work()
        print("finished within its budget, so that fewer nodes were made:")
    except Unfinished:
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def measured(puzzles: Sequence[Puzzle]) -> list[CountResult]:
    """Return the counts of every puzzle."""
    counted = []
    for puzzle in puzzles:
        problem = milp_pips.state(puzzle)
        begun = time.process_time()
        diagram = compile_problem(problem, method="diagram")
        count = diagram.count
        compiled = time.process_time()
        grids = diagram.project("grid").count
        ended = time.process_time()
        counted.append(CountResult(puzzle.name, count, grids, compiled - begun, ended - compiled))
    return counted


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


def show_estimates(paths: Sequence[str], seeds: int) -> None:
    """Print how often the interval of an estimate has the true count, and how wide it is."""
    print("| boards | key | estimates | none | covered | median high / low | median error |")
    print("|---|---|---|---|---|---|---|")
    rows: dict[str, list[Puzzle]] = {"generated, 10 to 14 dominoes": list(loose_boards())}
    rows["every pip given, 28 and 36 dominoes"] = list(given_boards())
    if paths:
        rows["the puzzles named"] = puzzles_of(paths)
    for name, puzzles in rows.items():
        for key in ("placement", "grid"):
            print(row(name, key, list(tries(puzzles, key, seeds))), flush=True)


def show_guides() -> None:
    """Print what the exponent of the slack does to the variance of samples."""
    print("| dominoes | power | variance over squared mean | seconds | product |\n|---|---|---|---|---|")
    for line in guides():
        print(line)


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
