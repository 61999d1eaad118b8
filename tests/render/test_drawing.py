from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterable
from itertools import product
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milp_pips.render.colours import shade
from milp_pips.render.svg import to_svg
from milp_pips.render.text import junction, terminal_style, to_text
from milp_pips.render.vocabulary import (
    GREY,
    PALETTE,
    Branch,
    Drawing,
    Graph,
    Grid,
    Line,
    Link,
    Mark,
    Node,
    Note,
    Square,
    Tray,
    Tree,
    borders,
    draw_squares,
    fill_in,
    neighbours,
)

SVG = "{http://www.w3.org/2000/svg}"

# ---------------------------------------------------------------------------------------------- samples

INKS = {"R": "#d9574c", "G": "#58a168", "B": "#4a7ccf"}


def skyscrapers() -> Drawing:
    """Clues on all four sides, with different numbers of items, and with a wide item."""
    squares = {p: Square({(1, 2): "4", (3, 0): "2"}.get(p, "")) for p in product(range(4), repeat=2)}

    def clues(*items: str) -> dict[int, tuple[Square, ...]]:
        return {
            number: tuple(Square(text, fill=INKS.get(text, "")) for text in words.split())
            for number, words in enumerate(items)
            if words
        }

    board = Grid(
        squares,
        left=clues("3", "", "R 1 2", "12"),
        right=clues("1", "2 G", "", "2 1 B"),
        above=clues("2", "1 R 4", "", "3"),
        below=clues("", "2", "G 1", "≥12 B"),
    )
    return Drawing("Skyscrapers", board, (Note("heights", ("1", "2", "3", "4")),))


def tiles() -> Drawing:
    """Pieces of one, two and three squares, and a square under no piece, on a board with a hole."""
    squares = {p: Square(str(p[0] + p[1])) for p in product(range(3), range(3)) if p != (1, 1)}
    board = Grid(squares, line=Line.FAINT, tiles=(((0, 0), (0, 1)), ((2, 2), (1, 2), (2, 1)), ((1, 0),)))
    return Drawing("Pieces", board, (), Tray("beside", (("1", "2"), ("3", "4", "5"))))


def bridges() -> Drawing:
    keys = ["a", "b", "c", "π", "lonely"]
    at = {"a": (0, 0), "b": (1, 0), "c": (1, 1), "π": (0, 1), "lonely": (2, 0.5)}
    nodes = {
        k: Node(*at[k], name=k, text="7" if k == "c" else "", fills=(PALETTE[0], PALETTE[1])) for k in keys
    }
    links = (Link("a", "b"), Link("b", "c", Line.THICK, "#aa3333"), Link("c", "π", Line.FAINT))
    return Drawing("Bridges", Graph(nodes, links), (Note("≠", ("a", "b"), PALETTE[0]), Note("", ("free",))))


