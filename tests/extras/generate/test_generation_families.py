"""New colour grids and Sudokus: as asked for, unique, the same from the same seed."""

from __future__ import annotations

from itertools import groupby, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thoroughness import examples

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.generate.generate import generating_families, generating_family
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles import family as families
from milp_pips.puzzles.colour_grid.puzzle import Stretches
from milp_pips.puzzles.family import family_of


def colourings(puzzle) -> set[tuple[str, ...]]:
    """All fillings of a small grid by trying all of them; its clues are stretches alone."""

    def row_fits(row, clue):
        return "".join(letter for letter, _ in groupby(row)) == clue.letters

    width = len(puzzle.columns)
    rows = [
        [row for row in map("".join, product(puzzle.letters, repeat=width)) if row_fits(row, clue)]
        for clue in puzzle.rows
    ]
    return {
        filling
        for filling in product(*rows)
        if all(row_fits([row[c] for row in filling], clue) for c, clue in enumerate(puzzle.columns))
    }


def fillings(givens, units) -> int:
    """The number of ways to fill a Sudoku, by plain backtracking cell by cell."""
    size = len(givens)
    open_cells = [(r, c) for r in range(size) for c in range(size) if not givens[r][c]]
    shown = {(r, c): givens[r][c] for r in range(size) for c in range(size) if givens[r][c]}

    def ways() -> int:
        best = None
        for cell in open_cells:
            if cell not in shown:
                near = {shown.get(other) for unit in units if cell in unit for other in unit}
                choices = [s for s in map(str, range(1, size + 1)) if s not in near]
                if best is None or len(choices) < len(best[1]):
                    best = cell, choices
        if best is None:
            return 1
        total = 0
        for symbol in best[1]:
            shown[best[0]] = symbol
            total += ways()
            del shown[best[0]]
        return total

    return ways()


@examples(8)
@given(
    height=st.integers(1, 4), width=st.integers(1, 4), colours=st.integers(2, 3), seed=st.integers(0, 10**6)
)
def test_unique_colour_grids_as_brute_force_says(height, width, colours, seed):
    (made,) = milp_pips.generate(
        "colour-grid", size=f"{height}x{width}", colours=colours, seed=seed, unique=True
    )
    puzzle = made.puzzle
    assert (len(puzzle.rows), len(puzzle.columns), len(puzzle.colours)) == (height, width, colours)
    assert all(isinstance(clue, Stretches) for clue in puzzle.rows + puzzle.columns)
    assert colourings(puzzle) == {made.hidden}


@pytest.mark.long
def test_colour_grids_with_expressions_are_unique_says_an_engine():
    for made in milp_pips.generate("colour-grid", size=7, clues="expressions", unique=True, count=1, seed=4):
        assert made.solutions == 1
        listed = milp_pips.solutions(made.puzzle, solver="cp-sat")
        assert list(listed) == [made.hidden]
        assert listed.summary.complete


def test_whatever_is_asked_of_colour_grids_and_sudokus_is_honoured():
    @settings(examples(5, 500), suppress_health_check=list(HealthCheck))
    @given(
        height=st.integers(1, 9),
        width=st.integers(1, 9),
        colours=st.integers(2, 8),
        seed=st.integers(0, 10**6),
    )
    def colour_grid(height, width, colours, seed):
        size = f"{height}x{width}"
        (made,) = milp_pips.generate("colour-grid", size=size, colours=colours, seed=seed)
        assert family_of(made.puzzle).check(made.puzzle, made.hidden) is None
        assert (len(made.hidden), {len(row) for row in made.hidden}) == (height, {width})
        (again,) = milp_pips.read_text(_text("colour-grid", made)).values()
        assert family_of(again).check(again, made.hidden) is None

    @settings(examples(4, 500), suppress_health_check=list(HealthCheck))
    @given(
        size=st.integers(2, 9),
        regions=st.sampled_from(("boxes", "jigsaw")),
        givens=st.integers(0, 4),
        seed=st.integers(0, 10**6),
    )
    def sudoku(size, regions, givens, seed):
        size = min(size, 7) if regions == "jigsaw" else size
        least = givens * size * size // 4
        (made,) = milp_pips.generate("sudoku", size=size, regions=regions, givens=least, seed=seed)
        puzzle = made.puzzle
        assert family_of(puzzle).check(puzzle, made.hidden) is None
        assert puzzle.size == size
        assert sum(bool(symbol) for row in puzzle.givens for symbol in row) >= least
        lines = [[(r, c) for c in range(size)] for r in range(size)]
        units = [*lines, *map(list, zip(*lines, strict=True)), *(list(r.cells) for r in puzzle.regions)]
        assert fillings(puzzle.givens, units) == 1
        (again,) = milp_pips.read_text(_text("sudoku", made)).values()
        assert again.published == made.hidden

    colour_grid()
    sudoku()


