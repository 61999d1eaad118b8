"""Steps on the board: what is known stands in it, the cells are marked, the puzzle stays what it is."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from test_reason_words import ROOT, example

import milp_pips
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import GroupedProblem, group_constraints
from milp_pips.extras.explain.views.svg import mark
from milp_pips.render.svg import to_svg
from milp_pips.render.text import to_text
from milp_pips.render.vocabulary import Graph, Grid, Mark

DRAWN = {
    "ring": ("pips/ring.json", ["region C"], "g=6 b=1 c=1 c-d g-h", "h=2", "i=2 j≠15 k≠1"),
    "colours": ("colour_grid/colour_grid.txt", ["row 1"], "r3c1=2", "r1c2=0", "r1c1=0 r1c4=2 r1c3≠0"),
}
"""Steps made by hand, so that the pictures stay what they are: rules, known facts, needed ones, new ones."""


def facts(soft: GroupedProblem, words: str) -> list[Fact]:
    """Facts written ``r1c2=4``, ``r1c2≠03`` and, of dominoes, ``r1c1-r1c2`` or ``!r1c1-r1c2``."""
    names = [variable.name for variable in soft.variables]
    found = []
    for word in words.split():
        if "-" in word:
            one, other = (names.index(name) for name in word.lstrip("!").split("-"))
            one, other = min(one, other), max(one, other)
            found.append(Fact(names.index(f"partner of {names[one]}"), other, not word.startswith("!")))
        else:
            name, sign, values = re.split("([=≠])", word)
            found += [Fact(names.index(name), int(value), sign == "=") for value in values]
    return found


@pytest.mark.parametrize("name", DRAWN)
def test_golden_pictures_of_steps(name, golden) -> None:
    file, rules, known, needed, new = DRAWN[name]
    puzzle = milp_pips.read(ROOT / "examples" / file)
    soft = group_constraints(milp_pips.state(puzzle))
    items = [item for item in soft.items if item.label.partition(":")[0] in rules]
    assert items
    needed = facts(soft, needed)
    drawing = mark(puzzle, soft, [*facts(soft, known), *needed], items, needed, facts(soft, new))
    golden(f"reason-{name}.txt", to_text(drawing))
    golden(f"reason-{name}.svg", to_svg(drawing))


@pytest.mark.parametrize(
    "name",
    [
        *("pips/easy.txt", "pips/medium.txt", "pips/ring.json", "colour_grid/colour_grid.txt"),
        pytest.param("pips/cube.json", marks=pytest.mark.long),
    ],
)
def test_what_is_known_is_on_the_board_and_what_is_new_stands_out(name) -> None:
    puzzle, soft, steps = example(name)
    bare = milp_pips.draw(puzzle)
    known: list[Fact] = []
    for step in steps:
        drawing = mark(puzzle, soft, known, step.items, step.facts, step.conclusions)
        on_board = drawing.board.squares if isinstance(drawing.board, Grid) else drawing.board.nodes
        before = bare.board.squares if isinstance(bare.board, Grid) else bare.board.nodes
        for v, key in drawing.places.items():
            values = {value for w, value, holds in (*known, *step.conclusions) if w == v and holds}
            if values:
                assert on_board[key].text == soft.problem.written(values.pop())
            assert on_board[key].corner == before[key].corner
            if any(fact.variable == v for fact in step.conclusions):
                assert on_board[key].mark is Mark.NEW
                assert on_board[key].text
            elif any(v in item.piece.variables for item in step.items if item.kind == "rule"):
                assert on_board[key].mark >= Mark.SEEN
        if isinstance(drawing.board, Grid):
            assert drawing.board.walls == bare.board.walls
        else:
            assert isinstance(drawing.board, Graph)
            assert drawing.board.links == bare.board.links
        assert drawing.notes == bare.notes
        assert drawing.tray == bare.tray
        known += step.conclusions
    laid = [fact for fact in known if fact.variable not in drawing.places and fact.holds]
    assert len(drawing.board.tiles) == len(laid)


def test_every_step_is_drawn_in_every_way() -> None:
    for name in ("sudoku/letters.txt", "colour_grid/expressions.txt", "pips/repeated.txt"):
        puzzle, soft, steps = example(name)
        for step in islice(steps, 0, None, 7):
            drawing = mark(puzzle, soft, (), step.items, step.facts, step.conclusions)
            assert "[" in to_text(drawing)
            to_text(drawing, unicode=False, colour=True).encode("ascii")
            assert to_svg(drawing).count("<rect") > to_svg(milp_pips.draw(puzzle)).count("<rect")
