"""``enumerate --show``: how a list by cuts, or a partition, comes about."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION
from milp_pips.cli.arguments import settings_of
from milp_pips.cli.pictures import Pictures
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Puzzle


def run(arguments: argparse.Namespace, puzzle: Puzzle) -> int:
    """Show how a list by cuts or a partition comes about. Raises UsageError for what does not go with it."""
    from milp_pips.problem.stopping import Deadline

    if arguments.method not in ("cuts", "partition"):
        raise UsageError("--show shows --method cuts or --method partition: name one")
    for name in ("board", "solver", "out", "quiet", "json"):
        if getattr(arguments, name):
            raise UsageError(f"--show and --{name} do not go together: leave one out")
    if arguments.jobs > 1:
        raise UsageError("--show shows what one process does: leave --jobs out")
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
    """Print the steps; return why they ended, whether the list is complete, and how many there are."""
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
    """Print the tree of parts; return why it ended, whether it is complete, and how many solutions it has."""
    from milp_pips.extras.lab.partition_tree import partition

    settings = settings_of(arguments)
    tree = partition(puzzle, settings, distinct=arguments.distinct, limit=arguments.limit, deadline=deadline)
    pictures.show(tree.drawing(), puzzle.name)
    pictures.say(tree.summary())
    return tree.stop, tree.complete, len(tree.solutions)
