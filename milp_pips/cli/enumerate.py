"""The verb ``enumerate FILE``: print every solution as it is found, and whether the list is complete."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION
from milp_pips.cli.arguments import (
    ProgressLine,
    add_board,
    add_distinct,
    add_json,
    add_puzzle_file,
    add_settings,
    fault_as_json,
    positive,
    print_json,
    read_with_board,
    settings_of,
)
from milp_pips.cli.pictures import Pictures, add_pictures
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.plugins import extra

if TYPE_CHECKING:
    from milp_pips.tasks.enumerate import Enumeration


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    from milp_pips.tasks.enumerate import ENUMERATION_METHODS

    add_puzzle_file(parser)
    add_board(parser, "list only the solutions that contain this partial board")
    unnamed = "name of the solver (default: a decision diagram, which needs no solver)"
    engine = "solver", "formulation", "time_limit", "threads", "seed", "option", "presolve_rules", "isolate"
    add_settings(parser, *engine, solver=unnamed)
    parser.add_argument(
        "--method",
        choices=ENUMERATION_METHODS,
        default="auto",
        help="diagram: decision diagram; native: the engine's own enumeration; partition: split the rest of "
        "the search space after each solution; cubes: partition, with all solutions around each found one; "
        "cuts: exclude each solution by a cut (default: auto, the quickest that fits)",
    )
    add_distinct(parser)
    parser.add_argument("--limit", type=positive, metavar="N", help="stop after N solutions")
    parser.add_argument(
        "--out",
        metavar="FILE",
        default="",
        help="append to this JSON-lines file; a killed run resumes from it",
    )
    parser.add_argument(
        "--jobs",
        type=positive,
        default=1,
        metavar="N",
        help="processes that search the subproblems of a partition (default: 1)",
    )
    parser.add_argument("--quiet", action="store_true", help="print only the summary")
    parser.add_argument(
        "--show",
        action="store_true",
        help="with --method cuts: print the cut that excludes each solution, in words and as a row; with "
        "--method partition: print the tree of subproblems",
    )
    add_json(parser)
    add_pictures(parser, "the solutions")


def run(arguments: argparse.Namespace) -> int:
    """List the solutions of one puzzle."""
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.registry import family_of
    from milp_pips.tasks.convert import draw
    from milp_pips.tasks.enumerate import Enumeration

    puzzle, board = read_with_board(arguments.file, arguments.board, arguments.level)
    if arguments.show:
        show = extra("lab.cli:show_enumeration")
        if show is None:
            raise UsageError("--show needs milp_pips.extras.lab, which is not installed")
        return int(show(arguments, puzzle))
    with (
        Pictures(arguments) as pictures,
        Deadline(arguments.time_limit) as deadline,
        fault_as_json(arguments, puzzle.name),
    ):
        found = Enumeration(
            puzzle,
            arguments.solver,
            settings_of(arguments),
            method=arguments.method,
            distinct=arguments.distinct,
            limit=arguments.limit,
            out=arguments.out,
            jobs=arguments.jobs,
            board=board,
            deadline=deadline,
        )
        progress = _Progress(found)
        deadline.on_progress = progress.listener
        silent = arguments.quiet or (arguments.out and not arguments.json)
        if arguments.json or (silent and arguments.out):
            family = family_of(puzzle)
            for line in found.json_lines():
                if not silent:
                    sys.stdout.write(f"{line}\n")
                if pictures.wanted:
                    solution = family.read_solution(puzzle, line, "a solution")
                    pictures.keep(draw(puzzle, solution), f"{puzzle.name}-{found.found}")
                progress.show_found()
        else:
            for solution in found:
                if pictures.wanted or not silent:
                    drawing = draw(puzzle, solution)
                    pictures.keep(drawing, f"{puzzle.name}-{found.found}")
                    if not silent:
                        pictures.print(drawing)
                progress.show_found()
        progress.clear()
        summary = found.summary
        assert summary is not None
        if arguments.json:
            print_json({"summary": summary.to_json()})
        else:
            pictures.say(f"{puzzle.name}: {summary}")
    if summary.stop is Stop.INTERRUPTED:
        return INTERRUPTED
    if summary.complete:
        return FOUND if summary.solutions else NO_SOLUTION
    return FOUND if summary.stop is Stop.COUNT else LIMIT


class _Progress(ProgressLine):
    """The progress line of an enumeration: solutions found and their rate; flushes the first solution."""

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
