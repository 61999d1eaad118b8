"""The exact set of all solutions of a problem, where one decision diagram fits and where it does not."""

from milp_pips.compilation.space.divide import compile_by_branching as compile_by_branching
from milp_pips.compilation.space.divide import compile_some as compile_some
from milp_pips.compilation.space.divide import compile_space as compile_space
from milp_pips.compilation.space.estimate import Estimate as Estimate
from milp_pips.compilation.space.estimate import estimate as estimate
from milp_pips.compilation.space.projection import project_space as project_space
from milp_pips.compilation.space.space import Space as Space
from milp_pips.compilation.space.split import Part as Part
from milp_pips.compilation.space.split import Split as Split
from milp_pips.compilation.space.split import split as split
