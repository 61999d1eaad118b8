"""``show FILE…``: the puzzle, drawn."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND
from milp_pips.cli.arguments import add_puzzle_files, for_each_puzzle, print_drawing, print_line

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Puzzle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_files(parser)
    parser.add_argument("--svg", action="store_true", help="print an SVG picture in place of text")
    parser.add_argument("--solution", metavar="SOLUTION", help="draw this solution file on it")


def run(arguments: argparse.Namespace) -> int:
    """Draw every puzzle."""
    from milp_pips.plugins import family_of
    from milp_pips.reading import text_of

    def show_one(puzzle: Puzzle, _reading: float) -> int:
        family, solution = family_of(puzzle), None
        if arguments.solution:
            solution = family.read_solution(puzzle, text_of(arguments.solution), arguments.solution)
        if not arguments.svg:
            print_line(puzzle.name)
        print_drawing(family.draw(puzzle, solution), svg=arguments.svg)
        return FOUND

    return for_each_puzzle(arguments, show_one)
