"""The verbs that read or write files: ``check``, ``show``, ``convert`` and ``export``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from milp_pips.cli import BAD_INPUT, FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, complain, verb
from milp_pips.cli.loops import PuzzleRun, on_puzzle, require_files, work_on_puzzles
from milp_pips.cli.output import JSON, Pictures, file_name, output, print_json, unique_name
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.problem.parameters import PUZZLE_FILE, PUZZLE_FILES, Parameter, settings
from milp_pips.runtime.writing import try_file, try_place, write_file

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Puzzle


@verb(
    *PUZZLE_FILE,
    Parameter(
        "[SOLUTION]",
        "solution file, with ? or null in open cells of a partial board, or - for standard input (default: "
        "the solution printed in FILE)",
    ),
    *settings("seconds"),
    JSON,
)
def check_verb(arguments: argparse.Namespace) -> int:
    """Check one solution or board, or every solution that the puzzle file itself contains."""
    from milp_pips.puzzles.reading import name_of, text_of
    from milp_pips.tasks.check import check

    file, checked = arguments.solution, list[str]()
    require_files(arguments.file, *filter(None, [file]))

    def check_one(run: PuzzleRun) -> int:
        puzzle = run.puzzle
        if file:
            filled = _read_filled(puzzle, text_of(file), name_of(file))
        elif puzzle.published is None:
            return FOUND
        else:
            filled = {"solution": puzzle.published}
        checked.append(puzzle.name)
        verdict = check(puzzle, deadline=run.deadline, **filled)
        if run.deadline.interrupted:
            return INTERRUPTED
        if arguments.json:
            print_json({"puzzle": puzzle.name, **verdict.to_json()})
        else:
            run.pictures.say(f"{puzzle.name}: {verdict}")
        return {True: FOUND, False: NO_SOLUTION, None: LIMIT}[verdict.right]

    if not file:
        arguments.files = [arguments.file]  # all of its puzzles
    status = work_on_puzzles(arguments, Pictures(arguments), check_one)
    if not checked and status == FOUND:
        raise UsageError(f"{name_of(arguments.file)} contains no solution: name a solution file")
    return status


def _read_filled(puzzle: Puzzle, text: str, name: str) -> dict[str, Any]:
    """Return the ``solution``, or else the partial ``board``, that the text states.

    Raises InputError if the text is neither: the error of the reader that came further.
    """
    from milp_pips.puzzles.family import family_of

    family = family_of(puzzle)
    try:
        return {"solution": family.read_solution(puzzle, text, name)}
    except InputError as no_solution:
        if family.read_board is None:
            raise
        try:
            return {"board": family.read_board(puzzle, text, name)}
        except InputError as no_board:
            raise max(no_board, no_solution, key=lambda error: error.line or 0) from None


# The verb ``show FILE…``: draw puzzles.


@verb(
    *PUZZLE_FILES,
    Parameter("--solution SOLUTION", "draw this solution file on the puzzle"),
    *output("the puzzles")[1:],
    Parameter("--png PATH", "draw them as PNG, in the same way as --svg"),
    Parameter("--pdf PATH", "draw them as PDF, a page for each"),
)
@on_puzzle
def show_verb(run: PuzzleRun) -> int:
    """Draw every puzzle."""
    from milp_pips.puzzles.family import family_of
    from milp_pips.puzzles.reading import name_of, text_of

    family, solution, file = family_of(run.puzzle), None, run.arguments.solution
    if file:
        solution = family.read_solution(run.puzzle, text_of(file), name_of(file))
    if not run.pictures.printed:
        run.pictures.say(run.puzzle.name)
    run.pictures.show(family.draw(run.puzzle, solution), run.puzzle.name)
    return FOUND


# The verb ``convert FILE… --to FORMAT``: write puzzles in another format.


@verb(
    *PUZZLE_FILES,
    Parameter(
        "--to FORMAT",
        "format of the puzzle's family: text; json or times for Pips; tatham for some families; or link, "
        "which opens the puzzle on the page at --address",
    ),
    Parameter(
        "--reason FILE",
        "instead: write the rows and bounds of a linear model that cannot hold together, as a small model in "
        "an LP file, or an MPS file if FILE ends in .mps",
    ),
    Parameter("--address URL", "with --to link: the address of the page, such as https://example.org/pips/"),
    Parameter(
        "--out PATH",
        "output file for one puzzle, or directory for several (default: standard output, one puzzle)",
    ),
)
def convert_verb(arguments: argparse.Namespace) -> int:
    """Convert every puzzle, then write them all; a puzzle that the format cannot express prints one line."""
    from milp_pips.tasks.convert import convert, format_named, link_to

    if (arguments.to is None) == (arguments.reason is None):
        raise UsageError("name a format: --to FORMAT; or --reason FILE for the reason of a linear model")
    if arguments.reason is not None:
        return _write_reason(arguments)
    is_link = arguments.to == "link"
    if is_link != bool(arguments.address):
        raise UsageError("--to link and --address URL go together")
    converted: list[tuple[str, str, str]] = []

    def convert_one(run: PuzzleRun) -> int:
        try:
            if is_link:
                converted.append((run.puzzle.name, ".url", link_to(run.puzzle, arguments.address)))
                return FOUND
            text = convert(run.puzzle, arguments.to)
        except UsageError as error:
            complain(str(error))
            return BAD_INPUT
        converted.append((run.puzzle.name, format_named(run.puzzle, arguments.to).ending, text))
        return FOUND

    if arguments.out:
        try_place(arguments.out)
    status = work_on_puzzles(arguments, Pictures(arguments), convert_one)
    if not arguments.out:
        if len(converted) > 1:
            raise UsageError(
                f"there are {len(converted)} puzzles: name a directory with --out, or one puzzle with --level"
            )
        for _, _, text in converted:
            sys.stdout.write(text)
        return status
    into_directory = (
        len(converted) > 1 or os.path.isdir(arguments.out) or not os.path.splitext(arguments.out)[1]
    )
    written: set[str] = set()
    for name, ending, text in converted:
        path = arguments.out
        if into_directory:
            path = os.path.join(path, f"{unique_name(file_name(name), written)}{ending}")
        _refuse_sources(path, arguments.files)
        write_file(path, text, make_directory=into_directory)
        print(path, flush=True)
    return status


def _write_reason(arguments: argparse.Namespace) -> int:
    """Write the small model that has no solution out of the only model."""
    from milp_pips.tasks.convert import reason_model

    _refuse_sources(arguments.reason, arguments.files)
    try_file(arguments.reason)

    def write_one(run: PuzzleRun) -> int:
        model = reason_model(run.puzzle, run.deadline)
        is_mps = arguments.reason.endswith(".mps")
        text = model.to_mps() if is_mps else model.to_lp()
        write_file(arguments.reason, text)
        print(arguments.reason, flush=True)
        if lost := [row.name for row in model.rows if row.name and f" {row.name}" not in text]:
            kind, other = ("an MPS file", "") if is_mps else ("an LP file", "; an MPS file may")
            complain(f"rows are row_0, row_1 …: {kind} cannot have the name {lost[0]!r}{other}")
        return FOUND

    if len(arguments.files) > 1:
        raise UsageError("--reason writes one model: name one file")
    return work_on_puzzles(arguments, Pictures(arguments), write_one)


def _refuse_sources(path: str, sources: list[str]) -> None:
    """Raise InputError if writing ``path`` would overwrite one of the sources."""
    from milp_pips.puzzles.reading import files_of

    if os.path.exists(path) and any(
        os.path.exists(source) and os.path.samefile(path, source) for source in files_of(sources)
    ):
        raise InputError("this is one of the files to convert", path, expected="another with --out")


# The verb ``export FILE``: write the model, with readable names.


@verb(
    *PUZZLE_FILE,
    "milp_pips.tasks.convert:EXPORT_PARAMETERS",
    Parameter("--output FILE", "output file (default: standard output)"),
)
def export_verb(arguments: argparse.Namespace) -> int:
    """Write the model of one puzzle."""
    from milp_pips.puzzles.reading import read
    from milp_pips.tasks.convert import export

    if arguments.output:
        try_file(arguments.output)
    puzzle = read(arguments.file, arguments.level, arguments.variant, arguments.family)
    text = export(puzzle, arguments.to, arguments.formulation)
    if arguments.output:
        write_file(arguments.output, text)
    else:
        sys.stdout.write(text)
    return FOUND
