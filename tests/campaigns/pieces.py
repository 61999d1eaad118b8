"""Kills: lists of models over two processes, of which the command and the workers are killed at random."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from contextlib import suppress

import psutil
from frame import Case, Failure

import milp_pips
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row

LIMIT = 300
GOAL = "pieces", 1_000

SHORT = """
import sys
from milp_pips.cli import main
from milp_pips.enumeration import tree_pieces
from milp_pips.tasks import trees
tree_pieces.PIECE, tree_pieces.SHORT_PIECE, trees.SAVING_INTERVAL = 0.03, 0.01, 0.05
sys.exit(main())
"""
"""The command, with pieces that are short: many of them are made."""


def prepare(folder, seed) -> None:
    """Nothing is needed."""


def run(case: Case) -> None:
    """List one model, kill, resume, and compare with the list of one process and with the certificate."""
    rng, folder = case.random, case.folder
    folder.mkdir(parents=True, exist_ok=True)
    weights = [rng.randint(20, 100) for _ in range(rng.randint(18, 26))]
    columns = [Column(f"x{j}", 0, 1, True, w + rng.randint(-9, 9)) for j, w in enumerate(weights)]
    model = Model(
        tuple(columns), (Row("room", dict(enumerate(weights)), None, sum(weights) // 2),), "maximise"
    )
    within = rng.randint(2, 12)
    path, file = folder / "sack.mps", folder / "list.jsonl"
    path.write_text(model.to_mps())
    case.note(f"{weights} {within}")
    words = ["enumerate", path, "--method", "tree", "--within", within, "--jobs", 2, "--out", file, "--quiet"]
    command = [sys.executable, "-c", SHORT, *map(str, words)]
    kills = rng.randint(1, 6)
    while True:
        process = subprocess.Popen(command)
        until = time.monotonic() + rng.uniform(0.5, 3)
        while process.poll() is None and (time.monotonic() < until or not kills):
            time.sleep(rng.uniform(0.02, 0.3))
            if rng.random() < 0.1 and kills:
                with suppress(psutil.Error, IndexError):
                    rng.choice(psutil.Process(process.pid).children()).kill()
                    case.counts["workers killed"] += 1
        if process.poll() is not None:
            if process.returncode == 0:
                break
            case.counts["ended by dead workers"] += 1  # one piece lost four of them
        else:
            process.kill()
            process.wait()
            kills -= 1
            case.counts["commands killed"] += 1
        case.alive()
    listed = [tuple(json.loads(line)["values"].values()) for line in file.read_text().splitlines()]
    wanted = sorted(tuple(solution.values()) for solution in milp_pips.solutions(model, within=within))
    proved = milp_pips.verify(f"{file}.certificate")
    if sorted(listed) != wanted or proved.solutions != len(wanted) or not proved.is_complete:
        raise Failure("something was lost, or came twice", model=repr(model), within=str(within))
    case.counts["lists"] += 1
    case.counts["solutions"] += len(wanted)
    case.counts["pieces"] += _pieces(f"{file}.certificate/tree.jsonl.gz")
    case.counts["bytes"] += os.path.getsize(f"{file}.certificate/tree.jsonl.gz")


def _pieces(path: str) -> int:
    """Return how many pieces a log has, beside the first."""

    with gzip.open(path, "rt") as lines:
        return sum('["p",' in line for line in lines)
