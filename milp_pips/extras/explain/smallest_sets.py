"""Smallest sets of rules and values that hold together in one of few solutions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from operator import mul, or_

from milp_pips.compilation.space import Space
from milp_pips.extras.explain.additions import Addition, allows
from milp_pips.problem.problem import LinearSum
from milp_pips.problem.stopping import Deadline


class Sets:
    """Smallest sets of candidates that hold together in one solution alone.

    ``excluded`` is the size up to which there is none; ``finished`` whether all of the smallest size were
    looked at. A candidate that holds where one before it on the same cells does is left out: that gives less
    away.
    """

    def __init__(self, space: Space, candidates: Sequence[Addition], deadline: Deadline):
        self.excluded, self.finished = 1, False
        self._deadline, self._every = deadline, (1 << space.count) - 1
        points = list(space.assignments())
        self._columns = dict(zip(space.variables, zip(*points, strict=True), strict=True))
        self._sums: dict[object, dict[int, int]] = {}
        where: dict[tuple[int, tuple[int, ...]], Addition] = {}
        for one in candidates:
            if deadline.stop:
                break
            where.setdefault((self._where(one), one.place), one)
        self._candidates = [(bits, one) for (bits, _), one in where.items() if bits not in (0, self._every)]

    def smallest(self) -> Iterator[Addition]:
        """Yield the sets of the smallest size of which there are any, until the deadline says stop."""
        for size in range(2, len(self._candidates) + 1):
            some = False
            for chosen in self._sets(self._every, 0, size):
                some = True
                yield Addition(
                    tuple(chain(*(one.rules for one in chosen))), tuple(chain(*(one.facts for one in chosen)))
                )
            if self._deadline.stop:
                return
            if some:
                self.finished = True
                return
            self.excluded = size

    def _sets(self, common: int, first: int, size: int) -> Iterator[list[Addition]]:
        """Yield sets of candidates from the first on that have one of the common solutions together."""
        if self._deadline.stop:
            return
        for i in range(first, len(self._candidates) - size + 1):
            where, one = self._candidates[i]
            left = common & where
            if size == 1:
                if left and not left & (left - 1):
                    yield [one]
            elif left not in (0, common):
                for more in self._sets(left, i + 1, size - 1):
                    if all(one.place != other.place for other in more):
                        yield [one, *more]

    def _where(self, one: Addition) -> int:
        """Return the solutions in which a candidate holds, a bit for each."""
        if one.facts:
            (v, value, _) = one.facts[0]
            return _bits(a == value for a in self._columns[v])
        rule = one.rules[0].rule
        columns = [self._columns[v] for v in rule.variables]
        if not isinstance(rule, LinearSum):
            rows = (dict(zip(rule.variables, row, strict=True)) for row in zip(*columns, strict=True))
            return _bits(rule.holds(row) for row in rows)
        if rule.terms not in self._sums:
            times = [n for n, _ in rule.terms]
            totals = [sum(map(mul, times, row)) for row in zip(*columns, strict=True)]
            self._sums[rule.terms] = {t: _bits(total == t for total in totals) for t in set(totals)}
        return reduce(or_, (bits for t, bits in self._sums[rule.terms].items() if allows(rule, t)), 0)


def _bits(holds: Iterable[bool]) -> int:
    return int("".join(["01"[one] for one in holds])[::-1] or "0", 2)
