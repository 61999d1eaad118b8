"""The formulation of a problem as a formula in conjunctive normal form (CNF), for SAT solvers.

There is a literal for each value of each variable (direct encoding), for each domino on each edge in each
orientation, for each state of the automaton of a sum or a word, and for each "at least k of the first i". The
literals of the variables define all others, so the models of the formula correspond one to one to the points
of the problem. With these encodings unit propagation finds what a person would see in a single rule.

``CnfEncoding`` is the formula of a problem, and ``to_dimacs`` writes it as a file.
"""

from __future__ import annotations

from milp_pips.formulations.cnf.clauses import Clauses as Clauses
from milp_pips.formulations.cnf.encoding import CnfEncoding as CnfEncoding
from milp_pips.formulations.cnf.encoding import to_dimacs as to_dimacs

__all__ = ["Clauses", "CnfEncoding", "to_dimacs"]
