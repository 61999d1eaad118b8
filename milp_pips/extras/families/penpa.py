"""Puzzles in links of Penpa+: compressed lines of text, of which the fourth has the drawing as JSON.

The format is that of https://github.com/swaroopg92/penpa-edit (``docs/js/class_p.js``): ``p=`` with base64 of
raw deflate. The first line has the kind of grid and its size, the second the widths of the margins, the
eighteenth the tags of the genre. Cells, and their corners and edges, are numbered by rows on a board with two
more rows and columns at each side; the corners follow the cells.
"""

from __future__ import annotations

import binascii
import re
import zlib
from base64 import b64decode
from collections.abc import Callable, Mapping
from contextlib import suppress
from urllib.parse import unquote

from milp_pips.extras.families.boards import MOST_BOARD_CELLS, board_text, regions_of
from milp_pips.problem.errors import InputError
from milp_pips.puzzles.located import Part, load, quoted
from milp_pips.render.vocabulary import Place

PENPA_HOSTS = ("swaroopg92.github.io", "opt-pan.github.io")
PENPA_DATA, PENPA_GENRE = re.compile(r"[#?&]p=([^&#]+)"), re.compile(r"[#?&]genre=([a-z-]+)")
"""The puzzle; and a tag of our own, since many links have none."""
LONGEST_PENPA = 500_000
"""The longest text of a link. That of a Sudoku has 2,500 bytes."""

PENPA_PARTS = {
    **{"zS": "shading", "zN": "numbers", "z1": "numbers in corners", "zY": "symbols", "zF": "free lines"},
    **{"z2": "free borders", "zT": "thermometers", "z3": "arrows", "zD": "directions", "z0": "frames"},
    **{"z5": "polygons", "zL": "lines", "zE": "borders", "zW": "walls", "zC": "cages"},
    **{"z4": "removed borders", "z6": "killer cages", "z7": "thermometers"},
}
"""What each member of the drawing holds, by its abbreviation in links."""
PENPA_HISTORY = ("zR", "zU", "z8")
PENPA_READ = {
    "sudoku": ("zN", "zE"),
    "skyscrapers": ("zN",),
    "slitherlink": ("zN",),
    "kakuro": ("zY", "z1"),
    "binairo": ("zN", "zY"),
    "star-battle": ("zE", "zN", "zY"),
}
"""What is read for each family; a link with anything else is refused."""
PENPA_TAGS = {"classic": "sudoku", "irregular": "sudoku", "starbattle": "star-battle"}
PENPA_TAGS |= {family: family for family in PENPA_READ}
PLAIN_NUMBERS = ("1", "5", "6", "10")
"""The styles of a number that stands alone in its cell, in four sizes."""
ACROSS_CORNER, DOWN_CORNER = 1, 2
"""The corners of a Kakuro's place that have its sums."""


def text_of(link: str, file: str, named: str | None = None) -> str:
    """Return the puzzle in a link as the text of a file of its family, the ``named`` one if there is one.

    Raises InputError.
    """
    found = PENPA_DATA.search(link)
    if found is None:
        raise InputError("the link contains no puzzle", file, expected="a link with p=…")
    lines = inflated(unquote(found[1]), file).split("\n")
    if len(lines) < 4:
        raise InputError("the link ends too early", file, expected="a whole link")
    kind, *header = lines[0].split(",")
    # The site abbreviates names, and null, by codes without quotation marks, which are no JSON.
    drawing = load(
        re.sub("z[A-Z0-9_]", lambda code: "null" if code[0] == "zO" else f'"{code[0]}"', lines[3]), file
    )
    drawn = [name for name, member in drawing.members().items() if member.value and name not in PENPA_HISTORY]
    tags = [tag.value for tag in load(lines[17], file).elements()] if len(lines) > 17 else []
    families = [tag for tag in [named] if tag] or PENPA_GENRE.findall(link) or tags or [kind]
    for tag in families:
        if tag not in list(PENPA_TAGS):
            fitting = [name for name, read in PENPA_READ.items() if set(drawn) <= set(read)]
            what = f"the link is for a puzzle that is not read: {quoted(str(tag))}"
            if tag == kind:
                what = "the link does not tell the kind of its puzzle"
            these = ", ".join(fitting or PENPA_READ)
            raise InputError(what, file, expected=f"--family, or genre=… before p=…, with one of {these}")
        family = PENPA_TAGS[tag]
    # What is not read must not be dropped: without it the link would be another puzzle.
    for name in drawn:
        if name not in PENPA_READ[family]:
            what = f"the link has {PENPA_PARTS.get(name, quoted(name))}, which are not read for a {family}"
            raise InputError(
                what, file, expected=" and ".join(PENPA_PARTS[one] for one in PENPA_READ[family])
            )
    sudoku_options = header[10:14]
    if kind not in ("square", "sudoku", "kakuro") or sudoku_options != ["0"] * 4:
        raise InputError("the grid is not square, or has options", file, expected="a plain square grid")
    return PENPA_READERS[family](_Grid(header, load(lines[1], file), drawing, file))


