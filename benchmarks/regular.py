"""Compare sequences as a flow, as strings and as native constraints: sizes and times to a first solution.

    python benchmarks/regular.py --sizes 5,10,15,20,30,40 --rounds 3

The boards are colour grids of growing size, made from a random picture whose neighbours are often alike;
the clue of every line is its colours without repeats. Every point is validated against the rules. The table
marks lines with too many strings to enumerate. A solver that has failed once, or reached the limit, does not
run on larger boards.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from itertools import groupby
from random import Random

from measure import header

import milp_pips
from milp_pips.engines import registry
from milp_pips.formulations.milp.draft import formulate
from milp_pips.problem.answer import Settings
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.colour_grid.puzzle import Colour, ColourGrid, Stretches
from milp_pips.tasks.pipeline import prepare

ENTRANTS = (("highs", "flow"), ("highs", "strings"), ("cp-sat", "native"), ("minizinc", ""))


def random_grid(size: int, colours: int, seed: int) -> ColourGrid:
    """Return a square grid whose clues are read off a picture, each cell often like one beside it."""
    rng = Random(f"{size} {colours} {seed}")
    letters = "abcdefghijklmnopqrstuvwxyz"[:colours]
    cells: list[list[str]] = []
    for r in range(size):
        cells.append([])
        for c in range(size):
            near = ([cells[r - 1][c]] if r else []) + ([cells[r][c - 1]] if c else [])
            cells[r].append(rng.choice([*near, rng.choice(letters)]))
    rows, columns = (
        tuple(Stretches("".join(letter for letter, _ in groupby(line))) for line in lines)
        for lines in (cells, zip(*cells, strict=True))
    )
    return ColourGrid(f"{size}x{size}", tuple(map(Colour, letters)), rows, columns)


def size_of(puzzle: ColourGrid, formulation: str) -> str:
    try:
        size = formulate(milp_pips.state(puzzle), formulation).size
    except UsageError:
        return "too many | –"
    return f"{size['columns']:,} | {size['rows']:,}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes", default="5,10,15,20,30,40", help="sides of the boards, separated by commas"
    )
    parser.add_argument("--colours", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per solve")
    arguments = parser.parse_args()
    running = [way for way in ENTRANTS if not registry.solver(way[0]).unavailable()]
    for name, way in running:  # load the engines
        registry.solver(name).solve(milp_pips.state(random_grid(3, 2, 0)), Settings(way), Deadline())
    print(header("highspy", "ortools"))
    print(f"{arguments.colours} colours, seed {arguments.seed}, limit {arguments.limit:g} s, ", end="")
    print(f"{arguments.rounds} interleaved rounds; seconds to build and solve\n")
    names = " | ".join(f"{name} {way}".strip() for name, way in ENTRANTS)
    print(f"| board | flow columns | rows | strings columns | rows | {names} |")
    print("|" + "---|" * (5 + len(ENTRANTS)))
    for size in map(int, arguments.sizes.split(",")):
        puzzle = random_grid(size, arguments.colours, arguments.seed)
        problem = milp_pips.state(puzzle)
        spent: dict[tuple[str, str], list[float]] = {way: [] for way in running}
        ending = dict.fromkeys(ENTRANTS, "–")
        for _ in range(arguments.rounds):
            for name, way in list(running):
                begun = time.perf_counter()
                try:
                    answer = registry.solver(name).solve(problem, Settings(way), Deadline(arguments.limit))
                except UsageError:
                    running.remove((name, way))
                    ending[name, way] = "too many"
                    continue
                spent[name, way].append(time.perf_counter() - begun)
                if prepare(puzzle).judge(answer.point, name) is None:
                    running.remove((name, way))
                    ending[name, way] = f"{answer.stop}"
        for way in running:
            ending[way] = f"{statistics.median(spent[way]):.3f}"
        sizes = " | ".join(size_of(puzzle, formulation) for formulation in ("flow", "strings"))
        print(f"| {puzzle.name} | {sizes} | {' | '.join(ending[way] for way in ENTRANTS)} |", flush=True)
        print(f"{puzzle.name} done", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
