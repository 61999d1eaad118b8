"""All points of what always holds of a small problem taken apart, and what items and facts say of them.

A set of points is a whole number with a bit for each: what several items say together is ``&``, and reasons
are judged by trying everything. Only the exact ``holds`` of rules is shared with the package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from milp_pips.constraints.domino_cover.tiling import Tiling
from milp_pips.extras.explain.facts import Fact, Step
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem

MOST_POINTS = 20_000

MOST_TRIED = 100_000
"""Partial points that are tried for one step of a problem that has no dominoes."""


class TooMany(Exception):
    """There are more points than a test should try."""


class Points:
    """All points that obey what always holds. Raises TooMany."""

    def __init__(self, soft: GroupedProblem):
        self.grouped = soft
        self.every: list[tuple[int, ...]] = []
        for point in _points(soft):
            if len(self.every) == MOST_POINTS:
                raise TooMany
            if all(piece.holds(point) for piece in soft.hard):
                self.every.append(point)
        self.all = (1 << len(self.every)) - 1
        self._of: dict[object, int] = {}

    def where(self, said: ConstraintGroup | Fact) -> int:
        """Return the points at which an item or a fact holds."""
        if said not in self._of:
            judge = said.is_true if isinstance(said, Fact) else said.piece.holds
            self._of[said] = int("0" + "".join("01"[judge(point)] for point in reversed(self.every)), 2)
        return self._of[said]

    def obeying(self, said: Iterable[ConstraintGroup | Fact]) -> int:
        """Return the points at which all of these hold."""
        found = self.all
        for one in said:
            found &= self.where(one)
        return found

    def solutions(self) -> set[tuple[int, ...]]:
        obeying = self.obeying(self.grouped.items)
        return {point for i, point in enumerate(self.every) if obeying >> i & 1}

    def follows(self, step: Step) -> bool:
        """Whether the conclusions follow from the items and facts of the step alone."""
        return not self.obeying([*step.items, *step.facts]) & ~self.obeying(step.conclusions)

    def clashes(self) -> set[frozenset[int]]:
        """Return all minimal sets of items, by number, that no point obeys: by trying every set."""
        found: set[frozenset[int]] = set()
        masks = [self.where(item) for item in self.grouped.items]
        for size in range(len(masks) + 1):
            for chosen in combinations(range(len(masks)), size):
                here = self.all
                for i in chosen:
                    here &= masks[i]
                if not here and not any(known <= set(chosen) for known in found):
                    found.add(frozenset(chosen))
        return found

    def repairs(self) -> set[int]:
        """Return the items, by number, without each of which some point obeys all others."""
        items = self.grouped.items
        return {i for i in range(len(items)) if self.obeying(items[:i] + items[i + 1 :])}


def _points(soft: GroupedProblem) -> Iterator[tuple[int, ...]]:
    """Yield all points over the domains; of a tiling, those on which matched cells are partners."""
    domains = [domain for _, domain in soft.variables]
    tilings = [c for c in soft.hard if isinstance(c, Tiling)]
    matched = {v for tiling in tilings for v in tiling.variables}
    others = [v for v in range(len(domains)) if v not in matched]
    for laid in product(*(list(_laid(tiling)) for tiling in tilings)):
        for values in product(*(domains[v] for v in others)):
            known = dict(zip(others, values, strict=True))
            for part in laid:
                known |= part
            if all(known[v] in domain for v, domain in enumerate(domains)):
                yield tuple(known[v] for v in range(len(domains)))


def _laid(tiling: Tiling, known: dict[int, int] | None = None) -> Iterator[dict[int, int]]:
    """Yield every way to lay dominoes of the kinds, as often as one likes, on all cells."""
    known = known or {}
    first = next((i for i, p in enumerate(tiling.partners) if p not in known), None)
    if first is None:
        yield known
        return
    for i, j in tiling.edges:
        if first in (i, j) and tiling.partners[i] not in known and tiling.partners[j] not in known:
            for a, b in {way for kind in tiling.kinds for way in (kind, kind[::-1])}:
                here = {
                    tiling.partners[i]: j,
                    tiling.partners[j]: i,
                    tiling.values[i]: a,
                    tiling.values[j]: b,
                }
                yield from _laid(tiling, known | here)


def follows(soft: GroupedProblem, step: Step) -> bool:
    """Whether the conclusions follow from the items and facts of the step alone, where nothing else holds.

    Tries the values of the variables that are named: that goes further than all points. Raises TooMany.
    """
    assert not soft.hard
    pieces = [item.piece for item in step.items]
    scope = list(dict.fromkeys(v for piece in pieces for v in piece.variables))
    scope += [fact.variable for fact in (*step.facts, *step.conclusions) if fact.variable not in scope]
    scope = list(dict.fromkeys(scope))
    domains = {
        v: [
            x
            for x in soft.variables[v].domain
            if all(f.variable != v or (f.value == x) is f.holds for f in step.facts)
        ]
        for v in scope
    }
    full = [
        [p for p in pieces if v in p.variables and set(p.variables) <= set(scope[: i + 1])]
        for i, v in enumerate(scope)
    ]
    tried = 0

    def some_point(known: dict[int, int]) -> bool:
        nonlocal tried
        tried += 1
        if tried > MOST_TRIED:
            raise TooMany
        if len(known) == len(scope):
            return not all(fact.is_true(known) for fact in step.conclusions)
        v = scope[len(known)]
        return any(
            all(piece.holds(there) for piece in full[len(known)]) and some_point(there)
            for there in ({**known, v: value} for value in domains[v])
        )

    return not some_point({})
