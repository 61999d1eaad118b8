"""The verb ``sheet FILE… --out BOOK.pdf``: print puzzles on sheets, with their answers."""

from __future__ import annotations

import argparse
import os

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, complain, verb
from milp_pips.cli.loops import PuzzleRun, work_on_puzzles
from milp_pips.cli.output import Pictures
from milp_pips.problem.errors import InputError
from milp_pips.problem.parameters import PUZZLE_FILES, Parameter, one_of
from milp_pips.runtime.writing import try_directory, try_file, write_file


@verb(
    *PUZZLE_FILES,
    Parameter("--out PATH", "PDF file, or directory for an SVG file of each sheet", default=...),
    Parameter("--per-sheet N", "puzzles on a sheet, 1 or 4 (default: 1)", one_of(("1", "4")), "1"),
    Parameter(
        "--answers PLACE",
        "last (on sheets of their own), upside-down (below each puzzle) or none (default: last)",
        one_of(("last", "upside-down", "none")),
        "last",
    ),
    Parameter("--paper SIZE", "a4 or letter (default: a4)", one_of(("a4", "letter")), "a4"),
)
def sheet_verb(arguments: argparse.Namespace) -> int:
    """Draw and solve every puzzle, then write all sheets."""
    from milp_pips.puzzles.family import family_of
    from milp_pips.render.sheets import Entry, to_sheets
    from milp_pips.tasks.solve import solve

    is_pdf = arguments.out.lower().endswith(".pdf")
    if is_pdf:
        from milp_pips.views.paper import require_typst

        require_typst()
        try_file(arguments.out)
    elif not os.path.isdir(arguments.out) and os.path.splitext(arguments.out)[1]:
        raise InputError("no directory, and no name ending in .pdf", arguments.out)
    else:
        try_directory(arguments.out)
    entries: list[Entry] = []

    def add(run: PuzzleRun) -> int:
        puzzle, family, status = run.puzzle, family_of(run.puzzle), FOUND
        entry = Entry(puzzle.name, family.draw(puzzle, None))
        if arguments.answers != "none":
            result = solve(puzzle, deadline=run.deadline)
            if run.deadline.interrupted:
                return INTERRUPTED
            if result.solution is None:
                complain(f"{result.summary()}; it is printed without an answer")
                status = NO_SOLUTION if result.status == "infeasible" else LIMIT
            else:
                entry = entry._replace(answer=family.draw(puzzle, result.solution))
        entries.append(entry)
        return status

    status = work_on_puzzles(arguments, Pictures(arguments), add)
    if not entries or status == INTERRUPTED:
        return status
    upside_down = arguments.answers == "upside-down"
    sheets = to_sheets(entries, arguments.paper, int(arguments.per_sheet), upside_down=upside_down)
    if is_pdf:
        from milp_pips.views.paper import to_pdf

        write_file(arguments.out, to_pdf(sheets))
        print(arguments.out)
        return status
    for number, sheet in enumerate(sheets, 1):
        path = os.path.join(arguments.out, f"sheet-{number}.svg")
        write_file(path, sheet)
        print(path)
    return status
