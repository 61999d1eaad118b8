"""The constraints, one file each: meaning, propagation, 0-1 rows, clauses, automaton, simplification.

A constraint outside this package is written in the same way; see ``milp_pips.problem.constraint``. Each
name is imported on first use, since a puzzle needs few of the constraints. The stub ``__init__.pyi`` lists
the names.
"""

import os

from milp_pips.problem.plugins import lazy_package

__getattr__, __all__ = lazy_package(__name__, os.path.dirname(__file__))


def __dir__() -> list[str]:
    return __all__
