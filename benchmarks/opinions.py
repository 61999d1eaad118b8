"""What second opinions cost, compared with the answers that they confirm; the worst come first.

    python benchmarks/opinions.py [PUZZLES...] [--show 10]

Solves each puzzle as unique, counts its solutions, and lists up to 200 of them by the usual method and by a
SAT solver. Without puzzles it takes those of ``examples/`` and generated ones. The goal: an opinion takes at
most three times what the answer took, or 0.2 s. Seconds are of the processor, child processes included.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import instances
from measure import Goal, header, processor_seconds

import milp_pips
from milp_pips.problem.errors import MilpPipsError
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.reading import files_of
from milp_pips.verification import second_opinion

EXAMPLES = Path(__file__).parent.parent / "examples"
FACTOR, LEAST = 3.0, 0.2
MOST_LISTED, LIMIT = 200, 20.0
"""The most solutions of a list, and the seconds of each task."""

CALLERS = {
    "milp_pips.tasks.listers": "on_complete",
    "milp_pips.tasks.count": "on_complete on_no_solution",
    "milp_pips.verification.second_opinion": "on_complete on_no_solution",
}
"""The functions that give second opinions, by the modules in which they are called or imported late."""


class Cost(NamedTuple):
    """The seconds of an answer, and of the opinion on it."""

    puzzle: str
    task: str
    answer: float
    opinion: float

    @property
    def excess(self) -> float:
        """The opinion's part of what it may take; at most 1 meets the goal."""
        return self.opinion / max(FACTOR * self.answer, LEAST)


TASKS: dict[str, Callable[[Puzzle], object]] = {
    "unique": lambda puzzle: milp_pips.solve(puzzle, unique=True, seconds=LIMIT),
    "count": lambda puzzle: milp_pips.count(puzzle, seconds=LIMIT),
    "list": lambda puzzle: sum(1 for _ in milp_pips.solutions(puzzle, limit=MOST_LISTED, seconds=LIMIT)),
    "list by sat": lambda puzzle: sum(
        1 for _ in milp_pips.solutions(puzzle, "sat", limit=MOST_LISTED, seconds=LIMIT)
    ),
}


@contextmanager
def timed_opinions() -> Iterator[list[float]]:
    """Yield the seconds of all second opinions so far."""
    spent: list[float] = []

    def timed(ask: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            begun = processor_seconds()
            try:
                return ask(*arguments)
            finally:
                spent.append(processor_seconds() - begun)

        return call

    with ExitStack() as stack:
        for module, functions in CALLERS.items():
            for function in functions.split():
                if hasattr(import_module(module), function):
                    ask = getattr(second_opinion, function)
                    stack.enter_context(patch(f"{module}.{function}", timed(ask)))
        yield spent


def costs(puzzles: Iterable[Puzzle]) -> Iterator[Cost]:
    """Yield what the answers to each task took, and the opinions on them."""
    with timed_opinions() as spent:
        for puzzle in puzzles:
            for name, task in TASKS.items():
                spent.clear()
                begun = processor_seconds()
                with suppress(MilpPipsError):
                    task(puzzle)
                if spent:
                    yield Cost(puzzle.name, name, processor_seconds() - begun - sum(spent), sum(spent))


def examples() -> Iterator[Puzzle]:
    folders = [str(EXAMPLES / name) for name in ("pips", "sudoku", "colour_grid", "families", "any_model")]
    for file in files_of(folders):
        with suppress(MilpPipsError):
            yield from milp_pips.read_all(file).values()


def generated() -> Iterator[Puzzle]:
    for dominoes in (6, 10, 14, 20):
        yield from instances.generated(count=2, dominoes=dominoes)
    yield from instances.generated(count=1, dominoes=12, unique=True)
    yield from instances.generated("sudoku", count=2, size=9)
    yield from islice(instances.faulty(100), 3)
    yield from islice(instances.unmatchable(8), 2)
    yield instances.sudoku(4, 0.5, 1)
    yield instances.colour_grid(12, 1)
    yield instances.nonogram(12, 12, 1)
    yield instances.equal_only(12, 1)
    yield instances.full_set(6, 0.5, 1)


WARM = ("highs", "sat", "cp-sat")


def warm_up() -> None:
    """Load the engines, which takes longer than most opinions."""
    puzzle = next(examples())
    for name in WARM:
        milp_pips.solve(puzzle, name)


def goals() -> Iterator[Goal]:
    warm_up()
    found = list(costs([*examples(), *generated()]))
    worst = max(found, key=lambda cost: cost.excess)
    about = f"{len(found)} second opinions, share of what they may take: {worst.task} of {worst.puzzle}"
    yield Goal("opinions", about, worst.excess, 1.0, unit="times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*")
    parser.add_argument("--show", type=int, default=10, help="how many of the worst")
    arguments = parser.parse_args()
    files = files_of(arguments.puzzles)
    named = (puzzle for file in files for puzzle in milp_pips.read_all(file).values())
    print(header("highspy", "ortools", "python-sat"))
    warm_up()
    found = []
    for cost in costs(named if arguments.puzzles else [*examples(), *generated()]):
        found.append(cost)
        if cost.excess > 1:
            print(f"over the goal: {cost}", file=sys.stderr, flush=True)
    over = sum(cost.excess > 1 for cost in found)
    print(f"\n{len(found)} opinions, {over} over the goal\n\n| puzzle | task | answer s | opinion s |")
    print("|---|---|---|---|")
    for cost in sorted(found, key=lambda cost: -cost.excess)[: arguments.show]:
        print(f"| {cost.puzzle} | {cost.task} | {cost.answer:.3f} | {cost.opinion:.3f} |")


if __name__ == "__main__":
    main()
