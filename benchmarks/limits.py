"""Measure by how much each verb exceeds its limits, on three puzzles that are too large for it.

    python benchmarks/limits.py [--seconds 0.5 3] [--memory 200M 500M] [--patience 60]

The puzzles are generated: a Sudoku of 25 by 25 cells, 400 dominoes, 150 dominoes with equal regions. A run
with a memory limit also has a time limit of ``--patience`` seconds. Memory peaks are the kernel's.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from measure import header

TIMED = {
    "count": ["count"],
    "sample": ["sample"],
    "enumerate": ["enumerate", "--quiet"],
    "enumerate by partition": ["enumerate", "--quiet", "--method", "partition"],
    "solve by diagram": ["solve", "--json", "--solver", "diagram"],
    "solve by highs": ["solve", "--json", "--solver", "highs"],
}
BOUNDED = {name: TIMED[name] for name in ("count", "sample", "solve by diagram")}
INTERRUPTED = {**TIMED, "generate": ["generate", "--unique", "--dominoes", "400", "--seed", "1"]}


class CommandResult(NamedTuple):
    """The result of a command: seconds, seconds after the signal if any, peak bytes, exit status."""

    seconds: float
    reaction: float
    peak: int
    status: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", nargs="*", type=float, default=[0.5, 3.0])
    parser.add_argument("--memory", nargs="*", default=["200M", "500M"])
    parser.add_argument("--patience", type=float, default=60.0)
    arguments = parser.parse_args()
    print(header())
    print("\n| verb | puzzle | limit | over | exit status |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(puzzles(Path(folder)), arguments):
            print("| " + " | ".join(row) + " |", flush=True)


def rows(files: dict[str, str], arguments: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table: time limits, then interruptions, then memory limits."""
    for seconds in arguments.seconds:
        for puzzle, file in files.items():
            for verb, words in TIMED.items():
                result = run([*words, file, "--time-limit", str(seconds)])
                yield verb, puzzle, f"{seconds:g} s", f"{result.seconds - seconds:+.2f} s", str(result.status)
    for puzzle, file in files.items():
        for verb, words in INTERRUPTED.items():
            if verb == "generate" and puzzle != "400 dominoes":
                continue
            result = run(words if verb == "generate" else [*words, file], interrupt=1.0)
            over = f"{result.reaction:+.2f} s" if result.reaction else "had ended"
            yield verb, puzzle, "Ctrl-C after 1 s", over, str(result.status)
    for memory in arguments.memory:
        for puzzle, file in files.items():
            for verb, words in BOUNDED.items():
                limits = ["--memory-limit", memory, "--time-limit", str(arguments.patience)]
                result = run([*words, file, *limits])
                over = result.peak / size(memory) - 1
                yield verb, puzzle, memory, f"{over:+.0%} after {result.seconds:.0f} s", str(result.status)


def size(text: str) -> int:
    """Return the bytes of a size such as 500M or 1G."""
    return int(text[:-1]) * {"M": 2**20, "G": 2**30}[text[-1]]


def run(words: Sequence[str], interrupt: float | None = None) -> CommandResult:
    """Run a command, and interrupt it after this many seconds."""
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "milp_pips", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    sent = 0.0
    if interrupt is not None:
        time.sleep(interrupt)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended = time.monotonic()
    reaction = ended - sent if sent and process.returncode == 130 else 0.0
    return CommandResult(ended - begun, reaction, used.ru_maxrss * 1024, process.returncode)


def puzzles(folder: Path) -> dict[str, str]:
    """Write the three puzzles into the folder, and return their files."""
    files: dict[str, str] = {}
    for name, options in {
        "sudoku 25x25": ["--family", "sudoku", "--size", "25"],
        "400 dominoes": ["--dominoes", "400"],
        "150 dominoes, equal regions": ["--dominoes", "150", "--rules", "EQ=1", "--region-sizes", "4..7"],
    }.items():
        out = folder / name.split()[0]
        command = [
            sys.executable,
            "-m",
            "milp_pips",
            "generate",
            "--seed",
            "1",
            "--out",
            str(out),
            *options,
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        files[name] = str(next(out.glob("*.txt")))
    return files


if __name__ == "__main__":
    main()
