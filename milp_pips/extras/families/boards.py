"""Puzzles on a board of cells: the readers of their files, and the functions that these families share.

A file starts with the name of the family. The rows follow: one character for each cell, or marks with blanks
between them. A solution has the rows of the board, with the value of each cell to fill and None elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeAlias, TypeVar

from milp_pips.problem.constraint import Assignment, Constraint
from milp_pips.problem.problem import Problem, Variable
from milp_pips.puzzles import drawn
from milp_pips.puzzles.drawn import EMPTY_CELL, cell_name
from milp_pips.puzzles.family import Family, Format
from milp_pips.puzzles.located import Line, Lines, quoted
from milp_pips.puzzles.puzzle import DrawnRows, Puzzle
from milp_pips.render.vocabulary import Drawing, Grid, Note, Place, Square, connected_parts, fill_in

Values: TypeAlias = DrawnRows[tuple[int | None, ...]]
"""The rows of a solution: the value of each cell to fill, and None for the others."""

WITHOUT_NAME = ("text", "link", "standard input")
"""What stands for the name of a file where there is none: these puzzles are called like their family."""

WALL_MARK = "#"
"""The mark of a place that is not a cell to fill."""

MOST_BOARD_CELLS = 2_500
"""The largest board: 50 rows of 50 cells."""


@dataclass(frozen=True)
class BoardPuzzle(Puzzle):
    """A puzzle on a board.

    Parameters
    ----------
    name
        The name of the puzzle.
    rows
        The marks in the rows of its file.
    published
        None: files have no solution.
    is_unmarked
        Whether it comes from a link in which no variant is marked.
    """

    usual_symbols: ClassVar[Mapping[int, str]] = {value: str(value) for value in range(1, 10)}
    """The symbol of each value in files, where the size of the board does not matter."""
    value_names: ClassVar[Mapping[int, str]] = {}
    """What sentences call the values, if these are not numbers."""
    has_givens: ClassVar[bool] = False
    """Whether the marks on the board are values of cells; else they are clues."""

    name: str
    rows: tuple[tuple[str, ...], ...]
    published: None = None
    is_unmarked: bool = field(default=False, compare=False, repr=False, kw_only=True)

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of rows and columns of a solution."""
        return len(self.rows), len(self.rows[0])

    @property
    def cells(self) -> tuple[Place, ...]:
        """The cells to fill, in reading order: the first variables of the problem."""
        height, width = self.size
        return tuple((r, c) for r in range(height) for c in range(width))

    @property
    def symbols(self) -> Mapping[int, str]:
        """The symbol of each value in files."""
        return self.usual_symbols

    @property
    def heading(self) -> str:
        """The first line of its file."""
        return self.family

    @property
    def variants(self) -> tuple[str, ...]:
        """The lines of variants in its file."""
        return ()

    @property
    def marks(self) -> dict[Place, str]:
        """The mark that is printed in each cell that has one."""
        frame = (len(self.rows) - self.size[0]) // 2
        marks = {(r, c): self.rows[r + frame][c + frame] for r, c in self.cells}
        return {cell: mark for cell, mark in marks.items() if mark != EMPTY_CELL}

    @property
    def givens(self) -> dict[Place, int]:
        """The values that are printed on the board."""
        values = {symbol: value for value, symbol in self.symbols.items()}
        return {cell: values[mark] for cell, mark in self.marks.items()} if self.has_givens else {}

    def problem(self, rules: Sequence[Constraint], auxiliary: Sequence[Variable] = ()) -> Problem:
        """Return the problem with a variable for each cell, then the auxiliary ones, and these rules."""
        givens, domain = self.givens, tuple(self.symbols)
        cells = [
            Variable(cell_name(cell), (givens[cell],) if cell in givens else domain) for cell in self.cells
        ]
        key, variables = tuple(range(len(cells))), (*cells, *auxiliary)
        return Problem(
            variables,
            tuple(rules),
            {"grid": key},
            dict.fromkeys(key, self.value_names) if self.value_names else {},
            auxiliary=tuple(range(len(cells), len(variables))),
            determined=True,
        )

    def drawing(self, grid: Grid, texts: Mapping[Any, str]) -> Drawing:
        """Return the picture of the board with these texts written into its cells."""
        known = {
            (v, value): text for v, cell in enumerate(self.cells) for value, text in self.shown(cell).items()
        }
        notes = tuple(Note("variant", (variant,)) for variant in self.variants)
        return fill_in(
            Drawing(self.name, grid, notes, places=dict(enumerate(self.cells)), texts=known), texts
        )

    def shown(self, cell: Place) -> Mapping[int, str]:  # noqa: ARG002
        """Return the texts of the values in the pictures of hints, where they are not the names."""
        return {}

    def given_squares(self, solution: Values | None) -> dict[Place, Square]:
        """Return a square for each cell with its given, which stands out in a solution."""
        squares = dict.fromkeys(self.cells, Square())
        for cell, value in self.givens.items():
            squares[cell] = Square(self.symbols[value], strong=solution is not None)
        return squares

    def changed_given(self, solution: Values) -> str | None:
        """Return what is wrong with a given that the solution changes, or None."""
        for cell, value in self.givens.items():
            if at(solution, cell) != value:
                changed, given = self.symbols[at(solution, cell)], self.symbols[value]
                return f"{cell_name(cell)} is {changed}, but {given} is given there"
        return None

    def texts(self, solution: Values | None) -> dict[Place, str]:
        """Return the symbol of each cell of a solution, by place."""
        return {(r, c): self.symbols[at(solution, (r, c))] for r, c in self.cells} if solution else {}


