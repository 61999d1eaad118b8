"""The commands ``strength``, ``relax``, ``filter`` and ``tree``, which show models and searches."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, Verb, complain
from milp_pips.cli.arguments import (
    ProgressLine,
    add_json,
    add_puzzle_file,
    add_puzzle_files,
    add_settings,
    cell_value,
    fault_as_json,
    for_each_puzzle,
    positive,
    print_json,
    settings_of,
)
from milp_pips.cli.pictures import Pictures, add_pictures, add_quiet
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from milp_pips.extras.lab.strength import Strength
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Puzzle


def add_strength_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``strength``."""
    parser.epilog = (
        "A value that no solution has is excluded if the linear relaxation contains no point in "
        "which the cell takes it. The solution space determines exactly which values no solution has."
    )
    add_puzzle_files(parser)
    parser.add_argument(
        "--formulation",
        action="append",
        default=[],
        metavar="NAME",
        help="measure this formulation; may be given several times (default: all that the puzzle has)",
    )
    parser.add_argument(
        "--root",
        action="store_true",
        help="measure also what the root node of branch and cut excludes, by propagation, LP and cuts",
    )
    rules = "reduce the domains first, by rules such as filtering (default: none)"
    add_settings(parser, "time_limit", "memory_limit", "presolve_rules", presolve_rules=rules)
    add_json(parser)
    add_pictures(parser, "for each formulation the values that it does not exclude", as_text=False)
    add_quiet(parser, "a line per puzzle")


def run_strength(arguments: argparse.Namespace) -> int:
    """Measure the formulations on every puzzle."""
    from milp_pips.compilation.diagram import Unfinished
    from milp_pips.extras.lab.strength import strength, total
    from milp_pips.problem.stopping import Deadline

    settings = settings_of(arguments, formulation="")
    progress = ProgressLine()
    measured: list[Strength] = []

    def measure_one(puzzle: Puzzle, _reading: float) -> int:
        with Deadline(settings.seconds) as deadline:
            deadline.on_progress = progress.listener
            try:
                found = strength(
                    puzzle, arguments.formulation, settings, root=arguments.root, deadline=deadline
                )
            except Unfinished as reason:
                progress.clear()
                complain(f"{puzzle.name}: {reason}")
                return INTERRUPTED if reason.stop is Stop.INTERRUPTED else LIMIT
        progress.clear()
        measured.append(found)
        if arguments.json:
            print_json(found.to_json())
        else:
            for line in [found.summary()] if arguments.quiet else str(found).splitlines():
                pictures.say(line)
        for drawing in found.drawings() if pictures.wanted else ():
            pictures.keep(drawing, drawing.title)
        if found.stop is Stop.INTERRUPTED:
            return INTERRUPTED
        return FOUND if found.stop is Stop.FINISHED else LIMIT

    with Pictures(arguments) as pictures:
        status = for_each_puzzle(arguments, measure_one)
        for line in total(measured) if not (arguments.json or arguments.quiet) else ():
            pictures.say(line)
    return status


def _show_lesson(arguments: argparse.Namespace, show: Callable[[Puzzle, Deadline, Pictures], int]) -> int:
    """Read the puzzle, show something about it within the limits, and return the exit status."""
    from milp_pips.compilation.diagram import Unfinished
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.reading import read

    puzzle = read(arguments.file, arguments.level)
    with (
        Pictures(arguments) as pictures,
        Deadline(arguments.time_limit) as deadline,
        fault_as_json(arguments, puzzle.name),
    ):
        try:
            return show(puzzle, deadline, pictures)
        except Unfinished as reason:
            complain(f"{puzzle.name}: {reason}")
            return INTERRUPTED if reason.stop is Stop.INTERRUPTED else LIMIT


# ``relax FILE``: a vertex of the linear relaxation, drawn on the board.


