"""The trace of filtering: every value that goes is told once, by its rule, beside what the LP excludes."""

from __future__ import annotations

from pathlib import Path

import pytest
from brute_force import grids

import milp_pips
from milp_pips import propagation as rules
from milp_pips.cli import main
from milp_pips.extras.lab.views.svg import (
    BOTH_FILL,
    FILTERED_FILL,
    NEITHER_FILL,
    POSSIBLE_FILL,
    RELAXED_FILL,
)
from milp_pips.propagation import Fixpoint, filter_domains
from milp_pips.render.text import to_text

EXAMPLES = Path(__file__).parents[3] / "examples"
SEVERAL = milp_pips.read(EXAMPLES / "pips" / "several.txt")
FILES = ["pips/several.txt", "pips/double_nine.txt", "sudoku/killer.txt", "colour_grid/boat.txt"]


@pytest.mark.parametrize("name", FILES)
def test_the_trace_tells_every_value_that_filtering_takes_once(name):
    problem = milp_pips.state(milp_pips.read(EXAMPLES / name))
    fixpoint = Fixpoint(problem)
    steps = list(fixpoint.trace())
    assert fixpoint.problem() == filter_domains(problem)
    told = [pair for step in steps for pair in step.values]
    left = filter_domains(problem).variables
    gone = {
        (v, a)
        for v, variable in enumerate(problem.variables)
        for a in variable.domain
        if a not in left[v].domain
    }
    assert len(told) == len(set(told))
    assert set(told) == gone
    known = {rules.COUNTS_RULE, rules.SUMS_RULE, rules.KINDS_RULE, rules.MATCHING, rules.FLOW}
    assert {step.rule for step in steps} <= known | {c.label for c in problem.constraints}


def test_filtering_and_relaxation_are_held_against_brute_force():
    puzzle = milp_pips.read(EXAMPLES / "pips" / "cube.json")
    found, measured = milp_pips.filter_trace(puzzle), milp_pips.strength(puzzle, ["projected"])
    seen = {(puzzle.cells.index(cell), pip) for grid in grids(puzzle) for cell, pip in grid}
    problem = milp_pips.state(puzzle)
    every = {(v, a) for v in problem.keys["grid"] for a in problem.variables[v].domain}
    assert found.impossible == every - seen
    assert len(found.excluded) == measured.formulations[0].excluded
    assert (len(found.taken), measured.filtered) == (0, 0)
    found = milp_pips.filter_trace(SEVERAL)
    assert len(found.taken) == milp_pips.strength(SEVERAL, ["projected"]).filtered > 0
    assert found.taken <= found.impossible


def test_the_board_says_who_excludes_what():
    found = milp_pips.filter_trace(SEVERAL)
    fills = [fill for square in found.drawing().board.squares.values() for _, fill in square.candidates]
    assert fills.count(BOTH_FILL) == len(found.taken & found.excluded)
    assert fills.count(FILTERED_FILL) == len(found.taken - found.excluded)
    assert fills.count(RELAXED_FILL) == len(found.excluded - found.taken)
    assert fills.count(NEITHER_FILL) == len(found.impossible - found.excluded - found.taken) > 0
    assert fills.count(POSSIBLE_FILL) == len(fills) - len(found.impossible)
    assert "0,1,2,3,5" in to_text(found.drawing())


def test_a_rule_that_runs_empty_is_told(capsys):
    found = milp_pips.filter_trace(milp_pips.read(EXAMPLES / "pips" / "odd_part.txt"))
    assert found.refutation == "no domino fits on r1c2"
    assert found.taken == found.impossible
    assert main(["filter", str(EXAMPLES / "pips" / "odd_part.txt")]) == 1
    assert "no solution: no domino fits on r1c2" in capsys.readouterr().out


def test_bad_input_and_limits_are_one_line(capsys):
    file = str(EXAMPLES / "pips" / "hard.txt")
    assert main(["filter", file, "--formulation", "linear"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["filter", file, "--time-limit", "0"]) == 3
    assert capsys.readouterr().err.count("\n") == 1
