"""What is clingo's own; ``test_conformance`` holds it to what every solver must do."""

import pytest

import milp_pips
from milp_pips.constraints import LinearSum, Relation
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem, Variable

pytest.importorskip("clingo")

PUZZLE = "AABB\nAABB\nA =\nB 4\n0-0 0-0 1-1 1-1\n"


@pytest.fixture
def puzzle(tmp_path):
    path = tmp_path / "puzzle.txt"
    path.write_text(PUZZLE, encoding="utf-8")
    return str(path)


def test_an_option_that_clingo_does_not_know(puzzle):
    with pytest.raises(UsageError, match="clingo: unknown option: 'magic'"):
        milp_pips.solve(milp_pips.read(puzzle), "clingo", options={"magic": "1"})


@pytest.mark.parametrize("name", ["configuration", "conf"])
def test_a_configuration_is_one_of_clingo_s_own_and_no_file(puzzle, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "1").write_text("[solver.0]: --heuristic=vsids\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"clingo has the configurations auto, .*, not '1'"):
        milp_pips.solve(milp_pips.read(puzzle), "clingo", options={name: "1"})
    assert milp_pips.solve(milp_pips.read(puzzle), "clingo", options={name: "trendy"}).solution


@pytest.mark.parametrize(
    "rule",
    [
        LinearSum((0, 1), Relation.LE, 2**33),
        LinearSum((0, 1), Relation.LE, 2, coefficients=(2**20, 1)),
    ],
    ids=lambda rule: type(rule).__name__,
)
def test_numbers_of_more_than_32_bits_are_refused_and_not_cut_off(rule):
    problem = Problem((Variable("a", (0, 2**12)), Variable("b", (0, 1))), (rule,), {"all": (0, 1)})
    with pytest.raises(UsageError, match="clingo counts up to 1073741824"):
        milp_pips.solve(problem, "clingo", rules=())
