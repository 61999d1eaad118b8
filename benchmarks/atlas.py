"""Prove the counts of all puzzles of a folder, and write a table with their hashes.

python benchmarks/atlas.py PUZZLES --out build/atlas
python benchmarks/atlas.py PUZZLES --out build/atlas --kind list --distinct grid

The folder gets one certificate for each puzzle and ``atlas.tsv``. After an interruption the same command
continues: it checks a certificate that is there, and does not make it again.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import shutil
import statistics
import time
from pathlib import Path
from typing import Any

from measure import header, puzzles_of

import milp_pips
from milp_pips.tasks.prove import KINDS
from milp_pips.verification.verify import CERTIFICATE_JSON, PUZZLE_JSON, Watch, verify

COLUMNS = ("puzzle", "key", "kind", "solutions", "proof", "prove_s", "check_s", "bytes", "sha256")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="+", help="puzzle files or directories")
    parser.add_argument("--out", type=Path, default=Path("build/atlas"))
    parser.add_argument("--kind", choices=KINDS, default="count")
    parser.add_argument("--distinct", default="", metavar="KEY")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for each puzzle (default: 60)")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = [row_of(puzzle, arguments) for puzzle in puzzles_of(arguments.puzzles)]
    with (arguments.out / "atlas.tsv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(header("python-sat"))
    proved = [row for row in rows if row["sha256"]]
    print(f"{len(proved)} of {len(rows)} certificates by {arguments.kind}, all checked")
    for what, column in (("found and checked", "prove_s"), ("checked again", "check_s")):
        spent = [float(row[column]) for row in proved if row[column]]
        if spent:
            print(
                f"{what}: median {statistics.median(spent):.3f} s, worst {max(spent):.2f} s of processor time"
            )
    return 0 if len(proved) == len(rows) else 1


def row_of(puzzle: Any, arguments: argparse.Namespace) -> dict[str, object]:
    """Return the row of a puzzle, with its certificate made or found in the folder."""
    label = "-".join(filter(None, (puzzle.name, arguments.kind, arguments.distinct)))
    folder = arguments.out / re.sub(r"[^\w-]", "_", label)
    row: dict[str, object] = dict.fromkeys(COLUMNS, "") | {"puzzle": puzzle.name, "kind": arguments.kind}
    if not (folder / CERTIFICATE_JSON).exists():
        shutil.rmtree(folder, ignore_errors=True)
        begun = time.process_time()
        try:
            milp_pips.prove(
                puzzle, folder, kind=arguments.kind, distinct=arguments.distinct, seconds=arguments.seconds
            )
        except milp_pips.MilpPipsError as reason:
            print(f"{puzzle.name}: {reason}", flush=True)
            return row
        row["prove_s"] = f"{time.process_time() - begun:.3f}"
    begun = time.process_time()
    proved = verify(folder, Watch(3_600.0))
    row |= {
        "check_s": f"{time.process_time() - begun:.3f}",
        "key": proved.key,
        "proof": proved.how,
        "solutions": proved.solutions,
        "bytes": sum(path.stat().st_size for path in folder.iterdir()),
        "sha256": hashlib.sha256((folder / PUZZLE_JSON).read_bytes()).hexdigest(),
    }
    print(f"{puzzle.name}: {proved}", flush=True)
    return row


if __name__ == "__main__":
    raise SystemExit(main())
