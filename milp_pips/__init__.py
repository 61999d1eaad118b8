"""State a grid puzzle once; solve it with any MIP or CP engine.

>>> import milp_pips
>>> puzzle = milp_pips.read("examples/pips/notebook.txt")
>>> result = milp_pips.solve(puzzle)
>>> print(result)

Importing this package imports no engine, nor numpy.
"""

TYPE_CHECKING = False  # as ``typing`` has it, whose import takes longer than Ctrl-C should wait
if TYPE_CHECKING:
    from typing import Any

    from milp_pips.answer import Settings
    from milp_pips.diagram import Diagram, Unfinished, compile_diagram, project
    from milp_pips.errors import EngineFault, InputError, MilpPipsError, OutputError, UsageError
    from milp_pips.milp import formulate
    from milp_pips.pipeline import state
    from milp_pips.problem import (
        AllDifferent,
        AllEqual,
        Automaton,
        Cardinality,
        DominoCover,
        Less,
        LinearSum,
        NoGood,
        Problem,
        Regular,
        Relation,
        Table,
        Variable,
    )
    from milp_pips.puzzles.bare import Values
    from milp_pips.puzzles.colour_grid.puzzle import ColourGrid
    from milp_pips.puzzles.family import Puzzle
    from milp_pips.puzzles.pips.puzzle import Layout, Pips
    from milp_pips.puzzles.sudoku.puzzle import Sudoku
    from milp_pips.reading import read, read_all, read_board, read_text
    from milp_pips.space import Space
    from milp_pips.tasks.check import check
    from milp_pips.tasks.convert import convert
    from milp_pips.tasks.count import Count, count
    from milp_pips.tasks.enumerate import Enumeration, solutions
    from milp_pips.tasks.explain import Explanation, explain, steps
    from milp_pips.tasks.fitting import GeneratedPuzzle
    from milp_pips.tasks.generate import generate
    from milp_pips.tasks.hint import Hint, hint
    from milp_pips.tasks.rate import RatedPuzzle, rate
    from milp_pips.tasks.sample import sample
    from milp_pips.tasks.show import draw
    from milp_pips.tasks.solve import Result, solve
    from milp_pips.tasks.space import solution_space
    from milp_pips.teaching.cuts import CutStep, cuts
    from milp_pips.teaching.filter_trace import FilterTrace, filter_trace
    from milp_pips.teaching.parts import Partition, partition
    from milp_pips.teaching.relax import Relaxation, relax
    from milp_pips.teaching.search_tree import SearchTree, search_tree
    from milp_pips.teaching.strength import Strength, strength

__version__ = "0.1.0"

_HOMES = {
    "milp_pips.answer": ("Settings",),
    "milp_pips.diagram": ("Diagram", "Unfinished", "compile_diagram", "project"),
    "milp_pips.errors": ("EngineFault", "InputError", "MilpPipsError", "OutputError", "UsageError"),
    "milp_pips.milp": ("formulate",),
    "milp_pips.pipeline": ("state",),
    "milp_pips.problem": (
        "AllDifferent",
        "AllEqual",
        "Automaton",
        "Cardinality",
        "DominoCover",
        "Less",
        "LinearSum",
        "NoGood",
        "Problem",
        "Regular",
        "Relation",
        "Table",
        "Variable",
    ),
    "milp_pips.puzzles.bare": ("Values",),
    "milp_pips.puzzles.colour_grid.puzzle": ("ColourGrid",),
    "milp_pips.puzzles.family": ("Puzzle",),
    "milp_pips.puzzles.pips.puzzle": ("Layout", "Pips"),
    "milp_pips.puzzles.sudoku.puzzle": ("Sudoku",),
    "milp_pips.reading": ("read", "read_all", "read_board", "read_text"),
    "milp_pips.space": ("Space",),
    "milp_pips.tasks.check": ("check",),
    "milp_pips.tasks.convert": ("convert",),
    "milp_pips.tasks.count": ("Count", "count"),
    "milp_pips.tasks.enumerate": ("Enumeration", "solutions"),
    "milp_pips.tasks.explain": ("Explanation", "explain", "steps"),
    "milp_pips.tasks.fitting": ("GeneratedPuzzle",),
    "milp_pips.tasks.generate": ("generate",),
    "milp_pips.tasks.hint": ("Hint", "hint"),
    "milp_pips.tasks.rate": ("RatedPuzzle", "rate"),
    "milp_pips.tasks.sample": ("sample",),
    "milp_pips.tasks.show": ("draw",),
    "milp_pips.tasks.solve": ("Result", "solve"),
    "milp_pips.tasks.space": ("solution_space",),
    "milp_pips.teaching.cuts": ("CutStep", "cuts"),
    "milp_pips.teaching.filter_trace": ("FilterTrace", "filter_trace"),
    "milp_pips.teaching.parts": ("Partition", "partition"),
    "milp_pips.teaching.relax": ("Relaxation", "relax"),
    "milp_pips.teaching.search_tree": ("SearchTree", "search_tree"),
    "milp_pips.teaching.strength": ("Strength", "strength"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AllDifferent",
    "AllEqual",
    "Automaton",
    "Cardinality",
    "ColourGrid",
    "Count",
    "CutStep",
    "Diagram",
    "DominoCover",
    "EngineFault",
    "Enumeration",
    "Explanation",
    "FilterTrace",
    "GeneratedPuzzle",
    "Hint",
    "InputError",
    "Layout",
    "Less",
    "LinearSum",
    "MilpPipsError",
    "NoGood",
    "OutputError",
    "Partition",
    "Pips",
    "Problem",
    "Puzzle",
    "RatedPuzzle",
    "Regular",
    "Relation",
    "Relaxation",
    "Result",
    "SearchTree",
    "Settings",
    "Space",
    "Strength",
    "Sudoku",
    "Table",
    "Unfinished",
    "UsageError",
    "Values",
    "Variable",
    "check",
    "compile_diagram",
    "convert",
    "count",
    "cuts",
    "draw",
    "explain",
    "filter_trace",
    "formulate",
    "generate",
    "hint",
    "partition",
    "project",
    "rate",
    "read",
    "read_all",
    "read_board",
    "read_text",
    "relax",
    "sample",
    "search_tree",
    "solution_space",
    "solutions",
    "solve",
    "state",
    "steps",
    "strength",
]


def __getattr__(name: str) -> "Any":
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
