"""``show FILE…``: the puzzle, drawn."""

from __future__ import annotations

import argparse
import sys

from milp_pips.cli import BAD_INPUT, FOUND, complain
from milp_pips.cli.arguments import add_puzzle_files, puzzles
from milp_pips.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_files(parser)
    parser.add_argument("--svg", action="store_true", help="print an SVG picture in place of text")
    parser.add_argument("--solution", metavar="SOLUTION", help="draw this solution file on it")


def run(arguments: argparse.Namespace) -> int:
    """Draw every puzzle."""
    from milp_pips.drawing import terminal_style, to_svg, to_text
    from milp_pips.reading import text_of

    status = FOUND
    for puzzle, _ in puzzles(arguments.files, arguments.level):
        if isinstance(puzzle, InputError):
            complain(str(puzzle))
            status = BAD_INPUT
            continue
        solution = None
        if arguments.solution:
            solution = puzzle.read_solution(text_of(arguments.solution), arguments.solution)
        drawing = puzzle.draw(solution)
        if arguments.svg:
            print(to_svg(drawing))
        else:
            unicode, colour = terminal_style(sys.stdout)
            print(puzzle.name)
            print(to_text(drawing, unicode=unicode, colour=colour))
    return status
