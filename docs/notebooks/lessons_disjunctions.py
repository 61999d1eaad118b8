"""Ways to state that values differ: by value, and as one choice per pair of variables: u < v or u > v.

The column ``less[u, v]`` is 1 if u < v. With the numbers of the values, u is ``Σ a · [u = a]``. A pair of
rows ``either`` of ``big_m`` depends on one column: one row holds if it is 1, the other if it is 0. SCIP can
state that without any M, as two indicator constraints, or as two rows with slacks of which at most one is
not 0, a special ordered set of type 1 (SOS1). HiGHS has neither.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import inf
from typing import Any, ClassVar, NamedTuple

from own_process import in_own_process

import milp_pips
from milp_pips.engines.scip import LoadedScip, row_of
from milp_pips.extras.lab.puzzle_model import Pair, state_model
from milp_pips.extras.lab.strength import find_admitted
from milp_pips.formulations.milp.model import EncodedModel
from milp_pips.problem.answer import Settings
from milp_pips.problem.constraint import Row, RowBuilder
from milp_pips.problem.stopping import Deadline

LOOSE_M = 100.0
"""The M of ``loose_big_m``: a number that someone has chosen because it is surely large enough."""

NATIVE = "indicator", "sos1"
"""The native constraints of SCIP, by name; they replace the rows of ``big_m``."""

WAYS = "clique", "pairwise", "hull", "big_m", "loose_big_m", *NATIVE
"""All ways, by name."""


class Different(milp_pips.AllDifferent):
    """All values differ, with further names of linearisations."""

    linearisations: ClassVar = {
        **milp_pips.AllDifferent.linearisations,
        **{name: f"lessons_disjunctions:{name}" for name in ("hull", "big_m", "loose_big_m")},
    }


def with_choices(problem: milp_pips.Problem) -> milp_pips.Problem:
    """Return the problem with ``Different`` in the place of each ``AllDifferent``."""
    rules = (
        Different(rule.variables, rule.label) if type(rule) is milp_pips.AllDifferent else rule
        for rule in problem.constraints
    )
    return replace(problem, constraints=tuple(rules))


def big_m(builder: RowBuilder, different: Different, m: float | None = None) -> Iterator[Row]:
    """Yield ``u - v + 1 <= M (1 - less)`` and ``v - u + 1 <= M less``; without ``m``, each M is the smallest.

    The smallest M of a row is the greatest value of its left side over the domains.
    """
    for (u, v), label, less in _choices(builder, different):
        difference = [*_number(builder, u), *_number(builder, v, -1.0)]
        up = m or float(max(builder.domain(u)) - min(builder.domain(v)) + 1)
        down = m or float(max(builder.domain(v)) - min(builder.domain(u)) + 1)
        yield Row("either", (*label, "less"), -inf, up - 1.0, [*difference, (less, up)])
        reverse = [(item, -a) for item, a in difference]
        yield Row("either", (*label, "greater"), -inf, -1.0, [*reverse, (less, -down)])


def loose_big_m(builder: RowBuilder, different: Different) -> Iterator[Row]:
    """Yield the rows of ``big_m`` with the same M everywhere."""
    return big_m(builder, different, LOOSE_M)


def hull(builder: RowBuilder, different: Different) -> Iterator[Row]:
    """Yield the convex hull of the two cases, each relaxed, by disaggregated columns (Balas 1979).

    ``part[u, a]`` is the share of ``[u = a]`` in the case u < v; the rest of it is in the other case. The
    parts of a variable sum to ``less``, and each case has its own inequality.
    """
    for (u, v), label, less in _choices(builder, different):
        parts, whole = [], []
        for w, sign in ((u, 1.0), (v, -1.0)):
            name, mine = builder.name(w), []
            for item, _, a in builder.pairs_of((w,)):
                of_part = *label, name, builder.written(a, w)
                part = builder.add_column("part", of_part)
                yield Row("part", of_part, -inf, 0.0, [(part, 1.0), (item, -1.0)])
                mine.append((part, 1.0))
                parts.append((part, sign * a))
            yield Row("parts", (*label, name), 0.0, 0.0, [*mine, (less, -1.0)])
            whole += _number(builder, w, sign)
        yield Row("either", (*label, "less"), -inf, 0.0, [*parts, (less, 1.0)])
        rest = [*parts, *((item, -a) for item, a in whole)]
        yield Row("either", (*label, "greater"), -inf, -1.0, [*rest, (less, -1.0)])


def _choices(
    builder: RowBuilder, different: Different
) -> Iterator[tuple[tuple[int, int], tuple[Any, ...], int]]:
    """Yield each pair of variables with its label and its column ``less``."""
    for u, v in combinations(different.variables, 2):
        label = different.label, builder.name(u), builder.name(v)
        yield (u, v), label, builder.add_column("less", label)


def _number(builder: RowBuilder, v: int, sign: float = 1.0) -> list[tuple[int, float]]:
    """Return the terms of a variable's number."""
    return [(item, sign * a) for item, _, a in builder.pairs_of((v,))]


