"""``compare --array``: the script runs with a stand-in for Slurm's ``sbatch``."""

from __future__ import annotations

import os
import stat
import subprocess

import pytest

from milp_pips.cli import main
from milp_pips.extras.bench.store import Store

SBATCH = """#!/usr/bin/env python3
import os, subprocess, sys
words = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    print(*words[:-1], file=calls)
array = next((word.partition("=")[2] for word in words if word.startswith("--array=")), "")
tasks = range(1, int(array.partition("-")[2]) + 1) if array else [None]
for task in tasks:
    here = os.environ | ({} if task is None else {"SLURM_ARRAY_TASK_ID": str(task)})
    subprocess.run(["sh", "-c", words[words.index("--wrap") + 1]], env=here, check=True, stdout=sys.stderr)
print("7;cluster" if array else "8")
"""


def run_script(script, tmp_path, *words):
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    sbatch = folder / "sbatch"
    sbatch.write_text(SBATCH)
    sbatch.chmod(sbatch.stat().st_mode | stat.S_IXUSR)
    here = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "CALLS": str(tmp_path / "calls")}
    return subprocess.run(
        ["bash", script, *words], env=here, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.long
def test_the_jobs_make_all_runs_and_merge_them(tmp_path, capsys):
    out = tmp_path / "the results.sqlite"
    words = ["examples/pips/easy.txt", "examples/pips/notebook.txt", "--run", "brute"]
    words += ["--measured-by", "psutil", "--time-limit", "7.5", "--presolve-rules", "none"]
    assert main(["compare", *words, "--out", str(out), "--array", "2"]) == 0
    script = str(tmp_path / "the results.slurm.sh")
    assert capsys.readouterr().out == f"{script}: 2 jobs; submit them by bash '{script}'\n"
    assert not out.exists()
    said = run_script(script, tmp_path, "--partition=short")
    assert said == f"7 makes the runs, 8 merges them into {out}\n"
    with Store(str(out)) as store:
        runs = store.runs()
        assert len(runs) == 2
        assert {(run.status, run.time_limit, run.rules) for run in runs} == {("solved", 7.5, "none")}
        assert len({run.session for run in runs}) == 2
    assert main(["compare", *words, "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith("configuration")
    with Store(str(out)) as store:
        assert store.runs() == runs
    first, second = (tmp_path / "calls").read_text().splitlines()
    name = "--job-name=the results"
    assert first == f"--parsable {name} --array=1-2 --cpus-per-task=1 --partition=short --wrap"
    assert second == f"--parsable {name}-merge --dependency=afterany:7 --partition=short --wrap"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--shard", "1/2"], "--array makes the parts itself: leave --shard out"),
        (["--scheduler", "local"], "--array makes the parts itself: leave --scheduler out"),
    ],
)
def test_what_does_not_fit_an_array_is_refused(tmp_path, capsys, words, message):
    whole = ["compare", "examples/pips/easy.txt", "--run", "brute", "--out", str(tmp_path / "r.sqlite")]
    assert main([*whole, "--array", "2", *words]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