def add_relax_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``relax``."""
    parser.epilog = (
        "Shades and percentages are shares at a vertex. There is no objective: of many vertices it is the "
        "first that the simplex method reaches. Exit status 1: the relaxation is empty."
    )
    add_puzzle_file(parser)
    parser.add_argument(
        "--fix",
        action="append",
        default=[],
        type=cell_value,
        metavar="CELL=VALUE",
        help="fix a cell to a value, such as r1c1=3; may be given several times",
    )
    rules = "reduce the domains first, by rules such as filtering (default: none)"
    add_settings(parser, "formulation", "time_limit", "presolve_rules", presolve_rules=rules)
    add_json(parser)
    add_pictures(parser, "the relaxation")
    add_quiet(parser, "the kind of vertex")


def run_relax(arguments: argparse.Namespace) -> int:
    """Draw a vertex of the relaxation."""
    from milp_pips.extras.lab.relax import relax

    def show_relaxation(puzzle: Puzzle, deadline: Deadline, pictures: Pictures) -> int:
        found = relax(puzzle, settings=settings_of(arguments), fix=dict(arguments.fix), deadline=deadline)
        if arguments.json:
            print_json(found.to_json())
        else:
            lines = [part for part in found.parts() if isinstance(part, str)]
            pictures.say_parts(lines[:1] if arguments.quiet else found.parts())
        if found.x is not None:
            pictures.keep(found.drawing(), puzzle.name)
        if found.stop is Stop.INTERRUPTED:
            return INTERRUPTED
        return {"infeasible": NO_SOLUTION, "unknown": LIMIT}.get(found.status, FOUND)

    return _show_lesson(arguments, show_relaxation)


# ``filter FILE``: which rule removes which value, compared with what the linear relaxation excludes.


def add_filter_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``filter``."""
    parser.epilog = "Exit status 1: a rule leaves a cell no value, so there is no solution."
    add_puzzle_file(parser)
    formulation = "the model whose relaxation is compared, such as implication"
    add_settings(parser, "formulation", "time_limit", "memory_limit", formulation=formulation)
    add_json(parser)
    add_pictures(parser, "which method excludes which value")
    add_quiet(parser, "the summary")


def run_filter(arguments: argparse.Namespace) -> int:
    """Print what filtering removes, step by step."""
    from milp_pips.extras.lab.filter_trace import filter_trace

    def show_filtering(puzzle: Puzzle, deadline: Deadline, pictures: Pictures) -> int:
        found = filter_trace(puzzle, settings_of(arguments), deadline=deadline)
        if arguments.json:
            print_json(found.to_json())
        else:
            pictures.say_parts([found.summary()] if arguments.quiet else found.parts())
        pictures.keep(found.drawing(), puzzle.name)
        if found.stop is Stop.INTERRUPTED:
            return INTERRUPTED
        if found.refutation:
            return NO_SOLUTION
        return FOUND if found.stop is Stop.FINISHED else LIMIT

    return _show_lesson(arguments, show_filtering)


# ``tree FILE``: a textbook branch and bound, or a solver's own tree.