def marked() -> Drawing:
    """Marks on squares with and without text, a tile across a thick wall, one within."""
    texts = {(0, 0): "5", (0, 1): "≠25", (1, 2): "6"}
    marks = {(0, 0): Mark.SEEN, (0, 1): Mark.NEW, (0, 2): Mark.SEEN, (1, 0): Mark.NEW, (1, 2): Mark.SEEN}
    region = {place: place[1] // 2 for place in product(range(2), range(4))}
    fills = {place: PALETTE[number] for place, number in region.items()}
    corners = {(0, 0): "11", (0, 2): "≤3"}
    squares = {
        p: Square(texts.get(p, ""), corners.get(p, ""), fills[p], mark=marks.get(p, Mark.NONE))
        for p in region
    }
    tiles = (((0, 1), (0, 2)), ((1, 2), (1, 3)))
    return Drawing("Marks", Grid(squares, walls=borders(region, within=Line.FAINT), tiles=tiles))


def signs() -> Drawing:
    """Signs on walls of every weight, within a tile and a cage, and beside a square that is not there."""
    squares = {
        p: Square(str(sum(p)), fill=PALETTE[0] if p == (0, 0) else "") for p in product(range(3), range(3))
    }
    say = {
        ((0, 0), (0, 1)): "<",
        ((0, 1), (0, 2)): ">",
        ((0, 0), (1, 0)): "^",
        ((0, 2), (1, 2)): "v",
        ((1, 0), (1, 1)): "●",
        ((1, 1), (2, 1)): "○",
        ((2, 0), (2, 1)): "×",
        ((2, 1), (2, 2)): "too long",
    }
    walls = {((0, 0), (0, 1)): Line.THICK, ((0, 2), (1, 2)): Line.NONE}
    board = Grid(squares, walls=walls, tiles=(((1, 0), (1, 1)),), cages=(((1, 1), (2, 1)),), signs=say)
    return Drawing("Signs", board, places=dict(enumerate(squares)))


def shares() -> Drawing:
    """Squares with small texts in them, and what holds two together."""
    many = tuple((str(a), shade(a / 6)) for a in range(7))
    squares = {(0, 0): Square("6 99%", candidates=many), (0, 1): Square("1", fill=shade(1))}
    squares[1, 0] = Square("x 50%", fill=shade(0.5), candidates=(("x", shade(0.5)), ("", shade(0))))
    return Drawing("Shares", Grid(squares, bonds={((0, 0), (0, 1)): 1.0, ((0, 0), (1, 0)): 0.25}))


def tree() -> Drawing:
    """A root with two children, the second of which has two of its own; one holds a small board."""
    nodes = (
        Branch(None, "", "root", ("a line", "and another"), board=shares().board),
        Branch(0, "a = 1", "left", ("done",), "#bfe3a2"),
        Branch(0, "a ≠ 1", "right", fill=GREY),
        Branch(2, "b < 2 & c", "right left"),
        Branch(2, "what stands at a link may be a good deal longer than a node is wide", "", ()),
        Branch(None, "", "another root"),
    )
    return Drawing("A tree", Tree(nodes), (Note("done", ("nothing is left",), "#bfe3a2"),))


SAMPLES = {
    "signs": signs(),
    "skyscrapers": skyscrapers(),
    "tiles": tiles(),
    "shares": shares(),
    "tree": tree(),
    "bridges": bridges(),
    "marked": marked(),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_golden_pictures(name, golden):
    golden(f"drawing-{name}.txt", to_text(SAMPLES[name]))
    golden(f"drawing-{name}.svg", to_svg(SAMPLES[name]))


def test_golden_colours_and_ascii(golden):
    golden("drawing-skyscrapers-colour.txt", to_text(skyscrapers(), colour=True))
    golden("drawing-skyscrapers-ascii.txt", to_text(skyscrapers(), unicode=False))


# ------------------------------------------------------------------------------------------- characters

ARMS = ("UP", "RIGHT", "DOWN", "LEFT")
AXES = {"VERTICAL": ("UP", "DOWN"), "HORIZONTAL": ("LEFT", "RIGHT")}


def arms_by_name(character: str) -> tuple[int, ...]:
    """The weights of the four arms (up, right, down, left), read from the character's Unicode name."""
    if character == " ":
        return (0, 0, 0, 0)
    words = unicodedata.name(character).removeprefix("BOX DRAWINGS ").replace(" AND", "").split()
    words = [word for word in words if word not in ("TRIPLE", "DASH")]
    weight_first = words[0] in ("LIGHT", "HEAVY")
    weights, waiting, weight = dict.fromkeys(ARMS, 0), [], 0
    for word in words:
        if word in ("LIGHT", "HEAVY"):
            weight = 1 if word == "LIGHT" else 2
            if not weight_first:
                weights.update(dict.fromkeys(waiting, weight))
                waiting = []
        elif weight_first:
            weights.update(dict.fromkeys(AXES.get(word, (word,)), weight))
        else:
            waiting += AXES.get(word, (word,))
    return tuple(weights[arm] for arm in ARMS)


def test_every_junction_is_the_character_with_these_arms():
    for weights in product(range(3), repeat=4):
        assert arms_by_name(junction(*weights, unicode=True)) == weights


LINES = st.sampled_from(Line)
PLACES = st.tuples(st.integers(-2, 3), st.integers(0, 4))


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    places = sorted(draw(st.sets(PLACES, min_size=1)))
    texts = st.sampled_from(["", "1", "22", "≥12"])
    fills, strong = st.sampled_from(["", *PALETTE]), st.booleans()
    squares = {p: Square(draw(texts), draw(texts), draw(fills), draw(strong)) for p in places}
    walls = {
        (min(p, q), max(p, q)): draw(LINES) for p in places for q in neighbours(p) if draw(st.booleans())
    }
    pairs = [(p, q) for p in places for q in neighbours(p) if q in squares]
    chosen = tuple([draw(st.sampled_from(pairs))] if pairs else [])
    grid = Grid(squares, draw(LINES), walls, chosen, chosen if draw(st.booleans()) else ())
    rows, columns = clues(grid.rows), clues(grid.columns)
    return grid._replace(left=draw(rows), right=draw(rows), above=draw(columns), below=draw(columns))


def clues(numbers: range) -> st.SearchStrategy[dict[int, tuple[Square, ...]]]:
    texts, fills = st.sampled_from(["1", "22", "≥12"]), st.sampled_from(["", *PALETTE])
    items = st.tuples(texts, fills).map(lambda item: Square(item[0], fill=item[1]))
    return st.dictionaries(st.sampled_from(numbers), st.lists(items, max_size=3).map(tuple), max_size=3)


def words_of(items: Iterable[Square]) -> list[str]:
    return [item.text for item in items]


@given(grids())
def test_ascii_is_ascii_and_has_as_many_lines(grid):
    drawing = Drawing("", grid)
    text = to_text(drawing, unicode=False)
    assert text.isascii()
    assert len(text.splitlines()) == len(to_text(drawing).splitlines())


@given(grids())
def test_colours_change_nothing_but_colours(grid):
    drawing = Drawing("", grid, (Note("=", ("a",), PALETTE[0]),))
    bare = re.sub("\x1b\\[[0-9;]*m", "", to_text(drawing, colour=True))
    assert [line.rstrip() for line in bare.splitlines()] == to_text(drawing).splitlines()


def test_marks_are_seen_without_colour_and_change_nothing_else():
    text = to_text(marked(), unicode=False)
    assert text.splitlines()[1] == "#11   (5)  |    [!=25]:<=3  ( )  |          #"
    bare = marked().board
    plain = {place: square._replace(mark=Mark.NONE) for place, square in bare.squares.items()}
    unmarked = parsed(Drawing("Marks", bare._replace(squares=plain)))
    rings = len(list(parsed(marked()).iter(f"{SVG}rect"))) - len(list(unmarked.iter(f"{SVG}rect")))
    assert rings == 5


def test_a_graph_is_told_by_its_tiles_values_and_links():
    nodes = {k: Node(0, 0, k.upper(), text=t) for k, t in (("a", "1"), ("b", "2"), ("c", "3"), ("d", ""))}
    links = (Link("a", "b"), Link("b", "c"))
    tiled = to_text(Drawing("", Graph(nodes, links, (("b", "a"),))))
    assert tiled == "B─A  2|1\n\nvalues: C=3\n"
    bare = to_text(Drawing("", Graph(nodes, links)), unicode=False)
    assert bare == "values: A=1 B=2 C=3\nlinks : A-B B-C D\n"


def test_names_that_ascii_cannot_spell_stay_distinct():
    nodes = {k: Node(0, 0, k, text="1") for k in ("é", "e", "π", "x≤1\x1b[2J")}
    text = to_text(Drawing("", Graph(nodes)), unicode=False)
    assert text == "values: \\xe9=1 e=1 pi=1 x<=1\\ufffd[2J=1\n"


def test_nothing_drawn_is_no_text_and_valid_svg():
    for board in (Grid({}), Graph({})):
        assert to_text(Drawing("", board)) == ""
        ElementTree.fromstring(to_svg(Drawing("", board)))


# ------------------------------------------------------------------------------------- squares by variable


def test_squares_by_variable_stand_alone_on_a_board_of_squares():
    """Nothing of the puzzle is left: no walls, no clues, no corners, no pieces, no notes."""
    squares = {p: Square("9", "8", GREY) for p in product(range(2), range(2))}
    walls = borders({p: p[1] for p in squares})
    clues = {0: (Square("7"),)}
    board = Grid(squares, Line.FAINT, walls, (((0, 0), (0, 1)),), (), clues, clues, right=clues, below=clues)
    places = {4: (0, 0), 2: (1, 1), 7: (1, 0)}
    drawing = Drawing("Numbers", board, (Note("", ("words",)),), Tray("", (("1",),)), places)
    shown = draw_squares(drawing, {4: Square("a", fill=PALETTE[0]), 2: Square("b"), 99: Square("unseen")})
    assert (shown.title, shown.places) == ("Numbers", places)
    assert to_text(shown) == "┌───┐\n│ a │\n└───┼───┐\n    │ b │\n    └───┘\n"
    assert [rect.attrib["fill"] for rect in parsed(shown).iter(f"{SVG}rect")] == [PALETTE[0], "#ffffff"]


# ------------------------------------------------------------------------------------------------ streams


class Terminal(io.StringIO):
    def __init__(self, encoding="utf-8", tty=True):
        super().__init__()
        self._encoding, self._tty = encoding, tty

    @property
    def encoding(self):
        return self._encoding

    def isatty(self):
        return self._tty


@pytest.mark.parametrize(
    "stream, environment, style",
    [
        (Terminal(), {}, (True, True)),
        (Terminal(), {"NO_COLOR": "1"}, (True, False)),
        (Terminal(), {"NO_COLOR": ""}, (True, True)),
        (Terminal(), {"TERM": "dumb"}, (True, False)),
        (Terminal(tty=False), {}, (True, False)),
        (Terminal("ascii"), {}, (False, True)),
        (Terminal("cp1252", tty=False), {}, (False, False)),
        (Terminal("no such encoding"), {}, (False, True)),
        (io.StringIO(), {}, (True, False)),
    ],
)
def test_terminal_style(stream, environment, style, monkeypatch):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert terminal_style(stream) == style


# ---------------------------------------------------------------------------------------------------- SVG


def parsed(drawing: Drawing) -> ElementTree.Element:
    return ElementTree.fromstring(to_svg(drawing).encode("utf-8"))


@given(st.text(max_size=8), st.text(max_size=8))
def test_svg_is_valid_whatever_the_words(title, word):
    nodes = {1: Node(0, 0, word, word, word, (PALETTE[0],))}
    grid = Grid({(0, 0): Square(word, word)}, left={0: (Square(word),)})
    for board in (Graph(nodes), grid):
        root = parsed(Drawing(title, board, (Note(word, (word,), GREY),), Tray(word, ((word, word),))))
        shown = root.findtext(f"{SVG}title") or ""
        assert len(shown) == len(title)
        assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in shown)


def test_svg_escapes_labels():
    root = parsed(Drawing('<a> & "b"', Graph({0: Node(0, 0, "<5 & more")})))
    assert root.findtext(f"{SVG}title") == '<a> & "b"'
    assert [text.text for text in root.iter(f"{SVG}text")] == ["<5 & more"]


@given(grids())
def test_svg_shows_every_text_and_stays_inside_its_view_box(grid):
    root = parsed(Drawing("", grid, (), Tray("tray", (("1", "2"),) * 9)))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    wanted = [t for s in grid.squares.values() for t in (s.corner, s.text) if t] + ["tray"] + ["1", "2"] * 9
    sides = (grid.left, grid.right, grid.above, grid.below)
    wanted += [text for clues in sides for items in clues.values() for text in words_of(items)]
    assert sorted(texts) == sorted(wanted)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for group in root.iter(f"{SVG}g"):
        left, top = map(float, re.findall(r"[-\d.]+", group.attrib["transform"]))
        for rect in group.iter(f"{SVG}rect"):
            x, y, w, h = (float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
            assert left + x >= 0
            assert top + y >= 0
            assert left + x + w <= width
            assert top + y + h <= height


# ------------------------------------------------------------------------------------------------- import


def test_a_tree_has_no_squares():
    for change in (lambda: fill_in(tree(), {(0, 0): "1"}), lambda: draw_squares(tree(), {0: Square("1")})):
        with pytest.raises(TypeError, match="a tree has no squares"):
            change()
