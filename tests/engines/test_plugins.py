"""Solvers and families from outside, found through entry points and used through the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fake_distributions import install_plugins
from outside.coin_solver import RandomWalk

from milp_pips.cli import main
from milp_pips.engines import outside, registry
from milp_pips.engines.registry import ask
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles import family as families
from milp_pips.testing import SolverConformance, board

OUTSIDE = Path(__file__).parents[1] / "outside"


@pytest.fixture
def puzzle(tmp_path):
    path = tmp_path / "coins.txt"
    path.write_text("coins 5 2\n")
    return str(path)


def python_path(path):
    return os.pathsep.join(filter(None, [str(path), os.environ.get("PYTHONPATH")]))


@pytest.fixture
def run(monkeypatch, capsys):
    """Return a function that runs a command where the plugins are installed: status, output and errors."""
    monkeypatch.syspath_prepend(str(OUTSIDE))

    def run(*words):
        status = main([*words])
        told = capsys.readouterr()
        return status, told.out, told.err

    yield run
    outside.close_all()
    outside._known.clear()


@pytest.mark.filterwarnings("ignore:the plugin coin_puzzles_that_do_not_exist")
@pytest.mark.parametrize(("solver", "isolate"), [("highs", ["--isolate"]), ("random-walk", [])])
def test_a_family_and_a_solver_from_outside(run, puzzle, solver, isolate):
    status, out, _ = run("solve", puzzle, "--solver", solver, "--json", *isolate)
    record = json.loads(out)
    assert status == 0
    assert (record["family"], record["status"], record["solver"]["name"]) == ("coins", "solved", solver)
    assert sum(record["grid"][0]) == 2
    assert "dominoes" not in record


def test_a_package_is_found_that_is_installed_while_the_process_runs(tmp_path, monkeypatch):
    folder = tmp_path / "later"
    folder.mkdir()
    os.utime(folder, (1, 1))
    monkeypatch.syspath_prepend(folder)
    assert "late" not in registry.names()
    install_plugins(folder, "solvers", {"late": "nowhere:Late"})
    assert registry.names()["late"] == "nowhere:Late"


@pytest.mark.filterwarnings("ignore:the plugin coin_puzzles_that_do_not_exist")
def test_a_package_in_an_archive_is_found(tmp_path, monkeypatch):
    """A folder of the path is read by this package itself, anything else by the library."""
    install_plugins(tmp_path / "zipped", "solvers", {"zipped-coin": "outside.coin_solver:RandomWalk"})
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "zipped")
    monkeypatch.syspath_prepend(archive)
    assert "zipped-coin" in registry.names()


def test_a_small_solve_reads_no_metadata_of_distributions():
    """Importing their reader takes as long as half of the solve."""
    script = (
        "import sys; from milp_pips.cli import main; status = main(['solve', 'examples/pips/notebook.txt']);"
        "print(status, 'importlib.metadata' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "0 False"


def test_its_pictures_and_its_reader(run, puzzle, tmp_path):
    assert "│ ? │ ? │ ? │ ? │ ? │" in run("show", puzzle)[1]
    solution = tmp_path / "solution.txt"
    solution.write_text("HHTTT\n")
    assert run("check", puzzle, str(solution))[1] == "coins: right\n"
    solution.write_text("HHHTT\n")
    assert run("check", puzzle, str(solution))[1] == "coins: there are 3 heads, not 2\n"
    Path(puzzle).write_text("coins 5\n")
    assert run("solve", puzzle)[2].endswith("coins.txt:1: not a coin puzzle; expected coins COUNT HEADS\n")


def test_a_family_that_nobody_knows():
    with pytest.raises(UsageError, match="unknown puzzle family 'chess'; known: pips, sudoku, colour-grid"):
        families.family("chess")


@pytest.mark.filterwarnings("ignore:the plugin coin_puzzles_that_do_not_exist")
def test_a_broken_plugin_is_listed_with_its_reason_and_harms_nobody(run, puzzle):
    rows = {row["name"]: row for row in json.loads(run("solvers", "--json")[1])}
    assert rows["random-walk"]["available"] is True
    assert rows["broken"]["available"] is False
    assert "No module named 'no_such_module'" in rows["broken"]["reason"]
    status, out, err = run("solve", puzzle, "--solver", "broken")
    assert (status, out) == (2, "")
    assert "the plugin no_such_module:Nothing cannot be loaded: ModuleNotFoundError" in err


def test_a_broken_family_warns_and_the_next_is_found(monkeypatch):
    monkeypatch.syspath_prepend(str(OUTSIDE))
    with pytest.warns(UserWarning, match="the plugin coin_puzzles_that_do_not_exist cannot be loaded"):
        found = [family.name for family in families.families()]
    assert {"pips", "coins"} <= set(found)


def test_listing_the_solvers_imports_no_engine():
    code = (
        "import sys; from milp_pips.engines import registry\n"
        "for name, solver in registry.solvers(): solver.unavailable(); solver.version()\n"
        "print([m for m in sys.modules if m in ('highspy','pulp','pyomo','ortools','pyscipopt','numpy')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_a_missing_library_is_told_in_one_line(monkeypatch):
    monkeypatch.setattr("milp_pips.engines.library.find_spec", lambda name: None)
    reason = registry.solver("scip").unavailable()
    assert reason == "the module pyscipopt is not installed: pip install pyscipopt"


def test_what_a_solver_leaves_unsaid_has_a_default(monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "random-walk", "outside.coin_solver:RandomWalk")
    solver = registry.solver("random-walk")
    assert (solver.published, solver.proof_family) == (frozenset(), "random-walk")
    assert (solver.isolated, solver.variants) == (False, "")
    assert solver.clashes == {"dice_of_lead"}


def test_a_problem_larger_than_a_solver_takes_is_refused(monkeypatch):
    class Small(RandomWalk):
        most_values = 12

    monkeypatch.setattr(sys.modules[__name__], "Small", Small, raising=False)
    monkeypatch.setitem(registry.SOLVERS, "random-walk", f"{__name__}:Small")
    assert ask("random-walk", board(1, 2, [(0, 1)], []), Settings(), Deadline(60)).point
    with pytest.raises(UsageError, match="random-walk takes problems with 12 open values at most; this one"):
        ask("random-walk", board(2, 2, [(0, 1), (0, 2)], []), Settings(), Deadline(60))
    suite = SolverConformance()
    suite.solver = "random-walk"
    with pytest.raises(pytest.skip.Exception, match="random-walk takes 12 open values"):
        suite.test_a_time_limit_is_no_answer()


def test_a_clash_that_a_solver_from_outside_speaks_of_makes_a_worker(monkeypatch):
    asked = []

    def note(*request):
        asked.append(request)
        return Answer(None, Proof.NONE, Stop.TIME)

    monkeypatch.setitem(registry.SOLVERS, "random-walk", "outside.coin_solver:RandomWalk")
    monkeypatch.setattr("milp_pips.engines.registry.ask_in_worker", note)
    problem = board(1, 2, [(0, 0)], [])
    assert ask("random-walk", problem, Settings(), Deadline(60)).point == (0, 0, 1, 0)
    assert asked == []
    monkeypatch.setitem(sys.modules, "dice_of_lead", sys)
    ask("random-walk", problem, Settings(), Deadline(60))
    assert len(asked) == 1


@pytest.mark.parametrize(
    "name, family",
    [
        ("highs", "highs"),
        ("lns", "highs"),
        ("pyomo", "highs"),
        ("pyomo:gurobi_persistent", "gurobi"),
        ("pulp:HiGHS", "highs"),
        ("pulp:GUROBI_CMD", "gurobi"),
        ("minizinc", "gecode"),
        ("minizinc:chuffed", "chuffed"),
        ("minizinc:highs", "highs"),
        ("sat:maplesat", "minisat"),
        ("sat:lingeling", "lingeling"),
        ("two-stage:pulp:HiGHS", "highs"),
    ],
)
def test_what_proofs_rest_on(name, family):
    assert registry.solver(name).proof_family == family


@pytest.mark.filterwarnings("ignore:the plugin coin_puzzles_that_do_not_exist")
def test_formulations_come_from_outside_and_are_looked_for_when_asked_for(run, puzzle):
    code = (
        "import sys; from milp_pips.engines import registry; solver = registry.solver('cp-sat')\n"
        "solver.features, solver.proof_family, solver.unavailable()\n"
        "print('importlib.metadata' in sys.modules); print(*solver.formulations)\n"
        "print(*sorted(solver.published))"
    )
    environment = {**os.environ, "PYTHONPATH": python_path(OUTSIDE)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == "False\nnative plain baseline equality pruning\nbaseline equality plain pruning\n"
    if registry.solver("cp-sat").unavailable():
        pytest.skip(registry.solver("cp-sat").unavailable())
    record = json.loads(run("solve", puzzle, "--solver", "cp-sat", "--formulation", "plain", "--json")[1])
    assert (record["status"], record["formulation"]) == ("solved", "plain")
    status, _, err = run("solve", puzzle, "--solver", "cp-sat", "--formulation", "magic")
    assert status == 2
    assert "unknown formulation 'magic'; known: native, plain, baseline, equality, pruning" in err


def test_a_sat_solver_that_pysat_does_not_have():
    with pytest.raises(UsageError, match="unknown SAT solver 'zchaff'; known: cadical153, cadical195, "):
        registry.solver("sat:zchaff")


def test_sat_solvers_that_cannot_be_interrupted_have_a_process_of_their_own():
    deaf, listening = registry.solver("sat:kissat404"), registry.solver("sat")
    assert (deaf.isolated, listening.isolated) == (True, False)
    assert deaf.features < listening.features
    answer = ask("sat:lingeling", board(1, 2, [(0, 1)], []).restricted({0: (1,)}), Settings(), Deadline(60))
    assert (answer.point, answer.proof) == ((1, 0, 1, 0), Proof.FEASIBLE)


def test_variants():
    assert registry.solver("pulp:HiGHS").name == "pulp:HiGHS"
    with pytest.raises(UsageError, match="highs has no variants: there is no highs:fast"):
        registry.solver("highs:fast")


def test_the_solver_in_the_documents_is_the_one_tested_here():
    document = (OUTSIDE.parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")
    code = document.split("```python\n")[1].split("```")[0]
    assert code == (OUTSIDE / "coin_solver.py").read_text(encoding="utf-8")
