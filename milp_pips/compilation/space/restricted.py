"""Some of the solutions, where there is neither time nor memory for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from milp_pips.compilation.diagram import (
    DEFAULT_BUDGET,
    Budget,
    Diagram,
    Unfinished,
    Unsupported,
    compile_wider,
)
from milp_pips.compilation.space.divide import in_the_whole
from milp_pips.compilation.space.space import Leaf, Product, Space
from milp_pips.compilation.space.split import Part, split
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, EarlierDeadline
from milp_pips.propagation import Contradiction, filter_domains


def compile_some(
    problem: Problem, widths: Sequence[int], budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None
) -> Space | None:
    """Return a space of some solutions, found in time, or None where none are found that way.

    Each part gets restricted decision diagrams, wider and wider, and an equal share of the time that is left.
    """
    whole = Part.whole(problem)
    try:
        fixed, parts = split(whole.with_problem(filter_domains(problem, deadline)))
    except Contradiction:
        return None
    factors = []
    for number, part in enumerate(parts):
        own = None if deadline is None else EarlierDeadline(deadline, 1 - 1 / (len(parts) - number))
        best: Diagram | None = None
        with suppress(Unfinished, Unsupported):
            for diagram in compile_wider(part.problem, widths, budget, own):
                if best is None or diagram.count > best.count:
                    best = diagram
        if best is None:
            return None
        factors.append(Leaf(in_the_whole(best, part)))
    return Space(Product(fixed, factors), range(len(problem.variables)))