def _text(family: str, made) -> str:
    return generating_family(family).formats()["text"].write(made.puzzle)


@pytest.mark.long
def test_a_jigsaw_of_nine_is_unique_says_an_engine():
    (made,) = milp_pips.generate("sudoku", regions="jigsaw", unique=True, seed=4)
    assert made.solutions == 1
    assert {len(region.cells) for region in made.puzzle.regions} == {9}
    listed = milp_pips.solutions(made.puzzle, solver="cp-sat")
    assert list(listed) == [made.hidden]
    assert listed.summary.complete


@pytest.mark.parametrize(
    "size, asked, givens", [(17, {}, 127), (25, {}, 275), (36, {"givens": 648}, 648), (64, {"givens": 0}, 0)]
)
def test_large_sudokus_have_a_solution_and_as_many_givens_as_asked_for(size, asked, givens):
    (made,) = milp_pips.generate("sudoku", size=size, seed=2, **asked)
    puzzle = made.puzzle
    assert sum(bool(symbol) for row in puzzle.givens for symbol in row) == givens
    assert all(
        given in ("", shown)
        for rows in zip(puzzle.givens, made.hidden, strict=True)
        for given, shown in zip(*rows, strict=True)
    )
    symbols = {str(n) for n in range(1, size + 1)}
    lines = [*made.hidden, *zip(*made.hidden, strict=True)]
    lines += [[made.hidden[r][c] for r, c in region.cells] for region in puzzle.regions]
    assert len(lines) == (2 if size == 17 else 3) * size
    assert all(set(line) == symbols and len(line) == size for line in lines)
    (again,) = milp_pips.read_text(_text("sudoku", made)).values()
    assert (again.givens, again.published) == (puzzle.givens, made.hidden)


@pytest.mark.parametrize("family", ["sudoku", "colour-grid"])
def test_the_same_seed_gives_the_same_puzzle(family, tmp_path, golden):
    for run in ("1", "2"):
        words = ["--family", family, "--unique", "--size", "6", "--seed", "9", "--out", str(tmp_path / run)]
        assert main(["generate", *words]) == 0
    first, second = ((tmp_path / run / f"{family}-9-001.txt").read_text() for run in ("1", "2"))
    assert first == second
    golden(f"generated_{family.replace('-', '_')}.txt", first)


@pytest.mark.parametrize(
    "words, message",
    [
        ("sudoku --size 65", "--size: '65' is not a whole number from 2 to 64"),
        ("sudoku --size 11 --regions jigsaw", "--size: a jigsaw Sudoku is made with at most 10 rows, not 11"),
        ("sudoku --regions stars", "--regions: 'stars' is not one of boxes, jigsaw"),
        ("sudoku --size 4 --givens 17", "17 givens, but the board has 16 cells"),
        ("sudoku --colours 3", "--colours is not an option of sudoku; known: --size, --regions, --givens"),
        (
            "colour-grid --size 4x5x6",
            "--size: '4x5x6' is not a number of rows up to 60 such as 6, nor a size",
        ),
        (
            "colour-grid --size 0",
            "--size: '0' is not a number of rows up to 60 such as 6, nor a size such as 5x8",
        ),
        ("colour-grid --colours 9", "--colours: '9' is not a whole number from 2 to 8"),
        ("colour-grid --clues sums", "--clues: 'sums' is not one of stretches, expressions"),
        ("colour-grid --format times", "unknown format 'times'; known: text"),
    ],
)
def test_requests_that_make_no_sense_get_one_line(capsys, words, message):
    assert main(["generate", "--family", *words.split()]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"milp-pips: {message}")


def test_a_family_that_makes_no_puzzles_is_not_offered(monkeypatch):
    monkeypatch.setitem(families.FAMILIES, "silent", "outside.coin_puzzles:FAMILY")
    assert list(generating_families()) == ["pips", "sudoku", "colour-grid"]


def test_chance_is_fair_and_decided_by_its_seed():
    rng, again = RandomGenerator("x"), RandomGenerator("x")
    drawn = [rng.integer_between(1, 6) for _ in range(6000)]
    assert drawn == [again.integer_between(1, 6) for _ in range(6000)]
    assert all(850 < drawn.count(face) < 1150 for face in range(1, 7))
    orders = [tuple(rng.shuffled("abc")) for _ in range(6000)]
    assert all(850 < orders.count(order) < 1150 for order in set(orders))
    assert len(set(orders)) == 6
    weighed = [rng.weighted_choice({"a": 1, "b": 0, "c": 3}) for _ in range(4000)]
    assert weighed.count("b") == 0
    assert 2800 < weighed.count("c") < 3200
    with pytest.raises(IndexError):
        rng.choice([])
