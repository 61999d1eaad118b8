"""A problem as a MiniZinc model: text that a person can read and any solver that speaks MiniZinc can run."""

from milp_pips.minizinc.names import identifiers
from milp_pips.minizinc.statement import to_minizinc

__all__ = ["identifiers", "to_minizinc"]
