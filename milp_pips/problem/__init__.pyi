# The names of this package, with the module of each; __init__.py reads this table at run time.
from milp_pips.problem.answer import Answer as Answer
from milp_pips.problem.answer import Claim as Claim
from milp_pips.problem.answer import Proof as Proof
from milp_pips.problem.answer import Settings as Settings
from milp_pips.problem.answer import Stop as Stop
from milp_pips.problem.constraint import Constraint as Constraint
from milp_pips.problem.errors import Contradiction as Contradiction
from milp_pips.problem.errors import EngineFault as EngineFault
from milp_pips.problem.errors import InputError as InputError
from milp_pips.problem.errors import MilpPipsError as MilpPipsError
from milp_pips.problem.errors import OutputError as OutputError
from milp_pips.problem.errors import UsageError as UsageError
from milp_pips.problem.problem import Problem as Problem
from milp_pips.problem.problem import Variable as Variable
from milp_pips.problem.stopping import Deadline as Deadline
from milp_pips.problem.stopping import SubDeadline as SubDeadline

VERSION: str
INSTALL: str
