"""The commands ``strength``, ``relax``, ``filter`` and ``tree``, which show models and searches."""

from __future__ import annotations

import argparse
from itertools import islice
from typing import TYPE_CHECKING, Any

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION, verb
from milp_pips.cli.loops import PuzzleRun, on_puzzle, settings_of, work_on_puzzles
from milp_pips.cli.output import Pictures, pictures
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import (
    PUZZLE_FILE,
    PUZZLE_FILES,
    SOLVER,
    Parameter,
    flag,
    settings,
    text_form,
)

if TYPE_CHECKING:
    from milp_pips.extras.lab.strength import Strength

GOAL = (
    Parameter("--maximise EXPR", "maximise this, such as 'sum(A) + 2*r1c1'", default="", group="goal"),
    Parameter("--minimise EXPR", "minimise this", default="", group="goal"),
)


def goals_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments that state an objective."""
    return {name: getattr(arguments, name) for name in ("maximise", "minimise")}


REDUCE_FIRST = "reduce the domains first, by rules such as filtering (default: none)"


@verb(
    *PUZZLE_FILES,
    Parameter(
        "--formulation NAME",
        "measure this formulation; may be given several times (default: all that the puzzle has)",
        default=(),
        many=True,
    ),
    flag("--root", "measure also what the root node of branch and cut excludes, by propagation, LP and cuts"),
    *settings("seconds", "memory", "rules", rules=REDUCE_FIRST),
    *pictures("for each formulation the values that it does not exclude", "a line per puzzle", as_text=False),
    epilog="A value that no solution has is excluded if the linear relaxation contains no point in which the "
    "cell takes it. The solution space determines exactly which values no solution has.",
)
def strength_verb(arguments: argparse.Namespace) -> int:
    """Measure the formulations on every puzzle."""
    from milp_pips.extras.lab.strength import strength
    from milp_pips.extras.lab.views.svg import drawings_of_strength
    from milp_pips.extras.lab.views.text import total

    chosen, measured = settings_of(arguments, formulation=""), list["Strength"]()

    def measure(run: PuzzleRun) -> int:
        names = arguments.formulation
        found = strength(run.puzzle, names, chosen, root=arguments.root, deadline=run.deadline)
        measured.append(found)
        drawn.present(
            found, run.puzzle.name, [found.summary()] if arguments.quiet else str(found).splitlines()
        )
        for drawing in drawings_of_strength(found) if drawn.wanted else ():
            drawn.keep(drawing, drawing.title)
        return FOUND if found.stop is Stop.FINISHED else LIMIT

    with Pictures(arguments) as drawn:
        status = work_on_puzzles(arguments, drawn, measure)
        for line in total(measured) if not arguments.quiet else ():
            drawn.say(line)
    return status


# ``relax FILE``: a vertex of the linear relaxation, drawn on the board.


def _cell_value(text: str) -> tuple[str, str]:
    """Return the name of a cell and its value."""
    name, equals, value = map(str.strip, text.partition("="))
    if not name or not equals or not value:
        raise ValueError
    return name, value


@verb(
    *PUZZLE_FILE,
    Parameter(
        "--fix CELL=VALUE",
        "fix a cell to a value, such as r1c1=3; may be given several times",
        text_form("CELL=VALUE, such as r1c1=3", _cell_value),
        (),
        many=True,
    ),
    flag("--dual", "with an objective: print what each row costs (dual values), and draw that of each cell"),
    "milp_pips.extras.lab.cli:GOAL",
    *settings("formulation", "seconds", "rules", rules=REDUCE_FIRST),
    *pictures("the relaxation", "the kind of vertex"),
    epilog="Of a linear model: the values, reduced costs and dual values at an optimal vertex of its own "
    "objective. Of a puzzle, shades and percentages are shares at a vertex. Without an objective, of many "
    "vertices it is the first that the simplex method reaches. With one, fills show prices (reduced costs) "
    "of values, and bars those of dominoes across two cells. Exit status 1: the relaxation is empty.",
)
@on_puzzle
def relax_verb(run: PuzzleRun) -> int:
    """Draw a vertex of the relaxation."""
    from milp_pips.extras.lab.relax import Relaxation, relax
    from milp_pips.extras.lab.views.svg import draw_row_prices
    from milp_pips.extras.lab.views.text import dual_parts, parts

    fix = dict(run.arguments.fix)
    chosen, goals = settings_of(run.arguments), goals_of(run.arguments)
    if run.arguments.dual and not (any(goals.values()) or run.puzzle.is_model):
        raise UsageError("--dual needs an objective, --maximise or --minimise")
    found = relax(run.puzzle, settings=chosen, fix=fix, deadline=run.deadline, **goals)
    if run.arguments.dual and isinstance(found, Relaxation) and found.bound is not None:
        run.pictures.present(found, run.puzzle.name, dual_parts(found), lambda: draw_row_prices(found))
        return FOUND
    lines = (part for part in parts(found) if isinstance(part, str))
    shown = islice(lines, 1) if run.arguments.quiet else parts(found)
    run.pictures.present(found, run.puzzle.name, shown, found.drawing if found.has_vertex else None)
    return {"infeasible": NO_SOLUTION, "unknown": LIMIT}.get(found.status, FOUND)


# ``filter FILE``: which rule removes which value, compared with what the linear relaxation excludes.


@verb(
    *PUZZLE_FILE,
    *settings(
        *("formulation", "seconds", "memory"),
        formulation="the model whose relaxation is compared, such as implication",
    ),
    *pictures("which method excludes which value", "the summary"),
    epilog="Exit status 1: a rule leaves a cell no value, so there is no solution.",
)
@on_puzzle
def filter_verb(run: PuzzleRun) -> int:
    """Print what filtering removes, step by step."""
    from milp_pips.extras.lab.filter_trace import filter_trace
    from milp_pips.extras.lab.views.text import parts

    found = filter_trace(run.puzzle, settings_of(run.arguments), deadline=run.deadline)
    shown = [found.summary()] if run.arguments.quiet else parts(found)
    run.pictures.present(found, run.puzzle.name, shown, found.drawing)
    return NO_SOLUTION if found.refutation else FOUND if found.stop is Stop.FINISHED else LIMIT


# ``tree FILE``: a textbook branch and bound, or a solver's own tree.


@verb(
    *PUZZLE_FILE,
    "milp_pips.extras.lab.search_tree:TREE_PARAMETERS",
    "milp_pips.extras.lab.cli:GOAL",
    SOLVER.says("show this solver's own tree, such as scip (default: the textbook's)"),
    *settings("formulation", "seconds", "seed", "options", "rules", "isolate", rules=REDUCE_FIRST),
    *pictures("the tree", "the summary", as_text=False),
    epilog="A textbook branch and bound that solves the linear relaxation of each node and does nothing "
    "else: meant for looking at small puzzles. With --solver, a solver's own tree, without its presolve and "
    "heuristics; its options may disable more.",
)
@on_puzzle
def tree_verb(run: PuzzleRun) -> int:
    """Search, and draw the tree. The exit status is 1 without a solution, and 3 if a limit was reached."""
    from milp_pips.extras.lab.search_tree import search_tree
    from milp_pips.extras.lab.views.text import parts

    arguments, chosen = run.arguments, settings_of(run.arguments)
    own = {name: getattr(arguments, name) for name in ("rule", "order", "limit", "solver")}
    found = search_tree(run.puzzle, chosen, deadline=run.deadline, **own, **goals_of(arguments))
    shown = [found.summary()] if arguments.quiet else parts(found)
    run.pictures.present(found, run.puzzle.name, shown, found.drawing)
    return {"infeasible": NO_SOLUTION, "unknown": LIMIT}.get(found.status, FOUND)
