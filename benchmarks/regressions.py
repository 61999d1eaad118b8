"""Measure quick ratios, and fail if one is much worse than the committed one, twice in a row.

    python benchmarks/regressions.py
    python benchmarks/regressions.py --update

Each ratio is the median of ``ROUNDS`` interleaved rounds in which this package and something else do the same
work on the same machine, in processor seconds. ``ratios.json`` has the ratios of the last ``--update`` with
its date and versions. A ratio is measured again before it counts as worse.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import first_solution
import goals
import lists
from measure import header

RATIOS = Path(__file__).parent / "ratios.json"
ROUNDS, WORSE = 5, 1.5
"""The number of rounds, and how many times worse than the committed one a ratio may be."""

VERSIONS = ("milp-pips", "highspy", "ortools", "clingo", "python-sat")

GROUPS: Mapping[str, goals.Group] = {
    "startup": lambda: goals.startup(ROUNDS),
    "firsts": lambda: goals.firsts(first_solution.generated(10, 10), ROUNDS, "cp-sat", "sat"),
    "lists": lambda: goals.all_solutions(lists.a_board(1_000, 2_000), ROUNDS, "cp-sat", "sat", "clingo"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the measured ratios")
    arguments = parser.parse_args()
    print(header(*VERSIONS[1:]))
    if arguments.update:
        ratios = {goal.name: round(goal.value, 2) for group in GROUPS.values() for goal in group()}
        versions = {name: metadata.version(name) for name in VERSIONS}
        content = {"date": str(datetime.date.today()), "versions": versions, "ratios": ratios}
        RATIOS.write_text(json.dumps(content, indent=1) + "\n")
        return 0
    committed = json.loads(RATIOS.read_text())["ratios"]
    worse = [name for group in GROUPS.values() for name in worse_ones(group, committed)]
    return 1 if worse else 0


def worse_ones(group: goals.Group, committed: Mapping[str, float]) -> list[str]:
    """Return the names of the ratios that are worse than the committed ones twice in a row."""
    worse = list(committed)
    for _ in range(2):
        measured = {goal.name: goal.value for goal in group()}
        worse = [name for name in worse if name in measured and measured[name] > WORSE * committed[name]]
        for name, value in measured.items():
            remark = "worse" if name in worse else "as good"
            print(f"{name}: {value:.2f}, committed {committed.get(name, 0):.2f}: {remark}", flush=True)
        if not worse:
            break
    return worse


if __name__ == "__main__":
    sys.exit(main())
