"""Large-neighbourhood search: a first solution of large problems with many dominoes and small rules.

The search keeps a layout that covers the board and satisfies every rule, but may use dominoes that are not in
the set. It changes the layout until it uses the given dominoes only: by small moves while they help, then by
windows, parts of the layout that HiGHS re-solves. It cannot prove infeasibility, except that a board has no
perfect matching. If the search does not apply or stalls, HiGHS solves the whole problem.

A small move changes the values in one rule, or turns two dominoes that lie side by side. Each move starts at
a domino of a surplus kind, and is accepted unless it costs more (min-conflicts: Minton, Johnston, Philips and
Laird 1992). Thousands of moves take as long as one window; on large boards they do nearly all of the work.
``benchmarks/first_solution.py --large`` measures the constants below against other values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.algorithms.matching import Barrier, perfect_matching
from milp_pips.engines.highs import HighsSolver, empty_model, require_options, run, set_options
from milp_pips.engines.library import LibrarySolver, Run
from milp_pips.engines.lns.layout import SoftCoverProblem, SoftLayout, Unsuited
from milp_pips.problem import Answer, Constraint, Deadline, Problem, Proof, Settings, Stop

if TYPE_CHECKING:
    from highspy import Highs


class MoveStyle(NamedTuple):
    """The acceptance rule and stopping criterion of small moves.

    A layout may cost ``slack`` dominoes more than the least cost so far (record-to-record travel, Dueck
    1993). The moves end after ``patience`` of them without a lower cost.
    """

    slack: int
    patience: int


STRICT = MoveStyle(0, 1000)
"""The style of small moves between windows."""

MOVE_STYLES = (MoveStyle(0, 3000), *[MoveStyle(1, 3000)] * 3)
"""The styles of the first starts. Without slack, most boards are solved soonest, but dense ones never."""

LATER_STARTS = (MoveStyle(1, 30_000), MoveStyle(2, 10_000))
"""The styles of further starts, which are all made whenever windows have not helped for a while."""

WINDOW_COLUMNS = 300
"""The approximate columns of the first windows; HiGHS solves one in some hundredths of a second."""

FRUITLESS = 4
"""The number of windows without a lower cost after which windows grow."""

GROWTH = 1.5
"""The factor by which windows grow."""

MOST_COLUMNS = 2500
"""The most columns of a window; if windows of this size do not help, the search ends."""

NODES = 30
"""The node limit of HiGHS for a window. A time limit would make two runs differ."""

TURNS = 0.3
"""The share of moves that turn dominoes."""

KEEP_VALUE_PROBABILITY = 0.7
"""The probability that a cell first tries its old value when a cell linked to it changes."""

MAX_REPAIR_CHOICES = 500
"""The number of choices after which the search for consistent values is given up."""


class LnsSolver(LibrarySolver):
    """Large-neighbourhood search on the dominoes, with HiGHS for its windows and as its fallback."""

    name = "lns"
    kind = "search"
    transformations = ("filter", "linearise")
    title = "large-neighbourhood search"
    distribution = "milp-pips"
    requires = HighsSolver.requires
    features = frozenset({"time limit", "seed", "threads", "options"})
    clashes = HighsSolver.clashes
    without_presolve = HighsSolver.without_presolve
    proof_family = "highs"  # the search itself proves next to nothing

    @cached_property
    def formulations(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the 0-1 model, of windows and of the whole problem."""
        return HighsSolver().formulations

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run:
        """Return the search, which hands over to HiGHS if it cannot finish; see ``LibrarySolver``.

        The formulation and the options apply to HiGHS, both on windows and on the whole problem.
        """
        if settings.options:  # else HiGHS may not be needed, and is not loaded
            require_options(settings.options)

        def handed_over(reason: Unsuited, counts: Mapping[str, int]) -> Answer:
            whole = HighsSolver().state(problem, settings, deadline)
            stopped = Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)
            outcome = whole() if whole else stopped
            message = "; ".join(filter(None, [f"handed over to HiGHS: {reason}", outcome.message]))
            return replace(outcome, message=message, statistics={**counts, **outcome.statistics})

        try:
            search = NeighbourhoodSearch(problem, settings, deadline)
        except Unsuited as reason:
            return partial(handed_over, reason, {})

        def run() -> Answer:
            try:
                point = search.point()
            except Unsuited as reason:
                return handed_over(reason, search.statistics)
            proof, stop = Proof.FEASIBLE, Stop.FINISHED
            if point is None:
                proof = Proof.INFEASIBLE if search.refutation else Proof.NONE
                stop = stop if search.refutation else deadline.stop or Stop.INTERRUPTED
            formulation = settings.formulation or "projected"
            return Answer(point, proof, stop, search.refutation, search.statistics, search.size, formulation)

        return run


