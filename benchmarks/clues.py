"""The fewest cells to show, by four ways to cut off choices that are not enough.

    python benchmarks/clues.py [--limit 20]

Each way alternates: HiGHS finds the fewest cells that obey all cuts, and another solution that agrees with
them gives the next cut. The ways differ in the cut:

- no-good: some cell that was not chosen must be;
- any witness: some cell in which the other solution differs must be chosen;
- nearest witness: the same, for the other solution that differs in the fewest cells. This is the best answer
  of the follower in the bilevel program of Tjusila, Besançon, Turner and Koch (2024, arXiv 2305.01697), whose
  valid inequalities these cuts are;
- minimal witness: the same, for a solution whose differing cells contain those of no other (``clues``);
- all rows: no loop, a cut for every other solution from the beginning.

All solutions are listed beforehand, and each of some solutions is a target. A way that exceeds the limit
counts the targets that it finished. Different optima end the run with an error.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from measure import header

import milp_pips
from milp_pips.extras.explain.hitting import HittingSets, Option
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.puzzle import Puzzle

EXAMPLES = Path(__file__).parents[1] / "examples"
MOST_TARGETS = 20

Grid = Sequence[int]


class Loop(HittingSets):
    """The loop with another kind of cut; ``rounds`` counts the cuts."""

    def __init__(self, target: Grid, others: Sequence[Grid], cut: Callable[..., frozenset[int] | None]):
        super().__init__([Option(1, frozenset([i])) for i in range(len(target))], lambda _: None)
        self.rounds, self._others = 0, [frozenset(map_differing(target, other)) for other in others]
        self._cut = cut

    def _missed(self, chosen: frozenset[int]) -> frozenset[int] | None:
        found = self._cut(self._others, chosen, len(self.options))
        if found is not None:
            self.rounds += 1
            self.sets.append(found)
        return found


def map_differing(target: Grid, other: Grid) -> list[int]:
    """Return the cells in which two solutions differ."""
    return [i for i, (a, b) in enumerate(zip(target, other, strict=True)) if a != b]


def no_good(others: Sequence[frozenset[int]], chosen: frozenset[int], cells: int) -> frozenset[int] | None:
    return frozenset(range(cells)) - chosen if any(chosen.isdisjoint(other) for other in others) else None


def any_witness(others: Sequence[frozenset[int]], chosen: frozenset[int], _: int) -> frozenset[int] | None:
    return next((other for other in others if chosen.isdisjoint(other)), None)


def nearest(others: Sequence[frozenset[int]], chosen: frozenset[int], _: int) -> frozenset[int] | None:
    return min((other for other in others if chosen.isdisjoint(other)), key=len, default=None)


def minimal(others: Sequence[frozenset[int]], chosen: frozenset[int], cells: int) -> frozenset[int] | None:
    found = any_witness(others, chosen, cells)
    while found is not None:
        smaller = next((other for other in others if other < found), None)
        if smaller is None:
            return found
        found = smaller
    return None


CUTS = {
    "no-good": no_good,
    "any witness": any_witness,
    "nearest": nearest,
    "minimal": minimal,
    "all rows": nearest,
}


def boards() -> dict[str, Puzzle]:
    """Return the boards by name."""
    return {
        "several, 9 dominoes": milp_pips.read(EXAMPLES / "pips" / "several.txt"),
        "colour grid": milp_pips.read(EXAMPLES / "colour_grid" / "several.txt"),
        "Sudoku 4×4": milp_pips.Sudoku.from_rows(["...."] * 4, name="four"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--limit", type=float, default=20.0)
    arguments = parser.parse_args()
    print(header("highspy"))
    print(f"limit {arguments.limit:g} s for a target and for the processor time of each way\n")
    print("| board | targets | solutions | way | done | cells | rounds | processor s |")
    print(f"|{'---|' * 8}")
    for name, puzzle in boards().items():
        problem = milp_pips.state(puzzle)
        key = list(problem.keys)[-1]
        space = milp_pips.compile(puzzle, key)
        grids = [tuple(point) for point in space]
        targets = [grids[i * len(grids) // MOST_TARGETS] for i in range(min(MOST_TARGETS, len(grids)))]
        optima: dict[Grid, int] = {}
        for way, cut in CUTS.items():
            spent = done = rounds = 0.0
            for target in targets:
                if spent > arguments.limit:
                    break
                others = [grid for grid in grids if grid != target]
                loop = Loop(target, others, cut)
                begun = time.process_time()
                if way == "all rows":
                    loop.sets = list(loop._others)
                loop.finish(Deadline(seconds=arguments.limit))
                spent += time.process_time() - begun
                if not loop.is_optimal:
                    break
                least = loop.cost(loop.best or ())
                assert optima.setdefault(target, least) == least, "two optima"
                done, rounds = done + 1, rounds + loop.rounds
            cells = f"{min(optima.values())} to {max(optima.values())}" if optima else "–"
            board = f"| {name} | {len(targets)} | {len(grids)} | {way} | {done:.0f} | {cells}"
            print(f"{board} | {rounds / max(1, done):.1f} | {spent:.1f} |", flush=True)


if __name__ == "__main__":
    main()
