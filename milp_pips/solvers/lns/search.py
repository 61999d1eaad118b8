"""The search: a start, small moves while they help, windows where they do not."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.answer import Settings
from milp_pips.problem import Problem
from milp_pips.solvers.lns.board import Board, Unsuited
from milp_pips.solvers.lns.layout import Layout
from milp_pips.solvers.lns.matching import perfect_matching
from milp_pips.solvers.lns.moves import move
from milp_pips.solvers.lns.values import pleasing

if TYPE_CHECKING:
    from highspy import Highs

    from milp_pips.watch import Watch


class Style(NamedTuple):
    """How small moves are made.

    They may cost ``slack`` dominoes beyond the least cost so far (record-to-record travel, Dueck 1993), and
    are given up after ``patience`` of them without a lower one.
    """

    slack: int
    patience: int


STRICT = Style(0, 1000)
"""How small moves are made between windows."""

STARTS = (Style(0, 3000), *[Style(1, 3000)] * 3)
"""The first starts. Most boards are solved soonest where no move costs anything, and dense ones never."""

LATER_STARTS = (Style(1, 30_000), Style(2, 10_000))
"""Further starts, all of which are made whenever windows have not helped for a while."""

COLUMNS = 300
"""Columns of the first windows, about; HiGHS takes some hundredths of a second for them."""

FRUITLESS = 4
"""Windows without a lower cost after which they become larger."""

GROWTH = 1.5
"""By how much larger."""

MOST_COLUMNS = 2500
"""Columns that no window exceeds; where windows of this size do not help, the search ends."""

NODES = 30
"""Nodes that HiGHS may take for a window. A limit in seconds would make two runs differ."""


class Search:
    """A search for a point of a problem, by large neighbourhoods (Shaw 1998).

    Parameters
    ----------
    problem
        The problem. Raises Unsuited if the search cannot work on it.
    settings
        Seed, and how HiGHS is to work on windows.
    watch
        Says when to stop.

    Attributes
    ----------
    statistics
        ``moves`` and ``windows`` tried, and ``nodes`` of HiGHS.
    size
        Of the largest model of a window; empty where there was none.
    """

    def __init__(self, problem: Problem, settings: Settings, watch: Watch):
        self._settings = settings
        self._watch = watch
        self._chance = Random(settings.seed)
        self._board = Board(problem)
        self._highs: Highs | None = None
        self.statistics = {"moves": 0, "windows": 0, "nodes": 0}
        self.size: dict[str, int] = {}

    def point(self) -> tuple[int, ...] | None:
        """Return a point of the problem, or None if the watch says stop.

        Raises Unsuited if it finds no start or no way on.
        """
        layout = self._best_start()
        columns, fruitless = float(COLUMNS), 0
        while layout is not None:
            self._move(layout, STRICT)
            if not layout.cost:
                return tuple(layout.point)
            if self._watch.stop:
                break
            cost = layout.cost
            self._open_window(layout, int(columns))
            fruitless = 0 if layout.cost < cost else fruitless + 1
            if fruitless == FRUITLESS:
                for style in LATER_STARTS:
                    layout = self._better(layout, style)
                if layout.cost and columns >= MOST_COLUMNS:
                    raise Unsuited(f"the search came to rest {layout.cost} dominoes off")
                columns, fruitless = min(columns * GROWTH, MOST_COLUMNS), 0
        return None

    def _best_start(self) -> Layout | None:
        """Return the best of a few starts after small moves; None if time is up."""
        best: Layout | None = None
        for style in STARTS:
            layout = self._start()
            if layout is None:
                break
            self._move(layout, style)
            if best is None or layout.cost < best.cost:
                best = layout
            if not best.cost or self._watch.stop:
                break
        return best

    def _better(self, layout: Layout, style: Style) -> Layout:
        """Return another start if it costs less after small moves in this style, else the layout."""
        other = self._start() if layout.cost else None
        if other is None:
            return layout
        self._move(other, style)
        return other if other.cost < layout.cost else layout

    def _start(self) -> Layout | None:
        """Return any perfect matching with values that please each rule by itself; None if time is up."""
        board, chance = self._board, self._chance
        matching = perfect_matching(board.near, chance, self._watch)
        if self._watch.stop:
            return None
        if matching is None:
            raise Unsuited("no way to cover the board was found")
        value: dict[int, int] = {}
        for v in range(len(board.domains)):
            if v in value or v in board.partners:
                continue
            order = board.tied(v, len(board.domains))
            values = pleasing(board, order, {}, {}, chance)
            if values is None:
                raise Unsuited("no values were found that please the rules by themselves")
            value.update(values)
            if self._watch.stop:
                return None
        value.update(zip(board.cover.partners, matching, strict=True))
        return Layout(board, [value[v] for v in range(len(board.domains))])

    def _move(self, layout: Layout, style: Style) -> None:
        """Make small moves until they no longer help."""
        best, left = layout.cost, style.patience
        while layout.cost and left and not (left % 64 == 0 and self._watch.stop):
            move(layout, self._chance, best + style.slack)
            self.statistics["moves"] += 1
            left -= 1
            if layout.cost < best:
                best, left = layout.cost, style.patience

    def _open_window(self, layout: Layout, columns: int) -> None:
        """Lay a window anew, unless the best way that HiGHS finds costs more."""
        from milp_pips.solvers.highs import run
        from milp_pips.solvers.lns.window import Window, grown

        cells = grown(layout, columns, self._chance)
        if len(cells) == len(layout.board.near):
            raise Unsuited("the board is no larger than a window")
        window = Window(layout, cells, self._settings.formulation or "projected")
        highs = self._highs = self._highs or self._made_highs()
        window.pass_to(highs, self._chance)
        ending = run(highs, self._watch)
        self.statistics["windows"] += 1
        self.statistics["nodes"] += ending.nodes
        if window.model.size["columns"] > self.size.get("columns", 0):
            self.size = window.model.size
        changes = None if ending.x is None else window.changes(ending.x)
        if changes is not None:
            layout.accept(changes)

    def _made_highs(self) -> Highs:
        import highspy

        from milp_pips.solvers.highs import set_options

        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("mip_max_nodes", NODES)
        highs.setOptionValue("mip_abs_gap", 0.5)  # costs are whole dominoes, but for less than half a one
        set_options(highs, self._settings)
        return highs
