from milp_pips.engines.contract import Formulation
from milp_pips.engines.cp_sat import NativeModel

PLAIN = Formulation("plain", NativeModel)
