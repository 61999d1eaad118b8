"""Do one piece of work with the milp_pips on the path, and print its processor seconds as JSON.

    PYTHONPATH=CHECKOUT python benchmarks/checkout.py counts FILES...
    PYTHONPATH=CHECKOUT python benchmarks/checkout.py listing METHOD FILES...

``exact.py`` runs it alternately for two checkouts, so it uses only features that an older checkout has.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Sequence

import milp_pips


def main() -> None:
    work, *words = sys.argv[1:]
    print(json.dumps(counts(words) if work == "counts" else listing(words[0], words[1:])))


def counts(files: Sequence[str]) -> dict[str, float]:
    """Return the seconds for counting the placements of all puzzles, and then those for their grids."""
    puzzles = [puzzle for file in files for puzzle in milp_pips.read_all(file).values()]
    spent = {}
    for key in ("placement", "grid"):
        begun = processor_seconds()
        assert all(milp_pips.count(puzzle, [key]).complete for puzzle in puzzles)
        spent[key] = processor_seconds() - begun
    return spent


def listing(method: str, files: Sequence[str]) -> dict[str, float]:
    """Return the seconds for listing all solutions of each puzzle by HiGHS, the confirmation included."""
    spent = {}
    warm = next(milp_pips.generate(style="plain", dominoes=3)).puzzle
    list(milp_pips.solutions(warm, "highs", method=method))  # the engine is loaded here
    for file in files:
        for puzzle in milp_pips.read_all(file).values():
            begun = processor_seconds()
            listed = milp_pips.solutions(puzzle, "highs", method=method)
            found = sum(1 for _ in listed)
            assert listed.summary is not None
            assert listed.summary.complete
            spent[f"{puzzle.name}, {found} solutions"] = processor_seconds() - begun
    return spent


def processor_seconds() -> float:
    """Return the processor time of this process and of its finished children."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main()