def inflated(data: str, file: str) -> str:
    """Return the text of a link. Raises InputError if it is damaged or too long."""
    # With a limit, since a short link may unpack to gigabytes.
    inflater, text = zlib.decompressobj(-15), b""
    with suppress(binascii.Error, zlib.error, ValueError):
        text = inflater.decompress(b64decode(data + "=" * (-len(data) % 4), validate=True), LONGEST_PENPA)
        if inflater.eof:
            return text.decode("utf-8")
    if len(text) == LONGEST_PENPA:
        raise InputError("the link is too long", file, expected=f"at most {LONGEST_PENPA:,} bytes")
    raise InputError("the link cannot be decompressed", file, expected="a link as the site writes it")


class _Grid:
    """The drawing of a link, by the places of the board without its margins."""

    def __init__(self, header: list[str], margins: Part, drawing: Part, file: str):
        self.file, self.drawing = file, drawing
        above, below, left, right = (part.integer(0, 9) for part in margins.elements("4 margins", 4))
        columns, rows = (int(word) if re.fullmatch("[0-9]{1,3}", word) else 0 for word in header[:2])
        self.rows, self.columns = rows - above - below, columns - left - right
        self._width, self._height, self._origin = columns + 4, rows + 4, (above + 2, left + 2)
        if min(self.rows, self.columns) < 1 or rows * columns > MOST_BOARD_CELLS:
            what = f"the board has {self.rows} rows of {self.columns} cells"
            raise InputError(what, file, expected=f"1 to {MOST_BOARD_CELLS:,} cells")

    def place(self, number: str, corner: bool = False) -> Place:
        """Return the place of a cell, or of the cell above and to the left of a corner."""
        size = self._width * self._height
        at = int(number) - size * corner if re.fullmatch("[0-9]{1,6}", number) else -1
        if not 0 <= at < size:
            raise self.fault(f"{quoted(number)} is not a place of the board")
        r, c = divmod(at, self._width)
        return r - self._origin[0], c - self._origin[1]

    def fault(self, what: str) -> InputError:
        return InputError(what, self.file, expected="a link as the site writes it")

    def members(self, name: str) -> Mapping[str, Part]:
        """Return the members of a part of the drawing by their place."""
        part = self.drawing.optional(name)
        return part.members() if part is not None else {}

    def numbers(self) -> dict[Place, str]:
        """Return the number in each cell."""
        found = {}
        for number, part in self.members("zN").items():
            value, _, style = part.elements("a number, its colour and its style", 3)
            if str(style.value) not in PLAIN_NUMBERS or not re.fullmatch("[0-9]{1,3}", str(value.value)):
                raise value.fault(f"the cell has {value.shown}", "a number alone")
            found[self.place(number)] = str(value.value)
        return found

    def symbols(self, *names: str) -> dict[Place, int]:
        """Return the style of the symbol in each cell. Raises InputError for one with another name."""
        found = {}
        for number, part in self.members("zY").items():
            style, name, _ = part.elements("a style, a name and a layer", 3)
            if name.value not in names:
                raise name.fault(f"the symbol is {name.shown}", " or ".join(names))
            found[self.place(number)] = style.integer(0, 99)
        return found

    def text(self, heading: str, marks: Mapping[Place, str], frame: int = 0) -> str:
        """Return the text of a file with these marks; ``frame`` is the width of a frame around the board."""
        rows, columns = range(-frame, self.rows + frame), range(-frame, self.columns + frame)
        if outside := [place for place in marks if place[0] not in rows or place[1] not in columns]:
            raise self.fault(f"there is a mark outside the board, in row {outside[0][0] + 1}")
        return board_text(heading, marks, rows, columns)

    def regions(self) -> dict[Place, str]:
        """Return the number of the region of each cell, as the borders divide the board."""
        walls: set[tuple[Place, Place]] = set()
        for edge in self.members("zE"):
            (a, b), (r, c) = sorted(self.place(number, corner=True) for number in f"{edge},".split(",")[:2])
            if (r - a, c - b) not in ((0, 1), (1, 0)):
                raise self.fault(f"{quoted(edge)} is not a border between two cells")
            walls.add(((r, c), (r + (a == r), c + (b == c))))
        return regions_of(walls, self.rows, self.columns)