P = TypeVar("P", bound=BoardPuzzle)
Row: TypeAlias = tuple[Line, tuple[str, ...]]
"""A row of marks, and its line."""


def at(solution: Values, place: Place) -> int:
    """Return the value of a cell of a solution."""
    value = solution[place[0]][place[1]]
    assert value is not None
    return value


def read_heading(text: str, file: str, example: str) -> tuple[Lines, Line]:
    """Return the lines below the heading, and the heading, which is like the example. Raises InputError."""
    lines, (name, *more) = Lines(text, file), example.split()
    line = lines.required(name)
    if line.words()[0] != name or len(line.words()) != 1 + len(more):
        raise line.fault(f"this is {quoted(line.text)}", example)
    return lines, line


def read_variants(lines: Lines, *examples: str) -> dict[str, Line]:
    """Return the lines of variants above the rows, by the example that each is like. Raises InputError.

    These lines begin with a letter. A line is like an example if both have as many words, and the same first.
    """
    found: dict[str, Line] = {}
    while (line := lines.ahead()) is not None and line.text[0].isalpha():
        words = line.text.lower().split()
        like = [one for one in examples if one.split()[0] == words[0] and len(one.split()) == len(words)]
        if not like or like[0] in found:
            raise line.fault(f"this is {quoted(line.text)}", f"{' or '.join(examples)}, each once, or a row")
        found[like[0]] = next(lines)
    return found


def read_rows(lines: Lines, known: Callable[[str], object], expected: str) -> list[Row]:
    """Return the remaining lines as rows of marks, all of the same length. Raises InputError.

    ``known`` returns whether a mark is allowed, and ``expected`` describes the allowed marks for errors.
    """
    found: list[Row] = []
    for line in lines:
        marks = tuple(drawn.marks_of(line, drawn.is_spaced(line)))
        if found and len(marks) != len(found[0][1]):
            what = f"row {len(found) + 1} has {drawn.cells_of(len(marks))}"
            raise line.fault(what, f"{len(found[0][1])}, as in the first row")
        if (wrong := next((mark for mark in marks if not known(mark)), None)) is not None:
            raise line.fault(f"a cell is {quoted(wrong)}", expected)
        found.append((line, marks))
        if len(marks) * len(found) > MOST_BOARD_CELLS:
            raise line.fault("the board is too large", f"at most {MOST_BOARD_CELLS:,} cells")
    if not found:
        raise lines.fault("there is no row", "the rows of the board")
    return found


def read_values(puzzle: BoardPuzzle, text: str, file: str, partly: bool = False) -> dict[Place, int]:
    """Return the values in a file with a solution or, if ``partly``, with a board. Raises InputError."""
    values = {symbol: value for value, symbol in puzzle.symbols.items()}
    cells, (height, width) = set(puzzle.cells), puzzle.size
    others = [WALL_MARK, EMPTY_CELL] if len(cells) < height * width else []
    found = {}
    board = drawn.read_symbols(text, file, puzzle.size, [*values, *others], partly)
    for place, (symbol, where) in board.items():
        if place in cells and symbol in values:
            found[place] = values[symbol]
        elif place in cells and not partly:
            raise where.fault(f"{cell_name(place)} is {quoted(symbol)}", drawn.symbols_text(list(values)))
        elif place not in cells and symbol in values:
            raise where.fault(f"{cell_name(place)} is not a cell to fill", WALL_MARK)
    return found


