"""A tree in pieces: over several processes, of which any may be killed, with one certificate."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from processes import child_processes
from random_mips import expected, random_mip, random_query
from thoroughness import few_or_many, mostly_long

import milp_pips
from milp_pips import Column, InputError, Model, Row, UsageError
from milp_pips.cli import main
from milp_pips.enumeration import tree_pieces
from milp_pips.enumeration.tree_points import TreeQuery
from milp_pips.problem import Deadline, Stop
from milp_pips.runtime.executor import Threads
from milp_pips.tasks.lines import _checksum
from milp_pips.verification.verify_tree import Refused, Watch, check_pieces
from milp_pips.verification.verify_tree import verify as verify_tree


def knapsack(items, name="sack"):
    """A knapsack whose best solutions differ by little."""
    rng = random.Random(items)
    weights = [rng.randint(20, 100) for _ in range(items)]
    columns = [Column(f"x{j}", 0, 1, True, w + rng.randint(-9, 9)) for j, w in enumerate(weights)]
    row = Row("room", dict(enumerate(weights)), None, sum(weights) // 2)
    return Model(tuple(columns), (row,), "maximise", name=name)


class Looks(Deadline):
    """A deadline after so many looks at it."""

    left = 0

    @property
    def stop(self):
        self.left -= 1
        return None if self.left > 0 else Stop.TIME


def after(looks):
    deadline = Looks()
    deadline.left = looks
    return deadline


@pytest.fixture(autouse=True)
def _a_look_at_each_node(monkeypatch):
    monkeypatch.setattr(tree_pieces, "BETWEEN_LOOKS", 0)


def keys_of(found):
    return [tuple(solution.values()) for solution in found]


@pytest.fixture
def in_short_pieces(monkeypatch):
    """Pieces of a node or two: of any model there are many."""
    for name in ("PIECE", "SHORT_PIECE", "PER_CALL", "NODES_BEFORE_SEARCH"):
        monkeypatch.setattr(tree_pieces, name, 0)
    with Threads(2) as threads:
        yield threads


@pytest.mark.parametrize("seed", range(few_or_many(8, 40)))
def test_pieces_have_the_solutions_of_brute_force_and_a_certificate(seed, in_short_pieces, tmp_path):
    rng = random.Random(seed)
    model = random_mip(rng)
    query = random_query(rng, model, TreeQuery)
    if query.within_relative or expected(model, query) is None:
        return
    asked = {"best": query.best, "within": None if query.within is None else int(query.within)}
    over = query.chosen and [model.columns[j].name for j in query.chosen]
    asked = {name: value for name, value in asked.items() if value is not None}
    try:
        whole = milp_pips.prove(model, tmp_path / "whole", over=over, **asked)
    except UsageError:
        return
    proved = milp_pips.prove(model, tmp_path / "pieces", over=over, executor=in_short_pieces, **asked)
    assert proved.what == whole.what
    assert milp_pips.verify(tmp_path / "pieces") == proved
    checked = [piece for share in range(3) for piece in check_pieces(tmp_path / "pieces", Watch(9), share, 3)]
    assert verify_tree(tmp_path / "pieces", Watch(9), sorted(checked)) == proved
    if not query.best:
        found = milp_pips.solutions(model, method="tree", over=over, executor=in_short_pieces, **asked)
        assert len(set(keys_of(found))) == found.summary.solutions == whole.solutions
        assert found.summary.complete


@pytest.fixture
def checked(in_short_pieces, tmp_path):
    """A certificate in pieces, and what the check of each piece has found."""
    milp_pips.prove(knapsack(8), tmp_path / "proof", within=3, executor=in_short_pieces)
    return tmp_path / "proof", check_pieces(tmp_path / "proof", Watch(9), 0, 1)


def test_a_piece_that_no_share_has_checked_is_missed(checked):
    folder, pieces = checked
    assert len(pieces) > 3
    with pytest.raises(Refused, match=r"^tree.jsonl.gz: piece 2 is missing$"):
        verify_tree(folder, Watch(9), pieces[:2] + pieces[3:])
    with pytest.raises(Refused, match=r"^tree.jsonl.gz: a child is missing$"):
        verify_tree(folder, Watch(9), [])


def test_a_piece_for_a_box_that_is_not_open_is_refused_when_pieces_are_joined(checked):
    folder, pieces = checked
    twice = pieces[1]._replace(number=len(pieces))
    with pytest.raises(Refused, match=r"^a piece for a box that is not open$"):
        verify_tree(folder, Watch(9), [*pieces, twice])


def test_boxes_that_no_piece_searches_stay_open(checked):
    folder, pieces = checked
    assert verify_tree(folder, Watch(9), pieces).is_complete
    assert not verify_tree(folder, Watch(9), pieces[:-1]).is_complete


@pytest.mark.parametrize("node", mostly_long(1, ["[]", '[["o"]]', '[["p",0,[]],["o"]]']))
def test_a_wrong_node_is_refused_in_whichever_piece_it_is(checked, node):
    folder, pieces = checked
    lines = gzip.decompress((folder / "tree.jsonl.gz").read_bytes()).decode().splitlines()
    roots = [at for at, line in enumerate(lines) if '["p",' in line]
    lines.insert(roots[-1] + 1, node)
    data = gzip.compress("".join(f"{line}\n" for line in lines).encode())
    (folder / "tree.jsonl.gz").write_bytes(data)
    stated = json.loads((folder / "certificate.json").read_text())
    stated["sha256"]["tree.jsonl.gz"] = hashlib.sha256(data).hexdigest()
    (folder / "certificate.json").write_text(json.dumps(stated))
    last = pieces[-1].number
    check_pieces(folder, Watch(9), 0, 10**6)
    with pytest.raises(Refused):
        check_pieces(folder, Watch(9), last, 10**6)
    with pytest.raises(InputError, match="refused: "):
        milp_pips.verify(folder, jobs=2)


def test_two_processes_list_and_count_the_same(tmp_path, capsys):
    model = knapsack(12)
    (tmp_path / "sack.mps").write_text(model.to_mps())
    one = milp_pips.solutions(model, within=5)
    found = milp_pips.solutions(model, within=5, jobs=2)
    listed = keys_of(found)
    assert sorted(listed) == sorted(keys_of(one))
    assert (found.method, found.summary.complete) == ("tree", True)
    assert found.summary.objective.value == one.summary.objective.value
    file = str(tmp_path / "sack.mps")
    assert main(["count", file, "--within", "5", "--jobs", "2"]) == 0
    assert f"sack: {len(listed)} assignments" in capsys.readouterr().out
    assert main(["prove", file, "--within", "5", "--jobs", "2", "--out", str(tmp_path / "proof")]) == 0
    verdict = capsys.readouterr().out.split(": ", 1)[1]
    assert verdict.startswith(f"proved: exactly {len(listed)} solutions")
    assert main(["verify", str(tmp_path / "proof"), "--jobs", "2"]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'proof'}: {verdict}"


@pytest.mark.cluster
def test_workers_of_a_scheduler_list_the_same(tmp_path, capsys):
    distributed = pytest.importorskip("distributed")
    model, path = knapsack(22), tmp_path / "sack.mps"
    path.write_text(model.to_mps())
    quiet = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with distributed.LocalCluster(2, resources={"core": 1}, **quiet) as there:
        where = ["--scheduler", there.scheduler_address, "--workers", "2", "--json"]
        assert main(["enumerate", str(path), "--within", "5", *where]) == 0
    *lines, summary = map(json.loads, capsys.readouterr().out.splitlines())
    wanted = sorted(keys_of(milp_pips.solutions(model, within=5)))
    assert sorted(tuple(line["values"].values()) for line in lines) == wanted
    assert summary["summary"]["complete"]


@pytest.mark.cluster
def test_workers_of_a_scheduler_share_the_subtrees_of_a_count(tmp_path, capsys, monkeypatch):
    pytest.importorskip("distributed")
    model, path = knapsack(22), tmp_path / "sack.mps"
    path.write_text(model.to_mps())
    spread, commit = [], tree_pieces.TreeInPieces._commit
    monkeypatch.setattr(
        tree_pieces.TreeInPieces,
        "_commit",
        lambda self, future: spread.append(future) or commit(self, future),
    )
    where = ["--scheduler", "local", "--workers", "2"]
    assert main(["count", str(path), "--within", "5", *where]) == 0
    (number,) = milp_pips.count(model, within=5).counts.values()
    assert capsys.readouterr().out.startswith(f"sack: {number} assignments (tree by highs, ")
    assert spread


def test_several_jobs_are_for_models():
    puzzle = milp_pips.read("examples/pips/easy.txt")
    with pytest.raises(UsageError, match="several jobs count linear models by their tree: omit jobs"):
        milp_pips.count(puzzle, jobs=2)
    with pytest.raises(UsageError, match="several jobs are for lists and optima of linear models: omit jobs"):
        milp_pips.prove(puzzle, "nowhere", jobs=2)


# Kills.


def command_of(path, file, *more):
    words = ("enumerate", str(path), "--method", "tree", "--out", str(file), "--quiet", *more)
    return [sys.executable, "-m", "milp_pips", *words]


def time_of_saving(file):
    """Return when a list has saved its state; None if it has not."""
    state = Path(f"{file}.state")
    return state.stat().st_mtime_ns if state.exists() else None


@pytest.mark.long
def test_a_list_that_is_killed_again_and_again_has_one_certificate(tmp_path):
    """The campaign of pieces does so near the optimum."""
    model, how = knapsack(9), ("--jobs", "2")
    path, file = tmp_path / "sack.mps", tmp_path / "list.jsonl"
    path.write_text(model.to_mps())
    kills, saved = 0, None
    process = subprocess.Popen(command_of(path, file, *how))
    while process.poll() is None:
        time.sleep(0.05)
        if kills < 2 and (now := time_of_saving(file)) != saved:
            process.kill()
            process.wait()
            kills, saved = kills + 1, now
            process = subprocess.Popen(command_of(path, file, *how))
    assert process.returncode == 0
    assert kills
    lines = [tuple(json.loads(line)["values"].values()) for line in file.read_text().splitlines()]
    wanted = keys_of(milp_pips.solutions(model))
    assert sorted(lines) == sorted(wanted)
    assert milp_pips.verify(f"{file}.certificate").solutions == len(wanted)
    before = file.read_bytes()
    assert subprocess.run(command_of(path, file, *how), check=False).returncode == 0
    assert file.read_bytes() == before


def saving_at_once(*words):
    """Return a command that saves what is left of a proof at each node."""
    code = "from milp_pips.tasks import tree_proofs; tree_proofs.SAVING_INTERVAL = 0"
    return [sys.executable, "-c", f"{code}; from milp_pips.cli import main; raise SystemExit(main())", *words]


@pytest.mark.long
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_proof_that_is_killed_again_and_again_resumes(jobs, tmp_path):
    model, path, folder = knapsack(34), tmp_path / "sack.mps", tmp_path / "proof"
    path.write_text(model.to_mps())
    command = saving_at_once("prove", str(path), "--within", "5", "--out", str(folder), "--jobs", str(jobs))
    unfinished, kills, saved = folder / "unfinished.json", 0, None
    process = subprocess.Popen(command)
    while process.poll() is None:
        time.sleep(0.02)
        with suppress(FileNotFoundError):
            if kills < 3 and (now := json.loads(unfinished.read_text())["state"]["log"]) != saved:
                process.kill()
                process.wait()
                assert saved is None or now[0][0] >= saved[0][0]  # it went on
                kills, saved = kills + 1, now
                process = subprocess.Popen(command)
    assert process.returncode == 0
    assert kills
    assert not unfinished.exists()
    assert milp_pips.verify(folder).solutions == len(keys_of(milp_pips.solutions(model, within=5)))


@pytest.fixture
def half_proved(tmp_path):
    """A model, and the folder of its certificate whose search was killed."""
    path, folder = tmp_path / "sack.mps", tmp_path / "proof"
    path.write_text(knapsack(34).to_mps())
    process = subprocess.Popen(saving_at_once("prove", str(path), "--within", "9", "--out", str(folder)))
    while True:
        assert process.poll() is None
        with suppress(FileNotFoundError):
            log = json.loads((folder / "unfinished.json").read_text())["state"]["log"]
            if log and log[0][0]:
                break
        time.sleep(0.02)
    process.kill()
    process.wait()
    return str(path), folder


def test_only_the_same_proof_goes_on_and_a_damaged_one_is_refused(half_proved, capsys):
    path, folder = half_proved
    before = sorted(os.listdir(folder))
    assert main(["prove", path, "--within", "8", "--out", str(folder)]) == 2
    other = f"milp-pips: {folder} has an unfinished certificate of another model, query or version\n"
    assert capsys.readouterr().err == other
    assert main(["prove", path, "--kind", "count", "--out", str(folder)]) == 2
    assert "the folder is not empty" in capsys.readouterr().err
    size = json.loads((folder / "unfinished.json").read_text())["state"]["log"][0][0]
    os.truncate(folder / "tree.jsonl.gz", size - 1)
    assert main(["prove", path, "--within", "9", "--out", str(folder)]) == 2
    assert f"tree.jsonl.gz: fewer than {size} bytes, which were written" in capsys.readouterr().err
    assert sorted(os.listdir(folder)) == before
    (folder / "unfinished.json").write_text("{}")
    assert main(["prove", path, "--within", "9", "--out", str(folder)]) == 2
    assert "not the state of an enumeration, or damaged" in capsys.readouterr().err


@pytest.mark.long
def test_a_worker_that_is_killed_loses_nothing(tmp_path):
    path, file, model = tmp_path / "sack.mps", tmp_path / "list.jsonl", knapsack(30)
    path.write_text(model.to_mps())
    process = subprocess.Popen(command_of(path, file, "--within", "11", "--jobs", "2"))
    killed = 0
    while process.poll() is None:
        time.sleep(0.7)
        for worker in child_processes("runtime.worker", of=process.pid)[:1]:
            if killed < 3:
                worker.kill()
                killed += 1
    assert process.returncode == 0
    assert killed
    wanted = milp_pips.solutions(model, within=11)
    lines = [tuple(json.loads(line)["values"].values()) for line in file.read_text().splitlines()]
    assert sorted(lines) == sorted(keys_of(wanted))
    assert milp_pips.verify(f"{file}.certificate").is_complete


@pytest.mark.cluster
def test_a_worker_of_a_scheduler_that_is_killed_loses_nothing_and_nothing_comes_twice(tmp_path):
    distributed = pytest.importorskip("distributed")
    path, file, model = tmp_path / "sack.mps", tmp_path / "list.jsonl", knapsack(30)
    path.write_text(model.to_mps())
    quiet = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with distributed.LocalCluster(2, resources={"core": 1}, **quiet) as there:
        where = ("--scheduler", there.scheduler_address, "--workers", "2")
        process = subprocess.Popen(command_of(path, file, "--within", "3", *where))
        saved, killed = None, 0
        while process.poll() is None:
            time.sleep(0.1)
            if killed < 2 and (now := time_of_saving(file)) != saved:  # in the middle, after a commit
                os.kill(there.workers[killed].pid, signal.SIGKILL)
                saved, killed = now, killed + 1
    assert (process.returncode, killed) == (0, 2)
    wanted = milp_pips.solutions(model, within=3)
    lines = [tuple(json.loads(line)["values"].values()) for line in file.read_text().splitlines()]
    assert sorted(lines) == sorted(keys_of(wanted))
    assert milp_pips.verify(f"{file}.certificate", jobs=2).is_complete


# Damage.


@pytest.fixture
def left(tmp_path):
    """A list that has ended early: the model, and the file."""
    model, file = knapsack(7), tmp_path / "list.jsonl"
    list(milp_pips.solutions(model, method="tree", out=str(file), limit=9))
    return model, file


def resumed(left):
    found = milp_pips.solutions(left[0], method="tree", out=str(left[1]))
    list(found)
    return found.summary


def test_a_list_near_the_optimum_resumes_with_the_best_known_point(tmp_path):
    model, file = knapsack(28), tmp_path / "list.jsonl"
    with suppress(milp_pips.Unfinished):  # where a point is known, but not the optimum
        list(milp_pips.solutions(model, method="tree", out=str(file), within=3, deadline=after(60)))
    assert not file.read_text()
    state = json.loads(Path(f"{file}.state").read_text())["state"]
    assert state["frontier"]
    assert state["log"][0][1]  # points are known
    found = milp_pips.solutions(model, method="tree", out=str(file), within=3)
    assert sorted(keys_of(found)) == sorted(keys_of(milp_pips.solutions(model, within=3)))
    assert found.summary.complete


def test_a_log_that_lost_what_was_written_is_refused(left):
    log = Path(f"{left[1]}.certificate/tree.jsonl.gz")
    content = log.read_bytes()
    log.write_bytes(content[:-1])
    with pytest.raises(InputError, match=rf"gz: fewer than {len(content)} bytes, which were written"):
        resumed(left)
    log.write_bytes(content + b"torn")  # a killed process had written this, but not saved it
    assert resumed(left).complete


def test_a_log_that_was_changed_is_refused(left):
    log = Path(f"{left[1]}.certificate/tree.jsonl.gz")
    size = len(log.read_bytes())
    lines = gzip.decompress(log.read_bytes()).decode().splitlines()
    lines[0] = '[["v",0]]'
    changed = gzip.compress("\n".join(lines).encode() + b"\n", 0)[:size]
    log.write_bytes(changed + bytes(size - len(changed)))
    with pytest.raises(InputError, match=r"list.jsonl.certificate: refused: tree.jsonl.gz"):
        resumed(left)


def test_points_that_were_changed_are_refused(left):
    file = Path(f"{left[1]}.certificate/points.jsonl")
    content = file.read_text()
    file.write_text(content.replace("[", "{", 1))
    with pytest.raises(InputError, match=r"points.jsonl:1: no point"):
        resumed(left)
    file.write_text(content.replace("0", "1", 1).replace("1", "0", 3))
    with pytest.raises(InputError):
        resumed(left)


def test_a_state_that_leaves_out_a_box_is_refused(left):
    file = Path(f"{left[1]}.state")
    state = json.loads(file.read_text())["state"]
    state["frontier"].pop()
    state["log"][1].pop()
    file.write_text(json.dumps({"state": state, "sum": _checksum(state)}))
    assert not resumed(left).complete


# Shards: jobs that share a folder and nothing else.


@pytest.mark.parametrize("asked", mostly_long(1, [{}, {"within": 6}]))
def test_shards_are_merged_and_the_list_ends_with_one_certificate(asked, tmp_path, capsys):
    """One of three shards ends early, and another one never begins."""
    model, file = knapsack(18 if asked else 9), tmp_path / "list.jsonl"
    asked = {"method": "tree", "out": str(file), **asked}
    with suppress(milp_pips.Unfinished):
        list(milp_pips.solutions(model, deadline=after(60), **asked))
    for rounds in range(2):
        shards = [f"{file}.{number}-of-3" for number in range(1 + rounds, 3)]
        for number in range(1 + rounds, 3):
            deadline = after(40 if number == 2 else 10**9)
            with suppress(milp_pips.Unfinished):
                list(milp_pips.solutions(model, shard=(number, 3), deadline=deadline, **asked))
        assert main(["merge", *shards, "--out", str(file)]) == 0
        left = len(json.loads(Path(f"{file}.state").read_text())["state"]["frontier"])
        many = f"{len(shards)} shard{'s' * (len(shards) > 1)}"
        assert capsys.readouterr().out == f"{file}: {many} merged, {left} boxes are left\n"
        assert left
        assert main(["merge", *shards, "--out", str(file)]) == 2  # they are in it already
        assert "is no shard of" in capsys.readouterr().err
        for shard in shards:
            os.remove(f"{shard}.state")
    found = milp_pips.solutions(model, **asked)
    list(found)
    wanted = milp_pips.solutions(model, within=asked.get("within"))
    lines = [tuple(json.loads(line)["values"].values()) for line in file.read_text().splitlines()]
    assert sorted(lines) == sorted(keys_of(wanted))
    assert found.summary.complete
    assert milp_pips.verify(f"{file}.certificate").solutions == len(lines)


def test_what_is_no_shard_is_refused(left, capsys):
    model, file = left
    with pytest.raises(InputError, match=r"none.jsonl.state: cannot read: No such file"):
        milp_pips.solutions(model, method="tree", out=str(file.parent / "none.jsonl"), shard=(1, 2))
    with pytest.raises(UsageError, match="a shard needs the file of its list, and no limit"):
        milp_pips.solutions(model, method="tree", shard=(1, 2))
    with pytest.raises(UsageError, match="several machines need the method tree, not partition"):
        milp_pips.solutions(model, method="partition", out=str(file), shard=(1, 2))
    list(milp_pips.solutions(model, method="tree", out=str(file), shard=(1, 2)))
    with pytest.raises(UsageError, match=r"another enumeration: shard was '1 of 2 after \d+ bytes'"):
        list(milp_pips.solutions(model, method="tree", out=f"{file}.1-of-2"))
    for wrong in ([f"{file}.1-of-2"] * 2, [str(file)]):
        assert main(["merge", *wrong, "--out", str(file)]) == 2
        assert capsys.readouterr().err.endswith(f"is no shard of {file} as it is now, or comes twice\n")
    log = Path(f"{file}.1-of-2.certificate/tree.jsonl.gz")
    log.write_bytes(bytes(len(log.read_bytes())))
    assert main(["merge", f"{file}.1-of-2", "--out", str(file)]) == 2
    assert "tree.jsonl.gz: no log of a tree: " in capsys.readouterr().err
    assert resumed(left).complete  # a merge that failed has changed nothing
    with pytest.raises(UsageError, match="has no boxes left: begin the list without shard"):
        milp_pips.solutions(model, method="tree", out=str(file), shard=(1, 2))
