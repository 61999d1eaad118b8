"""The automaton with the fewest states."""

from __future__ import annotations

from collections.abc import Iterable

from milp_pips.problem import Automaton


def minimal(automaton: Automaton) -> Automaton:
    """Return the automaton with the fewest states for the same words, numbered in order from the start.

    States that lie on no accepting path are left out; of the others, those that no word tells apart are one
    (Moore 1956).
    """
    leaving: dict[int, dict[int, int]] = {}
    for state, symbol, target in automaton.arcs:
        leaving.setdefault(state, {})[symbol] = target
    live = _reached({automaton.start}, automaton.arcs) & _reached(
        set(automaton.accepting), [(target, symbol, state) for state, symbol, target in automaton.arcs]
    )
    step = {q: {a: r for a, r in leaving.get(q, {}).items() if r in live} for q in live}
    block = {q: int(q in automaton.accepting) for q in live}
    count = 0
    while len(set(block.values())) > count:  # until a round tells no further states apart
        count = len(set(block.values()))
        seen: dict[object, int] = {}
        told = {q: (block[q], frozenset((a, block[r]) for a, r in step[q].items())) for q in live}
        block = {q: seen.setdefault(told[q], len(seen)) for q in live}
    if automaton.start not in live:
        return Automaton(0, frozenset(), ())
    number, queue = {block[automaton.start]: 0}, [automaton.start]
    arcs = []
    for q in queue:
        for a, r in sorted(step[q].items()):
            if block[r] not in number:
                number[block[r]] = len(number)
                queue.append(r)
            arcs.append((number[block[q]], a, number[block[r]]))
    return Automaton(0, frozenset(number[block[q]] for q in automaton.accepting & live), tuple(arcs))


def _reached(start: set[int], arcs: Iterable[tuple[int, int, int]]) -> set[int]:
    following: dict[int, set[int]] = {}
    for state, _, target in arcs:
        following.setdefault(state, set()).add(target)
    reached, queue = set(start), list(start)
    for state in queue:
        new = following.get(state, set()) - reached
        reached |= new
        queue += new
    return reached
