"""The text format: the board drawn with the labels of its regions, then the rules, then the dominoes.

::

    2          number of board rows
    AAB        one character per cell, or labels separated by blanks: ``A A B``
    #CB
    2          number of rules
    A EQ       label, rule and, for SUM LT GT LE GE, the number the sum is compared with
    B SUM 7
    3          number of dominoes
    0 3
    …

``.`` is no cell, ``#`` a cell in no region, ``…`` three times ``.``; a label without a rule is a region
without one. LT and GT are strict, LE and GE are not. Blank lines do not count.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import cast

from milp_pips.errors import InputError, UsageError
from milp_pips.puzzles.located import Line, Lines, quoted, whole_number
from milp_pips.puzzles.pips.puzzle import (
    LARGEST_TARGET,
    MOST_CELLS,
    MOST_PIPS,
    MOST_ROWS,
    Cell,
    Pips,
    Region,
    Rule,
    region_labels,
)

NO_CELL, NO_REGION = ".", "#"
_RULES = "EQ, NEQ, SUM, LT, GT, LE or GE"
_DOTS = re.compile(r"[.…]+")


def read(text: str, file: str, name: str) -> Pips:
    """Return the puzzle, its regions in the order in which they appear on the board.

    Raises InputError, which names the line.
    """
    lines = Lines(text, file)
    first = lines.required("the number of board rows")
    what = "the first line, the number of board rows,"
    height = first.integer(first.text, what, 1, MOST_ROWS, f"a whole number from 1 to {MOST_ROWS}")
    drawn = [lines.required(f"row {row + 1} of the {height} board rows") for row in range(height)]
    board, places = _board(drawn, first)
    cells_of: dict[str, list[tuple[int, int]]] = {}
    for cell, label in board.items():
        if label != NO_REGION:
            cells_of.setdefault(label, []).append(cell)
    rules, rule_count = _rules(lines, first, cells_of)
    dominoes = _dominoes(lines, board.values(), places, rule_count)
    regions = (
        Region(label, tuple(cells), *rules.get(label, (None, None))) for label, cells in cells_of.items()
    )
    return Pips.on_grid(name, board, regions, dominoes)


def write(puzzle: Pips) -> str:
    """Return the text of a puzzle on a grid.

    Reading it gives an equal puzzle if the regions, and the cells in each, stand in the order in which they
    appear on the board. A label that the format cannot hold is replaced by a free one of A, B, C…. Raises
    UsageError where the board is no grid counted from (0, 0), or a cell is in two regions.
    """
    if not puzzle.is_grid or any(min(cast("tuple[int, int]", cell)) < 0 for cell in puzzle.cells):
        raise UsageError(f"{puzzle.name}: only a board of rows and columns can be written as text")
    labels = _writable_labels(puzzle)
    marks: dict[Cell, str] = dict.fromkeys(puzzle.cells, NO_REGION)
    for region, label in zip(puzzle.regions, labels, strict=True):
        if any(marks[cell] != NO_REGION for cell in region.cells):
            raise UsageError(f"{puzzle.name}: a cell in two regions cannot be written as text")
        marks.update(dict.fromkeys(region.cells, label))
    board = puzzle.rows(marks, NO_CELL)
    spaced = any(len(label) > 1 for label in labels)
    if spaced and len(board[0]) == 1:  # without a blank in any row, a long label is read as several cells
        board = [[mark, NO_CELL] for (mark,) in board]
    drawn = [(" " if spaced else "").join(row) for row in board]
    rules = [
        f"{label} {region.rule}" + ("" if region.target is None else f" {region.target}")
        for region, label in zip(puzzle.regions, labels, strict=True)
        if region.rule is not None
    ]
    dominoes = [f"{a} {b}" for a, b in puzzle.dominoes]
    lines = [len(drawn), *drawn, len(rules), *rules, len(dominoes), *dominoes]
    return "".join(f"{line}\n" for line in lines)


def _board(drawn: list[Line], first: Line) -> tuple[dict[tuple[int, int], str], int]:
    """Return the label of every cell in reading order, and how many places there are, cells or not."""
    spaced = any(len(line.words()) > 1 for line in drawn)
    width = 0
    labels: dict[tuple[int, int], str] = {}
    for row, line in enumerate(drawn):
        marks = _marks(line, spaced)
        width = width or len(marks)
        if len(marks) != width:
            raise _ragged_fault(drawn, row, len(marks), width, first)
        if width > MOST_ROWS:
            raise line.fault(f"board row {row + 1} has {width} columns", f"at most {MOST_ROWS}")
        if not "".join(marks).isprintable():
            hidden = next(c for mark in marks for c in mark if not c.isprintable())
            raise line.fault(f"board row {row + 1} holds the invisible character U+{ord(hidden):04X}")
        labels.update({(row, column): mark for column, mark in enumerate(marks) if mark != NO_CELL})
        if len(labels) > MOST_CELLS:
            raise line.fault(f"the board has more than {MOST_CELLS} cells")
    if not labels:
        raise drawn[-1].fault("the board has no cell")
    return labels, len(drawn) * width


def _marks(line: Line, spaced: bool) -> list[str]:
    if not spaced:
        return list(line.text.replace("…", 3 * NO_CELL))
    marks: list[str] = []
    for word in line.words():
        marks += word.replace("…", 3 * NO_CELL) if _DOTS.fullmatch(word) else [word]
    return marks


def _ragged_fault(drawn: list[Line], row: int, cells: int, width: int, first: Line) -> InputError:
    for i, line in enumerate(drawn):
        if i and len(line.text) != len(drawn[0].text) and whole_number(line.text) is not None:
            announced = f"the {len(drawn)} that line {first.number} announces"
            return line.fault(f"the board seems to end after {i} rows", announced)
    return drawn[row].fault(
        f"board row {row + 1} is {cells} wide, board row 1 is {width} wide",
        "rows of one width, with '.' where there is no cell",
    )


def _count(lines: Lines, what: str, most: int, before: str, announced: Line) -> tuple[Line, int]:
    """Return the line that says how many follow, and its number."""
    line = lines.required(f"the number of {what}")
    hint = f"a whole number after the {before} that line {announced.number} announces"
    return line, line.integer(line.text, f"the number of {what}", 0, most, hint)


def _rules(
    lines: Lines, height: Line, board: dict[str, list[tuple[int, int]]]
) -> tuple[dict[str, tuple[Rule, int | None]], Line]:
    header, count = _count(lines, "rules", MOST_CELLS, f"{height.text} board rows", height)
    rules: dict[str, tuple[Rule, int | None]] = {}
    line_of: dict[str, int] = {}
    for number in range(1, count + 1):
        line = lines.required(f"rule {number} of {count}")
        label, rule, target = _rule(line, f"rule {number} of {count}")
        if label in line_of:
            raise line.fault(
                f"region {quoted(label)} has a second rule", f"only the one on line {line_of[label]}"
            )
        if label in (NO_CELL, NO_REGION):
            marked = "no cell" if label == NO_CELL else "a cell without a rule"
            raise line.fault(
                f"{quoted(label)} cannot have a rule: it marks {marked}", "the label of a region"
            )
        if label not in board:
            raise line.fault(f"region {quoted(label)} has a rule, but no cell on the board")
        rules[label], line_of[label] = (rule, target), line.number
    return rules, header


def _rule(line: Line, which: str) -> tuple[str, Rule, int | None]:
    match line.words():
        case [label, word, *numbers] if len(numbers) <= 1:
            pass
        case _:
            raise line.fault(f"{which} is {quoted(line.text)}", f"a region's label, {_RULES}, and a number")
    try:
        rule = Rule(word.upper())
    except ValueError:
        raise line.fault(f"{which} is called {quoted(word)}", _RULES) from None
    if rule.has_target and not numbers:
        raise line.fault(f"{which}, {rule}, has no number")
    target = None
    for number in numbers:
        target = line.integer(number, f"the number of {which}", -LARGEST_TARGET, LARGEST_TARGET)
    return label, rule, target if rule.has_target else None


def _dominoes(lines: Lines, labels: Collection[str], places: int, rules: Line) -> list[tuple[int, int]]:
    header, count = _count(lines, "dominoes", MOST_CELLS // 2, f"{rules.text} rules", rules)
    cells = len(labels)
    if 2 * count != cells:
        expected = f"{cells // 2} dominoes" if cells % 2 == 0 else "an even number of cells"
        if 2 * count == places - list(labels).count(NO_REGION):
            expected += ", or '.' and '#' the other way round: '.' is no cell, '#' a cell without a rule"
        raise header.fault(f"the number of dominoes is {count}, that of the cells {cells}", expected)
    dominoes = []
    for number in range(1, count + 1):
        line = lines.required(f"domino {number} of {count}")
        halves = line.words()
        if len(halves) != 2:
            raise line.fault(f"domino {number} of {count} is {quoted(line.text)}", "two numbers of pips")
        what = f"a half of domino {number} of {count}"
        a, b = (line.integer(half, what, 0, MOST_PIPS) for half in halves)
        dominoes.append((a, b))
    if (more := next(lines, None)) is not None:
        announced = f"the {count} dominoes that line {header.number} announces"
        raise more.fault(f"the file goes on after the last domino: {quoted(more.text)}", f"only {announced}")
    return dominoes


def _writable_labels(puzzle: Pips) -> list[str]:
    kept: set[str] = set()
    labels: list[str | None] = []
    for region in puzzle.regions:
        label = region.label
        fits = label.isprintable() and label.split() == [label] and not _DOTS.fullmatch(label)
        free = fits and label != NO_REGION and label not in kept
        labels.append(label if free else None)
        kept.add(label)
    fresh = (label for label in region_labels() if label not in kept)
    return [next(fresh) if label is None else label for label in labels]
