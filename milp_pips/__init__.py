"""State a grid puzzle or a linear model once, and list all its solutions by any MIP, CP or SAT engine.

>>> import milp_pips
>>> puzzle = milp_pips.read("examples/pips/notebook.txt")
>>> result = milp_pips.solve(puzzle)
>>> print(result)

Importing this package imports neither an engine nor numpy: each name is imported on first use. The stub
``__init__.pyi`` is the single list of the names and their modules, for type checkers and for this module.
"""

import os
from importlib import import_module

from milp_pips.problem import VERSION

TYPE_CHECKING = False  # replaces ``typing.TYPE_CHECKING``: importing ``typing`` would delay Ctrl-C
if TYPE_CHECKING:
    from typing import Any

__version__ = VERSION


def _modules() -> dict[str, str]:
    """Return the module of each public name, read from the stub on first use: programs use few names."""
    if known := globals().get("_known_modules"):
        return known
    with open(os.path.join(os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as stub:
        words = [line.split() for line in stub if line.startswith("from ")]
    known = globals()["_known_modules"] = {name: module for _, module, _, name, *_ in words}
    return known


def __getattr__(name: str) -> "Any":
    if name == "__all__":
        value: Any = sorted(_modules())
    elif name in _modules():
        value = getattr(import_module(_modules()[name]), name)
    else:
        raise AttributeError(f"module 'milp_pips' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_modules())
