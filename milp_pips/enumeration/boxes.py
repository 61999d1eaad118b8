"""Enumerate a linear model with continuous columns: by boxes of its integer columns, or by cuts.

After each solution the box of values is divided into boxes beside it (Lawler 1972). Bounds of the rows refute
most of them; an engine solves the others on one live model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any, ClassVar

from milp_pips.engines.contract import MipResult, Points
from milp_pips.engines.execution import needs_worker
from milp_pips.engines.mixed import ANY_VALUE, Goal, MixedModel
from milp_pips.engines.registry import available
from milp_pips.enumeration.subproblems import (
    NO_EARLIER_RUN,
    EarlierRun,
    SearchResult,
    Subproblem,
    search_subproblems,
    without_numbers,
)
from milp_pips.formulations.filtering import Filtering
from milp_pips.formulations.model import KEY, Model
from milp_pips.formulations.scaling import scaled_for_engines
from milp_pips.problem import Deadline, Proof, Settings, UsageError
from milp_pips.problem.plugins import PluginErrors


@dataclass(frozen=True)
class BoxListing:
    """A linear model to enumerate, the columns in which solutions differ, and the solver; see ``Listing``.

    A point has the values of all columns. ``goal`` bounds the objective. With ``best``, the other columns
    have the values with the best objective, if it is bounded; else any that fit.
    """

    model: Model
    over: tuple[int, ...]
    solver: str
    settings: Settings = Settings()
    goal: Goal = ANY_VALUE
    best: bool = False
    used: set[str] = field(default_factory=set)
    key: ClassVar[str] = KEY

    def key_of(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the values of the chosen columns."""
        return tuple([point[j] for j in self.over])

    def require_binary(self, what: str) -> None:
        """Raise UsageError unless all chosen columns are binary."""
        for column in map(self.model.columns.__getitem__, self.over):
            if column.values is None or column.values.start < 0 or column.values.stop > 2:
                raise UsageError(f"{what} need binary columns, and {column.name} is not binary")


def list_boxes(
    listing: BoxListing, method: str, deadline: Deadline, jobs: int = 1, earlier: EarlierRun = NO_EARLIER_RUN
) -> Points:
    """Yield a point for each combination of values of the chosen columns; see ``list_joined``.

    A solver that must not run in this process searches in another. Raises UsageError if the method is
    ``cuts`` and a chosen column is not binary.
    """
    cuts = None
    if method == "cuts":
        listing.require_binary("cuts")
        cuts = earlier.known
    apart = needs_worker(available(listing.solver), listing.settings)
    settings = listing.settings.changed(isolate=False)
    load = partial(BoxSearcher, replace(listing, settings=settings), cuts)
    found = search_subproblems([listing], load, deadline, jobs, earlier, apart=apart)
    return (yield from without_numbers(found))


class BoxSearcher:
    """Search boxes of a linear model, which is loaded into the engine once; see ``Searcher``.

    Parameters
    ----------
    listing
        The model.
    cuts
        None to divide each box; or points to exclude: then each solution is excluded by a cut, and the box
        stays as it is.
    """

    def __init__(self, listing: BoxListing, cuts: Sequence[Sequence[int]] | None = None):
        self._listing, self._by_cuts = listing, cuts is not None
        self._live = MixedModel(listing.model, listing.solver, listing.settings, listing.goal)
        self._filtering = Filtering(scaled_for_engines(listing.model)[0])
        for point in cuts or ():
            self._exclude(point)

    def search(self, subproblem: Subproblem, deadline: Deadline) -> SearchResult:
        """Return the solution found in a box, and the boxes that are left of it. Raises EngineFault."""
        with PluginErrors(f"{self._listing.solver} failed"):
            return self._search(subproblem, deadline)

    def _search(self, subproblem: Subproblem, deadline: Deadline) -> SearchResult:
        box = {j: (ends[0], ends[1]) for j, ends in subproblem.kept}
        answer = self._live.solve(box, deadline, aims=False)
        if answer.values is None:
            proof = Proof.INFEASIBLE if answer.status == "infeasible" else Proof.NONE
            return SearchResult(MipResult(None, (), proof, answer.stop), [], [])
        over = self._listing.over
        if self._listing.best:
            fixed = {j: (int(answer.values[j]),) * 2 for j in over}
            best = self._live.solve(fixed, deadline, aims=True)
            answer = answer if best.values is None else best
        assert answer.values is not None
        point: tuple[Any, ...] = tuple([answer.values[j] for j in range(len(self._listing.model.columns))])
        if self._by_cuts:
            self._exclude(point)
            left = [subproblem]
        else:
            left = [Subproblem(0, tuple(each.items())) for each in self._beside(box, point)]
        return SearchResult(MipResult(point, (), Proof.FEASIBLE, answer.stop), [point], left)

    def _exclude(self, point: Sequence[int]) -> None:
        ones = sum(int(point[j]) for j in self._listing.over)
        self._live.add_row({j: 1.0 if point[j] else -1.0 for j in self._listing.over}, -inf, ones - 1)

    def _beside(
        self, box: Mapping[int, tuple[int, int]], point: Sequence[int]
    ) -> Iterator[dict[int, tuple[int, int]]]:
        """Yield disjoint boxes that contain all other combinations of values, unless rows refute them."""
        kept = dict(box)
        for j in self._listing.over:
            low, high = kept.get(j) or self._filtering.bounds_of(j)
            value = int(point[j])
            for side in ((low, value - 1), (value + 1, high)):
                if side[0] <= side[1] and self._filtering.allows({**kept, j: side}):
                    yield {**kept, j: side}
            kept[j] = (value, value)
