"""CryptoMiniSat passes the suite that every solver passes; what is its own is tested below."""

import json
from importlib.metadata import entry_points, version

import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.bench.store import Store
from milp_pips.problem.errors import UsageError
from milp_pips.testing import SolverConformance

ENGINE, PROJECT, LIBRARY = "cryptominisat", "milp-pips-cryptominisat", "pycryptosat"
PUZZLE = "AABB\nAABB\nA =\nB 4\n0-0 0-0 1-1 1-1\n"


class TestCryptoMiniSat(SolverConformance):
    solver = ENGINE


@pytest.fixture
def puzzle(tmp_path):
    path = tmp_path / "puzzle.txt"
    path.write_text(PUZZLE, encoding="utf-8")
    return str(path)


def test_solutions_that_differ_in_the_key_alone_come_once(puzzle):
    found = milp_pips.read(puzzle)
    for key, count in milp_pips.count(found).counts.items():
        listed = milp_pips.solutions(found, "cryptominisat", distinct=key, method="native")
        assert len(list(listed)) == count


def test_it_lists_and_is_confirmed(puzzle, capsys):
    assert main(["enumerate", puzzle, "--solver", "cryptominisat", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]
    assert (summary["method"], summary["complete"]) == ("native", True)
    assert summary["confirmed_by"]


def test_it_takes_part_in_comparisons(puzzle, tmp_path, capsys):
    results = str(tmp_path / "results.sqlite")
    runs = ["--run", "cryptominisat", "--run", "cryptominisat,polar=rnd", "--run", "sat"]
    assert main(["compare", puzzle, *runs, "--out", results, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["solved"], row["wrong"]) for row in rows[:3]] == 3 * [(1, 0)]
    assert rows[3]["virtual_best"]["solved"] == 1


def test_it_takes_part_in_comparisons_on_a_cluster(puzzle, tmp_path, monkeypatch, capsys):
    (entry,) = entry_points(group="milp_pips.solvers", name=ENGINE)
    assert entry.dist.name == PROJECT  # which workers find by themselves: nothing of it is sent to them
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    results = str(tmp_path / "results.sqlite")
    command = ["compare", puzzle, "--run", ENGINE, "--run", "sat", "--repeats", "2", "--out", results]
    assert main([*command, "--scheduler", "local", "--workers", "1"]) == 0
    assert "4 of 4 runs: 1 puzzle × 2 configurations × 1 seed × 2 repeats" in capsys.readouterr().out
    with Store(results) as store:
        runs, (session,) = store.runs(), store.sessions()
    made = sorted((run.solver, run.status) for run in runs)
    assert made == sorted(2 * [(ENGINE, "solved"), ("sat", "solved")])
    assert session.engines[ENGINE] == version(LIBRARY)
    assert session.host  # which the session of a worker alone has


def test_it_solves_folders_on_a_cluster(puzzle, capsys):
    command = ["solve", puzzle, puzzle, "--solver", ENGINE, "--json"]
    assert main([*command, "--scheduler", "local", "--workers", "1"]) == 0
    solved = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["status"], one["solver"]["name"]) for one in solved] == 2 * [("solved", ENGINE)]


def test_an_option_that_cryptominisat_does_not_know(puzzle):
    with pytest.raises(UsageError, match="CryptoMiniSat: unknown option: magic"):
        milp_pips.solve(milp_pips.read(puzzle), "cryptominisat", options={"magic": "1"})
