"""``show FILE…``: the puzzle, drawn."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND
from milp_pips.cli.arguments import add_puzzle_files, for_each_puzzle
from milp_pips.cli.pictures import Pictures, add_pictures

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Puzzle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_files(parser)
    parser.add_argument("--solution", metavar="SOLUTION", help="draw this solution file on it")
    add_pictures(parser, "the puzzles")


def run(arguments: argparse.Namespace) -> int:
    """Draw every puzzle."""
    from milp_pips.puzzles.reading import name_of, text_of
    from milp_pips.puzzles.registry import family_of

    def show_one(puzzle: Puzzle, _reading: float) -> int:
        family, solution = family_of(puzzle), None
        if arguments.solution:
            text, name = text_of(arguments.solution), name_of(arguments.solution)
            solution = family.read_solution(puzzle, text, name)
        if not pictures.printed:
            pictures.say(puzzle.name)
        pictures.show(family.draw(puzzle, solution), puzzle.name)
        return FOUND

    with Pictures(arguments) as pictures:
        return for_each_puzzle(arguments, show_one)
