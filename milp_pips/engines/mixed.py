"""Linear models with continuous columns, or columns without bounds: HiGHS on one live model.

Solutions that differ in chosen integer columns are listed by a partition of their bounds: after each solution
the box of values is divided into boxes beside it (Lawler 1972), and HiGHS solves these on the same model.
What HiGHS says of continuous columns holds within its tolerance.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, inf
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.engines.highs import run, set_options
from milp_pips.formulations.linear import LinearModel, exact
from milp_pips.formulations.linear.libraries import to_highspy
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline

MIXED_SOLVER, WITHOUT_PRESOLVE = "highs", {"presolve": "off"}
"""The only solver of such models, and its options for a second opinion."""

SECOND = "HiGHS (presolve off, other seed), within its tolerance"
"""What confirms an answer on such a model: the same engine, so with other methods."""

TOLERANCE = Fraction(1, 10**6)
"""The tolerance of HiGHS for rows and integers, relative to the greatest term of a row."""

Box = dict[int, tuple[int, int]]
"""The least and the greatest value of integer columns; a column without an entry has its own bounds."""

Values = dict[int, "int | Fraction"]
"""The values of columns by position."""


def second(settings: Settings) -> Settings:
    """Return the settings for a second opinion: other methods, another seed."""
    return Settings(seed=settings.seed + 1, threads=settings.threads, options=WITHOUT_PRESOLVE)


class MixedAnswer(NamedTuple):
    """What HiGHS says of a model: ``optimal``, ``feasible``, ``infeasible``, ``unbounded`` or ``unknown``."""

    status: str
    stop: Stop
    values: Values | None = None
    bound: float | None = None
    nodes: int = 0


class MixedModel:
    """A linear model in HiGHS, which stays loaded while bounds change.

    Parameters
    ----------
    model
        The model.
    settings
        Threads, seed and options of HiGHS.
    aims
        Whether HiGHS optimises the objective; else it searches for any solution.
    """

    def __init__(self, model: LinearModel, settings: Settings, *, aims: bool):
        import numpy as np

        self.model = model
        self._highs = to_highspy(model)
        for name in ("mip_rel_gap", "mip_abs_gap"):
            self._highs.setOptionValue(name, 0.0)
        set_options(self._highs, settings)
        self._presolve = settings.options.get("presolve", "choose")
        self._columns = np.arange(len(model.columns), dtype=np.int32)
        self._costs = np.array([float(column.cost) for column in model.columns])
        self._changed = set[int]()
        self._bounds = [
            (-inf if c.low is None else float(c.low), inf if c.high is None else float(c.high))
            for c in model.columns
        ]
        if not aims:
            self._without_costs()

    def _without_costs(self) -> None:
        self._highs.changeColsCost(len(self._columns), self._columns, 0 * self._costs)

    def near(self, low: float, high: float) -> None:
        """Add the row that bounds the objective, without its constant."""
        import numpy as np

        with_cost = np.flatnonzero(self._costs).astype(np.int32)
        self._highs.addRow(low, high, len(with_cost), with_cost, self._costs[with_cost])

    def solve(self, box: Box, deadline: Deadline) -> MixedAnswer:
        """Return what HiGHS says of the model within the box."""
        for j in self._changed | box.keys():
            self._highs.changeColBounds(j, *map(float, box.get(j, self._bounds[j])))
        self._changed = set(box)
        outcome = run(self._highs, deadline)
        if outcome.stop is Stop.ERROR:  # seen with presolve alone: "solve error" on an infeasible model
            self._highs.setOptionValue("presolve", "off")
            outcome = run(self._highs, deadline)
            self._highs.setOptionValue("presolve", self._presolve)
        status = self._highs.getModelStatus().name
        nodes = outcome.statistics.get("nodes", 0)
        if status in ("kUnbounded", "kUnboundedOrInfeasible"):
            self._without_costs()
            again = run(self._highs, deadline)
            self._highs.changeColsCost(len(self._columns), self._columns, self._costs)
            feasible = again.x is not None
            return MixedAnswer("unbounded" if feasible else "infeasible", Stop.FINISHED)
        if outcome.proof is Proof.INFEASIBLE:
            return MixedAnswer("infeasible", Stop.FINISHED, nodes=nodes)
        if outcome.x is None:
            return MixedAnswer("unknown", outcome.stop, bound=outcome.bound, nodes=nodes)
        values = self._exact(outcome.x)
        finished = "optimal" if outcome.stop is Stop.FINISHED else "feasible"
        return MixedAnswer(finished, outcome.stop, values, outcome.bound, nodes)

    def _exact(self, x: Sequence[float]) -> Values:
        """Return the values with whole numbers in integer columns. Raises EngineFault if they break a row."""
        pairs = zip(self.model.columns, x, strict=True)
        values: Values = {j: round(a) if column.integer else exact(a) for j, (column, a) in enumerate(pairs)}
        if broken := self.model.violated(values, TOLERANCE):
            raise EngineFault(f"HiGHS gave a solution of {self.model.name} that breaks {broken}")
        return values


def list_by_bounds(
    live: MixedModel, over: Sequence[int], deadline: Deadline
) -> Generator[Values, None, tuple[Proof, Stop]]:
    """Yield a solution for each combination of values of the chosen columns; return proof and stop.

    Invariant: each combination that has not been yielded lies in exactly one of the waiting boxes.
    """
    filtering = Filtering(live.model)
    waiting: list[Box] = [{}]
    while waiting:
        if deadline.stop:
            return Proof.NONE, deadline.stop
        box = waiting.pop()
        answer = live.solve(box, deadline)
        if answer.status == "infeasible":
            continue
        if answer.values is None:
            return Proof.NONE, answer.stop
        values = answer.values
        yield values
        kept, beside = dict(box), list[Box]()
        for j in over:
            low, high = kept.get(j) or filtering.bounds_of(j)
            value = int(values[j])
            for side in ((low, value - 1), (value + 1, high)):
                if side[0] <= side[1] and filtering.allows({**kept, j: side}):
                    beside.append({**kept, j: side})
            kept[j] = (value, value)
        waiting += reversed(beside)
    return Proof.COMPLETE, Stop.FINISHED


class Filtering:
    """Bounds of the rows' activities, which refute most boxes without HiGHS."""

    def __init__(self, model: LinearModel):
        self._bounds = [
            (-inf if c.low is None else float(c.low), inf if c.high is None else float(c.high))
            for c in model.columns
        ]
        self._integer = [column.integer for column in model.columns]
        self._rows = [
            (
                [(j, float(a)) for j, a in row.terms.items()],
                -inf if row.low is None else float(row.low),
                inf if row.high is None else float(row.high),
            )
            for row in model.rows
        ]
        self._rows_of: list[list[int]] = [[] for _ in model.columns]
        for i, row in enumerate(model.rows):
            for j in row.terms:
                self._rows_of[j].append(i)

    def bounds_of(self, j: int) -> tuple[int, int]:
        """Return the whole bounds of a column with finite ones."""
        low, high = self._bounds[j]
        return ceil(low), floor(high)

    def allows(self, box: Mapping[int, tuple[int, int]]) -> bool:
        """Return False if the bounds of the rows refute the box; propagates bounds of integer columns."""
        bounds: dict[int, tuple[float, float]] = {j: (float(a), float(b)) for j, (a, b) in box.items()}
        waiting = {i for j in box for i in self._rows_of[j]}
        for _ in range(10 * len(self._rows)):
            if not waiting:
                return True
            changed = self._tightened(waiting.pop(), bounds)
            if changed is None:
                return False
            waiting |= {i for j in changed for i in self._rows_of[j]}
        return True

    def _tightened(self, i: int, bounds: dict[int, tuple[float, float]]) -> list[int] | None:
        """Tighten the bounds of the integer columns of a row; return these, or None if it cannot hold."""
        terms, low, high = self._rows[i]
        ends = [bounds.get(j, self._bounds[j]) for j, _ in terms]
        spans = [
            (a * e[0], a * e[1]) if a > 0 else (a * e[1], a * e[0])
            for (_, a), e in zip(terms, ends, strict=True)
        ]
        least, most = sum(span[0] for span in spans), sum(span[1] for span in spans)
        slack = float(TOLERANCE) * (
            1 + max((abs(x) for span in spans for x in span if abs(x) < inf), default=0)
        )
        if least > high + slack or most < low - slack:
            return None
        changed = []
        for (j, a), (first, last), (below, above) in zip(terms, ends, spans, strict=True):
            if not self._integer[j] or first == last:
                continue
            rest_least, rest_most = least - below, most - above
            upper = (high - rest_least + slack) / abs(a) if rest_least > -inf else inf
            lower = (low - rest_most - slack) / abs(a) if rest_most < inf else -inf
            if a < 0:
                upper, lower = -lower, -upper
            new = (
                max(first, ceil(lower) if lower > -inf else first),
                min(last, floor(upper) if upper < inf else last),
            )
            if new[0] > new[1]:
                return None
            if new != (first, last):
                bounds[j] = new
                changed.append(j)
        return changed
