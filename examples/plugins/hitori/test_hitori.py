"""Hitori passes the suite that every family passes; its files and its pictures are tested below."""

from pathlib import Path

import pytest

import milp_pips
from milp_pips.testing import FamilyConformance

SIX = Path(__file__).with_name("six.txt")


class TestHitori(FamilyConformance):
    family = "hitori"
    texts = (
        SIX.read_text(encoding="utf-8"),
        "hitori\n1 1 2\n3 2 1\n2 3 3\n",
        "hitori\n1 2\n",
    )


def test_the_example_has_one_solution():
    assert milp_pips.count(milp_pips.read(SIX)).counts == {"shading": 1}
    assert milp_pips.solve(milp_pips.read(SIX), "highs").solution == (
        "#..#..",
        "..#.#.",
        ".#....",
        "..#..#",
        "#.....",
        "...#.#",
    )


@pytest.mark.parametrize("engine", ["cp-sat", "clingo", "sat", "cdcl", "brute", "scip"])
def test_every_kind_of_engine_finds_it(engine):
    try:
        result = milp_pips.solve(milp_pips.read(SIX), engine)
    except milp_pips.UsageError as reason:
        pytest.skip(str(reason))
    assert result.status == "solved"


@pytest.mark.parametrize(
    "text, message",
    [
        ("hitori 3\n", "f:1: this is 'hitori 3'; expected hitori"),
        ("hitori\n1 2\n1\n", "f:3: row 2 has 1 numbers; expected 2, in 50 rows at most"),
        ("hitori\n1 x\n", 'f:2: a number is "x"; expected a whole number from 1 to 99'),
        ("hitori\n", "f:1: there is no row; expected the numbers of each row, separated by blanks"),
    ],
)
def test_faults_name_the_line(text, message):
    with pytest.raises(milp_pips.InputError) as refusal:
        milp_pips.read_text(text, "f")
    assert str(refusal.value) == message
