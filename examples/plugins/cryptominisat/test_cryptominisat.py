"""CryptoMiniSat passes the suite that every solver passes; what is its own is tested below."""

import json

import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.errors import UsageError
from milp_pips.testing import SolverConformance

PUZZLE = "AABB\nAABB\nA =\nB 4\n0-0 0-0 1-1 1-1\n"


class TestCryptoMiniSat(SolverConformance):
    solver = "cryptominisat"


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
    assert rows[3]["configuration"] == "virtual best"


def test_an_option_that_cryptominisat_does_not_know(puzzle):
    with pytest.raises(UsageError, match="CryptoMiniSat: unknown option: magic"):
        milp_pips.solve(milp_pips.read(puzzle), "cryptominisat", options={"magic": "1"})
