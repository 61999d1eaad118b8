from math import inf

from milp_pips.constraints import AllEqual
from milp_pips.formulations.milp import Linearisation
from milp_pips.problem.constraint import Row


def star(builder, equal):
    """Yield ``[first = a] <= [v = a]`` for every other variable v and every value a of the first."""
    for item, _, value in builder.pairs_of(equal.variables[:1]):
        for v in equal.variables[1:]:
            same = [(other, -1.0) for other, _, a in builder.pairs_of([v]) if a == value]
            label = (equal.label, builder.name(v), value)
            yield Row("region", label, -inf, 0.0, [(item, 1.0), *same])


STAR = Linearisation((AllEqual,), star)
