"""The commands ``generate``, which writes new puzzles to files, and ``clues`` and ``loosen`` for setters."""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION, Task, Verb, complain, verb
from milp_pips.cli.loops import PuzzleRun, keywords, on_puzzle, require_files, results_in_order
from milp_pips.cli.output import JSON, fault_as_json, output, print_json
from milp_pips.problem import EngineFault, MilpPipsError, Stop, UsageError
from milp_pips.problem.errors import FamilyFault, unknown_name
from milp_pips.problem.parameters import (
    PUZZLE_FILE,
    PUZZLE_FILES,
    TEXT,
    TIME_LIMIT,
    Parameter,
    add_parameters,
    cluster,
    one_of,
    settings,
    text_form,
    whole,
)
from milp_pips.problem.plugins import PluginErrors
from milp_pips.runtime.writing import try_directory, write_file
from milp_pips.tasks.convert import formats_of

if TYPE_CHECKING:
    from milp_pips.extras.generate.contract import Generator
    from milp_pips.extras.generate.fitting import GeneratedPuzzle
    from milp_pips.puzzles.family import Family, Format


def _range(text: str) -> tuple[int, int]:
    if not (bounds := re.fullmatch(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?", text)):
        raise ValueError
    return int(bounds[1]), int(bounds[2] or bounds[1])


def add_generate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``generate``, and the options of every family that can generate puzzles."""
    from milp_pips.extras.explain.parameters import GRADES
    from milp_pips.extras.explain.rate import GRADE_LIMITS
    from milp_pips.extras.generate.generate import generating_families, generator_of

    number = "a number of solutions, nor a range such as 2..10"
    grades = f"logical difficulty: {GRADE_LIMITS}"
    parameters = (
        Parameter("--family FAMILY", "family of the puzzles (default: the first below)", default=""),
        Parameter("--count COUNT", "how many puzzles (default: 1)", whole(1), 1),
        Parameter("--seed SEED", "decides the puzzles (default: 0)", whole(), 0),
        Parameter(
            "--unique [KEY]",
            "one solution only, or solutions that agree in a key such as grid",
            default=False,
            alone=True,
        ),
        Parameter("--solutions A..B", "from A to B solutions", text_form(number, _range)),
        Parameter("--grade GRADE", grades, one_of(GRADES), ""),
        Parameter("--out DIR", "write files into this directory (default: print the puzzles)"),
        Parameter("--format FORMAT", "how to write them (default: the family's first format)", default=""),
    )
    add_parameters(parser, (*parameters, TIME_LIMIT, *cluster(), JSON))
    declared: set[str] = set()
    for family in generating_families().values():
        try:
            with PluginErrors(f"the generator of the family {family.name} failed", FamilyFault):
                _add_options(parser, family, generator_of(family), declared)
        except FamilyFault as fault:
            warnings.warn(str(fault), stacklevel=2)


def _add_options(
    parser: argparse.ArgumentParser, family: Family[Any, Any], generator: Generator, declared: set[str]
) -> None:
    """Add the options of a family, except those that another family has already declared."""
    shared = [f"{each.usage}: {each.help}" for each in generator.options if each.keyword in declared]
    about = "; ".join([f"formats: {', '.join(formats_of(family))}", *shared])
    group = parser.add_argument_group(f"options of the family {family.name}", about)
    new = [each for each in generator.options if each.keyword not in declared]
    add_parameters(group, [each._replace(kind=TEXT, name=f"{OPTION_PREFIX}{each.keyword}") for each in new])
    declared.update(each.keyword for each in new)


OPTION_PREFIX = "option "
"""The prefix of a family's options in the parsed arguments."""


def run_generate(arguments: argparse.Namespace) -> int:
    """Generate puzzles, and write each as soon as it is made."""
    from milp_pips.extras.generate.generate import generating_family, request_for

    family = generating_family(arguments.family)
    formats = formats_of(family)
    if not formats:
        raise UsageError(f"the family {family.name} writes no puzzles")
    name = arguments.format or next(iter(formats))
    if name not in formats:
        raise unknown_name("format", name, formats)
    options = {
        option.removeprefix(OPTION_PREFIX): value
        for option, value in vars(arguments).items()
        if option.startswith(OPTION_PREFIX) and value is not None
    }
    own = keywords(arguments, "seed", "unique", "solutions", "grade")
    request = request_for(arguments.family, **own, **options)
    tasks: Iterator[Task[GeneratedPuzzle | str]] = (
        Task(request.name(n), partial(request.attempt, n)) for n in range(1, arguments.count + 1)
    )
    if arguments.out is not None:
        try_directory(arguments.out)
    new, status = False, FOUND
    for made in results_in_order(tasks, arguments):
        if isinstance(made, MilpPipsError):
            raise made
        with fault_as_json(arguments, made.name):
            if isinstance(made.result, EngineFault):
                raise made.result
            if isinstance(made.result, str):
                complain(made.result)
                status = LIMIT
                continue
            new |= _write_or_print(made.result, formats[name], arguments.out, arguments.json)
    if not (new or arguments.json or status):
        n = arguments.count
        print(f"{arguments.out} is complete: {n} puzzle{'s were' if n > 1 else ' was'} there already")
    return status


def _write_or_print(generated: GeneratedPuzzle, form: Format, folder: str | None, as_json: bool) -> bool:
    """Write or print the puzzle, and its solution if the format has no place for it.

    Return False if the files already existed.
    """
    from milp_pips.puzzles.family import family_of

    puzzle = generated.puzzle
    family = family_of(puzzle)
    text = form.write(puzzle)
    file, new, written = None, True, ""
    if folder is not None:
        file = str(Path(folder, f"{puzzle.name}{form.ending}"))
        new = not _has_content(file, text)
        if new and Path(file).is_file():
            raise UsageError(f"{file} is another puzzle, which stays; name another --out or --seed")
        if not form.with_solution:
            solution = str(Path(folder, "solutions", f"{puzzle.name}.txt"))
            hidden = family.write_solution(puzzle, generated.hidden)
            if not _has_content(solution, hidden):
                write_file(solution, hidden, make_directory=True)
                new, written = True, solution
        if not _has_content(file, text):  # the puzzle comes last: if it exists, all of its files do
            try:
                write_file(file, text, make_directory=True)
            except BaseException:  # no solution is left without its puzzle
                with suppress(OSError):
                    os.remove(written)
                    os.rmdir(os.path.dirname(written))
                raise
    if as_json:
        print_json({**generated.to_json(), "file": file})
    elif file is not None:
        print(": ".join(filter(None, [file, generated.summary()])), flush=True)
    else:
        sys.stdout.write(text)
    return new


def _has_content(file: str, text: str) -> bool:
    """Return whether the file exists and contains this text."""
    return Path(file).is_file() and Path(file).read_bytes() == text.encode()


GENERATE = Verb(add_generate_arguments, run_generate)


# The commands for people who set puzzles.


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
    from milp_pips.puzzles.family import family_of
    from milp_pips.puzzles.reading import name_of, text_of

    file, solution = run.arguments.solution, None
    if file:
        require_files(run.arguments.file, file)
        solution = family_of(run.puzzle).read_solution(run.puzzle, text_of(file), name_of(file))
    own = keywords(run.arguments, "each", "distinct")
    found = clues(run.puzzle, solution, deadline=run.deadline, **own)
    run.show(found)
    return LIMIT if found.stop is not Stop.FINISHED else FOUND if found.best else NO_SOLUTION


@verb(*PUZZLE_FILES, *settings("seconds"), *output("the rules that are kept", "the summary"))
@on_puzzle
def loosen_verb(run: PuzzleRun) -> int:
    """Find the loosest rules of every puzzle. The exit status is 1 if it has several solutions."""
    from milp_pips.extras.generate.loosen import loosen

    found = loosen(run.puzzle, deadline=run.deadline)
    run.show(found)
    return LIMIT if found.stop is not Stop.FINISHED else FOUND if found.key else NO_SOLUTION
