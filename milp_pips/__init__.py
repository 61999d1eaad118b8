"""State a grid puzzle once; solve it with any MIP or CP engine.

>>> import milp_pips
>>> puzzle = milp_pips.read("examples/pips/notebook.txt")
>>> result = milp_pips.solve(puzzle)
>>> print(result)

Importing this package imports no engine, nor numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from milp_pips.counting import Count, count
    from milp_pips.diagram import Diagram, compile_diagram, projected
    from milp_pips.enumeration import Enumeration, solutions
    from milp_pips.errors import EngineFault, InputError, MilpPipsError, UsageError
    from milp_pips.generation import Made, generate
    from milp_pips.milp import formulate
    from milp_pips.reading import read, read_all, read_text
    from milp_pips.sampling import sample
    from milp_pips.solving import Result, solve

__version__ = "0.1.0"

_HOMES = {
    "Count": "milp_pips.counting",
    "Diagram": "milp_pips.diagram",
    "Enumeration": "milp_pips.enumeration",
    "Made": "milp_pips.generation",
    "compile_diagram": "milp_pips.diagram",
    "count": "milp_pips.counting",
    "generate": "milp_pips.generation",
    "projected": "milp_pips.diagram",
    "sample": "milp_pips.sampling",
    "solutions": "milp_pips.enumeration",
    "EngineFault": "milp_pips.errors",
    "InputError": "milp_pips.errors",
    "MilpPipsError": "milp_pips.errors",
    "Result": "milp_pips.solving",
    "UsageError": "milp_pips.errors",
    "formulate": "milp_pips.milp",
    "read": "milp_pips.reading",
    "read_all": "milp_pips.reading",
    "read_text": "milp_pips.reading",
    "solve": "milp_pips.solving",
}

__all__ = [
    "Count",
    "Diagram",
    "EngineFault",
    "Enumeration",
    "InputError",
    "Made",
    "MilpPipsError",
    "Result",
    "UsageError",
    "compile_diagram",
    "count",
    "formulate",
    "generate",
    "projected",
    "read",
    "read_all",
    "read_text",
    "sample",
    "solutions",
    "solve",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
