"""The verbs ``count`` (the number of solutions) and ``sample`` (random solutions)."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import (
    BOARD,
    DISTINCT,
    OBJECTIVE,
    OVER,
    PROVE,
    PUZZLE_FILE,
    PUZZLE_FILES,
    WITHIN,
    WITHIN_RELATIVE,
    PuzzleRun,
    Work,
    cluster,
    for_each_result,
    on_puzzle,
    require_plain,
    settings,
    settings_of,
    verb,
)
from milp_pips.cli.output import Pictures, output, print_json
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import Parameter, flag, whole

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Board, Puzzle
    from milp_pips.tasks.results import Count


@verb(
    *PUZZLE_FILES,
    BOARD.says("count only the solutions that contain this partial board"),
    Parameter(
        "--distinct KEY",
        "count two solutions as different only if they differ in KEY, such as grid (default: both, which "
        "counts by every key)",
        default="both",
    ),
    Parameter(
        "--solver NAME",
        "count with this engine, such as scip, and confirm its count (default: the solution space)",
        default="",
    ),
    *OBJECTIVE,
    WITHIN,
    WITHIN_RELATIVE,
    OVER,
    PROVE.says("write a certificate of the count into this new folder; see the verb prove"),
    flag("--cells", "count in how many solutions each cell takes each value"),
    *settings(
        *("seconds", "memory", "rules", "isolate"),
        memory="memory limit of the count, such as 500M or 2G (default: 1G)",
    ),
    *cluster(),
    *output("the cells of --cells", "the counts, without the cells"),
)
def count_verb(arguments: argparse.Namespace) -> int:
    """Count the solutions of every puzzle."""
    from milp_pips.tasks.count import count

    if arguments.svg and not arguments.cells:
        raise UsageError("--svg draws what --cells counts: name both")
    require_plain(arguments)
    chosen = settings_of(arguments)
    keys = () if arguments.distinct == "both" else (arguments.distinct,)

    def count_it(puzzle: Puzzle, _reading: float, board: Board | None) -> Work[Count]:
        return partial(
            count,
            puzzle,
            keys,
            chosen,
            solver=arguments.solver,
            cells=arguments.cells,
            board=board,
            maximise=arguments.maximise,
            minimise=arguments.minimise,
            within=arguments.within,
            within_relative=arguments.within_relative,
            over=arguments.over or None,
        )

    def print_result(result: Count) -> int:
        parts = (result.drawing() if number else str(result) for number in range(1 + bool(result.cells)))
        pictures.present(result, result.puzzle.name, parts, result.drawing if result.cells else None)
        if arguments.prove and result.complete:
            from milp_pips.cli.certificates import prove_number

            prove_number(result.puzzle, arguments, "count", next(iter(result.counts.values())))
        return FOUND if result.complete else LIMIT

    with Pictures(arguments) as pictures:
        return for_each_result(arguments, count_it, print_result, filter(None, [arguments.solver]))


# The verb ``sample FILE``: uniformly random solutions.


@verb(
    *PUZZLE_FILE,
    BOARD.says("draw only solutions that contain this partial board"),
    Parameter("-n K", "number of solutions to draw (default: 1)", whole(1), 1),
    *settings("seed", "rules", seed="random seed (default: 0)"),
    DISTINCT,
    *settings(
        *("seconds", "memory"), seconds="time limit", memory="memory limit, such as 500M or 2G (default: 1G)"
    ),
    *output("the solutions", "the number of solutions drawn"),
)
@on_puzzle
def sample_verb(run: PuzzleRun) -> int:
    """Draw random solutions and print each at once."""
    from milp_pips.puzzles.registry import family_of
    from milp_pips.tasks.sample import draw_solutions

    arguments, puzzle, pictures = run.arguments, run.puzzle, run.pictures
    family, number, chosen = family_of(puzzle), 0, settings_of(arguments)
    drawn = draw_solutions(puzzle, arguments.n, chosen, arguments.distinct, run.deadline, run.board)
    for number, solution in enumerate(drawn, 1):
        if arguments.json:
            print_json(family.to_json(puzzle, solution))
        if pictures.wanted or not arguments.json:
            drawing = family.draw(puzzle, solution)
            pictures.keep(drawing, f"{puzzle.name}-{number}")
            if not arguments.json:
                pictures.print(drawing)
    if not number:
        complain(f"{puzzle.name}: no solution")
        return NO_SOLUTION
    if arguments.quiet and not arguments.json:
        pictures.say(f"{puzzle.name}: {number} solution{'s' * (number > 1)} drawn")
    return FOUND
