"""The verbs that list and count: ``enumerate``, ``count``, ``sample``, ``prove`` and ``verify``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION, Work, complain, verb
from milp_pips.cli.loops import (
    PuzzleRun,
    ReadPuzzle,
    for_each_result,
    keywords,
    on_puzzle,
    puzzles_of,
    require_plain,
    settings_of,
    workers_for_tree,
)
from milp_pips.cli.output import Pictures, ProgressLine, output, print_json, print_line
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault, InputError, UsageError
from milp_pips.problem.parameters import (
    BOARD,
    OBJECTIVE,
    PROVE,
    PUZZLE_FILE,
    PUZZLE_FILES,
    SECONDS,
    SHARD,
    SHARE,
    SOLVER,
    Parameter,
    cluster,
    flag,
    settings,
    whole,
)
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Board, Puzzle
    from milp_pips.runtime.cluster import Workers
    from milp_pips.tasks.listers import Enumeration
    from milp_pips.tasks.results import Count

DISTINCT = Parameter(
    "--distinct KEY",
    "count two solutions as different only if they differ in KEY, such as placement or grid (default: the "
    "first key of the family)",
    default="",
)
WITHIN = (
    Parameter(
        "--within D",
        "with an objective: only solutions at most D from the optimum; 0 for all optima",
        whole(),
    ),
    Parameter("--within-relative SHARE", "the same distance as a share of the optimum, such as 0.1", SHARE),
)
OVER = Parameter(
    "--over NAMES",
    "for MPS and LP files: the columns in which solutions differ, with * for any characters; again for more "
    "(default: all integer columns)",
    many=True,
)
JOBS = Parameter(
    "--jobs N",
    "processes that search at the same time, subproblems of a partition or subtrees of a linear model "
    "(default: 1)",
    whole(1),
    1,
)
WHICH_SOLUTIONS = ("maximise", "minimise", "within", "within_relative", "over")
"""The keywords of a task that say which solutions it lists or counts, and by what they differ."""


@verb(
    *PUZZLE_FILE,
    BOARD.says("list only the solutions that contain this partial board"),
    SOLVER.says("name of the solver (default: a decision diagram, which needs no solver)"),
    *settings("formulation", "seconds", "threads", "seed", "options", "rules", "isolate"),
    "milp_pips.tasks.enumerate:ENUMERATION_PARAMETERS",
    DISTINCT,
    *OBJECTIVE,
    Parameter("--best K", "with an objective: only the K best solutions, the best first", whole(1)),
    *WITHIN,
    OVER,
    Parameter("--diverse K", "K solutions, each as far as possible from those before it", whole(2)),
    Parameter("--limit N", "stop after N solutions", whole(1)),
    Parameter("--out FILE", "append to this JSON-lines file; a killed run resumes from it", default=""),
    JOBS,
    *cluster("subtrees of a linear model"),
    Parameter(
        "--shard I/N",
        "search only the I-th of N parts of what the tree of FILE has left, as a job of an array; see merge",
        SHARD,
    ),
    PROVE.says("write a certificate of the complete list into this new folder; see the verb prove"),
    *output("the solutions", "the summary"),
)
@on_puzzle
def enumerate_verb(run: PuzzleRun) -> int:
    """List the solutions of one puzzle: print each as it is found, and whether the list is complete."""
    require_plain(run.arguments)
    with workers_for_tree(run.arguments) as workers:
        return _enumerate(run, workers)


def _enumerate(run: PuzzleRun, workers: Workers | None) -> int:
    from milp_pips.puzzles.family import family_of
    from milp_pips.tasks.enumerate import solutions

    arguments, pictures, deadline = run.arguments, run.pictures, run.deadline
    found = solutions(
        run.puzzle,
        arguments.solver,
        settings_of(arguments),
        board=run.board,
        deadline=deadline,
        executor=workers,
        **keywords(
            arguments,
            *(
                "method",
                "distinct",
                "limit",
                "out",
                "jobs",
                "shard",
                "best",
                "diverse",
                "start",
                *WHICH_SOLUTIONS,
            ),
        ),
    )
    puzzle, progress = found.puzzle, _Progress(found)  # with the columns that --over chooses
    pictures.progress.clear()
    deadline.progress.listener = progress.listener
    as_lines = arguments.json or arguments.out
    silent = arguments.quiet or (arguments.out and not arguments.json)
    family = family_of(puzzle)
    for entry in found.json_lines() if as_lines else found:
        if as_lines and not silent:
            sys.stdout.write(f"{entry}\n")
        if pictures.wanted or not (as_lines or silent):
            solution = family.read_solution(puzzle, entry, "a solution") if as_lines else entry
            drawing = family.draw(puzzle, solution)
            pictures.keep(drawing, f"{puzzle.name}-{found.found}")
            if not as_lines:
                pictures.print(drawing)
                if (value := found.value(entry)) is not None:
                    print(f"value {value}")
        progress.show_found()
    progress.clear()
    summary = found.summary
    assert summary is not None
    if arguments.json:
        print_json({"summary": summary.to_json()})
    else:
        line = f"{puzzle.name}: {summary}"
        pictures.say(puzzle.remark_on_several(line) if summary.solutions > 1 else line)
    if arguments.prove and summary.complete:
        _prove_number(puzzle, arguments, "list", summary.solutions)
    if summary.complete:
        return FOUND if summary.solutions else NO_SOLUTION
    has_ended = summary.stop is Stop.COUNT or (arguments.shard and summary.stop is Stop.FINISHED)
    return FOUND if has_ended else LIMIT


class _Progress(ProgressLine):
    """The progress line of an enumeration: solutions found and their rate; flushes the first solution."""

    counts_seconds = False

    def __init__(self, listed: Enumeration) -> None:
        super().__init__()
        self._listed = listed
        self._begun = self._last = time.monotonic()
        self._before = listed.found

    def show_found(self) -> None:
        """Flush the first solution; after that, show the number found and the rate once a second."""
        found = self._listed.found
        if found == self._before + 1:
            sys.stdout.flush()
        if not self.shown or (self._listed.of is not None and found & 255):
            return
        now = time.monotonic()
        if now - self._last > 1:
            self._last = now
            of = "" if self._listed.of is None else f" of {self._listed.of}"
            rate = (found - self._before) / (now - self._begun)
            self.show(f"{found}{of} found, {rate:.0f} a second")


# The verb ``count FILE…``: the number of solutions.


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
    *WITHIN,
    OVER,
    JOBS.says("processes that search subtrees of a linear model at the same time (default: 1)"),
    PROVE.says("write a certificate of the count into this new folder; see the verb prove"),
    flag("--cells", "count in how many solutions each cell takes each value"),
    *settings(
        *("seconds", "memory", "rules", "isolate"),
        memory="memory limit of the count, such as 500M or 2G (default: 1G)",
    ),
    *cluster("puzzles, or subtrees of one linear model,"),
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
    options = keywords(arguments, "solver", "cells", "jobs", *WHICH_SOLUTIONS)

    def count_it(puzzle: Puzzle, _reading: float, board: Board | None) -> Work[Count]:
        return partial(count, puzzle, keys, chosen, board=board, **options)

    def print_result(result: Count) -> int:
        parts = (result.drawing() if number else str(result) for number in range(1 + bool(result.cells)))
        pictures.present(result, result.puzzle.name, parts, result.drawing if result.cells else None)
        number = next(iter(result.counts.values()))
        if arguments.prove and number is not None:
            _prove_number(result.puzzle, arguments, "count", number)
        return FOUND if result.complete else LIMIT

    with Pictures(arguments) as pictures:
        if arguments.scheduler and _is_one_model(arguments):
            with workers_for_tree(arguments) as workers:
                options["executor"] = workers
                here = vars(arguments) | {"scheduler": None, "workers": None, "trust": False}
                return for_each_result(argparse.Namespace(**here), count_it, print_result)
        return for_each_result(arguments, count_it, print_result, filter(None, [arguments.solver]))


def _is_one_model(arguments: argparse.Namespace) -> bool:
    """Return whether the files are one linear model, whose subtrees workers can share."""
    if "-" in arguments.files or arguments.solver or arguments.cells:
        return False  # the input can be read only once; a named solver counts the whole
    first = list(islice(puzzles_of(arguments), 2))
    return len(first) == 1 and isinstance(first[0], ReadPuzzle) and first[0].puzzle.is_model


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
    from milp_pips.puzzles.family import family_of
    from milp_pips.tasks.compile import draw_solutions

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


# The verbs ``prove FILE`` and ``verify DIR``, and ``--prove`` of other verbs: certificates.


@verb(
    *PUZZLE_FILE,
    Parameter("--out DIR", "new folder for the certificate", default=...),
    "milp_pips.tasks.prove:PROOF_PARAMETERS",
    DISTINCT,
    *OBJECTIVE,
    Parameter("--best K", "of a linear model only the K best solutions", whole(1)),
    *WITHIN,
    OVER,
    JOBS.says("processes that search subtrees of a linear model at the same time (default: 1)"),
    *cluster("subtrees of a linear model"),
    *settings("seconds", seconds="time limit for finding and checking the proof"),
)
@on_puzzle
def prove_verb(run: PuzzleRun) -> int:
    """Write and check the certificate of one puzzle."""
    from milp_pips.tasks.prove import prove

    arguments = run.arguments
    options = keywords(arguments, "kind", "start", "distinct", "best", "jobs", *WHICH_SOLUTIONS)
    with workers_for_tree(arguments) as workers:
        proved = prove(run.puzzle, arguments.out, deadline=run.deadline, executor=workers, **options)
    run.pictures.say(f"{run.puzzle.name}: {proved}")
    return FOUND if proved.is_complete else LIMIT


def _prove_number(puzzle: Puzzle, arguments: argparse.Namespace, kind: str, number: int) -> None:
    """Write the certificate that ``--prove`` requests; a line on standard error says what it proves.

    Raises EngineFault if it proves another number of solutions.
    """
    from milp_pips.tasks.prove import prove

    distinct = arguments.distinct.removeprefix("both")
    options = keywords(arguments, "over", "seconds")
    proved = prove(puzzle, arguments.prove, kind=kind, distinct=distinct, **options)
    complain(f"{puzzle.name}: {proved}")
    if proved.solutions != number:
        raise EngineFault(
            f"{puzzle.name} has {number} solutions, but the certificate proves {proved.solutions}"
        )


def report_certificate(puzzle: Puzzle, folder: str) -> None:
    """Print what the certificate of an answer proves, or that there is none, on standard error."""
    from milp_pips.verification.checkers import verify

    if os.path.isdir(folder) and os.listdir(folder):
        complain(f"{puzzle.name}: {verify(folder)}")
    else:
        complain(
            f"{puzzle.name}: no certificate: this is not known to be the best or (--unique) the only one"
        )


@verb(
    Parameter("DIR", "folder of the certificate"),
    Parameter("--time-limit SECONDS", "time limit (default: 3600)", SECONDS, 3600.0),
    JOBS.says("processes that check the pieces of a tree at the same time (default: 1)"),
)
def verify_verb(arguments: argparse.Namespace) -> int:
    """Check one certificate, in a process of its own, whose memory and time are limited."""
    from milp_pips.runtime.executor import call_in_process
    from milp_pips.runtime.interruptible import Limits
    from milp_pips.verification.checkers import MOST_MEMORY

    with Deadline(arguments.time_limit) as deadline:
        limits = Limits(deadline, memory=MOST_MEMORY)
        outcome = call_in_process(_verdict, (arguments.dir, arguments.jobs), limits)
    if outcome.value is None:
        complain(
            f"{arguments.dir}: not checked: {outcome.fault or f'the limit of {outcome.stop} is reached'}"
        )
        return LIMIT
    status, verdict = outcome.value
    print_line(f"{arguments.dir}: {verdict}")
    return status


def _verdict(folder: str, jobs: int, deadline: Deadline) -> tuple[int, str]:
    """Return the exit status and the verdict on a certificate."""
    from milp_pips.verification.checkers import verify

    try:
        return FOUND, str(verify(folder, seconds=deadline.remaining or 0.0, jobs=jobs))
    except InputError as fault:
        return NO_SOLUTION, fault.what
