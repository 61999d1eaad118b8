"""Puzzles in links of puzz.link and of sites with the same format. The link is the data; nothing is fetched.

A link ends in ``?name/columns/rows/body``, and the body has the clues in reading order. The format is that of
pzprjs, https://github.com/robx/pzprjs: ``src/variety-common/Encode.js`` has the numbers and the borders, and
``src/variety/NAME.js`` the parts of each body.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from milp_pips.extras.families import fpuzzles, penpa, sudokupad, tatham
from milp_pips.extras.families.boards import MOST_BOARD_CELLS, board_text, regions_of
from milp_pips.problem.errors import InputError
from milp_pips.puzzles.drawn import EMPTY_CELL
from milp_pips.puzzles.located import quoted, whole_number
from milp_pips.render.vocabulary import Place

LINK_HOSTS = (
    *("puzz.link", "www.puzz.link", "pzv.jp", "www.pzv.jp", "pzplus.tck.mn"),
    *("pzprxs.vercel.app", "robx.github.io"),
)
ADDRESS = re.compile(r"https?://([^/?#]*)[^?]*\??(.*)", re.IGNORECASE | re.DOTALL)
LINK_NAMES = {"slitherlink": "slither", "star-battle": "starbattle"}
"""Other names of some bodies."""
LINK_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def marks_no_variant(link: str) -> bool:
    """Return whether a text is a link of a site whose links have no place for a variant."""
    found = ADDRESS.fullmatch(link.strip())
    return found is not None and found[1].lower() in (*LINK_HOSTS, *penpa.PENPA_HOSTS)


def text_of(link: str, file: str, family: str | None = None) -> str:
    """Return the puzzle in a link as the text of a file of its family. Raises InputError.

    ``family`` is the one that the user names, if any: links of Penpa+ may tell none.
    """
    found = ADDRESS.fullmatch(link)
    host = found[1].lower() if found else ""
    if host in fpuzzles.SITES:
        return sudokupad.text_of(link, file)
    if host == tatham.TATHAM_HOST:
        return tatham.text_of_link(link, file)
    if host in penpa.PENPA_HOSTS:
        return penpa.text_of(link, file, family)
    if found is None or host not in LINK_HOSTS:
        what = f"no puzzles are read from {quoted(host or link)}"
        raise InputError(what, file, expected=f"a link of {LINK_HOSTS[0]} that contains the puzzle")
    name, *parts = unquote(found[2]).partition("#")[0].split("/")
    name = LINK_NAMES.get(name := re.sub(r"^m\+|_(?:edit|play|player)$", "", name), name)
    if parts and re.fullmatch("v:[a-z0-9]*", parts[0]) and parts.pop(0) != "v:":  # of pzprxs
        raise InputError("the link marks a variant, which is not read", file, expected="the plain rules")
    if name not in BODIES:
        raise InputError(f"no puzzles {quoted(name)} are read", file, expected=", ".join(BODIES))
    sizes = [whole_number(part) or 0 for part in parts[:2]]
    if len(parts) < 3 or min(sizes) < 1 or sizes[0] * sizes[1] > MOST_BOARD_CELLS:
        what = f"the link has no size: {quoted('/'.join(parts[:2]))}"
        raise InputError(what, file, expected=f"columns/rows/clues, at most {MOST_BOARD_CELLS:,} cells")
    body = _Body("/".join(parts[2:]).rstrip("/"), file)
    text = BODIES[name](body, *sizes)
    if body.text[body.at :]:
        raise body.fault("the link goes on after the puzzle")
    return text


class _Body:
    """The body of a link, read from left to right."""

    def __init__(self, text: str, file: str):
        self.text, self.file, self.at = text, file, 0

    def fault(self, what: str) -> InputError:
        return InputError(
            f"{what}: {quoted(self.text[self.at :])}", self.file, expected="a link as the site writes it"
        )

    def take(self, count: int = 1) -> str:
        """Return the next characters. Raises InputError at the end of the body."""
        if self.at + count > len(self.text):
            raise InputError("the link ends too early", self.file, expected="a whole link")
        self.at += count
        return self.text[self.at - count : self.at]

    def clues(self, count: int, clue: Callable[[str], tuple[str, int] | None], skip: str) -> list[str]:
        """Return this many clues.

        ``clue`` returns the clue that begins with a character and the number of empty places after it. Other
        characters skip places: the first of ``skip`` skips one.
        """
        found: list[str] = []
        while len(found) < count:
            character = self.take()
            if (one := clue(character)) is not None:
                found += [one[0], *EMPTY_CELL * one[1]]
            elif character in LINK_DIGITS[LINK_DIGITS.index(skip) :]:
                found += EMPTY_CELL * (LINK_DIGITS.index(character) - LINK_DIGITS.index(skip) + 1)
            else:
                self.at -= 1
                raise self.fault("this is not a clue")
        if any(clue != EMPTY_CELL for clue in found[count:]) or len(found) > count + 2:
            raise self.fault("the clues do not fit the board")
        return found[:count]

    def numbers(self, count: int) -> list[str]:
        """Return numbers, of which those from 16 on have two hexadecimal digits after ``-``."""

        def clue(character: str) -> tuple[str, int] | None:
            digits = self.take(2) if character == "-" else character
            if re.fullmatch("[0-9a-f]+", digits):
                return str(int(digits, 16)), 0
            return (EMPTY_CELL, 0) if character == "." else None

        return self.clues(count, clue, "g")

    def bits(self, count: int) -> Iterator[bool]:
        """Yield bits, five in a character."""
        for start in range(0, count, 5):
            character = self.take()
            if character not in LINK_DIGITS[:32]:
                self.at -= 1
                raise self.fault("these are not borders")
            yield from (bool(int(character, 32) >> 4 - i & 1) for i in range(min(5, count - start)))

    def total(self) -> str:
        """Return a sum of a run: 1 to 19 in base 20, 20 to 45 as ``A`` to ``Z``; empty for none (0 or -)."""
        character = self.take()
        if character == "-":
            return ""
        if character in LINK_DIGITS[:20]:
            return str(LINK_DIGITS.index(character) or "")
        if "A" <= character <= "Z":
            return str(ord(character) - ord("A") + 20)
        self.at -= 1
        raise self.fault("this is not a sum")


def _rows(heading: str, marks: list[str], width: int) -> str:
    """Return the text of a file with this heading and these marks, row by row."""
    places = {divmod(i, width): mark for i, mark in enumerate(marks)}
    return board_text(heading, places, range(len(marks) // width), range(width))


def _slitherlink(body: _Body, columns: int, rows: int) -> str:
    """Read digits: 0 to 4, 5 more for one empty cell after it, 10 more for two; ``.`` is any number."""

    def clue(character: str) -> tuple[str, int] | None:
        value = LINK_DIGITS.index(character) if character in LINK_DIGITS else 15
        return (EMPTY_CELL, 0) if character == "." else (str(value % 5), value // 5) if value < 15 else None

    return _rows("slitherlink", body.clues(columns * rows, clue, "g"), columns)


def _sudoku(body: _Body, columns: int, rows: int) -> str:
    """Read the givens. The boxes are square, or 2 rows of 3 cells on a board of 6."""
    if columns != rows or columns not in (4, 6, 9, 16, 25):
        raise InputError(
            f"the Sudoku has {rows} rows of {columns} cells", body.file, expected="4, 6, 9, 16 or 25"
        )
    return _rows("sudoku", body.numbers(columns * rows), columns)


def _skyscrapers(body: _Body, columns: int, rows: int) -> str:
    """Read the clues above, below, to the left and to the right; then, if there are any, the givens."""
    if columns != rows:
        raise InputError(
            f"the board has {rows} rows of {columns} cells", body.file, expected="a square board"
        )
    n = rows
    clues = body.numbers(4 * n)
    above, below, left, right = (clues[at : at + n] for at in range(0, 4 * n, n))
    givens = body.numbers(n * n) if body.text[body.at :] else [EMPTY_CELL] * n * n
    inner = [mark for r in range(n) for mark in (left[r], *givens[r * n : r * n + n], right[r])]
    return _rows("skyscrapers", ["#", *above, "#", *inner, "#", *below, "#"], n + 2)


def _star_battle(body: _Body, columns: int, rows: int) -> str:
    """Read the number of stars, the borders between columns, and those between rows."""
    stars, slash, _ = body.text.partition("/")
    body.at = len(stars + slash)
    walls: set[tuple[Place, Place]] = set()
    for width, height, (y, x) in ((columns - 1, rows, (0, 1)), (columns, rows - 1, (1, 0))):
        for i, wall in enumerate(body.bits(width * height)):
            r, c = divmod(i, width)
            if wall:
                walls.add(((r, c), (r + y, c + x)))
    return board_text(f"star-battle {stars}", regions_of(walls, rows, columns), range(rows), range(columns))


def _kakuro(body: _Body, columns: int, rows: int) -> str:
    """Read places without a cell, with their sums, below first; then the sums above and those at the left."""

    def clue(character: str) -> tuple[str, int] | None:
        if character in LINK_DIGITS[20:]:
            return None
        if character == ".":
            return "#", 0
        body.at -= 1
        down, across = body.total(), body.total()
        return (f"{down}\\{across}" if down or across else "#"), 0

    marks = body.clues(columns * rows, clue, "k")
    above = [f"{body.total()}\\" if mark == EMPTY_CELL else "#" for mark in marks[:columns]]
    inner: list[str] = []
    for r in range(0, columns * rows, columns):
        left = f"\\{body.total()}" if marks[r] == EMPTY_CELL else "#"
        inner += [left, *marks[r : r + columns]]
    every = [mark if mark != "\\" else "#" for mark in ("#", *above, *inner)]
    return _rows("kakuro", every, columns + 1)


def _nonogram(body: _Body, columns: int, rows: int) -> str:
    """Read the runs of each column, then of each row, the nearest to the board first."""
    if "." in body.text:
        raise body.fault("a run has no length")
    above, left = (rows + 1) // 2, (columns + 1) // 2  # the most runs of a line
    marks = [0 if mark == EMPTY_CELL else int(mark) for mark in body.numbers(columns * above + rows * left)]
    over, beside = marks[: columns * above], marks[columns * above :]
    clues = [
        [side[i : i + n][::-1] for i in range(0, len(side), n)] for side, n in ((over, above), (beside, left))
    ]
    return tatham.nonogram(clues[1], clues[0])


BODIES: dict[str, Callable[[_Body, int, int], str]] = {
    "kakuro": _kakuro,
    "nonogram": _nonogram,
    "skyscrapers": _skyscrapers,
    "slither": _slitherlink,
    "starbattle": _star_battle,
    "sudoku": _sudoku,
}
"""The reader of each body, by the name in links."""
