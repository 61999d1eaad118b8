"""The constraints, one file each: meaning, propagation, 0-1 rows, clauses, automaton, simplification.

A constraint outside this package is written in the same way; see ``milp_pips.problem.constraint``.
"""

from milp_pips.constraints.all_different import AllDifferent as AllDifferent
from milp_pips.constraints.all_equal import AllEqual as AllEqual
from milp_pips.constraints.automata import Automaton as Automaton
from milp_pips.constraints.cardinality import Cardinality as Cardinality
from milp_pips.constraints.connected import Connected as Connected
from milp_pips.constraints.domino_cover import DominoCover as DominoCover
from milp_pips.constraints.domino_cover import covers_of as covers_of
from milp_pips.constraints.domino_cover import rules_of as rules_of
from milp_pips.constraints.facts import AnyOf as AnyOf
from milp_pips.constraints.facts import Fixed as Fixed
from milp_pips.constraints.less import Less as Less
from milp_pips.constraints.linear_sum import LinearSum as LinearSum
from milp_pips.constraints.linear_sum import Relation as Relation
from milp_pips.constraints.no_good import NoGood as NoGood
from milp_pips.constraints.pair_sum import PairSum as PairSum
from milp_pips.constraints.regular import Regular as Regular
from milp_pips.constraints.table import Table as Table
from milp_pips.problem.constraint import Constraint as Constraint

__all__ = [
    "AllDifferent",
    "AllEqual",
    "AnyOf",
    "Automaton",
    "Cardinality",
    "Connected",
    "Constraint",
    "DominoCover",
    "Fixed",
    "Less",
    "LinearSum",
    "NoGood",
    "PairSum",
    "Regular",
    "Relation",
    "Table",
    "covers_of",
    "rules_of",
]
