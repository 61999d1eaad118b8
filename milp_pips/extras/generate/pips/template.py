"""A board that is drawn in a file, with those of its regions and rules that new puzzles are to keep."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from milp_pips.extras.generate.pips.boards import tiling
from milp_pips.extras.generate.pips.local_search import RegionTarget
from milp_pips.extras.generate.pips.regions import Area
from milp_pips.problem.errors import InputError
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.located import Lines
from milp_pips.puzzles.pips.puzzle import LAST_INDEX, Rule
from milp_pips.puzzles.pips.sections import NO_REGION
from milp_pips.puzzles.pips.text import read_outline
from milp_pips.puzzles.region_partition import Place, connected_parts


class Outline(NamedTuple):
    """Cells, the regions drawn among them, and the rules stated for some of these; all else is open."""

    cells: tuple[Place, ...] = ()
    regions: tuple[tuple[Place, ...], ...] = ()
    ruled: tuple[Area, ...] = ()

    @property
    def open_cells(self) -> list[Place]:
        """The cells in no region."""
        inside = {cell for region in self.regions for cell in region}
        return [cell for cell in self.cells if cell not in inside]

    def rule_of(self, region: Collection[Place]) -> Area | None:
        """Return the region with the rule that is stated for it, None where none is."""
        return next((area for area in self.ruled if set(area.cells) == set(region)), None)


NOTHING_DRAWN = Outline()


def read_board(text: str, file: str) -> Outline:
    """Return what a file says of a board: ``.`` is no cell, ``#`` an open one, equal labels are a region.

    Rules may follow as in a puzzle. Raises InputError, also where dominoes cannot cover the board.
    """
    board, rules = read_outline(text, file)
    cells = tuple(sorted(board))
    if max(max(cell) for cell in cells) > LAST_INDEX:
        raise InputError(
            "the board is too large", file, expected=f"at most {LAST_INDEX + 1} rows and columns"
        )
    if len(cells) % 2:
        expected = "an even number, two for each domino"
        raise Lines(text, file).fault(f"the board has {len(cells)} cells", expected)
    if tiling(cells, RandomGenerator("")) is None:
        raise InputError("dominoes cannot cover this board", file)
    by_label: dict[str, list[Place]] = {}
    for cell in cells:
        if board[cell] != NO_REGION:
            by_label.setdefault(board[cell], []).append(cell)
    for label, region in by_label.items():
        if len(connected_parts(region)) > 1:
            raise InputError(f"region {label} is not connected", file, expected="cells that share sides")
    ruled = tuple(Area(tuple(by_label[label]), *rule) for label, rule in rules.items())
    return Outline(cells, tuple(map(tuple, by_label.values())), ruled)


def wish_of(area: Area, highest: int) -> RegionTarget:
    """Return what the values of a region with a stated rule are to be, ``highest`` being the most pips."""
    target, most = area.target or 0, highest * len(area.cells)
    match area.rule:
        case Rule.SUM:
            return RegionTarget(area.cells, area.rule, target, target)
        case Rule.LT | Rule.LE:
            return RegionTarget(area.cells, area.rule, 0, target - (area.rule is Rule.LT))
        case Rule.GT | Rule.GE:
            return RegionTarget(area.cells, area.rule, target + (area.rule is Rule.GT), most)
        case _:
            return RegionTarget(area.cells, area.rule, 0, most)
