"""The results file: who may write it, which files are refused, and how several become one."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from results import SESSION, instance, results, run

from milp_pips.cli import main
from milp_pips.extras.bench.campaign import Campaign, configurations, instances
from milp_pips.extras.bench.store import SCHEMA_VERSION, Store, merge
from milp_pips.problem.errors import InputError, UsageError

EXAMPLES = Path(__file__).parents[3] / "examples" / "pips"
EASY = str(EXAMPLES / "easy.txt")


def query(path, text):
    with sqlite3.connect(path) as database:
        return database.execute(text).fetchall()


def two_engines(path, **said):
    times = {"one": (1.0, 2.0), "two": (3.0, math.inf)}
    return results(path, {name: [run("a", a, **said), run("b", b, **said)] for name, (a, b) in times.items()})


@pytest.mark.parametrize("version", [SCHEMA_VERSION - 1, SCHEMA_VERSION + 1])
@pytest.mark.parametrize("new", [False, True])
def test_a_file_with_another_version_of_the_tables_is_refused_and_left_alone(new, version, tmp_path):
    file = two_engines(tmp_path / "other.sqlite")
    query(file, f"PRAGMA user_version = {version}")
    before = Path(file).read_bytes()
    with pytest.raises(InputError, match=f"its tables have version {version}, not {SCHEMA_VERSION};"):
        Store(file, new=new)
    assert Path(file).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["other.sqlite"]


def test_a_stranger_s_database_is_left_alone(tmp_path):
    file = tmp_path / "accounts.sqlite"
    query(file, "CREATE TABLE account (id INTEGER)")
    before = file.read_bytes()
    with pytest.raises(InputError, match="its tables have version 0, not 5; expected a results file"):
        Store(str(file), new=True)
    assert file.read_bytes() == before


def test_a_file_without_a_column_is_refused(tmp_path):
    file = two_engines(tmp_path / "r.sqlite")
    query(file, "ALTER TABLE run DROP COLUMN load")
    with (
        Store(file) as store,
        pytest.raises(InputError, match="no such column: load; expected"),
    ):
        store.runs()


def test_a_second_campaign_is_refused_and_a_report_is_not(tmp_path, capsys):
    file = two_engines(tmp_path / "r.sqlite")
    words = ["compare", EASY, "--run", "brute", "--measured-by", "psutil", "--out", file]
    with Store(file, new=True) as store:
        store.add(replace(store.runs()[0], id=0, repeat=1))
        assert main(words) == 2
        assert capsys.readouterr().err == f"milp-pips: {file} is being written by another process\n"
        with Store(file) as reader:
            assert len(reader.runs()) == 5
    assert [path.name for path in tmp_path.iterdir()] == ["r.sqlite"]  # one file, and no lock
    Path(f"{file}.lock").touch()  # as a killed campaign leaves it
    assert main(words) == 0


def test_shards_are_whole_puzzles_and_all_of_them():
    campaign = Campaign(instances([str(EXAMPLES)]), configurations(["brute", "highs"]), seeds=(0,), repeats=2)
    parts = [campaign.shard(number, 3) for number in (1, 2, 3)]
    names = [{one.record.hash for one in part.instances} for part in parts]
    assert sum(map(len, names)) == len(campaign.instances)
    assert max(map(len, names)) - min(map(len, names)) <= 1
    assert set().union(*names) == {one.record.hash for one in campaign.instances}
    assert sum(len(list(part.plan())) for part in parts) == len(list(campaign.plan()))
    turned = replace(campaign, instances=campaign.instances[::-1])
    assert {one.record.hash for one in turned.shard(2, 3).instances} == names[1]
    more = len(campaign.instances) + 1
    assert campaign.shard(more, more).instances == ()


def test_shards_merged_are_the_campaign(tmp_path, capsys):
    words = ["compare", EASY, str(EXAMPLES / "several.txt"), "--run", "brute"]
    words += ["--measured-by", "psutil"]
    whole, *shards = (str(tmp_path / f"{name}.sqlite") for name in ("whole", "1", "2", "3"))
    for number, shard in enumerate(shards, 1):
        assert main([*words, "--shard", f"{number}/3", "--out", shard]) == 0
    capsys.readouterr()
    assert main(["merge", *shards, "--out", whole]) == 0
    assert capsys.readouterr().out == f"{whole}: 2 runs of 2 puzzles, 2 of them new\n"
    with Store(whole) as store:
        runs = store.runs()
    assert main([*words, "--out", whole]) == 0
    assert "2 of 2 runs" in capsys.readouterr().out
    with Store(whole) as store:
        assert store.runs() == runs  # all were there
        assert {run.instance: run.id for run in runs}.keys() == store.instances().keys()


def test_a_merge_keeps_the_first_and_is_done_once(tmp_path):
    first = two_engines(tmp_path / "first.sqlite")
    again = results(
        tmp_path / "again.sqlite",
        {instance("two"): [run("a", 5.0)], instance("three"): [run("a", 4.0)]},
        (replace(SESSION, machine="another"),),
    )
    out = str(tmp_path / "all.sqlite")
    assert merge([first, again], out) == (5, 3, 5, 1)
    with Store(out) as store:
        before = store.sessions(), store.instances(), store.runs()
    assert [session.machine for session in before[0]] == [SESSION.machine, "another"]
    names = {number: one.name for number, one in before[1].items()}
    spent = {(names[one.instance], one.solver): one.solve_seconds for one in before[2]}
    assert spent["two", "a"] == 2.25
    assert spent["three", "a"] == 3.0
    assert [one.session for one in before[2]] == [1, 1, 1, 1, 2]
    assert merge([again, first], out) == (5, 3, 0, 6)
    with Store(out) as store:
        assert (store.sessions(), store.instances(), store.runs()) == before


def test_what_one_shard_refutes_in_another_is_wrong(tmp_path):
    right = results(tmp_path / "right.sqlite", {"one": [run("a")]})
    refusal = {"status": "infeasible", "solutions": 0, "complete": True, "confirmed_by": "a friend"}
    wrong = results(tmp_path / "wrong.sqlite", {"one": [run("b", **refusal)]})
    merge([wrong, right], str(tmp_path / "all.sqlite"))
    with Store(str(tmp_path / "all.sqlite")) as store:
        assert [(one.solver, one.status) for one in store.runs()] == [("b", "wrong"), ("a", "solved")]


def test_faults_of_a_merge(tmp_path, capsys):
    file = two_engines(tmp_path / "r.sqlite")
    out = str(tmp_path / "all.sqlite")
    with pytest.raises(UsageError, match="cannot be merged into itself"):
        merge([file], str(tmp_path / "." / "r.sqlite"))
    with pytest.raises(InputError, match="No such file or directory"):
        merge([file, str(tmp_path / "nothing")], out)
    with pytest.raises(InputError, match="file is not a database"):
        merge([file, EASY], out)
    assert not Path(out).exists()
    with pytest.raises(SystemExit) as stop:
        main(["compare", EASY, "--run", "brute", "--out", out, "--shard", "3/2"])
    assert stop.value.code == 2
    assert "'3/2' is not a part; expected I/N, such as 1/8" in capsys.readouterr().err
