"""Futoshiki passes the suite that every family passes; its files and its pictures are tested below."""

from pathlib import Path

import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.testing import FamilyConformance

FIVE = Path(__file__).with_name("five.txt")


class TestFutoshiki(FamilyConformance):
    family = "futoshiki"
    texts = (
        FIVE.read_text(encoding="utf-8"),
        "futoshiki\n. < .\n. .\n",
        "futoshiki\n. . .\nv . ^\n. . 3\n. > . .\n",
    )


def test_the_example_has_one_solution(capsys):
    assert milp_pips.count(milp_pips.read(FIVE)).counts == {"grid": 1}
    assert main(["solve", str(FIVE)]) == 0
    assert "│ 1 │ 3 > 2 │ 4 │ 5 │\n├─^─┼───┼───┼─v─┼───┤\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text, message",
    [
        ("futoshiki 3\n", "f:1: this is 'futoshiki 3'; expected futoshiki"),
        (
            "futoshiki\n. . .\n. 4 .\n",
            'f:3: a cell is "4"; expected a number from 1 to 3, or . for an open one',
        ),
        (
            "futoshiki\n. . .\n. <\n",
            "f:3: this is not a row of 3 cells; expected one, or ^, v and . below one",
        ),
        ("futoshiki\n^ .\n. .\n", "f:2: this is not a row of 2 cells; expected one, or ^, v and . below one"),
        ("futoshiki\n. .\n", "f:2: there is no row 2; expected as many rows as columns"),
        (
            "futoshiki\n. .\n. .\n1 .\n",
            "f:4: the board goes on; expected as many rows as columns, at most 25",
        ),
        ("futoshiki\n" + 26 * " .", "f:2: the board goes on; expected as many rows as columns, at most 25"),
    ],
)
def test_faults_name_the_line(text, message):
    with pytest.raises(milp_pips.InputError) as refusal:
        milp_pips.read_text(text, "f")
    assert str(refusal.value) == message
