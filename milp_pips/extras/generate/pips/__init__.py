"""Generate Pips puzzles: a board, a hidden solution on it, and rules that the solution obeys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from milp_pips.extras.generate.contract import Candidate, Option, choice_option, number_option
from milp_pips.extras.generate.partition import divisible
from milp_pips.extras.generate.pips.boards import (
    AnyDomino,
    DominoSet,
    cut_rectangle,
    dominoes_on,
    hidden_values,
    random_tiling,
)
from milp_pips.extras.generate.pips.local_search import CHANGES_PER_DOMINO, local_search
from milp_pips.extras.generate.pips.regions import Area, Reviser, Style, Weights, areas_of
from milp_pips.extras.generate.pips.repair import Repair, near_boards
from milp_pips.extras.generate.pips.sampling import (
    EMPTY_OUTLINE,
    SETS,
    UNLIMITED_DOMINOES,
    Outline,
    draw_regions,
    read_board,
    read_rules,
    read_set,
    read_share,
    read_sizes,
    setter_style,
    stated_target,
    target_for,
)
from milp_pips.extras.generate.pips.shapes import grow_board
from milp_pips.extras.generate.pips.statistics import PUBLISHED, Figures, level_of
from milp_pips.problem.errors import UsageError
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.puzzle import (
    LAST_INDEX,
    MOST_CELLS,
    MOST_PIPS,
    Layout,
    Pips,
    PlacedDomino,
    Region,
    Rule,
    obeys,
    region_labels,
)
from milp_pips.render.vocabulary import Place

DEFAULT_DOMINOES = 8
DEFAULT_SIZES = (1, 2, 3, 4)
DEFAULT_RULE_WEIGHTS: Weights = {Rule.SUM: 5, Rule.EQ: 4, Rule.NEQ: 1, Rule.LT: 1, Rule.GT: 1, None: 1}
"""Roughly the mix of published puzzles."""
DEFAULT_MAX_PIP = 6

FEW_PIPS = 4
"""With fewer different pips, these are the likely reason that no puzzle is found."""

of_grade: Mapping[str, Mapping[str, Any]] = {
    "easy": {"dominoes": 5},
    "medium": {"dominoes": 8},
    "hard": {"dominoes": 10},
    "expert": {"dominoes": 13},
}
"""The default sizes for each grade, measured by ``benchmarks/style.py --speed``."""

SETTER_STYLE, PLAIN_STYLE = "setter", "plain"
"""The styles: as in published puzzles, or every size equally often."""


options: Sequence[Option] = (
    number_option("dominoes", f"how many dominoes (default: {DEFAULT_DOMINOES})", 1, MOST_CELLS // 2),
    choice_option(
        "style",
        "setter: boards, regions, rules and targets as often as in published puzzles (default); plain: every "
        "size as often as another, on boards cut from a rectangle",
        (SETTER_STYLE, PLAIN_STYLE),
    ),
    Option("set", "SET", "double-six, double-nine, double-N: no domino twice; free (default)", read_set),
    Option("region_sizes", "SIZES", "cells of a region, such as 2..5 or 1,2,4 (default: 1..4)", read_sizes),
    Option(
        "rules",
        "RULES",
        "how often each rule is drawn (default: SUM=5,EQ=4,NEQ=1,LT=1,GT=1,none=1); LE and GE are known, too",
        read_rules,
    ),
    Option(
        "given",
        "SHARE",
        "all or 60%: the pips of this share of cells are given, and there are no other rules; the full set, "
        "double-six if none is named, on its rectangle unless other options say otherwise",
        read_share,
    ),
    number_option("min_pip", "fewest pips on half a domino (default: 0)", 0, MOST_PIPS),
    number_option("max_pip", "most pips on half a domino (default: 6, or what the set has)", 0, MOST_PIPS),
    number_option("rows", "most rows of the board", 1, LAST_INDEX + 1),
    number_option(
        "columns", "most columns; with --rows, a full rectangle unless --dominoes", 1, LAST_INDEX + 1
    ),
    Option(
        "board",
        "FILE",
        "a board drawn in a file: '.' is no cell, '#' an open one, equal letters are a region to keep, and "
        "rules that follow are kept, too; so are those of a puzzle, which gets other dominoes",
        read_board,
        names_a_file=True,
    ),
)


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
    if highest != UNLIMITED_DOMINOES and not options.keys() & {"dominoes", "rows", "columns", "board"}:
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
) -> PipsMaker:
    count = _dominoes(dominoes, rows, columns, board.cells)
    pips = _pips(UNLIMITED_DOMINOES if set is None else set, min_pip, max_pip)
    kinds = len(pips) * (len(pips) + 1) // 2
    if set not in (None, UNLIMITED_DOMINOES) and count > kinds:
        limits = "" if len(pips) > set else f" with {pips[0]} to {pips[-1]} pips"
        raise UsageError(f"{count} dominoes, but a {_set_name(set)} set has {kinds}{limits}")
    if rules is not None and not any(rules.values()):
        raise UsageError("--rules: no rule has a weight above 0")
    figures = PUBLISHED[level_of(count)] if style == SETTER_STYLE else None
    if figures is None:
        style_of_regions = Style(region_sizes or DEFAULT_SIZES, rules or DEFAULT_RULE_WEIGHTS, pips)
        from_set = set not in (None, UNLIMITED_DOMINOES)
    else:
        style_of_regions = setter_style(figures, region_sizes, rules, pips)
        from_set = set != UNLIMITED_DOMINOES and count <= kinds
    region_sizes = style_of_regions.sizes
    line = [(0, column) for column in range(2 * count)]  # any connected board will do
    if 1 not in region_sizes and not divisible(board.open_cells if board.cells else line, region_sizes):
        sizes = ", ".join(map(str, region_sizes))
        raise UsageError(f"a board of {2 * count} cells cannot be divided into regions of {sizes} cells")
    return PipsMaker(count, style_of_regions, from_set, rows, columns, board, figures)


def _dominoes(dominoes: int | None, rows: int, columns: int, board: tuple[Place, ...]) -> int:
    if board:
        if rows or columns:
            raise UsageError("--board says where the cells are; leave out --rows and --columns")
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
    """Make puzzles of a number of dominoes, without repetition if ``from_set``; their regions have a style.

    The board is cut from a rectangle of ``rows`` and ``columns`` (0 for a random number), unless the cells of
    a board are given.
    """

    dominoes: int
    style: Style
    from_set: bool
    rows: int
    columns: int
    board: Outline
    figures: Figures | None = None

    @property
    def asked(self) -> str:
        """A description of the puzzles."""
        parts = [f"puzzle of {self.dominoes} domino{'es' * (self.dominoes != 1)}"]
        sizes, rules = self.style.sizes, [rule.value for rule, n in self.style.weights.items() if rule and n]
        if 1 not in sizes or len(sizes) < len(DEFAULT_SIZES):
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
        if not self.style.weights.get(Rule.SUM):
            return "allow the rule SUM"
        if 1 not in self.style.sizes:
            return "allow regions of one cell"
        if len(self.style.pips) < FEW_PIPS:
            return "allow more different pips"
        return "ask for another number of dominoes, or another --seed"

    def make(self, name: str, rng: RandomGenerator) -> Candidate | None:
        """Return a new puzzle; see ``Maker``."""
        # The steps: board, regions, a rule for each region, a hidden solution that suits these rules,
        # targets. A region whose rule the solution breaks gets a rule that it obeys.
        kept = self.board
        if kept.cells:
            partners = random_tiling(kept.cells, rng)
        elif self.figures is None or self.rows or self.columns:
            partners = cut_rectangle(self.dominoes, self.rows, self.columns, rng)
        else:
            partners = grow_board(self.dominoes, self.figures, rng)
        if partners is None:
            return None
        cells = sorted(partners)
        regions = draw_regions(kept.open_cells if kept.cells else cells, self.style, rng)
        if regions is None:
            return None
        regions = [*map(list, kept.regions), *map(sorted, regions)]
        stated = [kept.rule_of(region) for region in regions]
        wanted = [
            area.rule if area else self.style.draw_rule(len(region), rng)
            for region, area in zip(regions, stated, strict=True)
        ]
        source = DominoSet(self.style.pips, rng) if self.from_set else AnyDomino(rng)
        values = hidden_values(partners, regions, wanted, self.style.pips, source)
        if self.figures is not None or kept.ruled:
            sums = self.figures["sums"] if self.figures else {}
            targets = [
                stated_target(area, self.style.pips[-1])
                if area
                else target_for(region, rule, self.style.pips, sums, rng)
                for region, rule, area in zip(regions, wanted, stated, strict=True)
            ]
            local_search(
                values,
                partners,
                targets,
                self.style.pips,
                rng,
                CHANGES_PER_DOMINO * (10 if kept.ruled else 1),
            )
        areas = []
        for region, rule, area in zip(regions, wanted, stated, strict=True):
            if area is None:
                area = self.style.area(region, rule, values, rng)
                area = area or self.style.drawn_area(region, values, rng)
            elif not obeys(area.rule, area.target, [values[cell] for cell in area.cells]):
                return None
            if area is None:
                return None
            areas.append(area)
        placed = (sorted(pair, key=values.__getitem__) for pair in dominoes_on(partners))
        laid = sorted(PlacedDomino((values[a], values[b]), (a, b)) for a, b in placed)
        return _candidate(name, cells, areas, Layout(dict(sorted(values.items())), tuple(laid)))

    def tighten(
        self, candidate: Candidate, taken: Mapping[int, Mapping[int, int]], rng: RandomGenerator
    ) -> Candidate | None:
        """Return a puzzle whose rules leave fewer solutions; see ``Maker``."""
        puzzle, hidden = candidate
        open_counts = {
            cell: sum(n for value, n in taken[i].items() if value != hidden.values[cell]) if taken else 1
            for i, cell in enumerate(puzzle.cells)
        }
        reviser = Reviser(self.style, hidden.values, rng)
        areas, kept = self._areas(puzzle)
        changed = reviser.tighten(areas, open_counts)
        return None if changed is None else _candidate(puzzle.name, puzzle.cells, changed + kept, hidden)

    def loosen(self, candidate: Candidate, rng: RandomGenerator) -> Candidate | None:
        """Return a puzzle with one region fewer; see ``Maker``."""
        puzzle, hidden = candidate
        areas, kept = self._areas(puzzle)
        changed = Reviser(self.style, hidden.values, rng).loosen(areas)
        return None if changed is None else _candidate(puzzle.name, puzzle.cells, changed + kept, hidden)

    def repairer(self, candidate: Candidate, rng: RandomGenerator) -> PipsRepairer | None:
        """Return a repairer for a draft in the setter style; other drafts are tightened; see ``Maker``."""
        if self.figures is None:
            return None
        return PipsRepairer(candidate, *self._areas(candidate.puzzle), self.style, rng)

    def _areas(self, puzzle: Pips) -> tuple[list[Area], list[Area]]:
        """Return the areas of a puzzle that may be changed, and those that the board fixes."""
        drawn = set(self.board.regions)
        cells = cast("tuple[Place, ...]", puzzle.cells)
        areas = areas_of(puzzle.regions, cells, single=self.figures is not None)
        return [a for a in areas if a.cells not in drawn], [a for a in areas if a.cells in drawn]


class PipsRepairer:
    """Redraw regions and rules of a draft until they exclude its other solutions; see ``Repairer``."""

    def __init__(
        self,
        candidate: Candidate,
        areas: Sequence[Area],
        kept: Sequence[Area],
        style: Style,
        rng: RandomGenerator,
    ):
        self._puzzle, self._hidden = candidate
        self._repair = Repair(areas, kept, style, self._hidden.values, rng)
        self._boards = list(near_boards(self._hidden.dominoes))

    def exclude(self, others: Iterable[Sequence[int]]) -> Candidate | None:
        """Return a puzzle that none of the other assignments solves; None if none was found."""
        hidden, cells = self._hidden.values, self._puzzle.cells
        boards, self._boards = self._boards, []
        for other in others:
            shown = zip(cells, other, strict=False)  # the partners follow the values
            differing = {cell: value for cell, value in shown if value != hidden[cell]}
            if differing:  # otherwise only its dominoes lie differently, which no rule can exclude
                boards.append(differing)
        if not self._repair.exclude(boards):
            return None
        return _candidate(self._puzzle.name, cells, self._repair.areas, self._hidden)


def _candidate(name: str, cells: Sequence[Place], areas: Sequence[Area], hidden: Layout) -> Candidate:
    """Return the puzzle with its regions labelled in reading order; areas without a rule are not regions."""
    ruled = sorted(area for area in areas if area.rule is not None)
    regions = [Region(label, *area) for label, area in zip(region_labels(), ruled, strict=False)]
    puzzle = Pips.on_grid(name, cells, regions, [laid.pips for laid in hidden.dominoes], hidden)
    return Candidate(puzzle, hidden)