class NeighbourhoodSearch:
    """A search for a point of a problem, by large neighbourhoods (Shaw 1998).

    Parameters
    ----------
    problem
        The problem. Raises Unsuited if the search cannot work on it.
    settings
        The seed, and the settings of HiGHS for windows.
    deadline
        The deadline.

    Attributes
    ----------
    statistics
        ``moves`` and ``windows`` tried, and ``nodes`` of HiGHS.
    size
        The size of the largest model of a window; empty if there was none.
    refutation
        The proof that no dominoes can cover the board, if the search found one; else empty.
    """

    def __init__(self, problem: Problem, settings: Settings, deadline: Deadline):
        self._settings = settings
        self._deadline = deadline
        self._rng = Random(settings.seed)
        self._problem = SoftCoverProblem(problem)
        self._highs: Highs | None = None
        self.statistics = {"moves": 0, "windows": 0, "nodes": 0}
        self.size: dict[str, int] = {}
        self.refutation = ""

    def point(self) -> tuple[int, ...] | None:
        """Return a point of the problem, or None if the deadline passes or the problem is refuted.

        Raises Unsuited if it finds no start or stalls.
        """
        layout = self._best_start()
        columns, fruitless = float(WINDOW_COLUMNS), 0
        while layout is not None:
            # Small moves first; a layout without cost is a solution.
            self._make_moves(layout, STRICT)
            if not layout.cost:
                return tuple(layout.point)
            if self._deadline.stop:
                break
            # Then one window. It never raises the cost.
            cost = layout.cost
            self._open_window(layout, int(columns))
            fruitless = 0 if layout.cost < cost else fruitless + 1
            # After some windows that do not help: try other starts, and make windows larger.
            if fruitless == FRUITLESS:
                for style in LATER_STARTS:
                    layout = self._better(layout, style) or layout
                if layout.cost and columns >= MOST_COLUMNS:
                    raise Unsuited(f"the search stalled with {layout.cost} wrong dominoes")
                columns, fruitless = min(columns * GROWTH, MOST_COLUMNS), 0
        return None

    def _best_start(self) -> SoftLayout | None:
        """Return the best of a few starts after small moves; None if there is no start or no time left."""
        best: SoftLayout | None = None
        for style in MOVE_STYLES:
            best = self._better(best, style)
            if best is None or not best.cost or self._deadline.stop:
                break
        return best

    def _better(self, layout: SoftLayout | None, style: MoveStyle) -> SoftLayout | None:
        """Return a new start if it costs less after small moves in this style, else the given layout."""
        other = self._start() if layout is None or layout.cost else None
        if other is None:
            return layout
        self._make_moves(other, style)
        return other if layout is None or other.cost < layout.cost else layout

    def _start(self) -> SoftLayout | None:
        """Return a random perfect matching of the cells, with values that satisfy every rule.

        None if the deadline passes, or if there is no perfect matching, which is a refutation. Raises
        Unsuited if no values are found.
        """
        # The partners: a random perfect matching, or else a barrier that proves that there is none.
        problem, rng = self._problem, self._rng
        matching = perfect_matching(problem.near, rng, lambda: self._deadline.stop)
        if isinstance(matching, Barrier):
            names = [problem.reduced.variables[v].name for v in problem.cover.values]
            self.refutation = matching.proof(problem.near, names) or ""
            if not self.refutation:
                raise Unsuited("no way to cover the board was found")
            return None
        if matching is None or self._deadline.stop:
            return None
        # The values: the rules decompose into components, each of which is completed by itself.
        value: dict[int, int] = {}
        for v in range(len(problem.domains)):
            if v in value or v in problem.partners:
                continue
            order = problem.linked_variables(v, len(problem.domains))
            values = consistent_values(problem, order, {}, {}, rng)
            if values is None:
                raise Unsuited("no values were found that satisfy the rules by themselves")
            value.update(values)
            if self._deadline.stop:
                return None
        value.update(zip(problem.cover.partners, matching, strict=True))
        return SoftLayout(problem, [value[v] for v in range(len(problem.domains))])

    def _make_moves(self, layout: SoftLayout, style: MoveStyle) -> None:
        """Make small moves until they no longer help, the cost is 0, or the deadline passes."""
        best, left = layout.cost, style.patience
        while layout.cost and left and not (left % 64 == 0 and self._deadline.stop):
            make_move(layout, self._rng, best + style.slack)
            self.statistics["moves"] += 1
            left -= 1
            if layout.cost < best:
                best, left = layout.cost, style.patience

    def _open_window(self, layout: SoftLayout, columns: int) -> None:
        """Re-solve a random window of the layout, and accept the result unless it costs more.

        Raises Unsuited if the window is the whole board.
        """
        from milp_pips.engines.lns.window import WindowModel, grow_window  # with numpy

        cells = grow_window(layout, columns, self._rng)
        if len(cells) == len(layout.problem.near):
            raise Unsuited("the board is no larger than a window")
        window = WindowModel(layout, cells, self._settings.formulation or "projected")
        highs = self._highs = self._highs or self._window_engine()
        window.pass_to(highs, self._rng)
        ending = run(highs, self._deadline)
        self.statistics["windows"] += 1
        self.statistics["nodes"] += ending.statistics.get("nodes", 0)
        if window.model.size["columns"] > self.size.get("columns", 0):
            self.size = window.model.size
        changes = None if ending.point is None else window.changes(ending.point)
        if changes is not None:
            layout.accept(changes)

    def _window_engine(self) -> Highs:
        """Return a HiGHS object with the options for windows, which is used for all of them."""
        highs = empty_model()
        highs.setOptionValue("mip_max_nodes", NODES)
        highs.setOptionValue("mip_abs_gap", 0.5)  # costs are whole dominoes plus a random part below 0.5
        set_options(highs, self._settings)
        return highs


