"""Read and write the text format: a board of region labels, then the rules, then the dominoes.

::

    2          number of board rows
    AAB        one character per cell, or labels separated by blanks: ``A A B``
    #CB
    2          number of rules
    A EQ       label, rule and, for SUM LT GT LE GE, the number for the sum
    B SUM 7
    3          number of dominoes
    0 3
    …

``.`` is no cell, ``#`` is a cell in no region, and ``…`` stands for three ``.``. A label without a rule is a
region without a rule. LT and GT are strict, LE and GE are not. Each of the three numbers may be left out;
``typed`` describes how rules and dominoes may then be written. Without its number, the board ends at a blank
line, or at a line that looks like a rule or a domino. After the dominoes, a line ``solution`` and the content
of a solution file may follow.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from milp_pips.problem.errors import InputError, UsageError
from milp_pips.puzzles.located import Line, quoted, whole_number
from milp_pips.puzzles.pips.puzzle import MAX_PIPS_ROWS, MOST_CELLS, Cell, Pips, Region, region_labels
from milp_pips.puzzles.pips.sections import NO_CELL, NO_REGION, Dominoes, Places, Rules, read_rules
from milp_pips.puzzles.pips.typed import (
    SOLUTION_LINE,
    UncommentedLines,
    looks_like_dominoes,
    looks_like_rules,
    resembles,
)
from milp_pips.puzzles.region_partition import connected_parts

_DOTS = re.compile(r"[.…]+")
_DRAWN = re.compile(r"[\w.#… ]+")
_NUMBER = re.compile(r"-?[0-9]+")


def read(text: str, file: str, name: str) -> Pips:
    """Return the puzzle. Its regions are in the order in which they appear on the board.

    Raises InputError, which names the line.
    """
    lines = UncommentedLines(text, file)
    first = lines.required("the number of board rows")
    what = "the first line, the number of board rows,"
    expected = f"a whole number from 1 to {MAX_PIPS_ROWS}"
    counted = _NUMBER.fullmatch(first.text) is not None or not resembles(text, file)
    if counted:
        height = first.integer(first.text, what, 1, MAX_PIPS_ROWS, expected)
        drawn = [lines.required(f"row {row + 1} of the {height} board rows") for row in range(height)]
    else:
        drawn = _uncounted_rows(lines, first)
    # A file that states the number of rules also states the number of rows. So if the rows do not fit, the
    # first line was meant to be their number.
    header, rule = lines.ahead(), lines.ahead(1)
    no_number = None
    if not counted and header and rule and _NUMBER.fullmatch(header.text) and looks_like_rules(rule.text):
        no_number = first.fault(f"{what} is {quoted(first.text)}", expected)
    ragged = None
    if not counted and no_number is None:
        drawn, ragged = _padded(drawn)
    board, places = _board(drawn, first if counted else None, no_number)
    cells_of: dict[str, list[tuple[int, int]]] = {}
    for cell, label in board.items():
        if label != NO_REGION:
            cells_of.setdefault(label, []).append(cell)
    if ragged is not None and any(len(connected_parts(cells)) > 1 for cells in cells_of.values()):
        raise ragged
    rules, rule_count = read_rules(lines, first if counted else None, cells_of)
    dominoes = Dominoes(lines, board, places, no_number, ragged).read(rule_count, counted)
    regions = (
        Region(label, tuple(cells), *rules.get(label, (None, None))) for label, cells in cells_of.items()
    )
    puzzle = Pips.on_grid(name, board, regions, dominoes)
    if lines.ahead() is None:
        return puzzle
    from milp_pips.puzzles.pips import solution_files  # it imports json, which few puzzles need

    next(lines)  # the word before the solution
    return replace(puzzle, published=solution_files.read_lines(puzzle, lines))


def read_outline(text: str, file: str) -> tuple[dict[tuple[int, int], str], Rules]:
    """Return the label of each cell, and the rules of the regions that have one.

    Rows and rules are written as in a puzzle. The rules may be missing. The text after them is ignored.
    Raises InputError.
    """
    lines = UncommentedLines(text, file)
    first = lines.required("the board")
    counted = first if _NUMBER.fullmatch(first.text) is not None else None
    if counted:
        height = first.integer(first.text, "the number of board rows", 1, MAX_PIPS_ROWS)
        drawn = [lines.required(f"row {row + 1} of the {height} board rows") for row in range(height)]
    else:
        drawn = _uncounted_rows(lines, first)
    board, _ = _board(drawn, counted, None)
    labels = {label: True for label in board.values() if label != NO_REGION}
    rules, _ = read_rules(lines, None, labels) if lines.ahead() else ({}, None)
    return board, rules


def write(puzzle: Pips) -> str:
    """Return the text of a puzzle on a grid, without a solution.

    Reading it gives an equal puzzle if the regions and their cells are in the order in which they appear on
    the board. A label that does not fit the format is replaced by an unused one of A, B, C…. Raises
    UsageError if the board is not a grid counted from (0, 0), or a cell is in two regions.
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
    if spaced and len(board[0]) == 1:  # without a blank, a long label would be read as several cells
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


