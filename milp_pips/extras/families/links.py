"""Puzzles in links of puzz.link and of sites with the same format. The link is the data; nothing is fetched.

A link ends in ``?name/columns/rows/body``, and the body has the clues in reading order. The format is that of
pzprjs, https://github.com/robx/pzprjs: ``src/variety-common/Encode.js`` has the numbers and the borders, and
``src/variety/NAME.js`` the parts of each body. The texts that pzprjs saves have rows of marks, as in
``src/variety-common/FileData.js``, and so have links of kanpen.net.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

from milp_pips.extras.families import fpuzzles, penpa, sudokupad, tatham
from milp_pips.extras.families.boards import MOST_BOARD_CELLS, board_text, regions_of
from milp_pips.problem.errors import InputError
from milp_pips.puzzles.drawn import EMPTY_CELL
from milp_pips.puzzles.located import quoted, whole_number
from milp_pips.puzzles.reading import ADDRESS_START
from milp_pips.render.vocabulary import Place

KANPEN_HOST = "kanpen.net"
LINK_HOSTS = ("puzz.link", "pzv.jp", "pzplus.tck.mn", "pzprxs.vercel.app", "robx.github.io", KANPEN_HOST)
COPIED_LINK = re.compile(rf"[<\"']?((?={ADDRESS_START})\S+?)[>\"']?", re.IGNORECASE)
"""A link, which may stand in brackets or lack the scheme."""
ADDRESS = re.compile(r"https?://(?:www\.)?([^/?#]*)([^?]*)\??(.*)", re.IGNORECASE | re.DOTALL)
"""The site, the page, and what follows the question mark."""
SAVED_START, SAVED_EXPECTED = "pzprv3", "a text as pzprjs saves it"
LINK_NAMES = {
    **{"slitherlink": "slither", "star-battle": "starbattle"},
    **{"building": "skyscrapers", "skyscraper": "skyscrapers"},
}
"""Other names of some bodies."""
LINK_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def address_of(text: str) -> str:
    """Return the link that a text is, with its scheme and without brackets; empty if it is none."""
    if (found := COPIED_LINK.fullmatch(text.strip())) is None:
        return ""
    return found[1] if found[1][:4].lower() == "http" else f"https://{found[1]}"


def words_of(text: str) -> list[str]:
    """Return the words of a text, such as a list of links, without lines of comments."""
    return re.sub("(?m)^(?:#|;|//).*", "", text).split()


def marks_no_variant(text: str) -> bool:
    """Return whether a text is links of sites, or a file, whose formats have no place for a variant."""
    hosts = (*LINK_HOSTS, *penpa.PENPA_HOSTS)
    each = (ADDRESS.fullmatch(address_of(word)) for word in words_of(text))
    return text.startswith(SAVED_START) or all(found and found[1].lower() in hosts for found in each)


def text_of(link: str, file: str, family: str | None = None) -> str:
    """Return the puzzle in a link as the text of a file of its family. Raises InputError.

    ``family`` is the one that the user names, if any: links of Penpa+ may tell none.
    """
    found = ADDRESS.fullmatch(link)
    host = found[1].lower() if found else ""
    if host in fpuzzles.SITES:
        return sudokupad.text_of(link, file)
    if f"www.{host}" == tatham.TATHAM_HOST:
        return tatham.text_of_link(link, file)
    if host in penpa.PENPA_HOSTS:
        return penpa.text_of(link, file, family)
    if found is None or host not in LINK_HOSTS:
        what = f"no puzzles are read from {quoted(host or link)}"
        raise InputError(what, file, expected=f"a link of {LINK_HOSTS[0]} that contains the puzzle")
    data = re.split("[#&]", unquote(found[3]))[0]
    if host == KANPEN_HOST:
        page, (word, _, data) = found[2].strip("/").removesuffix(".html"), data.partition("=")
        if word == "problem":
            return text_of_saved(_kanpen(page, data, file), file)
        data = f"{page}/{data.lstrip('/')}"
    name, *parts = data.split("/")
    name = _known(re.sub(r"^m\+|_(?:edit|play|player)$", "", name), file)
    if parts and re.fullmatch("v:[a-z0-9]*", parts[0]) and parts.pop(0) != "v:":  # of pzprxs
        raise InputError("the link marks a variant, which is not read", file, expected="the plain rules")
    columns, rows = _size(parts[:2], "columns/rows", file)
    body = _Body("/".join(parts[2:]).rstrip("/"), file)
    text = BODIES[name](body, columns, rows)
    if body.text[body.at :]:
        raise body.fault("the link goes on after the puzzle")
    return text


def _known(name: str, file: str) -> str:
    """Return the usual name of a kind of puzzle. Raises InputError if it is not read."""
    if (name := LINK_NAMES.get(name, name)) not in BODIES:
        raise InputError(f"no puzzles {quoted(name)} are read", file, expected=", ".join(BODIES))
    return name


def _size(parts: list[str], expected: str, file: str) -> list[int]:
    sizes = [whole_number(part) or 0 for part in parts]
    if len(sizes) <= expected.count("/") or min(sizes) < 1 or sizes[0] * sizes[-1] > MOST_BOARD_CELLS:
        what = f"the puzzle has no size: {quoted('/'.join(parts))}"
        raise InputError(what, file, expected=f"{expected}/clues, at most {MOST_BOARD_CELLS:,} cells")
    return sizes


def text_of_saved(text: str, file: str) -> str:
    """Return the puzzle in a text that pzprjs saves as the text of a file of its family. Raises InputError.

    Lines, or parts between slashes, have the kind, the numbers of rows and columns (one for a Sudoku), and
    the rows of the board with its frame of clues. The answer below them is not read.
    """
    _, name, *lines = [line.strip() for line in [*re.split("[\n/]", text), ""]]
    if SAVED_START in text[1:]:
        raise InputError("a second text follows the first", file, expected=SAVED_EXPECTED)
    name = _known(name, file)
    expected = "size" if name == "sudoku" else "rows/columns"
    sizes = [lines.pop(0) for _ in expected.split("/") if lines]
    rows, columns = (_size(sizes, expected, file) * 2)[:2]
    heading = {"slither": "slitherlink"}.get(name, name)
    if name == "starbattle":
        heading, lines = f"star-battle {lines[0]}", lines[2:]  # the stars, and the number of regions
    frames = {"kakuro": (1, 1), "skyscrapers": (2, 2), "nonogram": ((rows + 1) // 2, (columns + 1) // 2)}
    above, left = frames.get(name, (0, 0))
    board = [line.split() for line in lines[: rows + above]]
    if [len(row) for row in board] != [columns + left] * (rows + above):
        what = f"the board does not have {rows + above} rows of {columns + left} marks"
        raise InputError(what, file, expected=SAVED_EXPECTED)
    if name == "nonogram":
        over = [column[:above] for column in zip(*board, strict=True)][left:]
        clues = [
            [_saved_runs(line, file) for line in side]
            for side in ([row[:left] for row in board[above:]], over)
        ]
        return tatham.nonogram(*clues)
    last = rows + 1
    marks = [
        _saved_sums(mark, r, c)
        if name == "kakuro"
        else _saved_height(mark, (r in (0, last)) + (c in (0, last)))
        if name == "skyscrapers"
        else mark.replace("-", EMPTY_CELL)
        for r, row in enumerate(board)
        for c, mark in enumerate(row)
    ]
    return _rows(heading, marks, columns + left)


def _saved_runs(marks: Sequence[str], file: str) -> list[int]:
    """Return the lengths of runs; ``c`` says that the player has ticked one off."""
    runs = [whole_number(mark.lstrip("c")) for mark in marks if mark != EMPTY_CELL]
    if any(run is None or run < 0 for run in runs):
        raise InputError("a run has no length", file, expected=SAVED_EXPECTED)
    return [run for run in runs if run]


def _saved_height(mark: str, borders: int) -> str:
    """Return a mark of a Skyscrapers on so many borders of its frame; heights of the player have no ``q``."""
    return ("." if mark[0] != "q" else mark[1:], mark, "#")[borders]


def _saved_sums(mark: str, r: int, c: int) -> str:
    """Return the sums of a place of a Kakuro, which are to the right and below; in its frame there is one."""
    if mark == EMPTY_CELL and r and c:
        return mark
    across, _, down = mark.partition(",") if r and c else (mark, "", "0") if r else ("0", "", mark)
    shown = ["" if number in ("0", "-1", EMPTY_CELL) else number for number in (down, across)]
    return "\\".join(shown) if any(shown) else "#"


def _kanpen(name: str, problem: str, file: str) -> str:
    """Return what a link of kanpen.net has as the text that pzprjs saves."""
    lines = problem.replace("_", " ").split("/")
    if name == "kakuro":  # the places without a cell: row, column, sums to the right and below
        rows, columns = _size(lines[:2], "rows/columns", file)
        board = [[EMPTY_CELL] * columns for _ in range(rows)]
        for line in filter(None, lines[2:]):
            numbers = [whole_number(word) for word in line.split()]
            match numbers:
                case [int(r), int(c), int(), int()] if 0 <= r < rows and 0 <= c < columns:
                    across, down = line.split()[2:]
                    board[r][c] = f"{across},{down}" if r and c else across if r else down
                case _:
                    raise InputError(f"this is no sum: {quoted(line)}", file, expected="a link of kanpen.net")
        lines = [str(rows - 1), str(columns - 1), *map(" ".join, board)]
    return "/".join([SAVED_START, name, *lines])


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
