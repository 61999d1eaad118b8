"""The commands ``strength``, ``relax``, ``filter`` and ``tree``, which show models and searches."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import (
    FILE,
    JSON,
    LEVEL,
    PUZZLE_FILES,
    QUIET,
    ProgressLine,
    for_each_puzzle,
    print_json,
    settings,
    settings_of,
    verb,
)
from milp_pips.cli.pictures import COLOR, Pictures, on_puzzle, svg, unless_interrupted
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import SOLVER, SWITCH, Parameter, text_form

if TYPE_CHECKING:
    from milp_pips.extras.lab.strength import Strength
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Board, Puzzle


REDUCE_FIRST = "reduce the domains first, by rules such as filtering (default: none)"


@verb(
    PUZZLE_FILES,
    LEVEL,
    Parameter(
        "--formulation NAME",
        "measure this formulation; may be given several times (default: all that the puzzle has)",
        default=(),
        many=True,
    ),
    Parameter(
        "--root",
        "measure also what the root node of branch and cut excludes, by propagation, LP and cuts",
        SWITCH,
        False,
    ),
    *settings("seconds", "memory", "rules", rules=REDUCE_FIRST),
    JSON,
    svg("for each formulation the values that it does not exclude"),
    QUIET.says("print only a line per puzzle"),
    epilog="A value that no solution has is excluded if the linear relaxation contains no point in which the "
    "cell takes it. The solution space determines exactly which values no solution has.",
)
def strength_verb(arguments: argparse.Namespace) -> int:
    """Measure the formulations on every puzzle."""
    from milp_pips.compilation.limits import Unfinished
    from milp_pips.extras.lab.strength import strength, total
    from milp_pips.problem.stopping import Deadline

    chosen = settings_of(arguments, formulation="")
    progress = ProgressLine()
    measured: list[Strength] = []

    def measure_one(puzzle: Puzzle, _reading: float) -> int:
        with Deadline(chosen.seconds) as deadline:
            deadline.on_progress = progress.listener
            try:
                found = strength(
                    puzzle, arguments.formulation, chosen, root=arguments.root, deadline=deadline
                )
            except Unfinished as reason:
                progress.clear()
                complain(f"{puzzle.name}: {reason}")
                return unless_interrupted(reason.stop, LIMIT)
        progress.clear()
        measured.append(found)
        if arguments.json:
            print_json(found.to_json())
        else:
            for line in [found.summary()] if arguments.quiet else str(found).splitlines():
                pictures.say(line)
        for drawing in found.drawings() if pictures.wanted else ():
            pictures.keep(drawing, drawing.title)
        return unless_interrupted(found.stop, FOUND if found.stop is Stop.FINISHED else LIMIT)

    with Pictures(arguments) as pictures:
        status = for_each_puzzle(arguments, measure_one)
        for line in total(measured) if not (arguments.json or arguments.quiet) else ():
            pictures.say(line)
    return status


# ``relax FILE``: a vertex of the linear relaxation, drawn on the board.


def _cell_value(text: str) -> tuple[str, str]:
    """Return the name of a cell and its value."""
    name, equals, value = map(str.strip, text.partition("="))
    if not name or not equals or not value:
        raise ValueError
    return name, value


@verb(
    FILE,
    LEVEL,
    Parameter(
        "--fix CELL=VALUE",
        "fix a cell to a value, such as r1c1=3; may be given several times",
        text_form("CELL=VALUE, such as r1c1=3", _cell_value),
        (),
        many=True,
    ),
    *settings("formulation", "seconds", "rules", rules=REDUCE_FIRST),
    JSON,
    svg("the relaxation"),
    COLOR,
    QUIET.says("print only the kind of vertex"),
    epilog="Shades and percentages are shares at a vertex. There is no objective: of many vertices it is the "
    "first that the simplex method reaches. Exit status 1: the relaxation is empty.",
)
@on_puzzle
def relax_verb(
    arguments: argparse.Namespace, puzzle: Puzzle, _: Board | None, pictures: Pictures, deadline: Deadline
) -> int:
    """Draw a vertex of the relaxation."""
    from milp_pips.extras.lab.relax import relax

    found = relax(puzzle, settings=settings_of(arguments), fix=dict(arguments.fix), deadline=deadline)
    if arguments.json:
        print_json(found.to_json())
    else:
        lines = [part for part in found.parts() if isinstance(part, str)]
        pictures.say_parts(lines[:1] if arguments.quiet else found.parts())
    if found.x is not None:
        pictures.keep(found.drawing(), puzzle.name)
    status = {"infeasible": NO_SOLUTION, "unknown": LIMIT}.get(found.status, FOUND)
    return unless_interrupted(found.stop, status)


# ``filter FILE``: which rule removes which value, compared with what the linear relaxation excludes.


@verb(
    FILE,
    LEVEL,
    *settings(
        *("formulation", "seconds", "memory"),
        formulation="the model whose relaxation is compared, such as implication",
    ),
    JSON,
    svg("which method excludes which value"),
    COLOR,
    QUIET.says("print only the summary"),
    epilog="Exit status 1: a rule leaves a cell no value, so there is no solution.",
)
@on_puzzle
def filter_verb(
    arguments: argparse.Namespace, puzzle: Puzzle, _: Board | None, pictures: Pictures, deadline: Deadline
) -> int:
    """Print what filtering removes, step by step."""
    from milp_pips.extras.lab.filter_trace import filter_trace

    found = filter_trace(puzzle, settings_of(arguments), deadline=deadline)
    if arguments.json:
        print_json(found.to_json())
    else:
        pictures.say_parts([found.summary()] if arguments.quiet else found.parts())
    pictures.keep(found.drawing(), puzzle.name)
    status = FOUND if found.stop is Stop.FINISHED else LIMIT
    return unless_interrupted(found.stop, NO_SOLUTION if found.refutation else status)


# ``tree FILE``: a textbook branch and bound, or a solver's own tree.


@verb(
    FILE,
    LEVEL,
    "milp_pips.extras.lab.search_tree:TREE_PARAMETERS",
    SOLVER.says("show this solver's own tree, such as scip (default: the textbook's)"),
    *settings("formulation", "seconds", "seed", "options", "rules", "isolate", rules=REDUCE_FIRST),
    JSON,
    svg("the tree"),
    QUIET.says("print only the summary"),
    epilog="A textbook branch and bound that solves the linear relaxation of each node and does nothing "
    "else: meant for looking at small puzzles. With --solver, a solver's own tree, without its presolve and "
    "heuristics; its options may disable more.",
)
@on_puzzle
def tree_verb(
    arguments: argparse.Namespace, puzzle: Puzzle, _: Board | None, pictures: Pictures, deadline: Deadline
) -> int:
    """Search, and draw the tree. The exit status is 1 without a solution, and 3 if a limit was reached."""
    from milp_pips.extras.lab.search_tree import search_tree

    own = {
        name: getattr(arguments, name)
        for name in ("rule", "order", "maximise", "minimise", "solver", "limit")
    }
    found = search_tree(puzzle, settings_of(arguments), deadline=deadline, **own)
    if arguments.json:
        print_json(found.to_json())
    else:
        pictures.print(found.drawing())
        pictures.say(found.summary())
    if pictures.wanted:
        pictures.keep(found.drawing(), puzzle.name)
    status = {"infeasible": NO_SOLUTION, "unknown": LIMIT}.get(found.status, FOUND)
    return unless_interrupted(found.stop, status)


# ``enumerate --show``: the steps of an enumeration by cuts or by partition.


def show_enumeration(
    arguments: argparse.Namespace, puzzle: Puzzle, pictures: Pictures, deadline: Deadline
) -> int:
    """Show the steps of an enumeration by cuts or partition. Raises UsageError for incompatible options."""
    if arguments.method not in ("cuts", "partition"):
        raise UsageError("--show needs --method cuts or --method partition: name one")
    for name in ("board", "solver", "out", "quiet", "json"):
        if getattr(arguments, name):
            raise UsageError(f"--show and --{name} do not go together: leave one out")
    if arguments.jobs > 1:
        raise UsageError("--show shows a single process: leave --jobs out")
    show = _show_cuts if arguments.method == "cuts" else _show_partition
    stop, complete, solutions = show(arguments, puzzle, pictures, deadline)
    if complete:
        return FOUND if solutions else NO_SOLUTION
    return unless_interrupted(stop, FOUND if stop is Stop.COUNT else LIMIT)


def _show_cuts(
    arguments: argparse.Namespace, puzzle: Puzzle, pictures: Pictures, deadline: Deadline
) -> tuple[Stop, bool, int]:
    """Print the steps; return the stopping criterion, whether the list is complete, and its length."""
    from milp_pips.extras.lab.cuts import cuts
    from milp_pips.tasks.convert import draw

    chosen, solutions = settings_of(arguments), 0
    steps = cuts(puzzle, chosen, distinct=arguments.distinct, limit=arguments.limit, deadline=deadline)
    for step in steps:
        pictures.say_parts(step.parts())
        if step.solution is None:
            return step.stop, step.confirmed_by is not None, solutions
        solutions += 1
        pictures.keep(draw(puzzle, step.solution), f"{puzzle.name}-{solutions}")
    return Stop.COUNT, False, solutions


def _show_partition(
    arguments: argparse.Namespace, puzzle: Puzzle, pictures: Pictures, deadline: Deadline
) -> tuple[Stop, bool, int]:
    """Print the tree of parts; return the stopping criterion, whether it is complete, and its solutions."""
    from milp_pips.extras.lab.partition_tree import partition

    chosen = settings_of(arguments)
    tree = partition(puzzle, chosen, distinct=arguments.distinct, limit=arguments.limit, deadline=deadline)
    pictures.show(tree.drawing(), puzzle.name)
    pictures.say(tree.summary())
    return tree.stop, tree.complete, len(tree.solutions)
