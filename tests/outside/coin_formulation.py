from milp_pips.solvers.contract import Formulation
from milp_pips.solvers.cp_sat import NativeModel

PLAIN = Formulation("plain", NativeModel)
