"""What a notebook meets shows itself: as a picture, and as text."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

import milp_pips
from milp_pips.extras.bench.report import Report
from milp_pips.puzzles.pips.puzzle import Layout
from milp_pips.render.svg import to_svg
from milp_pips.render.text import to_text

EXAMPLES = Path(__file__).parents[2] / "examples"
SEVERAL = milp_pips.read(EXAMPLES / "pips" / "several.txt")
OF_EACH_FAMILY = [
    SEVERAL,
    milp_pips.read(EXAMPLES / "sudoku" / "jigsaw.txt"),
    milp_pips.read(EXAMPLES / "colour_grid" / "colour_grid.txt"),
]


class Printer:
    """IPython's, as far as it is needed."""

    def __init__(self) -> None:
        self.written = ""

    def text(self, text: str) -> None:
        self.written += text


def shown(thing) -> str:
    """The text that IPython shows: the first class that defines one of the two methods decides."""
    for cls in type(thing).__mro__:
        if "_repr_pretty_" in vars(cls):
            printer = Printer()
            thing._repr_pretty_(printer, False)
            return printer.written
        if "__repr__" in vars(cls):
            break
    return repr(thing)


@pytest.mark.parametrize("puzzle", OF_EACH_FAMILY, ids=lambda puzzle: puzzle.family)
def test_puzzles_and_listed_solutions_draw_themselves(puzzle):
    bare = milp_pips.draw(puzzle)
    assert puzzle._repr_svg_() == bare._repr_svg_() == to_svg(bare)
    assert str(puzzle) == shown(puzzle) == str(bare) == shown(bare) == to_text(bare)
    listed = milp_pips.solutions(puzzle)
    assert "0 solutions so far" in repr(listed)
    solution = next(listed)
    assert solution._repr_svg_() == to_svg(milp_pips.draw(puzzle, solution))
    assert pickle.loads(pickle.dumps(solution)) == solution
    list(listed)
    assert "complete" in repr(listed)
    assert "complete" in shown(listed.summary)


def test_a_layout_that_does_not_know_its_puzzle_is_not_drawn():
    assert Layout({})._repr_svg_() is None


def test_solutions_by_rows_are_still_tuples():
    for puzzle in OF_EACH_FAMILY[1:]:
        solution = milp_pips.solve(puzzle).solution
        assert solution == tuple(solution)
        assert hash(solution) == hash(tuple(solution))
        assert repr(solution) == repr(tuple(solution))


def test_a_count_draws_its_heat_map_if_the_cells_were_counted():
    assert milp_pips.count(SEVERAL)._repr_svg_() is None
    counted = milp_pips.count(SEVERAL, cells=True)
    assert counted._repr_svg_() == to_svg(counted.drawing())
    assert shown(counted).startswith("several: 56 placements and 56 grids")


def test_a_new_puzzle_draws_itself():
    new = next(iter(milp_pips.generate("pips", dominoes=4)))
    assert new._repr_svg_() == new.puzzle._repr_svg_()
    assert shown(new) == str(new) == str(new.puzzle).rstrip("\n")


def test_results_and_ratings_are_told_as_text():
    for thing in (
        milp_pips.solve(SEVERAL),
        milp_pips.explain(SEVERAL),
        milp_pips.hint(SEVERAL),
        milp_pips.rate(SEVERAL),
    ):
        assert shown(thing) == str(thing)


def test_a_model_tells_its_size_and_its_families():
    model = milp_pips.formulate(milp_pips.state(SEVERAL), "implication")
    size = model.size
    text = str(model)
    assert text.startswith(f"implication: {size['columns']} columns, {size['rows']} rows, {size['nonzeros']}")
    _, *families = text.splitlines()
    told = {what: re.findall(r"(\d+) (\w+)", line) for what, line in (f.split(": ") for f in families)}
    assert {name for found in told.values() for _, name in found} >= {
        *("place", "value", "cover", "use", "link", "region")
    }
    for what, found in told.items():
        assert sum(int(n) for n, _ in found) == size[what]
    assert shown(model) == text


def test_spaces_and_reports_are_told_in_a_line_and_in_markdown():
    assert repr(milp_pips.compile(SEVERAL)).startswith("<SolutionSet: 56 solutions, ")
    report = Report("# What came of it", {})
    assert report._repr_markdown_() == str(report) == "# What came of it"
