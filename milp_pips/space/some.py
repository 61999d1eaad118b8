"""Some of the solutions, where there is neither time nor memory for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from milp_pips.diagram import DEFAULT, Budget, Diagram, Unfinished, Unsupported, compile_wider
from milp_pips.filtering import Contradiction, filter_domains
from milp_pips.problem import Problem
from milp_pips.space.divide import in_the_whole
from milp_pips.space.space import Leaf, Product, Space
from milp_pips.space.split import Part, split
from milp_pips.watch import EarlierWatch, Watch


def compile_some(
    problem: Problem, widths: Sequence[int], budget: Budget = DEFAULT, watch: Watch | None = None
) -> Space | None:
    """Return a space of some solutions, found in time, or None where none are found that way.

    Each part gets restricted decision diagrams, wider and wider, and an equal share of the time that is left.
    """
    whole = Part.whole(problem)
    try:
        fixed, parts = split(whole.with_problem(filter_domains(problem, watch)))
    except Contradiction:
        return None
    factors = []
    for number, part in enumerate(parts):
        own = None if watch is None else EarlierWatch(watch, 1 - 1 / (len(parts) - number))
        best: Diagram | None = None
        with suppress(Unfinished, Unsupported):
            for diagram in compile_wider(part.problem, widths, budget, own):
                if best is None or diagram.count > best.count:
                    best = diagram
        if best is None:
            return None
        factors.append(Leaf(in_the_whole(best, part)))
    return Space(Product(fixed, factors), range(len(problem.variables)))
