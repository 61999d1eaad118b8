"""The pipeline of ``solve``: engine, check against the rules, confirmation."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from brute_force import placement_of, placements
from faulty_solvers import FAULTY_SOLVERS
from hypothesis import given
from strategies import pips_puzzles
from thoroughness import examples

import milp_pips
from milp_pips.cli import main
from milp_pips.compilation.limits import Unfinished
from milp_pips.compilation.solution_set import SolutionSet
from milp_pips.engines import guided, registry
from milp_pips.engines.sat import Search
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline, SubDeadline
from milp_pips.propagation import filter_domains
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips.puzzle import Layout, Pips, PlacedDomino, Region, Rule
from milp_pips.tasks import confirmed
from milp_pips.tasks.check import check
from milp_pips.tasks.pipeline import find_point
from milp_pips.tasks.results import Uniqueness
from milp_pips.tasks.solve import solve
from milp_pips.verification.recounting import Opinion

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
EASY = Pips.on_grid("easy", [(0, 0), (0, 1)], [Region("A", ((0, 1),), Rule.SUM, 2)], [(2, 1)])
MEDIUM, SEVERAL = (milp_pips.read(EXAMPLES / f"{name}.txt") for name in ("medium", "several"))
IMPOSSIBLE = Pips.on_grid("no", [(0, 0), (0, 1)], [Region("A", ((0, 1),), Rule.SUM, 3)], [(1, 2)])


@pytest.fixture
def faulty_solvers(monkeypatch):
    for name, where in FAULTY_SOLVERS.items():
        monkeypatch.setitem(registry.SOLVERS, name, where)


def test_solved():
    result = solve(EASY)
    assert result.status == "solved"
    assert result.solution == Layout({(0, 0): 1, (0, 1): 2}, (PlacedDomino((2, 1), ((0, 1), (0, 0))),))
    assert (result.solver, result.formulation, result.stop) == ("brute", "", Stop.FINISHED)
    assert set(result.seconds) == {"read", "build", "solve", "total"}
    assert result.confirmed_by is None


def test_infeasible_is_confirmed_by_counting_or_by_the_decision_diagram():
    result = solve(IMPOSSIBLE)
    assert (result.status, result.solution) == ("infeasible", None)
    assert result.confirmed_by == "counting: no domino shows what r1c2 may be"
    result = solve(milp_pips.read(EXAMPLES / "impossible.txt"))
    assert (result.status, result.confirmed_by) == ("infeasible", "the decision diagram")


def test_what_no_narrow_diagram_solves_is_left_to_the_whole_one(monkeypatch):
    several = milp_pips.read(EXAMPLES / "several.txt")
    assert solve(several, "diagram").formulation == "restricted"
    assert solve(several, "diagram", formulation="exact").formulation == "exact"
    monkeypatch.setattr("milp_pips.engines.diagram.RESTRICTED_WIDTHS", ())
    result = solve(several, "diagram")
    assert (result.status, result.formulation) == ("solved", "divided")


@examples(8)
@given(puzzle=pips_puzzles())
@pytest.mark.parametrize("formulation", ["projected", "aggregated", "implication"])
def test_solvable_or_not_as_brute_force_says(formulation, puzzle):
    expected = placements(puzzle)
    result = solve(puzzle, formulation=formulation)
    assert result.status == ("solved" if expected else "infeasible")
    if expected:
        assert placement_of(result.solution) in expected
    else:
        assert result.confirmed_by


@examples(9)
@given(puzzle=pips_puzzles())
def test_check_accepts_the_solutions_and_nothing_else(puzzle):
    for placement in list(placements(puzzle))[:3]:
        values = dict(half for domino in placement for half in domino)
        assert check(puzzle, Layout(values)).right is True
        for wrong in _spoilt(values):
            grids = {frozenset(half for d in p for half in d) for p in placements(puzzle)}
            assert check(puzzle, Layout(wrong)).right is (frozenset(wrong.items()) in grids)


def _spoilt(values):
    cells = list(values)
    yield values | {cells[0]: values[cells[0]] + 1}
    yield values | {cells[0]: values[cells[-1]], cells[-1]: values[cells[0]]}


def test_a_false_infeasible_is_found_out(faulty_solvers):
    result = solve(EASY, "denier")
    assert result.status == "solved"
    assert family_of(EASY).check(EASY, result.solution) is None
    assert result.fault == "denier calls it infeasible, but the decision diagram solves it"
    assert result.solver == result.to_json()["solver"]["name"] == "diagram"
    assert result.summary().startswith("easy: solved by diagram ")


def test_a_wrong_point_is_a_fault_that_names_the_solver_and_the_rule(faulty_solvers):
    with pytest.raises(EngineFault, match=r"^inventor gave a point that breaks a rule of easy: "):
        solve(EASY, "inventor", rules=[])


def test_a_limit_is_no_answer(faulty_solvers):
    result = solve(EASY, "sleeper")
    assert (result.status, result.stop, result.solution) == ("unknown", Stop.TIME, None)


def test_an_unconfirmed_infeasible_is_no_answer(faulty_solvers):
    result = solve(Pips.on_grid("two", [(0, 0), (0, 1)], EASY.regions, [(1, 2)]), "denier", seconds=0)
    assert (result.status, result.stop) == ("unknown", Stop.TIME)
    assert "nothing has confirmed it" in result.remark


def test_check_names_the_first_broken_rule():
    square = Pips.on_grid(
        "square",
        [(0, 0), (0, 1), (1, 0), (1, 1)],
        [Region("A", ((0, 0), (0, 1)), Rule.EQ), Region("B", ((1, 0), (1, 1)), Rule.LT, 4)],
        [(1, 2), (1, 2)],
    )
    right = {(0, 0): 1, (0, 1): 1, (1, 0): 2, (1, 1): 2}

    def broken(values=None, dominoes=(), **changes):
        return check(square, Layout(values or right, dominoes)).broken

    assert broken() == "region B: sum < 4, but its cells show 2, 2"
    easier = Pips(square.name, square.cells, square.edges, square.regions[:1], square.dominoes)
    assert check(easier, Layout(right)).right is True
    assert broken({(0, 0): 1}) == "r1c2 is empty"
    assert broken(right | {(5, 5): 1}) == "there is a value outside the board"
    assert broken(right | {(0, 0): 2}) == "the board shows 1 once, the dominoes twice"
    assert (
        broken({(0, 0): 1, (0, 1): 2, (1, 0): 1, (1, 1): 2}) == "region A: all equal, but its cells show 1, 2"
    )
    row = Pips.on_grid("row", [(0, c) for c in range(4)], [], [(1, 1), (2, 2)])
    assert check(row, Layout(dict(zip(row.cells, (1, 2, 2, 1), strict=True)))).broken == (
        "no solution shows these values"
    )


def test_unknown_solver_and_family_say_what_is_known():
    with pytest.raises(UsageError, match="unknown solver 'magic'; known: highs"):
        solve(EASY, "magic")


def test_importing_the_package_imports_no_engine():
    heavy = {"highspy", "numpy", "ortools", "pulp", "pyomo"}
    code = f"import sys, milp_pips; print([m for m in sys.modules if m in {heavy}])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_library_in_three_lines(tmp_path):
    path = tmp_path / "easy.txt"
    path.write_text("1\n#A\n1\nA SUM 2\n1\n1 2\n")
    puzzle = milp_pips.read(path)
    result = milp_pips.solve(puzzle)
    assert result.solution.values == {(0, 0): 1, (0, 1): 2}
    assert "2" in str(result)
    assert result._repr_svg_().startswith("<svg")


@given(pips_puzzles())
def test_other_solutions_are_counted_as_brute_force_counts_them(puzzle):
    result, number = solve(puzzle, unique=True), len(list(placements(puzzle)))
    assert (result.others.solutions, result.others.at_least) == (number, number)
    assert result.to_json()["solutions"] == number
    told = {0: "no solution", 1: "; the only solution"}.get(number, f"; one of {number} placements")
    assert told in result.summary()


@pytest.fixture
def no_solution_space(monkeypatch):
    def unfinished(*_arguments):
        raise Unfinished("too large", Stop.MEMORY)

    monkeypatch.setattr("milp_pips.tasks.compile.compile_prepared", unfinished)


@pytest.mark.usefixtures("no_solution_space")
def test_an_engine_searches_for_another_solution_if_the_solution_space_is_too_large():
    result = solve(SEVERAL, unique=True)
    assert result.summary().endswith("; one of several")
    record = result.to_json()
    assert (record["solutions"], record["at_least"], record["distinct"]) == (None, 2, "placement")
    result = solve(MEDIUM, unique=True)
    assert (result.others.solutions, result.others.at_least) == (1, 1)
    assert result.summary().endswith(f"; the only solution, confirmed by {result.others.confirmed_by}")


@pytest.fixture
def every_sudoku_is_large(monkeypatch):
    """Two solvers search side by side, whatever the size of a Sudoku; nothing else may search or confirm."""
    monkeypatch.setattr("milp_pips.engines.defaults.FEW_OPEN_VALUES", 0)
    monkeypatch.setattr("milp_pips.engines.defaults.MANY_OPEN_PERMUTATIONS", 0)
    monkeypatch.setattr("milp_pips.runtime.cluster.available_cores", lambda: 2)
    monkeypatch.setattr("milp_pips.tasks.solve.find_point", None)
    monkeypatch.setattr("milp_pips.tasks.confirmed.find_others", None)


UNIQUE_SUDOKU = "8........ ..36..... .7..9.2.. .5...7... ....457.. ...1...3. ..1....68 ..85...1. .9....4.."


def sudoku(rows):
    return milp_pips.read_text("sudoku\n" + "\n".join(" ".join(row) for row in rows.split()))[""]


@pytest.mark.usefixtures("every_sudoku_is_large")
@pytest.mark.parametrize("solutions", [1, 2])
def test_two_solvers_side_by_side_find_whether_a_large_sudoku_has_one_solution(solutions):
    rows = UNIQUE_SUDOKU if solutions == 1 else UNIQUE_SUDOKU.replace("8..", "...", 1)
    result = solve(sudoku(rows), unique=True)
    assert (result.status, result.solver) == ("solved", "sat:cadical195")
    assert (result.others.solutions, result.others.at_least) == (solutions % 2 or None, solutions)
    assert result.others.confirmed_by == ("PySAT's minisat22" if solutions == 1 else None)
    assert result.seconds["solve"] <= result.seconds["total"]
    assert result.seconds["count"] > 0


@pytest.mark.usefixtures("every_sudoku_is_large")
def test_the_second_solver_learns_what_the_first_one_has_learnt(monkeypatch):
    lessons, solve_sat = [], Search.solve

    def note(self, assumptions, deadline, conflicts=None):
        proven = solve_sat(self, assumptions, deadline, conflicts)
        lessons.append((tuple(assumptions), proven))
        return proven

    monkeypatch.setattr(Search, "solve", note)
    assert solve(sudoku(UNIQUE_SUDOKU), unique=True).others.solutions == 1
    assert any(len(assumed) > 1 and proven is False for assumed, proven in lessons)
    assert max(len(assumed) for assumed, _ in lessons) <= guided.LONGEST_LESSON


@pytest.mark.usefixtures("every_sudoku_is_large")
def test_where_no_pipe_can_be_made_the_usual_search_follows(monkeypatch):
    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("milp_pips.engines.guided.os.mkfifo", fails)
    monkeypatch.setattr("milp_pips.tasks.solve.find_point", find_point)
    monkeypatch.setattr("milp_pips.tasks.confirmed.find_others", lambda *_: Uniqueness())
    result = solve(sudoku(UNIQUE_SUDOKU), unique=True, seconds=30)
    assert (result.status, result.others) == ("solved", Uniqueness())


@pytest.mark.usefixtures("every_sudoku_is_large")
def test_a_solution_that_comes_when_time_is_over_still_counts(monkeypatch):
    """The first solver has found it, and that there is no other, before the second one looks."""
    run, has_ended, deadline = guided._FirstSolver._run, threading.Event(), SubDeadline(Deadline())

    def run_to_the_end(self, *arguments):
        run(self, *arguments)
        has_ended.set()

    def wait_for_it(*_):
        assert has_ended.wait(30)
        deadline.end()
        return True

    monkeypatch.setattr(guided._FirstSolver, "_run", run_to_the_end)
    monkeypatch.setattr(guided, "_removes_no_solution", wait_for_it)
    result = solve(sudoku(UNIQUE_SUDOKU), unique=True, deadline=deadline)
    assert (result.status, result.others.solutions, result.others.at_least) == ("solved", None, 1)


@pytest.mark.usefixtures("no_solution_space", "every_sudoku_is_large")
def test_a_value_that_filtering_removes_wrongly_is_noticed_by_the_second_solver(monkeypatch):
    """The removed value makes one of several solutions the only one."""
    puzzle = sudoku(UNIQUE_SUDOKU.replace("8..", "...", 1))
    only = milp_pips.state(sudoku(UNIQUE_SUDOKU))
    monkeypatch.setattr("milp_pips.tasks.query.reduce_domains", lambda *_: filter_domains(only))
    asked = []
    monkeypatch.setattr(confirmed, "find_others", lambda *_: asked.append(_) or Uniqueness())
    assert solve(puzzle, unique=True).others == Uniqueness()
    assert len(asked) == 1


def test_a_second_opinion_with_another_solution_contradicts_the_solution_space(monkeypatch):
    other = solve(dataclasses.replace(MEDIUM, name="other")).solution
    point = family_of(MEDIUM).encode(MEDIUM, other)
    opinion = Opinion(None, tuple(point[v] for v in sorted(point)), "another engine")
    monkeypatch.setattr("milp_pips.verification.second_opinion.on_no_solution", lambda *_: opinion)
    with pytest.raises(EngineFault, match="counts one solution, but another engine finds another"):
        solve(MEDIUM, unique=True)


def test_two_solutions_that_agree_in_the_key_are_no_others(monkeypatch):
    family = family_of(EASY)
    stated = family.state(EASY)
    narrow = dataclasses.replace(stated, keys={"grid": (0,)})
    monkeypatch.setattr(
        "milp_pips.tasks.pipeline.family_of", lambda _: dataclasses.replace(family, state=lambda _: narrow)
    )
    result = solve(EASY, unique=True)
    assert (result.others.solutions, result.others.key) == (1, "grid")


def test_others_are_searched_only_on_request_and_known_if_filtering_leaves_nothing_open(capsys):
    assert solve(SEVERAL).others == solve(MEDIUM).others == Uniqueness()
    assert solve(EASY).others == Uniqueness(1, 1, "placement")
    assert solve(EASY).summary().endswith("; the only solution")
    published = solve(SEVERAL, "cp-sat", formulation="baseline", unique=True)
    assert (published.others.solutions, "count" in published.seconds) == (56, True)
    path = str(EXAMPLES / "several.txt")
    for options, at_least, key in (([], 1, None), (["--unique"], 56, "placement")):
        assert main(["solve", path, "--json", *options]) == 0
        record = json.loads(capsys.readouterr().out)
        assert (record["at_least"], record["distinct"]) == (at_least, key)
    assert main(["solve", path, "--unique"]) == 0
    assert capsys.readouterr().out.endswith(" s; one of 56 placements\n")


def test_a_solution_that_the_solution_space_does_not_have_is_a_fault(monkeypatch):
    empty = SolutionSet(milp_pips.state(MEDIUM), (), None)
    monkeypatch.setattr("milp_pips.tasks.compile.compile_prepared", lambda *_: empty)
    with pytest.raises(EngineFault, match="has a solution, but its solution space has none"):
        solve(MEDIUM, unique=True)