def make_move(layout: SoftLayout, rng: Random, most: int) -> None:
    """Try one small move, and accept it unless the cost exceeds ``most``; the layout must have a cost."""
    if rng.random() < TURNS:
        _turn_dominoes(layout, rng, most)
    else:
        _change_values(layout, rng, most)


def _turn_dominoes(layout: SoftLayout, rng: Random, most: int) -> None:
    """Turn two dominoes that lie side by side, one of them of a surplus kind."""
    near, partners = layout.problem.near, layout.problem.cover.partners
    one = layout.surplus_cell(rng)
    other = layout.partner(one)
    beside = near[one][int(rng.random() * len(near[one]))]
    opposite = layout.partner(beside)
    if beside != other and opposite in near[other]:
        changes = {one: beside, beside: one, other: opposite, opposite: other}
        layout.accept({partners[cell]: partner for cell, partner in changes.items()}, most)


def _change_values(layout: SoftLayout, rng: Random, most: int) -> None:
    """Give a cell of a surplus domino a value that makes a missing one, and repair the cells linked to it."""
    problem, point = layout.problem, layout.point
    # Choose a cell, and a new value that makes its domino one of a missing kind if possible.
    cell = layout.surplus_cell(rng)
    v = problem.cover.values[cell]
    beside = point[problem.cover.values[layout.partner(cell)]]
    others = [x for x in problem.domains[v] if x != point[v]]
    wanted = [x for x in others if layout.excess.get((min(x, beside), max(x, beside)), 0) < 0] or others
    if not wanted:
        return
    # Find values for the linked cells that satisfy all rules; most cells try their old value first.
    inside, beyond = problem.cluster(v)
    rest = list(inside[1:])
    rng.shuffle(rest)
    first = {u: point[u] for u in rest if rng.random() < KEEP_VALUE_PROBABILITY}
    first[v] = wanted[int(rng.random() * len(wanted))]
    values = consistent_values(problem, [v, *rest], {u: point[u] for u in beyond}, first, rng)
    if values is not None:
        layout.accept(values, most)


def consistent_values(
    problem: SoftCoverProblem,
    order: Sequence[int],
    fixed: Mapping[int, int],
    first: Mapping[int, int],
    rng: Random,
) -> dict[int, int] | None:
    """Return values that satisfy all rules on the variables; None if ``MAX_REPAIR_CHOICES`` did not suffice.

    It is a depth-first search that checks each rule on partial assignments.

    Parameters
    ----------
    problem
        The rules and the domains.
    order
        The variables, in the order in which they get their values.
    fixed
        Values of further variables. Rules on variables in neither ``order`` nor ``fixed`` need only remain
        satisfiable.
    first
        Values to try first.
    rng
        Random generator, which determines the order of the other values.
    """
    chosen = {v: (value,) for v, value in fixed.items()}
    domains, rules = problem.domains, problem.rules
    left = MAX_REPAIR_CHOICES

    def may_hold(rule: Constraint) -> bool:
        return rule.is_possible([chosen[v] if v in chosen else domains[v] for v in rule.variables])

    def complete(position: int) -> bool:
        nonlocal left
        if position == len(order):
            return True
        v = order[position]
        choices = list(domains[v])
        rng.shuffle(choices)
        if v in first:
            choices.insert(0, first[v])
        for x in choices:
            left -= 1
            if left < 0:
                return False
            chosen[v] = (x,)
            if all(map(may_hold, rules[v])) and complete(position + 1):
                return True
        del chosen[v]
        return False

    return {v: chosen[v][0] for v in order} if complete(0) else None