def board_family(
    kind: type[P],
    example: str,
    read: Callable[[str, str], dict[str, P]],
    state: Callable[[P], Problem],
    check: Callable[[P, Values], str | None],
    draw: Callable[[P, Values | None], Drawing],
    variants: tuple[str, ...] = (),
) -> Family[P, Values]:
    """Return the family of these puzzles: its own functions, and those that all boards share."""

    def named(text: str, file: str) -> dict[str, P]:
        name = "" if file in WITHOUT_NAME else os.path.splitext(os.path.basename(file))[0]
        return {
            level: replace(puzzle, name=name or puzzle.name) for level, puzzle in read(text, file).items()
        }

    def rows_of(puzzle: P, values: Mapping[Place, Any]) -> Values:
        height, width = puzzle.size
        return Values.of(puzzle, (tuple(values.get((r, c)) for c in range(width)) for r in range(height)))

    def decode(puzzle: P, assignment: Assignment) -> Values:
        return rows_of(puzzle, {cell: assignment[v] for v, cell in enumerate(puzzle.cells)})

    def encode(puzzle: P, solution: Values) -> dict[int, int]:
        return {v: at(solution, cell) for v, cell in enumerate(puzzle.cells)}

    def written(puzzle: P, solution: Values) -> list[list[str | None]]:
        return [[None if value is None else puzzle.symbols[value] for value in row] for row in solution]

    def to_json(puzzle: P, solution: Values) -> dict[str, Any]:
        rows = written(puzzle, solution)
        return {"grid": [[int(cell) if cell and cell.isdigit() else cell for cell in row] for row in rows]}

    def write_solution(puzzle: P, solution: Values) -> str:
        between = " " if max(map(len, puzzle.symbols.values())) > 1 else ""
        rows = written(puzzle, solution)
        return "".join(f"{between.join(cell or WALL_MARK for cell in row)}\n" for row in rows)

    def read_board(puzzle: P, text: str, file: str) -> dict[int, int]:
        values = read_values(puzzle, text, file, partly=True)
        return {v: values[cell] for v, cell in enumerate(puzzle.cells) if cell in values}

    def write(puzzle: P) -> str:
        rows = (" ".join(row) for row in puzzle.rows)
        return "".join(f"{line}\n" for line in (puzzle.heading, *puzzle.variants, *rows))

    return Family(
        name=kind.family,
        formats=lambda: {"text": Format(".txt", write, with_solution=False)},
        examples=(example,),
        recognises=lambda text: text.removeprefix("\ufeff").split(maxsplit=1)[:1] == [kind.family],
        read=named,
        state=state,
        decode=decode,
        encode=encode,
        check=check,
        draw=draw,
        to_json=to_json,
        read_solution=lambda puzzle, text, file: rows_of(puzzle, read_values(puzzle, text, file)),
        write_solution=write_solution,
        read_board=read_board,
        variants=variants,
        alternatives=lambda _: [],  # no sum of these rules could have another bound
    )


def board_text(heading: str, marks: Mapping[Place, str], rows: Iterable[int], columns: Iterable[int]) -> str:
    """Return a heading and rows of marks as the text of a file, with a dot where there is no mark."""
    lines = (" ".join(marks.get((r, c), EMPTY_CELL) for c in columns) for r in rows)
    return "".join(f"{line}\n" for line in (heading, *lines))


def regions_of(walls: Collection[tuple[Place, Place]], rows: int, columns: int) -> dict[Place, str]:
    """Return the number of the region of each cell; ``walls`` has the neighbours in different regions."""
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    # Cells and open borders between them, on a board of twice the size, are connected as the regions are.
    fine = {(2 * r, 2 * c) for r, c in cells}
    for r, c in cells:
        for beyond in ((r + 1, c), (r, c + 1)):
            if max(beyond[0] - rows, beyond[1] - columns) < 0 and ((r, c), beyond) not in walls:
                fine.add((r + beyond[0], c + beyond[1]))
    parts = enumerate(connected_parts(sorted(fine)), 1)
    return {(r // 2, c // 2): str(i) for i, part in parts for r, c in part if r % 2 == c % 2 == 0}
