"""The verb ``enumerate FILE``: print every solution as it is found, and whether the list is complete."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION
from milp_pips.cli.arguments import (
    BOARD,
    DISTINCT,
    OBJECTIVE,
    OVER,
    PROVE,
    PUZZLE_FILE,
    WITHIN,
    WITHIN_RELATIVE,
    PuzzleRun,
    on_puzzle,
    require_plain,
    settings,
    settings_of,
    verb,
)
from milp_pips.cli.output import ProgressLine, output, print_json
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import SOLVER, Parameter, flag, whole
from milp_pips.problem.plugins import extra

if TYPE_CHECKING:
    from milp_pips.tasks.listers import Enumeration


@verb(
    *PUZZLE_FILE,
    BOARD.says("list only the solutions that contain this partial board"),
    SOLVER.says("name of the solver (default: a decision diagram, which needs no solver)"),
    *settings("formulation", "seconds", "threads", "seed", "options", "rules", "isolate"),
    "milp_pips.tasks.enumerate:ENUMERATION_PARAMETERS",
    DISTINCT,
    *OBJECTIVE,
    Parameter("--best K", "with an objective: only the K best solutions, the best first", whole(1)),
    WITHIN,
    WITHIN_RELATIVE,
    OVER,
    Parameter("--diverse K", "K solutions, each as far as possible from those before it", whole(2)),
    Parameter("--limit N", "stop after N solutions", whole(1)),
    Parameter("--out FILE", "append to this JSON-lines file; a killed run resumes from it", default=""),
    Parameter("--jobs N", "processes that search the subproblems of a partition (default: 1)", whole(1), 1),
    PROVE.says("write a certificate of the complete list into this new folder; see the verb prove"),
    flag(
        "--show",
        "with --method cuts: print the cut that excludes each solution, in words and as a row; with --method "
        "partition: print the tree of subproblems",
    ),
    *output("the solutions", "the summary"),
)
@on_puzzle
def enumerate_verb(run: PuzzleRun) -> int:
    """List the solutions of one puzzle."""
    from milp_pips.puzzles.registry import family_of
    from milp_pips.tasks.enumerate import solutions

    arguments, puzzle, pictures, deadline = run.arguments, run.puzzle, run.pictures, run.deadline
    if arguments.show:
        show = extra("lab.cli:show_enumeration")
        if show is None:
            raise UsageError("--show needs milp_pips.extras.lab, which is not installed")
        return int(show(run))
    require_plain(arguments)
    found = solutions(
        puzzle,
        arguments.solver,
        settings_of(arguments),
        method=arguments.method,
        distinct=arguments.distinct,
        limit=arguments.limit,
        out=arguments.out,
        jobs=arguments.jobs,
        board=run.board,
        maximise=arguments.maximise,
        minimise=arguments.minimise,
        best=arguments.best,
        within=arguments.within,
        within_relative=arguments.within_relative,
        over=arguments.over or None,
        diverse=arguments.diverse,
        deadline=deadline,
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
        pictures.say(f"{puzzle.name}: {summary}")
    if arguments.prove and summary.complete:
        from milp_pips.cli.certificates import prove_number

        prove_number(puzzle, arguments, "list", summary.solutions)
    if summary.complete:
        return FOUND if summary.solutions else NO_SOLUTION
    return FOUND if summary.stop is Stop.COUNT else LIMIT


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