def add_tree_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``tree``."""
    from milp_pips.extras.lab.branching import BRANCHING_RULES, ORDERS
    from milp_pips.extras.lab.search_tree import MAX_TREE_NODES

    parser.epilog = (
        "A textbook branch and bound that solves the linear relaxation of each node and does nothing else: "
        "meant for looking at small puzzles. With --solver, a solver's own tree, without its presolve and "
        "heuristics; its options may disable more."
    )
    add_puzzle_file(parser)
    parser.add_argument(
        "--rule",
        choices=tuple(BRANCHING_RULES),
        default="most-fractional",
        help="branch on the first fractional column, the one nearest to one half, the one whose children "
        "gain most, or the values of a cell (default: most-fractional)",
    )
    parser.add_argument(
        "--order",
        choices=tuple(ORDERS),
        default="depth",
        help="take the deepest node next, or the one with the best bound (default: depth)",
    )
    goal = parser.add_mutually_exclusive_group()
    goal.add_argument("--maximise", metavar="CELL", default="", help="maximise the value of this cell")
    goal.add_argument("--minimise", metavar="CELL", default="", help="minimise the value of this cell")
    parser.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        default=MAX_TREE_NODES,
        help=f"nodes to solve at most (default: {MAX_TREE_NODES})",
    )
    rules = "reduce the domains first, by rules such as filtering (default: none)"
    solver = "show this solver's own tree, such as scip (default: the textbook's)"
    names = "solver", "formulation", "time_limit", "seed", "option", "presolve_rules", "isolate"
    add_settings(parser, *names, solver=solver, presolve_rules=rules)
    add_json(parser)
    add_pictures(parser, "the tree", as_text=False)
    add_quiet(parser, "the summary")


def run_tree(arguments: argparse.Namespace) -> int:
    """Search, and draw the tree. The exit status is 1 without a solution, and 3 if a limit was reached."""
    from milp_pips.extras.lab.search_tree import search_tree

    def show_tree(puzzle: Puzzle, deadline: Deadline, pictures: Pictures) -> int:
        found = search_tree(
            puzzle,
            settings_of(arguments),
            rule=arguments.rule,
            order=arguments.order,
            maximise=arguments.maximise,
            minimise=arguments.minimise,
            solver=arguments.solver,
            limit=arguments.limit,
            deadline=deadline,
        )
        if arguments.json:
            print_json(found.to_json())
        else:
            pictures.print(found.drawing())
            pictures.say(found.summary())
        if pictures.wanted:
            pictures.keep(found.drawing(), puzzle.name)
        if found.stop is Stop.INTERRUPTED:
            return INTERRUPTED
        return {"infeasible": NO_SOLUTION, "unknown": LIMIT}.get(found.status, FOUND)

    return _show_lesson(arguments, show_tree)


# ``enumerate --show``: the steps of an enumeration by cuts or by partition.


def show_enumeration(arguments: argparse.Namespace, puzzle: Puzzle) -> int:
    """Show the steps of an enumeration by cuts or partition. Raises UsageError for incompatible options."""
    from milp_pips.problem.stopping import Deadline

    if arguments.method not in ("cuts", "partition"):
        raise UsageError("--show needs --method cuts or --method partition: name one")
    for name in ("board", "solver", "out", "quiet", "json"):
        if getattr(arguments, name):
            raise UsageError(f"--show and --{name} do not go together: leave one out")
    if arguments.jobs > 1:
        raise UsageError("--show shows a single process: leave --jobs out")
    with Pictures(arguments) as pictures, Deadline(arguments.time_limit) as deadline:
        show = _show_cuts if arguments.method == "cuts" else _show_partition
        stop, complete, solutions = show(arguments, puzzle, pictures, deadline)
    if stop is Stop.INTERRUPTED:
        return INTERRUPTED
    if complete:
        return FOUND if solutions else NO_SOLUTION
    return FOUND if stop is Stop.COUNT else LIMIT


def _show_cuts(
    arguments: argparse.Namespace, puzzle: Puzzle, pictures: Pictures, deadline: Deadline
) -> tuple[Stop, bool, int]:
    """Print the steps; return the stopping criterion, whether the list is complete, and its length."""
    from milp_pips.extras.lab.cuts import cuts
    from milp_pips.tasks.convert import draw

    settings, solutions = settings_of(arguments), 0
    steps = cuts(puzzle, settings, distinct=arguments.distinct, limit=arguments.limit, deadline=deadline)
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

    settings = settings_of(arguments)
    tree = partition(puzzle, settings, distinct=arguments.distinct, limit=arguments.limit, deadline=deadline)
    pictures.show(tree.drawing(), puzzle.name)
    pictures.say(tree.summary())
    return tree.stop, tree.complete, len(tree.solutions)


STRENGTH = Verb(add_strength_arguments, run_strength)
RELAX = Verb(add_relax_arguments, run_relax)
FILTER = Verb(add_filter_arguments, run_filter)
TREE = Verb(add_tree_arguments, run_tree)
