"""Campaigns: what no suite of two minutes can try. One command, with the time each of them gets.

::

    python tests/campaigns/run.py --minutes 10 [--seed N] [--jobs 2]
        [--only agreement,constraints,objectives,linear,certificates,trees,pieces,fuzz,readers]

Exits 1 if anything failed; failures are kept in a folder, each with the command that makes it again.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [path for path in map(str, (HERE, HERE.parent, HERE.parent.parent)) if path not in sys.path]

from frame import run_campaign, run_case, spread  # noqa: E402 - found only now

CAMPAIGNS = (
    "agreement",
    "constraints",
    "objectives",
    "linear",
    "certificates",
    "trees",
    "pieces",
    "fuzz",
    "readers",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="for each campaign (default: 10)")
    parser.add_argument("--only", default=",".join(CAMPAIGNS), help=f"some of {','.join(CAMPAIGNS)}")
    parser.add_argument("--seed", type=int, default=None, help="decides all cases (default: the time)")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time (default: 2)")
    parser.add_argument("--case", type=int, help="run this case alone, in this process")
    parser.add_argument("--failures", type=Path, default=HERE / "failures", help="folder that keeps failures")
    arguments = parser.parse_args()
    # A shell starts what runs in the background with Ctrl-C ignored, and the commands would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    seed = int(time.time()) if arguments.seed is None else arguments.seed
    chosen = arguments.only.split(",")
    if not set(chosen) <= set(CAMPAIGNS):
        parser.error(f"the campaigns are {', '.join(CAMPAIGNS)}")
    folder = Path(tempfile.mkdtemp(prefix="campaigns-"))
    try:
        if arguments.case is not None:
            return _one(chosen, seed, arguments.case, folder)
        failed = 0
        for name in chosen:
            print(f"{name}: seed {seed}, {arguments.minutes:g} min, {arguments.jobs} at a time", flush=True)
            failed += _campaign(name, seed, arguments, folder / name)
        return int(failed > 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _campaign(name: str, seed: int, arguments: argparse.Namespace, folder: Path) -> int:
    done = run_campaign(name, seed, arguments.minutes, arguments.jobs, folder, arguments.failures)
    what, goal = import_module(name).GOAL
    number = done.counts[what]
    rate = 600 * number / done.seconds
    print(f"{name}: {number} {what} in {done.seconds:.0f} s ({rate:.0f} in ten minutes; wanted {goal})")
    print("  " + ", ".join(f"{n} {each}" for each, n in sorted(done.counts.items()) if each != what))
    for each, values in sorted(done.measures.items()):
        print(f"  {each}: {spread(values)}")
    total = done.failures.total()
    print(f"  {total} failures" + (f", kept in {arguments.failures}" if total else ""))
    for kind, n in done.failures.most_common():
        print(f"  {n:5} × {kind.encode('ascii', 'backslashreplace').decode()}")
    print(flush=True)
    return total


def _one(chosen: list[str], seed: int, number: int, folder: Path) -> int:
    failed = 0
    for name in chosen:
        (folder / name / "shared").mkdir(parents=True)
        (folder / name / "worker").mkdir()
        import_module(name).prepare(folder / name / "shared", seed)
        told = run_case(name, seed, number, folder / name / "worker")
        print(told.failure or f"{name}, case {number}: nothing failed; {dict(told.counts)}")
        failed += bool(told.failure)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
