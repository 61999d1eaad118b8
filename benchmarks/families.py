"""Ask of puzzles of many families whether their solution is the only one, within some seconds each.

    python benchmarks/families.py [FILES...] [--games FOLDER] [--count 10] [--seconds 5] [--only slitherlink]
    python benchmarks/families.py --games FOLDER --only slitherlink --circuit

Puzzles come from files, from ``family_puzzles.py``, and from Simon Tatham's generators: the Debian package
``sgt-puzzles``, in FOLDER or on the path. The same seeds make the same puzzles. A puzzle is undecided if no
solution was found, or if it is not known whether there is another, in that processor time. All runs are in
one process. ``--circuit`` compares the first solution of Slitherlinks with a plain CP-SAT model that has a
``circuit`` of the corners.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from family_puzzles import made
from measure import header, processor_seconds

import milp_pips
from milp_pips.puzzles.puzzle import Puzzle

GAMES = {
    "sudoku": ("solo", ("3x3du", "4x4di", "5x5di")),
    "jigsaw and diagonals": ("solo", ("9jdu", "3x3xdu")),
    "killer": ("solo", ("3x3kdu",)),
    "skyscrapers": ("towers", ("6dh", "6du", "8dh", "9dh")),
    "binairo": ("unruly", ("10x10udn", "14x14udn", "20x20udn")),
    "binairo, equal lines": ("unruly", ("14x14dn", "20x20dn")),
    "slitherlink 10x10": ("loopy", ("10x10t0dn", "10x10t0dh")),
    "slitherlink to 20x20": ("loopy", ("15x15t0dh", "20x20t0dh")),
    "nonogram": ("pattern", ("15x15", "25x25", "30x30", "40x30")),
    "dominosa": ("dominosa", ("6dh", "8dh", "9dh")),
}
"""The game and its parameters, by the name of a row."""


def generated(folder: str, count: int, only: str) -> Iterator[tuple[str, Puzzle]]:
    """Yield the puzzles of Simon Tatham's generators, each with the name of its row, which has ``only``."""
    for row, (game, kinds) in GAMES.items():
        program = shutil.which(f"sgt-{game}", path=folder or None)
        for seed in range(count) if program and only in row else ():
            for kind in kinds:
                command = [program, "--generate", "1", f"{kind}#{seed}"]
                run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100)
                text = f"{game}:{run.stdout.strip()}"
                yield row, replace(milp_pips.read_text(text)[""], name=f"{game}-{kind}-{seed}")


CLOCK_FACTOR = 4
"""Seconds of the clock for a second of processor time, on a machine that is busy."""


def seconds_of_circuit(puzzle: Puzzle) -> float:
    """Return the processor time of the first loop by a plain CP-SAT model with a circuit."""
    from ortools.sat.python import cp_model

    begun, model = processor_seconds(), cp_model.CpModel()
    height, width = puzzle.size
    number = {(r, c): r * (width + 1) + c for r in range(height + 1) for c in range(width + 1)}
    arcs, sides = [(i, i, model.new_bool_var("")) for i in number.values()], {}
    for (r, c), i in number.items():
        for other in ((r, c + 1), (r + 1, c)):
            if other in number:
                there, back = model.new_bool_var(""), model.new_bool_var("")
                arcs += [(i, number[other], there), (number[other], i, back)]
                sides[(r, c), other] = there + back
    model.add_circuit(arcs)
    model.add(sum(sides.values()) >= 1)
    for (r, c), clue in puzzle.marks.items():
        corners = [((r, c), (r, c + 1)), ((r + 1, c), (r + 1, c + 1)), ((r, c), (r + 1, c))]
        around = [*corners, ((r, c + 1), (r + 1, c + 1))]
        model.add(sum(sides[side] for side in around) == int(clue))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL, puzzle.name
    return processor_seconds() - begun


def compare_with_circuit(puzzles: Iterator[tuple[str, Puzzle]]) -> None:
    """Print the processor time of first solutions, ours and by the circuit, and their ratio in all."""
    ours, theirs = 0.0, 0.0
    for row, puzzle in puzzles:
        if puzzle.family == "slitherlink":
            if not ours:
                milp_pips.solve(puzzle, seconds=60)  # loads the libraries
                seconds_of_circuit(puzzle)
            begun = processor_seconds()
            assert milp_pips.solve(puzzle, seconds=60).solution is not None
            ours += (mine := processor_seconds() - begun)
            theirs += (plain := seconds_of_circuit(puzzle))
            print(f"{row} {puzzle.name} {mine:.2f} {plain:.2f}", file=sys.stderr)
    print(f"{header()}: {ours:.2f} s, by a circuit {theirs:.2f} s, {ours / theirs:.2f} times")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--games", default="", metavar="FOLDER")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--circuit", action="store_true")
    arguments = parser.parse_args()
    puzzles = [(p.family, p) for file in arguments.files for p in milp_pips.read_all(Path(file)).values()]
    puzzles += made(arguments.count, arguments.only)
    puzzles += generated(arguments.games, arguments.count, arguments.only)
    if arguments.circuit:
        compare_with_circuit(iter(puzzles))
        return
    spent, undecided = defaultdict[str, list[float]](list), defaultdict[str, list[str]](list)
    for row, puzzle in puzzles:
        if arguments.only in row:
            begun = processor_seconds()
            result = milp_pips.solve(puzzle, unique=True, seconds=CLOCK_FACTOR * arguments.seconds)
            spent[row].append(processor_seconds() - begun)
            others, found = result.others, result.solution is not None
            is_known = others.solutions in (0, 1) or others.at_least > 1
            if not is_known or spent[row][-1] > arguments.seconds:
                undecided[row].append(f"{row}: {puzzle.name} {result.status} {others.at_least}")
            print(f"{row} {puzzle.name} {found} {others.solutions} {spent[row][-1]:.2f}", file=sys.stderr)
    print(header(), "\n\n| family | undecided | of | median s | most s |\n|---|---|---|---|---|")
    for row, seconds in spent.items():
        print(f"| {row} | {len(undecided[row])} | {len(seconds)} | ", end="")
        print(f"{statistics.median(seconds):.2f} | {max(seconds):.2f} |")


if __name__ == "__main__":
    main()
