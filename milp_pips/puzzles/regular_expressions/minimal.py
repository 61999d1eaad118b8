"""The automaton with the fewest states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from milp_pips.problem import Automaton


def minimal(automaton: Automaton) -> Automaton:
    """Return the automaton with the fewest states for the same words, numbered in order from the start.

    States that lie on no accepting path are left out; of the others, those that no word tells apart are one.
    """
    leaving: dict[int, dict[int, int]] = {}
    for state, symbol, target in automaton.arcs:
        leaving.setdefault(state, {})[symbol] = target
    live = _reached({automaton.start}, automaton.arcs) & _reached(
        set(automaton.accepting), [(target, symbol, state) for state, symbol, target in automaton.arcs]
    )
    step = {q: {a: r for a, r in leaving.get(q, {}).items() if r in live} for q in live}
    block = _blocks(live, automaton.accepting & live, step)
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


def _blocks(states: set[int], accepting: Set[int], step: Mapping[int, Mapping[int, int]]) -> dict[int, int]:
    """Return the number of each state's block: states share a block if no word tells them apart.

    Hopcroft's algorithm (1971); a missing arc needs no state of its own, as both first blocks are split by
    (Valmari and Lehtinen 2008).
    """
    blocks = [block for block in (set(accepting), states - accepting) if block]
    block_of = {q: number for number, block in enumerate(blocks) for q in block}
    before: dict[int, dict[int, list[int]]] = {q: {} for q in states}
    for q, arcs in step.items():
        for a, r in arcs.items():
            before[r].setdefault(a, []).append(q)
    waiting = set(range(len(blocks)))
    while waiting:
        into: dict[int, set[int]] = {}
        for r in blocks[waiting.pop()]:
            for a, here in before[r].items():
                into.setdefault(a, set()).update(here)
        for from_there in into.values():
            parts: dict[int, set[int]] = {}
            for q in from_there:
                parts.setdefault(block_of[q], set()).add(q)
            for number, part in parts.items():
                if len(part) < len(blocks[number]):
                    blocks[number] -= part
                    blocks.append(part)
                    block_of |= dict.fromkeys(part, len(blocks) - 1)
                    is_smaller = len(part) <= len(blocks[number])
                    waiting.add(len(blocks) - 1 if is_smaller or number in waiting else number)
    return block_of


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
