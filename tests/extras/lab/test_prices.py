"""With an objective, no solution beats the bound of the relaxation less the price of what it has."""

from __future__ import annotations

import pytest
from brute_force import placements

import milp_pips
from milp_pips.cli import main
from milp_pips.problem.objective import Objective

SMALL = milp_pips.Pips.from_rows(["AAB", "CCB"], {"A": "NEQ", "B": "GT 3"}, [(0, 1), (2, 3), (1, 3)], "small")
WIDE = milp_pips.Pips.from_rows(
    ["AABB", "CCDD"], {"A": "EQ", "B": "SUM 2"}, [(0, 1), (0, 2), (1, 2), (2, 3)], "wide"
)
GOALS = {
    "r1c1+2*r2c2": lambda pips, _: pips["r1c1"] + 2 * pips["r2c2"],
    "sum(A)-3*r1c3": lambda pips, _: pips["r1c1"] + pips["r1c2"] - 3 * pips["r1c3"],
    "flat": lambda _, edges: sum(one[:2] == other[:2] for one, other in edges),
}


def solutions(puzzle):
    """Yield the pip of each cell, and the pairs of cells under a domino."""
    for laid in placements(puzzle):
        tiles = [{f"r{r + 1}c{c + 1}": pip for (r, c), pip in tile} for tile in laid]
        yield {name: pip for tile in tiles for name, pip in tile.items()}, {tuple(sorted(t)) for t in tiles}


@pytest.mark.parametrize("formulation", ["by_kind", "projected"])
@pytest.mark.parametrize("sense", ["maximise", "minimise"])
@pytest.mark.parametrize("goal", GOALS)
def test_no_solution_beats_the_bound_less_a_price(goal, sense, formulation):
    sign, seen, tight = (1 if sense == "maximise" else -1), 0, 0
    for puzzle, fix in ((SMALL, {}), (WIDE, {}), (WIDE, {"r1c4": 1})):
        found = milp_pips.relax(puzzle, formulation=formulation, fix=fix, **{sense: goal})
        every = [
            (sign * GOALS[goal](*each), each) for each in solutions(puzzle) if fix.items() <= each[0].items()
        ]
        assert max(value for value, _ in every) <= sign * found.bound + 1e-6
        prices = {
            (name, int(a)): y for name, some in found.cell_prices.items() for a, y in some.items()
        } | found.edge_prices
        assert not found.cell_prices.keys() & fix.keys()
        for what, price in prices.items():
            assert price > 0
            values = [value for value, (pips, edges) in every if what in edges or what in pips.items()]
            best = max(values, default=-99)
            assert best <= sign * found.bound - price + 1e-6, what
            seen, tight = seen + bool(values), tight + (best > sign * found.bound - price - 1e-6)
    assert seen or goal == "flat"
    assert tight or formulation != "projected" or goal == "flat"


def test_prices_have_the_units_of_the_objective():
    """An objective in halves has half the bound, and half the prices."""
    problem = milp_pips.state(WIDE)
    terms = tuple((0, a, a) for a in problem.variables[0].domain)
    whole, halves = (
        milp_pips.relax(
            problem.with_objective(Objective(terms, "maximise", scale=scale)), formulation="projected"
        )
        for scale in (1, 2)
    )
    assert whole.cell_prices
    assert halves.bound == whole.bound / 2
    assert halves.prices[0] == {a: y / 2 for a, y in whole.prices[0].items()}


def test_without_an_objective_there_are_none(capsys, tmp_path):
    assert milp_pips.relax(SMALL).bound is None
    assert milp_pips.relax(SMALL).prices == {}
    file = tmp_path / "small.txt"
    file.write_text(milp_pips.convert(SMALL, "text"), encoding="utf-8")
    with pytest.raises(milp_pips.UsageError, match="a Relaxation has no form as JSON"):
        milp_pips.relax(SMALL).to_json()
    assert main(["relax", str(file), "--quiet", "--maximise", "r1c1"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize("sense", ["maximise", "minimise"])
@pytest.mark.parametrize("goal", GOALS)
def test_the_prices_of_rows_add_up_to_the_bound_and_their_rows_hold_with_equality(goal, sense):
    for puzzle in (SMALL, WIDE):
        found = milp_pips.relax(puzzle, **{sense: goal})
        assert sum(row.side * row.price for row in found.priced_rows) == pytest.approx(found.bound, abs=1e-6)
        rows = {row.name: row for row in found.stated.model.rows}
        for name, side, _ in found.priced_rows:
            total = sum(times * found.x[j] for j, times in rows[name].terms.items())
            assert total == pytest.approx(side, abs=1e-6), "a row with a price is tight"


def test_the_table_of_prices_and_the_board_with_those_of_cells(capsys, tmp_path):
    file, picture = tmp_path / "small.txt", tmp_path / "small.svg"
    file.write_text("AAB\nCCB\nA !=, B >3, C =\n01 23 13")
    words = ["relax", str(file), "--maximise", "r1c1", "--dual"]
    assert main([*words, "--svg", str(picture)]) == 0
    table = capsys.readouterr().out.split("side × price\n")[1].splitlines()
    assert table[-1].split() == ["the", "bound", "3"]
    assert sum(float(row.split()[-1]) for row in table[:-1]) == pytest.approx(3, abs=0.01)
    assert "what one more unit of the row of the cell adds to the bound" in picture.read_text()
    assert main(words[:2] + words[-1:]) == 2
    assert capsys.readouterr().err == "milp-pips: --dual needs an objective, --maximise or --minimise\n"
