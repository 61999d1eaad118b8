"""The commands ``clues`` and ``loosen``, which serve people who set puzzles."""

from __future__ import annotations

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION
from milp_pips.cli.arguments import (
    PUZZLE_FILE,
    PUZZLE_FILES,
    PuzzleRun,
    on_puzzle,
    require_files,
    settings,
    verb,
)
from milp_pips.cli.output import output
from milp_pips.problem.answer import Stop
from milp_pips.problem.parameters import Parameter


@verb(
    *PUZZLE_FILE,
    Parameter(
        "[SOLUTION]",
        "solution file: the solution that is to be left (default: the one that needs the fewest cells)",
    ),
    "milp_pips.extras.generate.clues:CLUES_PARAMETERS",
    *settings("seconds"),
    *output("the cells to show, on the board", "the summary"),
)
@on_puzzle
def clues_verb(run: PuzzleRun) -> int:
    """Find the fewest cells to show. The exit status is 1 if no cells leave one solution."""
    from milp_pips.extras.generate.clues import clues
    from milp_pips.extras.generate.views.clues import parts
    from milp_pips.puzzles.reading import name_of, text_of
    from milp_pips.puzzles.registry import family_of

    file, solution = run.arguments.solution, None
    if file:
        require_files(run.arguments.file, file)
        solution = family_of(run.puzzle).read_solution(run.puzzle, text_of(file), name_of(file))
    own = {"each": run.arguments.each, "distinct": run.arguments.distinct}
    found = clues(run.puzzle, solution, deadline=run.deadline, **own)
    shown = [found.summary()] if run.arguments.quiet else parts(found)
    run.pictures.present(found, run.puzzle.name, shown, found.drawing)
    if found.stop is not Stop.FINISHED:
        return LIMIT
    return FOUND if found.best else NO_SOLUTION


@verb(*PUZZLE_FILES, *settings("seconds"), *output("the rules that are kept", "the summary"))
@on_puzzle
def loosen_verb(run: PuzzleRun) -> int:
    """Find the loosest rules of every puzzle. The exit status is 1 if it has several solutions."""
    from milp_pips.extras.generate.loosen import loosen
    from milp_pips.extras.generate.views.loosen import parts

    found = loosen(run.puzzle, deadline=run.deadline)
    shown = [found.summary()] if run.arguments.quiet else parts(found)
    run.pictures.present(found, run.puzzle.name, shown, found.drawing)
    if found.stop is not Stop.FINISHED:
        return LIMIT
    return FOUND if found.key else NO_SOLUTION
