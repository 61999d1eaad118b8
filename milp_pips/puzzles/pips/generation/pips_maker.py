"""Make Pips puzzles of a wanted kind: a board, a hidden solution on it, rules that the solution obeys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from milp_pips.chance import Chance
from milp_pips.puzzles.family import Drawn
from milp_pips.puzzles.partition import Place, partition
from milp_pips.puzzles.pips.generation.boards import cut_rectangle
from milp_pips.puzzles.pips.generation.hidden import Domino, FreeSupply, SetSupply, hidden_values
from milp_pips.puzzles.pips.generation.rules import (
    MOST_SLACK,
    Weights,
    drawn_rule,
    rules_obeyed,
    target_of,
)
from milp_pips.puzzles.pips.generation.tightening import Area, areas_of, loosened, tightened
from milp_pips.puzzles.pips.generation.tiling import Partners, dominoes, tiling
from milp_pips.puzzles.pips.labels import region_labels
from milp_pips.puzzles.pips.puzzle import Laid, Layout, Pips


@dataclass(frozen=True, slots=True)
class PipsMaker:
    """Makes puzzles of one kind.

    Parameters
    ----------
    dominoes
        How many.
    region_sizes
        How many cells a region may have, in increasing order.
    rules
        How often each rule is drawn.
    pips
        The values that half a domino may have, in increasing order.
    from_set
        Whether no domino comes twice.
    rows, columns
        The rectangle that the board is cut from; 0 leaves it to chance.
    board
        The cells of the board; empty for a board cut from a rectangle.
    """

    dominoes: int
    region_sizes: tuple[int, ...]
    rules: Weights
    pips: tuple[int, ...]
    from_set: bool
    rows: int
    columns: int
    board: tuple[Place, ...]

    def draw(self, name: str, chance: Chance) -> Drawn | None:
        """Return a new puzzle; see ``Maker``."""
        partners = self._covered(chance)
        if partners is None:
            return None
        cells = sorted(partners)
        regions = partition(cells, self.region_sizes, chance)
        if regions is None:
            return None
        regions = [sorted(region) for region in regions]
        wanted = [drawn_rule(self.rules, len(region), len(self.pips), chance) for region in regions]
        supply = SetSupply(self._kinds, chance) if self.from_set else FreeSupply(chance)
        values = hidden_values(partners, regions, wanted, self.pips, supply)
        areas = []
        for region, rule in zip(regions, wanted, strict=True):
            seen = [values[cell] for cell in region]
            fitting = rules_obeyed(self.rules, seen, self.pips)
            if not fitting:
                return None
            chosen = rule if rule in fitting else chance.weighed(fitting)
            slack = chance.between(1, MOST_SLACK)
            areas.append(
                Area(tuple(region), chosen, target_of(chosen, sum(seen), slack, len(region), self.pips))
            )
        laid = sorted(_laid(pair, values) for pair in dominoes(partners))
        return _puzzle(name, cells, areas, Layout(dict(sorted(values.items())), tuple(laid)))

    def tightened(self, drawn: Drawn, taken: Mapping[int, Mapping[int, int]], chance: Chance) -> Drawn | None:
        """Return a puzzle whose rules leave fewer solutions; see ``Maker``."""
        puzzle, hidden = drawn
        values, cells = hidden.values, puzzle.cells
        often = {
            cell: sum(n for value, n in taken[i].items() if value != values[cell]) if taken else 1
            for i, cell in enumerate(cells)
        }
        areas = tightened(
            areas_of(puzzle.regions, cells),
            values,
            {cell: n for cell, n in often.items() if n},
            self.region_sizes,
            self.rules,
            self.pips,
            chance,
        )
        return None if areas is None else _puzzle(puzzle.name, cells, areas, hidden)

    def loosened(self, drawn: Drawn, chance: Chance) -> Drawn | None:
        """Return a puzzle with a region less; see ``Maker``."""
        puzzle, hidden = drawn
        now = areas_of(puzzle.regions, puzzle.cells)
        areas = loosened(now, hidden.values, self.region_sizes, self.rules, self.pips, chance)
        return None if areas is None else _puzzle(puzzle.name, puzzle.cells, areas, hidden)

    @property
    def _kinds(self) -> list[Domino]:
        return [(a, b) for i, a in enumerate(self.pips) for b in self.pips[i:]]

    def _covered(self, chance: Chance) -> Partners | None:
        if self.board:
            return tiling(self.board, chance)
        return cut_rectangle(self.dominoes, self.rows, self.columns, chance)


def _laid(pair: tuple[Place, Place], values: Mapping[Place, int]) -> Laid:
    first, second = sorted(pair, key=lambda cell: values[cell])
    return Laid((values[first], values[second]), (first, second))


def _puzzle(name: str, cells: Sequence[Place], areas: Sequence[Area], hidden: Layout) -> Drawn:
    """Return the puzzle, its regions labelled in reading order; areas without a rule are no regions."""
    ruled = sorted(area for area in areas if area.rule is not None)
    regions = [area.region(label) for area, label in zip(ruled, region_labels(), strict=False)]
    puzzle = Pips.on_grid(name, cells, regions, [laid.pips for laid in hidden.dominoes], hidden)
    return Drawn(puzzle, hidden)
