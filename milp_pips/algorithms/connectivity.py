"""Components, strong components and cut vertices of a graph, and disjoint sets.

A graph is given as the neighbours of each node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


def component_of(
    start: int, near: Sequence[Iterable[int]], kept: Callable[[int], object] = lambda _: True
) -> list[int]:
    """Return the nodes that the start reaches over kept nodes, the start first."""
    found, seen = [start], {start}
    for i in found:
        for j in near[i]:
            if j not in seen and kept(j):
                seen.add(j)
                found.append(j)
    return found


def separators(
    root: int, near: Sequence[Sequence[int]], kept: Callable[[int], object], marked: Callable[[int], object]
) -> list[int]:
    """Return the kept nodes that separate the root from a marked node, the root itself left out.

    The nodes are found by one depth-first search (Hopcroft and Tarjan 1973): a node separates a subtree of
    the search from the root if no edge leads from the subtree to above the node. It counts if the subtree has
    a marked node.
    """
    order = {root: 0}
    low, has_marked = {root: 0}, {root: bool(marked(root))}
    found: list[int] = []
    path = [(root, iter(near[root]))]
    while path:
        i, others = path[-1]
        for j in others:
            if j in order:
                low[i] = min(low[i], order[j])
            elif kept(j):
                order[j] = low[j] = len(order)
                has_marked[j] = bool(marked(j))
                path.append((j, iter(near[j])))
                break
        else:
            path.pop()
            if path:
                above = path[-1][0]
                low[above] = min(low[above], low[i])
                has_marked[above] |= has_marked[i]
                if above != root and low[i] >= order[above] and has_marked[i]:
                    found.append(above)
    return list(dict.fromkeys(found))


def strong_components(following: Sequence[Iterable[int]]) -> list[int]:
    """Return a number for each node of a directed graph, equal within a strong component (Tarjan 1972).

    The number of a component is its node that was found first. The stack ``way`` replaces the recursion.
    """
    size, found = len(following), 0
    number, low, part = [0] * size, [0] * size, [-1] * size
    open_nodes: list[int] = []  # found, but their component is not yet complete
    for start in range(size):
        if number[start]:
            continue
        found += 1
        number[start] = low[start] = found
        open_nodes.append(start)
        way = [(start, iter(following[start]))]
        while way:
            i, others = way[-1]
            for j in others:
                if not number[j]:
                    found += 1
                    number[j] = low[j] = found
                    open_nodes.append(j)
                    way.append((j, iter(following[j])))
                    break
                if part[j] < 0 and number[j] < low[i]:
                    low[i] = number[j]
            else:
                way.pop()
                if way and low[i] < low[way[-1][0]]:
                    low[way[-1][0]] = low[i]
                if low[i] == number[i]:  # i is the first node of its component, which is now complete
                    while part[i] < 0:
                        part[open_nodes.pop()] = i
    return part


# Disjoint sets of numbers (union-find).


class Groups:
    """Disjoint sets of the numbers 0, 1, …, at first singletons (Galler and Fischer 1964)."""

    def __init__(self, size: int):
        self._parents = list(range(size))

    def add(self) -> int:
        """Add the next number as a singleton and return it."""
        self._parents.append(len(self._parents))
        return len(self._parents) - 1

    def of(self, number: int) -> int:
        """Return the representative of the set that contains the number."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    def join(self, numbers: Iterable[int]) -> None:
        """Unite the sets of these numbers."""
        first = -1
        for number in numbers:
            root = self.of(number)
            if first < 0:
                first = root
            self._parents[root] = first

    def sets(self, numbers: Iterable[int]) -> list[list[int]]:
        """Return these numbers grouped by set, in the order of the first number of each set."""
        sets: dict[int, list[int]] = {}
        for number in numbers:
            sets.setdefault(self.of(number), []).append(number)
        return list(sets.values())


def linked_by_values(values_of: Mapping[int, Iterable[int]]) -> Iterator[tuple[int, ...]]:
    """Yield the finest partition of the keys in which keys of two sets have no value in common."""
    keys, holder = list(values_of), dict[int, int]()
    groups = Groups(len(keys))
    for place, values in enumerate(values_of.values()):
        for value in values:
            if (first := holder.setdefault(value, place)) != place:
                groups.join((first, place))
    for places in groups.sets(range(len(keys))):
        yield tuple([keys[place] for place in places])
