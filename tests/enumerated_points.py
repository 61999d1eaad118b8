"""Enumerate the points of a small grouped problem, to check reasons and steps by brute force.

A set of points is an integer with a bit for each point, so that ``&`` is the conjunction of conditions. With
the package this module shares only ``holds`` of the constraints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from thoroughness import few_or_many

from milp_pips.constraints.domino_cover.tiling import Tiling
from milp_pips.extras.explain.facts import Fact, Step
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem

MAX_POINTS = few_or_many(4_000, 20_000)

MAX_PARTIAL_POINTS = 100_000
"""The most partial points that are tried for one step of a problem without dominoes."""


class TooManyPoints(Exception):
    """The problem has more points than a test should try."""


class EnumeratedPoints:
    """All points that satisfy the hard constraints. Raises TooManyPoints."""

    def __init__(self, soft: GroupedProblem):
        self.grouped = soft
        self.every: list[tuple[int, ...]] = []
        for point in _points(soft):
            if len(self.every) == MAX_POINTS:
                raise TooManyPoints
            if all(piece.holds(point) for piece in soft.hard):
                self.every.append(point)
        self.all = (1 << len(self.every)) - 1
        self._of: dict[object, int] = {}

    def where(self, condition: ConstraintGroup | Fact) -> int:
        """Return the points at which a constraint or a fact holds."""
        if condition not in self._of:
            holds = condition.is_true if isinstance(condition, Fact) else condition.piece.holds
            self._of[condition] = int("0" + "".join("01"[holds(point)] for point in reversed(self.every)), 2)
        return self._of[condition]

    def where_all(self, conditions: Iterable[ConstraintGroup | Fact]) -> int:
        """Return the points at which all of these hold."""
        found = self.all
        for condition in conditions:
            found &= self.where(condition)
        return found

    def solutions(self) -> set[tuple[int, ...]]:
        solving = self.where_all(self.grouped.items)
        return {point for i, point in enumerate(self.every) if solving >> i & 1}

    def follows(self, step: Step) -> bool:
        """Return whether the conclusions follow from the constraints and facts of the step alone."""
        return not self.where_all([*step.items, *step.facts]) & ~self.where_all(step.conclusions)

    def clashes(self) -> set[frozenset[int]]:
        """Return all minimal conflicts: sets of constraints, by number, that no point satisfies together."""
        found: set[frozenset[int]] = set()
        masks = [self.where(item) for item in self.grouped.items]
        for size in range(len(masks) + 1):
            for chosen in combinations(range(len(masks)), size):
                common = self.all
                for i in chosen:
                    common &= masks[i]
                if not common and not any(known <= set(chosen) for known in found):
                    found.add(frozenset(chosen))
        return found

    def repairs(self) -> set[int]:
        """Return the constraints, by number, each of whose removal leaves a satisfiable rest."""
        items = self.grouped.items
        return {i for i in range(len(items)) if self.where_all(items[:i] + items[i + 1 :])}


def _points(soft: GroupedProblem) -> Iterator[tuple[int, ...]]:
    """Yield all points over the domains at which the partners of each tiling match."""
    domains = [domain for _, domain in soft.variables]
    tilings = [c for c in soft.hard if isinstance(c, Tiling)]
    matched = {v for tiling in tilings for v in tiling.variables}
    others = [v for v in range(len(domains)) if v not in matched]
    for laid in product(*(list(_tilings(tiling)) for tiling in tilings)):
        for values in product(*(domains[v] for v in others)):
            known = dict(zip(others, values, strict=True))
            for part in laid:
                known |= part
            if all(known[v] in domain for v, domain in enumerate(domains)):
                yield tuple(known[v] for v in range(len(domains)))


def _tilings(tiling: Tiling, known: dict[int, int] | None = None) -> Iterator[dict[int, int]]:
    """Yield every tiling of all cells with dominoes of these kinds, each any number of times."""
    known = known or {}
    first = next((i for i, p in enumerate(tiling.partners) if p not in known), None)
    if first is None:
        yield known
        return
    for i, j in tiling.edges:
        if first in (i, j) and tiling.partners[i] not in known and tiling.partners[j] not in known:
            for a, b in {turned for kind in tiling.kinds for turned in (kind, kind[::-1])}:
                domino = {
                    tiling.partners[i]: j,
                    tiling.partners[j]: i,
                    tiling.values[i]: a,
                    tiling.values[j]: b,
                }
                yield from _tilings(tiling, known | domino)


def follows(soft: GroupedProblem, step: Step) -> bool:
    """Return whether the conclusions follow from the step alone, for a problem without hard constraints.

    Only the variables in the step are tried, so that larger problems than for ``EnumeratedPoints`` are
    possible. Raises TooManyPoints.
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

    def is_refuted(known: dict[int, int]) -> bool:
        """Return whether some point with these values satisfies the step and breaks a conclusion."""
        nonlocal tried
        tried += 1
        if tried > MAX_PARTIAL_POINTS:
            raise TooManyPoints
        if len(known) == len(scope):
            return not all(fact.is_true(known) for fact in step.conclusions)
        v = scope[len(known)]
        return any(
            all(piece.holds(longer) for piece in full[len(known)]) and is_refuted(longer)
            for longer in ({**known, v: value} for value in domains[v])
        )

    return not is_refuted({})
