"""The model of a puzzle as the text of a file that other programs read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from milp_pips.puzzles.family import Puzzle

FORMATS = ("lp", "mps")


def export(puzzle: Puzzle[Any], to: str = "lp", formulation: str = "") -> str:
    """Return the 0-1 model of the puzzle as text in CPLEX LP or free MPS format.

    Raises UsageError for an unknown formulation.
    """
    from milp_pips.milp import formulate

    model = formulate(puzzle.state(), formulation)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model.{to}"
        model.write(str(path))
        return path.read_text(encoding="utf-8")
