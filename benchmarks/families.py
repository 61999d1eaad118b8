"""Ask of puzzles of many families whether their solution is the only one, within some seconds each.

    python benchmarks/families.py [FILES...] [--games FOLDER] [--count 10] [--seconds 5] [--only slitherlink]

Puzzles come from files, and from Simon Tatham's generators: the Debian package ``sgt-puzzles``, in FOLDER
or on the path. The same seeds make the same puzzles. A puzzle is undecided if no solution was found, or if it
is not known whether there is another. All runs are in one process; the table has seconds of processor time.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from measure import header, processor_seconds

import milp_pips
from milp_pips.extras.families.tatham import text_of
from milp_pips.puzzles.puzzle import Puzzle

GAMES = {
    "sudoku": ("solo", ("3x3du", "4x4di", "5x5di")),
    "jigsaw and diagonals": ("solo", ("9jdu", "3x3xdu")),
    "killer": ("solo", ("3x3kdu",)),
    "skyscrapers": ("towers", ("6dh", "6du", "8dh")),
    "binairo": ("unruly", ("10x10udn", "14x14udn")),
    "binairo, equal lines": ("unruly", ("14x14dn",)),
    "slitherlink 10x10": ("loopy", ("10x10t0dn", "10x10t0dh")),
    "slitherlink to 20x20": ("loopy", ("15x15t0dh", "20x20t0dh")),
    "nonogram": ("pattern", ("15x15", "25x25", "30x30", "40x30")),
    "dominosa": ("dominosa", ("6dh", "8dh", "9dh")),
}
"""The game and its parameters, by the name of a row."""


def generated(folder: str, count: int) -> Iterator[tuple[str, Puzzle]]:
    """Yield the puzzles of Simon Tatham's generators, each with the name of its row."""
    for row, (game, kinds) in GAMES.items():
        program = shutil.which(f"sgt-{game}", path=folder or None)
        for seed in range(count) if program else ():
            for kind in kinds:
                command = [program, "--generate", "1", f"{kind}#{seed}"]
                run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100)
                text = text_of(game, run.stdout, f"{game} {kind}#{seed}")
                yield row, milp_pips.read_text(text, f"{game}-{kind}-{seed}")[""]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--games", default="", metavar="FOLDER")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    puzzles = [(p.family, p) for file in arguments.files for p in milp_pips.read_all(Path(file)).values()]
    puzzles += generated(arguments.games, arguments.count)
    spent, undecided = defaultdict[str, list[float]](list), defaultdict[str, list[str]](list)
    for row, puzzle in puzzles:
        if arguments.only in row:
            begun = processor_seconds()
            result = milp_pips.solve(puzzle, unique=True, seconds=arguments.seconds)
            spent[row].append(processor_seconds() - begun)
            others, found = result.others, result.solution is not None
            if not (others.solutions in (0, 1) or others.at_least > 1):
                undecided[row].append(f"{row}: {puzzle.name} {result.status} {others.at_least}")
            print(f"{row} {puzzle.name} {found} {others.solutions} {spent[row][-1]:.2f}", file=sys.stderr)
    print(header(), "\n\n| family | undecided | of | median s | most s |\n|---|---|---|---|---|")
    for row, seconds in spent.items():
        print(f"| {row} | {len(undecided[row])} | {len(seconds)} | ", end="")
        print(f"{statistics.median(seconds):.2f} | {max(seconds):.2f} |")


if __name__ == "__main__":
    main()
