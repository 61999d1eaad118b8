"""Generate Pips puzzles: a board, a hidden solution on it, and rules that the solution obeys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from milp_pips.extras.generate.contract import Candidate
from milp_pips.extras.generate.partition import divisible, partition
from milp_pips.extras.generate.pips.boards import (
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
from milp_pips.puzzles.pips.puzzle import Layout, Pips, PlacedDomino, Rule, obeys
from milp_pips.render.vocabulary import Place

__all__ = ["PipsMaker", "maker", "of_grade", "options"]

DEFAULT_MAX_PIP = 6

FEW_SIZES, FEW_PIPS = 4, 4
"""Messages name the sizes of regions if there are fewer. Fewer different pips
are a likely reason if no puzzle is found."""

of_grade: Mapping[str, Mapping[str, Any]] = {
    "easy": {"dominoes": 5},
    "medium": {"dominoes": 8},
    "hard": {"dominoes": 10},
    "expert": {"dominoes": 13},
}
"""The default sizes for each grade, measured by ``benchmarks/style.py --speed``."""


def maker(wanted: Mapping[str, Any]) -> PipsMaker:
    """Return the maker of puzzles with these options; see ``options``. Raises UsageError if impossible."""
    return _maker(**(_with_pips_given(wanted) if "given" in wanted else wanted))


def _with_pips_given(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that ``given`` stands for: regions of one cell, with a sum or without a rule.

    A full set of p different pips has p (p + 1) / 2 dominoes, which cover p rows and p + 1 columns. With all
    pips given, the puzzle is known as Dominosa. Raises UsageError.
    """
    options = dict(wanted)
    share = options.pop("given")
    if options.keys() & {"region_sizes", "rules"}:
        raise UsageError("--given leaves no other rules; leave out --region-sizes and --rules")
    highest = options.setdefault("set", options.get("max_pip", DEFAULT_MAX_PIP))
    if highest != UNLIMITED_DOMINOES and not options.keys() & {
        "dominoes",
        "rows",
        "columns",
        "board",
        "shape",
    }:
        pips = len(_pips(highest, options.get("min_pip", 0), options.get("max_pip")))
        options |= {"rows": pips, "columns": pips + 1}
    return {
        **options,
        "style": PLAIN_STYLE,
        "region_sizes": (1,),
        "rules": {Rule.SUM: share, None: 100 - share},
    }


def _maker(
    *,
    dominoes: int | None = None,
    style: str = SETTER_STYLE,
    set: int | None = None,
    region_sizes: tuple[int, ...] | None = None,
    rules: Weights | None = None,
    min_pip: int = 0,
    max_pip: int | None = None,
    rows: int = 0,
    columns: int = 0,
    board: Outline = EMPTY_OUTLINE,
    shape: Outline = EMPTY_OUTLINE,
    symmetry: str = "",
) -> PipsMaker:
    if board.cells and shape.cells:
        raise UsageError("--board and --shape both say where the cells are; leave out one of them")
    if symmetry and (board.cells or shape.cells or rows or columns):
        raise UsageError("--symmetry draws a board of its own; leave out --board, --shape, --rows, --columns")
    board = board if board.cells else shape
    count = _dominoes(dominoes, rows, columns, board.cells)
    pips = _pips(UNLIMITED_DOMINOES if set is None else set, min_pip, max_pip)
    kinds = len(pips) * (len(pips) + 1) // 2
    if set not in (None, UNLIMITED_DOMINOES) and count > kinds:
        limits = "" if len(pips) > set else f" with {pips[0]} to {pips[-1]} pips"
        raise UsageError(f"{count} dominoes, but a {_set_name(set)} set has {kinds}{limits}")
    if rules is not None and not any(rules.values()):
        raise UsageError("--rules: no rule has a weight above 0")
    drawn = Style.of(style, count, region_sizes, rules, pips)
    if symmetry:
        drawn = replace(drawn, table={**drawn.table, "symmetry": {symmetry: 1}})
    repeats = set == UNLIMITED_DOMINOES or (
        set is None and (count > kinds or "some" in drawn.table["repeats"])
    )
    line = [(0, column) for column in range(2 * count)]  # any connected board will do
    if 1 not in drawn.sizes and not divisible(board.open_cells if board.cells else line, list(drawn.sizes)):
        sizes = ", ".join(map(str, drawn.sizes))
        raise UsageError(f"a board of {2 * count} cells cannot be divided into regions of {sizes} cells")
    return PipsMaker(count, drawn, repeats, rows, columns, board, symmetry)


def _dominoes(dominoes: int | None, rows: int, columns: int, board: tuple[Place, ...]) -> int:
    if board:
        if rows or columns:
            raise UsageError("--board or --shape says where the cells are; leave out --rows and --columns")
        if dominoes not in (None, len(board) // 2):
            raise UsageError(f"{dominoes} dominoes do not cover a board of {len(board)} cells")
        return len(board) // 2
    area = rows * columns
    if dominoes is None and area % 2:
        raise UsageError(f"{rows} × {columns} is an odd number of cells; name --dominoes to leave out some")
    if dominoes is None:
        return area // 2 or DEFAULT_DOMINOES
    if area and 2 * dominoes > area:
        raise UsageError(f"{dominoes} dominoes cover {2 * dominoes} cells, but {rows} × {columns} has {area}")
    return dominoes


def _set_name(highest: int) -> str:
    return f"double-{next((word for word, pips in SETS.items() if pips == highest), highest)}"


def _pips(highest: int, min_pip: int, max_pip: int | None) -> tuple[int, ...]:
    most = max_pip if max_pip is not None else DEFAULT_MAX_PIP if highest == UNLIMITED_DOMINOES else highest
    if min_pip > most:
        raise UsageError(f"--min-pip {min_pip} is more than the most pips, {most}")
    if highest != UNLIMITED_DOMINOES and most > highest:
        raise UsageError(f"--max-pip {most}, but a {_set_name(highest)} set has at most {highest} pips")
    return tuple(range(min_pip, most + 1))


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
    def asked(self) -> str:
        """A description of the puzzles."""
        parts = [f"puzzle of {self.dominoes} domino{'es' * (self.dominoes != 1)}"]
        sizes, rules = (
            list(self.style.sizes),
            [rule.value for rule, n in self.style.every_rule.items() if rule and n],
        )
        if 1 not in sizes or len(sizes) < FEW_SIZES:
            span = f"{sizes[0]}..{sizes[-1]}" if len(sizes) > 2 else " or ".join(map(str, sizes))
            parts.append(f"regions of {span} cells")
        if Rule.SUM not in rules:
            parts.append(f"rules {', '.join(rules) or 'none'}")
        return parts[0] + (f" with {' and '.join(parts[1:])}" if parts[1:] else "")

    @property
    def advice(self) -> str:
        """What to request instead if no puzzle was found."""
        if self.board.ruled:
            return "leave a rule of --board open"
        if not self.style.every_rule.get(Rule.SUM):
            return "allow the rule SUM"
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
        values = hidden_values(partners, targets, self.style.pips, self.repeats, rng, steps)
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
            return stated if obeys(*stated[1:], [values[cell] for cell in stated.cells]) else None
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
