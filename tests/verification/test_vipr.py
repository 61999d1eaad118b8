"""``examples/vipr.py``: optima and infeasibility as VIPR, by a reader that checks each derivation."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from random_mips import expected, random_mip
from thoroughness import few_or_many
from vipr_reader import Vipr, Wrong

import milp_pips
from milp_pips import Column, Model, Row
from milp_pips.enumeration.tree_points import TreeQuery
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline, SubDeadline

SCRIPT = Path(__file__).parents[2] / "examples" / "vipr.py"


def converted(folder):
    """Run the script; return what it says, and the file if there is one."""
    run = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)
    assert run.stderr == ""
    file = folder / "model.vipr"
    assert file.exists() == (run.returncode == 0)
    return run.stdout.removeprefix(str(folder)), file.read_text(encoding="utf-8") if file.exists() else ""


def written(model, folder, **asked):
    milp_pips.prove(model, folder, **asked)
    return converted(folder)[1]


def test_optima_of_random_models_are_derived(tmp_path):
    seeds, derived = few_or_many(4, 200), 0
    for seed in range(seeds):
        rng = Random(seed)
        model = random_mip(rng, most_columns=4)
        query = TreeQuery(within=rng.choice((0, 0, 2)))
        wanted = expected(model, query)
        if wanted is None or not model.has_objective:
            continue  # the objective is unbounded, or there is none
        try:
            text = written(model, tmp_path / f"{seed}", within=query.within)
        except UsageError:  # a number that no decimal states
            continue
        read = Vipr(text)
        assert read.optimum == (None if wanted[1] is None else wanted[1] - model.constant), seed
        assert read.names == [column.name for column in model.columns]
        derived += 1
    assert derived > 0.8 * seeds


def lots():
    """Lot sizes with fixed charges: rows that the tree tightens, and continuous columns."""
    columns = [Column(f"open_{t}", 0, 1, True, 5 + t) for t in range(4)]
    columns += [Column(f"make_{t}", 0, Fraction(25, 2), cost=Fraction(3 - t, 2)) for t in range(4)]
    columns += [Column(f"stock_{t}", 0, None, cost=Fraction(1, 4)) for t in range(4)]
    rows = []
    for t, demand in enumerate((3, 5, 7, 4)):
        before = {7 + t: 1} if t else {}
        rows.append(Row(f"flow_{t}", {**before, 4 + t: 1, 8 + t: -1}, demand, demand))
        rows.append(Row(f"ready_{t}", {4 + t: 1, t: -30}, None, 0))
    return Model(tuple(columns), tuple(rows), "minimise", 7, "lots")


def test_rows_that_the_tree_has_tightened_are_derived_as_well(tmp_path):
    proved = milp_pips.prove(lots(), tmp_path / "folder", kind="optimum")
    said, text = converted(tmp_path / "folder")
    assert re.fullmatch(r"/model.vipr: \d+ derivations\n", said)
    read = Vipr(text)
    assert read.optimum == proved.best - 7
    assert read.derived > 50
    for reason in ("asm", "lin", "rnd", "uns"):
        assert f"{{ {reason}" in text


def no_solution():
    columns = tuple(Column(f"x{j}", 0, 5, True) for j in range(3))
    return Model(columns, (Row("r", {0: 4, 1: 6, 2: 10}, 31, 31), Row("s", {0: 1, 1: 1}, 2, None)))


def test_that_there_is_no_solution_is_derived(tmp_path):
    read = Vipr(written(no_solution(), tmp_path / "rows"))
    assert (read.optimum, read.constraints[-1].is_absurd) == (None, True)
    halves = Model((Column("x", Fraction(1, 4), Fraction(1, 2), True),), ())
    assert Vipr(written(halves, tmp_path / "bounds")).optimum is None


def test_what_vipr_cannot_state_is_refused_with_a_sentence(tmp_path):
    milp_pips.prove(lots(), tmp_path / "list")
    assert converted(tmp_path / "list")[0] == (
        ": no model.vipr: a list: VIPR states an optimum, or that there is no solution\n"
    )
    deadline = SubDeadline(Deadline(), 60)
    deadline.end()
    milp_pips.prove(lots(), tmp_path / "open", kind="optimum", deadline=deadline)
    assert "an open leaf, of which nothing is known\n" in converted(tmp_path / "open")[0]


def test_a_damaged_file_is_refused(tmp_path):
    text = written(lots(), tmp_path / "folder", kind="optimum")
    optimum = re.search(r"RTP range (\S+) \S+", text)[1]
    last = re.search(r"\nC\d+ G (\S+) OBJ \{ lin 1 (\d+) (\S+) \}", text)
    for old, new, fault in (
        (f"RTP range {optimum} {optimum}", "RTP range 999 999", "does not prove the bound"),
        ("VER 1.0", "VER 1.1", "1.1, where 1.0 was expected"),
        (last[0], last[0].replace(f"G {last[1]}", "G 999"), "does not follow"),
        ("{ asm }", "{ lin 0 }", "does not follow"),
        (re.search(r"\{ uns (\d+) .* \}", text)[0], "{ uns 0 0 1 1 }", "joins what is no split"),
        ("SOL 1\nbest ", "SOL 2\nnone 0\nbest ", "solution none breaks constraint"),
        (re.search(r"\{ rnd (\d+)", text)[0], "{ lin 1 99999", "99999"),
    ):
        assert old in text
        with pytest.raises(Wrong, match=fault):
            Vipr(text.replace(old, new, 1))


def test_random_damage_of_numbers_proves_nothing_false(tmp_path):
    text, rng = written(lots(), tmp_path / "folder", kind="optimum"), Random(1)
    head, derivations = text.split("\nDER ")
    right, refused = Vipr(text).optimum, 0
    for _ in range(few_or_many(60, 2_000)):
        numbers = list(re.finditer(r"(?<= )-?\d+(/\d+)?(?= )", derivations))
        number = rng.choice(numbers)
        other = str(Fraction(number[0]) + rng.choice((1, -1, Fraction(1, 7))))
        damaged = derivations[: number.start()] + other + derivations[number.end() :]
        try:
            assert Vipr(f"{head}\nDER {damaged}").optimum == right
        except Wrong:
            refused += 1
    assert refused > 30