# How strong they are, by SCIP.


class Way(NamedTuple):
    """A way, measured.

    ``excluded`` are the impossible pairs that the relaxation excludes; ``bound`` is its cost, ``cost`` that
    of the best point, and ``nodes`` those of a branch and bound between them. ``size`` is that of the model,
    for a native constraint that of ``big_m``.
    """

    name: str
    excluded: frozenset[Pair]
    bound: float
    cost: float
    nodes: int
    size: dict[str, int]


def measure(problem: milp_pips.Problem, names: Sequence[str] = WAYS) -> list[Way]:
    """Return how strong each way is for a problem with ``Different`` and an objective to minimise."""
    impossible = milp_pips.strength(problem, ["clique"]).impossible
    return [in_own_process(_measure, problem, name, impossible) for name in names]


def _measure(problem: milp_pips.Problem, name: str, impossible: Sequence[Pair]) -> Way:
    native = name if name in NATIVE else ""
    settings = Settings(formulation="big_m" if native else name)
    stated = state_model(problem, settings, "measure", Deadline())
    admitted = find_admitted(stated, RelaxedScip(stated.model, native), impossible, Deadline())
    bound, cost, nodes = RelaxedScip(stated.model, native).search()
    excluded = frozenset(impossible) - frozenset(admitted or ())
    return Way(name, excluded, bound, cost, nodes, stated.model.size)


def table(ways: Iterable[Way]) -> str:
    """Return a table with a line for each way."""
    lines = [f"{'way':11}  excluded    bound  nodes  columns   rows  nonzeros"]
    for way in ways:
        size = f"{way.size['columns']:9}{way.size['rows']:7}{way.size['nonzeros']:10}"
        lines.append(f"{way.name:11} {len(way.excluded):9} {way.bound:8.2f} {way.nodes:6}{size}")
    return "\n".join(lines)


class RelaxedScip(LoadedScip):
    """A 0-1 model in SCIP for its root node alone, without presolve, heuristics, propagation and cuts.

    ``native`` says how to state rows ``either``: one of ``NATIVE``, or empty for linear rows.
    """

    def __init__(self, model: EncodedModel, native: str = ""):
        families = [family for family in model.column_families if native and family.name == "less"]
        self._native, self._slacks = native, list[Any]()
        self._switches = {j for each in families for j in range(each.first, each.first + each.count)}
        super().__init__(model, Settings(), Deadline())
        self.switch_off("Presolve", "Heuristics", "Separating")
        self.scip.setParam("misc/usesymmetry", 0)
        self.scip.setParam("limits/nodes", 1)
        self.scip.setParam("propagating/maxrounds", 0)
        self.scip.setParam("propagating/maxroundsroot", 0)
        self.scip.setParam("conflict/enable", False)
        self.scip.setParam("branching/mostinf/priority", 1_000_000)  # strong branching would prove more
        if model.arrays.costs is not None:
            self.set_costs(model.arrays.costs.tolist())

    def _add_row(self, columns: Sequence[int], factors: Sequence[float], low: float, high: float) -> None:
        """Add a row, or the constraint for a row that depends on a switch."""
        switch = self._switches.intersection(columns)
        if not switch:
            return super()._add_row(columns, factors, low, high)
        terms = dict(zip(columns, factors, strict=True))
        j = switch.pop()
        m = terms.pop(j)
        rest, right = [(self.x[i], a) for i, a in terms.items()], high - max(m, 0.0)
        if self._native == "indicator":
            self.scip.addConsIndicator(row_of(rest, None, right), self.x[j], activeone=m > 0)
            return None
        self._slacks.append(self.scip.addVar(ub=abs(m)))
        self.scip.addCons(row_of([*rest, (self._slacks[-1], -1.0)], None, right))
        if len(self._slacks) == 2:
            self.scip.addConsSOS1(self._slacks)
            self._slacks = []
        return None

    def bound(self, columns: Sequence[int], lower: int, upper: int) -> None:
        """Set the bounds of the columns, after the last solve has been discarded."""
        self.scip.freeTransform()
        for j in columns:
            self.scip.chgVarLb(self.x[j], lower)
            self.scip.chgVarUb(self.x[j], upper)

    def search(self) -> tuple[float, float, int]:
        """Return the cost of the relaxation, that of the best point, and the nodes until it is known."""
        self.run(Deadline())
        bound = float(self.scip.getDualbound())
        self.scip.freeTransform()
        self.scip.setParam("limits/nodes", -1)
        ending = self.run(Deadline())
        assert self.scip.getStatus() == "optimal"
        return bound, float(self.scip.getPrimalbound()), ending.statistics["nodes"]
