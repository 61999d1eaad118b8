"""Puzzles in game IDs of Simon Tatham's Portable Puzzle Collection.

An ID is ``parameters:description``. It does not name its game, so a text has ``unruly:8x8:…``, and a link to
the page of the game has the ID after ``#``. The formats are those of ``new_game`` in the sources of
https://www.chiark.greenend.org.uk/~sgtatham/puzzles/: letters a to z are runs of 1 to 26 empty cells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from string import ascii_lowercase
from urllib.parse import unquote

from milp_pips.extras.families.binairo import EQUAL_LINES
from milp_pips.extras.families.boards import MOST_BOARD_CELLS, board_text, regions_of
from milp_pips.problem.errors import InputError
from milp_pips.puzzles.drawn import EMPTY_CELL
from milp_pips.puzzles.located import quoted
from milp_pips.render.vocabulary import Place

TATHAM_HOST = "www.chiark.greenend.org.uk"
TATHAM_PAGE = f"https://{TATHAM_HOST}/~sgtatham/puzzles/js/"
TATHAM_LINK = re.compile(r".*/([a-z]+)\.html#(.*)", re.DOTALL)
TATHAM_PARAMETERS = re.compile(r"(\d{1,2})(?:x(\d{1,2}))?(.*)", re.ASCII)
TATHAM_STEPS = {
    single: re.compile(rf"([0-9]{digits})|\[([0-9]{{1,9}})\]|([a-z])|_")
    for single, digits in ((False, "{1,9}(?![0-9])"), (True, ""))
}
"""A number, a run of empty cells or a separator; by whether numbers without brackets have one digit."""


class _Game:
    """A game ID: its size, the flags after it, and the parts of its description."""

    def __init__(self, game: str, identifier: str, file: str):
        self.game, self.file = game, file
        parameters, colon, description = identifier.strip().partition(":")
        found = TATHAM_PARAMETERS.fullmatch(parameters)
        if not colon or found is None:
            what = f"this is no game ID of {game}: {quoted(identifier)}"
            seed = "; a random seed (#) contains no puzzle" if "#" in identifier else ""
            raise InputError(what, file, expected=f"parameters:description, as the menu shows it{seed}")
        self.width, self.flags = int(found[1]), found[3]
        self.height, self.is_square = int(found[2] or found[1]), found[2] is None
        self.description = description
        if not 0 < self.width * self.height <= MOST_BOARD_CELLS:
            raise self.fault(f"the size is {quoted(parameters)}", f"at most {MOST_BOARD_CELLS:,} cells")

    def fault(self, what: str, expected: str = "an ID as the program shows it") -> InputError:
        """Return the error for the ID."""
        return InputError(f"{self.game}: {what}", self.file, expected=expected)

    def marks(self, description: str, count: int, single: bool = False) -> list[str]:
        """Return numbers, of one digit if ``single``, and dots for empty cells. Raises InputError."""
        found, at = list[str](), 0
        while at < len(description):
            step = TATHAM_STEPS[single].match(description, at)
            if step is None:
                raise self.fault(f"this is not a clue: {quoted(description[at:])}")
            number = step[1] or step[2]
            at = step.end()
            empty = ascii_lowercase.index(step[3]) + 1 if step[3] else 0
            found += [str(int(number))] if number else [EMPTY_CELL] * empty
        if len(found) != count:
            raise self.fault(f"there are {len(found)} cells", str(count))
        return found

    def rows(self, heading: str, marks: Sequence[str], width: int) -> str:
        """Return the text of a file with this heading and these marks, row by row."""
        places = {divmod(i, width): mark for i, mark in enumerate(marks)}
        return board_text(heading, places, range(len(marks) // width), range(width))

    def areas(self, description: str, n: int) -> dict[Place, str]:
        """Return the number of the area of each cell, from the gaps between borders. Raises InputError."""
        sides = [((r, c), (r, c + 1)) for r in range(n) for c in range(n - 1)]
        sides += [((r, c), (r + 1, c)) for c in range(n) for r in range(n - 1)]
        walls, at = set[tuple[Place, Place]](), 0
        for letter in description:
            open_sides = 0 if letter == "_" else ascii_lowercase.find(letter) + 1
            if not (open_sides or letter == "_") or at > len(sides):
                raise self.fault(f"these are not borders: {quoted(description)}")
            at += open_sides
            walls.update(sides[at : at + 1] if open_sides < 26 else ())
            at += open_sides < 26  # z is 26 open sides without a border after them
        if at != len(sides) + 1:
            raise self.fault(f"these are not borders: {quoted(description)}")
        return regions_of(walls, n, n)


def text_of(game: str, identifier: str, file: str) -> str:
    """Return the puzzle of a game ID as the text of a file of its family. Raises InputError."""
    if game not in TATHAM_GAMES:
        expected = f"one of {', '.join(TATHAM_GAMES)}"
        raise InputError(f"the game {quoted(game)} is not read", file, expected=expected)
    return TATHAM_GAMES[game](_Game(game, identifier, file))


def text_of_link(link: str, file: str) -> str:
    """Return the puzzle of a link to a page of the collection. Raises InputError."""
    found = TATHAM_LINK.fullmatch(link)
    if found is None:
        raise InputError("the link contains no puzzle", file, expected=f"{TATHAM_PAGE}GAME.html#ID")
    return text_of(found[1], unquote(found[2]), file)


def text_of_save(text: str, file: str) -> str:
    """Return the puzzle of a saved game: lines of a word, a length and a value. Raises InputError."""
    words = {"GAME": "", "PARAMS": "", "DESC": ""}
    for line in text.splitlines():
        word, _, value = line.partition(":")
        if word.strip() in words:
            words[word.strip()] = value.partition(":")[2].strip()
    return text_of(words["GAME"].lower(), f"{words['PARAMS']}:{words['DESC']}", file)


def _unruly(game: _Game) -> str:
    """Read the distance to each given: a to y for a 0, A to Y for a 1; z and Z are 25 cells."""
    count = game.width * game.height
    marks, at = [EMPTY_CELL] * count, 0
    for letter in game.description:
        step = ascii_lowercase.find(letter.lower())
        if step < 0 or at > count:
            raise game.fault(f"this is not a clue: {quoted(letter)}")
        at += step
        if step < 25 and at < count:
            marks[at] = "0" if letter.islower() else "1"
        at += step < 25
    if at != count + 1:
        raise game.fault("the clues do not fit the board")
    heading = "binairo" if "u" in game.flags.partition("d")[0] else f"binairo\n{EQUAL_LINES}"
    return game.rows(heading, marks, game.width)


def _towers(game: _Game) -> str:
    n, (clues, _, givens) = game.width, game.description.partition(",")
    sides = [clue or EMPTY_CELL for clue in clues.split("/")]
    if len(sides) != 4 * n:
        raise game.fault(f"there are {len(sides)} clues", str(4 * n))
    above, below, left, right = (sides[at : at + n] for at in range(0, 4 * n, n))
    inner = game.marks(givens, n * n) if givens else [EMPTY_CELL] * n * n
    middle = [mark for r in range(n) for mark in (left[r], *inner[r * n : r * n + n], right[r])]
    return game.rows("skyscrapers", ["#", *above, "#", *middle, "#", *below, "#"], n + 2)


def _loopy(game: _Game) -> str:
    kind = re.match(r"(?:t(\d+))?", game.flags)
    if kind is None or kind[1] not in (None, "0"):
        raise game.fault("the grid is not one of squares", "the type t0")
    return game.rows("slitherlink", game.marks(game.description, game.width * game.height, True), game.width)


def _solo(game: _Game) -> str:
    flags = re.sub(r"[rma]\d*d?", "", re.sub("d[tbiaeu]", "", game.flags))  # difficulty, and symmetry
    n, parts = (
        game.width * (1 if game.is_square and "j" in flags else game.height),
        game.description.split(","),
    )
    if set(flags) - {*"jxk"} or len(parts) != 1 + ("j" in flags) + 2 * ("k" in flags):
        raise game.fault(f"the ID has {len(parts)} parts, and the flags {quoted(flags)}")
    if n * n > MOST_BOARD_CELLS:
        raise game.fault(f"the board has {n} rows", f"at most {MOST_BOARD_CELLS:,} cells")
    every, cells = range(n), n * n
    heading = "sudoku\ndiagonals" if "x" in flags else "sudoku"
    text = game.rows(heading, game.marks(parts.pop(0), cells), n)
    if "j" in flags:
        text += board_text("regions", game.areas(parts.pop(0), n), every, every)
    else:
        text += f"boxes {game.width} {game.height}\n"
    if "k" in flags:
        areas, sums = game.areas(parts[0], n), game.marks(parts[1], cells)
        text += board_text("cages", areas, every, every)
        stated = ((divmod(i, n), total) for i, total in enumerate(sums) if total != EMPTY_CELL)
        text += "".join(f"{areas[place]} {total}\n" for place, total in stated)
    return text


def _dominosa(game: _Game) -> str:
    most = game.width
    numbers = game.marks(game.description, (most + 1) * (most + 2), single=True)
    return game.rows("dominosa", numbers, most + 2)


def _pattern(game: _Game) -> str:
    lines = game.description.split("/")
    runs = re.fullmatch(r"(?:[0-9]{1,9}(?![0-9])|[./])*+", game.description)
    if len(lines) != game.width + game.height or not runs:
        raise game.fault(f"there are {len(lines)} clues", f"{game.width + game.height}, of runs alone")
    clues = [[int(run) for run in line.split(".") if run] for line in lines]
    return nonogram(clues[game.width :], clues[: game.width])


def nonogram(rows: Sequence[Sequence[int]], columns: Sequence[Sequence[int]]) -> str:
    """Return a nonogram, the runs of each row and column, as a colour grid in white and black."""

    def clue(runs: Sequence[int]) -> str:
        return f"/w*{'w+'.join(f'b{{{length}}}' for length in runs if length)}w*/"

    sections = (["rows", *map(clue, rows)], ["columns", *map(clue, columns)])
    return "\n".join(["colour grid", "colours w white, b black", *sections[0], *sections[1], ""])


TATHAM_FAMILIES = {
    **{"binairo": "unruly", "skyscrapers": "towers", "slitherlink": "loopy", "sudoku": "solo"},
    **{"pips": "dominosa", "colour-grid": "pattern"},
}
"""The game of each family, for an ID of which the user names the family."""
TATHAM_GAMES: dict[str, Callable[[_Game], str]] = {
    "unruly": _unruly,
    "towers": _towers,
    "loopy": _loopy,
    "solo": _solo,
    "dominosa": _dominosa,
    "pattern": _pattern,
}
"""The reader of each game, by its name."""
