"""Farkas's certificate of each infeasible leaf is verified again here, from the model alone."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from math import inf
from pathlib import Path

import numpy as np
import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.problem.errors import EngineFault, UsageError

CUBE = milp_pips.read(Path(__file__).parents[3] / "examples" / "pips" / "cube.json")
IMPOSSIBLE = milp_pips.Pips.from_rows(
    ["AAB", "CCB"], {"A": "NEQ", "B": "SUM 4", "C": "EQ"}, [(0, 1), (2, 3), (1, 3)], "impossible"
)


def path_bounds(tree, node):
    low, high = {}, {}
    while node is not None:
        for column, least, most in tree.nodes[node].bounds:
            low[column], high[column] = max(low.get(column, 0), least), min(high.get(column, 1), most)
        node = tree.nodes[node].parent
    return low, high


@pytest.mark.parametrize(
    ("puzzle", "asked"),
    [
        (IMPOSSIBLE, {"rule": "strong", "formulation": "projected"}),
        (IMPOSSIBLE, {"rule": "strong", "formulation": "implication"}),
        (CUBE, {"maximise": "ltf", "order": "best"}),
    ],
)
def test_each_infeasible_leaf_has_a_certificate(puzzle, asked):
    tree = milp_pips.search_tree(puzzle, **asked)
    model = tree.stated.model
    names = model.row_names()
    leaves = [i for i, node in enumerate(tree.nodes) if node.status == "infeasible"]
    assert leaves
    for leaf in leaves:
        found = milp_pips.farkas(tree, leaf)
        total, least = {}, Fraction(0)
        for name, y in zip(found.rows, found.multipliers, strict=True):
            row = names.index(name)
            side = (model.row_lower if y > 0 else model.row_upper)[row]
            assert y == 0 or abs(side) < inf
            least += y * Fraction(float(side)) if y else 0
            for k in range(model.start[row], model.start[row + 1]):
                column = int(model.index[k])
                total[column] = total.get(column, 0) + y * Fraction(float(model.value[k]))
        low, high = path_bounds(tree, leaf)
        most = sum(a * int(high.get(j, 1) if a > 0 else low.get(j, 0)) for j, a in total.items())
        assert most < least
        assert (found.most, found.least) == (most, least)
        assert "a contradiction" in str(found)


def test_a_ray_that_proves_nothing_is_refused(monkeypatch):
    tree = milp_pips.search_tree(IMPOSSIBLE)
    monkeypatch.setattr("milp_pips.extras.lab.farkas.MAX_DENOMINATOR", 1)
    monkeypatch.setattr("milp_pips.extras.lab.farkas.Fraction", lambda *_: Fraction(0))
    with pytest.raises(EngineFault, match="not a certificate in exact arithmetic"):
        milp_pips.farkas(tree)
    assert np.isfinite(tree.stated.model.row_lower).any()


def test_only_an_infeasible_leaf_has_one():
    tree = milp_pips.search_tree(CUBE, maximise="ltf", order="best")
    with pytest.raises(UsageError, match="no such infeasible leaf; infeasible are 3, 5, 6"):
        milp_pips.farkas(tree, 0)
    with pytest.raises(UsageError, match="no leaf is infeasible"):
        milp_pips.farkas(milp_pips.search_tree(CUBE, limit=1))
    with pytest.raises(UsageError, match="only the textbook's search"):
        milp_pips.farkas(replace(tree, solver="scip"))


@pytest.mark.parametrize("formulation", ["implication", "projected"])
def test_multipliers_stand_in_the_cells_that_their_rows_are_about(formulation):
    tree = milp_pips.search_tree(IMPOSSIBLE, rule="strong", formulation=formulation)
    region_cells = {"A": {"r1c1", "r1c2"}, "B": {"r1c3", "r2c3"}, "C": {"r2c1", "r2c2"}}
    for leaf in (i for i, node in enumerate(tree.nodes) if node.status == "infeasible"):
        found = milp_pips.farkas(tree, leaf)
        variables, board = found.stated.problem.variables, found.drawing()
        expected = {v: [] for v in range(6)}
        for row, y, cells in zip(found.rows, found.multipliers, found.cells, strict=True):
            named = {variables[v].name for v in cells}
            kind, *words = row.split("_")
            if kind == "region":
                assert named == region_cells[words[0]] or named < region_cells[words[0]] & set(words)
            else:
                assert named == {word for word in words if word.startswith("r")}
                assert named or kind == "use"
            for v in cells if y else ():
                expected[v].append(f"{y:+}")
        for v, texts in expected.items():
            square = board.board.squares[board.places[v]]
            assert [text for text, _ in square.candidates] == texts
            assert all((fill == "#f7e08c") == text.startswith("-") for text, fill in square.candidates)


def test_the_verb_explains_a_leaf(capsys, tmp_path):
    file = tmp_path / "impossible.txt"
    file.write_text(milp_pips.convert(IMPOSSIBLE, "text"), encoding="utf-8")
    assert main(["tree", str(file), "--farkas", "--rule", "strong", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert {tuple(row["cells"]) for row in record["rows"]} >= {(), ("r2c1", "r2c2")}
    assert main(["tree", str(file), "--farkas", "--quiet"]) == 0
    assert "the relaxation is empty" in capsys.readouterr().out
    assert main(["tree", str(file), "--farkas", "--bounds"]) == 2
    assert "do not go together" in capsys.readouterr().err
