"""Cuts one by one, and the parts of a partition: each cut excludes its solution alone, nothing is lost."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from brute_force import placement_of, placements

import milp_pips
from milp_pips.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples" / "pips"
TINY = milp_pips.Pips.from_rows(["AAB", "#CB"], {"A": "EQ", "B": "SUM 7"}, [(0, 3), (3, 4), (1, 3)], "tiny")
IMPOSSIBLE = milp_pips.read(EXAMPLES / "impossible.txt")


@pytest.mark.parametrize("rules", [None, ()])
def test_the_steps_are_all_solutions_and_each_cut_excludes_its_own_alone(rules):
    *steps, last = milp_pips.cuts(TINY, rules=rules)
    assert {placement_of(step.solution) for step in steps} == placements(TINY)
    assert last.solution is None
    assert last.cut is None
    assert last.confirmed_by == "the decision diagram, which counts as many"
    model = milp_pips.formulate(milp_pips.state(TINY), "projected")
    number = {name: j for j, name in enumerate(model.column_names())}
    points = [point_of(model, step.solution) for step in steps]
    for i, step in enumerate(steps):
        activity = [sum(x[number[name]] for name in step.cut.columns) for x in points]
        assert [total > step.cut.most for total in activity] == [i == j for j in range(len(points))]
        assert step.cut.row.endswith(f"<= {len(step.cut.columns) - 1}")
        assert step.rows == steps[0].rows + i


def point_of(model, solution):
    """The 0-1 vector of a solution, from its dominoes alone."""
    laid = set()
    for domino in solution.dominoes:
        (a, one), (b, other) = sorted(zip(domino.pips, map(name_of, domino.cells), strict=True))
        laid.add(f"place_{a}_{b}_{one}_{other}")
        if a == b:  # a double has one way round, either
            laid.add(f"place_{a}_{b}_{other}_{one}")
    return np.array([name in laid for name in model.column_names()], dtype=int)


def name_of(cell):
    return f"r{cell[0] + 1}c{cell[1] + 1}"


def test_the_words_name_what_lies_where():
    step = next(milp_pips.cuts(TINY))
    for domino in step.solution.dominoes:
        names = sorted(map(name_of, domino.cells))
        assert any(f"{a}─{b}" in step.cut.words for a, b in (names, names[::-1]))


@pytest.mark.parametrize("rules", [None, ()])
def test_the_parts_are_a_tree_that_holds_every_solution_once(rules):
    found = milp_pips.partition(TINY, rules=rules)
    assert found.complete
    listed = [placement_of(solution) for solution in found.solutions]
    assert len(listed) == len(set(listed))
    assert set(listed) == placements(TINY)
    for number, part in enumerate(found.parts):
        assert (part.parent is None) == (number == 0)
        assert part.parent is None or found.parts[part.parent].how == "found"
        assert part.how != "open"
        assert bool(part.solutions) == (part.how in ("found", "listed"))


def test_without_a_solution_there_is_one_step_and_one_part():
    (step,) = milp_pips.cuts(IMPOSSIBLE)
    assert (step.solution, step.confirmed_by is not None) == (None, True)
    found = milp_pips.partition(IMPOSSIBLE)
    assert (len(found.parts), found.solutions, found.complete) == (1, [], True)


def test_the_command_line_shows_both(capsys, tmp_path):
    repeated = str(EXAMPLES / "repeated.txt")
    assert main(["enumerate", repeated, "--method", "cuts", "--show", "--svg", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.count("at least one must be otherwise") == out.count("<= 9") == 2
    assert out.endswith("no further solution; confirmed by the decision diagram, which counts as many\n")
    assert len(list(tmp_path.iterdir())) == 2
    file = tmp_path / "tree.svg"
    assert main(["enumerate", repeated, "--method", "partition", "--show", "--svg", str(file)]) == 0
    out = capsys.readouterr().out
    assert "part 1, solution 1" in out
    assert "2 solutions (by placement)" in out
    assert "part 2" in "".join(ElementTree.fromstring(file.read_text()).itertext())
    assert main(["enumerate", str(EXAMPLES / "impossible.txt"), "--method", "cuts", "--show"]) == 1


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--method", "native"],
        *(["--method", "cuts", *more] for more in (["--json"], ["--quiet"], ["--solver", "highs"])),
        ["--method", "partition", "--jobs", "2"],
        ["--method", "partition", "--board", str(EXAMPLES.parent / "boards" / "medium.txt")],
        ["--method", "cuts", "--distinct", "colour"],
    ],
)
def test_what_does_not_go_together_is_refused_in_a_line(words, capsys):
    assert main(["enumerate", str(EXAMPLES / "medium.txt"), "--show", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_formulation_with_sums_for_the_key_gets_columns_of_its_own():
    steps = [
        list(milp_pips.cuts(TINY, distinct="grid", formulation=name)) for name in ("projected", "aggregated")
    ]
    assert len(steps[0]) == len(steps[1])
