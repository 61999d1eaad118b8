"""Make Pips puzzles of a wanted kind: a board, a hidden solution on it, rules that the solution obeys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from milp_pips.chance import Chance
from milp_pips.puzzles.family import Candidate
from milp_pips.puzzles.partition import Place, partition
from milp_pips.puzzles.pips.generation.boards import cut_rectangle, dominoes, tiling
from milp_pips.puzzles.pips.generation.hidden import AnyDomino, DominoSet, hidden_values
from milp_pips.puzzles.pips.generation.regions import Area, Reviser, Style, areas_of
from milp_pips.puzzles.pips.puzzle import Laid, Layout, Pips, Region, region_labels

MOST_SLACK = 3
"""A new bound on a sum leaves at most this much room below or above the hidden sum: enough not to give the
sum away, and still most values of a few cells break it."""


@dataclass(frozen=True, slots=True)
class PipsMaker:
    """Makes puzzles of one kind.

    Parameters
    ----------
    dominoes
        How many.
    style
        What regions may be like.
    from_set
        Whether no domino comes twice.
    rows, columns
        The rectangle that the board is cut from; 0 leaves it to chance.
    board
        The cells of the board; empty for a board cut from a rectangle.
    """

    dominoes: int
    style: Style
    from_set: bool
    rows: int
    columns: int
    board: tuple[Place, ...]

    def make(self, name: str, chance: Chance) -> Candidate | None:
        """Return a new puzzle; see ``Maker``."""
        if self.board:
            partners = tiling(self.board, chance)
        else:
            partners = cut_rectangle(self.dominoes, self.rows, self.columns, chance)
        if partners is None:
            return None
        cells = sorted(partners)
        regions = partition(cells, self.style.sizes, chance)
        if regions is None:
            return None
        regions = [sorted(region) for region in regions]
        wanted = [self.style.draw_rule(len(region), chance) for region in regions]
        source = DominoSet(self.style.pips, chance) if self.from_set else AnyDomino(chance)
        values = hidden_values(partners, regions, wanted, self.style.pips, source)
        areas = []
        for region, rule in zip(regions, wanted, strict=True):
            seen = [values[cell] for cell in region]
            fitting = self.style.rules_obeyed(seen)
            if not fitting:
                return None
            chosen = rule if rule in fitting else chance.weighed(fitting)
            slack = chance.between(1, MOST_SLACK)
            areas.append(Area(tuple(region), chosen, self.style.target(chosen, seen, slack)))
        laid = sorted(_lay(pair, values) for pair in dominoes(partners))
        return _candidate(name, cells, areas, Layout(dict(sorted(values.items())), tuple(laid)))

    def tighten(
        self, candidate: Candidate, taken: Mapping[int, Mapping[int, int]], chance: Chance
    ) -> Candidate | None:
        """Return a puzzle whose rules leave fewer solutions; see ``Maker``."""
        puzzle, hidden = candidate
        often = {
            cell: sum(n for value, n in taken[i].items() if value != hidden.values[cell]) if taken else 1
            for i, cell in enumerate(puzzle.cells)
        }
        reviser = Reviser(self.style, hidden.values, chance)
        areas = reviser.tighten(areas_of(puzzle.regions, puzzle.cells), often)
        return None if areas is None else _candidate(puzzle.name, puzzle.cells, areas, hidden)

    def loosen(self, candidate: Candidate, chance: Chance) -> Candidate | None:
        """Return a puzzle with a region less; see ``Maker``."""
        puzzle, hidden = candidate
        areas = Reviser(self.style, hidden.values, chance).loosen(areas_of(puzzle.regions, puzzle.cells))
        return None if areas is None else _candidate(puzzle.name, puzzle.cells, areas, hidden)


def _lay(pair: tuple[Place, Place], values: Mapping[Place, int]) -> Laid:
    first, second = sorted(pair, key=lambda cell: values[cell])
    return Laid((values[first], values[second]), (first, second))


def _candidate(name: str, cells: Sequence[Place], areas: Sequence[Area], hidden: Layout) -> Candidate:
    """Return the puzzle, its regions labelled in reading order; areas without a rule are no regions."""
    ruled = sorted(area for area in areas if area.rule is not None)
    regions = [Region(label, *area) for label, area in zip(region_labels(), ruled, strict=False)]
    puzzle = Pips.on_grid(name, cells, regions, [laid.pips for laid in hidden.dominoes], hidden)
    return Candidate(puzzle, hidden)
