"""The verb ``solve FILE…``: solve puzzles and draw the solved boards."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from functools import partial
from itertools import starmap
from typing import TYPE_CHECKING

from milp_pips.cli import FAULT, FOUND, LIMIT, NO_SOLUTION, Work, complain, verb
from milp_pips.cli.loops import for_each_result, keywords, require_plain, settings_of
from milp_pips.cli.output import Pictures, file_name, output, unique_name
from milp_pips.problem.parameters import (
    BOARD,
    OBJECTIVE,
    PROVE,
    PUZZLE_FILES,
    SOLVER,
    WEIGHTS,
    Parameter,
    cluster,
    flag,
    settings,
)

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Board, Puzzle
    from milp_pips.render.vocabulary import Drawing
    from milp_pips.tasks.results import Result


@verb(
    *PUZZLE_FILES,
    BOARD.says(
        "find a solution that contains this partial board: a solution file with ? or null in open cells"
    ),
    SOLVER,
    *OBJECTIVE,
    Parameter(
        "--soft RULE=WEIGHT",
        "let the solution break this rule, such as A or 'row 1', at this price, and find the cheapest; all=1 "
        "for all others; may be given several times",
        WEIGHTS,
        (),
        many=True,
    ),
    *settings(),
    *cluster(),
    *output("the solutions", "the summary"),
    Parameter("--output DIR", "write one solution file per puzzle into this directory"),
    flag("--unique", "find out whether the solution is the only one"),
    PROVE.says(
        "write a certificate of no solution, of the only one (--unique) or of the best into this new folder"
    ),
    flag("-v, --verbose", "print the size of the model and of the search"),
)
def solve_verb(arguments: argparse.Namespace) -> int:
    """Solve every puzzle and return the gravest exit status."""
    from milp_pips.puzzles.family import family_of
    from milp_pips.tasks.solve import solve

    require_plain(arguments)
    chosen = settings_of(arguments)
    options = keywords(arguments, "unique", "maximise", "minimise")
    options["soft"] = dict(arguments.soft) or None
    options["prove"] = os.path.abspath(arguments.prove) if arguments.prove else ""
    written: set[str] = set()
    output = arguments.output
    if output:
        from milp_pips.runtime.writing import try_directory, write_file

        try_directory(output)

    def solve_it(puzzle: Puzzle, reading: float, board: Board | None) -> Work[Result]:
        return partial(solve, puzzle, arguments.solver, chosen, reading=reading, board=board, **options)

    def print_result(result: Result) -> int:
        puzzle = result.puzzle
        drawing = None if result.solution is None else result.drawing
        pictures.present(result, puzzle.name, _parts(result, arguments.verbose), drawing)
        if result.fault and result.status != "error":
            complain(f"{puzzle.name}: FAULT OF AN ENGINE: {result.fault}; the verb export writes the model")
        if output and result.solution is not None:
            path = os.path.join(output, f"{unique_name(file_name(puzzle.name), written)}.solution.txt")
            write_file(path, family_of(puzzle).write_solution(puzzle, result.solution))
        if result.fault:
            return FAULT
        if arguments.prove:
            from milp_pips.cli.lists import report_certificate

            report_certificate(puzzle, arguments.prove)
        if result.objective and not result.objective.is_optimal:
            return LIMIT
        return {"solved": FOUND, "infeasible": NO_SOLUTION, "dead": NO_SOLUTION}.get(result.status, LIMIT)

    with Pictures(arguments) as pictures:
        return for_each_result(arguments, solve_it, print_result, [arguments.solver])


def _parts(result: Result, verbose: bool) -> Iterator[str | Drawing]:
    """Yield the solved board, a summary and, if ``verbose``, the size of the model and of the search."""
    from milp_pips.views.text import parts, summary

    if result.solution is not None:
        yield from parts(result)
    yield summary(result)
    if verbose:
        yield f"  {result.choice or 'the solver was named'}"
        yield "  " + ", ".join(starmap(_number_of, {**result.size, **result.statistics}.items()))
        yield "  " + ", ".join(f"{what} {spent:.3f} s" for what, spent in result.seconds.items())


def _number_of(what: str, n: object) -> str:
    """Return the count with its noun: ``2 conflicts``, ``1 conflict``."""
    return f"{n} {what.removesuffix('s') if n == 1 else what}"
