"""Generate Pips puzzles: a board, a hidden solution on it, and rules that the solution obeys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from milp_pips.extras.generate.contract import Candidate
from milp_pips.extras.generate.partition import divisible, partition
from milp_pips.extras.generate.pips.boards import (
    SYMMETRIES,
    Partners,
    dominoes_on,
    draw_board,
    random_tiling,
    symmetries_of,
)
from milp_pips.extras.generate.pips.options import (
    DEFAULT_DOMINOES,
    EMPTY_OUTLINE,
    SETS,
    UNLIMITED_DOMINOES,
    Outline,
    options,
)
from milp_pips.extras.generate.pips.regions import (
    PLAIN_STYLE,
    SETTER_STYLE,
    Area,
    Reviser,
    Style,
    Weights,
    areas_of,
    candidate_of,
)
from milp_pips.extras.generate.pips.repair import PipsRepairer
from milp_pips.extras.generate.pips.solution import (
    CHANGES_PER_DOMINO,
    RegionTarget,
    drawn_target,
    hidden_values,
    stated_target,
)
from milp_pips.problem import UsageError
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.puzzle import Layout, Pips, PlacedDomino
from milp_pips.puzzles.pips.rules import GIVEN, RULES
from milp_pips.render.vocabulary import Place

__all__ = ["PipsMaker", "limits_of_grade", "maker", "of_grade", "options"]

DEFAULT_MAX_PIP = 6

MAX_DOMINOES_LAID_ONE_WAY = 60
"""Up to this many dominoes, those of published style show the hidden values in one way only; larger boards
have too many ways, and dominoes that are all alike fit every way."""

FEW_SIZES, FEW_PIPS = 4, 4
"""Messages name the sizes of regions if there are fewer. Fewer different pips
are a likely reason if no puzzle is found."""

of_grade: Mapping[str, Mapping[str, Any]] = {
    "easy": {"dominoes": 5},
    "medium": {"dominoes": 8},
    "hard": {"dominoes": 10},
    "expert": {"dominoes": 13},
}
"""The default sizes for each grade."""

limits_of_grade: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "easy": {"dominoes": (2, 8)},
    "medium": {"dominoes": (5, 9)},
    "hard": {"dominoes": (8, 16)},
    "expert": {"dominoes": (10, 16)},
}
"""The sizes for which puzzles of each grade are found within 5 s; for experts, two of three;
by ``benchmarks/generating.py --grades``."""


def maker(wanted: Mapping[str, Any]) -> PipsMaker:
    """Return the maker of puzzles with these options; see ``options``. Raises UsageError if impossible."""
    wishes = Wishes(**wanted)
    return (wishes if wishes.given is None else wishes.with_pips_given()).maker()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """The values of the options; see ``options``. None, 0 rows or columns and no cells stand for no wish."""

    dominoes: int | None = None
    style: str = SETTER_STYLE
    set: int | None = None
    region_sizes: tuple[int, ...] | None = None
    rules: Weights | None = None
    given: int | None = None
    min_pip: int = 0
    max_pip: int | None = None
    rows: int = 0
    columns: int = 0
    board: Outline = EMPTY_OUTLINE
    shape: Outline = EMPTY_OUTLINE
    symmetry: str = ""

    def with_pips_given(self) -> Wishes:
        """Return the wishes that ``given`` stands for: regions of one cell, with a sum or without a rule.

        A full set of p different pips has p (p + 1) / 2 dominoes, which cover p rows and p + 1 columns. With
        all pips given, the puzzle is known as Dominosa. Raises UsageError.
        """
        if self.region_sizes or self.rules:
            raise UsageError("--given leaves no other rules; leave out --region-sizes and --rules")
        highest = DEFAULT_MAX_PIP if self.max_pip is None else self.max_pip
        rules = {GIVEN: self.given or 0, None: 100 - (self.given or 0)}
        full = replace(self, set=highest if self.set is None else self.set, style=PLAIN_STYLE)
        full = replace(full, region_sizes=(1,), rules=rules)
        has_board = self.dominoes or self.rows or self.columns or self.board.cells or self.shape.cells
        if full.set == UNLIMITED_DOMINOES or has_board:
            return full
        return replace(full, rows=len(full.pips), columns=len(full.pips) + 1)

    def maker(self) -> PipsMaker:
        """Return the maker of such puzzles. Raises UsageError if none can exist."""
        board = self.board if self.board.cells else self.shape
        if self.board.cells and self.shape.cells:
            raise UsageError("--board and --shape both say where the cells are; leave out one of them")
        if self.symmetry and (board.cells or self.rows or self.columns):
            raise UsageError("--symmetry draws its own board; leave out --board, --shape, --rows, --columns")
        count, pips, highest = self._dominoes(board.cells), self.pips, self.set
        kinds = len(pips) * (len(pips) + 1) // 2
        if highest not in (None, UNLIMITED_DOMINOES) and count > kinds:
            limits = "" if len(pips) > highest else f" with {pips[0]} to {pips[-1]} pips"
            raise UsageError(f"{count} dominoes, but a {_set_name(highest)} set has {kinds}{limits}")
        style = Style.of(self.style, count, self.region_sizes, self.rules, pips)
        symmetry = SYMMETRIES.get(self.symmetry, "")
        if symmetry:
            style = replace(style, table={**style.table, "symmetry": {symmetry: 1}})
        repeats = highest is None and (count > kinds or "some" in style.table["repeats"])
        line = [(0, column) for column in range(2 * count)]  # any connected board will do
        cells = board.open_cells if board.cells else line
        if 1 not in style.sizes and not divisible(cells, list(style.sizes)):
            sizes = ", ".join(map(str, style.sizes))
            raise UsageError(f"a board of {2 * count} cells cannot be divided into regions of {sizes} cells")
        repeats = repeats or highest == UNLIMITED_DOMINOES
        return PipsMaker(count, style, repeats, self.rows, self.columns, board, symmetry)

    def _dominoes(self, board: tuple[Place, ...]) -> int:
        """Return the number of dominoes. Raises UsageError."""
        count, area = self.dominoes, self.rows * self.columns
        across = f"{self.rows} × {self.columns}"
        if board and (self.rows or self.columns):
            raise UsageError("--board or --shape says where the cells are; leave out --rows and --columns")
        if board and count not in (None, len(board) // 2):
            raise UsageError(f"{count} dominoes do not cover a board of {len(board)} cells")
        if count is None and area % 2:
            raise UsageError(f"{across} is an odd number of cells; name --dominoes to leave out some")
        if count and area and 2 * count > area:
            raise UsageError(f"{count} dominoes cover {2 * count} cells, but {across} has {area}")
        return len(board) // 2 or count or area // 2 or DEFAULT_DOMINOES

    @property
    def pips(self) -> tuple[int, ...]:
        """The values of half a domino. Raises UsageError if there are none."""
        is_free = self.set is None or self.set == UNLIMITED_DOMINOES
        highest = DEFAULT_MAX_PIP if self.set is None or is_free else self.set
        most = highest if self.max_pip is None else self.max_pip
        if self.min_pip > most:
            raise UsageError(f"--min-pip {self.min_pip} is more than the most pips, {most}")
        if most > highest and not is_free:
            raise UsageError(f"--max-pip {most}, but a {_set_name(highest)} set has at most {highest} pips")
        return tuple(range(self.min_pip, most + 1))


def _set_name(highest: int) -> str:
    return f"double-{next((word for word, pips in SETS.items() if pips == highest), highest)}"


@dataclass(frozen=True, slots=True)
class PipsMaker:
    """Make puzzles of a number of dominoes in a style, on a given board or within rows and columns.

    No domino occurs twice unless ``repeats``; 0 rows or columns stand for any number. ``symmetry`` is one
    that every board must have, or empty.
    """

    dominoes: int
    style: Style
    repeats: bool
    rows: int
    columns: int
    board: Outline
    symmetry: str = ""

    @property
    def kind(self) -> str:
        """A description of the puzzles."""
        parts = [f"puzzle of {self.dominoes} domino{'es' * (self.dominoes != 1)}"]
        sizes = list(self.style.sizes)
        rules = [rule.value for rule, n in self.style.every_rule.items() if rule and n]
        if 1 not in sizes or len(sizes) < FEW_SIZES:
            span = f"{sizes[0]}..{sizes[-1]}" if len(sizes) > 2 else " or ".join(map(str, sizes))
            parts.append(f"regions of {span} cells")
        if GIVEN not in rules:
            parts.append(f"rules {', '.join(rules) or 'none'}")
        return parts[0] + (f" with {' and '.join(parts[1:])}" if parts[1:] else "")

    @property
    def advice(self) -> str:
        """What to request instead if no puzzle was found."""
        if self.board.ruled:
            return "leave a rule of --board open"
        if not self.style.every_rule.get(GIVEN):
            return f"allow the rule {GIVEN}"
        if 1 not in self.style.sizes:
            return "allow regions of one cell"
        if len(self.style.pips) < FEW_PIPS:
            return "allow more different pips"
        return "ask for another number of dominoes, or another --seed"

    def make(self, name: str, rng: RandomGenerator) -> Candidate | None:
        """Return a new puzzle: draw a board, then regions and rules, lay dominoes; see ``Maker``."""
        partners = self._draw_board(rng)
        targets = None if partners is None else self._draw_regions(partners, rng)
        if partners is None or targets is None:
            return None
        steps = CHANGES_PER_DOMINO * (10 if self.board.ruled else 1)
        is_published = bool(self.style.table["sums"])
        sole = is_published and len(self.style.pips) > 1 and self.dominoes <= MAX_DOMINOES_LAID_ONE_WAY
        values = hidden_values(partners, targets, self.style.pips, self.repeats, rng, steps, sole)
        if values is None:
            return None
        areas = [self._area(target, values, rng) for target in targets]
        placed = (sorted(pair, key=values.__getitem__) for pair in dominoes_on(partners))
        laid = sorted(PlacedDomino((values[a], values[b]), (a, b)) for a, b in placed)
        if self.style.table["sums"]:  # in published puzzles the dominoes are in no order
            tray = RandomGenerator(str(laid))
            turned = (tray.shuffled(list(zip(*one, strict=True))) for one in tray.shuffled(laid))
            laid = [PlacedDomino((a, b), (one, other)) for (a, one), (b, other) in turned]
        layout = Layout(dict(sorted(values.items())), tuple(laid))
        ruled = [area for area in areas if area is not None]
        return candidate_of(name, sorted(partners), ruled, layout) if len(ruled) == len(areas) else None

    def _draw_board(self, rng: RandomGenerator) -> Partners | None:
        if self.board.cells:
            return random_tiling(self.board.cells, rng)
        partners = draw_board(self.dominoes, self.style.table, self.rows, self.columns, rng)
        if partners and self.symmetry not in ("", *symmetries_of(partners)):
            return None
        return partners

    def _draw_regions(self, partners: Partners, rng: RandomGenerator) -> list[RegionTarget] | None:
        """Return the regions, each with a rule and what its values are to sum up to; None if that failed."""
        cells = self.board.open_cells if self.board.cells else sorted(partners)
        drawn = partition(cells, self.style.sizes, rng)
        if drawn is None:
            return None
        targets, pips = [], self.style.pips
        for region in (*self.board.regions, *map(sorted, drawn)):
            stated = self.board.rule_of(region)
            if stated is not None:
                targets.append(stated_target(stated, pips[-1]))
            else:
                rule = self.style.draw_rule(len(region), rng)
                targets.append(drawn_target(region, rule, pips, self.style.table["sums"], rng))
        return targets

    def _area(self, target: RegionTarget, values: Mapping[Place, int], rng: RandomGenerator) -> Area | None:
        """Return the region with its rule, or with another if its values break a drawn one; None if none."""
        stated = self.board.rule_of(target.cells)
        if stated is not None:
            seen = [values[cell] for cell in stated.cells]
            return stated if RULES[stated.rule].obeys(seen, stated.target) else None
        drawn = self.style.area(target.cells, values, rng, (target.rule,))
        return drawn or self.style.area(target.cells, values, rng)

    def tighten(
        self, candidate: Candidate, taken: Mapping[int, Mapping[int, int]], rng: RandomGenerator
    ) -> Candidate | None:
        """Return a puzzle whose rules leave fewer solutions; see ``Maker``."""
        puzzle, hidden = candidate
        open_counts = {
            cell: sum(n for value, n in taken[i].items() if value != hidden.values[cell]) if taken else 1
            for i, cell in enumerate(puzzle.cells)
        }
        areas, kept = self._areas(puzzle)
        changed = Reviser(self.style, hidden.values, rng).tighten(areas, open_counts)
        return None if changed is None else candidate_of(puzzle.name, puzzle.cells, changed + kept, hidden)

    def loosen(self, candidate: Candidate, rng: RandomGenerator) -> Candidate | None:
        """Return a puzzle with one region fewer; see ``Maker``."""
        puzzle, hidden = candidate
        areas, kept = self._areas(puzzle)
        changed = Reviser(self.style, hidden.values, rng).loosen(areas)
        return None if changed is None else candidate_of(puzzle.name, puzzle.cells, changed + kept, hidden)

    def repairer(self, candidate: Candidate, rng: RandomGenerator) -> PipsRepairer | None:
        """Return a repairer, which keeps the kinds of regions; None in the plain style; see ``Maker``."""
        if not self.style.table["sums"]:
            return None
        return PipsRepairer(candidate, *self._areas(candidate.puzzle), self.style, rng)

    def _areas(self, puzzle: Pips) -> tuple[list[Area], list[Area]]:
        """Return the areas of a puzzle that may be changed, and those that the board fixes."""
        drawn = set(self.board.regions)
        areas = areas_of(puzzle, single=1 in self.style.sizes)
        return [a for a in areas if a.cells not in drawn], [a for a in areas if a.cells in drawn]
