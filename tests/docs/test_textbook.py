"""The textbook models in ``examples`` have the rows, the optimum and the solutions of ``implication``."""

from __future__ import annotations

import runpy
from ast import literal_eval
from collections import Counter
from pathlib import Path

import pulp
import pyomo.environ as pyo
import pytest
from brute_force import placement_of, placements
from pyomo.repn import generate_standard_repn

import milp_pips
from milp_pips.formulations.milp.draft import formulate
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule, cell_name

EXAMPLES = Path(__file__).parents[2] / "examples"
SQUARE = milp_pips.read(EXAMPLES / "pips" / "square.txt")
REPEATED = Pips.on_grid(
    "a domino twice",
    [(r, c) for r in range(2) for c in range(3)],
    [Region("A", ((0, 0), (0, 1)), Rule.SUM, 3), Region("B", ((1, 0), (1, 1), (1, 2)), Rule.SUM, 5)],
    [(1, 2), (0, 2), (1, 2)],
)


def data_of(puzzle):
    """Return a puzzle whose rules are sums, as the arguments of ``build``."""
    ruled = [region for region in puzzle.regions if region.rule]
    return {
        "cells": [cell_name(cell) for cell in puzzle.cells],
        "edges": [(cell_name(one), cell_name(other)) for one, other in puzzle.edges],
        "copies": dict(Counter(puzzle.dominoes)),
        "regions": {region.label: [cell_name(cell) for cell in region.cells] for region in ruled},
        "totals": {region.label: region.target for region in ruled},
    }


def textbook(library, puzzle):
    script = runpy.run_path(str(EXAMPLES / f"textbook_{library}.py"))
    made = script["build"](**data_of(puzzle))
    return made[0] if library == "pulp" else made


def rows_of(model):
    """Return the rows of each family: terms without zeros, and both bounds."""
    rows = []
    if isinstance(model, pulp.LpProblem):
        for row in model.constraints():
            terms = ((x.name, a) for x, a in row.items())
            rows.append((row.name.partition("_")[0], terms, row.getLb(), row.getUb()))
    else:
        for row in model.component_data_objects(pyo.Constraint):
            linear = generate_standard_repn(row.body)
            terms = ((x.name, a) for x, a in zip(linear.linear_vars, linear.linear_coefs, strict=True))
            rows.append((row.parent_component().name, terms, row.lb, row.ub))
    return Counter((family, frozenset((x, a) for x, a in terms if a), *ends) for family, terms, *ends in rows)


def optimum(model):
    """Return the greatest weighted number of columns; the weights depend on the names alone."""
    if isinstance(model, pulp.LpProblem):
        model.setObjective(-pulp.lpSum(weight(x.name) * x for x in model.variables()))
        assert model.solve(pulp.HiGHS(msg=False)) == pulp.LpStatusOptimal
        return round(model.objective.value())
    model.any_solution_will_do.deactivate()
    total = sum(weight(x.name) * x for x in model.component_data_objects(pyo.Var))
    model.greatest = pyo.Objective(expr=-total)
    pyo.assert_optimal_termination(pyo.SolverFactory("highs").solve(model))
    return round(pyo.value(model.greatest))


def weight(name):
    return sum(i * ord(character) for i, character in enumerate(name)) % 97


@pytest.mark.parametrize("puzzle", [SQUARE, REPEATED], ids=lambda puzzle: puzzle.name)
@pytest.mark.parametrize("library", ["pulp", "pyomo"])
def test_the_textbook_model_has_our_rows_and_our_optimum(library, puzzle):
    model = formulate(milp_pips.state(puzzle), "implication")
    ours = model.to_pulp() if library == "pulp" else model.to_pyomo()
    theirs = textbook(library, puzzle)
    assert rows_of(theirs) == rows_of(ours)
    assert rows_of(ours).total() == model.size["rows"]
    assert optimum(theirs) == optimum(ours)


@pytest.mark.parametrize("library", ["pulp", "pyomo"])
def test_the_textbook_script_prints_all_solutions_of_the_square(library, capsys):
    script = runpy.run_path(str(EXAMPLES / f"textbook_{library}.py"), run_name="__main__")
    assert data_of(SQUARE) == {name: script[name.upper()] for name in data_of(SQUARE)}
    *lines, last = capsys.readouterr().out.splitlines()
    assert last == "no further solution"
    cell = {cell_name(cell): cell for cell in SQUARE.cells}
    laid = [literal_eval(line.partition(" ")[2]) for line in lines]
    found = [frozenset(frozenset({(cell[i], a), (cell[j], b)}) for a, b, i, j in places) for places in laid]
    ours = {placement_of(solution) for solution in milp_pips.solutions(SQUARE)}
    assert len(found) == len(set(found)) == 4
    assert set(found) == ours == placements(SQUARE)


@pytest.mark.parametrize("library", ["pulp", "pyomo"])
def test_the_textbook_model_is_a_page_without_this_package(library):
    text = (EXAMPLES / f"textbook_{library}.py").read_text(encoding="utf-8")
    assert "milp_pips" not in text
    assert len(text.splitlines()) <= 60
