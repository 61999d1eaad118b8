"""``solve FILE…``: the solved board, drawn."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import (
    SETTINGS,
    add_json,
    add_puzzle_files,
    add_settings,
    file_name,
    for_each_puzzle,
    print_drawing,
    print_json,
    print_line,
    settings_of,
    write_file,
)
from milp_pips.errors import InputError

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Puzzle
    from milp_pips.tasks.solve import Result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_files(parser)
    add_settings(parser, *SETTINGS)
    add_json(parser)
    parser.add_argument(
        "--output", metavar="DIR", help="write a solution file per puzzle into this directory"
    )
    parser.add_argument(
        "--keep-model", metavar="DIR", help="keep the model on which an engine has contradicted another"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="tell the size of the model and the search"
    )


def run(arguments: argparse.Namespace) -> int:
    """Solve every puzzle and return the gravest exit status."""
    from milp_pips.plugins import family_of
    from milp_pips.tasks.solve import solve
    from milp_pips.watch import Watch

    settings = settings_of(arguments)
    written: set[str] = set()
    output = _make_directory(arguments.output) if arguments.output else None

    def solve_one(puzzle: Puzzle, reading: float) -> int:
        with Watch(settings.seconds) as watch:
            result = solve(puzzle, arguments.solver, settings, reading=reading, watch=watch)
        _tell(result, arguments)
        if result.fault:
            kept = _keep_model(arguments.keep_model, result)
            complain(f"{puzzle.name}: FAULT OF AN ENGINE: {result.fault}{kept}")
        if output and result.solution is not None:
            path = os.path.join(output, f"{_unique(file_name(puzzle.name), written)}.solution.txt")
            write_file(path, family_of(puzzle).write_solution(puzzle, result.solution))
        if watch.interrupted:
            return INTERRUPTED
        return {"solved": FOUND, "infeasible": NO_SOLUTION}.get(result.status, LIMIT)

    return for_each_puzzle(arguments, solve_one)


def _tell(result: Result, arguments: argparse.Namespace) -> None:
    """Print the result: a line of JSON, or the solved board and a summary."""
    if arguments.json:
        print_json(result.to_json())
        return
    if result.solution is not None:
        from milp_pips.tasks.show import draw

        print_drawing(draw(result.puzzle, result.solution))
    print_line(result.summary())
    if arguments.verbose:
        print(f"  {result.choice or 'the solver was named'}")
        print("  " + ", ".join(f"{n} {what}" for what, n in {**result.size, **result.statistics}.items()))
        print("  " + ", ".join(f"{what} {spent:.3f} s" for what, spent in result.seconds.items()))


def _keep_model(directory: str | None, result: Result) -> str:
    """Write the model of a puzzle on which engines disagree, and return where."""
    if not directory:
        return "; --keep-model DIR keeps the model"
    from milp_pips.tasks.export import export

    name = file_name(f"{result.puzzle.name}.{result.formulation or 'model'}.mps")
    path = os.path.join(_make_directory(directory), name)
    write_file(path, export(result.puzzle, "mps"))
    return f"; the model is in {path}"


def _make_directory(path: str) -> str:
    """Make a directory if it is not there, and return it. Raises InputError."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write solutions here: {error.strerror}", path) from None
    return path


def _unique(name: str, written: set[str]) -> str:
    """Return the name, with a number if an earlier puzzle of this run had it."""
    unique, again = name, 1
    while unique in written:
        again += 1
        unique = f"{name}-{again}"
    written.add(unique)
    return unique
