"""Remove items from a clash until it is minimal, by questions to an oracle.

Each item that stays has a point that obeys all others: it breaks this item alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Protocol

from milp_pips.extras.explain.model_items import KINDS_OF_BOUNDS, ModelItem, ModelItems, Part, Values
from milp_pips.extras.explain.model_remainders import remainder
from milp_pips.extras.explain.model_repair import ROW_STAGES, STAGES, Repair
from milp_pips.extras.explain.model_rotation import Rotation
from milp_pips.extras.explain.model_swaps import Swaps
from milp_pips.formulations.rows import Row

QUICK_NODES = 1000
"""The most nodes of an engine for one item."""

MORE_NODES = 3000
"""The most nodes where these do not decide. Items that stay "perhaps" are tried once more in the end."""

MANY_NODES = 5000
"""The most nodes for many items that may go together: with 3000, the bounds of pigeons go one by one."""

MANY_SUCCESSES = 8
"""After so many single items two go together, where all of them together stay open."""

REPAIR_SHARE = 0.3
"""The share of the time that repairs leave over."""

SWAP_SHARE = 0.5
"""The share of the time that swaps leave over."""


class Questions(Protocol):
    """What a deletion asks, and where it keeps clashes; see ``ModelOracle``."""

    grouped: ModelItems
    core: list[int]
    """The items on which the last proof rests."""
    found: Values | None
    """The last point; None if the last answer was "perhaps"."""
    searches: int
    """The number of questions that no known point answered."""

    @property
    def aim(self) -> int | None:
        """An item that most proofs need; None if none is known."""

    def look(self) -> None:
        """Raise OutOfTime if the deadline has stopped."""

    def earlier(self, share: float) -> AbstractContextManager[None]:
        """Return a context that ends early enough to leave over a share of the time, without an error."""

    def keep(self, clash: Collection[int]) -> None:
        """Keep a clash if it is the smallest so far."""

    def solve(self, items: Iterable[int], *, nodes: int | None = None) -> bool:
        """Whether some point obeys the items."""

    def judge(self, items: Iterable[int], near: Sequence[float]) -> Values | None:
        """Return a point that obeys the items exactly, near values in floats; None if none is found."""

    def solve_without(self, clash: Collection[int], left_out: int, *, nodes: int | None = None) -> bool:
        """Whether some point obeys all items of a clash but one."""


class Deletion:
    """Makes a clash minimal; of ``among``, what helps the proofs is used, too.

    With ``most_rows``, no question takes long, and the search ends where more rows are needed, or when the
    oracle has counted so many ``searches``.
    """

    def __init__(
        self, oracle: Questions, among: Collection[int], most_rows: int | None = None, searches: int = 0
    ):
        self._oracle, self._items, self._most_rows = oracle, oracle.grouped, most_rows
        self._searches = searches
        self._among = set(among)
        self._bounds = {i for i in among if self._items.items[i].kind in KINDS_OF_BOUNDS}
        self._core, self._needed = set[int](), set[int]()
        self._open = set[int]()
        """Items that stayed without a point."""
        self._rotation = Rotation(self._items, oracle.look)
        self._swaps: Swaps | None = None

    @property
    def is_sure(self) -> bool:
        """Whether each item that stays has a point."""
        return not self._is_over and not self._open & self._core - self._needed

    def minimal(self, clash: Iterable[int]) -> list[int]:
        """Return a minimal subset of items that clash.

        Bounds come last: a tree needs those of integer columns, so all bounds stay until the rows are
        minimal. Upper ones go first, since columns of 0 and 1 often need none. What a larger set needs a
        smaller one needs, too.
        """
        self._core = set(clash)
        if self._most_rows is None and remainder(self._items, self._core) is None:  # else no tree would end
            self._repair()
        aim = self._oracle.aim
        if aim is not None and aim in self._core - self._needed and self._most_rows is None:
            self._leave_out([aim], self._bounds, QUICK_NODES)
        for kinds in ("row",), ("integer",), ("high",), KINDS_OF_BOUNDS:
            group = sorted([i for i in self._core if self._items.items[i].kind in kinds], key=self._length)
            self._thin(group, set() if kinds[-1] in KINDS_OF_BOUNDS else self._bounds)
        if self._most_rows is None:
            self._reduce(sorted(self._open, key=self._length), 1, set(), None)
        return sorted(self._core)

    def _repair(self) -> None:
        """Leave out what repairs of a proof do without, and know which items have points, if it holds.

        Where the time for repairs ends, the rest is for the exact proof of what they have reached.
        """
        others = {i for i in self._among if self._items.items[i].kind != "row"}
        oracle, repair = self._oracle, Repair(self._items, self._core | others, self._oracle.look)
        ways = list[tuple[set[int], set[int]]]()

        def judge(i: int, near: Sequence[float]) -> None:
            if (point := oracle.judge(repair.kept - {i}, near)) is not None:
                self._learn(point, repair.kept)

        with oracle.earlier(REPAIR_SHARE):
            repair.prove()
            self._swaps = Swaps(self._items, self._among, repair)
            for stages in (ROW_STAGES, STAGES) if repair.has_proof else ():
                for i, near in repair.points(stages, self._needed):
                    judge(i, near)
                if self._swaps:
                    kept, needed = set(repair.kept), set(self._needed)
                    with oracle.earlier(SWAP_SHARE):
                        self._swaps.run(judge)
                    self._needed = needed  # of what swaps only tried, other items are needed
                    if repair.kept != kept:
                        self._needed, ways = self._swaps.needed, [(kept, needed)]
                    self._swaps = None
        if repair.has_proof:
            ways.insert(0, (repair.kept, self._needed))
        for kept, self._needed in ways:
            if not oracle.solve(kept):
                self._core = set(oracle.core)
                return
        self._needed = set()

    @property
    def _is_over(self) -> bool:
        """Whether more rows stay than are wanted, or it takes too long."""
        if self._most_rows is None:
            return False
        stay = self._core & (self._needed | self._open)
        rows = sum(self._items.items[i].kind == "row" for i in stay)
        return rows > self._most_rows or self._oracle.searches > self._searches

    def _length(self, i: int) -> tuple[int, int]:
        return -len(self._items.whole[i].columns), i

    def _thin(self, group: Sequence[int], beside: Collection[int]) -> None:
        """Leave out what is not needed of a group: first all that no point has broken, then the rest.

        A point without many items breaks a few of them. The others may well go together, and that takes about
        as long as to leave out one. Where it stays open, they go one by one.
        """
        broken, is_open = set[int](), False
        while part := self._left(group, broken):
            if not self._leave_out(part, beside, MANY_NODES):
                found = self._oracle.found
                is_open |= found is None
                broken.update((found and self._items.broken(found, part)) or part)
        self._reduce(group, 1, beside, QUICK_NODES)
        if is_open:
            self._reduce(group, 1, beside, MORE_NODES, enough=MANY_SUCCESSES)
        else:
            self._reduce(group, len(group), beside, MORE_NODES)

    def _left(self, group: Iterable[int], tried: Collection[int]) -> list[int]:
        """Return what may still go of a group; nothing if it is over."""
        out = self._needed.union(tried)
        return [] if self._is_over else [i for i in group if i in self._core and i not in out]

    def _reduce(
        self,
        group: Sequence[int],
        most: int,
        beside: Collection[int],
        nodes: int | None,
        *,
        enough: int = 1,
    ) -> None:
        """Leave out so many together at first, then twice as many after ``enough`` successes, else half.

        A question that stays open takes longest: after each it takes twice as many successes. It ends where
        ``QUICK_NODES`` do not decide on one item: without others more is decided.
        """
        tried, successes = set[int](), 0
        while part := self._left(group, tried)[:most]:
            if self._leave_out(part, beside, nodes):
                successes += 1
                if successes >= enough:
                    most, successes = 2 * len(part), 0
                continue
            if self._oracle.found is None:
                if nodes == QUICK_NODES:
                    return
                successes, enough = 0, 2 * enough
            most = max(1, len(part) // 2)
            tried.update(part if len(part) == 1 else ())

    def _leave_out(self, part: Sequence[int], beside: Collection[int], nodes: int | None) -> bool:
        """Return whether a clash is left without some items, and keep it."""
        oracle, kept = self._oracle, self._core | self._of_same_columns(beside)
        nodes = nodes if self._most_rows is None else 0
        if len(part) > 1 or nodes is None:  # to search where it is broken took too long
            is_left = not oracle.solve(kept.difference(part), nodes=nodes)
            core = set(oracle.core)
        else:
            is_left = not oracle.solve_without(kept, part[0], nodes=nodes)
            core = self._core.union(oracle.core).difference(part)
        if is_left:
            self._core = core
            oracle.keep(core)
        elif oracle.found is not None:
            self._learn(oracle.found, kept)
        elif len(part) == 1:
            self._open.update(part)
        return is_left

    def _of_same_columns(self, bounds: Collection[int]) -> set[int]:
        """Return those of the bounds that are of columns of the clash."""
        columns = {j for i in self._core for j in self._items.whole[i].columns}
        return {i for i in bounds if self._items.items[i].number in columns}

    def _learn(self, found: Values, kept: Collection[int]) -> None:
        """Add to the needed items those that points near the one found break alone."""
        self._needed |= self._rotation.broken_alone(found, kept, self._needed)
        if self._swaps:
            self._swaps.learn(self._rotation.points)


def breaking(items: ModelItems, part: Part, i: int, chosen: Collection[int]) -> Iterator[Part]:
    """Yield parts that together have all points which obey the chosen items and break another one.

    A last row says that they break it. All points are left where that is not linear, or takes two searches
    of which neither is much shorter: beyond the two sides of a row with continuous columns.
    """
    place = {j: k for k, j in enumerate(part.columns)}
    low, high, columns, factors = items.whole[i]
    is_whole = all(items.number_of.get(ModelItem("integer", j)) in chosen for j in columns)
    is_between = low is not None and high is not None and not is_whole
    if items.items[i].kind == "integer" or is_between or not place.keys() >= set(columns):
        yield part
        return
    terms = {place[j]: a for j, a in zip(columns, factors, strict=True) if a}
    for side, sign in ((low, 1), (high, -1)):
        if side is not None:
            end = side - sign if is_whole else side
            row = Row("", terms, None, end) if sign > 0 else Row("", terms, end)
            yield part._replace(model=replace(part.model, rows=(*part.model.rows, row)))
