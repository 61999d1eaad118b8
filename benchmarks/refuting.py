"""Measure the time to refute boards without a solution, and each way to confirm "no other solution".

    python benchmarks/refuting.py --dominoes 100 300 1000 --limit 60
    python benchmarks/refuting.py examples/pips examples/sudoku examples/colour_grid --limit 4

Without files it refutes generated boards, including the confirmation by a second method: one rule is
impossible by itself; more cells must show a value than there are halves with it; the sums that cover all
cells exceed the sum of all pips by one; or, on full sets with all pips given, pairs of cells are exchanged.

Of the puzzles of files it confirms that the solution is the only one. Each way runs by itself in a fresh
process, without the time to load its library. ``whole`` is the time that ``solve --unique`` takes longer than
``solve``, with all libraries loaded.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from instances import full_set
from measure import header, puzzles_of
from runs import measure_confirmation

import milp_pips
from milp_pips.constraints import NoGood
from milp_pips.engines.defaults import SECOND_OPINIONS
from milp_pips.problem.rng import RandomGenerator
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.runtime.executor import call_in_process
from milp_pips.runtime.interruptible import Limits
from milp_pips.tasks.pipeline import prepare
from milp_pips.tasks.query import Run

MOST_PIPS, SWAPS = 6, 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="*", help="puzzles with one solution, which is to be confirmed")
    parser.add_argument("--dominoes", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--sets", type=int, nargs="+", default=[7, 10], help="highest pips of full sets")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each board or way")
    arguments = parser.parse_args()
    print(header("highspy", "ortools", "pyscipopt"))
    if arguments.files:
        show_confirmations(arguments.files, arguments.limit)
        return
    print("\n| board | status | said by | confirmed by | s |\n|---|---|---|---|---|")
    for puzzle in boards(arguments.dominoes, arguments.sets):
        begun = time.perf_counter()
        result = milp_pips.solve(puzzle, seconds=arguments.limit)
        seconds = time.perf_counter() - begun
        row = f"{result.status} | {result.solver} | {result.confirmed_by or '–'} | {seconds:.2f}"
        print(f"| {puzzle.name} | {row} |", flush=True)


def boards(dominoes: Iterable[int], sets: Iterable[int]) -> Iterator[Pips]:
    """Yield boards of each kind; some of those with exchanged pips may have a solution."""
    for count in dominoes:
        yield from (with_impossible_rule(count), with_a_value_short(count), with_sums_too_large(count))
    for highest in sets:
        yield from (with_exchanged_pips(highest, seed) for seed in (1, 2, 3))


def with_impossible_rule(dominoes: int) -> Pips:
    """Return a board with a sum that no pips make."""
    puzzle = generated(dominoes, "1..5")
    return with_targets(
        puzzle,
        f"{dominoes} dominoes, an impossible sum",
        lambda region: region.rule is Rule.SUM and len(region.cells) > 1,
        lambda region: MOST_PIPS * len(region.cells) + 1,
    )


def with_a_value_short(dominoes: int) -> Pips:
    """Return a board whose rules need the rarest value once more than the dominoes have it."""
    puzzle = generated(dominoes, "1..3", "SUM")
    value, halves = Counter(pip for domino in puzzle.dominoes for pip in domino).most_common()[-1]
    return with_targets(
        puzzle,
        f"{dominoes} dominoes, a value short",
        lambda region: len(region.cells) == 1,
        lambda _: value,
        halves + 1,
    )


def with_sums_too_large(dominoes: int) -> Pips:
    """Return a board whose sums, each possible by itself, add up to one more than the pips."""
    return with_targets(
        generated(dominoes, "2..4", "SUM"),
        f"{dominoes} dominoes, one pip too much",
        lambda region: 2 < (region.target or 0) < MOST_PIPS * len(region.cells) - 2,
        lambda region: (region.target or 0) + 1,
    )


def with_exchanged_pips(highest: int, seed: int) -> Pips:
    """Return a full set on a board with every pip given, some of them exchanged."""
    puzzle, rng = full_set(highest, 1.0, seed), RandomGenerator(str(seed))
    assert isinstance(puzzle, Pips)
    regions = list(puzzle.regions)
    for _ in range(SWAPS):
        i, j = rng.integer(len(regions)), rng.integer(len(regions))
        first, second = regions[i], regions[j]
        regions[i], regions[j] = first._replace(target=second.target), second._replace(target=first.target)
    return replace(puzzle, name=f"double-{highest}, all given, exchanged {seed}", regions=tuple(regions))


def generated(dominoes: int, sizes: str, rules: str = "SUM,EQ,NEQ,LT,GT") -> Pips:
    made = next(
        milp_pips.generate(style="plain", dominoes=dominoes, seed=1, region_sizes=sizes, rules=rules)
    ).puzzle
    assert isinstance(made, Pips)
    return made


def with_targets(
    puzzle: Pips,
    name: str,
    suits: Callable[[Region], bool],
    target: Callable[[Region], int],
    count: int = 1,
) -> Pips:
    """Return the puzzle with other targets for the first suitable regions."""
    regions = list(puzzle.regions)
    for i in [i for i, region in enumerate(regions) if suits(region)][:count]:
        regions[i] = regions[i]._replace(target=target(regions[i]))
    return replace(puzzle, name=name, regions=tuple(regions))


def show_confirmations(files: Sequence[str], limit: float) -> None:
    """Print a row for each puzzle of some files."""
    print(f"\n| puzzle | open values | answer | whole | {' | '.join(SECOND_OPINIONS)} |")
    print("|---" * (4 + len(SECOND_OPINIONS)) + "|")
    for puzzle in puzzles_of(files):
        print(confirmation_row(puzzle, limit), flush=True)


def confirmation_row(puzzle: Puzzle, limit: float) -> str:
    """Return the row of a puzzle: seconds, or ``–`` for a way that does not decide."""
    times = []
    for unique in (False, False, True, True):  # the first of each loads libraries
        begun = time.perf_counter()
        result = milp_pips.solve(puzzle, unique=unique, seconds=10 * limit)
        times.append(time.perf_counter() - begun)
    cells = [f"{times[1]:.2f}", f"{times[3] - times[1]:.2f}"]
    problem = prepare(puzzle, Run()).problem.node_consistent()
    if result.solution is not None:
        point = prepare(puzzle, Run()).point_of(result.solution)
        variables = next(iter(problem.keys.values()))
        problem = problem.with_constraints([NoGood(variables, tuple([point[v] for v in variables]))])
    for name in SECOND_OPINIONS:
        taken = call_in_process(
            measure_confirmation, (name, problem, limit), Limits(Deadline(limit + 20))
        ).value
        cells.append("–" if taken is None else f"{taken:.2f}")
    return f"| {puzzle.name} | {problem.open_values} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