def _sudoku(grid: _Grid) -> str:
    """Read the givens, and regions if borders divide the board."""
    if grid.rows != grid.columns:
        raise grid.fault(f"the Sudoku has {grid.rows} rows of {grid.columns} cells")
    text, regions = grid.text("sudoku", grid.numbers()), grid.regions()
    return text + grid.text("regions", regions) if len(set(regions.values())) > 1 else text


def _star_battle(grid: _Grid) -> str:
    """Read the regions, and the number of stars: the site writes it into the margin, before a star."""
    regions, numbers = grid.regions(), grid.numbers()
    if len(numbers) != 1 or regions.keys() & {*numbers, *grid.symbols("star")}:
        what = "the number of stars is not in the margin, or something else is drawn"
        raise InputError(what, grid.file, expected="one number outside the board, and no star on it")
    return grid.text(f"star-battle {next(iter(numbers.values()))}", regions)


def _skyscrapers(grid: _Grid) -> str:
    corners = {(r, c): "#" for r in (-1, grid.rows) for c in (-1, grid.columns)}
    return grid.text("skyscrapers", {**grid.numbers(), **corners}, frame=1)


def _kakuro(grid: _Grid) -> str:
    """Read places without a cell, which have a symbol, and their sums, which stand in their corners."""
    sums: dict[Place, dict[int, str]] = {place: {} for place in grid.symbols("kakuro")}
    for number, part in grid.members("z1").items():
        value = part.elements("a number and its colour", 2)[0]
        quarter = int(number) if re.fullmatch("[0-9]{1,6}", number) else 0
        place, corner = grid.place(str(quarter // 4), corner=True), quarter % 4
        if (
            place not in sums
            or corner not in (ACROSS_CORNER, DOWN_CORNER)
            or not re.fullmatch("[0-9]{1,2}", str(value.value))
        ):
            raise value.fault(f"the sum is {value.shown}", "a number in a place without a cell")
        sums[place][corner] = str(value.value)
    marks = {
        place: f"{two.get(DOWN_CORNER, '')}\\{two.get(ACROSS_CORNER, '')}" if two else "#"
        for place, two in sums.items()
    }
    return grid.text("kakuro", marks)


def _binairo(grid: _Grid) -> str:
    """Read circles, of which white ones, 1, are read as 0 and black ones, 2, as 1."""
    marks = {
        place: str(style - 1) for place, style in grid.symbols("circle_S", "circle_M", "circle_L").items()
    }
    return grid.text("binairo", {**grid.numbers(), **marks})


PENPA_READERS: Mapping[str, Callable[[_Grid], str]] = {
    "sudoku": _sudoku,
    "skyscrapers": _skyscrapers,
    "slitherlink": lambda grid: grid.text("slitherlink", grid.numbers()),
    "kakuro": _kakuro,
    "binairo": _binairo,
    "star-battle": _star_battle,
}