def write_with_solution(puzzle: Pips) -> str:
    """Return the text of a puzzle on a grid, with the solution printed with it. Raises UsageError."""
    text = write(puzzle)
    if puzzle.published is None:
        return text
    from milp_pips.puzzles.pips import solution_files

    return f"{text}{SOLUTION_LINE}\n{solution_files.write(puzzle, puzzle.published)}"


# ------------------------------------------------------------------------------------------------ board


def _uncounted_rows(lines: UncommentedLines, first: Line) -> list[Line]:
    """Return the rows of a board without their number: all lines up to a blank line, a rule or a domino."""
    drawn, spaced = [first], None if _DOTS.fullmatch(first.text) else len(first.words()) > 1
    while (line := lines.ahead()) is not None and not lines.blank_ahead():
        dots = _DOTS.fullmatch(line.text) is not None
        if looks_like_rules(line.text) or looks_like_dominoes(line.text):
            break
        if not dots and spaced not in (None, len(line.words()) > 1):
            _refuse_blank(drawn, line, spaced is True)
            break
        if len(drawn) == MAX_PIPS_ROWS:
            raise line.fault(f"the board has more than {MAX_PIPS_ROWS} rows")
        spaced = spaced if dots else len(line.words()) > 1
        drawn.append(next(lines))
    return drawn


def _refuse_blank(drawn: list[Line], line: Line, spaced: bool) -> None:
    """Raise InputError if the line seems to be a board row with blanks in place of missing cells.

    A line that begins with a label of the board may be a rule, so it is accepted.
    """
    labelled = not spaced and line.words()[0] in "".join(row.text for row in drawn)
    if len(line.text) == len(drawn[0].text) and _DRAWN.fullmatch(line.text) and not labelled:
        blamed = drawn[0] if spaced else line
        what = f"the board row {quoted(blamed.text)} has a blank between some cells only"
        raise blamed.fault(what, "'.' where there is no cell")


def _padded(drawn: list[Line]) -> tuple[list[Line], InputError | None]:
    """Return rows of equal width, with ``.`` added to short ones, and the error to raise if that was wrong.

    The caller notices a forgotten cell, as there are too many dominoes, and a shifted row, as a region is not
    connected.
    """
    spaced = any(len(line.words()) > 1 for line in drawn)
    widths = [len(_marks(line, spaced)) for line in drawn]
    width, indents = max(widths), {line.indent for line in drawn}
    if min(widths) == width or len(indents) > 1 or width * len(drawn) > MOST_CELLS:
        return drawn, None
    other = next(row for row, own in enumerate(widths) if own != widths[0])
    end = f" {NO_CELL}" if spaced else NO_CELL
    filled = [
        line._replace(text=line.text + end * (width - own)) for line, own in zip(drawn, widths, strict=True)
    ]
    return filled, _ragged_fault(drawn, other, widths[other], widths[0], None)


def _board(drawn: list[Line], first: Line | None, no_number: InputError | None) -> tuple[Places, int]:
    """Return the label of every cell in reading order, and the number of places, including missing cells.

    ``first`` is the line with the number of rows. ``no_number`` is the error if that line is missing.
    """
    spaced = any(len(line.words()) > 1 for line in drawn)
    width = 0
    labels: Places = {}
    for row, line in enumerate(drawn):
        marks = _marks(line, spaced)
        width = width or len(marks)
        if len(marks) != width:
            widths = {len(_marks(other, spaced)) for other in drawn[1:]}
            if no_number is not None and len(drawn) > 2 and len(widths) == 1:
                raise no_number  # only the first row has another width
            raise _ragged_fault(drawn, row, len(marks), width, first)
        if width > MAX_PIPS_ROWS:
            raise line.fault(f"board row {row + 1} has {width} columns", f"at most {MAX_PIPS_ROWS}")
        if not "".join(marks).isprintable():
            hidden = next(c for mark in marks for c in mark if not c.isprintable())
            raise line.fault(f"board row {row + 1} contains the invisible character U+{ord(hidden):04X}")
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


def _ragged_fault(drawn: list[Line], row: int, cells: int, width: int, first: Line | None) -> InputError:
    for i, line in enumerate(drawn if first else ()):
        if i and first and len(line.text) != len(drawn[0].text) and whole_number(line.text) is not None:
            announced = f"the {len(drawn)} that line {first.number} announces"
            return line.fault(f"the board seems to end after {i} rows", announced)
    return drawn[row].fault(
        f"board row {row + 1} is {cells} wide, board row 1 is {width} wide",
        "rows of one width, with '.' where there is no cell",
    )


def _writable_labels(puzzle: Pips) -> list[str]:
    kept: set[str] = set()
    labels: list[str | None] = []
    for region in puzzle.regions:
        label = region.label
        fits = label.isprintable() and label.split() == [label] and not _DOTS.fullmatch(label)
        fits = fits and not label.startswith("/")  # two slashes begin a comment
        free = fits and label != NO_REGION and label not in kept
        labels.append(label if free else None)
        kept.add(label)
    fresh = (label for label in region_labels() if label not in kept)
    return [next(fresh) if label is None else label for label in labels]
