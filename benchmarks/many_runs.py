"""Peak memory of ``compare``, ``merge`` and ``report`` on a campaign of many runs, which are made up.

    python benchmarks/many_runs.py --runs 100000 --out build/many

Two shards are written with random times, merged, continued by ``compare``, which finds nothing left to run,
and reported. Each command runs in a process of its own; the figures are its processor time and peak memory.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from dataclasses import asdict
from pathlib import Path

from measure import header

import milp_pips
from milp_pips.extras.bench.campaign import Campaign, configurations, instances
from milp_pips.extras.bench.one_run import local_session
from milp_pips.extras.bench.store import RunKey, RunRecord, Store
from milp_pips.problem.answer import Settings

SOLVERS = ("highs", "sat", "brute", "diagram")
REPEATS = 5


def write_puzzles(folder: Path, count: int) -> None:
    """Write tiny puzzles of their own names and contents."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, new in enumerate(milp_pips.generate(count=count, dominoes=4, seed=0)):
        (folder / f"p{number:05}.txt").write_text(milp_pips.convert(new.puzzle, "text"), encoding="utf-8")


def write_shard(campaign: Campaign, file: Path, rng: random.Random) -> None:
    """Write a results file with a made-up run for each planned one, in one transaction."""
    with Store(str(file), new=True) as store:
        session = store.add(local_session((one.solver for one in campaign.configurations), "made up"))
        ids = {one.record.hash: store.add(one.record) for one in campaign.instances}
        with store._database:
            for planned in campaign.plan():
                store._insert(made_up(campaign.key(planned, ids[planned.instance.record.hash]), session, rng))


def made_up(key: RunKey, session: int, rng: random.Random) -> RunRecord:
    """Return a successful run with random times."""
    seconds = rng.lognormvariate(-4, 1)
    return RunRecord(
        **asdict(key),
        session=session,
        started="2026-01-01T00:00:00.000+00:00",
        status="solved",
        solutions=1,
        read_seconds=0.001,
        build_seconds=seconds / 3,
        solve_seconds=seconds / 2,
        total_seconds=seconds + 0.001,
        wall_seconds=seconds + 0.2,
        peak_bytes=10**8,
        columns=100,
        rows=100,
        nonzeros=500,
        version="1",
        processor_seconds=seconds + 0.2,
        clock_processor_seconds=seconds,
        load=1.0,
    )


def measured(command: list[str]) -> tuple[float, float]:
    """Return the processor seconds and the peak memory in MB of a command; raise if it fails."""
    child = os.posix_spawn(sys.executable, [sys.executable, "-m", "milp_pips", *command], os.environ)
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{command} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--out", type=Path, default=Path("build/many"))
    arguments = parser.parse_args()
    out = arguments.out
    count = arguments.runs // (REPEATS * len(SOLVERS))
    write_puzzles(out / "puzzles", count)
    puzzles = instances([str(out / "puzzles")])
    campaign = Campaign(
        puzzles, configurations(solvers=SOLVERS), repeats=REPEATS, settings=Settings(seconds=5)
    )
    for name in ("all.sqlite", "1.sqlite", "2.sqlite"):
        (out / name).unlink(missing_ok=True)
    for number in (1, 2):
        write_shard(campaign.shard(number, 2), out / f"{number}.sqlite", random.Random(number))
    runs = len(puzzles) * REPEATS * len(SOLVERS)
    named = [word for solver in SOLVERS for word in ("--run", solver)]
    same = [str(out / "puzzles"), *named, "--repeats", str(REPEATS), "--time-limit", "5", "--out"]
    commands = {
        "merge": ["merge", str(out / "1.sqlite"), str(out / "2.sqlite"), "--out", str(out / "all.sqlite")],
        "compare": ["compare", *same, str(out / "all.sqlite"), "--quiet"],
        "report": ["report", str(out / "all.sqlite"), "--out", str(out / "report")],
    }
    print(header())
    print(f"\n{runs} runs of {len(puzzles)} puzzles\n\n| command | processor s | peak MB |\n|---|---|---|")
    for name, command in commands.items():
        seconds, peak = measured(command)
        print(f"| `{name}` | {seconds:.1f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
