"""The problem as clauses, the third statement beside 0-1 rows and constraints: for SAT solvers.

A variable with a value is a literal (direct encoding); a domino on an edge, this way round, is one; so is
every state that an automaton of a sum or a word can be in, every "at least k of the first i". What these mean
follows from the literals of the problem alone, so the points of the formula are those of the problem, one to
one. The encodings keep what a person would see in one rule in reach of unit propagation.

``CnfEncoding`` is the formula of a problem; ``GroupedCnf`` that of a problem taken apart, in which every
item waits for a literal of its own, its selector. ``to_dimacs`` writes the first as a file.
"""

from __future__ import annotations

from milp_pips.formulations.cnf.clauses import Clauses as Clauses
from milp_pips.formulations.cnf.encoding import CnfEncoding as CnfEncoding
from milp_pips.formulations.cnf.encoding import GroupedCnf as GroupedCnf
from milp_pips.formulations.cnf.encoding import to_dimacs as to_dimacs
