"""Why there is no solution: minimal sets of items that clash, and items whose removal repairs the puzzle.

A minimal clash is found by deletion from a core (Marques-Silva 2010), several by MARCO (Liffiton, Previti,
Malik and Marques-Silva 2016): a second formula over the items keeps what has not been explored; what is
consistent there grows to a maximal consistent set, what is not shrinks to a minimal clash.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from milp_pips.cnf.clauses import Clauses
from milp_pips.reasons.costs import cost_of_item
from milp_pips.reasons.reasoner import OutOfTime, Reasoner, load_clauses

if TYPE_CHECKING:
    from milp_pips.solvers.contract import LoadedClauses
    from milp_pips.watch import Watch


def repairs(reasoner: Reasoner, clash: list[int]) -> list[int]:
    """Return the items without which, each by itself, the rest has a solution; all are in every clash."""
    everything = range(len(reasoner.selectors))
    return [i for i in clash if reasoner.solve([j for j in everything if j != i])]


def clashes(reasoner: Reasoner) -> Iterator[list[int]]:
    """Yield minimal sets of items that clash, all there are, the items of each in increasing order.

    Raises OutOfTime between two of them when the watch says stop.
    """
    soft, map_of = reasoner.soft, Clauses()
    dear = sorted(range(len(soft.items)), key=lambda i: -cost_of_item(soft.items[i]))
    chosen = [map_of.new() for _ in soft.items]
    unexplored = load_clauses(map_of)
    while True:
        seed = _largest(unexplored, chosen, reasoner.watch)
        if seed is None:
            return
        if reasoner.solve(seed):
            missing = _grown(reasoner, seed)
            unexplored.add([chosen[i] for i in missing])
        else:
            core, _ = reasoner.core()
            clash, _ = reasoner.shrink([i for i in dear if i in core], ())
            unexplored.add([-chosen[i] for i in clash])
            yield sorted(clash)


def _largest(unexplored: LoadedClauses, chosen: list[int], watch: Watch) -> list[int] | None:
    """Return a set of items that is not explored yet and cannot grow; None where there is none."""
    taken = list[int]()
    if not unexplored.solve(taken, watch):
        if watch.stop:
            raise OutOfTime
        return None
    inside = set(unexplored.model())
    taken = [a for a in chosen if a in inside]
    for a in chosen:
        if a not in inside and unexplored.solve([*taken, a], watch):
            taken.append(a)
    return [i for i, a in enumerate(chosen) if a in set(taken)]


def _grown(reasoner: Reasoner, seed: list[int]) -> list[int]:
    """Return the items that are left out of a maximal consistent set around a consistent one."""
    items, kept, missing = reasoner.soft.items, set(seed), list[int]()
    point = reasoner.point()
    for i, item in enumerate(items):
        if i not in kept:
            if item.piece.holds(point):
                kept.add(i)
            elif reasoner.solve([*kept, i]):
                kept.add(i)
                point = reasoner.point()
            else:
                missing.append(i)
    return missing
