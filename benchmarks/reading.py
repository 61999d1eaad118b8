"""Reading a large MPS file, by our reader and by HiGHS's ``readModel``: processor time, side by side.

::

    python benchmarks/reading.py [--megabytes 20] [--times 5]

Prints the medians and their ratio, and the ratio of our time on the file to that on a tenth of it: 10 if
the reader is linear.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import highspy

import milp_pips
from milp_pips.formulations.reading import read_model


def text_of(megabytes: float, seed: int = 1) -> str:
    """Return an MPS file of about this size: a tenth as many rows as columns, six entries a column."""
    rng = random.Random(seed)
    count = int(megabytes * 2**20 / 190)
    rows = max(6, count // 10)
    lines = ["NAME large", "ROWS", " N  cost", *(f" L  row{i:06}" for i in range(rows)), "COLUMNS"]
    lines.append("    M1        'MARKER'                 'INTORG'")
    for j in range(count):
        chosen = rng.sample(range(rows), 5)
        entries = [
            ("cost", rng.randint(1, 999)),
            *((f"row{i:06}", rng.randint(1, 9999) / 100) for i in chosen),
        ]
        for (a, x), (b, y) in zip(entries[::2], entries[1::2], strict=True):
            lines.append(f"    col{j:06} {a:<9} {x:>10} {b:<9} {y:>10}")
    lines.append("    M2        'MARKER'                 'INTEND'")
    lines += ["RHS", *(f"    rhs       row{i:06} {rng.randint(100, 999)}" for i in range(rows))]
    lines += ["BOUNDS", *(f" UP bnd       col{j:06} {rng.randint(1, 9)}" for j in range(count)), "ENDATA", ""]
    return "\n".join(lines)


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def by_highs(path: Path) -> None:
    """Read the file by HiGHS."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk


def by_us(path: Path) -> None:
    """Read the file by our reader, with the time to decode it."""
    read_model(path.read_text("utf-8"), path.name)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--times", type=int, default=5)
    arguments = parser.parse_args()
    ours, theirs, small = list[float](), list[float](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        large, tenth = Path(folder) / "large.mps", Path(folder) / "tenth.mps"
        large.write_text(text_of(arguments.megabytes))
        tenth.write_text(text_of(arguments.megabytes / 10))
        for _ in range(arguments.times):  # interleaved, so that both see the same machine
            ours.append(processor_seconds(lambda: by_us(large)))
            theirs.append(processor_seconds(lambda: by_highs(large)))
            small.append(processor_seconds(lambda: by_us(tenth)))
        size = large.stat().st_size / 2**20
    own, other, part = median(ours), median(theirs), median(small)
    print(f"{time.strftime('%Y-%m-%d')}: an MPS file of {size:.1f} MiB, medians of {arguments.times}")
    print(f"  milp_pips {milp_pips.__version__}: {own:.2f} s, a tenth of the file {part:.3f} s")
    print(f"  highspy {highspy.Highs().version()}: {other:.2f} s")
    print(f"  ratio to HiGHS {own / other:.2f}; to the tenth {own / part:.1f}")


if __name__ == "__main__":
    main()
