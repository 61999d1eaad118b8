"""Domains reduced by what follows from the rules, once on the problem for any engine; no solution is lost.

``filter_domains`` is our own; ``equality`` and ``pruning`` are the preprocessing of a published CP-SAT
notebook for Pips (``PipsSolver``), stated for any problem; ``singles`` is how a person begins a Sudoku.
``obstruction`` proves in one sentence that there is no solution, and shares no code with the others.
"""

from milp_pips.filtering.domains import Contradiction
from milp_pips.filtering.filter import filter_domains
from milp_pips.filtering.obstructions import obstruction
from milp_pips.filtering.reductions import DEFAULT_RULES, RULES, equality, pruning, reduce_domains, singles

__all__ = [
    "DEFAULT_RULES",
    "RULES",
    "Contradiction",
    "equality",
    "filter_domains",
    "obstruction",
    "pruning",
    "reduce_domains",
    "singles",
]
