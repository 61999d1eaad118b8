"""Compare the process time of solving one small puzzle with that of importing the engine alone.

python benchmarks/start_up.py
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import header, interleaved, table

PUZZLE = Path(__file__).parent.parent / "examples" / "pips" / "notebook.txt"
IMPORT = "import highspy"
SOLVE, DIAGRAM = (f"milp_pips solve notebook.txt --solver {name}" for name in ("highs", "diagram"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    arguments = parser.parse_args()
    spent = measured(arguments.rounds)
    print(header("highspy"))
    print(f"whole processes, {arguments.rounds} interleaved rounds\n")
    print(table(spent, IMPORT))


def measured(rounds: int) -> dict[str, list[float]]:
    """Return the seconds of whole processes, round by round."""
    with tempfile.TemporaryDirectory() as folder:
        # as installed, both are byte-compiled: the first, uncounted round does that
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}

        def run(*words: str) -> None:
            subprocess.run([sys.executable, *words], check=True, capture_output=True, env=environment)

        solve = ("-m", "milp_pips", "solve", str(PUZZLE), "--solver")
        return interleaved(
            {
                IMPORT: lambda: run("-c", "import highspy"),
                SOLVE: lambda: run(*solve, "highs"),
                DIAGRAM: lambda: run(*solve, "diagram"),
            },
            rounds,
        )


if __name__ == "__main__":
    main()
